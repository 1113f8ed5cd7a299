/* SPDX-License-Identifier: MIT */
/* AVX-512 backend for processors that swap nibbles in one instruction: needs GFNI, too. */

#define TQ_USE_GFNI 1
#include "lanes_avx512.h"

void tq_crypt_avx512_gfni(const tq_tables *tables, uint16_t counter, uint8_t *dst,
                          const uint8_t *src, size_t len)
{
    v64_crypt(tables, counter, dst, src, len);
}
