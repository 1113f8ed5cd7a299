/* SPDX-License-Identifier: MIT */
/* Portable backend: eight bytes at a time in a 64-bit register, at either byte order. */

#include "lanes_word.h"

void tq_crypt_scalar(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                     size_t len)
{
    if (len < TQ_LONG)
        v8_medium(tables, counter, dst, src, len);
    else
        v8_long(tables, counter, dst, src, len);
}
