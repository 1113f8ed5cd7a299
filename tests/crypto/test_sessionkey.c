/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sessionkey.h"

#include <string.h>

#include "handshake.h"
#include "vectors.h"

static sessionkey_hex_t hex(const char *digits)
{
    return (sessionkey_hex_t){digits, strlen(digits)};
}

/*
 * Diffie-Hellman
 */

static void check_side(const sessionkey_exchange_t *exchange, bool of_server, const char *exponent,
                       const char *expected)
{
    if (strcmp(exponent, "-") == 0)
        return;
    char *even = g_strconcat(strlen(exponent) % 2 ? "0" : "", exponent, NULL);
    GBytes *bytes = bytes_from_hex(even);
    GBytes *wanted = bytes_from_hex(expected);
    const uint8_t *digits = bytes_data(wanted);
    size_t length = g_bytes_get_size(wanted);
    sessionkey_secret_t secret;
    char *error = NULL;

    for (; digits[0] == 0; length--)
        digits++;
    bool ok = sessionkey_compute_secret(exchange, of_server, bytes_data(bytes),
                                        g_bytes_get_size(bytes), &secret, &error);
    g_assert_cmpstr(error, ==, NULL);
    g_assert_true(ok);
    g_assert_cmpmem(secret.bytes, secret.length, digits, length);

    /* It is not the other side's. */
    g_assert_false(sessionkey_compute_secret(exchange, !of_server, bytes_data(bytes),
                                             g_bytes_get_size(bytes), &secret, &error));
    g_assert_nonnull(strstr(error, "does not belong"));
    g_free(error);
    g_bytes_unref(wanted);
    g_bytes_unref(bytes);
    g_free(even);
}

static void check_exchange(char **fields)
{
    sessionkey_exchange_t exchange = {hex(fields[0]), hex(fields[1]), hex(fields[4]),
                                      hex(fields[5])};
    char *secret = g_strconcat(strlen(fields[6]) % 2 ? "0" : "", fields[6], NULL);
    check_side(&exchange, true, fields[2], secret);
    check_side(&exchange, false, fields[3], secret);
    g_free(secret);
}

static void test_exchanges(void)
{
    vectors_run("exchanges.txt", check_exchange);
    vectors_run("openssl_exchanges.txt", check_exchange);
}

/* p = 23, g = 5: exponents 6 and 15 give public keys 8 and 19, and the secret 2. */
static void check_small(sessionkey_exchange_t exchange, const uint8_t *exponent, size_t length,
                        const char *message)
{
    sessionkey_secret_t secret;
    char *error = NULL;
    bool ok = sessionkey_compute_secret(&exchange, true, exponent, length, &secret, &error);

    if (message) {
        g_assert_false(ok);
        g_assert_nonnull(strstr(error, message));
        g_assert_false(sessionkey_compute_secret(&exchange, true, exponent, length, &secret, NULL));
    } else {
        g_assert_cmpstr(error, ==, NULL);
        g_assert_true(ok);
        g_assert_cmpmem(secret.bytes, secret.length, "\x02", 1);
    }
    g_free(error);
}

static void test_numbers(void)
{
    static const uint8_t six[] = {0, 0, 6}, zero[] = {0}, seven[] = {7};
    const sessionkey_exchange_t good = {hex("17"), hex("05"), hex("8"), hex("0013")};
    char *huge = g_strnfill(2 * SESSIONKEY_NUMBER_MAX + 1, 'F');
    uint8_t long_exponent[SESSIONKEY_NUMBER_MAX + 1] = {1};

    check_small(good, six, sizeof six, NULL);
    check_small(good, zero, sizeof zero, "exponent is zero");
    check_small(good, zero, 0, "exponent is zero");
    check_small(good, seven, sizeof seven, "does not belong to the server's public key");
    check_small(good, long_exponent, sizeof long_exponent, "exponent is longer than 512 bytes");

    sessionkey_exchange_t bad = good;
    bad.p = (sessionkey_hex_t){"17\0\0", 4}; /* ends of C strings do not count */
    check_small(bad, six, sizeof six, NULL);
    static const struct {
        const char *p, *g, *message;
    } cases[] = {
        {"0", "05", "P of the hello is zero"},
        {"", "05", "P of the hello is zero"},
        {"00000000", "05", "P of the hello is zero"},
        {"16", "05", "P of the hello is even"},
        {"1", "05", "P of the hello is 1"},
        {"xyz", "05", "P of the hello is not a hexadecimal number"},
        {"-17", "05", "P of the hello is not a hexadecimal number"},
        {"17", "0", "G of the hello is not between"},
        {"17", "1", "G of the hello is not between"},
        {"17", "17", "G of the hello is not between"},
        {"17", "g", "G of the hello is not between"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bad = good;
        bad.p = hex(cases[i].p);
        bad.g = hex(cases[i].g);
        check_small(bad, six, sizeof six, cases[i].message);
    }
    bad = good;
    bad.p = hex(huge);
    check_small(bad, six, sizeof six, "P of the hello is not a hexadecimal number of at most");
    bad = good;
    bad.client_public = hex("nonsense");
    check_small(bad, six, sizeof six, "a public key is not");
    bad.client_public = hex("0");
    check_small(bad, six, sizeof six, "the shared secret is zero");
    bad.client_public = hex("17");
    check_small(bad, six, sizeof six, "the shared secret is zero");
    g_free(huge);
}

static void test_set_secret(void)
{
    sessionkey_secret_t secret;
    uint8_t bytes[SESSIONKEY_NUMBER_MAX + 2] = {0};
    char *error = NULL;

    g_assert_false(sessionkey_set_secret(&secret, bytes, 5, &error));
    g_assert_nonnull(strstr(error, "zero"));
    g_clear_pointer(&error, g_free);
    g_assert_false(sessionkey_set_secret(&secret, bytes, 0, NULL));

    bytes[2] = 1;
    g_assert_true(sessionkey_set_secret(&secret, bytes, sizeof bytes, NULL));
    g_assert_cmpuint(secret.length, ==, SESSIONKEY_NUMBER_MAX);
    bytes[1] = 1;
    g_assert_false(sessionkey_set_secret(&secret, bytes, sizeof bytes, &error));
    g_assert_nonnull(strstr(error, "longer"));
    g_free(error);
}

/*
 * Keys
 */

static sessionkey_derivation_t find_derivation(const char *cipher)
{
    static const char *const names[] = {[SESSIONKEY_RAW] = "blowfish",
                                        [SESSIONKEY_CAST5] = "cast5",
                                        [SESSIONKEY_CAST5_MD5] = "cast5-md5",
                                        [SESSIONKEY_MD5] = "blowfish-md5"};
    for (sessionkey_derivation_t d = SESSIONKEY_RAW; d < SESSIONKEY_DERIVATIONS; d++) {
        if (strcmp(names[d], cipher) == 0)
            return d;
    }
    g_assert_not_reached();
}

typedef struct {
    sessionkey_derivation_t derivation;
    sessionkey_secret_t secret;
    GBytes *iv[2], *stream[2]; /* of the server, of the client */
} session_t;

/* The first message and its footer. */
static size_t first_size(const session_t *session, int side)
{
    uint8_t head[2];
    cfb64_t *cipher = sessionkey_derive(&session->secret, session->derivation);
    cfb64_decrypt(cipher, bytes_data(session->iv[side]), 0, NULL, 0,
                  bytes_data(session->stream[side]), head, sizeof head);
    cfb64_unref(cipher);
    return (size_t)(head[0] | head[1] << 8) + TQ_FOOTER_SIZE;
}

static sessionkey_verdict_t try_side(const session_t *session, int side, bool swap, size_t length,
                                     sessionkey_match_t *match)
{
    return sessionkey_try(&session->secret, side == 0, bytes_data(session->iv[swap ? 1 : 0]),
                          bytes_data(session->iv[swap ? 0 : 1]), bytes_data(session->stream[side]),
                          length, match);
}

static void check_match(const session_t *session, const sessionkey_match_t *match)
{
    g_assert_cmpint(match->derivation, ==, session->derivation);
    cfb64_unref(match->cipher);
}

static void check_side_of_session(const session_t *session, int side)
{
    size_t size = g_bytes_get_size(session->stream[side]);
    size_t first = first_size(session, side);
    sessionkey_match_t match;

    for (int swap = 0; swap <= 1; swap++) {
        for (size_t length = 0; length < first; length += length < 10 ? 1 : 7)
            g_assert_cmpint(try_side(session, side, swap, length, &match), ==,
                            SESSIONKEY_UNDECIDED);
        g_assert_cmpint(try_side(session, side, swap, first, &match), ==, SESSIONKEY_RIGHT);
        g_assert_cmpint(match.ivs_swapped, ==, swap);
        check_match(session, &match);
        g_assert_cmpint(try_side(session, side, swap, size, &match), ==, SESSIONKEY_RIGHT);
        check_match(session, &match);
    }

    for (size_t start = 0; start < 9; start++) {
        g_assert_cmpint(sessionkey_try_middle(&session->secret, side == 0,
                                              bytes_data(session->stream[side]) + start,
                                              size - start, &match),
                        ==, SESSIONKEY_RIGHT);
        g_assert_cmpuint(match.alignment, ==, start % CFB64_BLOCK);
        check_match(session, &match);
    }
    /* the other direction's footers are not there */
    g_assert_cmpint(sessionkey_try_middle(&session->secret, side != 0,
                                          bytes_data(session->stream[side]), size, &match),
                    ==, SESSIONKEY_UNDECIDED);
}

static void check_wrong_secret(session_t session)
{
    sessionkey_match_t match;
    session.secret.bytes[0] ^= 0x40;
    size_t size = MIN(g_bytes_get_size(session.stream[0]), 1200);
    g_assert_cmpint(try_side(&session, 0, false, size, &match), !=, SESSIONKEY_RIGHT);
    g_assert_cmpint(
        sessionkey_try_middle(&session.secret, true, bytes_data(session.stream[0]), size, &match),
        ==, SESSIONKEY_UNDECIDED);
}

static void check_session(char **fields)
{
    GBytes *secret = bytes_from_hex(fields[1]);
    session_t session = {.derivation = find_derivation(fields[0]),
                         .iv = {bytes_from_hex(fields[2]), bytes_from_hex(fields[3])},
                         .stream = {bytes_from_hex(fields[4]), bytes_from_hex(fields[5])}};

    g_assert_true(
        sessionkey_set_secret(&session.secret, bytes_data(secret), g_bytes_get_size(secret), NULL));
    check_side_of_session(&session, 0);
    check_side_of_session(&session, 1);
    check_wrong_secret(session);

    for (int i = 0; i < 2; i++) {
        g_bytes_unref(session.iv[i]);
        g_bytes_unref(session.stream[i]);
    }
    g_bytes_unref(secret);
}

static void test_sessions(void)
{
    vectors_run("openssl_sessions.txt", check_session);
}

/* With enough data a wrong secret is always found out. */
static void test_wrong_secret(void)
{
    uint8_t stream[2048], iv[CFB64_BLOCK] = {0};
    sessionkey_match_t match;

    fill_pattern(stream, sizeof stream);
    for (uint8_t i = 1; i < 200; i++) {
        sessionkey_secret_t secret = {.bytes = {i, i, i}, .length = 3};
        g_assert_cmpint(sessionkey_try(&secret, i % 2, iv, iv, stream, sizeof stream, &match), ==,
                        SESSIONKEY_WRONG);
    }
}

/*
 * A whole session: hello, reply with a message behind it, messages.
 */

static struct {
    GBytes *ciphertext[4], *plaintext[4];
    unsigned count;
} stream;

static void keep_segment(char **fields)
{
    stream.ciphertext[stream.count] = bytes_from_hex(fields[1]);
    stream.plaintext[stream.count++] = bytes_from_hex(fields[2]);
}

static sessionkey_hex_t field_text(GBytes *message, const handshake_t *handshake,
                                   handshake_field_id_t id)
{
    return (sessionkey_hex_t){(const char *)bytes_data(message) + handshake->field[id].offset,
                              handshake->field[id].length};
}

static void test_stream(void)
{
    vectors_run("stream_5065.txt", keep_segment);

    handshake_keys_t *keys = handshake_keys_new();
    handshake_t hello;
    handshake_reply_t reply;
    const handshake_key_t *key = handshake_keys_find(
        keys, bytes_data(stream.ciphertext[0]), g_bytes_get_size(stream.ciphertext[0]), &hello);
    g_assert_nonnull(key);
    g_assert_cmpint(hello.status, ==, HANDSHAKE_COMPLETE);
    size_t size = g_bytes_get_size(stream.ciphertext[1]);
    g_assert_cmpint(
        handshake_find_reply(key->cipher, bytes_data(stream.ciphertext[1]), size, &reply), ==,
        HANDSHAKE_COMPLETE);
    g_assert_cmpuint(reply.handshake.total, ==, 164);

    sessionkey_exchange_t exchange = {
        field_text(stream.plaintext[0], &hello, HANDSHAKE_P),
        field_text(stream.plaintext[0], &hello, HANDSHAKE_G),
        field_text(stream.plaintext[0], &hello, HANDSHAKE_PUBLIC_KEY),
        field_text(stream.plaintext[1], &reply.handshake, HANDSHAKE_PUBLIC_KEY)};
    GBytes *exponent =
        bytes_from_hex("aafe7d12da3aad2d3b4957beb8887f02535a858cffbc0d7514ca2a413255a249");
    sessionkey_secret_t secret;
    g_assert_true(sessionkey_compute_secret(&exchange, true, bytes_data(exponent),
                                            g_bytes_get_size(exponent), &secret, NULL));

    const uint8_t *ivs = bytes_data(stream.plaintext[0]);
    const uint8_t *server_iv = ivs + hello.field[HANDSHAKE_SERVER_IV].offset;
    const uint8_t *client_iv = ivs + hello.field[HANDSHAKE_CLIENT_IV].offset;
    sessionkey_match_t match;
    g_assert_cmpint(sessionkey_try(&secret, false, server_iv, client_iv,
                                   bytes_data(stream.ciphertext[1]) + reply.handshake.total,
                                   size - reply.handshake.total, &match),
                    ==, SESSIONKEY_RIGHT);
    g_assert_cmpint(match.derivation, ==, SESSIONKEY_RAW);
    g_assert_false(match.ivs_swapped);

    /* The server's messages. */
    size = g_bytes_get_size(stream.ciphertext[2]);
    uint8_t *plain = g_malloc(size);
    cfb64_decrypt(match.cipher, server_iv, 0, NULL, 0, bytes_data(stream.ciphertext[2]), plain,
                  size);
    g_assert_cmpmem(plain, size, bytes_data(stream.plaintext[2]), size);
    g_free(plain);

    /* The client's stream goes on where the message behind the reply ended: at 36. */
    size = g_bytes_get_size(stream.ciphertext[3]);
    plain = g_malloc(size);
    const uint8_t *before =
        bytes_data(stream.ciphertext[1]) + g_bytes_get_size(stream.ciphertext[1]);
    cfb64_decrypt(match.cipher, client_iv, 36, before - CFB64_HISTORY, CFB64_HISTORY,
                  bytes_data(stream.ciphertext[3]), plain, size);
    g_assert_cmpmem(plain, size, bytes_data(stream.plaintext[3]), size);
    g_free(plain);

    cfb64_unref(match.cipher);
    g_bytes_unref(exponent);
    handshake_keys_free(keys);
    for (unsigned i = 0; i < stream.count; i++) {
        g_bytes_unref(stream.ciphertext[i]);
        g_bytes_unref(stream.plaintext[i]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sessionkey/exchanges", test_exchanges);
    g_test_add_func("/sessionkey/numbers", test_numbers);
    g_test_add_func("/sessionkey/set-secret", test_set_secret);
    g_test_add_func("/sessionkey/sessions", test_sessions);
    g_test_add_func("/sessionkey/wrong-secret", test_wrong_secret);
    g_test_add_func("/sessionkey/stream", test_stream);
    return g_test_run();
}
