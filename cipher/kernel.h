/* SPDX-License-Identifier: MIT */
/*
 * Internal: the kernel, written once for vectors of any width.
 *
 *     out = swap(in) ^ T1[c & 255] ^ T2[c >> 8]
 *
 * A vector type V supplies V_load, V_store, V_splat, V_swap, V_xor and V_and;
 * TQ_DEFINE_KERNEL(V) then defines what the backends are put together from.
 */
#ifndef TQ_KERNEL_H
#define TQ_KERNEL_H

#include <string.h>

#include "backends.h"

#if defined(_MSC_VER)
#define TQ_INLINE static __forceinline
#else
#define TQ_INLINE static inline __attribute__((always_inline, unused))
#endif

/* 0 for bytes before the end of a page of the counter, 0xFF for those after it. */
extern const uint8_t tq_past_page[TQ_KEY_SIZE + TQ_TABLES_OVERHANG];

/*
 * V_at: the output for one vector at a counter. Lanes past the end of the page take the next byte
 * of T2; T1 repeats, so that they find theirs there.
 *
 * V_pair: len from one vector to two. The two overlap where len is less; both are computed before
 * either is stored, because dst may be src.
 *
 * V_run: any len from one vector up. The last vector overlaps the one before it, and is computed
 * first for the same reason.
 */
#define TQ_DEFINE_KERNEL(V)                                                                        \
    TQ_INLINE V V##_at(const tq_tables *tables, size_t counter, V in)                              \
    {                                                                                              \
        size_t low = counter & 255;                                                                \
        size_t page = counter >> 8 & 255;                                                          \
        V out = V##_xor3(V##_swap(in), V##_load(tables->t1 + low), V##_splat(tables->t2[page]));   \
        return V##_xor_and(out, V##_load(tq_past_page + low), V##_splat(tables->t2_step[page]));   \
    }                                                                                              \
                                                                                                   \
    TQ_INLINE void V##_pair(const tq_tables *tables, size_t counter, uint8_t *dst,                 \
                            const uint8_t *src, size_t len)                                        \
    {                                                                                              \
        size_t rest = len - sizeof(V);                                                             \
        V first = V##_at(tables, counter, V##_load(src));                                          \
        V last = V##_at(tables, counter + rest, V##_load(src + rest));                             \
        V##_store(dst, first);                                                                     \
        V##_store(dst + rest, last);                                                               \
    }                                                                                              \
                                                                                                   \
    TQ_INLINE void V##_run(const tq_tables *tables, size_t counter, uint8_t *dst,                  \
                           const uint8_t *src, size_t len)                                         \
    {                                                                                              \
        size_t rest = len - sizeof(V);                                                             \
        V last = V##_at(tables, counter + rest, V##_load(src + rest));                             \
        for (size_t i = 0; i < rest; i += sizeof(V))                                               \
            V##_store(dst + i, V##_at(tables, counter + i, V##_load(src + i)));                    \
        V##_store(dst + rest, last);                                                               \
    }

#endif
