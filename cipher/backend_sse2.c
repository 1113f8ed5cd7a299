/* SPDX-License-Identifier: MIT */
/* SSE2 backend: 16 bytes at a time. */

#include "lanes_sse2.h"

void tq_crypt_sse2(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                   size_t len)
{
    if (len <= 32)
        v16_pair(tables, counter, dst, src, len);
    else if (len < TQ_LONG)
        v16_medium(tables, counter, dst, src, len);
    else
        v16_long(tables, counter, dst, src, len);
}
