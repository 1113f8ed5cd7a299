/* SPDX-License-Identifier: MIT */
/* AVX-512 backend: 64 bytes at a time. Needs F, BW and VL. */

#ifndef TQ_USE_GFNI
#define TQ_USE_GFNI 0
#define tq_crypt_this tq_crypt_avx512
#endif

#include "lanes_avx512.h"

void tq_crypt_this(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                   size_t len)
{
    if (len < 32)
        v16_pair(tables, counter, dst, src, len);
    else if (len < 64)
        v32_pair(tables, counter, dst, src, len);
    else if (len <= 128)
        v64_pair(tables, counter, dst, src, len);
    else if (len < TQ_LONG)
        v64_medium(tables, counter, dst, src, len);
    else
        v64_long(tables, counter, dst, src, len);
}
