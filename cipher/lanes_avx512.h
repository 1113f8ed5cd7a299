/* SPDX-License-Identifier: MIT */
/* Internal: vectors of 64 bytes for the AVX-512 backends, with GFNI where TQ_USE_GFNI is set. */
#ifndef TQ_LANES_AVX512_H
#define TQ_LANES_AVX512_H

#include <immintrin.h>

#include "lanes_avx2.h"

typedef __m512i v64;

TQ_INLINE v64 v64_load(const uint8_t *from)
{
    return _mm512_loadu_si512(from);
}

TQ_INLINE void v64_store(uint8_t *to, v64 v)
{
    _mm512_storeu_si512(to, v);
}

TQ_INLINE v64 v64_splat(uint8_t byte)
{
    return _mm512_set1_epi8((char)byte);
}

TQ_INLINE v64 v64_xor3(v64 a, v64 b, v64 c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}

TQ_INLINE v64 v64_xor_and(v64 a, v64 b, v64 c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x78);
}

#if TQ_USE_GFNI
TQ_INLINE v64 v64_swap(v64 v)
{
    return _mm512_gf2p8affine_epi64_epi8(v, _mm512_set1_epi64(TQ_SWAP_MATRIX), 0);
}
#else
TQ_INLINE v64 v64_swap(v64 v)
{
    v64 high = _mm512_set1_epi8((char)0xF0);
    return _mm512_ternarylogic_epi32(high, _mm512_slli_epi16(v, 4), _mm512_srli_epi16(v, 4), 0xCA);
}
#endif

TQ_DEFINE_KERNEL(v64)

/* The whole backend, whose two variants differ in what they swap nibbles with. */
TQ_INLINE void v64_crypt(const tq_tables *tables, uint16_t counter, uint8_t *dst,
                         const uint8_t *src, size_t len)
{
    if (len <= 32)
        v16_pair(tables, counter, dst, src, len);
    else if (len <= 64)
        v32_pair(tables, counter, dst, src, len);
    else if (len <= 128)
        v64_pair(tables, counter, dst, src, len);
    else if (len < TQ_LONG)
        v64_medium(tables, counter, dst, src, len);
    else
        v64_long(tables, counter, dst, src, len);
}

#endif
