/* resume.c
 * Connections whose start is not in the capture.
 *
 * Recovery costs time and memory, also on connections that are not TQ's at all. So the work is
 * shared out over the capture file: each kind of search has a purse, which grows with every
 * segment, and what a recovery has cost is given back when it succeeds. A connection whose purse is
 * empty waits with what it has brought. The recoveries under way have so much memory; the one that
 * has not been fed for longest is stopped, and starts anew when its connection has brought twice as
 * much.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resume.h"

#include "evidence.h"
#include "logins.h"

/* Size of MsgConnect on a game connection of the TQ cipher (4267 to 5017): the client's bytes
 * behind it have the alternate key. */
#define CONNECT_SIZE 28

/* Kinds of search, by how likely they are to come to something. */
typedef enum {
    PURSE_OPEN,      /* the connection is TQ's for sure, since its other direction is read */
    PURSE_CLAIMED,   /* it is on a port of TQ's; from the server, which is the easier search */
    PURSE_GUESS,     /* the same, from the client, and not even known to be */
    PURSE_UNCLAIMED, /* any other connection; foreign as a rule */
    PURSES
} purse_t;

/* Steps of work (tq_recovery_work()), of some 1.3 ns each: for a start, and for each segment, for
 * which Wireshark itself spends the time of some 8,000. */
static const struct {
    int64_t first, segment;
} purse_income[PURSES] = {
    {1000000000, 16000},
    {60000000, 3000},
    {30000000, 1500},
    {30000000, 0},
};
static int64_t purse[PURSES];

/* What is not counted as steps: making a recovery, and each byte fed. */
#define STEPS_NEW_SERVER 20000
#define STEPS_NEW_CLIENT 500000
#define STEPS_BYTE 64

/* The most for a connection that is on no port of TQ's. */
#define STEPS_UNCLAIMED 2000000

/* Bytes that make no more than a login. */
#define OPENING_BYTES 64

/* Bytes of memory for all recoveries under way. */
#define MEMORY_MAX ((size_t)64 << 20)

/* While it is not known who is the client, the server's direction is tried first, since that is
 * easier; the client's when a direction has brought so many bytes. */
#define CLIENT_AFTER 4096

static GQueue under_way = G_QUEUE_INIT; /* attempt_t; the one fed last is last */
static size_t memory;                   /* theirs */

void resume_begin(void)
{
    for (unsigned i = 0; i < PURSES; i++)
        purse[i] = purse_income[i].first;
    g_queue_clear(&under_way);
    memory = 0;
}

static void forget(attempt_t *attempt)
{
    if (!attempt->link)
        return;
    g_queue_delete_link(&under_way, attempt->link);
    attempt->link = NULL;
    memory -= attempt->memory;
}

static void stop(attempt_t *attempt)
{
    if (!attempt->recovery)
        return;
    forget(attempt);
    tq_recovery_free(attempt->recovery);
    attempt->recovery = NULL;
}

static void end(attempt_t *attempt)
{
    stop(attempt);
    attempt->ended = true;
}

static purse_t purse_of(const session_t *session, tq_direction_t direction)
{
    if (session->status == SESSION_OPEN)
        return PURSE_OPEN;
    if (!session->config.claimed)
        return PURSE_UNCLAIMED;
    return session->client < 0 && direction == TQ_CLIENT_TO_SERVER ? PURSE_GUESS : PURSE_CLAIMED;
}

static void spend(attempt_t *attempt, purse_t from, uint64_t steps)
{
    attempt->spent += steps;
    purse[from] -= (int64_t)steps;
}

static void start(attempt_t *attempt, const session_t *session, const flow_t *flow,
                  tq_direction_t direction)
{
    bool from_client = direction == TQ_CLIENT_TO_SERVER;
    unsigned count;
    const uint32_t *x = logins_alternate_keys(&count);
    unsigned used = MIN(count, TQ_RECOVERY_X_MAX);
    tq_recovery_config config = {
        .key = &session->base->key,
        .model = evidence_model(direction),
        .from_client = from_client,
        .x = used > 0 ? x + (count - used) : NULL,
        .x_count = used,
        .counter_known = flow->started,
        .counter_at_0 = flow->started ? (uint16_t)(0 - flow->start) : 0,
        .budget = session->config.claimed ? 0 : STEPS_UNCLAIMED,
    };

    attempt->recovery = tq_recovery_new(&config);
    /* MsgConnect has the base key. */
    attempt->fed = from_client && flow->started ? flow->start + CONNECT_SIZE : 0;
    attempt->fed_bytes = 0;
    attempt->ended = !attempt->recovery;
    spend(attempt, purse_of(session, direction), from_client ? STEPS_NEW_CLIENT : STEPS_NEW_SERVER);
}

/* Notes that an attempt is in use; those that were not for longest make room. */
static void use(attempt_t *attempt)
{
    forget(attempt);
    attempt->memory = tq_recovery_memory(attempt->recovery);
    memory += attempt->memory;
    g_queue_push_tail(&under_way, attempt);
    attempt->link = under_way.tail;
    while (memory > MEMORY_MAX && under_way.head != attempt->link)
        stop((attempt_t *)under_way.head->data);
}

/* Whether the direction's key is known for good, not only a part of the keystream. */
static bool is_settled(const session_t *session, unsigned index)
{
    const flow_t *flow = &session->flow[index];

    if (!flow->epochs)
        return false;
    if (session_lacks_connect(session, index, UINT64_MAX))
        return flow->attempt[TQ_CLIENT_TO_SERVER].ended;
    return g_array_index(flow->epochs, epoch_t, 0).key != TQ_KEY_RECOVERED ||
           flow->attempt[session_direction(session, index)].ended;
}

/* Index of the first run with bytes that an attempt does not have. */
static unsigned first_unfed(const flow_t *flow, const attempt_t *attempt)
{
    unsigned i = stream_runs(&flow->bytes);

    while (i > 0) {
        const stream_run_t *run = stream_run_at(&flow->bytes, i - 1);
        if (run->at + run->length <= attempt->fed)
            break;
        i--;
    }
    return i;
}

/* Feeds a run, segment by segment, from where the attempt has got to. */
static tq_recovery_state feed_run(attempt_t *attempt, purse_t from, const stream_run_t *run)
{
    tq_recovery_state state = TQ_RECOVERY_SEARCHING;
    const stream_mark_t *first = &g_array_index(run->marks, stream_mark_t, 0);
    const stream_mark_t *mark = stream_run_mark(run, MAX(attempt->fed, run->at));
    const stream_mark_t *last = first + run->marks->len - 1;

    for (; mark <= last; mark++) {
        uint64_t at = MAX(MAX(mark->at, run->at), attempt->fed);
        uint64_t to = mark < last ? mark[1].at : run->at + run->length;
        if (at >= to)
            continue;
        uint64_t before = tq_recovery_work(attempt->recovery);
        state =
            tq_recovery_feed(attempt->recovery, at, run->data + (at - run->at), (size_t)(to - at));
        spend(attempt, from, tq_recovery_work(attempt->recovery) - before + STEPS_BYTE * (to - at));
        attempt->fed = to;
        attempt->fed_bytes += (size_t)(to - at);
    }
    return state;
}

/* Feeds all segments that have come since the last time. */
static tq_recovery_state feed(const flow_t *flow, attempt_t *attempt, purse_t from)
{
    tq_recovery_state state = TQ_RECOVERY_SEARCHING;

    for (unsigned i = first_unfed(flow, attempt); i < stream_runs(&flow->bytes); i++)
        state = feed_run(attempt, from, stream_run_at(&flow->bytes, i));
    return state;
}

/* Whether a key for a part serves all that is served already. It does not if it was found anew, by
 * an attempt that was stopped in between. */
static bool is_wider(const flow_t *flow, const tq_recovered *found)
{
    if (!flow->epochs)
        return true;
    const epoch_t *epochs = (const epoch_t *)(void *)flow->epochs->data;
    return flow->epochs->len == 2 && found->from <= epochs[0].from &&
           found->until >= epochs[1].from;
}

/* Takes over what a recovery has found. A later result replaces an earlier one, which it agrees
 * with wherever that was claimed. */
static void adopt(session_t *session, unsigned index, const tq_recovered *found, bool whole)
{
    flow_t *flow = &session->flow[index];
    uint64_t zero = (uint64_t)0 - found->counter_at_0;
    uint64_t from = whole ? 0 : found->from;

    session_clear_epochs(session, index);
    if (found->x == 0)
        session_add_base_epoch(session, index, from, zero, TQ_KEY_RECOVERED);
    else
        session_add_alternate_epoch(session, index, from, zero, found->x, TQ_KEY_RECOVERED);
    if (!whole) {
        epoch_t unknown = {.from = found->until};
        session_add_epoch(session, index, &unknown);
    }
    flow->boundary = found->boundary;
    flow->recovered_x = found->x;
    if (whole && flow->started)
        resume_started(session, index);
}

void resume_started(session_t *session, unsigned index)
{
    flow_t *flow = &session->flow[index];
    attempt_t *attempt = &flow->attempt[session_direction(session, index)];

    if (!flow->epochs || g_array_index(flow->epochs, epoch_t, 0).key != TQ_KEY_RECOVERED)
        return;
    if (!attempt->ended) {
        /* That the counter is known now helps what is under way. */
        stop(attempt);
        attempt->fed_bytes = 0;
    } else if (flow->recovered_x != 0) {
        /* MsgConnect has the base key. */
        session_add_base_epoch(session, index, flow->start, flow->start, TQ_KEY_BASE);
        session_add_alternate_epoch(session, index, flow->start + CONNECT_SIZE, flow->start,
                                    flow->recovered_x, TQ_KEY_RECOVERED);
    }
}

/* Goes on with an attempt whose turn it is. Returns whether it has found something new. */
static bool go_on(session_t *session, unsigned index, tq_direction_t direction,
                  record_segment_t *here)
{
    flow_t *flow = &session->flow[index];
    attempt_t *attempt = &flow->attempt[direction];

    if (!attempt->recovery)
        start(attempt, session, flow, direction);
    if (attempt->ended)
        return false;
    purse_t from = purse_of(session, direction);
    session->starved = false;
    tq_recovery_state state = feed(flow, attempt, from);
    use(attempt);
    if (state == TQ_RECOVERY_GAVE_UP)
        end(attempt);
    if (state != TQ_RECOVERY_FOUND && state != TQ_RECOVERY_PARTIAL)
        return false;

    tq_recovered found = *tq_recovery_result(attempt->recovery);
    bool whole = state == TQ_RECOVERY_FOUND;
    if (!whole && !is_wider(flow, &found))
        return false;
    if (session->client < 0)
        session->client = (int)(direction == TQ_CLIENT_TO_SERVER ? index : 1 - index);
    session->status = SESSION_OPEN;
    if (whole) {
        end(attempt);
        purse[from] += (int64_t)attempt->spent;
        record_add_notice(here, NOTICE_RECOVERED, found.messages, 0, NULL);
    }
    adopt(session, index, &found, whole);
    /* The other assumption about the direction is refuted. */
    for (unsigned i = 0; i < 2; i++)
        end(&session->flow[i].attempt[1 - session_direction(session, i)]);
    return true;
}

/* Whether it is an attempt's turn. */
static bool is_due(const session_t *session, unsigned index, tq_direction_t direction)
{
    const flow_t *flow = &session->flow[index];
    const attempt_t *attempt = &flow->attempt[direction];
    size_t held = flow->bytes.held;

    if (attempt->ended || (session->client >= 0 && session_direction(session, index) != direction))
        return false;
    if (!attempt->recovery && session->client < 0 && direction == TQ_CLIENT_TO_SERVER &&
        (held < CLIENT_AFTER || !session->config.claimed))
        return false;
    return attempt->recovery || held >= 2 * attempt->fed_bytes;
}

/* Recoveries take bytes in rising order alone. If most have come late, one starts anew. */
static void restart_disordered(const flow_t *flow, attempt_t *attempt)
{
    size_t ahead = 0;

    if (!attempt->recovery || flow->epochs)
        return;
    for (unsigned i = first_unfed(flow, attempt); i < stream_runs(&flow->bytes); i++) {
        const stream_run_t *run = stream_run_at(&flow->bytes, i);
        ahead += (size_t)(run->at + run->length - MAX(run->at, attempt->fed));
    }
    if (flow->bytes.held > 2 * attempt->fed_bytes + ahead)
        stop(attempt);
}

/* Whether a direction has brought bytes, but not its first ones. */
static bool lacks_start(const flow_t *flow)
{
    return stream_runs(&flow->bytes) > 0 &&
           !(flow->started && stream_run_at(&flow->bytes, 0)->at == flow->start);
}

/* Whether a direction's first bytes are there, too few yet to tell what they are. On other ports
 * than TQ's they tell less. */
static bool is_opening(const session_t *session, const flow_t *flow)
{
    return session->status == SESSION_OPENING && !lacks_start(flow) &&
           (session->config.claimed || flow->bytes.held < OPENING_BYTES);
}

static bool resume_flow(session_t *session, unsigned index, record_segment_t *here)
{
    flow_t *flow = &session->flow[index];
    bool progress = false;

    if (is_settled(session, index)) {
        stop(&flow->attempt[0]);
        stop(&flow->attempt[1]);
        return false;
    }
    if (stream_runs(&flow->bytes) == 0 || is_opening(session, flow))
        return false;
    for (unsigned direction = 0; direction < 2; direction++) {
        restart_disordered(flow, &flow->attempt[direction]);
        if (!is_due(session, index, (tq_direction_t)direction))
            continue;
        if (purse[purse_of(session, (tq_direction_t)direction)] > 0)
            progress |= go_on(session, index, (tq_direction_t)direction, here);
        else
            session->starved = true;
    }
    return progress;
}

/* Bytes that are kept while a key is sought, and where none is to be sought. */
#define SEEK_BYTES ((size_t)128 << 10)
#define WAIT_BYTES 4096

/* Whether nothing more can come of it. */
static bool is_hopeless(const session_t *session)
{
    const flow_t *flow = session->flow;
    size_t held = flow[0].bytes.held + flow[1].bytes.held;

    if (!session->config.recover || !session->config.claimed)
        return held > WAIT_BYTES;
    for (unsigned i = 0; i < 2; i++) {
        if (flow[i].bytes.held > 0 && !(flow[i].attempt[0].ended && flow[i].attempt[1].ended))
            return held > SEEK_BYTES;
    }
    return held > 0;
}

static void give_up(session_t *session)
{
    session->status = SESSION_UNRECOVERED;
    for (unsigned i = 0; i < 2; i++) {
        stop(&session->flow[i].attempt[0]);
        stop(&session->flow[i].attempt[1]);
        stream_clear(&session->flow[i].bytes);
    }
}

bool resume_progress(session_t *session, record_segment_t *here)
{
    const flow_t *flow = session->flow;
    bool claimed = session->config.claimed, progress = false;

    if (session->exchange || (!claimed && !lacks_start(&flow[0]) && !lacks_start(&flow[1])))
        return false;
    if (session->config.recover) {
        for (unsigned i = 0; claimed && i < PURSES; i++)
            purse[i] += purse_income[i].segment;
        progress = resume_flow(session, 0, here);
        progress |= resume_flow(session, 1, here);
    }
    if (session->status != SESSION_OPENING || (flow[0].started && flow[1].started))
        return progress;

    if (claimed && !session->told && !flow[here->flow].started) {
        session->told = true;
        record_add_notice(here, NOTICE_UNRECOVERED, 0, 0, NULL);
    }
    if (is_hopeless(session))
        give_up(session);
    return progress;
}
