/* SPDX-License-Identifier: MIT */
/* AVX2 backend: 32 bytes at a time. */

#include "lanes_avx2.h"

void tq_crypt_avx2(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                   size_t len)
{
    if (len <= 32)
        v16_pair(tables, counter, dst, src, len);
    else if (len <= 64)
        v32_pair(tables, counter, dst, src, len);
    else if (len < TQ_LONG)
        v32_medium(tables, counter, dst, src, len);
    else
        v32_long(tables, counter, dst, src, len);
}
