/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cfb64.h"

#include <string.h>

#include "vectors.h"

static const uint8_t zero_iv[CFB64_BLOCK];

static cfb64_t *new_blowfish(const char *key)
{
    char *error = NULL;
    cfb64_t *cipher = cfb64_new(CFB64_BLOWFISH, (const uint8_t *)key, strlen(key), &error);
    g_assert_null(error);
    g_assert_nonnull(cipher);
    return cipher;
}

static void check_vector(char **fields)
{
    cfb64_algorithm_t algorithm = strcmp(fields[0], "cast5") == 0 ? CFB64_CAST5 : CFB64_BLOWFISH;
    GBytes *key = bytes_from_hex(fields[1]);
    GBytes *iv = bytes_from_hex(fields[2]);
    GBytes *ciphertext = bytes_from_hex(fields[3]);
    size_t length = g_bytes_get_size(ciphertext);
    uint8_t plain[512], expected[512];
    char *error = NULL;

    cfb64_t *cipher = cfb64_new(algorithm, bytes_data(key), g_bytes_get_size(key), &error);
    g_assert_null(error);
    g_assert_cmpint(cfb64_algorithm(cipher), ==, algorithm);
    fill_pattern(expected, length);
    size_t unknown =
        cfb64_decrypt(cipher, bytes_data(iv), 0, NULL, 0, bytes_data(ciphertext), plain, length);
    g_assert_cmpuint(unknown, ==, 0);
    g_assert_cmpmem(plain, length, expected, length);

    cfb64_unref(cipher);
    g_bytes_unref(ciphertext);
    g_bytes_unref(iv);
    g_bytes_unref(key);
}

static void test_vectors(void)
{
    vectors_run("cfb64.txt", check_vector);
    vectors_run("openssl_cfb64.txt", check_vector);
}

/* A published text: 24 bytes under the initial key of 5018. */
static void test_text(void)
{
    GBytes *ciphertext = bytes_from_hex("661b62b31a88901d556a69cfc068e179605939c49b2e596c");
    const char *text = "Blowfish-CFB64 KAT v#1!!";
    uint8_t plain[24];
    cfb64_t *cipher = new_blowfish("DR654dt34trg4UI6");

    cfb64_decrypt(cipher, zero_iv, 0, NULL, 0, bytes_data(ciphertext), plain, sizeof plain);
    g_assert_cmpmem(plain, sizeof plain, text, strlen(text));
    cfb64_unref(cipher);
    g_bytes_unref(ciphertext);
}

#define STREAM 100

/* How many bytes at the start of a run cannot be known, said another way than the module does. */
static size_t count_unknown(size_t position, size_t before, size_t length, bool iv)
{
    size_t known_from = position - before;
    for (size_t i = position; i < position + length; i++) {
        size_t block = i / CFB64_BLOCK;
        bool feedback =
            block == 0 ? iv && known_from == 0 : (block - 1) * CFB64_BLOCK >= known_from;
        if (feedback)
            return i - position;
    }
    return length;
}

static void check_run(const cfb64_t *cipher, const uint8_t *stream, const uint8_t *expected,
                      size_t position, size_t before, size_t length, const uint8_t *iv)
{
    uint8_t out[STREAM + 1];
    memset(out, 0xA5, sizeof out);
    size_t wanted = count_unknown(position, before, length, iv != NULL);
    size_t unknown = cfb64_decrypt(cipher, iv, position, before ? stream + position - before : NULL,
                                   before, stream + position, out, length);

    g_assert_cmpuint(unknown, ==, wanted);
    for (size_t i = 0; i < unknown; i++)
        g_assert_cmpuint(out[i], ==, 0);
    g_assert_cmpmem(out + unknown, length - unknown, expected + position + unknown,
                    length - unknown);
    g_assert_cmphex(out[length], ==, 0xA5);

    /* in place */
    memcpy(out, stream + position, length);
    cfb64_decrypt(cipher, iv, position, before ? stream + position - before : NULL, before, out,
                  out, length);
    g_assert_cmpmem(out + unknown, length - unknown, expected + position + unknown,
                    length - unknown);
}

/* Every position, length and amount of history; the whole stream is the reference. */
static void test_positions(void)
{
    cfb64_t *cipher = new_blowfish("any key will do");
    uint8_t stream[STREAM], expected[STREAM];

    fill_pattern(stream, STREAM);
    cfb64_decrypt(cipher, zero_iv, 0, NULL, 0, stream, expected, STREAM);
    for (size_t position = 0; position < 40; position++) {
        for (size_t before = 0; before <= MIN(position, 20); before++) {
            for (size_t length = 0; length <= 40; length++) {
                check_run(cipher, stream, expected, position, before, length, zero_iv);
                check_run(cipher, stream, expected, position, before, length, NULL);
            }
        }
    }
    cfb64_unref(cipher);
}

static void test_far_position(void)
{
    cfb64_t *cipher = new_blowfish("any key will do");
    uint8_t stream[64], near[64], far[64];

    fill_pattern(stream, sizeof stream);
    size_t a = cfb64_decrypt(cipher, NULL, 11, NULL, 0, stream, near, sizeof near);
    size_t b = cfb64_decrypt(cipher, NULL, UINT64_MAX - 4, NULL, 0, stream, far, sizeof far);
    g_assert_cmpuint(a, ==, b);
    g_assert_cmpmem(near, sizeof near, far, sizeof far);
    cfb64_unref(cipher);
}

static void check_length(cfb64_algorithm_t algorithm, size_t length, const char *message)
{
    uint8_t key[80];
    char *error = NULL;

    fill_pattern(key, sizeof key);
    cfb64_t *cipher = cfb64_new(algorithm, key, length, &error);
    if (message) {
        g_assert_null(cipher);
        g_assert_nonnull(strstr(error, message));
        g_assert_null(cfb64_new(algorithm, key, length, NULL));
    } else {
        g_assert_nonnull(cipher);
        g_assert_null(error);
    }
    g_free(error);
    cfb64_unref(cipher);
}

static void test_key_lengths(void)
{
    check_length(CFB64_BLOWFISH, 0, "empty");
    for (size_t length = 1; length <= CFB64_BLOWFISH_KEY_MAX; length++)
        check_length(CFB64_BLOWFISH, length, NULL);
    check_length(CFB64_BLOWFISH, 73, "at most 72 bytes, this one 73");
    check_length(CFB64_CAST5, 0, "empty");
    check_length(CFB64_CAST5, 15, "has 16 bytes, this one 15");
    check_length(CFB64_CAST5, 16, NULL);
    check_length(CFB64_CAST5, 64, NULL);
}

static void test_references(void)
{
    cfb64_t *cipher = new_blowfish("key");
    g_assert_true(cfb64_ref(cipher) == cipher);
    cfb64_unref(cipher);
    g_assert_cmpint(cfb64_algorithm(cipher), ==, CFB64_BLOWFISH);
    cfb64_unref(cipher);
    cfb64_unref(NULL);
}

static bool holds(const uint8_t *plaintext, size_t length, size_t unknown, void *data)
{
    size_t n = strlen(data);
    for (size_t i = unknown; i + n <= length; i++) {
        if (memcmp(plaintext + i, data, n) == 0)
            return true;
    }
    return false;
}

static GBytes *server_stream;

static void keep_server_stream(char **fields)
{
    /* The server's third entry is its first under the session key. */
    if (strcmp(fields[0], "s2c") == 0) {
        g_clear_pointer(&server_stream, g_bytes_unref);
        server_stream = bytes_from_hex(fields[1]);
    }
}

static void test_alignment(void)
{
    GBytes *key = bytes_from_hex("b0aaa1c7ba3445c7cd7b87e16ecc53024efc5fb0071f7ae292858fcbcaf1498b3"
                                 "e87857443ee227efb6df9374467976a8f7bbe4b131b1aa5a8489345d1fbfdbc");
    cfb64_t *cipher = cfb64_new(CFB64_BLOWFISH, bytes_data(key), g_bytes_get_size(key), NULL);
    uint8_t out[1024];

    vectors_run("stream_5065.txt", keep_server_stream);
    size_t size = g_bytes_get_size(server_stream);
    g_assert_cmpuint(size, <, sizeof out);
    for (size_t start = 0; start < 60; start++) {
        int alignment = cfb64_find_alignment(cipher, bytes_data(server_stream) + start, out,
                                             size - start, holds, (void *)"TQServer");
        g_assert_cmpint(alignment, ==, (int)(start % CFB64_BLOCK));
        g_assert_cmpint(cfb64_find_alignment(cipher, bytes_data(server_stream) + start, out,
                                             size - start, holds, (void *)"TQClient"),
                        ==, -1);
    }
    g_bytes_unref(server_stream);
    cfb64_unref(cipher);
    g_bytes_unref(key);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cfb64/vectors", test_vectors);
    g_test_add_func("/cfb64/text", test_text);
    g_test_add_func("/cfb64/positions", test_positions);
    g_test_add_func("/cfb64/far-position", test_far_position);
    g_test_add_func("/cfb64/key-lengths", test_key_lengths);
    g_test_add_func("/cfb64/references", test_references);
    g_test_add_func("/cfb64/alignment", test_alignment);
    return g_test_run();
}
