/* stream.h
 * The bytes of one direction of a TCP connection, as far as they are seen and not yet framed.
 *
 * TCP brings bytes late, twice or never. A stream knows them by their coordinate: the TCP
 * sequence number of a byte, made 64 bits wide. Bytes that no message has claimed yet lie in runs
 * (stretches without a gap); those that were claimed are remembered as ranges alone, so what is
 * kept grows with gaps and not with traffic.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

/* Ciphertext that CFB needs from before a position: the rest of the block, and the block before. */
#define STREAM_CONTEXT 16

/* At most so many bytes wait in runs, in one direction; the oldest are given up beyond it. A TQ
 * message has at most 65,535 bytes and a footer. */
#define STREAM_HELD_MAX ((size_t)256 << 10)
#define STREAM_RUNS_MAX 256

/* Where a frame's bytes begin in a run. */
typedef struct {
    uint64_t at;
    uint32_t frame;
    bool in_payload; /* the frame's payload is at hand whenever the frame is dissected again */
} stream_mark_t;

/* A stretch of bytes without a gap, none of them claimed by a message. */
typedef struct {
    uint64_t at;
    const uint8_t *data;
    uint32_t length;
    GByteArray *owned; /* NULL while data is lent by the caller of stream_add() */
    GArray *marks;     /* stream_mark_t, ascending, the first at or before this->at */

    /* Framing's: */
    bool boundary;        /* a message begins at the first byte */
    bool gap_told;        /* the user was told of the bytes missing before it */
    uint64_t message_end; /* where the message that begins it ends; 0: not known */
    uint32_t searched;    /* the run is as it was when searched without success */
} stream_run_t;

/* A stretch of bytes that messages have claimed, or that were given up. */
typedef struct {
    uint64_t from, to;
    bool boundary; /* a message ends at `to`, so that the next one begins there */
    uint8_t context_length;
    uint8_t context[STREAM_CONTEXT]; /* the last bytes before `to` */
} stream_range_t;

typedef struct {
    uint64_t newest; /* highest coordinate seen; 0: nothing yet */
    GArray *runs;    /* stream_run_t, ascending; NULL if none */
    GArray *done;    /* stream_range_t, ascending, apart from each other; NULL if none */
    size_t held;     /* bytes in runs */
} stream_t;

/* Frees what the stream holds, not the stream. */
void stream_clear(stream_t *s);

/* The coordinate of a sequence number: the one nearest to those seen before. */
uint64_t stream_coordinate(stream_t *s, uint32_t seq);

/* Adds a segment's payload; what was there before is left as it was. The data is only lent until
 * stream_keep(). Returns the number of bytes that are new. */
uint32_t stream_add(stream_t *s, uint64_t at, const uint8_t *data, uint32_t length, uint32_t frame,
                    bool in_payload);

/* Takes copies of what is lent. To be called before the lender goes. Returns the number of bytes
 * given up because too many are waiting. */
size_t stream_keep(stream_t *s);

unsigned stream_runs(const stream_t *s);
stream_run_t *stream_run_at(const stream_t *s, unsigned index);

/* The mark that holds for a coordinate within the run. */
const stream_mark_t *stream_run_mark(const stream_run_t *run, uint64_t at);

/* Cuts a run in two, so that one begins at the coordinate. They are joined again when bytes come
 * that adjoin them. Invalidates pointers to runs. */
void stream_split(stream_t *s, unsigned index, uint64_t at);

/* Claims [from, to) of one run, which may cut it in two. Invalidates pointers to runs. */
void stream_claim(stream_t *s, uint64_t from, uint64_t to, bool boundary);

/* The range that ends at this coordinate, or NULL. */
const stream_range_t *stream_range_ending(const stream_t *s, uint64_t at);

/* Whether the byte at the coordinate is claimed. */
bool stream_is_claimed(const stream_t *s, uint64_t at);

/* The end of the last bytes known before the coordinate, 0 if there are none. */
uint64_t stream_known_before(const stream_t *s, uint64_t at);

/* How many bytes of [from, to) never came. */
uint64_t stream_missing(const stream_t *s, uint64_t from, uint64_t to);
