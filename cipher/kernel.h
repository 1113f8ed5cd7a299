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
#define TQ_OUTLINE static __declspec(noinline)
#else
#define TQ_INLINE static inline __attribute__((always_inline, unused))
#define TQ_OUTLINE static __attribute__((noinline, unused))
#endif

#if defined(__clang__)
#define TQ_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define TQ_UNROLL _Pragma("GCC unroll 16")
#else
#define TQ_UNROLL
#endif

/* For each position from the start of a page of the counter: 0 up to its end, 0xFF beyond. */
TQ_HIDDEN extern const uint8_t tq_past_page[TQ_TABLES_REACH];

/*
 * V_keys: the keys of a page's length from some counter on. Where that runs into the next page, t2
 * changes by step: a load from past tells which lanes that concerns, so that no branch depends on
 * the counter.
 *
 * V_mix: the output for one vector at an offset from the counter of its keys.
 *
 * V_pair: len from one vector to two. The two overlap where len is less; both are computed before
 * either is stored, because dst may be src.
 *
 * V_page: len from one vector to where the next page ends, which is at least 256 bytes. The last
 * vector overlaps the one before it, and is computed first for the same reason.
 *
 * V_run: any len from one vector up, page by page. What comes last is longer than any vector.
 *
 * V_medium: any len from one vector up. Every 256 bytes T1 starts again, so from a few pages on it
 * stays in registers as far as there are enough. Only len decides on the way through the code: the
 * counter and the alignment, which are as good as random, would make the processor guess wrong.
 *
 * V_long: len from TQ_LONG up, where it pays off that they do decide. The blocks of 256 bytes begin
 * where the stores are aligned and where the page ends in (or with) the last vector, which leaves
 * one vector a block to take two bytes of T2.
 */
#define TQ_DEFINE_KERNEL(V)                                                                        \
    typedef struct V##_keys {                                                                      \
        const uint8_t *t1;                                                                         \
        const uint8_t *past;                                                                       \
        V t2;                                                                                      \
        V step;                                                                                    \
    } V##_keys;                                                                                    \
                                                                                                   \
    TQ_INLINE V##_keys V##_keys_at(const tq_tables *tables, size_t counter)                        \
    {                                                                                              \
        size_t low = counter & 255;                                                                \
        size_t page = counter >> 8 & 255;                                                          \
        return (V##_keys){tables->t1 + low, tq_past_page + low, V##_splat(tables->t2[page]),       \
                          V##_splat(tables->t2_step[page])};                                       \
    }                                                                                              \
                                                                                                   \
    TQ_INLINE V V##_mix(const V##_keys *keys, size_t offset, V in)                                 \
    {                                                                                              \
        V out = V##_xor3(V##_swap(in), V##_load(keys->t1 + offset), keys->t2);                     \
        return V##_xor_and(out, V##_load(keys->past + offset), keys->step);                        \
    }                                                                                              \
                                                                                                   \
    TQ_INLINE void V##_pair(const tq_tables *tables, size_t counter, uint8_t *dst,                 \
                            const uint8_t *src, size_t len)                                        \
    {                                                                                              \
        size_t rest = len - sizeof(V);                                                             \
        V##_keys keys = V##_keys_at(tables, counter);                                              \
        V first = V##_mix(&keys, 0, V##_load(src));                                                \
        V last = V##_mix(&keys, rest, V##_load(src + rest));                                       \
        V##_store(dst, first);                                                                     \
        V##_store(dst + rest, last);                                                               \
    }                                                                                              \
                                                                                                   \
    TQ_INLINE void V##_page(const tq_tables *tables, size_t counter, uint8_t *dst,                 \
                            const uint8_t *src, size_t len)                                        \
    {                                                                                              \
        size_t rest = len - sizeof(V);                                                             \
        V##_keys keys = V##_keys_at(tables, counter);                                              \
        V last = V##_mix(&keys, rest, V##_load(src + rest));                                       \
        for (size_t i = 0; i < rest; i += sizeof(V))                                               \
            V##_store(dst + i, V##_mix(&keys, i, V##_load(src + i)));                              \
        V##_store(dst + rest, last);                                                               \
    }                                                                                              \
                                                                                                   \
    TQ_INLINE void V##_run(const tq_tables *tables, size_t counter, uint8_t *dst,                  \
                           const uint8_t *src, size_t len)                                         \
    {                                                                                              \
        for (; len > 256; counter += 192, dst += 192, src += 192, len -= 192)                      \
            V##_page(tables, counter, dst, src, 192);                                              \
        V##_page(tables, counter, dst, src, len);                                                  \
    }                                                                                              \
                                                                                                   \
    TQ_OUTLINE void V##_medium(const tq_tables *tables, size_t counter, uint8_t *dst,              \
                               const uint8_t *src, size_t len)                                     \
    {                                                                                              \
        if (len < TQ_MEDIUM) {                                                                     \
            V##_run(tables, counter, dst, src, len);                                               \
            return;                                                                                \
        }                                                                                          \
        enum { VECTORS = 256 / sizeof(V) };                                                        \
        size_t rest = len - sizeof(V);                                                             \
        size_t done = 0;                                                                           \
        V##_keys keys = V##_keys_at(tables, counter + rest);                                       \
        V last = V##_mix(&keys, 0, V##_load(src + rest));                                          \
        V t1[VECTORS];                                                                             \
        V past[VECTORS];                                                                           \
                                                                                                   \
        keys = V##_keys_at(tables, counter);                                                       \
        TQ_UNROLL                                                                                  \
        for (size_t i = 0; i < VECTORS; i++) {                                                     \
            t1[i] = V##_load(keys.t1 + i * sizeof(V));                                             \
            past[i] = V##_load(keys.past + i * sizeof(V));                                         \
        }                                                                                          \
        for (; len - done >= 256; done += 256) {                                                   \
            const uint8_t *in = src + done;                                                        \
            uint8_t *out = dst + done;                                                             \
            keys = V##_keys_at(tables, counter + done);                                            \
            TQ_UNROLL                                                                              \
            for (size_t i = 0; i < VECTORS; i++) {                                                 \
                V v = V##_xor3(V##_swap(V##_load(in + i * sizeof(V))), t1[i], keys.t2);            \
                V##_store(out + i * sizeof(V), V##_xor_and(v, past[i], keys.step));                \
            }                                                                                      \
        }                                                                                          \
        keys = V##_keys_at(tables, counter + done);                                                \
        for (size_t i = 0; done + i < rest; i += sizeof(V))                                        \
            V##_store(dst + done + i, V##_mix(&keys, i, V##_load(src + done + i)));                \
        V##_store(dst + rest, last);                                                               \
    }                                                                                              \
                                                                                                   \
    /* Bytes before the first block of V_long: from one vector to a page and a vector. */          \
    TQ_INLINE size_t V##_head(size_t counter, const uint8_t *dst)                                  \
    {                                                                                              \
        size_t head = 2 * sizeof(V) - ((uintptr_t)dst & (sizeof(V) - 1));                          \
        size_t to_page_end = 256 - ((counter + head) & 255);                                       \
        return head + ((to_page_end + sizeof(V) - 1) & 255 & ~(sizeof(V) - 1));                    \
    }                                                                                              \
                                                                                                   \
    TQ_OUTLINE void V##_long(const tq_tables *tables, size_t counter, uint8_t *dst,                \
                             const uint8_t *src, size_t len)                                       \
    {                                                                                              \
        enum { LAST = 256 / sizeof(V) - 1 };                                                       \
        V t1[LAST + 1];                                                                            \
        V past;                                                                                    \
        size_t done = V##_head(counter, dst);                                                      \
        V##_keys keys = V##_keys_at(tables, counter + done);                                       \
                                                                                                   \
        V##_run(tables, counter, dst, src, done);                                                  \
        TQ_UNROLL                                                                                  \
        for (size_t i = 0; i <= LAST; i++)                                                         \
            t1[i] = V##_load(keys.t1 + i * sizeof(V));                                             \
        past = V##_load(keys.past + LAST * sizeof(V));                                             \
        for (; len - done >= 256 + sizeof(V); done += 256) {                                       \
            const uint8_t *in = src + done;                                                        \
            uint8_t *out = dst + done;                                                             \
            keys = V##_keys_at(tables, counter + done);                                            \
            TQ_UNROLL                                                                              \
            for (size_t i = 0; i < LAST; i++) {                                                    \
                V v = V##_swap(V##_load(in + i * sizeof(V)));                                      \
                V##_store(out + i * sizeof(V), V##_xor3(v, t1[i], keys.t2));                       \
            }                                                                                      \
            V v = V##_xor3(V##_swap(V##_load(in + LAST * sizeof(V))), t1[LAST], keys.t2);          \
            V##_store(out + LAST * sizeof(V), V##_xor_and(v, past, keys.step));                    \
        }                                                                                          \
        V##_page(tables, counter + done, dst + done, src + done, len - done);                      \
    }

#endif
