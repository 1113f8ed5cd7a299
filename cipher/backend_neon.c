/* SPDX-License-Identifier: MIT */
/* NEON backend: 16 bytes at a time on 64-bit ARM. */

#include <arm_neon.h>

#include "kernel.h"

typedef uint8x16_t v16;

TQ_INLINE v16 v16_load(const uint8_t *from)
{
    return vld1q_u8(from);
}

TQ_INLINE void v16_store(uint8_t *to, v16 v)
{
    vst1q_u8(to, v);
}

TQ_INLINE v16 v16_splat(uint8_t byte)
{
    return vdupq_n_u8(byte);
}

TQ_INLINE v16 v16_xor3(v16 a, v16 b, v16 c)
{
    return veorq_u8(veorq_u8(a, b), c);
}

TQ_INLINE v16 v16_xor_and(v16 a, v16 b, v16 c)
{
    return veorq_u8(a, vandq_u8(b, c));
}

/* Shift left and insert: the right nibbles of the second operand stay. */
TQ_INLINE v16 v16_swap(v16 v)
{
    return vsliq_n_u8(vshrq_n_u8(v, 4), v, 4);
}

TQ_DEFINE_KERNEL(v16)

void tq_crypt_neon(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                   size_t len)
{
    if (len <= 32)
        v16_pair(tables, counter, dst, src, len);
    else if (len < TQ_LONG)
        v16_medium(tables, counter, dst, src, len);
    else
        v16_long(tables, counter, dst, src, len);
}
