/* SPDX-License-Identifier: MIT */
/* Internal: vectors of 8 bytes in general-purpose registers. */
#ifndef TQ_LANES_WORD_H
#define TQ_LANES_WORD_H

#include "kernel.h"

typedef uint64_t v8;

TQ_INLINE v8 v8_load(const uint8_t *from)
{
    v8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

TQ_INLINE void v8_store(uint8_t *to, v8 v)
{
    memcpy(to, &v, sizeof v);
}

TQ_INLINE v8 v8_splat(uint8_t byte)
{
    return byte * UINT64_C(0x0101010101010101);
}

TQ_INLINE v8 v8_swap(v8 v)
{
    const v8 low = UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (v & low) << 4 | (v >> 4 & low);
}

TQ_INLINE v8 v8_xor3(v8 a, v8 b, v8 c)
{
    return a ^ b ^ c;
}

TQ_INLINE v8 v8_xor_and(v8 a, v8 b, v8 c)
{
    return a ^ (b & c);
}

TQ_DEFINE_KERNEL(v8)

#endif
