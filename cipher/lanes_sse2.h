/* SPDX-License-Identifier: MIT */
/* Internal: vectors of 16 bytes for the x86 backends. */
#ifndef TQ_LANES_SSE2_H
#define TQ_LANES_SSE2_H

#include <immintrin.h>

#include "kernel.h"

#ifndef TQ_USE_GFNI
#define TQ_USE_GFNI 0
#endif

/* The nibble swap as a bit matrix over GF(2): each row picks the bit four places away. */
#define TQ_SWAP_MATRIX 0x1020408001020408

typedef __m128i v16;

TQ_INLINE v16 v16_load(const uint8_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

TQ_INLINE void v16_store(uint8_t *to, v16 v)
{
    _mm_storeu_si128((__m128i *)(void *)to, v);
}

TQ_INLINE v16 v16_splat(uint8_t byte)
{
    return _mm_set1_epi8((char)byte);
}

TQ_INLINE v16 v16_xor3(v16 a, v16 b, v16 c)
{
    return _mm_xor_si128(_mm_xor_si128(a, b), c);
}

TQ_INLINE v16 v16_xor_and(v16 a, v16 b, v16 c)
{
    return _mm_xor_si128(a, _mm_and_si128(b, c));
}

#if TQ_USE_GFNI
TQ_INLINE v16 v16_swap(v16 v)
{
    return _mm_gf2p8affine_epi64_epi8(v, _mm_set1_epi64x(TQ_SWAP_MATRIX), 0);
}
#else
TQ_INLINE v16 v16_swap(v16 v)
{
    v16 low = _mm_set1_epi8(0x0F);
    return _mm_or_si128(_mm_slli_epi16(_mm_and_si128(v, low), 4),
                        _mm_and_si128(_mm_srli_epi16(v, 4), low));
}
#endif

TQ_DEFINE_KERNEL(v16)

#endif
