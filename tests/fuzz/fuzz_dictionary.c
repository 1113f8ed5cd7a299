/* fuzz_dictionary.c
 * Files of the dictionary of messages, read after a small one that is right.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fuzz.h"

#include <glib.h>

#include "dictionary-model.h"

/* A dictionary lives as long as the process, so nothing frees one. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_LEAK_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HAS_LEAK_SANITIZER 1
#endif
#ifdef HAS_LEAK_SANITIZER
#include <sanitizer/lsan_interface.h>
#else
static void __lsan_disable(void)
{
}
#endif

static const char known[] =
    "<dictionary><enumeration name=\"colour\"><value number=\"1\" name=\"red\"/></enumeration>"
    "<message type=\"1001\" name=\"MsgKnown\"><layout patch=\"4267\" size=\"8\" "
    "confidence=\"observed\" sources=\"wiki\"><u32 at=\"4\" name=\"id\"/></layout></message>"
    "</dictionary>";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    __lsan_disable();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dictionary *dictionary = dictionary_new();
    char *text = (char *)fuzz_copy(data, size);
    char *problem = dictionary_parse(dictionary, "known.xml", known, sizeof known - 1);

    FUZZ_CHECK(!problem);
    problem = dictionary_parse(dictionary, "fuzz.xml", text, size);
    /* What is wrong, and where. */
    FUZZ_CHECK(!problem || g_str_has_prefix(problem, "fuzz.xml:"));
    g_free(problem);
    free(text);
    return 0;
}
