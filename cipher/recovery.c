/* SPDX-License-Identifier: MIT */
/*
 * How it works. Write c for the counter, with its low byte l and its high byte h, the *page*. With
 * the tables of tq_tables, and X and Y = X·X as in the alternate key,
 *
 *     plain = swap(in) ^ T1[l] ^ X[c mod 4] ^ P       P = T2[h] ^ Y[h mod 4]
 *
 * A *candidate* is a complete key: counter and X. Candidates are *seeded* from messages that must
 * be right for the candidate to be right, at an *anchor*, a coordinate where the first of them
 * would start. From there a candidate predicts where each next message starts, and every header
 * that it meets adds to its score or takes from it (recovery_candidate.c).
 *
 * If X is given (0, or a guess), one header leaves few P for each l, and each P few h.
 *
 * If X is unknown, X[c mod 4] ^ P are four unknown bytes for each page. Two consecutive messages in
 * one page suffice for each l: the first's size, which is the distance, gives two of the four
 * bytes, each possible type the others, and then the second's header must be sound. What is found
 * so is a *family* of some 256 candidates: any of the 256 values of P gives X, and then each h for
 * which P comes out right. They decrypt the page alike. In a new page a family takes the P that
 * makes the header there soundest; each such P tells the members apart by 8 bits. A family that
 * wins is replaced by its members, scored by the P that it took; they go on until one is left.
 *
 * Why claims are sure.
 *
 * Against random bytes: header evidence is a likelihood ratio against them, so each candidate's
 * 2^score is a supermartingale that starts at its weight, and all weights together are at most 1:
 *
 *     candidates   for each counter 2^-16, times 2^-5 for each given X (at most 16) and 2^-33 for
 *                  every X, where X is unknown
 *     anchors      2^-4 / k² for the k-th segment's start, 2^-5 / k² for the k-th other coordinate
 *                  tried; the sum of 1/k² is 1.65
 *     pages        2^-8 for each P that a family takes from a header
 *
 * By Ville's inequality, the sum of all 2^score ever reaches 2^20 with a chance of at most 2^-20,
 * whatever the number of messages and segments; only beyond it is anything claimed.
 *
 * Against other keys: scores are posterior odds. A claim is made only for bytes that all candidates
 * decrypt alike which are not, together, less likely by 2^20. All that share a page's decryption
 * are seeded together, so that none is missing: l and l ^ 128 are such twins, because the usual
 * K1[l ^ 128] is K1[l] ^ 128, and one is seeded with the other even where its page ends too early
 * to be found by itself. When there are too many to keep, the search starts anew.
 *
 * Against plaintext that is not random: under the right l and a wrong X, each byte of plaintext is
 * off by one of four constants. Runs and records then look like messages that repeat, which count
 * for next to nothing in a family; and types look like other types. Of these only listed ones are
 * seeded, so a family must also beat the 2^16 others: were its types unlisted ones, its headers
 * would have the evidence in tq_candidate.doubt.
 *
 * The work is bounded: each step of seeding and scoring is taken from a budget.
 */
#include "recovery_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    CERTAINTY = TQ_RECOVERY_CERTAINTY * TQ_BIT,
    PROMISE = 8 * TQ_BIT, /* worth EXTENSION times the work */
    EXTENSION = 3,
    MARK_LENGTH = 8,       /* smaller segments are pieces, as likely as not */
    CHUNK = TQ_WINDOW / 2, /* what precedes a chunk and a message in it stay in the window */
    UNLISTED_TYPES_LOG2 = 16,
    FAMILY_SIZE_LOG2 = 7, /* each has more candidates than 2^7 */

    KEYSTREAM_PERIOD = 65536,

    ZEROS_MIN = 8,

    RESYNC_EVIDENCE = 8 * TQ_BIT,
    COST_RESYNC = 3 * TQ_BIT, /* a segment starts a message with a chance of 1/8, */
    COST_NO_RESYNC = 4,       /* or not, 7/8 */
    LOST_EVIDENCE = 12 * TQ_BIT,
};

static void start_run(tq_recovery *r, uint64_t position)
{
    r->gaps = r->started;
    r->started = true;
    r->window_start = position;
    r->end = position;
    r->mark_count = 0;
    for (size_t i = 0; i < r->count; i++) {
        tq_candidate *k = &r->candidates[i];
        if (k->next < position)
            k->lost = true;
    }
}

static void add_mark(tq_recovery *r, uint64_t position)
{
    memmove(r->marks + 1, r->marks, sizeof r->marks - sizeof r->marks[0]);
    r->marks[0] = position;
    r->mark_count += r->mark_count < TQ_MARKS;
}

static void append(tq_recovery *r, const uint8_t *bytes, size_t len)
{
    size_t used = (size_t)(r->end - r->window_start);
    if (used + len > TQ_WINDOW) {
        size_t dropped = used + len - TQ_WINDOW;
        memmove(r->window, r->window + dropped, used - dropped);
        r->window_start += dropped;
        used -= dropped;
    }
    for (size_t i = 0; i < len; i++)
        r->window[used + i] = (uint8_t)(bytes[i] << 4 | bytes[i] >> 4);
    r->end += len;
}

/* Looks for a lost candidate's messages where a segment starts. */
static void resync(tq_recovery *r, tq_candidate *k)
{
    tq_candidate found = *k;
    found.lost = false;
    found.next = r->segment_start;
    tq_candidate_advance(r, &found);
    if (found.score - k->score >= RESYNC_EVIDENCE) {
        found.score -= COST_RESYNC;
        *k = found;
    } else {
        k->score -= COST_NO_RESYNC;
    }
}

static void feed_chunk(tq_recovery *r, const uint8_t *bytes, size_t len, bool starts_segment)
{
    uint64_t position = r->end; /* the first coordinate whose header was not complete */
    for (unsigned i = 1; i < TQ_HEADER_SIZE && position > r->window_start; i++)
        position--;
    append(r, bytes, len);
    for (size_t i = 0; i < r->count; i++) {
        if (r->candidates[i].lost && starts_segment)
            resync(r, &r->candidates[i]);
        else
            tq_candidate_advance(r, &r->candidates[i]);
    }
    if (r->state != TQ_RECOVERY_SEARCHING)
        return;
    for (; position + TQ_HEADER_SIZE <= r->end && r->budget > 0; position++)
        tq_seed_at(r, position);
}

/* Whether a given X cannot be another one's that is like it. They are made of tokens and account
   ids in a way that leaves many alike but for one byte, which then makes other types of types; but
   the highest byte of Y tells them apart. */
static bool is_proved(const tq_candidate *k)
{
    return !k->given || k->deep;
}

/* The best of those that may be claimed; NULL if there is none. */
static const tq_candidate *find_best(const tq_recovery *r)
{
    const tq_candidate *best = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const tq_candidate *k = &r->candidates[i];
        if (is_proved(k) && (!best || k->score > best->score))
            best = k;
    }
    return best;
}

static int floor_log2(size_t n)
{
    int log = 0;
    while (n >>= 1)
        log++;
    return log;
}

/* Drops candidates that have come to nothing. */
static void drop_spent(tq_recovery *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->candidates[i].score - r->candidates[i].start >= LOST_EVIDENCE)
            r->candidates[kept++] = r->candidates[i];
    }
    r->count = kept;
}

/* Whether the sum of all 2^score exceeds 2^certainty: the chance that it ever does in random bytes
   is 2^-certainty. */
static bool beats_noise(const tq_recovery *r, const tq_candidate *best, int certainty)
{
    size_t equals = 0;
    for (size_t i = 0; i < r->count; i++)
        equals += r->candidates[i].score == best->score;
    int sum = best->score + floor_log2(equals) * TQ_BIT;
    return sum + (best->is_family ? FAMILY_SIZE_LOG2 * TQ_BIT : 0) >= certainty;
}

/* The score that a candidate must have not to be less likely than the best by 2^20, together with
   all others below it. */
static int least_credible(const tq_recovery *r, const tq_candidate *best)
{
    return best->score - CERTAINTY - (floor_log2(r->count) + 1) * TQ_BIT;
}

static void drop_below(tq_recovery *r, int score)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->candidates[i].score >= score)
            r->candidates[kept++] = r->candidates[i];
    }
    r->count = kept;
}

/* Puts their candidates in the place of families; false, and nothing done, if they do not fit. */
static bool expand_families(tq_recovery *r)
{
    size_t families = r->count;
    for (size_t i = 0; i < families; i++) {
        tq_candidate k = r->candidates[i];
        if (k.is_family)
            tq_family_expand(r, &k);
        else
            tq_candidate_keep(r, &k);
    }
    if (r->overflowed) {
        r->overflowed = false;
        r->count = families;
        return false;
    }
    r->count -= families;
    memmove(r->candidates, r->candidates + families, r->count * sizeof r->candidates[0]);
    return r->count > 0;
}

/* Whether all credible candidates decrypt the best one's last header alike. */
static bool is_settled(const tq_recovery *r, const tq_candidate *best)
{
    for (size_t i = 0; i < r->count; i++) {
        const tq_candidate *k = &r->candidates[i];
        if (k->score < least_credible(r, best))
            continue;
        for (unsigned j = 0; j < TQ_HEADER_SIZE; j++) {
            if (tq_keystream_at(r, k, best->boundary + j) !=
                tq_keystream_at(r, best, best->boundary + j))
                return false;
        }
    }
    return true;
}

/* Whether a family is more likely by 2^20 than its kin of unlisted types together. */
static bool beats_unlisted(const tq_candidate *best)
{
    return !best->is_family ||
           best->score - best->start - best->doubt >= CERTAINTY + UNLISTED_TYPES_LOG2 * TQ_BIT;
}

/* Counts the zeros in what a family decrypts of its page, and the other bytes that are the most
   common ones in the four columns that X makes. */
static void count_zeros(const tq_recovery *r, const tq_candidate *family, unsigned *zeros,
                        unsigned *others)
{
    uint64_t start = family->page_end - TQ_PAGE;
    uint64_t end = family->page_end < r->end ? family->page_end : r->end;
    if (start < r->window_start || start > family->page_end)
        start = r->window_start;
    for (unsigned column = 0; column < 4; column++) {
        uint16_t count[256] = {0};
        unsigned most = 0;
        for (uint64_t at = start + column; at < end; at += 4) {
            uint8_t byte = *tq_run_at(r, at) ^ tq_keystream_at(r, family, at);
            unsigned n = ++count[byte];
            if (byte != 0 && n > most)
                most = n;
        }
        *zeros += count[0];
        *others += most;
    }
}

/*
 * Whether zeros are as common as anything else in what a family decrypts of its page and the
 * one before. If X is wrong by one value throughout, that value stands where zeros should; since it
 * makes headers of them, and of words that differ from zero by little, a family may have much
 * evidence and be wrong.
 */
static bool has_zeros(const tq_recovery *r, const tq_candidate *family)
{
    unsigned zeros = 0;
    unsigned others = 0;
    count_zeros(r, family, &zeros, &others);
    if (family->page_count > 0) {
        const tq_page_seen *last = &family->pages[family->page_count - 1];
        const tq_page_seen *before = family->page_count > 1 ? last - 1 : NULL;
        tq_candidate earlier = *family;
        earlier.x ^= tq_repeat_byte(before ? last->delta ^ before->delta : last->delta);
        earlier.page_end -=
            TQ_PAGE * (uint64_t)(uint8_t)(before ? last->ahead - before->ahead : last->ahead);
        count_zeros(r, &earlier, &zeros, &others);
    }
    /* Behind a gap a family finds a place by trial, which misleads more often. */
    return r->gaps ? zeros >= others && zeros >= ZEROS_MIN : 4 * zeros >= 3 * others;
}

static bool do_all_agree(const tq_recovery *r, uint64_t position)
{
    uint8_t byte = tq_keystream_at(r, &r->candidates[0], position);
    for (size_t i = 1; i < r->count; i++) {
        if (tq_keystream_at(r, &r->candidates[i], position) != byte)
            return false;
    }
    return true;
}

/* Finds a message's start whose page all agree on; false if there is none yet. */
static bool find_agreed(const tq_recovery *r, const tq_candidate *best, uint64_t *position)
{
    const uint64_t starts[] = {best->boundary, best->anchor};
    for (unsigned i = 0; i < 2; i++) {
        *position = starts[i];
        if (do_all_agree(r, starts[i]) && do_all_agree(r, starts[i] + TQ_HEADER_SIZE - 1))
            return true;
    }
    return false;
}

/* Whether all are the same key. */
static bool is_one_key(const tq_recovery *r)
{
    for (size_t i = 1; i < r->count; i++) {
        if (!tq_candidate_is_same(&r->candidates[0], &r->candidates[i]))
            return false;
    }
    return true;
}

/* How many coordinates on from one, or before it, all agree, at most limit. Keystreams repeat: what
 * agrees for a period agrees everywhere, however far a sequence number leads. */
static uint64_t count_agreed(const tq_recovery *r, uint64_t position, int64_t step, uint64_t limit)
{
    uint64_t n = 0;
    while (n < limit && n < KEYSTREAM_PERIOD && do_all_agree(r, position)) {
        position += (uint64_t)step;
        n++;
    }
    return n == KEYSTREAM_PERIOD ? limit : n;
}

/* Claims the range of coordinates where all agree. */
static void claim(tq_recovery *r)
{
    const tq_candidate *best = find_best(r);
    tq_recovered *result = &r->result;
    if (r->state == TQ_RECOVERY_SEARCHING) {
        if (!find_agreed(r, best, &result->boundary))
            return;
        result->from = result->boundary;
        result->until = result->boundary;
        r->state = TQ_RECOVERY_PARTIAL;
    }
    result->counter_at_0 = best->counter_at_0;
    result->x = best->x;
    result->messages = best->messages;
    uint64_t limit = r->end + TQ_PAGE;
    if (result->until < limit)
        result->until += count_agreed(r, result->until, 1, limit - result->until);
    if (result->from > r->first)
        result->from -= count_agreed(r, result->from - 1, -1, result->from - r->first);
    if (!is_one_key(r))
        return;
    result->from = 0;
    result->until = UINT64_MAX;
    r->state = TQ_RECOVERY_FOUND;
}

/* Gives a recovery more time, once, when it is on to something. */
static void extend_budget(tq_recovery *r, const tq_candidate *best)
{
    if (r->extended || !beats_noise(r, best, PROMISE))
        return;
    r->extended = true;
    r->budget += r->extension;
    r->inner_budget += r->extension / 2;
}

/* Claims what has become certain. */
static void settle(tq_recovery *r)
{
    const tq_candidate *best = find_best(r);
    if (best)
        extend_budget(r, best);
    if (r->overflowed)
        r->count = 0; /* one that was left out might contradict the others */
    else if (best && beats_noise(r, best, CERTAINTY) && beats_unlisted(best) &&
             is_settled(r, best) && (!best->is_family || has_zeros(r, best))) {
        drop_below(r, least_credible(r, best));
        if (expand_families(r) && find_best(r)) {
            drop_below(r, least_credible(r, find_best(r)));
            claim(r);
        }
    }
    r->overflowed = false;
    drop_spent(r);
}

static void feed_segment(tq_recovery *r, const uint8_t *bytes, size_t len)
{
    r->segments++;
    r->segment_start = r->end;
    r->segment_end = r->end + len;
    if (len >= MARK_LENGTH || r->end == r->window_start)
        add_mark(r, r->end);
    bool first = true;
    while (len > 0) {
        size_t chunk = len < CHUNK ? len : CHUNK;
        feed_chunk(r, bytes, chunk, first);
        bytes += chunk;
        len -= chunk;
        first = false;
    }
    settle(r);
    if (r->state == TQ_RECOVERY_SEARCHING && r->budget == 0)
        r->state = TQ_RECOVERY_GAVE_UP;
}

tq_recovery_state tq_recovery_feed(tq_recovery *r, uint64_t position, const uint8_t *bytes,
                                   size_t len)
{
    if (r->state == TQ_RECOVERY_FOUND || r->state == TQ_RECOVERY_GAVE_UP)
        return r->state;
    if (!r->started)
        r->first = position;
    if (!r->started || position > r->end)
        start_run(r, position);
    uint64_t known = r->end - position;
    if (known < len)
        feed_segment(r, bytes + known, len - (size_t)known);
    return r->state;
}

const tq_recovered *tq_recovery_result(const tq_recovery *r)
{
    bool any = r->state == TQ_RECOVERY_PARTIAL || r->state == TQ_RECOVERY_FOUND;
    return any ? &r->result : NULL;
}

uint64_t tq_recovery_work(const tq_recovery *r)
{
    return r->work;
}

size_t tq_recovery_memory(const tq_recovery *r)
{
    return sizeof *r + r->capacity * sizeof r->candidates[0];
}

static void sort_pages(tq_recovery *r)
{
    unsigned next[256];
    for (unsigned page = 0; page < TQ_PAGE; page++)
        r->page_start[r->t2[page] + 1]++;
    for (unsigned byte = 0; byte < 256; byte++) {
        r->page_start[byte + 1] += r->page_start[byte];
        next[byte] = r->page_start[byte];
    }
    for (unsigned page = 0; page < TQ_PAGE; page++)
        r->page_of[next[r->t2[page]]++] = (uint8_t)page;
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
    r->inner_budget = r->budget / 2;
    r->extension = EXTENSION * r->budget;
    tq_seed_prepare(r);
    return r;
}

void tq_recovery_free(tq_recovery *r)
{
    if (r)
        free(r->candidates);
    free(r);
}
