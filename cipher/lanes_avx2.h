/* SPDX-License-Identifier: MIT */
/* Internal: vectors of 32 bytes for the AVX2 and AVX-512 backends. */
#ifndef TQ_LANES_AVX2_H
#define TQ_LANES_AVX2_H

#include <immintrin.h>

#include "lanes_sse2.h"

typedef __m256i v32;

TQ_INLINE v32 v32_load(const uint8_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

TQ_INLINE void v32_store(uint8_t *to, v32 v)
{
    _mm256_storeu_si256((__m256i *)(void *)to, v);
}

TQ_INLINE v32 v32_splat(uint8_t byte)
{
    return _mm256_set1_epi8((char)byte);
}

TQ_INLINE v32 v32_xor3(v32 a, v32 b, v32 c)
{
    return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
}

TQ_INLINE v32 v32_xor_and(v32 a, v32 b, v32 c)
{
    return _mm256_xor_si256(a, _mm256_and_si256(b, c));
}

#if TQ_USE_GFNI
TQ_INLINE v32 v32_swap(v32 v)
{
    return _mm256_gf2p8affine_epi64_epi8(v, _mm256_set1_epi64x(TQ_SWAP_MATRIX), 0);
}
#else
TQ_INLINE v32 v32_swap(v32 v)
{
    v32 low = _mm256_set1_epi8(0x0F);
    return _mm256_or_si256(_mm256_slli_epi16(_mm256_and_si256(v, low), 4),
                           _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
}
#endif

TQ_DEFINE_KERNEL(v32)

#endif
