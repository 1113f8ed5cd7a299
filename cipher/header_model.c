/* SPDX-License-Identifier: MIT */
#include "header_model.h"

#include <stdlib.h>
#include <string.h>

/*
 * The distribution, in costs (negative logarithms) of 1/16 bit. Its parts add up to less than 1:
 *
 *   3/4     a listed range, each alike, of whose type the message is, and then its size:
 *     3/4     in the range: one half if the message ends with its segment, the other half spread
 *             over the range
 *     1/4     any size: half and half likewise
 *   1/8     any type, and any size: half and half likewise
 *   2^-12   any header at all
 */
enum {
    BIT = TQ_EVIDENCE_BIT,
    COST_LISTED = 7,
    COST_IN_RANGE = 7,
    COST_ANY_SIZE = 2 * BIT,
    COST_ANY_TYPE = 3 * BIT + 16 * BIT,
    COST_ANYTHING = 12 * BIT + 32 * BIT,
    COST_HALF = BIT,
    SIZES_LOG2 = 10, /* TQ_MESSAGE_MAX = 2^10 */
};

struct tq_header_model {
    tq_size_range *ranges;
    size_t count;
    int cost_range;            /* of choosing one of the ranges */
    uint8_t listed[65536 / 8]; /* a bit for each type */
};

/* 16·log2(n), rounded up: what one of n, at most 65,536, costs. */
static int cost_of_one_in(unsigned n)
{
    /* 2^(cost/16) ≥ n, or n^16 ≤ 2^cost; each squaring of n's mantissa gives one more bit. */
    unsigned log = 0;
    while (n >> log > 1)
        log++;
    int cost = (int)log;
    uint64_t mantissa = (uint64_t)n << (31 - log); /* from 1 to 2, times 2^31 */
    for (int i = 0; i < 4; i++) {
        mantissa = mantissa * mantissa >> 31;
        cost = 2 * cost + (int)(mantissa >> 32);
        mantissa >>= mantissa >> 32;
    }
    return cost + ((n & (n - 1)) != 0);
}

static bool is_sorted(const tq_size_range *ranges, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        if (ranges[i].type > ranges[i + 1].type)
            return false;
    }
    return true;
}

tq_header_model *tq_header_model_new(const tq_size_range *ranges, size_t count)
{
    if (count == 0 || count > UINT16_MAX || !is_sorted(ranges, count))
        return NULL;
    tq_header_model *model = calloc(1, sizeof *model);
    tq_size_range *copy = malloc(count * sizeof *copy);
    if (!model || !copy) {
        free(model);
        free(copy);
        return NULL;
    }
    memcpy(copy, ranges, count * sizeof *copy);
    model->ranges = copy;
    model->count = count;
    model->cost_range = cost_of_one_in((unsigned)count);
    for (size_t i = 0; i < count; i++)
        model->listed[ranges[i].type >> 3] |= (uint8_t)(1u << (ranges[i].type & 7));
    return model;
}

void tq_header_model_free(tq_header_model *model)
{
    if (!model)
        return;
    free(model->ranges);
    free(model);
}

bool tq_header_type_listed(const tq_header_model *model, unsigned type)
{
    return type <= UINT16_MAX && (model->listed[type >> 3] >> (type & 7) & 1);
}

const tq_size_range *tq_header_model_ranges(const tq_header_model *model, size_t *count)
{
    *count = model->count;
    return model->ranges;
}

/* The first range of a listed type. */
static const tq_size_range *find_ranges(const tq_header_model *model, unsigned type)
{
    size_t low = 0;
    size_t high = model->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (model->ranges[middle].type < type)
            low = middle + 1;
        else
            high = middle;
    }
    return model->ranges + low;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int cost_of_listed(const tq_header_model *model, unsigned size, unsigned type, int any_size)
{
    int cost = COST_ANY_SIZE + any_size;
    const tq_size_range *end = model->ranges + model->count;
    for (const tq_size_range *r = find_ranges(model, type); r < end && r->type == type; r++) {
        if (size < r->min_size || size > r->max_size)
            continue;
        int spread = COST_HALF + cost_of_one_in(r->max_size - r->min_size + 1u);
        cost = min_int(cost, COST_IN_RANGE + min_int(spread, any_size));
    }
    return COST_LISTED + model->cost_range + cost;
}

int tq_header_evidence(const tq_header_model *model, unsigned size, unsigned type, size_t rest)
{
    int cost = COST_ANYTHING;
    if (size >= TQ_HEADER_SIZE && (size <= TQ_MESSAGE_MAX || size == rest)) {
        int any_size = COST_HALF + (size == rest ? 0 : SIZES_LOG2 * BIT);
        cost = tq_header_type_listed(model, type) ? cost_of_listed(model, size, type, any_size)
                                                  : COST_ANY_TYPE + any_size;
    }
    return 32 * BIT - cost;
}

/*
 * Three distributions of a byte, and a body has one of them, each alike:
 *
 *   numbers  zero 1/3, others alike
 *   text     printable 3/4, zero 1/8, others alike
 *   neither  all alike
 *
 * As evidence a byte, rounded down; choosing one of the three costs 1.6 bits.
 */
int tq_body_evidence(size_t zeros, size_t texts, size_t len)
{
    int zero = (int)zeros;
    int text = (int)texts;
    int other = (int)len - zero - text;
    int as_numbers = 102 * zero - 10 * (text + other);
    int as_text = 80 * zero + 16 * text - 38 * other;
    int best = as_numbers > as_text ? as_numbers : as_text;
    return (best > 0 ? best : 0) - 26;
}
