/* SPDX-License-Identifier: MIT */
/* AVX-512 backend: 64 bytes at a time. Needs F, BW and VL. */

#include "lanes_avx512.h"

void tq_crypt_avx512(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                     size_t len)
{
    v64_crypt(tables, counter, dst, src, len);
}
