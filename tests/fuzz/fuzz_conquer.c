/* fuzz_conquer.c
 * The dissector of one plaintext message.
 *
 * Input: 8 bits of context, 16 bits patch, 8 bits of how many of the message's last bytes are not
 * in the capture; then the message.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "epan_harness.h"
#include "fuzz.h"

#include <wiretap/wtap.h>

#include "packet-conquer.h"

enum {
    EXPORTED = 1,
    FROM_SERVER = 2,
    GAME = 4,
    FOOTER = 8,
    EVIDENCE = 16,
    PASSWORDS = 32,
    CHINESE = 64,
    VISIBLE = 128
};

#define FRAMES_PER_FILE 100000

static dissector_handle_t conquer;
static struct conquer_context context;
static const struct conquer_context *given;

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    return call_dissector_with_data(conquer, tvb, pinfo, tree, (void *)given);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    harness_start();
    conquer = find_dissector("conquer");
    harness_register(WTAP_ENCAP_USER0, dissect);
    harness_begin();
    return 0;
}

static void set_context(unsigned options, uint16_t patch)
{
    static const uint32_t seed = 0x01020304;

    context = (struct conquer_context){
        .server = options & GAME ? DICTIONARY_SERVER_GAME : DICTIONARY_SERVER_ACCOUNT,
        .direction = options & FROM_SERVER ? DICTIONARY_FROM_SERVER : DICTIONARY_FROM_CLIENT,
        .footer = options & FOOTER,
        .evidence = PATCH_EVIDENCE_NONE,
        .options = {.patch = options & EVIDENCE ? 0 : patch,
                    .encoding = options & CHINESE ? ENC_GB18030 : 0,
                    .show_passwords = options & PASSWORDS,
                    .password_seed = options & GAME ? &seed : NULL},
    };
    if (options & EVIDENCE)
        patch_evidence_narrow(&context.evidence, (struct patch_evidence){patch, patch});
    given = options & EXPORTED ? NULL : &context;
}

/* Each input stands for itself, so that a new file is only needed to bound memory. */
static void show(const uint8_t *message, size_t captured, size_t reported, bool visible)
{
    static unsigned dissections;

    if (dissections++ % FRAMES_PER_FILE == FRAMES_PER_FILE - 1) {
        harness_end();
        harness_begin();
    }
    harness_frame(WTAP_ENCAP_USER0, message, captured, reported, visible);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = {data, size};
    unsigned options = fuzz_take(&input, 1);
    uint16_t patch = (uint16_t)fuzz_take(&input, 2);
    size_t missing = fuzz_take(&input, 1);
    uint8_t *message = fuzz_copy(input.data, input.left);

    set_context(options, patch);
    show(message, input.left, input.left + (options & EXPORTED ? 0 : missing), options & VISIBLE);
    free(message);
    return 0;
}
