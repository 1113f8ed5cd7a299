/* SPDX-License-Identifier: MIT */
/* Where candidates come from. */
#include "recovery_internal.h"

enum {
    COST_COUNTER = 16 * TQ_BIT,
    COST_X = 33 * TQ_BIT,      /* one of all 2^32, with a half of the weight */
    COST_GIVEN_X = 5 * TQ_BIT, /* one of at most 16, with the other half */
    COST_MARK = 4 * TQ_BIT,    /* anchors where segments start, */
    COST_INNER = 5 * TQ_BIT,   /* and others */

    SIZE_HIGH_MAX = TQ_MESSAGE_MAX / 256,
    GIVEN_X_STEPS = 256,
    TYPES_STEPS = 256,
    NARROW = 16,                  /* a range of at most so many sizes */
    SEED_EVIDENCE = 16 * TQ_BIT,  /* a header must have this much to seed candidates, */
    SECOND_EVIDENCE = 8 * TQ_BIT, /* or the second of a pair this much, */
    PAIR_EVIDENCE = 36 * TQ_BIT,  /* and the pair with what follows this much */
};

/* At least the log2 of rank², where rank counts from 1. */
static int cost_of_rank(unsigned rank)
{
    int log = 0;
    while ((rank - 1) >> log)
        log++;
    return 2 * log * TQ_BIT;
}

static bool is_mark(const tq_recovery *r, uint64_t position)
{
    for (unsigned i = 0; i < r->mark_count; i++) {
        if (r->marks[i] == position)
            return true;
    }
    return false;
}

/* Minus log2 of the weight of an anchor. */
static int cost_of_anchor(const tq_recovery *r, uint64_t anchor)
{
    return is_mark(r, anchor) ? COST_MARK + cost_of_rank(r->segments)
                              : COST_INNER + cost_of_rank(r->inner);
}

/* Log2 of the weight of each candidate with this anchor. */
static int weigh(const tq_recovery *r, uint64_t anchor, bool given_x)
{
    int cost = cost_of_anchor(r, anchor);
    if (!r->counter_known)
        cost += COST_COUNTER;
    if (r->x_unknown)
        cost += given_x ? COST_GIVEN_X : COST_X;
    return -cost;
}

static bool is_type_listed(const tq_recovery *r, const uint8_t header[4])
{
    return tq_header_type_listed(r->model, header[2] | (unsigned)header[3] << 8);
}

/* Keeps a seed, unless its key is kept and has not lost its place. If it has, it may have found it
   again here: the seed takes over the evidence from before that place, if that is worth the cost of
   the anchor (a family's may be of the same few messages, told anew). Both possibilities are kept;
   else candidates that decrypt alike would not be judged alike. */
static void keep_seed(tq_recovery *r, tq_candidate *seed)
{
    tq_candidate *worst = NULL;
    unsigned lost = 0;
    int evidence = seed->score - seed->start;
    int cost = cost_of_anchor(r, seed->anchor);
    for (size_t i = 0; i < r->count; i++) {
        tq_candidate *k = &r->candidates[i];
        if (!tq_candidate_is_same(k, seed))
            continue;
        if (!k->lost)
            return;
        lost++;
        if (!k->is_family && seed->anchor > k->next && k->score - cost > seed->start) {
            seed->start = k->score - cost;
            seed->score = seed->start + evidence;
            seed->messages += k->messages;
        }
        if (!worst || k->score < worst->score)
            worst = k;
    }
    if (worst && (lost > 1 || seed->score > worst->score)) {
        if (seed->score > worst->score)
            *worst = *seed;
    } else {
        tq_candidate_keep(r, seed);
    }
}

/* Seeds candidates with one X from every page that has a P. */
static void seed_pages(tq_recovery *r, uint64_t anchor, unsigned low, uint32_t x, uint8_t p)
{
    for (unsigned page = 0; page < TQ_PAGE; page++) {
        uint16_t counter = (uint16_t)(page << 8 | low);
        uint16_t counter_at_0 = (uint16_t)(counter - anchor);
        if ((r->t2[page] ^ tq_byte_of(x * x, page)) != p ||
            (r->counter_known && counter_at_0 != r->counter_at_0))
            continue;
        tq_candidate k = tq_candidate_make(anchor, counter, x, weigh(r, anchor, true));
        k.given = x != 0;
        tq_candidate_advance(r, &k);
        keep_seed(r, &k);
    }
}

static void seed_pages_and_twins(tq_recovery *r, uint64_t anchor, unsigned low, uint32_t x,
                                 uint8_t p)
{
    seed_pages(r, anchor, low, x, p);
    for (size_t i = 0; i < r->twin_count; i++) {
        unsigned twin = (low + r->twins[i].distance) & 255;
        if (twin + TQ_HEADER_SIZE > TQ_PAGE)
            seed_pages(r, anchor, twin, x, p ^ r->twins[i].difference);
    }
}

/* Seeds from one header, X being given: the high byte of the size has few values, and each makes
   one P. */
static void seed_given_x(tq_recovery *r, uint64_t anchor, uint32_t x)
{
    const uint8_t *in = tq_run_at(r, anchor);
    tq_spend(r, GIVEN_X_STEPS);
    for (unsigned low = 0; low + TQ_HEADER_SIZE <= TQ_PAGE; low++) {
        /* P falls out of the combination of the two high bytes. */
        uint8_t highs = in[1] ^ in[3] ^ r->t1[low + 1] ^ r->t1[low + 3] ^ tq_byte_of(x, low + 1) ^
                        tq_byte_of(x, low + 3);
        if (!r->sound_highs[highs])
            continue;
        uint8_t masked[TQ_HEADER_SIZE];
        for (unsigned i = 0; i < TQ_HEADER_SIZE; i++)
            masked[i] = in[i] ^ r->t1[low + i] ^ tq_byte_of(x, low + i);
        for (unsigned size_high = 0; size_high <= SIZE_HIGH_MAX; size_high++) {
            uint8_t p = masked[1] ^ (uint8_t)size_high;
            const uint8_t header[TQ_HEADER_SIZE] = {masked[0] ^ p, masked[1] ^ p, masked[2] ^ p,
                                                    masked[3] ^ p};
            if (is_type_listed(r, header) &&
                tq_candidate_header(r, anchor, header) >= SEED_EVIDENCE)
                seed_pages_and_twins(r, anchor, low, x, p);
        }
    }
}

/* Two consecutive messages whose headers are in one page, and what type the first may be of. */
typedef struct pair {
    uint64_t anchor; /* of the first */
    unsigned size;   /* of the first */
    const uint8_t *first;
    const uint8_t *second;
    const uint16_t *types;
    size_t type_count;
} pair;

/* With a type for the first message, X ^ P is known: v from the first header's place on, four bytes
   that repeat. Gives v and the second header. */
static void solve_pair(const tq_recovery *r, const pair *two, unsigned low, unsigned type,
                       uint8_t v[4], uint8_t header[4])
{
    const uint8_t first[4] = {(uint8_t)two->size, 0, (uint8_t)type, (uint8_t)(type >> 8)};
    for (unsigned i = 0; i < 4; i++)
        v[i] = two->first[i] ^ r->t1[low + i] ^ first[i];
    for (unsigned i = 0; i < 4; i++)
        header[i] = two->second[i] ^ r->t1[low + two->size + i] ^ v[(two->size + i) & 3];
}

/* Makes a family that decrypts the bytes from an anchor on to what v makes of them. */
static tq_candidate make_family(tq_recovery *r, uint64_t anchor, unsigned low, const uint8_t v[4],
                                uint8_t difference)
{
    uint32_t x = 0;
    for (unsigned i = 0; i < 4; i++)
        x |= (uint32_t)(v[i] ^ difference) << (8 * ((low + i) & 3));
    tq_candidate k = tq_candidate_make(anchor, (uint16_t)low, x, weigh(r, anchor, false));
    k.is_family = true;
    tq_candidate_advance(r, &k);
    return k;
}

static void seed_family(tq_recovery *r, const pair *two, unsigned low, const uint8_t v[4])
{
    tq_candidate k = make_family(r, two->anchor, low, v, 0);
    if (k.score - k.start < PAIR_EVIDENCE)
        return;
    keep_seed(r, &k);
    for (size_t i = 0; i < r->twin_count; i++) {
        unsigned twin = (low + r->twins[i].distance) & 255;
        if (twin + two->size + TQ_HEADER_SIZE <= TQ_PAGE)
            continue;
        k = make_family(r, two->anchor, twin, v, r->twins[i].difference);
        keep_seed(r, &k);
    }
}

/* Seeds from a pair, the counter's low byte being given. */
static void seed_types(tq_recovery *r, const pair *two, unsigned low)
{
    tq_spend(r, 8 * two->type_count);
    for (size_t i = 0; i < two->type_count; i++) {
        uint8_t v[4];
        uint8_t header[4];
        solve_pair(r, two, low, two->types[i], v, header);
        if (r->sound_size_high[header[1]] && is_type_listed(r, header) &&
            tq_candidate_header(r, two->anchor + two->size, header) >= SECOND_EVIDENCE)
            seed_family(r, two, low, v);
    }
}

/*
 * Tries each low byte of the counter. The first header's size is known, and two bytes of X ^ P with
 * it; one high byte of the second header's fields is under those two, and can be told before a type
 * is chosen.
 */
static void seed_low_bytes(tq_recovery *r, const pair *two)
{
    bool of_size = (two->size & 3) == 0 || (two->size & 3) == 3;
    unsigned i = of_size ? 1 : 3;
    unsigned j = (two->size + i) & 3; /* where the first has the same byte of X ^ P: 0 or 1 */
    const bool *sound = of_size ? r->sound_size_high : r->sound_type_high;
    uint8_t known = two->first[j] ^ two->second[i] ^ (j == 0 ? (uint8_t)two->size : 0);
    unsigned end = TQ_PAGE - two->size - TQ_HEADER_SIZE + 1;
    tq_spend(r, end);
    for (unsigned low = 0; low < end; low++) {
        if (!sound[known ^ r->t1[low + j] ^ r->t1[low + two->size + i]])
            continue;
        if (!r->counter_known || (uint8_t)(r->counter_at_0 + two->anchor) == low)
            seed_types(r, two, low);
    }
}

/* Seeds from a message that fills the bytes between two coordinates, if it fits a page. */
static void seed_between(tq_recovery *r, uint64_t first, uint64_t second, const uint16_t *types,
                         size_t type_count)
{
    if (type_count == 0 || first < r->window_start || first + TQ_HEADER_SIZE > second ||
        second + TQ_HEADER_SIZE > first + TQ_PAGE)
        return;
    pair two = {.anchor = first,
                .size = (unsigned)(second - first),
                .first = tq_run_at(r, first),
                .second = tq_run_at(r, second),
                .types = types,
                .type_count = type_count};
    seed_low_bytes(r, &two);
}

static void seed_at_mark(tq_recovery *r, uint64_t mark)
{
    for (size_t i = 0; i < r->x_count; i++)
        seed_given_x(r, mark, r->x[i]);
    for (unsigned i = 0; i < r->mark_count && r->x_unknown; i++) {
        uint16_t types[TQ_SIZE_TYPES_MAX];
        uint64_t size = mark - r->marks[i];
        if (size < TQ_HEADER_SIZE || size >= TQ_PAGE)
            continue;
        size_t count = tq_header_types_of(r->model, (unsigned)size, TQ_MESSAGE_MAX, false, types);
        tq_spend(r, TYPES_STEPS);
        seed_between(r, r->marks[i], mark, types, count);
    }
}

/* Everyday messages from where the newest segment starts to a coordinate inside it. */
static void seed_from_mark(tq_recovery *r, uint64_t position)
{
    uint64_t size = position - r->marks[0];
    if (r->mark_count > 0 && size < TQ_PAGE)
        seed_between(r, r->marks[0], position, r->everyday[size].types, r->everyday[size].count);
}

/* Everyday messages that start anywhere, if their size says much about their type. */
static void seed_anywhere(tq_recovery *r, uint64_t position)
{
    for (size_t i = 0; i < r->narrow_count; i++) {
        const tq_everyday *everyday = &r->everyday[r->narrow_sizes[i]];
        if (position - r->window_start >= r->narrow_sizes[i])
            seed_between(r, position - r->narrow_sizes[i], position, everyday->types,
                         everyday->narrow_count);
    }
}

static void seed_inside(tq_recovery *r, uint64_t position)
{
    if (r->x_unknown)
        seed_from_mark(r, position);
    if (r->inner_budget == 0)
        return;
    uint64_t before = r->budget;
    r->inner++;
    for (size_t i = 0; i < r->x_count; i++)
        seed_given_x(r, position, r->x[i]);
    if (r->x_unknown)
        seed_anywhere(r, position);
    uint64_t spent = before - r->budget;
    r->inner_budget -= spent < r->inner_budget ? spent : r->inner_budget;
}

static bool is_among(uint16_t type, const uint16_t *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (types[i] == type)
            return true;
    }
    return false;
}

static void prepare_everyday(tq_recovery *r, unsigned size)
{
    tq_everyday *everyday = &r->everyday[size];
    uint16_t narrow[TQ_SIZE_TYPES_MAX];
    uint16_t any[TQ_SIZE_TYPES_MAX];
    size_t narrow_count = tq_header_types_of(r->model, size, NARROW, true, narrow);
    size_t any_count = tq_header_types_of(r->model, size, TQ_MESSAGE_MAX, true, any);
    for (size_t i = 0; i < narrow_count && everyday->count < TQ_EVERYDAY_TYPES; i++)
        everyday->types[everyday->count++] = narrow[i];
    everyday->narrow_count = everyday->count;
    for (size_t i = 0; i < any_count && everyday->count < TQ_EVERYDAY_TYPES; i++) {
        if (!is_among(any[i], narrow, narrow_count))
            everyday->types[everyday->count++] = any[i];
    }
    if (narrow_count > 0)
        r->narrow_sizes[r->narrow_count++] = (uint8_t)size;
}

/* Finds the low bytes that differ in T1 by one value throughout. */
static void find_twins(tq_recovery *r)
{
    for (unsigned distance = 1; distance < TQ_PAGE; distance++) {
        uint8_t difference = r->t1[distance] ^ r->t1[0];
        unsigned low = 1;
        while (low < TQ_PAGE && (r->t1[(low + distance) & 255] ^ r->t1[low]) == difference)
            low++;
        if (low == TQ_PAGE)
            r->twins[r->twin_count++] = (tq_twin){(uint8_t)distance, difference};
    }
}

void tq_seed_prepare(tq_recovery *r)
{
    find_twins(r);
    for (unsigned high = 0; high < 256; high++) {
        r->sound_size_high[high] = high <= SIZE_HIGH_MAX;
        r->sound_type_high[high] = tq_header_type_high_listed(r->model, (uint8_t)high);
    }
    for (unsigned size_high = 0; size_high <= SIZE_HIGH_MAX; size_high++) {
        for (unsigned high = 0; high < 256; high++)
            r->sound_highs[high ^ size_high] |= r->sound_type_high[high];
    }
    for (unsigned size = TQ_HEADER_SIZE; size < TQ_PAGE && r->x_unknown; size++)
        prepare_everyday(r, size);
}

void tq_seed_at(tq_recovery *r, uint64_t position)
{
    if (is_mark(r, position))
        seed_at_mark(r, position);
    else
        seed_inside(r, position);
}
