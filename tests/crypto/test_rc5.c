/* SPDX-License-Identifier: MIT */
#include "rc5.h"

#include <string.h>

#include "vectors.h"

static void check_vector(char **fields)
{
    GBytes *key = bytes_from_hex(fields[0]);
    GBytes *plain = bytes_from_hex(fields[1]);
    GBytes *cipher = bytes_from_hex(fields[2]);
    size_t size = g_bytes_get_size(plain);
    uint8_t *data = g_memdup2(bytes_data(plain), size);
    tq_rc5 rc5;

    g_assert_cmpuint(g_bytes_get_size(key), ==, TQ_RC5_KEY_SIZE);
    tq_rc5_init(&rc5, bytes_data(key));
    tq_rc5_encrypt(&rc5, data, size / TQ_RC5_BLOCK_SIZE);
    g_assert_cmpmem(data, size, bytes_data(cipher), g_bytes_get_size(cipher));
    tq_rc5_decrypt(&rc5, data, size / TQ_RC5_BLOCK_SIZE);
    g_assert_cmpmem(data, size, bytes_data(plain), size);

    g_free(data);
    g_bytes_unref(cipher);
    g_bytes_unref(plain);
    g_bytes_unref(key);
}

static void test_vectors(void)
{
    vectors_run("rc5.txt", check_vector);
}

/* The end points of the key schedule, from the test that the first vector is of. */
static void test_subkeys(void)
{
    tq_rc5 rc5;
    tq_rc5_init(&rc5, tq_rc5_static_key);
    g_assert_cmphex(rc5.subkeys[0], ==, 0xa9915556);
    g_assert_cmphex(rc5.subkeys[TQ_RC5_SUBKEYS - 1], ==, 0x6642ab5b);
}

static void test_seed_key(void)
{
    static const uint8_t key_10000[] = {0xB6, 0xC7, 0x28, 0xB6, 0xA7, 0xF8, 0xCB, 0x70,
                                        0xD1, 0xAF, 0x47, 0x57, 0x4B, 0xF6, 0x91, 0x5D};
    /* rand() after srand(1) is known to begin 41, 18467, 6334, 26500. */
    static const uint8_t key_1[] = {41, 18467 & 255, 6334 & 255, 26500 & 255};
    uint8_t key[TQ_RC5_KEY_SIZE];

    tq_rc5_seed_key(10000, key);
    g_assert_cmpmem(key, sizeof key, key_10000, sizeof key_10000);
    tq_rc5_seed_key(1, key);
    g_assert_cmpmem(key, sizeof key_1, key_1, sizeof key_1);
}

/* All rotation counts come up; the sanitizer watches the one of zero. */
static void test_round_trip(void)
{
    uint8_t key[TQ_RC5_KEY_SIZE], data[64 * TQ_RC5_BLOCK_SIZE], expected[sizeof data];
    tq_rc5 rc5;

    for (uint32_t seed = 0; seed < 500; seed++) {
        tq_rc5_seed_key(seed * 0x01000193, key);
        tq_rc5_init(&rc5, key);
        fill_pattern(expected, sizeof expected);
        memcpy(data, expected, sizeof data);
        tq_rc5_encrypt(&rc5, data, sizeof data / TQ_RC5_BLOCK_SIZE);
        g_assert_cmpint(memcmp(data, expected, sizeof data), !=, 0);
        tq_rc5_decrypt(&rc5, data, sizeof data / TQ_RC5_BLOCK_SIZE);
        g_assert_cmpmem(data, sizeof data, expected, sizeof expected);
    }
    tq_rc5_decrypt(&rc5, NULL, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rc5/vectors", test_vectors);
    g_test_add_func("/rc5/subkeys", test_subkeys);
    g_test_add_func("/rc5/seed-key", test_seed_key);
    g_test_add_func("/rc5/round-trip", test_round_trip);
    return g_test_run();
}
