/* SPDX-License-Identifier: MIT */
/* AVX2 backend: 32 bytes at a time. */

#include "lanes_avx2.h"
#include "lanes_sse2.h"
#include "short.h"

void tq_crypt_avx2(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                   size_t len)
{
    if (len < 16)
        tq_crypt_short(tables, counter, dst, src, len);
    else if (len < 32)
        v16_pair(tables, counter, dst, src, len);
    else
        v32_run(tables, counter, dst, src, len);
}
