/* SPDX-License-Identifier: MIT */
/* Internal: lengths below 16, the same in every backend: no vector register pays off there. */
#ifndef TQ_SHORT_H
#define TQ_SHORT_H

#include "lanes_word.h"

TQ_INLINE uint8_t tq_byte_at(const tq_tables *tables, size_t counter, uint8_t in)
{
    return (uint8_t)(in << 4 | in >> 4) ^ tables->t1[counter & 255] ^
           tables->t2[counter >> 8 & 255];
}

/* One to three bytes without a loop: first, middle and last, some of them the same. */
TQ_INLINE void tq_crypt_bytes(const tq_tables *tables, size_t counter, uint8_t *dst,
                              const uint8_t *src, size_t len)
{
    size_t middle = len / 2;
    size_t rest = len - 1;
    uint8_t out0 = tq_byte_at(tables, counter, src[0]);
    uint8_t out1 = tq_byte_at(tables, counter + middle, src[middle]);
    uint8_t out2 = tq_byte_at(tables, counter + rest, src[rest]);
    dst[0] = out0;
    dst[middle] = out1;
    dst[rest] = out2;
}

TQ_INLINE void tq_crypt_short(const tq_tables *tables, size_t counter, uint8_t *dst,
                              const uint8_t *src, size_t len)
{
    if (len >= 8)
        v8_pair(tables, counter, dst, src, len);
    else if (len >= 4)
        v4_pair(tables, counter, dst, src, len);
    else if (len > 0)
        tq_crypt_bytes(tables, counter, dst, src, len);
}

#endif
