/* SPDX-License-Identifier: MIT */
#include "header_model.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * The distribution. Its parts, in costs (negative logarithms) of 1/16 bit:
 *
 *   3/8     the message ends with its segment, and is of a type that goes with that size: those
 * with a range around it share in proportion to 1 / width of the range 1/4     a listed range, each
 * alike, and a size in it, each alike 1/8     a listed type, each range alike, and a size up to
 * 1024, or (half) the segment's 1/8     any type, and a size likewise 2^-12   any header at all
 */
enum {
    BIT = TQ_EVIDENCE_BIT,
    COST_FITS_SEGMENT = 23,
    COST_IN_RANGE = 2 * BIT,
    COST_ANY_SIZE = 3 * BIT,
    COST_ANY_TYPE = 3 * BIT + 16 * BIT,
    COST_ANYTHING = 12 * BIT + 32 * BIT,
    COST_HALF = BIT,
    SIZES_LOG2 = 10, /* TQ_MESSAGE_MAX = 2^10 */
    SHARE = 1 << 12, /* of a range of one size, times weight */
    EVERYDAY_WEIGHT =
        256, /* how many rare types an everyday one counts as: 19 messages of 20 are such */
};

/* Messages that make up most of the traffic on a game server, whatever the players do: talk, walk,
   items, actions, appearances, attributes, fights, spells and conversations with NPCs. */
static const uint16_t everyday_types[] = {1004, 1005, 1008, 1009, 1010, 1014, 1015,
                                          1017, 1022, 1101, 1103, 2030, 2031, 2032};

struct tq_header_model {
    tq_size_range *ranges;
    size_t count;
    unsigned weight;                     /* of all ranges together */
    uint32_t shares[TQ_MESSAGE_MAX + 1]; /* sum of the shares of the ranges around each size */
    uint8_t listed[65536 / 8];           /* a bit for each type */
};

/* 16·log2(n), rounded up: what one of n, at least 1, costs. */
static int cost_of_one_in(unsigned n)
{
    /* 2^(cost/16) ≥ n, or n^16 ≤ 2^cost; each squaring of n's mantissa gives one more bit. */
    unsigned log = 0;
    while (n >> log > 1)
        log++;
    int cost = (int)log;
    uint64_t mantissa = ((uint64_t)n << 31) >> log; /* from 1 to 2, times 2^31 */
    for (int i = 0; i < 4; i++) {
        mantissa = mantissa * mantissa >> 31;
        cost = 2 * cost + (int)(mantissa >> 32);
        mantissa >>= mantissa >> 32;
    }
    return cost + ((n & (n - 1)) != 0);
}

static bool are_sound(const tq_size_range *ranges, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        if (ranges[i].type > ranges[i + 1].type)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].min_size > ranges[i].max_size)
            return false;
    }
    return true;
}

static unsigned width_of(const tq_size_range *range)
{
    return range->max_size - range->min_size + 1u;
}

static bool is_everyday(unsigned type)
{
    for (size_t i = 0; i < sizeof everyday_types / sizeof everyday_types[0]; i++) {
        if (everyday_types[i] == type)
            return true;
    }
    return false;
}

static unsigned weight_of(unsigned type)
{
    return is_everyday(type) ? EVERYDAY_WEIGHT : 1;
}

static void add_shares(tq_header_model *model, const tq_size_range *range)
{
    for (unsigned size = range->min_size; size <= range->max_size && size <= TQ_MESSAGE_MAX; size++)
        model->shares[size] +=
            (SHARE * weight_of(range->type) + width_of(range) - 1) / width_of(range);
}

tq_header_model *tq_header_model_new(const tq_size_range *ranges, size_t count)
{
    if (count == 0 || count > UINT16_MAX || !are_sound(ranges, count))
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
    for (size_t i = 0; i < count; i++) {
        add_shares(model, &ranges[i]);
        model->weight += weight_of(ranges[i].type);
        model->listed[ranges[i].type >> 3] |= (uint8_t)(1u << (ranges[i].type & 7));
    }
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

bool tq_header_type_high_listed(const tq_header_model *model, uint8_t high)
{
    for (unsigned i = 0; i < 256 / 8; i++) {
        if (model->listed[high * (256 / 8) + i])
            return true;
    }
    return false;
}

size_t tq_header_types_of(const tq_header_model *model, unsigned size, unsigned max_width,
                          bool everyday, uint16_t *types)
{
    size_t count = 0;
    for (size_t i = 0; i < model->count && count < TQ_SIZE_TYPES_MAX; i++) {
        const tq_size_range *range = &model->ranges[i];
        bool fits = size >= range->min_size && size <= range->max_size;
        bool repeated = count > 0 && types[count - 1] == range->type;
        if (fits && !repeated && width_of(range) <= max_width &&
            (!everyday || is_everyday(range->type)))
            types[count++] = range->type;
    }
    return count;
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

/* 16·log2(whole / part), rounded up. */
static int cost_of_share(uint64_t whole, uint64_t part)
{
    return cost_of_one_in((unsigned)((whole + part - 1) / part));
}

static int cost_of_any_size(unsigned size, size_t rest)
{
    return COST_HALF + (size == rest ? 0 : SIZES_LOG2 * BIT);
}

static int cost_of_listed(const tq_header_model *model, unsigned size, unsigned type, size_t rest)
{
    unsigned weight = weight_of(type);
    int cost_type = cost_of_share(model->weight, weight);
    int cost = COST_ANY_SIZE + cost_type + cost_of_any_size(size, rest);
    const tq_size_range *end = model->ranges + model->count;
    for (const tq_size_range *r = find_ranges(model, type); r < end && r->type == type; r++) {
        if (size < r->min_size || size > r->max_size)
            continue;
        unsigned width = width_of(r);
        cost = min_int(cost, COST_IN_RANGE + cost_type + cost_of_one_in(width));
        if (size == rest && size <= TQ_MESSAGE_MAX)
            cost = min_int(cost,
                           COST_FITS_SEGMENT + cost_of_share((uint64_t)model->shares[size] * width,
                                                             (uint64_t)SHARE * weight));
    }
    return cost;
}

static bool is_size_possible(unsigned size, size_t rest)
{
    return size >= TQ_HEADER_SIZE && (size <= TQ_MESSAGE_MAX || size == rest);
}

int tq_header_evidence_unlisted(unsigned size, size_t rest)
{
    if (!is_size_possible(size, rest))
        return 32 * BIT - COST_ANYTHING;
    return 32 * BIT - COST_ANY_TYPE - cost_of_any_size(size, rest);
}

int tq_header_evidence(const tq_header_model *model, unsigned size, unsigned type, size_t rest)
{
    int evidence = tq_header_evidence_unlisted(size, rest);
    if (!is_size_possible(size, rest) || !tq_header_type_listed(model, type))
        return evidence;
    int listed = 32 * BIT - cost_of_listed(model, size, type, rest);
    return listed > evidence ? listed : evidence;
}
