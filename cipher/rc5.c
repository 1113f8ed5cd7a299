/* SPDX-License-Identifier: MIT */
#include "rc5.h"

#define ROUNDS 12
#define KEY_WORDS (TQ_RC5_KEY_SIZE / 4)

/* Odd integers nearest to (e - 2) * 2^32 and (golden ratio - 1) * 2^32. */
#define P32 UINT32_C(0xB7E15163)
#define Q32 UINT32_C(0x9E3779B9)

const uint8_t tq_rc5_static_key[TQ_RC5_KEY_SIZE] = {
    0x3C, 0xDC, 0xFE, 0xE8, 0xC4, 0x54, 0xD6, 0x7E, 0x16, 0xA6, 0xF8, 0x1A, 0xE8, 0xD0, 0x38, 0xBE,
};

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

/* Only the low five bits of a count matter; a count of 0 must not shift by 32. */
static uint32_t rotl(uint32_t v, uint32_t count)
{
    return v << (count & 31) | v >> (-count & 31);
}

static uint32_t rotr(uint32_t v, uint32_t count)
{
    return rotl(v, -count);
}

void tq_rc5_seed_key(uint32_t seed, uint8_t key[TQ_RC5_KEY_SIZE])
{
    for (size_t i = 0; i < TQ_RC5_KEY_SIZE; i++) {
        seed = seed * UINT32_C(0x343FD) + UINT32_C(0x269EC3);
        key[i] = (uint8_t)(seed >> 16);
    }
}

void tq_rc5_init(tq_rc5 *rc5, const uint8_t key[TQ_RC5_KEY_SIZE])
{
    uint32_t *s = rc5->subkeys;
    uint32_t words[KEY_WORDS];

    for (size_t i = 0; i < KEY_WORDS; i++)
        words[i] = load32(key + 4 * i);
    for (uint32_t i = 0; i < TQ_RC5_SUBKEYS; i++)
        s[i] = P32 + i * Q32;

    /* Three passes over the longer of the two arrays. */
    uint32_t a = 0, b = 0;
    for (unsigned i = 0; i < 3 * TQ_RC5_SUBKEYS; i++) {
        uint32_t *subkey = &s[i % TQ_RC5_SUBKEYS];
        uint32_t *word = &words[i % KEY_WORDS];
        a = *subkey = rotl(*subkey + a + b, 3);
        b = *word = rotl(*word + a + b, a + b);
    }
}

void tq_rc5_encrypt(const tq_rc5 *rc5, uint8_t *data, size_t blocks)
{
    const uint32_t *s = rc5->subkeys;

    for (; blocks > 0; blocks--, data += TQ_RC5_BLOCK_SIZE) {
        uint32_t a = load32(data) + s[0];
        uint32_t b = load32(data + 4) + s[1];
        for (size_t round = 1; round <= ROUNDS; round++) {
            a = rotl(a ^ b, b) + s[2 * round];
            b = rotl(b ^ a, a) + s[2 * round + 1];
        }
        store32(data, a);
        store32(data + 4, b);
    }
}

void tq_rc5_decrypt(const tq_rc5 *rc5, uint8_t *data, size_t blocks)
{
    const uint32_t *s = rc5->subkeys;

    for (; blocks > 0; blocks--, data += TQ_RC5_BLOCK_SIZE) {
        uint32_t a = load32(data);
        uint32_t b = load32(data + 4);
        for (size_t round = ROUNDS; round >= 1; round--) {
            b = rotr(b - s[2 * round + 1], a) ^ a;
            a = rotr(a - s[2 * round], b) ^ b;
        }
        store32(data, a - s[0]);
        store32(data + 4, b - s[1]);
    }
}
