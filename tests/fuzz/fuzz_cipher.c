/* fuzz_cipher.c
 * Every backend of the cipher against the definition's byte loop.
 *
 * Input: 32 bits P, 32 bits G, 16 bits counter, 8 bits alignments (two times three bits) and role,
 * 8 bits length factor; the rest is what is enciphered, repeated by the factor if its top bit is
 * set.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>

#include "check.h"
#include "fuzz.h"

#define REPEATS 32
#define LONGEST 32768
#define GUARD 32

static struct {
    uint32_t p, g;
    bool alternate, made;
    tq_key key;
    tq_tables tables[2];
} made;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

/* Few mutations are of the key, and making one takes longer than the rest. */
static void make_key(uint32_t p, uint32_t g, bool alternate)
{
    if (made.made && made.p == p && made.g == g && made.alternate == alternate)
        return;
    tq_key_generate(&made.key, p, g);
    if (alternate)
        tq_key_alternate(&made.key, &made.key, p, g);
    tq_tables_prepare(&made.tables[TQ_ROLE_SERVER], &made.key, TQ_ROLE_SERVER);
    tq_tables_prepare(&made.tables[TQ_ROLE_CLIENT], &made.key, TQ_ROLE_CLIENT);
    made.p = p;
    made.g = g;
    made.alternate = alternate;
    made.made = true;
}

/* Past src AddressSanitizer is on guard, round dst marks are. */
static void check_backend(const tq_backend *backend, const tq_tables *tables, uint16_t counter,
                          uint8_t *dst, uint8_t *src, const uint8_t *in, const uint8_t *expected,
                          size_t length)
{
    memset(dst - GUARD, 0xA5, length + 2 * (size_t)GUARD);
    tq_backend_use(backend);
    tq_crypt(tables, counter, dst, src, length);
    FUZZ_CHECK(memcmp(dst, expected, length) == 0);
    FUZZ_CHECK(memcmp(src, in, length) == 0);
    for (size_t i = 0; i < GUARD; i++)
        FUZZ_CHECK(dst[-(int)i - 1] == 0xA5 && dst[length + i] == 0xA5);
    tq_crypt(tables, counter, src, src, length);
    FUZZ_CHECK(memcmp(src, expected, length) == 0);
    memcpy(src, in, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t in[LONGEST], expected[LONGEST], back[LONGEST];
    fuzz_input_t input = {data, size};
    uint32_t p = fuzz_take(&input, 4), g = fuzz_take(&input, 4);
    uint16_t counter = (uint16_t)fuzz_take(&input, 2);
    unsigned shape = fuzz_take(&input, 1), factor = fuzz_take(&input, 1);
    unsigned repeats = factor & 128 ? factor % REPEATS + 1 : 1;
    enum tq_role role = shape & 64 ? TQ_ROLE_SERVER : TQ_ROLE_CLIENT;
    size_t length = 0;

    for (; repeats > 0 && length + input.left <= sizeof in; repeats--, length += input.left) {
        if (input.left)
            memcpy(in + length, input.data, input.left);
    }
    make_key(p, g, shape & 128);
    crypt_by_definition(&made.key, role, counter, expected, in, length);

    unsigned src_at = shape >> 3 & 7, dst_at = GUARD + (shape & 7);
    uint8_t *from = malloc(src_at + length + !length), *to = malloc(dst_at + length + GUARD);
    FUZZ_CHECK(from && to);
    memcpy(from + src_at, in, length);
    for (const tq_backend *backend = tq_backends; backend->name; backend++) {
        if (tq_backend_runs(backend))
            check_backend(backend, &made.tables[role], counter, to + dst_at, from + src_at, in,
                          expected, length);
    }
    free(to);
    free(from);

    /* What one role enciphers, the other deciphers. */
    tq_crypt(&made.tables[role == TQ_ROLE_SERVER ? TQ_ROLE_CLIENT : TQ_ROLE_SERVER], counter, back,
             expected, length);
    FUZZ_CHECK(memcmp(back, in, length) == 0);
    return 0;
}
