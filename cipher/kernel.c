/* SPDX-License-Identifier: MIT */
/* What the backends share: where pages end, and lengths that no vector register pays off for. */

#include "lanes_word.h"

#define FF16                                                                                       \
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF
#define FF64 FF16, FF16, FF16, FF16

const uint8_t tq_past_page[TQ_TABLES_REACH] = {
    [TQ_KEY_SIZE] = FF64, FF64, FF64, FF64, FF64,
};

void tq_crypt_words(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                    size_t len)
{
    if (len < 8)
        v4_pair(tables, counter, dst, src, len);
    else
        v8_pair(tables, counter, dst, src, len);
}
