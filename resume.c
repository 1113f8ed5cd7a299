/* resume.c
 * Connections whose start is not in the capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resume.h"

#include "evidence.h"
#include "logins.h"

/* Size of MsgConnect on a game connection of the TQ cipher (4267 to 5017): the client's bytes
 * behind it have the alternate key. */
#define CONNECT_SIZE 28

static void end_recovery(flow_t *flow, tq_direction_t direction)
{
    tq_recovery_free(flow->recovery[direction]);
    flow->recovery[direction] = NULL;
    flow->recovery_ended[direction] = true;
}

static void end_recoveries(session_t *session)
{
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned direction = 0; direction < 2; direction++) {
            tq_recovery_free(session->flow[i].recovery[direction]);
            session->flow[i].recovery[direction] = NULL;
        }
    }
}

static tq_recovery *start_recovery(const session_t *session, const flow_t *flow,
                                   tq_direction_t direction)
{
    unsigned count;
    const uint32_t *x = logins_alternate_keys(&count);
    unsigned used = MIN(count, TQ_RECOVERY_X_MAX);
    tq_recovery_config config = {
        .key = &session->base->key,
        .model = evidence_model(direction),
        .from_client = direction == TQ_CLIENT_TO_SERVER,
        .x = x + (count - used),
        .x_count = used,
        .counter_known = flow->started,
        .counter_at_0 = flow->started ? (uint16_t)(0 - flow->start) : 0,
    };

    return tq_recovery_new(&config);
}

/* Feeds the segments that have come since the last time. */
static tq_recovery_state feed(flow_t *flow, tq_recovery *recovery)
{
    tq_recovery_state state = TQ_RECOVERY_SEARCHING;

    for (unsigned i = 0; i < stream_runs(&flow->bytes); i++) {
        const stream_run_t *run = stream_run_at(&flow->bytes, i);
        for (unsigned m = 0; m < run->marks->len; m++) {
            uint64_t from = g_array_index(run->marks, stream_mark_t, m).at;
            uint64_t to = m + 1 < run->marks->len
                              ? g_array_index(run->marks, stream_mark_t, m + 1).at
                              : run->at + run->length;
            from = MAX(from, run->at);
            if (from < flow->fed || from >= to)
                continue;
            state =
                tq_recovery_feed(recovery, from, run->data + (from - run->at), (size_t)(to - from));
        }
    }
    return state;
}

static uint64_t end_of_bytes(const flow_t *flow)
{
    unsigned runs = stream_runs(&flow->bytes);
    const stream_run_t *last = runs > 0 ? stream_run_at(&flow->bytes, runs - 1) : NULL;

    return last ? last->at + last->length : 0;
}

/* Takes over what a recovery has found. A later result replaces an earlier one, which it agrees
 * with wherever that was claimed. */
static void adopt(session_t *session, unsigned index, const tq_recovered *found, bool whole)
{
    flow_t *flow = &session->flow[index];
    uint64_t zero = (uint64_t)0 - found->counter_at_0;
    uint64_t from = whole ? 0 : found->from;

    session_clear_epochs(session, index);
    if (found->x == 0) {
        session_add_base_epoch(session, index, from, zero, TQ_KEY_RECOVERED);
    } else {
        if (flow->started && whole) {
            session_add_base_epoch(session, index, flow->start, flow->start, TQ_KEY_BASE);
            from = flow->start + CONNECT_SIZE;
        }
        session_add_alternate_epoch(session, index, from, zero, found->x, TQ_KEY_RECOVERED);
    }
    if (!whole) {
        epoch_t unknown = {.from = found->until};
        session_add_epoch(session, index, &unknown);
    }
    flow->boundary = found->boundary;
}

/* Goes on with one recovery. Returns whether it has found something new. */
static bool recover(session_t *session, unsigned index, tq_direction_t direction,
                    record_segment_t *here)
{
    flow_t *flow = &session->flow[index];

    if (flow->recovery_ended[direction])
        return false;
    if (!flow->recovery[direction]) {
        flow->recovery[direction] = start_recovery(session, flow, direction);
        if (!flow->recovery[direction]) {
            flow->recovery_ended[direction] = true;
            return false;
        }
    }

    tq_recovery *recovery = flow->recovery[direction];
    tq_recovery_state state = feed(flow, recovery);
    if (state == TQ_RECOVERY_GAVE_UP)
        end_recovery(flow, direction);
    if (state != TQ_RECOVERY_FOUND && state != TQ_RECOVERY_PARTIAL)
        return false;

    const tq_recovered *found = tq_recovery_result(recovery);
    bool whole = state == TQ_RECOVERY_FOUND;
    if (session->client < 0) {
        session->client = (int)(direction == TQ_CLIENT_TO_SERVER ? index : 1 - index);
        session->status = SESSION_OPEN;
    }
    session->status = SESSION_OPEN;
    adopt(session, index, found, whole);
    if (whole) {
        record_add_notice(here, NOTICE_RECOVERED, found->messages, 0, NULL);
        end_recovery(flow, direction);
    }
    /* The other assumption about the direction is refuted. */
    for (unsigned i = 0; i < 2; i++)
        end_recovery(&session->flow[i], (tq_direction_t)(1 - session_direction(session, i)));
    return true;
}

/* Whether a direction's key is still to be found. */
static bool needs_recovery(const session_t *session, const flow_t *flow)
{
    if (session->exchange || stream_runs(&flow->bytes) == 0)
        return false;
    if (!flow->epochs)
        return true;
    /* What is under way goes on only if it has found the key of a part. The connection's opening
     * knows better. */
    return (flow->recovery[0] || flow->recovery[1]) &&
           g_array_index(flow->epochs, epoch_t, 0).key == TQ_KEY_RECOVERED;
}

bool resume_progress(session_t *session, record_segment_t *here)
{
    bool progress = false;

    if (!session->config.recover || !session->config.claimed)
        return false;
    if (session->flow[0].started && session->flow[1].started && session->status == SESSION_OPENING)
        return false;

    for (unsigned i = 0; i < 2; i++) {
        flow_t *flow = &session->flow[i];
        if (!needs_recovery(session, flow))
            continue;
        for (unsigned direction = 0; direction < 2; direction++) {
            if (session->client < 0 || session_direction(session, i) == direction)
                progress |= recover(session, i, (tq_direction_t)direction, here);
        }
        flow->fed = MAX(flow->fed, end_of_bytes(flow));
    }

    if (session->status == SESSION_OPENING && session->flow[0].recovery_ended[0] &&
        session->flow[0].recovery_ended[1] && session->flow[1].recovery_ended[0] &&
        session->flow[1].recovery_ended[1]) {
        session->status = SESSION_UNRECOVERED;
        record_add_notice(here, NOTICE_UNRECOVERED, 0, 0, NULL);
        end_recoveries(session);
        stream_clear(&session->flow[0].bytes);
        stream_clear(&session->flow[1].bytes);
    }
    return progress;
}
