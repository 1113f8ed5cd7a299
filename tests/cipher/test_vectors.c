/* SPDX-License-Identifier: MIT */
/*
 * The vectors of tests/data/vectors.json, on which independent implementations agree; its notes
 * explain the operations.
 *
 * usage: test_vectors [--expect BACKEND | BACKEND]
 *   --expect BACKEND  first check that BACKEND is what is chosen on this processor, then use it
 *   BACKEND           use this one alone; all that run if there is no argument
 */

#include "check.h"

#include <string.h>

#include "sha256.h"

#define LENGTH_MAX 70000

typedef struct vector {
    const char *op;
    const char *key; /* of a client's: "base" or "alternate" */
    uint32_t P, G;
    uint32_t A, B; /* token and account id */
    size_t length;
    size_t counter;
    size_t bytes_before;
    const char *K1, *K2;       /* in hexadecimal, as what follows */
    const char *output;        /* of short ones */
    const char *output_sha256; /* of long ones, */
    const char *output_first16;
    const char *output_last16;
} vector;

static const vector vectors[] = {
#include "vectors.inc"
};
#define N_VECTORS (sizeof vectors / sizeof *vectors)

static unsigned nibble(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static void check_hex(const char *label, const vector *v, const char *hex, const uint8_t *bytes,
                      size_t len)
{
    CHECK(strlen(hex) == 2 * len, "%s: vector %d is ill-formed", label, (int)(v - vectors));
    for (size_t i = 0; i < len; i++) {
        unsigned expected = nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]);
        CHECK(bytes[i] == expected,
              "%s: vector %d (%s, %zu bytes at %zu): byte %zu is %02x, not %02x", label,
              (int)(v - vectors), v->op, v->length, v->counter, i, bytes[i], expected);
    }
}

static void check_output(const char *label, const vector *v, const uint8_t *bytes)
{
    uint8_t digest[32];

    if (v->output) {
        check_hex(label, v, v->output, bytes, v->length);
        return;
    }
    sha256(digest, bytes, v->length);
    check_hex(label, v, v->output_first16, bytes, 16);
    check_hex(label, v, v->output_last16, bytes + v->length - 16, 16);
    check_hex(label, v, v->output_sha256, digest, sizeof digest);
}

static uint8_t input[LENGTH_MAX];

static void fill_input(void)
{
    for (size_t i = 0; i < LENGTH_MAX; i++)
        input[i] = (uint8_t)(i * 31 + (i >> 8) * 17 + 11);
}

static bool starts_with(const char *string, const char *start)
{
    return strncmp(string, start, strlen(start)) == 0;
}

static bool is_client(const vector *v)
{
    return starts_with(v->op, "client_");
}

/* enc_after_alt is no such: servers encrypt with the base key for ever */
static bool is_alternate(const vector *v)
{
    return is_client(v) ? strcmp(v->key, "alternate") == 0 : strcmp(v->op, "dec_alt") == 0;
}

static void check_stateless(const char *label, const vector *v)
{
    static uint8_t out[LENGTH_MAX];
    tq_key key;
    tq_tables tables;

    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    if (is_alternate(v))
        tq_key_alternate(&key, &key, v->A, v->B);
    tq_tables_prepare(&tables, &key, is_client(v) ? TQ_ROLE_CLIENT : TQ_ROLE_SERVER);
    tq_crypt(&tables, (uint16_t)v->counter, out, input, v->length);
    check_output(label, v, out);
}

static bool encrypts(const vector *v)
{
    return starts_with(v->op, "enc_") || strcmp(v->op, "client_encrypt") == 0;
}

static void check_stateful(const char *label, const vector *v)
{
    static uint8_t bytes[LENGTH_MAX];
    tq_cipher cipher;
    void (*crypt)(tq_cipher *, uint8_t *, const uint8_t *, size_t) =
        encrypts(v) ? tq_cipher_encrypt : tq_cipher_decrypt;

    tq_cipher_init(&cipher, is_client(v) ? TQ_ROLE_CLIENT : TQ_ROLE_SERVER);
    if (is_alternate(v) || strcmp(v->op, "enc_after_alt") == 0)
        tq_cipher_generate_alternate_key(&cipher, v->A, v->B);
    crypt(&cipher, bytes, input, v->counter); /* only to advance the counter */
    crypt(&cipher, bytes, input, v->length);
    check_output(label, v, bytes);
}

/* The counter of client-to-server bytes runs on over a change of key. */
static void check_reset_c2s(const char *label, const vector *v)
{
    uint8_t bytes[256];
    tq_cipher cipher;

    tq_cipher_init(&cipher, TQ_ROLE_SERVER);
    tq_cipher_decrypt(&cipher, bytes, input, v->bytes_before);
    tq_cipher_encrypt(&cipher, bytes, input, 100);
    tq_cipher_generate_alternate_key(&cipher, v->A, v->B);
    CHECK(cipher.encrypt_counter == 0, "%s: %u", label, cipher.encrypt_counter);
    tq_cipher_decrypt(&cipher, bytes, input, v->length);
    check_output(label, v, bytes);
}

static void check_key(const char *label, const vector *v)
{
    bool base = strcmp(v->op, "basekey") == 0;
    tq_key key;

    tq_key_generate(&key, base ? v->P : TQ_CONQUER_P, base ? v->G : TQ_CONQUER_G);
    if (!base)
        tq_key_alternate(&key, &key, v->A, v->B);
    check_hex(label, v, v->K1, key.k1, sizeof key.k1);
    check_hex(label, v, v->K2, key.k2, sizeof key.k2);
}

static void check_vector(const char *label, const vector *v)
{
    if (v->K1) {
        check_key(label, v);
    } else if (strcmp(v->op, "reset_c2s") == 0) {
        check_reset_c2s(label, v);
    } else {
        check_stateless(label, v);
        /* a client's object never decrypts with the alternate key, as no server encrypts with it */
        if (encrypts(v) || !is_client(v) || !is_alternate(v))
            check_stateful(label, v);
    }
}

static void test_backend(const char *label)
{
    for (size_t i = 0; i < N_VECTORS; i++)
        check_vector(label, &vectors[i]);
    printf("%s: %zu vectors\n", label, N_VECTORS);
}

int main(int argc, char **argv)
{
    const char *backend = argc > 1 ? argv[argc - 1] : NULL;

    fill_input();
    if (argc > 2) {
        CHECK(strcmp(argv[1], "--expect") == 0, "unknown option %s", argv[1]);
        /* a short call first: what dispatch does on its own at the first one must work */
        check_stateless("auto", &vectors[N_VECTORS - 1]);
        CHECK(strcmp(tq_backend_name(), backend) == 0, "%s was chosen, not %s", tq_backend_name(),
              backend);
    }
    for_each_backend(backend, test_backend);
    return EXIT_SUCCESS;
}
