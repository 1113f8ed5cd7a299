/* SPDX-License-Identifier: MIT */
/**
 * @file
 * RC5-32/12/16: Rivest's block cipher with 32-bit words, 12 rounds and a 16-byte key, as the
 * Conquer Online client uses it for the password in its login message (R. Rivest, "The RC5
 * Encryption Algorithm", 1994). Blocks are independent of each other; words are little-endian.
 *
 * Like the rest of the library this gives no security: the key is either the same for everybody or
 * follows from a number that crosses the wire.
 */
#ifndef TQ_RC5_H
#define TQ_RC5_H

#include <stddef.h>
#include <stdint.h>

#include "tq_cipher.h" /* TQ_API */

#ifdef __cplusplus
extern "C" {
#endif

/** Size of a key in bytes. */
#define TQ_RC5_KEY_SIZE 16

/** Size of a block in bytes. */
#define TQ_RC5_BLOCK_SIZE 8

/** Number of subkeys: two before the first round and two for each of the 12. */
#define TQ_RC5_SUBKEYS 26

/** An expanded key; owns nothing. */
typedef struct tq_rc5 {
    uint32_t subkeys[TQ_RC5_SUBKEYS]; /**< in the order of their use for encryption */
} tq_rc5;

/**
 * The key every client uses until the server has sent a seed; in all servers seen for patches 4267
 * to 5065.
 */
TQ_API extern const uint8_t tq_rc5_static_key[TQ_RC5_KEY_SIZE];

/**
 * Makes the key that belongs to a seed: 16 draws of the Microsoft C run-time's rand() after
 * srand(seed), the low byte of each. The client keys RC5 so from the seed of MsgEncryptCode, and
 * uses the same draws to salt its scan codes.
 * @param seed  the seed
 * @param key   where to write the key
 */
TQ_API void tq_rc5_seed_key(uint32_t seed, uint8_t key[TQ_RC5_KEY_SIZE]);

/**
 * Expands a key.
 * @param rc5  where to write the expanded key
 * @param key  the key; no longer needed afterwards
 */
TQ_API void tq_rc5_init(tq_rc5 *rc5, const uint8_t key[TQ_RC5_KEY_SIZE]);

/**
 * Encrypts whole blocks in place.
 * @param rc5     the expanded key
 * @param data    the blocks, at any alignment
 * @param blocks  how many blocks of #TQ_RC5_BLOCK_SIZE bytes, 0 included
 */
TQ_API void tq_rc5_encrypt(const tq_rc5 *rc5, uint8_t *data, size_t blocks);

/**
 * Decrypts whole blocks in place.
 * @param rc5     the expanded key
 * @param data    the blocks, at any alignment
 * @param blocks  how many blocks of #TQ_RC5_BLOCK_SIZE bytes, 0 included
 */
TQ_API void tq_rc5_decrypt(const tq_rc5 *rc5, uint8_t *data, size_t blocks);

#ifdef __cplusplus
}
#endif

#endif
