/* stream.c
 * The bytes of one direction of a TCP connection, as far as they are seen and not yet framed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stream.h"

#include <string.h>

static stream_range_t *range_at(const stream_t *s, unsigned index)
{
    return &g_array_index(s->done, stream_range_t, index);
}

static unsigned ranges(const stream_t *s)
{
    return s->done ? s->done->len : 0;
}

unsigned stream_runs(const stream_t *s)
{
    return s->runs ? s->runs->len : 0;
}

stream_run_t *stream_run_at(const stream_t *s, unsigned index)
{
    return &g_array_index(s->runs, stream_run_t, index);
}

static uint64_t run_end(const stream_run_t *run)
{
    return run->at + run->length;
}

static void free_run(stream_run_t *run)
{
    if (run->owned)
        g_byte_array_free(run->owned, TRUE);
    g_array_free(run->marks, TRUE);
}

static void remove_run(stream_t *s, unsigned index)
{
    s->held -= stream_run_at(s, index)->length;
    free_run(stream_run_at(s, index));
    g_array_remove_index(s->runs, index);
}

void stream_clear(stream_t *s)
{
    while (stream_runs(s))
        remove_run(s, stream_runs(s) - 1);
    if (s->runs)
        g_array_free(s->runs, TRUE);
    if (s->done)
        g_array_free(s->done, TRUE);
    memset(s, 0, sizeof *s);
}

uint64_t stream_coordinate(stream_t *s, uint32_t seq)
{
    /* Start well above zero, so that bytes before the first one seen have coordinates too. */
    if (s->newest == 0)
        s->newest = (UINT64_C(1) << 32) + seq;

    uint64_t at = s->newest + (uint64_t)(int64_t)(int32_t)(seq - (uint32_t)s->newest);
    if (at > s->newest)
        s->newest = at;
    return at;
}

/* Index of the first range that ends at or after the coordinate. */
static unsigned find_range(const stream_t *s, uint64_t at)
{
    unsigned low = 0, high = ranges(s);

    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (range_at(s, middle)->to < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Index of the first run that ends at or after the coordinate. */
static unsigned find_run(const stream_t *s, uint64_t at)
{
    unsigned low = 0, high = stream_runs(s);

    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (run_end(stream_run_at(s, middle)) < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const stream_range_t *stream_range_ending(const stream_t *s, uint64_t at)
{
    unsigned i = find_range(s, at);
    return i < ranges(s) && range_at(s, i)->to == at ? range_at(s, i) : NULL;
}

bool stream_is_claimed(const stream_t *s, uint64_t at)
{
    unsigned i = find_range(s, at + 1);
    return i < ranges(s) && range_at(s, i)->from <= at;
}

uint64_t stream_known_before(const stream_t *s, uint64_t at)
{
    unsigned r = find_run(s, at), d = find_range(s, at);
    uint64_t known = 0;

    if (d < ranges(s) && range_at(s, d)->from < at)
        known = MIN(at, range_at(s, d)->to);
    else if (d > 0)
        known = range_at(s, d - 1)->to;
    if (r < stream_runs(s) && stream_run_at(s, r)->at < at)
        known = at;
    else if (r > 0)
        known = MAX(known, run_end(stream_run_at(s, r - 1)));
    return known;
}

const stream_mark_t *stream_run_mark(const stream_run_t *run, uint64_t at)
{
    unsigned low = 0, high = run->marks->len;

    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (g_array_index(run->marks, stream_mark_t, middle).at <= at)
            low = middle;
        else
            high = middle;
    }
    return &g_array_index(run->marks, stream_mark_t, low);
}

static void own_run(stream_run_t *run)
{
    if (run->owned)
        return;
    run->owned = g_byte_array_sized_new(run->length);
    g_byte_array_append(run->owned, run->data, run->length);
    run->data = run->owned->data;
}

static void append_to_run(stream_run_t *run, const uint8_t *data, uint32_t length,
                          const stream_mark_t *marks, unsigned count)
{
    own_run(run);

    /* The claimed front of an owned run stays in place until more is appended. */
    unsigned front = (unsigned)(run->data - run->owned->data);
    if (front > 0)
        g_byte_array_remove_range(run->owned, 0, front);
    g_byte_array_set_size(run->owned, run->length);
    g_byte_array_append(run->owned, data, length);
    run->data = run->owned->data;
    run->length += length;
    run->searched = 0;
    g_array_append_vals(run->marks, marks, count);
}

/* Adds bytes of which none is known yet. */
static void add_fresh(stream_t *s, const uint8_t *data, uint32_t length, const stream_mark_t *mark)
{
    if (!s->runs)
        s->runs = g_array_new(FALSE, FALSE, sizeof(stream_run_t));

    unsigned i = find_run(s, mark->at);
    bool follows = i < stream_runs(s) && run_end(stream_run_at(s, i)) == mark->at;

    if (follows) {
        append_to_run(stream_run_at(s, i), data, length, mark, 1);
    } else {
        stream_run_t run = {.at = mark->at, .data = data, .length = length};
        run.marks = g_array_sized_new(FALSE, FALSE, sizeof(stream_mark_t), 1);
        g_array_append_vals(run.marks, mark, 1);
        g_array_insert_val(s->runs, i, run);
    }
    s->held += length;

    stream_run_t *run = stream_run_at(s, i);
    while (i + 1 < stream_runs(s) && stream_run_at(s, i + 1)->at == run_end(run)) {
        stream_run_t *next = stream_run_at(s, i + 1);
        append_to_run(run, next->data, next->length, &g_array_index(next->marks, stream_mark_t, 0),
                      next->marks->len);
        free_run(next);
        g_array_remove_index(s->runs, i + 1);
    }
}

/* The first coordinate from `at` on that is not known, and in *until where the next known begins.
 */
static uint64_t next_unknown(const stream_t *s, uint64_t at, uint64_t *until)
{
    for (;;) {
        unsigned r = find_run(s, at + 1), d = find_range(s, at + 1);
        const stream_run_t *run = r < stream_runs(s) ? stream_run_at(s, r) : NULL;
        const stream_range_t *range = d < ranges(s) ? range_at(s, d) : NULL;

        if (run && run->at <= at) {
            at = run_end(run);
        } else if (range && range->from <= at) {
            at = range->to;
        } else {
            *until = UINT64_MAX;
            if (run)
                *until = run->at;
            if (range && range->from < *until)
                *until = range->from;
            return at;
        }
    }
}

uint64_t stream_missing(const stream_t *s, uint64_t from, uint64_t to)
{
    uint64_t missing = 0, until;

    while ((from = next_unknown(s, from, &until)) < to) {
        until = MIN(until, to);
        missing += until - from;
        from = until;
    }
    return missing;
}

uint32_t stream_add(stream_t *s, uint64_t at, const uint8_t *data, uint32_t length, uint32_t frame,
                    bool in_payload)
{
    uint64_t from = at, end = at + length, until;
    uint32_t fresh = 0;

    while ((from = next_unknown(s, from, &until)) < end) {
        uint32_t count = (uint32_t)(MIN(until, end) - from);
        stream_mark_t mark = {.at = from, .frame = frame, .in_payload = in_payload};
        add_fresh(s, data + (from - at), count, &mark);
        fresh += count;
        from += count;
    }
    return fresh;
}

size_t stream_keep(stream_t *s)
{
    size_t given_up = 0;

    while (s->held > STREAM_HELD_MAX || stream_runs(s) > STREAM_RUNS_MAX) {
        const stream_run_t *oldest = stream_run_at(s, 0);
        uint64_t to = run_end(oldest);
        if (stream_runs(s) == 1)
            to = oldest->at + oldest->length / 2;
        given_up += to - oldest->at;
        stream_claim(s, oldest->at, to, false);
    }
    for (unsigned i = 0; i < stream_runs(s); i++)
        own_run(stream_run_at(s, i));
    return given_up;
}

/* Remembers the last bytes before `to`, which lie in the run and in what the range knew before. */
static void set_context(stream_range_t *range, const stream_run_t *run, uint64_t from, uint64_t to)
{
    unsigned fresh = (unsigned)MIN(to - from, STREAM_CONTEXT);
    unsigned old = range->to == from ? MIN(range->context_length, STREAM_CONTEXT - fresh) : 0;

    memmove(range->context, range->context + range->context_length - old, old);
    memcpy(range->context + old, run->data + (to - fresh - run->at), fresh);
    range->context_length = (uint8_t)(old + fresh);
}

static void claim_range(stream_t *s, const stream_run_t *run, uint64_t from, uint64_t to,
                        bool boundary)
{
    if (!s->done)
        s->done = g_array_new(FALSE, FALSE, sizeof(stream_range_t));

    unsigned i = find_range(s, from);
    if (i < ranges(s) && range_at(s, i)->to == from) {
        set_context(range_at(s, i), run, from, to);
        range_at(s, i)->to = to;
        range_at(s, i)->boundary = boundary;
    } else {
        stream_range_t range = {.from = from, .boundary = boundary};
        set_context(&range, run, from, to);
        range.to = to;
        g_array_insert_val(s->done, i, range);
    }
    if (i + 1 < ranges(s) && range_at(s, i + 1)->from == to) {
        range_at(s, i + 1)->from = range_at(s, i)->from;
        g_array_remove_index(s->done, i);
    }
}

void stream_split(stream_t *s, unsigned index, uint64_t at)
{
    stream_run_t *run = stream_run_at(s, index);
    uint32_t kept = (uint32_t)(at - run->at);
    stream_run_t rest = {.at = at, .data = run->data + kept, .length = run->length - kept};

    if (run->owned) {
        rest.owned = g_byte_array_sized_new(rest.length);
        g_byte_array_append(rest.owned, rest.data, rest.length);
        rest.data = rest.owned->data;
    }
    rest.marks = g_array_new(FALSE, FALSE, sizeof(stream_mark_t));
    unsigned first =
        (unsigned)(stream_run_mark(run, at) - &g_array_index(run->marks, stream_mark_t, 0));
    g_array_append_vals(rest.marks, &g_array_index(run->marks, stream_mark_t, first),
                        run->marks->len - first);
    run->length = kept;
    run->searched = 0;
    g_array_insert_val(s->runs, index + 1, rest);
}

void stream_claim(stream_t *s, uint64_t from, uint64_t to, bool boundary)
{
    unsigned index = find_run(s, from + 1);
    g_return_if_fail(from < to && index < stream_runs(s));

    stream_run_t *run = stream_run_at(s, index);
    g_return_if_fail(run->at <= from && to <= run_end(run));

    claim_range(s, run, from, to, boundary);
    run->searched = 0;
    if (from > run->at) {
        if (to < run_end(run))
            stream_split(s, index, to);
        run = stream_run_at(s, index);
        s->held -= (size_t)(to - from);
        run->length = (uint32_t)(from - run->at);
        return;
    }
    if (to == run_end(run)) {
        remove_run(s, index);
        return;
    }
    uint32_t gone = (uint32_t)(to - from);
    unsigned passed =
        (unsigned)(stream_run_mark(run, to) - &g_array_index(run->marks, stream_mark_t, 0));
    if (passed > 0)
        g_array_remove_range(run->marks, 0, passed);
    run->at = to;
    run->boundary = boundary;
    run->gap_told = true;
    run->message_end = 0;
    run->data += gone;
    run->length -= gone;
    s->held -= gone;
}
