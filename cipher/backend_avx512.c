/* SPDX-License-Identifier: MIT */
/* AVX-512 backend: 64 bytes at a time. Needs F, BW and VL. */

#ifndef TQ_USE_GFNI
#define TQ_USE_GFNI 0
#define tq_crypt_this tq_crypt_avx512
#endif

#include "lanes_avx512.h"
#include "lanes_avx2.h"
#include "lanes_sse2.h"
#include "short.h"

void tq_crypt_this(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                   size_t len)
{
    if (len < 16)
        tq_crypt_short(tables, counter, dst, src, len);
    else if (len < 32)
        v16_pair(tables, counter, dst, src, len);
    else if (len < 64)
        v32_pair(tables, counter, dst, src, len);
    else
        v64_run(tables, counter, dst, src, len);
}
