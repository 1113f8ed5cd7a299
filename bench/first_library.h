/* SPDX-License-Identifier: MIT */
/*
 * The structure of the first published vectorised library of this cipher, to measure against:
 * whole blocks of one vector while they last, then single bytes. A block over the end of either
 * key table, or of a page of the second, gathers its keys through memory.
 *
 * It is given this library's tables, which spare it the XOR with 0xAB.
 */
#ifndef BENCH_FIRST_LIBRARY_H
#define BENCH_FIRST_LIBRARY_H

#include "backends.h"

/* Calls the tier that first_use() chose: that library, too, chose one when it started. */
tq_crypt_fn first_crypt;
void first_use(tq_crypt_fn *tier);

tq_crypt_fn first_standard;
tq_crypt_fn first_sse2;
tq_crypt_fn first_avx2;

static inline uint8_t first_byte(const tq_tables *tables, uint16_t counter, uint8_t in)
{
    return (uint8_t)((in << 4 | in >> 4) ^ tables->t1[counter & 255] ^ tables->t2[counter >> 8]);
}

static inline void first_bytes(const tq_tables *tables, uint16_t counter, uint8_t *dst,
                               const uint8_t *src, size_t len)
{
    for (size_t i = 0; i < len; i++)
        dst[i] = first_byte(tables, counter++, src[i]);
}

#endif
