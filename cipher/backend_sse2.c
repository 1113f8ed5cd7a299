/* SPDX-License-Identifier: MIT */
/* SSE2 backend: 16 bytes at a time. */

#include "lanes_sse2.h"
#include "short.h"

void tq_crypt_sse2(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                   size_t len)
{
    if (len < 16)
        tq_crypt_short(tables, counter, dst, src, len);
    else
        v16_run(tables, counter, dst, src, len);
}
