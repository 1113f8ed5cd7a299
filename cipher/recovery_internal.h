/* SPDX-License-Identifier: MIT */
/* Internal: what the search (recovery_seed.c) and the judgement (recovery.c) share. */
#ifndef TQ_RECOVERY_INTERNAL_H
#define TQ_RECOVERY_INTERNAL_H

#include "recovery.h"

enum {
    TQ_BIT = TQ_EVIDENCE_BIT,
    TQ_PAGE = 256,        /* values of the counter that share one byte of T2 */
    TQ_WINDOW = 2048,     /* bytes kept of the current run */
    TQ_MARKS = 16,        /* starts of segments kept */
    TQ_CANDIDATES = 8192, /* most candidates kept */
    TQ_RECENT = 4,        /* headers that a candidate remembers */
    TQ_EVERYDAY_TYPES = 15,
    TQ_PAGES = 6, /* pages that a family remembers */
};

/* A page that a family has met a header in. */
typedef struct tq_page_seen {
    uint8_t ahead;    /* pages since the family's first one */
    uint8_t delta;    /* the page's P ^ the first one's P */
    int16_t evidence; /* in the headers there, that this is right */
} tq_page_seen;

/* A hypothesis about the key, and how it fares. Coordinates are those of tq_recovery_feed(). */
typedef struct tq_candidate {
    uint16_t counter_at_0;
    bool is_family; /* What many candidates have in common: of the counter only the low byte is
                       known, and x is X ^ P of the page that ends at page_end. */
    bool lost;      /* next is not known */
    bool given;     /* X was given, and is not 0 */
    bool deep;      /* it met a header in a page whose P depends on all of X */
    uint32_t x;
    uint64_t anchor;   /* where its first message starts */
    uint64_t boundary; /* where its last message started */
    uint64_t next;     /* where its next message starts */
    uint64_t page_end;
    uint32_t recent[TQ_RECENT]; /* its last headers, newest first; 0 for none */
    tq_page_seen pages[TQ_PAGES];
    unsigned page_count;
    unsigned messages;
    unsigned repeats; /* messages whose header was among the recent ones */
    int start;        /* score before any evidence: log2 of its weight, in 1/16 bit */
    int score;        /* log2 of weight times likelihood ratio, in 1/16 bit */
    int doubt; /* what the same headers would have added to a family if no type were listed */
} tq_candidate;

/* Low bytes of the counter that are so far apart decrypt a page alike but for a constant, which P
   makes up for. */
typedef struct tq_twin {
    uint8_t distance;
    uint8_t difference;
} tq_twin;

/* Everyday types whose messages have one size; the narrow ones come first, which have few others.
 */
typedef struct tq_everyday {
    uint8_t count;
    uint8_t narrow_count;
    uint16_t types[TQ_EVERYDAY_TYPES];
} tq_everyday;

struct tq_recovery {
    const tq_header_model *model;
    uint8_t t1[TQ_PAGE];
    uint8_t t2[TQ_PAGE];
    uint8_t page_of[TQ_PAGE];         /* pages sorted by their byte of T2 */
    uint16_t page_start[TQ_PAGE + 1]; /* where those with one byte start in page_of */
    tq_twin twins[TQ_PAGE];
    size_t twin_count;
    uint32_t x[1 + TQ_RECOVERY_X_MAX]; /* given values of X, 0 first */
    size_t x_count;
    bool x_unknown; /* other values are possible */
    bool counter_known;
    uint16_t counter_at_0;

    tq_recovery_state state;
    tq_recovered result;
    uint64_t budget;    /* steps left */
    uint64_t work;      /* steps done */
    uint64_t extension; /* to be added once */
    bool extended;
    uint64_t inner_budget; /* of these, for messages that start inside segments */

    /* The run: consecutive bytes fed last, their nibbles already swapped. */
    bool started;
    bool gaps;      /* it is not the first run */
    uint64_t first; /* coordinate of the first byte ever fed */
    uint8_t window[TQ_WINDOW];
    uint64_t window_start;  /* coordinate of window[0] */
    uint64_t end;           /* coordinate after the last byte */
    uint64_t segment_start; /* of the segment that is being fed */
    uint64_t segment_end;
    uint64_t marks[TQ_MARKS]; /* starts of the run's larger segments, newest first */
    unsigned mark_count;
    unsigned segments; /* fed so far */
    unsigned inner;    /* other coordinates tried so far */

    bool sound_size_high[256]; /* which high bytes the fields of a header may have */
    bool sound_type_high[256];
    bool sound_highs[256];         /* what the two may be combined, the one XOR the other */
    tq_everyday everyday[TQ_PAGE]; /* by size */
    uint8_t narrow_sizes[TQ_PAGE]; /* those with narrow types */
    size_t narrow_count;

    bool overflowed; /* a candidate had to be left out */
    size_t count;
    size_t capacity;
    tq_candidate *candidates;
};

static inline uint8_t tq_byte_of(uint32_t word, unsigned i)
{
    return (uint8_t)(word >> (8 * (i & 3)));
}

static inline uint32_t tq_repeat_byte(uint8_t byte)
{
    return byte * UINT32_C(0x01010101);
}

/* The run's bytes from a coordinate on, nibbles swapped. */
static inline const uint8_t *tq_run_at(const tq_recovery *r, uint64_t position)
{
    return r->window + (position - r->window_start);
}

/* What the swapped byte at a coordinate must be combined with to give plaintext. */
static inline uint8_t tq_keystream_at(const tq_recovery *r, const tq_candidate *k,
                                      uint64_t position)
{
    unsigned counter = (uint16_t)(k->counter_at_0 + position);
    unsigned page = counter >> 8;
    uint8_t byte = r->t1[counter & 255] ^ tq_byte_of(k->x, counter);
    return k->is_family ? byte : byte ^ r->t2[page] ^ tq_byte_of(k->x * k->x, page);
}

/* Whether two are the same key, or families of the same keys. */
static inline bool tq_candidate_is_same(const tq_candidate *a, const tq_candidate *b)
{
    if (a->is_family != b->is_family || a->x != b->x)
        return false;
    return a->is_family
               ? (uint8_t)a->counter_at_0 == (uint8_t)b->counter_at_0 && a->page_end == b->page_end
               : a->counter_at_0 == b->counter_at_0;
}

static inline void tq_spend(tq_recovery *r, uint64_t steps)
{
    r->budget -= steps < r->budget ? steps : r->budget;
    r->work += steps;
}

/* Bytes from a coordinate to the end of its segment; 0 if that is not known. */
static inline size_t tq_rest_of_segment(const tq_recovery *r, uint64_t position)
{
    return position >= r->segment_start ? (size_t)(r->segment_end - position) : 0;
}

/* The evidence in a header at a coordinate of the run. */
int tq_candidate_header(const tq_recovery *r, uint64_t position, const uint8_t header[4]);

/* Makes a candidate with no evidence yet. */
tq_candidate tq_candidate_make(uint64_t anchor, uint16_t counter, uint32_t x, int start);

/* Scores the headers that a candidate finds in the run. */
void tq_candidate_advance(tq_recovery *r, tq_candidate *k);

/* Keeps a candidate unless it already fell too low. */
void tq_candidate_keep(tq_recovery *r, const tq_candidate *k);

/* Keeps all candidates of a family. */
void tq_family_expand(tq_recovery *r, const tq_candidate *family);

/* Prepares what seeding needs. */
void tq_seed_prepare(tq_recovery *r);

/* Seeds candidates from a message that may start at a coordinate of the run. */
void tq_seed_at(tq_recovery *r, uint64_t position);

#endif
