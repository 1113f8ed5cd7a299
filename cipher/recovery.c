/* SPDX-License-Identifier: MIT */
/*
 * How it works. Write c for the counter, with its low byte l and its high byte h, the *page*. With
 * the tables of tq_tables and X, Y = X·X as in the alternate key,
 *
 *     plain = swap(in) ^ T1[l] ^ X[c mod 4] ^ P       P = T2[h] ^ Y[h mod 4]
 *
 * A *candidate* is a complete key: counter and X. Candidates are *seeded* from messages that must
 * be right for the candidate to be right, at an *anchor*, a coordinate where the first of them
 * would start. From there a candidate predicts where each next message starts; every header it
 * meets there adds to its score or takes from it. Candidates that fall too low are dropped; when
 * those that are left agree on the keystream and their score is high enough, it is claimed.
 *
 * Seeds, if X is given (0, or a guess): for each l one header leaves few P, and each P few h.
 *
 * Seeds, if X is unknown: within one page X[c mod 4] ^ P are four unknown bytes V. For each l, two
 * consecutive messages in one page suffice: the first's size, the distance, gives two bytes of V,
 * each possible type two more, and then the second's header must be sound. Any of the 256 values of
 * P gives X = V ^ P, and then each h for which P comes out right is a candidate: about 256 for each
 * V. They decrypt the page alike; each later page tells them apart by 8 bits. (Also alike, as far
 * as the page end, are l and l ^ 128, for K1[l ^ 128] = K1[l] ^ 128 with the usual seeds.)
 *
 * Why claims are sure. Under random bytes, header evidence is a likelihood ratio against the truth:
 * each candidate's 2^score is a supermartingale that starts at its weight, and the weights of all
 * candidates at all anchors together are at most 1:
 *
 *     candidates   2^-16 for each counter with one given X (less the number of X),
 *                  2^-49 for each counter with each other X
 *     anchors      2^-4 / k² for the k-th start of a segment, 2^-5 / k² for the k-th other
 *                  coordinate tried; the sum of 1/k² is 1.65
 *
 * So by Ville's inequality the sum of all 2^score ever reaches 2^20 with a chance of at most 2^-20,
 * whatever the number of messages and segments, and only beyond it is anything claimed. If the
 * direction is a TQ direction, then scores are posterior odds; a claim needs all candidates that
 * would contradict it to be less likely than it by 2^20 together.
 */
#include "recovery.h"

#include <stdlib.h>
#include <string.h>

enum {
    BIT = TQ_EVIDENCE_BIT,
    PAGE = 256,
    WINDOW = 2048,      /* bytes kept of the current run */
    CHUNK = WINDOW / 2, /* so a header that straddles two chunks stays in the window */
    MARKS = 16,         /* recent starts of segments kept */
    CANDIDATES_MAX = 2048,
    CANDIDATES_LOG2 = 11,

    COST_COUNTER = 16 * BIT,
    COST_X = 33 * BIT,      /* one of all 2^32, with a half of the weight */
    COST_GIVEN_X = 5 * BIT, /* one of at most 16, with the other half */
    COST_MARK = 4 * BIT,
    COST_NO_MARK = 5 * BIT,

    SEED_EVIDENCE = 16 * BIT, /* a seed's header must have this much, */
    PAIR_EVIDENCE = 32 * BIT, /* a pair's two headers together this much */
    KEPT_EVIDENCE = 12 * BIT, /* and a candidate may not fall below this */
    RESYNC_EVIDENCE = 8 * BIT,
    COST_RESYNC = 3 * BIT, /* a segment starts a message with a chance of 1/8, */
    COST_NO_RESYNC = 4,    /* or not, 7/8 */

    DEEP_SEGMENTS = 4, /* from this segment on, coordinates inside segments are tried in pairs */
};

typedef struct candidate {
    uint64_t next;     /* coordinate where the next message starts */
    uint64_t boundary; /* where the last one started */
    uint64_t body;     /* its bytes from here to next are not scored yet */
    uint32_t x;
    uint16_t counter_at_0;
    bool lost; /* next is not known */
    int score; /* log2 of weight times likelihood ratio, in 1/16 bit */
    int start; /* score before any evidence */
    uint64_t start_at; /* coordinate of the first message */
    unsigned messages;
} candidate;

struct tq_recovery {
    uint8_t t1[PAGE];
    uint8_t t2[PAGE];
    uint8_t page_of[PAGE];         /* pages sorted by their byte of T2 */
    uint16_t page_start[PAGE + 1]; /* where those with one byte start in page_of */
    const tq_header_model *model;
    uint32_t x[1 + TQ_RECOVERY_X_MAX]; /* given values of X, 0 first */
    size_t x_count;
    bool x_unknown; /* other values are possible */
    bool counter_known;
    uint16_t counter_at_0;

    tq_recovery_state state;
    tq_recovered result;
    uint64_t budget;      /* steps left */
    uint64_t deep_budget; /* of these, for coordinates inside segments */

    /* The run: consecutive bytes fed last, nibbles already swapped. */
    bool started;
    uint8_t window[WINDOW];
    uint64_t window_start; /* coordinate of window[0] */
    uint64_t end;          /* coordinate after the last byte */
    uint64_t segment_end;  /* end of the segment that is being fed */
    uint64_t marks[MARKS]; /* starts of segments in the run, newest first */
    unsigned mark_count;
    unsigned segments; /* fed so far */
    unsigned inner;    /* coordinates inside segments tried so far */

    candidate candidates[CANDIDATES_MAX];
    size_t count;
};

static uint8_t byte_of(uint32_t word, unsigned i)
{
    return (uint8_t)(word >> (8 * (i & 3)));
}

static uint8_t keystream_at(const tq_recovery *r, const candidate *k, uint64_t position)
{
    unsigned counter = (uint16_t)(k->counter_at_0 + position);
    unsigned page = counter >> 8;
    return r->t1[counter & 255] ^ byte_of(k->x, counter) ^ r->t2[page] ^ byte_of(k->x * k->x, page);
}

static void spend(tq_recovery *r, uint64_t steps)
{
    r->budget -= steps < r->budget ? steps : r->budget;
}

static const uint8_t *run_at(const tq_recovery *r, uint64_t position)
{
    return r->window + (position - r->window_start);
}

static int evidence_of(const tq_recovery *r, uint64_t position, const uint8_t header[4],
                       unsigned *size)
{
    /* Where the segment of an earlier start ends is not kept. */
    size_t rest = position >= r->marks[0] ? (size_t)(r->segment_end - position) : 0;
    *size = header[0] | (unsigned)header[1] << 8;
    return tq_header_evidence(r->model, *size, header[2] | (unsigned)header[3] << 8, rest);
}

static int read_header(const tq_recovery *r, const candidate *k, uint64_t position, unsigned *size)
{
    uint8_t header[TQ_HEADER_SIZE];
    for (unsigned i = 0; i < TQ_HEADER_SIZE; i++)
        header[i] = run_at(r, position)[i] ^ keystream_at(r, k, position + i);
    return evidence_of(r, position, header, size);
}

static void accept_message(candidate *k, uint64_t position, unsigned size)
{
    k->boundary = position;
    k->body = position + TQ_HEADER_SIZE;
    k->next = position + size;
    k->messages++;
}

static int read_body(tq_recovery *r, const candidate *k)
{
    size_t zeros = 0;
    size_t texts = 0;
    for (uint64_t position = k->body; position < k->next; position++) {
        uint8_t byte = *run_at(r, position) ^ keystream_at(r, k, position);
        zeros += byte == 0;
        texts += byte >= ' ' && byte <= '~';
    }
    size_t len = (size_t)(k->next - k->body);
    spend(r, len);
    return tq_body_evidence(zeros, texts, len);
}

/* Scores what a candidate makes of the run up to a limit: headers as they come, bodies when they
   are complete. */
static void advance(tq_recovery *r, candidate *k, uint64_t limit)
{
    while (!k->lost) {
        if (k->next > limit)
            return;
        if (k->body < k->next && k->body >= r->window_start)
            k->score += read_body(r, k);
        k->body = k->next;
        if (k->next + TQ_HEADER_SIZE > limit)
            return;
        unsigned size;
        int evidence = read_header(r, k, k->next, &size);
        spend(r, 1);
        k->score += evidence;
        if (evidence > 0)
            accept_message(k, k->next, size);
        else
            k->lost = true;
    }
}

/* Looks for a lost candidate's messages where a segment starts. */
static void resync(const tq_recovery *r, candidate *k, uint64_t position)
{
    unsigned size;
    int evidence = 0;
    if (position + TQ_HEADER_SIZE <= r->end)
        evidence = read_header(r, k, position, &size);
    if (evidence < RESYNC_EVIDENCE) {
        k->score -= COST_NO_RESYNC;
        return;
    }
    k->score += evidence - COST_RESYNC;
    k->lost = false;
    accept_message(k, position, size);
}

/* Makes a candidate whose first message is at anchor, and scores it up to a limit. */
static candidate make_candidate(tq_recovery *r, uint64_t anchor, uint16_t counter, uint32_t x,
                                int start, uint64_t limit)
{
    candidate k = {.next = anchor,
                   .start_at = anchor,
                   .boundary = anchor,
                   .body = anchor,
                   .counter_at_0 = (uint16_t)(counter - anchor),
                   .x = x,
                   .score = start,
                   .start = start};
    advance(r, &k, limit);
    return k;
}

static void add_candidate(tq_recovery *r, const candidate *k)
{
    if (r->counter_known && k->counter_at_0 != r->counter_at_0)
        return;
    /* One that is missing might contradict a claim: rather than without it, start anew. */
    if (r->count == CANDIDATES_MAX)
        r->count = 0;
    if (k->score - k->start >= KEPT_EVIDENCE)
        r->candidates[r->count++] = *k;
}

/* Whether there are candidates that decrypt the page like this one. */
static bool is_family_listed(const tq_recovery *r, const candidate *k)
{
    for (size_t i = 0; i < r->count; i++) {
        const candidate *other = &r->candidates[i];
        bool same = (uint8_t)other->counter_at_0 == (uint8_t)k->counter_at_0;
        for (unsigned j = 0; j < 4 && same; j++)
            same = keystream_at(r, other, k->start_at + j) == keystream_at(r, k, k->start_at + j);
        if (same)
            return true;
    }
    return false;
}

static int cost_of_rank(unsigned rank)
{
    int log = 0;
    while ((rank - 1) >> log)
        log++;
    return 2 * log * BIT; /* ≥ log2 of rank² */
}

static bool is_mark(const tq_recovery *r, uint64_t position)
{
    for (unsigned i = 0; i < r->mark_count; i++) {
        if (r->marks[i] == position)
            return true;
    }
    return false;
}

/* Log2 of the weight that every candidate with this anchor starts with. */
static int weigh(const tq_recovery *r, uint64_t anchor, bool given_x)
{
    int cost = is_mark(r, anchor) ? COST_MARK + cost_of_rank(r->segments)
                                  : COST_NO_MARK + cost_of_rank(r->inner);
    if (!r->counter_known)
        cost += COST_COUNTER;
    if (r->x_unknown)
        cost += given_x ? COST_GIVEN_X : COST_X;
    return -cost;
}

static bool is_listed(const tq_recovery *r, uint64_t counter_at_0, uint32_t x)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->candidates[i].counter_at_0 == (uint16_t)counter_at_0 && r->candidates[i].x == x)
            return true;
    }
    return false;
}

/* Seeds from one header with X given. */
static void seed_with_x(tq_recovery *r, uint64_t anchor, uint32_t x)
{
    const uint8_t *in = run_at(r, anchor);
    uint32_t y = x * x;
    int start = weigh(r, anchor, true);
    spend(r, PAGE);
    for (unsigned low = 0; low + TQ_HEADER_SIZE <= PAGE; low++) {
        uint8_t masked[TQ_HEADER_SIZE];
        for (unsigned i = 0; i < TQ_HEADER_SIZE; i++)
            masked[i] = in[i] ^ r->t1[low + i] ^ byte_of(x, low + i);
        for (unsigned size_high = 0; size_high <= TQ_MESSAGE_MAX / 256; size_high++) {
            uint8_t p = masked[1] ^ (uint8_t)size_high;
            uint8_t header[TQ_HEADER_SIZE];
            for (unsigned i = 0; i < TQ_HEADER_SIZE; i++)
                header[i] = masked[i] ^ p;
            unsigned size;
            if (!tq_header_type_listed(r->model, header[2] | (unsigned)header[3] << 8) ||
                evidence_of(r, anchor, header, &size) < SEED_EVIDENCE)
                continue;
            for (unsigned page = 0; page < PAGE; page++) {
                uint16_t counter = (uint16_t)(page << 8 | low);
                if ((r->t2[page] ^ byte_of(y, page)) != p || is_listed(r, counter - anchor, x))
                    continue;
                candidate k = make_candidate(r, anchor, counter, x, start, r->end);
                add_candidate(r, &k);
            }
        }
    }
}

/* Adds every (page, X) under which the four keystream bytes of one page, less T1, are v, if what
   they all make of the page is convincing. */
static void add_family(tq_recovery *r, uint64_t anchor, unsigned low, const uint8_t v[4])
{
    uint64_t page_end = anchor - low + PAGE;
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++)
        word |= (uint32_t)v[i] << (8 * ((low + i) & 3));
    int start = weigh(r, anchor, false);
    bool first = true;
    for (unsigned p = 0; p < 256; p++) {
        uint32_t x = word ^ p * UINT32_C(0x01010101);
        uint32_t y = x * x;
        for (unsigned quarter = 0; quarter < 4; quarter++) {
            uint8_t t2 = (uint8_t)p ^ byte_of(y, quarter);
            for (unsigned i = r->page_start[t2]; i < r->page_start[t2 + 1]; i++) {
                if ((r->page_of[i] & 3) != quarter)
                    continue;
                uint16_t counter = (uint16_t)(r->page_of[i] << 8 | low);
                candidate k = make_candidate(r, anchor, counter, x, start,
                                             page_end < r->end ? page_end : r->end);
                if (first && (k.score - k.start < PAIR_EVIDENCE || is_family_listed(r, &k)))
                    return;
                first = false;
                advance(r, &k, r->end);
                add_candidate(r, &k);
            }
        }
    }
}

/* Two messages in one page: the first at anchor, the second size bytes further. */
typedef struct pair {
    uint64_t anchor;
    unsigned size;
    const uint8_t *first;
    const uint8_t *second;
    bool any_type; /* the first may be of any listed type; else only of those that have this size */
} pair;

/* What the second header would be, given the type of the first. Where its bytes do not depend on
   the type, type may be anything. */
static void apply_pair(const tq_recovery *r, const pair *two, unsigned low, unsigned type,
                       uint8_t v[4], uint8_t header[4])
{
    const uint8_t first[4] = {(uint8_t)two->size, 0, (uint8_t)type, (uint8_t)(type >> 8)};
    for (unsigned i = 0; i < 4; i++)
        v[i] = two->first[i] ^ r->t1[low + i] ^ first[i];
    for (unsigned i = 0; i < 4; i++)
        header[i] = two->second[i] ^ r->t1[low + two->size + i] ^ v[(two->size + i) & 3];
}

/* Whether the second header can be sound whatever the type of the first. */
static bool pair_is_possible(const tq_recovery *r, const pair *two, unsigned low)
{
    uint8_t v[4];
    uint8_t header[4];
    apply_pair(r, two, low, 0, v, header);
    switch (two->size & 3) {
    case 0: /* the size is under the first's size */
    case 3: /* its high byte is */
        return header[1] <= TQ_MESSAGE_MAX / 256;
    case 2: /* the type is */
        return tq_header_type_listed(r->model, header[2] | (unsigned)header[3] << 8);
    default:
        return true;
    }
}

static void seed_pair(tq_recovery *r, const pair *two)
{
    size_t range_count;
    const tq_size_range *ranges = tq_header_model_ranges(r->model, &range_count);
    for (unsigned low = 0; low + two->size + TQ_HEADER_SIZE <= PAGE; low++) {
        if (r->counter_known && (uint8_t)(r->counter_at_0 + two->anchor) != low)
            continue;
        spend(r, 1);
        if (!pair_is_possible(r, two, low))
            continue;
        for (size_t i = 0; i < range_count; i++) {
            const tq_size_range *range = &ranges[i];
            bool fits = two->size >= range->min_size && two->size <= range->max_size;
            bool repeated = i > 0 && range[-1].type == range->type;
            if (!(fits || two->any_type) || (repeated && two->any_type))
                continue;
            uint8_t v[4];
            uint8_t header[4];
            unsigned size;
            apply_pair(r, two, low, range->type, v, header);
            spend(r, 1);
            if (tq_header_type_listed(r->model, header[2] | (unsigned)header[3] << 8) &&
                evidence_of(r, two->anchor + two->size, header, &size) >= SEED_EVIDENCE)
                add_family(r, two->anchor, low, v);
        }
    }
}

static void seed_pair_at(tq_recovery *r, uint64_t anchor, uint64_t second, bool any_type)
{
    if (anchor < r->window_start || second < anchor + TQ_HEADER_SIZE ||
        second + TQ_HEADER_SIZE > anchor + PAGE)
        return;
    pair two = {anchor, (unsigned)(second - anchor), run_at(r, anchor), run_at(r, second),
                any_type};
    seed_pair(r, &two);
}

/* Seeds from a message that starts where a segment does. */
static void seed_at_mark(tq_recovery *r, uint64_t mark)
{
    for (size_t i = 0; i < r->x_count; i++)
        seed_with_x(r, mark, r->x[i]);
    if (!r->x_unknown)
        return;
    for (unsigned i = 0; i < r->mark_count; i++) {
        if (r->marks[i] < mark)
            seed_pair_at(r, r->marks[i], mark, true);
    }
}

/* Seeds from a message inside a segment. */
static void seed_inside(tq_recovery *r, uint64_t position)
{
    if (r->x_unknown && r->mark_count > 0)
        seed_pair_at(r, r->marks[0], position, false);
    if (r->deep_budget == 0)
        return;
    uint64_t before = r->budget;
    r->inner++;
    for (size_t i = 0; i < r->x_count; i++) {
        seed_with_x(r, position, r->x[i]);
    }
    uint64_t spent = before - r->budget;
    r->deep_budget -= r->deep_budget > spent ? spent : r->deep_budget;
}

static void append(tq_recovery *r, const uint8_t *bytes, size_t len)
{
    size_t used = (size_t)(r->end - r->window_start);
    if (used + len > WINDOW) {
        size_t dropped = used + len - WINDOW;
        memmove(r->window, r->window + dropped, used - dropped);
        r->window_start += dropped;
        used -= dropped;
    }
    for (size_t i = 0; i < len; i++)
        r->window[used + i] = (uint8_t)(bytes[i] << 4 | bytes[i] >> 4);
    r->end += len;
}

static void start_run(tq_recovery *r, uint64_t position)
{
    r->window_start = position;
    r->end = position;
    r->mark_count = 0;
    r->started = true;
    for (size_t i = 0; i < r->count; i++) {
        candidate *k = &r->candidates[i];
        if (k->next < position)
            k->lost = true;
        k->body = k->next; /* what the gap took from it cannot be scored */
    }
}

static void add_mark(tq_recovery *r, uint64_t position)
{
    memmove(r->marks + 1, r->marks, (MARKS - 1) * sizeof r->marks[0]);
    r->marks[0] = position;
    r->mark_count += r->mark_count < MARKS;
}

static void feed_chunk(tq_recovery *r, const uint8_t *bytes, size_t len)
{
    uint64_t position = r->end - r->window_start < TQ_HEADER_SIZE - 1
                            ? r->window_start
                            : r->end - (TQ_HEADER_SIZE - 1);
    bool starts_segment = r->end == r->marks[0];
    append(r, bytes, len);
    for (size_t i = 0; i < r->count; i++) {
        if (starts_segment && r->candidates[i].lost)
            resync(r, &r->candidates[i], r->marks[0]);
        advance(r, &r->candidates[i], r->end);
    }
    if (r->state != TQ_RECOVERY_SEARCHING)
        return;
    for (; position + TQ_HEADER_SIZE <= r->end && r->budget > 0; position++) {
        if (is_mark(r, position))
            seed_at_mark(r, position);
        else
            seed_inside(r, position);
    }
}

static int best_score(const tq_recovery *r)
{
    int best = INT32_MIN;
    for (size_t i = 0; i < r->count; i++) {
        if (r->candidates[i].score > best)
            best = r->candidates[i].score;
    }
    return best;
}

static void drop_below(tq_recovery *r, int score, int evidence)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        const candidate *k = &r->candidates[i];
        if (k->score >= score && k->score - k->start >= evidence)
            r->candidates[kept++] = *k;
    }
    r->count = kept;
}

static int floor_log2(size_t n)
{
    int log = 0;
    while (n >>= 1)
        log++;
    return log;
}

/* The candidates that are not less likely than the best by 2^20 together with all the rest. */
static int credible_score(const tq_recovery *r, int best)
{
    return best - (TQ_RECOVERY_CERTAINTY + floor_log2(r->count) + 1) * BIT;
}

/* Whether the sum of all 2^score exceeds 2^20. */
static bool beats_noise(const tq_recovery *r, int best)
{
    size_t equals = 0;
    for (size_t i = 0; i < r->count; i++)
        equals += r->candidates[i].score == best;
    return best + floor_log2(equals) * BIT >= TQ_RECOVERY_CERTAINTY * BIT;
}

static bool all_agree_at(const tq_recovery *r, uint64_t position)
{
    uint8_t byte = keystream_at(r, &r->candidates[0], position);
    for (size_t i = 1; i < r->count; i++) {
        if (keystream_at(r, &r->candidates[i], position) != byte)
            return false;
    }
    return true;
}

static void describe(tq_recovery *r)
{
    tq_recovered *result = &r->result;
    const candidate *k = &r->candidates[0];
    for (size_t i = 1; i < r->count; i++) {
        if (r->candidates[i].score > k->score)
            k = &r->candidates[i];
    }
    if (r->state == TQ_RECOVERY_SEARCHING) {
        result->from = k->boundary;
        result->until = k->boundary;
    }
    result->counter_at_0 = k->counter_at_0;
    result->x = k->x;
    result->boundary = k->boundary;
    result->messages = k->messages;
    if (r->count == 1) {
        result->from = 0;
        result->until = UINT64_MAX;
        r->state = TQ_RECOVERY_FOUND;
        return;
    }
    r->state = TQ_RECOVERY_PARTIAL;
    while (result->until < r->end + PAGE && all_agree_at(r, result->until))
        result->until++;
    while (result->from > 0 && result->from + PAGE > result->boundary &&
           all_agree_at(r, result->from - 1))
        result->from--;
}

static void settle(tq_recovery *r)
{
    int best = best_score(r);
    drop_below(r, INT32_MIN, KEPT_EVIDENCE);
    if (r->count == 0 || !beats_noise(r, best))
        return;
    drop_below(r, credible_score(r, best), INT32_MIN);
    describe(r);
}

tq_recovery_state tq_recovery_feed(tq_recovery *r, uint64_t position, const uint8_t *bytes,
                                   size_t len)
{
    if (r->state == TQ_RECOVERY_FOUND || r->state == TQ_RECOVERY_GAVE_UP)
        return r->state;
    if (!r->started || position > r->end)
        start_run(r, position);
    if (r->end - position >= len)
        return r->state;
    bytes += r->end - position;
    len -= (size_t)(r->end - position);
    position = r->end;

    r->segments++;
    r->segment_end = position + len;
    add_mark(r, position);
    while (len > 0) {
        size_t chunk = len < CHUNK ? len : CHUNK;
        feed_chunk(r, bytes, chunk);
        bytes += chunk;
        len -= chunk;
    }
    settle(r);
    if (r->state == TQ_RECOVERY_SEARCHING && r->budget == 0)
        r->state = TQ_RECOVERY_GAVE_UP;
    return r->state;
}

const tq_recovered *tq_recovery_result(const tq_recovery *r)
{
    bool any = r->state == TQ_RECOVERY_PARTIAL || r->state == TQ_RECOVERY_FOUND;
    return any ? &r->result : NULL;
}

static void sort_pages(tq_recovery *r)
{
    unsigned n = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        r->page_start[byte] = (uint16_t)n;
        for (unsigned page = 0; page < PAGE; page++) {
            if (r->t2[page] == byte)
                r->page_of[n++] = (uint8_t)page;
        }
    }
    r->page_start[256] = (uint16_t)n;
}

tq_recovery *tq_recovery_new(const tq_recovery_config *config)
{
    tq_recovery *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    tq_tables tables;
    tq_tables_prepare(&tables, config->key, config->from_client ? TQ_ROLE_SERVER : TQ_ROLE_CLIENT);
    memcpy(r->t1, tables.t1, sizeof r->t1);
    memcpy(r->t2, tables.t2, sizeof r->t2);
    sort_pages(r);
    r->model = config->model;
    r->x_count = 1;
    if (config->from_client) {
        r->x_unknown = true;
        for (size_t i = 0; i < config->x_count && i < TQ_RECOVERY_X_MAX; i++)
            r->x[r->x_count++] = config->x[i];
    }
    r->counter_known = config->counter_known;
    r->counter_at_0 = config->counter_at_0;
    r->budget = config->budget ? config->budget : TQ_RECOVERY_BUDGET;
    r->deep_budget = r->budget / 2;
    return r;
}

void tq_recovery_free(tq_recovery *r)
{
    free(r);
}
