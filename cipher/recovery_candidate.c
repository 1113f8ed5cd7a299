/* SPDX-License-Identifier: MIT */
/* How a candidate fares. */
#include "recovery_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT_EVIDENCE = 12 * TQ_BIT, /* a candidate may not fall below this */
    COST_NEW = TQ_BIT,           /* half of the headers repeat one of the last TQ_RECENT, */
    COST_REPEATED = 3 * TQ_BIT,  /* each of them alike */
    REPEATS_COUNTED = 4,
    EVIDENCE_OF_REPEAT = 2 * TQ_BIT, /* 4 of 2 bits: the low byte's 8 */

    COST_DELTA = 8 * TQ_BIT, /* a family does not know the P of another page */
};

int tq_candidate_header(const tq_recovery *r, uint64_t position, const uint8_t header[4])
{
    return tq_header_evidence(r->model, header[0] | (unsigned)header[1] << 8,
                              header[2] | (unsigned)header[3] << 8,
                              tq_rest_of_segment(r, position));
}

tq_candidate tq_candidate_make(uint64_t anchor, uint16_t counter, uint32_t x, int start)
{
    return (tq_candidate){.counter_at_0 = (uint16_t)(counter - anchor),
                          .x = x,
                          .anchor = anchor,
                          .boundary = anchor,
                          .next = anchor,
                          .page_end = anchor + TQ_PAGE - (uint8_t)counter,
                          .start = start,
                          .score = start};
}

static bool is_recent(const tq_candidate *k, uint32_t header)
{
    for (unsigned i = 0; i < TQ_RECENT; i++) {
        if (header != 0 && k->recent[i] == header)
            return true;
    }
    return false;
}

static void remember(tq_candidate *k, uint32_t header)
{
    memmove(k->recent + 1, k->recent, sizeof k->recent - sizeof k->recent[0]);
    k->recent[0] = header;
}

typedef struct reading {
    uint32_t header;
    int evidence;
    bool repeated;
} reading;

/* What the run has where the candidate expects its next header. */
static void decrypt_header(const tq_recovery *r, const tq_candidate *k, uint8_t bytes[4])
{
    for (unsigned i = 0; i < TQ_HEADER_SIZE; i++)
        bytes[i] = *tq_run_at(r, k->next + i) ^ tq_keystream_at(r, k, k->next + i);
}

static reading read_header(const tq_recovery *r, const tq_candidate *k, const uint8_t bytes[4])
{
    reading read = {.header = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                              (uint32_t)bytes[3] << 24};
    read.repeated = is_recent(k, read.header);
    read.evidence = read.repeated ? 32 * TQ_BIT - COST_REPEATED
                                  : tq_candidate_header(r, k->next, bytes) - COST_NEW;
    return read;
}

static void enter_page(tq_candidate *k, uint64_t ahead, uint8_t delta)
{
    uint8_t from_first = delta;
    uint8_t pages = (uint8_t)ahead;
    if (k->page_count > 0) {
        from_first ^= k->pages[k->page_count - 1].delta;
        pages += k->pages[k->page_count - 1].ahead;
    }
    k->x ^= tq_repeat_byte(delta);
    k->page_end += ahead * TQ_PAGE;
    k->pages[k->page_count++] = (tq_page_seen){.ahead = pages, .delta = from_first};
}

/* Reads a header that is not wholly in the page that the family knows: takes the likeliest P. */
static reading read_new_page(tq_recovery *r, tq_candidate *k)
{
    reading best = {.evidence = 0};
    uint8_t best_delta = 0;
    uint8_t bytes[TQ_HEADER_SIZE];
    unsigned known = k->next < k->page_end ? (unsigned)(k->page_end - k->next) : 0;
    uint64_t ahead = (k->next + TQ_HEADER_SIZE - 1 - k->page_end) / TQ_PAGE + 1;
    uint64_t start = k->page_end + (ahead - 1) * TQ_PAGE;
    bool in_two_unknown = known == 0 && k->next < start;
    if (k->page_count == TQ_PAGES || in_two_unknown)
        return best;
    decrypt_header(r, k, bytes);
    tq_spend(r, 256);
    for (unsigned delta = 0; delta < 256; delta++) {
        uint8_t tried[TQ_HEADER_SIZE];
        for (unsigned i = 0; i < TQ_HEADER_SIZE; i++)
            tried[i] = i < known ? bytes[i] : bytes[i] ^ (uint8_t)delta;
        if (!r->sound_size_high[tried[1]])
            continue;
        reading read = read_header(r, k, tried);
        if (read.evidence > best.evidence) {
            best = read;
            best_delta = (uint8_t)delta;
        }
    }
    best.evidence -= COST_DELTA;
    if (best.evidence > 0)
        enter_page(k, ahead, best_delta);
    return best;
}

static reading read_known_page(const tq_recovery *r, const tq_candidate *k)
{
    uint8_t bytes[TQ_HEADER_SIZE];
    decrypt_header(r, k, bytes);
    return read_header(r, k, bytes);
}

/*
 * Adds a header to the score. Plaintext that repeats itself, such as a run of zeros, looks like one
 * message over and over to a family with the right low byte and a wrong X; so to a family, messages
 * that repeat prove the low byte at most.
 */
static void score_reading(const tq_recovery *r, tq_candidate *k, const reading *read, bool new_page)
{
    int evidence = read->evidence;
    if (k->is_family && evidence > 0) {
        int raw = evidence + (new_page ? COST_DELTA : 0);
        int doubt =
            tq_header_evidence_unlisted((uint16_t)read->header, tq_rest_of_segment(r, k->next)) -
            COST_NEW - (new_page ? COST_DELTA : 0);
        if (read->repeated) {
            evidence = !new_page && k->repeats++ < REPEATS_COUNTED ? EVIDENCE_OF_REPEAT : 0;
            doubt = evidence;
        }
        k->doubt += doubt;
        if (k->page_count > 0)
            k->pages[k->page_count - 1].evidence += (int16_t)raw;
    }
    k->score += evidence;
}

void tq_candidate_advance(tq_recovery *r, tq_candidate *k)
{
    while (!k->lost && k->next + TQ_HEADER_SIZE <= r->end) {
        bool new_page = k->is_family && k->next + TQ_HEADER_SIZE > k->page_end;
        reading read = new_page ? read_new_page(r, k) : read_known_page(r, k);
        tq_spend(r, 16);
        score_reading(r, k, &read, new_page);
        if (read.evidence <= 0) {
            k->lost = true;
            return;
        }
        if (!read.repeated)
            remember(k, read.header);
        k->deep |= !k->is_family && ((k->counter_at_0 + k->next) >> 8 & 3) == 3;
        k->boundary = k->next;
        k->next += (uint16_t)read.header;
        k->messages++;
    }
}

static bool has_room(tq_recovery *r)
{
    if (r->count < r->capacity)
        return true;
    size_t capacity = r->capacity ? 2 * r->capacity : 64;
    if (capacity > TQ_CANDIDATES)
        return false;
    tq_candidate *more = realloc(r->candidates, capacity * sizeof *more);
    if (!more)
        return false;
    r->candidates = more;
    r->capacity = capacity;
    return true;
}

void tq_candidate_keep(tq_recovery *r, const tq_candidate *k)
{
    if (k->score - k->start < KEPT_EVIDENCE)
        return;
    if (has_room(r))
        r->candidates[r->count++] = *k;
    else
        r->overflowed = true;
}

/*
 * Scores a member of a family by the pages that the family met. A member needs no header to know P;
 * where it has another than the family took, it makes something else of the headers there, at best
 * nothing that counts.
 */
static void score_pages(const tq_recovery *r, tq_candidate *k, unsigned first_page)
{
    uint32_t y = k->x * k->x;
    uint8_t first = r->t2[first_page] ^ tq_byte_of(y, first_page);
    for (unsigned i = 0; i < k->page_count; i++) {
        unsigned page = (first_page + k->pages[i].ahead) & 255;
        k->score += COST_DELTA;
        if ((r->t2[page] ^ tq_byte_of(y, page) ^ first) == k->pages[i].delta)
            continue;
        k->score -= k->pages[i].evidence;
        k->lost = true;
    }
}

static void keep_member(tq_recovery *r, const tq_candidate *family, uint32_t x, unsigned page)
{
    uint8_t low = (uint8_t)(family->counter_at_0 + family->anchor);
    tq_candidate k = *family;
    k.is_family = false;
    k.x = x;
    k.counter_at_0 = (uint16_t)((page << 8 | low) - family->anchor);
    score_pages(r, &k, page);
    if (!r->counter_known || k.counter_at_0 == r->counter_at_0)
        tq_candidate_keep(r, &k);
}

/* Any of the 256 values of P gives X, and P must then come out right in some page. */
void tq_family_expand(tq_recovery *r, const tq_candidate *family)
{
    uint32_t masked = family->x;
    if (family->page_count > 0)
        masked ^= tq_repeat_byte(family->pages[family->page_count - 1].delta);
    for (unsigned p = 0; p < 256; p++) {
        uint32_t x = masked ^ tq_repeat_byte((uint8_t)p);
        for (unsigned quarter = 0; quarter < 4; quarter++) {
            uint8_t t2 = (uint8_t)p ^ tq_byte_of(x * x, quarter);
            for (unsigned i = r->page_start[t2]; i < r->page_start[t2 + 1]; i++) {
                if ((r->page_of[i] & 3) == quarter)
                    keep_member(r, family, x, r->page_of[i]);
            }
        }
    }
}
