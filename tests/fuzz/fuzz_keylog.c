/* fuzz_keylog.c
 * The key log file, read while it grows.
 *
 * Input: 8 bits of how much is there at first, in 1/256; the file's text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fuzz.h"

#include <unistd.h>

#include <glib.h>

#include "keylog.h"

static char *path;

static void remove_file(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    int file = g_file_open_tmp("fuzz-keylog-XXXXXX", &path, NULL);

    (void)argc;
    (void)argv;
    FUZZ_CHECK(file >= 0);
    close(file);
    atexit(remove_file);
    return 0;
}

static void append(const uint8_t *text, size_t length, const char *mode)
{
    FILE *file = fopen(path, mode);

    FUZZ_CHECK(file && fwrite(text, 1, length, file) == length);
    fclose(file);
}

static void report(const char *message, void *data)
{
    (void)data;
    FUZZ_CHECK(message && g_utf8_validate(message, -1, NULL));
}

/* Whoever has a key log asks it for the keys that cross the wire. */
static void look_up(const keylog_t *keylog)
{
    static const char wire[] = "B2C3D4";
    const sessionkey_hex_t public_key = {wire, sizeof wire - 1};
    const sessionkey_exchange_t exchange = {
        .p = {"FFFFFFFFFFFFFFC5", 16},
        .g = {"05", 2},
        .server_public = public_key,
        .client_public = {"1234", 4},
    };

    for (const keylog_entry_t *entry = keylog_find(keylog, public_key); entry;
         entry = entry->same_key) {
        sessionkey_secret_t secret;
        char *error = NULL;
        FUZZ_CHECK(entry->length > 0);
        if (!keylog_secret(keylog, entry, &exchange, &secret, &error))
            FUZZ_CHECK(error);
        g_free(error);
    }
    for (const keylog_entry_t *entry = keylog_newest(keylog); entry; entry = entry->older)
        FUZZ_CHECK(entry->length > 0 && entry->kind < KEYLOG_KINDS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = {data, size};
    size_t first = fuzz_take(&input, 1) * input.left / 256;
    keylog_t *keylog = keylog_new(path, report, NULL);

    append(input.data, first, "wb");
    keylog_read(keylog);
    append(input.data + first, input.left - first, "ab");
    keylog_read(keylog);
    FUZZ_CHECK(!keylog_read(keylog));
    look_up(keylog);
    keylog_free(keylog);
    return 0;
}
