/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cfb64.h"

#include <string.h>

#include <gcrypt.h>

struct cfb64 {
    gcry_cipher_hd_t handle;
    cfb64_algorithm_t algorithm;
    unsigned references;
};

const char *cfb64_algorithm_name(cfb64_algorithm_t algorithm)
{
    return algorithm == CFB64_BLOWFISH ? "Blowfish" : "CAST5";
}

static void set_error(char **error, char *message)
{
    if (error)
        *error = message;
    else
        g_free(message);
}

static bool check_key_length(cfb64_algorithm_t algorithm, size_t length, char **error)
{
    if (length == 0) {
        set_error(error, g_strdup("the key is empty"));
        return false;
    }
    if (algorithm == CFB64_BLOWFISH && length > CFB64_BLOWFISH_KEY_MAX) {
        set_error(error, g_strdup_printf("a Blowfish key has at most %d bytes, this one %zu",
                                         CFB64_BLOWFISH_KEY_MAX, length));
        return false;
    }
    if (algorithm == CFB64_CAST5 && length < CFB64_CAST5_KEY) {
        set_error(error, g_strdup_printf("a CAST5 key has %d bytes, this one %zu", CFB64_CAST5_KEY,
                                         length));
        return false;
    }
    return true;
}

static gcry_error_t open_cipher(gcry_cipher_hd_t *handle, cfb64_algorithm_t algorithm,
                                const uint8_t *key, size_t length)
{
    bool blowfish = algorithm == CFB64_BLOWFISH;
    gcry_error_t err = gcry_cipher_open(handle, blowfish ? GCRY_CIPHER_BLOWFISH : GCRY_CIPHER_CAST5,
                                        GCRY_CIPHER_MODE_CFB, 0);
    if (err)
        return err;

        /* One Blowfish key in some 33,000 has two equal entries in an S-box. Libgcrypt calls it
         * weak and does not use it unless told to; it says so all the same. */
#if GCRYPT_VERSION_NUMBER >= 0x010a00
    gcry_cipher_ctl(*handle, GCRYCTL_SET_ALLOW_WEAK_KEY, NULL, 1);
    const gcry_err_code_t allowed = GPG_ERR_WEAK_KEY;
#else
    const gcry_err_code_t allowed = GPG_ERR_NO_ERROR;
#endif
    err = gcry_cipher_setkey(*handle, key, blowfish ? length : CFB64_CAST5_KEY);
    if (!err || gcry_err_code(err) == allowed)
        return 0;
    gcry_cipher_close(*handle);
    return err;
}

cfb64_t *cfb64_new(cfb64_algorithm_t algorithm, const uint8_t *key, size_t length, char **error)
{
    if (!check_key_length(algorithm, length, error))
        return NULL;

    gcry_cipher_hd_t handle;
    gcry_error_t err = open_cipher(&handle, algorithm, key, length);
    if (err) {
        set_error(error, g_strdup_printf("libgcrypt refuses the %zu-byte %s key: %s", length,
                                         cfb64_algorithm_name(algorithm), gcry_strerror(err)));
        return NULL;
    }

    cfb64_t *cipher = g_new(cfb64_t, 1);
    *cipher = (cfb64_t){.handle = handle, .algorithm = algorithm, .references = 1};
    return cipher;
}

cfb64_t *cfb64_ref(cfb64_t *cipher)
{
    cipher->references++;
    return cipher;
}

void cfb64_unref(cfb64_t *cipher)
{
    if (!cipher || --cipher->references > 0)
        return;
    gcry_cipher_close(cipher->handle);
    g_free(cipher);
}

cfb64_algorithm_t cfb64_algorithm(const cfb64_t *cipher)
{
    return cipher->algorithm;
}

/*
 * Deciphers from any byte of a block on: `feedback` is the ciphertext of the block before, `start`
 * the ciphertext of this block that lies before `in`, which advances libgcrypt to the byte in
 * question. In place deciphering works because CFB reads a byte before it writes it.
 */
static void decipher(const cfb64_t *cipher, const uint8_t *feedback, const uint8_t *start,
                     size_t start_length, const uint8_t *in, uint8_t *out, size_t length)
{
    uint8_t unwanted[CFB64_BLOCK];

    gcry_cipher_setiv(cipher->handle, feedback, CFB64_BLOCK);
    if (start_length > 0)
        gcry_cipher_decrypt(cipher->handle, unwanted, start_length, start, start_length);
    if (out == in)
        gcry_cipher_decrypt(cipher->handle, out, length, NULL, 0);
    else
        gcry_cipher_decrypt(cipher->handle, out, length, in, length);
}

size_t cfb64_decrypt(const cfb64_t *cipher, const uint8_t iv[CFB64_BLOCK], uint64_t position,
                     const uint8_t *before, size_t before_length, const uint8_t *in, uint8_t *out,
                     size_t length)
{
    size_t phase = position % CFB64_BLOCK;
    const uint8_t *before_end = before ? before + before_length : NULL;

    if (length == 0)
        return 0;
    if (position < CFB64_BLOCK && iv && before_length >= phase) {
        decipher(cipher, iv, phase ? before_end - phase : NULL, phase, in, out, length);
        return 0;
    }
    if (position >= CFB64_BLOCK && before_length >= CFB64_BLOCK + phase) {
        const uint8_t *feedback = before_end - phase - CFB64_BLOCK;
        decipher(cipher, feedback, feedback + CFB64_BLOCK, phase, in, out, length);
        return 0;
    }

    /* The block that `in` begins in is lost. The next one needs that block's ciphertext, of which
     * `phase` bytes lie before `in`; without them it is lost too. */
    size_t rest = CFB64_BLOCK - phase;
    bool next_known = before_length >= phase;
    size_t unknown = next_known ? rest : rest + CFB64_BLOCK;
    if (unknown < length) {
        uint8_t feedback[CFB64_BLOCK];
        if (next_known) {
            if (phase > 0)
                memcpy(feedback, before_end - phase, phase);
            memcpy(feedback + phase, in, rest);
        } else {
            memcpy(feedback, in + rest, CFB64_BLOCK);
        }
        decipher(cipher, feedback, NULL, 0, in + unknown, out + unknown, length - unknown);
    } else {
        unknown = length;
    }
    memset(out, 0, unknown);
    return unknown;
}

int cfb64_find_alignment(const cfb64_t *cipher, const uint8_t *in, uint8_t *out, size_t length,
                         cfb64_plausible_fn plausible, void *data)
{
    for (int phase = 0; phase < CFB64_BLOCK; phase++) {
        /* Any position past the first block: there is no IV to go by. */
        size_t unknown =
            cfb64_decrypt(cipher, NULL, (uint64_t)(CFB64_BLOCK + phase), NULL, 0, in, out, length);
        if (plausible(out, length, unknown, data))
            return phase;
    }
    return -1;
}
