/* SPDX-License-Identifier: MIT */
/* What the backends share: where pages end, and lengths that no vector register pays off for. */

#include "lanes_word.h"

#define FF16                                                                                       \
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF
#define FF64 FF16, FF16, FF16, FF16

const uint8_t tq_past_page[TQ_TABLES_REACH] = {
    [TQ_KEY_SIZE] = FF64, FF64, FF64, FF64, FF64,
};

/* Two halves of a word, which overlap where rest is less than 4. */
static v8 load_halves(const uint8_t *from, size_t rest)
{
    uint32_t first;
    uint32_t last;

    memcpy(&first, from, sizeof first);
    memcpy(&last, from + rest, sizeof last);
    return (v8)last << 32 | first;
}

static void store_halves(uint8_t *to, size_t rest, v8 v)
{
    uint32_t first = (uint32_t)v;
    uint32_t last = (uint32_t)(v >> 32);

    memcpy(to, &first, sizeof first);
    memcpy(to + rest, &last, sizeof last);
}

void tq_crypt_halves(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                     size_t len)
{
    size_t rest = len - 4;
    v8_keys keys = v8_keys_at(tables, counter);
    v8 out = v8_xor3(v8_swap(load_halves(src, rest)), load_halves(keys.t1, rest), keys.t2);

    store_halves(dst, rest, v8_xor_and(out, load_halves(keys.past, rest), keys.step));
}

void tq_crypt_words(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                    size_t len)
{
    v8_pair(tables, counter, dst, src, len);
}
