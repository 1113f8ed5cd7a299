/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Blowfish and CAST5 in 64-bit cipher feedback, deciphered at any position of a stream.
 *
 * Game connections of patch 5018 and later are one CFB stream per direction and key. With 8-byte
 * blocks counted from the first byte under that key,
 *
 *     plaintext block k = ciphertext block k ^ E(ciphertext block k-1),  ciphertext block -1 = IV
 *
 * so a byte needs no more than the ciphertext of the block before its own: deciphering is a pure
 * function of position, and a stream is readable again 8 to 15 bytes after a gap.
 */
#ifndef TQ_CFB64_H
#define TQ_CFB64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

/** Size of a block, of an IV and of the feedback in bytes. */
#define CFB64_BLOCK 8

/** How many bytes before the first one cfb64_decrypt() can make use of: a block and a part. */
#define CFB64_HISTORY (2 * CFB64_BLOCK - 1)

/** Longest Blowfish key in bytes: 18 subkeys of 4. Libraries that stop at 56 cannot serve here. */
#define CFB64_BLOWFISH_KEY_MAX 72

/** Size of a CAST5 key in bytes; of longer keys this many count. */
#define CFB64_CAST5_KEY 16

typedef enum {
    CFB64_BLOWFISH,
    CFB64_CAST5,
} cfb64_algorithm_t;

/** A keyed cipher. It keeps nothing of what it deciphers; not for use by several threads at once.
 */
typedef struct cfb64 cfb64_t;

/** "Blowfish" or "CAST5". */
const char *cfb64_algorithm_name(cfb64_algorithm_t algorithm);

/**
 * Keys a cipher.
 *
 * @param key     1 to 72 bytes for Blowfish; 16 or more for CAST5, of which the first 16 count
 * @param length  bytes at @p key
 * @param error   takes a message for the user when the key is refused (g_free() it); may be NULL
 * @return the cipher with one reference, or NULL
 */
cfb64_t *cfb64_new(cfb64_algorithm_t algorithm, const uint8_t *key, size_t length, char **error);

/** Takes another reference. @return @p cipher */
cfb64_t *cfb64_ref(cfb64_t *cipher);

/** Gives a reference back, and with the last one frees the cipher. NULL is allowed. */
void cfb64_unref(cfb64_t *cipher);

cfb64_algorithm_t cfb64_algorithm(const cfb64_t *cipher);

/**
 * Deciphers a run of a stream.
 *
 * @param iv             the stream's IV, or NULL where it is not known or does not matter
 * @param position       of the run's first byte, from 0 at the first byte under this key
 * @param before         the ciphertext just before the run, as far as it is there
 * @param before_length  bytes at @p before; of more than CFB64_HISTORY the last ones are used
 * @param in             the run's ciphertext
 * @param[out] out       takes the plaintext; may be the same as @p in
 * @param length         bytes at @p in and @p out
 * @return how many bytes at the start of @p out stay unknown because the ciphertext before them is
 *         missing: 0 to 15, never more than @p length. They are set to 0.
 */
size_t cfb64_decrypt(const cfb64_t *cipher, const uint8_t iv[CFB64_BLOCK], uint64_t position,
                     const uint8_t *before, size_t before_length, const uint8_t *in, uint8_t *out,
                     size_t length);

/**
 * Says whether a plaintext could be right.
 *
 * @param plaintext  its first bytes may be unknown
 * @param unknown    how many those are
 */
typedef bool (*cfb64_plausible_fn)(const uint8_t *plaintext, size_t length, size_t unknown,
                                   void *data);

/**
 * Finds where blocks begin in a run whose distance from the start of its stream is not known.
 *
 * @param in         ciphertext without a gap
 * @param[out] out   takes the plaintext; scratch space when nothing is found. Not @p in.
 * @param plausible  asked for each of the eight alignments, until it says yes. All but the right
 * one give noise.
 * @return position modulo 8 of the first byte, or -1 when no alignment is plausible
 */
int cfb64_find_alignment(const cfb64_t *cipher, const uint8_t *in, uint8_t *out, size_t length,
                         cfb64_plausible_fn plausible, void *data);

#endif
