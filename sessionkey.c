/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sessionkey.h"

#include <string.h>

#include <gcrypt.h>

#include "handshake.h"

#define MD5_SIZE ((size_t)16)
#define MD5_TEXT (2 * MD5_SIZE) /* as hexadecimal digits */

static void set_error(char **error, const char *message)
{
    if (error)
        *error = g_strdup(message);
}

bool sessionkey_set_secret(sessionkey_secret_t *secret, const uint8_t *bytes, size_t length,
                           char **error)
{
    while (length > 0 && bytes[0] == 0) {
        bytes++;
        length--;
    }
    if (length == 0) {
        set_error(error, "the shared secret is zero");
        return false;
    }
    if (length > SESSIONKEY_NUMBER_MAX) {
        set_error(error,
                  "the shared secret is longer than " G_STRINGIFY(SESSIONKEY_NUMBER_MAX) " bytes");
        return false;
    }
    memcpy(secret->bytes, bytes, length);
    secret->length = length;
    return true;
}

/*
 * Diffie-Hellman
 */

/* Reads hexadecimal text of any even or odd number of digits. */
static gcry_mpi_t scan_hex(sessionkey_hex_t hex)
{
    char text[2 * SESSIONKEY_NUMBER_MAX + 2] = "0"; /* or a first bit that is set would be a sign */
    gcry_mpi_t number = NULL;

    while (hex.length > 0 && hex.digits[hex.length - 1] == '\0')
        hex.length--;
    while (hex.length > 0 && hex.digits[0] == '0') {
        hex.digits++;
        hex.length--;
    }
    if (hex.length > sizeof text - 2)
        return NULL;
    memcpy(text + 1, hex.digits, hex.length);
    if (gcry_mpi_scan(&number, GCRYMPI_FMT_HEX, text, 0, NULL))
        return NULL;
    return number;
}

typedef struct {
    gcry_mpi_t p, g, own_public, other_public, exponent, result;
} numbers_t;

static void scan_numbers(numbers_t *n, const sessionkey_exchange_t *exchange, bool of_server,
                         const uint8_t *exponent, size_t length)
{
    n->p = scan_hex(exchange->p);
    n->g = scan_hex(exchange->g);
    n->own_public = scan_hex(of_server ? exchange->server_public : exchange->client_public);
    n->other_public = scan_hex(of_server ? exchange->client_public : exchange->server_public);
    n->exponent = NULL;
    if (length <= SESSIONKEY_NUMBER_MAX)
        gcry_mpi_scan(&n->exponent, GCRYMPI_FMT_USG, exponent, length, NULL);
    n->result = gcry_mpi_new(0);
}

static void release_numbers(numbers_t *n)
{
    gcry_mpi_release(n->p);
    gcry_mpi_release(n->g);
    gcry_mpi_release(n->own_public);
    gcry_mpi_release(n->other_public);
    gcry_mpi_release(n->exponent);
    gcry_mpi_release(n->result);
}

/* What is wrong with the numbers, or NULL. Libgcrypt aborts on a modulus of zero. */
static const char *check_numbers(const numbers_t *n)
{
    if (!n->p)
        return "P of the hello is not a hexadecimal number of at most " G_STRINGIFY(
            SESSIONKEY_NUMBER_MAX) " bytes";
    if (gcry_mpi_cmp_ui(n->p, 0) == 0)
        return "P of the hello is zero";
    if (!gcry_mpi_test_bit(n->p, 0))
        return "P of the hello is even, so it is not a prime";
    if (gcry_mpi_cmp_ui(n->p, 3) < 0)
        return "P of the hello is 1";
    if (!n->g || gcry_mpi_cmp_ui(n->g, 1) <= 0 || gcry_mpi_cmp(n->g, n->p) >= 0)
        return "G of the hello is not between 2 and P";
    if (!n->own_public || !n->other_public)
        return "a public key is not a hexadecimal number of at most " G_STRINGIFY(
            SESSIONKEY_NUMBER_MAX) " bytes";
    if (!n->exponent)
        return "the private exponent is longer than " G_STRINGIFY(SESSIONKEY_NUMBER_MAX) " bytes";
    if (gcry_mpi_cmp_ui(n->exponent, 0) == 0)
        return "the private exponent is zero";
    return NULL;
}

static const char *compute(numbers_t *n, bool of_server, sessionkey_secret_t *secret)
{
    const char *problem = check_numbers(n);
    if (problem)
        return problem;

    /* public key = G ^ exponent mod P */
    gcry_mpi_powm(n->result, n->g, n->exponent, n->p);
    if (gcry_mpi_cmp(n->result, n->own_public) != 0)
        return of_server ? "the private exponent does not belong to the server's public key"
                         : "the private exponent does not belong to the client's public key";

    gcry_mpi_powm(n->result, n->other_public, n->exponent, n->p);
    if (gcry_mpi_cmp_ui(n->result, 0) == 0)
        return "the shared secret is zero";
    if (gcry_mpi_print(GCRYMPI_FMT_USG, secret->bytes, sizeof secret->bytes, &secret->length,
                       n->result))
        return "the shared secret is too long";
    return NULL;
}

bool sessionkey_compute_secret(const sessionkey_exchange_t *exchange, bool of_server,
                               const uint8_t *exponent, size_t length, sessionkey_secret_t *secret,
                               char **error)
{
    numbers_t n;
    scan_numbers(&n, exchange, of_server, exponent, length);
    const char *problem = compute(&n, of_server, secret);
    release_numbers(&n);

    if (problem)
        set_error(error, problem);
    return !problem;
}

/*
 * Keys
 */

static const char *const derivation_names[SESSIONKEY_DERIVATIONS] = {
    [SESSIONKEY_RAW] = "Blowfish, the secret itself",
    [SESSIONKEY_CAST5] = "CAST5, first 16 bytes of the secret",
    [SESSIONKEY_CAST5_MD5] = "CAST5, MD5 of the secret",
    [SESSIONKEY_MD5] = "Blowfish, MD5 of the secret",
};

const char *sessionkey_derivation_name(sessionkey_derivation_t derivation)
{
    return derivation_names[derivation];
}

static void write_md5(const void *data, size_t length, char text[MD5_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t sum[MD5_SIZE];

    gcry_md_hash_buffer(GCRY_MD_MD5, sum, data, length);
    for (size_t i = 0; i < MD5_SIZE; i++) {
        text[2 * i] = digits[sum[i] >> 4];
        text[2 * i + 1] = digits[sum[i] & 15];
    }
}

/*
 * The client treats the secret as a C string, so a zero byte ends it (servers for 60xx and 62xx):
 *
 *     first = hex(MD5(secret up to its first zero byte))
 *     text  = first hex(MD5(first first))
 */
static void write_md5_text(const sessionkey_secret_t *secret, char text[2 * MD5_TEXT])
{
    const uint8_t *zero = memchr(secret->bytes, 0, secret->length);
    size_t length = zero ? (size_t)(zero - secret->bytes) : secret->length;

    write_md5(secret->bytes, length, text);
    memcpy(text + MD5_TEXT, text, MD5_TEXT);
    write_md5(text, 2 * MD5_TEXT, text + MD5_TEXT);
}

cfb64_t *sessionkey_derive(const sessionkey_secret_t *secret, sessionkey_derivation_t derivation)
{
    uint8_t key[CFB64_BLOWFISH_KEY_MAX] = {0};
    size_t length = MIN(secret->length, sizeof key); /* as OpenSSL's Blowfish cuts it */
    bool cast5 = derivation == SESSIONKEY_CAST5 || derivation == SESSIONKEY_CAST5_MD5;

    if (derivation == SESSIONKEY_CAST5_MD5 || derivation == SESSIONKEY_MD5) {
        length = 2 * MD5_TEXT;
        write_md5_text(secret, (char *)key);
    } else {
        memcpy(key, secret->bytes, length);
    }
    return cfb64_new(cast5 ? CFB64_CAST5 : CFB64_BLOWFISH, key, cast5 ? CFB64_CAST5_KEY : length,
                     NULL);
}

/*
 * Which of them it is
 */

/* Longest first message that is believed, in bytes; the client itself builds none over 1,024. */
#define FIRST_MAX 1024

#define HEADER_SIZE 4

static sessionkey_verdict_t try_iv(const cfb64_t *cipher, const uint8_t *iv, const char *footer,
                                   const uint8_t *ciphertext, size_t length)
{
    uint8_t plaintext[FIRST_MAX + TQ_FOOTER_SIZE];

    length = MIN(length, sizeof plaintext);
    if (length < HEADER_SIZE)
        return SESSIONKEY_UNDECIDED;
    cfb64_decrypt(cipher, iv, 0, NULL, 0, ciphertext, plaintext, length);

    size_t size = plaintext[0] | (size_t)plaintext[1] << 8;
    if (size < HEADER_SIZE || size > FIRST_MAX)
        return SESSIONKEY_WRONG;
    if (size + TQ_FOOTER_SIZE > length)
        return SESSIONKEY_UNDECIDED;
    return memcmp(plaintext + size, footer, TQ_FOOTER_SIZE) == 0 ? SESSIONKEY_RIGHT
                                                                 : SESSIONKEY_WRONG;
}

sessionkey_verdict_t sessionkey_try(const sessionkey_secret_t *secret, bool from_server,
                                    const uint8_t server_iv[CFB64_BLOCK],
                                    const uint8_t client_iv[CFB64_BLOCK], const uint8_t *ciphertext,
                                    size_t length, sessionkey_match_t *match)
{
    const char *footer = from_server ? TQ_FOOTER_SERVER : TQ_FOOTER_CLIENT;
    sessionkey_verdict_t verdict = SESSIONKEY_WRONG;

    for (sessionkey_derivation_t d = SESSIONKEY_RAW; d < SESSIONKEY_DERIVATIONS; d++) {
        cfb64_t *cipher = sessionkey_derive(secret, d);
        if (!cipher)
            continue;
        for (int swapped = 0; swapped <= 1; swapped++) {
            const uint8_t *iv = from_server == !swapped ? server_iv : client_iv;
            sessionkey_verdict_t v = try_iv(cipher, iv, footer, ciphertext, length);
            if (v == SESSIONKEY_RIGHT) {
                *match =
                    (sessionkey_match_t){.derivation = d, .cipher = cipher, .ivs_swapped = swapped};
                return v;
            }
            if (v == SESSIONKEY_UNDECIDED)
                verdict = v;
        }
        cfb64_unref(cipher);
    }
    return verdict;
}

static bool has_footer(const uint8_t *plaintext, size_t length, size_t unknown, void *data)
{
    const char *const *footer = data;

    for (size_t i = unknown; i + TQ_FOOTER_SIZE <= length; i++) {
        if (memcmp(plaintext + i, *footer, TQ_FOOTER_SIZE) == 0)
            return true;
    }
    return false;
}

sessionkey_verdict_t sessionkey_try_middle(const sessionkey_secret_t *secret, bool from_server,
                                           const uint8_t *ciphertext, size_t length,
                                           sessionkey_match_t *match)
{
    uint8_t plaintext[SESSIONKEY_RUN_MAX];
    const char *footer = from_server ? TQ_FOOTER_SERVER : TQ_FOOTER_CLIENT;

    length = MIN(length, sizeof plaintext);

    for (sessionkey_derivation_t d = SESSIONKEY_RAW; d < SESSIONKEY_DERIVATIONS; d++) {
        cfb64_t *cipher = sessionkey_derive(secret, d);
        if (!cipher)
            continue;
        int alignment =
            cfb64_find_alignment(cipher, ciphertext, plaintext, length, has_footer, &footer);
        if (alignment >= 0) {
            *match = (sessionkey_match_t){
                .derivation = d, .cipher = cipher, .alignment = (unsigned)alignment};
            return SESSIONKEY_RIGHT;
        }
        cfb64_unref(cipher);
    }
    return SESSIONKEY_UNDECIDED;
}
