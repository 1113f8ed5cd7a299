/* fuzz_cipher.c
 * Every backend of the cipher against the definition's byte loop.
 *
 * Input: 32 bits P, 32 bits G, 16 bits counter, 8 bits alignments (two times three bits) and role,
 * 8 bits length factor; the rest is what is enciphered, repeated by the factor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.h"
#include "fuzz.h"

#define REPEATS 32
#define LONGEST 32768

/* Each input is tried at so many counters, of which some cross the end of a page. */
#define COUNTERS 16
#define COUNTER_STEP 23

static uint64_t comparisons;

static void report(void)
{
    fprintf(stderr, "cipher: %llu comparisons of a backend with the definition\n",
            (unsigned long long)comparisons);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    atexit(report);
    return 0;
}

static void check_backend(const tq_backend *backend, const tq_tables *tables, uint16_t counter,
                          unsigned alignment, const uint8_t *in, const uint8_t *expected,
                          size_t length)
{
    uint8_t *to = malloc(length + 64 + alignment);
    uint8_t *from = malloc(length + (alignment >> 3) + 1);
    uint8_t *dst = to + 32 + (alignment & 7), *src = from + (alignment >> 3);

    FUZZ_CHECK(to && from);
    memset(to, 0xA5, length + 64 + alignment);
    memcpy(src, in, length);
    tq_backend_use(backend);
    tq_crypt(tables, counter, dst, src, length);
    FUZZ_CHECK(memcmp(dst, expected, length) == 0);
    FUZZ_CHECK(memcmp(src, in, length) == 0);
    for (unsigned i = 1; i <= 24; i++)
        FUZZ_CHECK(dst[-(int)i] == 0xA5 && dst[length + i - 1] == 0xA5);
    tq_crypt(tables, counter, src, src, length);
    FUZZ_CHECK(memcmp(src, expected, length) == 0);
    comparisons += 2;
    free(from);
    free(to);
}

/* Both roles at one counter: what one enciphers, the other deciphers. */
static void check_counter(const tq_key *key, const tq_tables tables[2], enum tq_role role,
                          uint16_t counter, unsigned alignment, const uint8_t *in, size_t length)
{
    static uint8_t expected[LONGEST], back[LONGEST];

    crypt_by_definition(key, role, counter, expected, in, length);
    for (const tq_backend *backend = tq_backends; backend->name; backend++) {
        if (tq_backend_runs(backend))
            check_backend(backend, &tables[role], counter, alignment, in, expected, length);
    }
    tq_crypt(&tables[role == TQ_ROLE_SERVER ? TQ_ROLE_CLIENT : TQ_ROLE_SERVER], counter, back,
             expected, length);
    FUZZ_CHECK(memcmp(back, in, length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t in[LONGEST];
    fuzz_input_t input = {data, size};
    uint32_t p = fuzz_take(&input, 4), g = fuzz_take(&input, 4);
    uint16_t counter = (uint16_t)fuzz_take(&input, 2);
    unsigned shape = fuzz_take(&input, 1), repeats = fuzz_take(&input, 1) % REPEATS + 1;
    size_t length = 0;
    tq_key key;
    tq_tables tables[2];

    for (; repeats > 0 && length + input.left <= sizeof in; repeats--, length += input.left) {
        if (input.left)
            memcpy(in + length, input.data, input.left);
    }
    tq_key_generate(&key, p, g);
    if (shape & 128)
        tq_key_alternate(&key, &key, p, g);
    tq_tables_prepare(&tables[TQ_ROLE_SERVER], &key, TQ_ROLE_SERVER);
    tq_tables_prepare(&tables[TQ_ROLE_CLIENT], &key, TQ_ROLE_CLIENT);
    for (unsigned i = 0; i < COUNTERS; i++)
        check_counter(&key, tables, shape & 64 ? TQ_ROLE_SERVER : TQ_ROLE_CLIENT,
                      (uint16_t)(counter + i * COUNTER_STEP), (shape + i) & 63, in, length);
    return 0;
}
