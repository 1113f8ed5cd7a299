/* SPDX-License-Identifier: MIT */
/* The first library's AVX2 tier: blocks of 32 bytes, then bytes. */

#include <immintrin.h>

#include "first_library.h"

#define BLOCK 32

static __m256i keys_through_memory(const tq_tables *tables, uint16_t counter)
{
    uint8_t keys[BLOCK];

    for (unsigned i = 0; i < BLOCK; i++) {
        uint16_t at = (uint16_t)(counter + i);
        keys[i] = tables->t1[at & 255] ^ tables->t2[at >> 8];
    }
    return _mm256_loadu_si256((__m256i const *)(const void *)keys);
}

static inline __m256i keys_at(const tq_tables *tables, uint16_t counter)
{
    if ((counter & 255) > 256 - BLOCK)
        return keys_through_memory(tables, counter);
    __m256i k1 = _mm256_loadu_si256((__m256i const *)(const void *)(tables->t1 + (counter & 255)));
    return _mm256_xor_si256(k1, _mm256_set1_epi8((char)tables->t2[counter >> 8]));
}

void first_avx2(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                size_t len)
{
    const __m256i low = _mm256_set1_epi8(0x0F);

    for (; len >= BLOCK; len -= BLOCK) {
        __m256i in = _mm256_loadu_si256((__m256i const *)(const void *)src);
        __m256i up = _mm256_slli_epi16(_mm256_and_si256(in, low), 4);
        __m256i down = _mm256_and_si256(_mm256_srli_epi16(in, 4), low);
        __m256i out = _mm256_xor_si256(_mm256_or_si256(up, down), keys_at(tables, counter));
        _mm256_storeu_si256((__m256i *)(void *)dst, out);
        counter = (uint16_t)(counter + BLOCK);
        dst += BLOCK;
        src += BLOCK;
    }
    first_bytes(tables, counter, dst, src, len);
}
