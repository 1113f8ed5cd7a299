/* fuzz_handshake.c
 * The messages of the Diffie-Hellman exchange.
 *
 * Input: 8 bits kind, then the deciphered message, of which all front parts are tried.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fuzz.h"

#include "handshake.h"

static handshake_keys_t *keys;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    keys = handshake_keys_new();
    return 0;
}

static void check(const handshake_t *handshake, size_t length)
{
    if (handshake->status == HANDSHAKE_INCOMPLETE)
        FUZZ_CHECK(handshake->needed > length);
    if (handshake->status == HANDSHAKE_INVALID)
        FUZZ_CHECK(handshake->reason);
    if (handshake->status != HANDSHAKE_COMPLETE)
        return;
    FUZZ_CHECK(handshake->total <= length && handshake->total <= HANDSHAKE_MAX);
    for (unsigned i = 0; i < HANDSHAKE_FIELDS; i++)
        FUZZ_CHECK(handshake->field[i].offset <= handshake->total &&
                   handshake->field[i].length <= handshake->total - handshake->field[i].offset);
}

/* Once a front part shows the message, or shows that it is none, more bytes change nothing. */
static void parse(handshake_kind_t kind, const uint8_t *data, size_t size)
{
    handshake_status_t before = HANDSHAKE_INCOMPLETE;
    size_t step = size / 16 + 1;

    for (size_t length = 0;; length = length + step < size ? length + step : size) {
        uint8_t *part = fuzz_copy(data, length);
        handshake_t handshake;
        handshake_status_t status = handshake_parse(kind, part, length, &handshake);
        FUZZ_CHECK(status == handshake.status);
        FUZZ_CHECK(before == HANDSHAKE_INCOMPLETE || status == before);
        check(&handshake, length);
        before = status;
        free(part);
        if (length == size)
            return;
    }
}

static void find(const uint8_t *data, size_t size)
{
    uint8_t *part = fuzz_copy(data, size);
    handshake_t hello;
    handshake_reply_t reply;
    const handshake_key_t *key = handshake_keys_find(keys, part, size, &hello);

    check(&hello, size);
    if (key && handshake_find_reply(key->cipher, part, size, &reply) == HANDSHAKE_COMPLETE)
        check(&reply.handshake, size - reply.start);
    free(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = {data, size};
    unsigned kind = fuzz_take(&input, 1);

    if (kind & 2)
        find(input.data, input.left);
    else
        parse(kind & 1 ? HANDSHAKE_REPLY : HANDSHAKE_HELLO, input.data, input.left);
    return 0;
}
