/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "handshake.h"

#include <stdlib.h>
#include <string.h>

#include <gcrypt.h>

#include "vectors.h"

static const uint8_t zero_iv[CFB64_BLOCK];

/*
 * Builders
 */

static void append_u32(GByteArray *message, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    g_byte_array_append(message, bytes, sizeof bytes);
}

static void append_counted(GByteArray *message, size_t length, uint8_t fill)
{
    append_u32(message, (uint32_t)length);
    for (size_t i = 0; i < length; i++)
        g_byte_array_append(message, &fill, 1);
}

static GByteArray *build(handshake_kind_t kind, size_t junk, size_t p, size_t public_key)
{
    bool hello = kind == HANDSHAKE_HELLO;
    GByteArray *body = g_byte_array_new();

    append_counted(body, junk, 0xEE);
    if (hello) {
        append_counted(body, 8, 0x11);
        append_counted(body, 8, 0x22);
        append_counted(body, p, 'F');
        append_counted(body, 2, '5');
    }
    append_counted(body, public_key, 'a');
    g_byte_array_append(body, (const uint8_t *)(hello ? TQ_FOOTER_SERVER : TQ_FOOTER_CLIENT),
                        TQ_FOOTER_SIZE);

    GByteArray *message = g_byte_array_new();
    g_byte_array_append(message, (const uint8_t *)"random bytes", hello ? 11 : 7);
    append_u32(message, body->len + 4);
    g_byte_array_append(message, body->data, body->len);
    g_byte_array_unref(body);
    return message;
}

/* Enciphers with CFB64 from position 0 on, by libgcrypt alone. */
static void encipher(int algorithm, const char *key, uint8_t *data, size_t length)
{
    gcry_cipher_hd_t handle;
    g_assert_cmpint(gcry_cipher_open(&handle, algorithm, GCRY_CIPHER_MODE_CFB, 0), ==, 0);
    g_assert_cmpint(gcry_cipher_setkey(handle, key, strlen(key)), ==, 0);
    g_assert_cmpint(gcry_cipher_setiv(handle, zero_iv, sizeof zero_iv), ==, 0);
    g_assert_cmpint(gcry_cipher_encrypt(handle, data, length, NULL, 0), ==, 0);
    gcry_cipher_close(handle);
}

/* The parser sees exactly the bytes given: the sanitizer watches what is behind them. */
static handshake_status_t parse(handshake_kind_t kind, const uint8_t *data, size_t length,
                                handshake_t *handshake)
{
    uint8_t *copy = g_malloc(length + 1);
    memcpy(copy, data, length);
    copy = g_realloc(copy, MAX(length, 1));
    handshake_status_t status = handshake_parse(kind, copy, length, handshake);
    g_assert_cmpint(handshake->status, ==, status);
    g_free(copy);
    return status;
}

/*
 * The parser
 */

/* Every prefix wants more, and no more than there is; whatever follows does not matter. */
static void check_prefixes(handshake_kind_t kind, const uint8_t *message, size_t size)
{
    handshake_t handshake;

    for (size_t length = 0; length < size; length++) {
        g_assert_cmpint(parse(kind, message, length, &handshake), ==, HANDSHAKE_INCOMPLETE);
        g_assert_cmpuint(handshake.needed, >, length);
        g_assert_cmpuint(handshake.needed, <=, size);
        if (handshake.checks > 0)
            g_assert_cmpuint(handshake.total, ==, size);
    }
    uint8_t *longer = g_malloc0(size + 100);
    memcpy(longer, message, size);
    for (size_t more = 0; more <= 100; more += 10) {
        g_assert_cmpint(parse(kind, longer, size + more, &handshake), ==, HANDSHAKE_COMPLETE);
        g_assert_cmpuint(handshake.total, ==, size);
    }
    g_free(longer);
}

static void check_fields(const handshake_t *handshake, const uint8_t *message)
{
    bool hello = handshake->kind == HANDSHAKE_HELLO;
    const handshake_field_t *field = handshake->field;

    g_assert_cmpuint(field[HANDSHAKE_PADDING].offset, ==, 0);
    g_assert_cmpuint(field[HANDSHAKE_PADDING].length, ==, hello ? 11 : 7);
    g_assert_cmpuint(field[HANDSHAKE_FOOTER].offset, ==, handshake->total - TQ_FOOTER_SIZE);
    g_assert_cmpmem(message + field[HANDSHAKE_FOOTER].offset, field[HANDSHAKE_FOOTER].length,
                    hello ? TQ_FOOTER_SERVER : TQ_FOOTER_CLIENT, TQ_FOOTER_SIZE);
    if (hello) {
        g_assert_cmpuint(field[HANDSHAKE_SERVER_IV].length, ==, CFB64_BLOCK);
        g_assert_cmpuint(field[HANDSHAKE_CLIENT_IV].length, ==, CFB64_BLOCK);
        g_assert_cmpmem(message + field[HANDSHAKE_P].offset, 4, "E7A6", 4);
        g_assert_cmpmem(message + field[HANDSHAKE_G].offset, field[HANDSHAKE_G].length, "05", 2);
    } else {
        g_assert_cmpuint(field[HANDSHAKE_P].length, ==, 0);
    }
}

static void check_message(char **fields)
{
    handshake_kind_t kind = strcmp(fields[0], "hello") == 0 ? HANDSHAKE_HELLO : HANDSHAKE_REPLY;
    GBytes *bytes = bytes_from_hex(fields[1]);
    size_t size = g_bytes_get_size(bytes);
    handshake_t handshake;

    g_assert_cmpint(parse(kind, bytes_data(bytes), size, &handshake), ==, HANDSHAKE_COMPLETE);
    g_assert_cmpuint(handshake.field[HANDSHAKE_JUNK].length, ==, strtoul(fields[2], NULL, 10));
    g_assert_cmpuint(handshake.field[HANDSHAKE_PUBLIC_KEY].length, ==,
                     strtoul(fields[3], NULL, 10));
    check_fields(&handshake, bytes_data(bytes));
    check_prefixes(kind, bytes_data(bytes), size);

    /* It is not the other message. */
    handshake_kind_t other = kind == HANDSHAKE_HELLO ? HANDSHAKE_REPLY : HANDSHAKE_HELLO;
    g_assert_cmpint(parse(other, bytes_data(bytes), size, &handshake), ==, HANDSHAKE_INVALID);
    g_assert_nonnull(handshake.reason);
    g_bytes_unref(bytes);
}

static void test_messages(void)
{
    vectors_run("handshakes.txt", check_message);
}

static void test_lengths(void)
{
    static const size_t junk[] = {0, 1, 9, 13, 18, 36, 255, 2000};
    static const size_t keys[] = {1, 63, 125, 126, 127, 128, 256, 1024};

    for (size_t i = 0; i < G_N_ELEMENTS(junk); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) {
            for (handshake_kind_t kind = HANDSHAKE_HELLO; kind <= HANDSHAKE_REPLY; kind++) {
                handshake_t handshake;
                GByteArray *message = build(kind, junk[i], MAX(keys[k], 16), keys[k]);
                g_assert_cmpint(parse(kind, message->data, message->len, &handshake), ==,
                                HANDSHAKE_COMPLETE);
                g_assert_cmpuint(handshake.field[HANDSHAKE_JUNK].length, ==, junk[i]);
                g_assert_cmpuint(handshake.field[HANDSHAKE_PUBLIC_KEY].length, ==, keys[k]);
                check_prefixes(kind, message->data, message->len);
                g_byte_array_unref(message);
            }
        }
    }
}

/* Every length set to every kind of wrong value, at every amount of data: never read beyond. */
static void test_hostile_lengths(void)
{
    static const uint32_t values[] = {0,          1,          7,          9,
                                      0x7F,       0xFF,       0x1000,     HANDSHAKE_MAX,
                                      0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF};
    static const size_t counts[] = {11, 15, 31, 43, 55, 187, 193}; /* of build(hello, 12, 128) */

    for (size_t c = 0; c < G_N_ELEMENTS(counts); c++) {
        for (size_t v = 0; v < G_N_ELEMENTS(values); v++) {
            handshake_t handshake;
            GByteArray *message = build(HANDSHAKE_HELLO, 12, 128, 128);
            uint32_t value = GUINT32_TO_LE(values[v]);
            memcpy(message->data + counts[c], &value, sizeof value);
            for (size_t length = 0; length <= message->len; length++)
                parse(HANDSHAKE_HELLO, message->data, length, &handshake);
            g_assert_cmpint(handshake.status, !=, HANDSHAKE_COMPLETE);
            g_byte_array_unref(message);
        }
    }
}

static void check_invalid(GByteArray *message, handshake_kind_t kind, const char *reason)
{
    handshake_t handshake;
    g_assert_cmpint(parse(kind, message->data, message->len, &handshake), ==, HANDSHAKE_INVALID);
    g_assert_cmpstr(handshake.reason, ==, reason);
    g_byte_array_unref(message);
}

static void test_reasons(void)
{
    GByteArray *message = build(HANDSHAKE_HELLO, 12, 128, 128);
    memcpy(message->data + 15, "\xff\xff\xff\x7f", 4); /* junk of 2 GiB */
    check_invalid(message, HANDSHAKE_HELLO, "a field is longer than the message");

    message = build(HANDSHAKE_HELLO, 12, 128, 128);
    memcpy(message->data + 11, "\xff\xff\xff\xff", 4);
    check_invalid(message, HANDSHAKE_HELLO, "the length is too large");

    message = build(HANDSHAKE_REPLY, 12, 0, 128);
    memcpy(message->data + 7, "\0\0\0\0", 4);
    check_invalid(message, HANDSHAKE_REPLY, "the length is too small");

    message = build(HANDSHAKE_HELLO, 12, 128, 128);
    message->data[60] = 'x';
    check_invalid(message, HANDSHAKE_HELLO, "a number is not hexadecimal text");

    message = build(HANDSHAKE_HELLO, 12, 128, 128);
    message->data[31] = 9;
    check_invalid(message, HANDSHAKE_HELLO, "an IV is not 8 bytes");

    check_invalid(build(HANDSHAKE_HELLO, 12, 0, 128), HANDSHAKE_HELLO, "a number is empty");

    message = build(HANDSHAKE_HELLO, 12, 128, 128);
    message->data[message->len - 1] ^= 1;
    check_invalid(message, HANDSHAKE_HELLO, "the footer is wrong");

    message = build(HANDSHAKE_REPLY, 12, 0, 128);
    message->data[7]++;
    g_byte_array_append(message, (const uint8_t *)"t", 1);
    check_invalid(message, HANDSHAKE_REPLY, "the length does not fit the fields");
}

/* A count that takes the end of a C string in. */
static void test_terminated_number(void)
{
    handshake_t handshake;
    GByteArray *message = build(HANDSHAKE_REPLY, 3, 0, 129);
    size_t last = message->len - TQ_FOOTER_SIZE - 1;

    message->data[last] = 0;
    g_assert_cmpint(parse(HANDSHAKE_REPLY, message->data, message->len, &handshake), ==,
                    HANDSHAKE_COMPLETE);
    message->data[last - 3] = 0;
    check_invalid(message, HANDSHAKE_REPLY, "a number is not hexadecimal text");
}

static void test_noise(void)
{
    GRand *random = g_rand_new_with_seed(5018);
    uint8_t noise[600];
    handshake_t handshake;

    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof noise; i += 4) {
            uint32_t word = g_rand_int(random);
            memcpy(noise + i, &word, 4);
        }
        handshake_kind_t kind = round % 2 ? HANDSHAKE_HELLO : HANDSHAKE_REPLY;
        parse(kind, noise, 1 + (size_t)round % sizeof noise, &handshake);
        g_assert_cmpint(handshake.status, !=, HANDSHAKE_COMPLETE);
        g_assert_cmpuint(handshake.checks, <, 2);
    }
    g_rand_free(random);
}

/*
 * Initial keys
 */

static void check_key(handshake_keys_t *keys, int algorithm, const char *text, bool from_user)
{
    GByteArray *hello = build(HANDSHAKE_HELLO, 12, 128, 126);
    handshake_t handshake;

    encipher(algorithm, text, hello->data, hello->len);
    for (size_t length = 19; length <= hello->len; length++) {
        const handshake_key_t *key = handshake_keys_find(keys, hello->data, length, &handshake);
        g_assert_nonnull(key);
        g_assert_cmpstr(key->name, ==, text);
        g_assert_cmpint(key->from_user, ==, from_user);
        g_assert_cmpint(cfb64_algorithm(key->cipher), ==,
                        algorithm == GCRY_CIPHER_BLOWFISH ? CFB64_BLOWFISH : CFB64_CAST5);
        g_assert_cmpint(handshake.status, ==,
                        length < hello->len ? HANDSHAKE_INCOMPLETE : HANDSHAKE_COMPLETE);
    }
    for (size_t length = 0; length < 15; length++) {
        g_assert_null(handshake_keys_find(keys, hello->data, length, &handshake));
        g_assert_cmpint(handshake.status, ==, HANDSHAKE_INCOMPLETE);
        g_assert_cmpuint(handshake.needed, ==, 15);
    }
    g_byte_array_unref(hello);
}

static void test_keys(void)
{
    static const char *const known[] = {"DR654dt34trg4UI6", "BC234xs45nme7HU9", "C238xs65pjy7HU9Q",
                                        "R3Xx97ra5j8D6uZz"};
    const char *of_user = "a private server";
    handshake_keys_t *keys = handshake_keys_new();
    char *error = NULL;

    g_assert_true(handshake_keys_add(keys, (const uint8_t *)of_user, strlen(of_user), &error));
    g_assert_true(handshake_keys_add(keys, (const uint8_t *)"short", 5, &error));
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        check_key(keys, GCRY_CIPHER_BLOWFISH, known[i], false);
        check_key(keys, GCRY_CIPHER_CAST5, known[i], false);
    }
    check_key(keys, GCRY_CIPHER_BLOWFISH, "short", true);

    char *text = handshake_keys_describe(keys);
    /* The user's first, and each once, whatever ciphers it was tried with. */
    const char *first_known = strstr(text, "DR654dt34trg4UI6");
    g_assert_nonnull(strstr(text, "short"));
    g_assert_nonnull(first_known);
    g_assert_null(strstr(first_known, "short"));
    g_assert_null(strstr(first_known + 1, "DR654dt34trg4UI6"));
    g_free(text);

    uint8_t long_key[80] = {1};
    g_assert_true(handshake_keys_add(keys, long_key, 57, &error));
    g_assert_false(handshake_keys_add(keys, long_key, 73, &error));
    g_assert_nonnull(strstr(error, "73"));
    g_clear_pointer(&error, g_free);
    g_assert_false(handshake_keys_add(keys, long_key, 0, &error));
    g_assert_nonnull(error);
    g_free(error);
    handshake_keys_free(keys);
    handshake_keys_free(NULL);
}

static void test_no_key(void)
{
    GByteArray *hello = build(HANDSHAKE_HELLO, 12, 128, 128);
    handshake_keys_t *keys = handshake_keys_new();
    handshake_t handshake;

    encipher(GCRY_CIPHER_BLOWFISH, "nobody knows it", hello->data, hello->len);
    g_assert_null(handshake_keys_find(keys, hello->data, hello->len, &handshake));
    g_assert_cmpint(handshake.status, ==, HANDSHAKE_INVALID);
    g_assert_nonnull(handshake.reason);
    handshake_keys_free(keys);
    g_byte_array_unref(hello);
}

/* A cipher lives on with whoever refers to it. */
static void test_key_lifetime(void)
{
    GByteArray *hello = build(HANDSHAKE_HELLO, 12, 128, 128);
    handshake_keys_t *keys = handshake_keys_new();
    handshake_t handshake;

    encipher(GCRY_CIPHER_CAST5, "BC234xs45nme7HU9", hello->data, hello->len);
    cfb64_t *cipher =
        cfb64_ref(handshake_keys_find(keys, hello->data, hello->len, &handshake)->cipher);
    handshake_keys_free(keys);
    g_assert_cmpint(cfb64_algorithm(cipher), ==, CFB64_CAST5);
    cfb64_unref(cipher);
    g_byte_array_unref(hello);
}

/*
 * The reply, with something before it
 */

static void check_reply(size_t dummy, bool restarts, size_t after)
{
    const char *key = "DR654dt34trg4UI6";
    cfb64_t *cipher = cfb64_new(CFB64_BLOWFISH, (const uint8_t *)key, strlen(key), NULL);
    GByteArray *reply = build(HANDSHAKE_REPLY, 9, 0, 128);
    size_t size = reply->len;
    uint8_t *stream = g_malloc(dummy + size + after);
    handshake_reply_t found;

    fill_pattern(stream, dummy + size + after);
    memcpy(stream + dummy, reply->data, size);
    if (restarts)
        encipher(GCRY_CIPHER_BLOWFISH, key, stream + dummy, size);
    else
        encipher(GCRY_CIPHER_BLOWFISH, key, stream, dummy + size);

    g_assert_cmpint(handshake_find_reply(cipher, stream, dummy + size + after, &found), ==,
                    HANDSHAKE_COMPLETE);
    g_assert_cmpuint(found.start, ==, dummy);
    g_assert_cmpuint(found.handshake.total, ==, size);
    if (dummy > 0)
        g_assert_cmpint(found.restarts, ==, restarts);
    for (size_t length = 0; length < dummy + size; length++)
        g_assert_cmpint(handshake_find_reply(cipher, stream, length, &found), ==,
                        HANDSHAKE_INCOMPLETE);

    g_free(stream);
    g_byte_array_unref(reply);
    cfb64_unref(cipher);
}

static void test_reply(void)
{
    check_reply(0, true, 0);
    check_reply(0, true, 36);
    for (size_t dummy = 1; dummy <= HANDSHAKE_DUMMY_MAX; dummy++) {
        check_reply(dummy, true, dummy % 3 * 20);
        check_reply(dummy, false, dummy % 5 * 9);
    }
}

static void test_no_reply(void)
{
    const char *key = "DR654dt34trg4UI6";
    cfb64_t *cipher = cfb64_new(CFB64_BLOWFISH, (const uint8_t *)key, strlen(key), NULL);
    uint8_t stream[500];
    handshake_reply_t found;

    fill_pattern(stream, sizeof stream);
    g_assert_cmpint(handshake_find_reply(cipher, stream, 36, &found), ==, HANDSHAKE_INCOMPLETE);
    g_assert_cmpint(handshake_find_reply(cipher, stream, sizeof stream, &found), ==,
                    HANDSHAKE_INVALID);
    g_assert_nonnull(found.handshake.reason);
    cfb64_unref(cipher);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/handshake/messages", test_messages);
    g_test_add_func("/handshake/lengths", test_lengths);
    g_test_add_func("/handshake/hostile-lengths", test_hostile_lengths);
    g_test_add_func("/handshake/reasons", test_reasons);
    g_test_add_func("/handshake/terminated-number", test_terminated_number);
    g_test_add_func("/handshake/noise", test_noise);
    g_test_add_func("/handshake/keys", test_keys);
    g_test_add_func("/handshake/no-key", test_no_key);
    g_test_add_func("/handshake/key-lifetime", test_key_lifetime);
    g_test_add_func("/handshake/reply", test_reply);
    g_test_add_func("/handshake/no-reply", test_no_reply);
    return g_test_run();
}
