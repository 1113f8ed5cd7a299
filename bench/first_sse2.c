/* SPDX-License-Identifier: MIT */
/* The first library's SSE2 tier: blocks of 16 bytes, then bytes. */

#include <immintrin.h>

#include "first_library.h"

#define BLOCK 16

static __m128i keys_through_memory(const tq_tables *tables, uint16_t counter)
{
    uint8_t keys[BLOCK];

    for (unsigned i = 0; i < BLOCK; i++) {
        uint16_t at = (uint16_t)(counter + i);
        keys[i] = tables->t1[at & 255] ^ tables->t2[at >> 8];
    }
    return _mm_loadu_si128((__m128i const *)(const void *)keys);
}

static inline __m128i keys_at(const tq_tables *tables, uint16_t counter)
{
    if ((counter & 255) > 256 - BLOCK)
        return keys_through_memory(tables, counter);
    __m128i k1 = _mm_loadu_si128((__m128i const *)(const void *)(tables->t1 + (counter & 255)));
    return _mm_xor_si128(k1, _mm_set1_epi8((char)tables->t2[counter >> 8]));
}

void first_sse2(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                size_t len)
{
    const __m128i low = _mm_set1_epi8(0x0F);

    for (; len >= BLOCK; len -= BLOCK) {
        __m128i in = _mm_loadu_si128((__m128i const *)(const void *)src);
        __m128i up = _mm_slli_epi16(_mm_and_si128(in, low), 4);
        __m128i down = _mm_and_si128(_mm_srli_epi16(in, 4), low);
        __m128i out = _mm_xor_si128(_mm_or_si128(up, down), keys_at(tables, counter));
        _mm_storeu_si128((__m128i *)(void *)dst, out);
        counter = (uint16_t)(counter + BLOCK);
        dst += BLOCK;
        src += BLOCK;
    }
    first_bytes(tables, counter, dst, src, len);
}
