/* SPDX-License-Identifier: MIT */
/* Lengths below 16, which no vector register pays off for. Apart from dispatch.c, so that what they
 * need of the stack is not spent on the others. */

#include "lanes_word.h"

void tq_crypt_words(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                    size_t len)
{
    if (len < 8)
        v4_pair(tables, counter, dst, src, len);
    else
        v8_pair(tables, counter, dst, src, len);
}
