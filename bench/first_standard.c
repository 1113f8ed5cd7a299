/* SPDX-License-Identifier: MIT */
/* The first library's choice of a tier, and its plain one, which is also the cipher's definition.
 */

#include "first_library.h"

static tq_crypt_fn *volatile chosen = first_standard;

void first_use(tq_crypt_fn *tier)
{
    chosen = tier;
}

void first_crypt(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                 size_t len)
{
    chosen(tables, counter, dst, src, len);
}

void first_standard(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                    size_t len)
{
    first_bytes(tables, counter, dst, src, len);
}
