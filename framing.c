/* framing.c
 * Cuts the bytes of a connection into messages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing.h"

#include <limits.h>
#include <string.h>

#include "evidence.h"
#include "message-types.h"
#include "opening.h"
#include "resume-cfb.h"
#include "resume.h"

/* A run in which no boundary is found is searched up to this length; its older half is given up
 * beyond. Messages are rarely longer than 1 KiB, so more would only cost time. */
#define SEARCH_MAX 4096

/* What finds a boundary in a run that follows a gap, in units of the header model
 * (cipher/header_model.h). */
enum {
    /* Wanted of the likeliest place, where the run's end says nothing or is known to be the end of
     * a message. Bodies hold few bytes that look like a chain of headers. */
    WANTED = 5 * TQ_EVIDENCE_BIT,
    WANTED_BOUNDED = 4 * TQ_EVIDENCE_BIT,
    /* A zero is one of 256 bytes to the model, but one of 4 in a body. */
    ZERO_DISCOUNT = 6 * TQ_EVIDENCE_BIT,
    /* That a footer stands where the size puts it. */
    FOOTER_EVIDENCE = 16 * TQ_EVIDENCE_BIT,
};

typedef struct {
    session_t *session;
    record_segment_t *here; /* of the frame at hand */
    uint32_t frame;
    bool key_came_late;
} framing_t;

/* Plaintext of the stretch at hand. One buffer serves all: framing is not entered twice. */
static GByteArray *scratch;

/* Copies up to `count` bytes that lie just before a run. Returns how many there are. */
static uint8_t copy_before(const stream_t *bytes, const stream_run_t *run, uint8_t count,
                           uint8_t *to)
{
    const stream_range_t *range = stream_range_ending(bytes, run->at);
    const stream_run_t *first = stream_run_at(bytes, 0);
    const uint8_t *end;
    uint32_t length;

    if (range) {
        length = range->context_length;
        end = range->context + length;
    } else if (run > first && run[-1].at + run[-1].length == run->at) {
        length = run[-1].length;
        end = run[-1].data + length;
    } else {
        return 0;
    }
    count = (uint8_t)MIN(count, length);
    memcpy(to, end - count, count);
    return count;
}

/* The ciphertext before a coordinate of a run, as far as it is there. Returns its length. */
static uint8_t copy_context(const stream_t *bytes, const stream_run_t *run, uint64_t at,
                            uint8_t context[STREAM_CONTEXT])
{
    uint32_t offset = (uint32_t)(at - run->at);
    uint8_t inside = (uint8_t)MIN(offset, STREAM_CONTEXT);
    uint8_t length = copy_before(bytes, run, (uint8_t)(STREAM_CONTEXT - inside), context);

    memcpy(context + length, run->data + offset - inside, inside);
    return (uint8_t)(length + inside);
}

static const uint8_t *decrypt_run(const session_t *session, unsigned flow, const stream_run_t *run,
                                  uint32_t length, size_t *unknown)
{
    uint8_t context[STREAM_CONTEXT];
    uint8_t context_length = copy_context(&session->flow[flow].bytes, run, run->at, context);

    if (!scratch)
        scratch = g_byte_array_new();
    g_byte_array_set_size(scratch, length);
    *unknown = session_decrypt(session, flow, run->at, context, context_length, run->data, length,
                               scratch->data);
    return scratch->data;
}

/* How many bytes from a coordinate on have a known key. */
static uint32_t readable(const session_t *session, unsigned flow, uint64_t from, uint64_t end)
{
    const GArray *epochs = session->flow[flow].epochs;

    if (!session_epoch(session, flow, from) || session_lacks_connect(session, flow, from))
        return 0;
    if (session_lacks_connect(session, flow, end))
        end = MIN(end, session->flow[flow].start + session->flow[flow].connect_size);
    for (unsigned i = 0; i < epochs->len; i++) {
        const epoch_t *epoch = &g_array_index(epochs, epoch_t, i);
        if (epoch->from > from && epoch->from < end && epoch->cipher == TQ_CIPHER_UNKNOWN)
            end = epoch->from;
    }
    return (uint32_t)(end - from);
}

/* The frame in which a message is shown: this one, which was needed to read it; but what lacked
 * only its key until now belongs where its bytes became complete. */
static uint32_t frame_showing(const framing_t *f, unsigned flow, const stream_run_t *run,
                              uint64_t at, uint32_t size)
{
    const stream_mark_t *last = stream_run_mark(run, at + size - 1);
    uint32_t frame = 0;

    if (!f->key_came_late && flow == f->here->flow)
        return f->frame;
    for (const stream_mark_t *mark = stream_run_mark(run, at); mark <= last; mark++)
        frame = MAX(frame, mark->frame);
    return frame;
}

/* Records a message for a frame to show. */
static record_pdu_t *emit(const framing_t *f, unsigned flow, const stream_run_t *run, uint64_t at,
                          uint32_t size, pdu_kind_t kind, uint32_t frame)
{
    session_t *session = f->session;
    const stream_t *bytes = &session->flow[flow].bytes;
    const stream_mark_t *first = stream_run_mark(run, at);
    const stream_mark_t *last = stream_run_mark(run, at + size - 1);
    record_segment_t *segment = frame == f->frame && f->here->flow == flow
                                    ? f->here
                                    : record_segment(frame, session, flow, 0);
    record_pdu_t *pdu = wmem_new0(wmem_file_scope(), record_pdu_t);
    pdu->at = at;
    pdu->size = size;
    pdu->kind = kind;
    pdu->evidence = session->evidence;

    uint8_t context[STREAM_CONTEXT], context_length = 0;
    if (session_epoch(session, flow, at)->cipher != TQ_CIPHER_TQ)
        context_length = copy_context(bytes, run, at, context);
    bool in_payload = first == last && first->frame == frame && first->in_payload;
    /* A segment keeps one context, of its first message. */
    if (context_length > 0 && segment->extra && segment->extra->context_at > at)
        in_payload = false;
    if (!in_payload) {
        record_copy_t *copy = (record_copy_t *)wmem_alloc(
            wmem_file_scope(), sizeof(record_copy_t) + context_length + size);
        copy->first_frame = first->frame;
        copy->context_length = context_length;
        memcpy(copy->bytes, context, context_length);
        memcpy(copy->bytes + context_length, run->data + (at - run->at), size);
        pdu->copy = copy;
    } else if (context_length > 0 && record_extra(segment)->context_at == 0) {
        /* Later messages of the segment find what they need in the payload. */
        segment->extra->context_at = at;
        segment->extra->context_length = context_length;
        memcpy(segment->extra->context, context, context_length);
    }
    record_add_pdu(segment, pdu);
    return pdu;
}

/* Tells, once, of bytes that are missing before a run, and of the message that they cut: the one
 * that begins the run `front`, if not NULL. */
static void tell_gap(const framing_t *f, unsigned index, stream_run_t *run,
                     const stream_run_t *front)
{
    flow_t *flow = &f->session->flow[index];
    uint64_t before = stream_known_before(&flow->bytes, run->at);
    uint16_t type = 0;
    size_t unknown;

    run->gap_told = true;
    if (before == 0 && !flow->started)
        return;
    before = MAX(before, flow->started ? flow->start : 0);
    if (before >= run->at)
        return;
    if (front)
        type = message_type(decrypt_run(f->session, index, front, MESSAGE_HEADER, &unknown));
    record_add_gap(f->here, before, run->at, type);
}

/* Whether the byte behind a run is part of a message that was found before. */
static bool is_bounded(const stream_t *bytes, const stream_run_t *run)
{
    return stream_is_claimed(bytes, run->at + run->length);
}

static bool is_footer(tq_direction_t direction, const uint8_t *plain)
{
    return memcmp(plain, direction == TQ_SERVER_TO_CLIENT ? TQ_FOOTER_SERVER : TQ_FOOTER_CLIENT,
                  TQ_FOOTER_SIZE) == 0;
}

/* Bytes that follow a message on the wire and are not counted in its size. */
static uint32_t footer_size(const framing_t *f, unsigned flow, const uint8_t *plain, uint32_t rest)
{
    if (f->session->footers)
        return TQ_FOOTER_SIZE;
    /* Some account servers send footers too. No message is 20,820 bytes long and of type 25,939,
     * which is what the footer's first bytes would be as a header. */
    return rest >= TQ_FOOTER_SIZE && is_footer(session_direction(f->session, flow), plain)
               ? TQ_FOOTER_SIZE
               : 0;
}

/* Frames a handshake message that begins a run. */
static bool frame_handshake(const framing_t *f, unsigned index, const stream_run_t *run)
{
    flow_t *flow = &f->session->flow[index];
    uint64_t from = run->at;

    if (run->length < flow->handshake_size)
        return false;
    bool hello = session_direction(f->session, index) == TQ_SERVER_TO_CLIENT;
    emit(f, index, run, from, flow->handshake_size, hello ? PDU_HELLO : PDU_REPLY,
         frame_showing(f, index, run, from, flow->handshake_size));
    stream_claim(&flow->bytes, from, from + flow->handshake_size, true);
    return true;
}

static bool search_run(const framing_t *f, unsigned index, unsigned run_index);

/* Frames the messages of a run that begins with one. Returns whether it got further. */
static bool frame_messages(const framing_t *f, unsigned index, unsigned run_index)
{
    session_t *session = f->session;
    flow_t *flow = &session->flow[index];
    stream_run_t *run = stream_run_at(&flow->bytes, run_index);
    uint64_t from = run->at, end = run->at + run->length, message_end = 0;
    bool bounded = is_bounded(&flow->bytes, run);

    if (from == flow->handshake_at && flow->handshake_size > 0)
        return frame_handshake(f, index, run);
    if (end < run->message_end && !bounded)
        return false;

    uint32_t length = readable(session, index, from, end);
    size_t unknown = 0, offset = 0;
    if (length < MESSAGE_HEADER)
        return false;
    const uint8_t *plain = decrypt_run(session, index, run, length, &unknown);
    /* Right behind a gap CFB leaves the header unknown, and with it where the message ends. */
    if (unknown > 0)
        return search_run(f, index, run_index);

    unsigned keys = flow->epochs->len;
    while (length - offset >= MESSAGE_HEADER && flow->epochs->len == keys) {
        uint16_t size = message_size(plain + offset), type = message_type(plain + offset);
        if (size < MESSAGE_HEADER) {
            record_add_notice(f->here, NOTICE_BAD_LENGTH, size, type, NULL);
            if (offset > 0)
                stream_claim(&flow->bytes, from, from + offset, true);
            stream_claim(&flow->bytes, from + offset, from + length, false);
            return true;
        }
        uint32_t total = size;
        if (size <= length - offset)
            total += footer_size(f, index, plain + offset + size, length - (uint32_t)offset - size);
        else if (session->footers)
            total += TQ_FOOTER_SIZE;
        if (total > length - offset) {
            message_end = from + offset + total;
            break;
        }
        uint32_t frame = frame_showing(f, index, run, from + offset, total);
        record_pdu_t *pdu = emit(f, index, run, from + offset, total, PDU_MESSAGE, frame);
        pdu->footer = (total - size) & 15;
        opening_observe(session, index, frame, from + offset, plain + offset, size);
        pdu->evidence = session->evidence;
        offset += total;
    }
    if (offset > 0)
        stream_claim(&flow->bytes, from, from + offset, true);
    if (from + offset == end)
        return true;
    if (bounded && flow->epochs->len == keys) {
        /* What is left would reach into a message that is known: it is none. */
        record_add_notice(f->here, NOTICE_GIVEN_UP, end - from - offset, 0, NULL);
        stream_claim(&flow->bytes, from + offset, end, false);
        return true;
    }
    stream_run_at(&flow->bytes, run_index)->message_end = message_end;
    return offset > 0;
}

/* A run whose first message boundary is searched. */
typedef struct {
    const framing_t *f;
    unsigned flow;
    const stream_run_t *run;
    const uint8_t *plain;
    size_t length;
    bool bounded; /* a message must end where the run does */
} search_t;

/* Whether a segment begins, or the run ends, at an offset. */
static bool is_segment_edge(const search_t *s, size_t offset)
{
    uint64_t at = s->run->at + offset;
    return offset == s->run->length || stream_run_mark(s->run, at)->at == at;
}

/* How much a header says for a message beginning there rather than the body of one going on, in
 * units of the header model. Zeros say little: bodies are full of them. */
static int weigh_header(const search_t *s, const tq_header_model *model, size_t offset)
{
    const uint8_t *header = s->plain + offset;
    uint16_t size = message_size(header);
    size_t end = offset + size;
    bool fits = s->bounded ? end == s->length : end <= s->length && is_segment_edge(s, end);
    int evidence = tq_header_evidence(model, size, message_type(header), fits ? size : 0);

    for (unsigned i = 0; i < MESSAGE_HEADER; i++)
        evidence -= header[i] == 0 ? ZERO_DISCOUNT : 0;
    return evidence;
}

/* How much a chain of headers says for its first one being a message's; INT_MIN if it can't be. */
static int weigh_chain(const search_t *s, size_t offset)
{
    const session_t *session = s->f->session;
    const tq_header_model *model = evidence_model(session_direction(session, s->flow));
    int evidence = 0;

    while (s->length - offset >= MESSAGE_HEADER) {
        uint16_t size = message_size(s->plain + offset);
        size_t rest = s->length - offset;
        if (size < MESSAGE_HEADER)
            return INT_MIN;
        evidence += weigh_header(s, model, offset);
        if (size + (session->footers ? TQ_FOOTER_SIZE : 0U) > rest) /* cut off by the run's end */
            return s->bounded ? INT_MIN : evidence;
        uint32_t footer =
            footer_size(s->f, s->flow, s->plain + offset + size, (uint32_t)(rest - size));
        if (session->footers &&
            !is_footer(session_direction(session, s->flow), s->plain + offset + size))
            return INT_MIN;
        offset += size + footer;
        evidence += footer ? FOOTER_EVIDENCE : 0;
    }
    return s->bounded && offset != s->length ? INT_MIN : evidence;
}

/* What speaks against an offset before anything is read there: most segments begin with a message,
 * and messages rarely begin elsewhere. */
static int cost_of_place(const search_t *s, size_t offset)
{
    if (offset == 0)
        return 2 * TQ_EVIDENCE_BIT;
    if (is_segment_edge(s, offset))
        return 4 * TQ_EVIDENCE_BIT;
    return (6 + (int)g_bit_storage(offset)) * TQ_EVIDENCE_BIT;
}

/* The likeliest place of a run's first boundary, from an offset on; or -1. */
static int64_t find_boundary(const search_t *s, size_t offset)
{
    const tq_header_model *model = evidence_model(session_direction(s->f->session, s->flow));
    int best = s->bounded ? WANTED_BOUNDED : WANTED;
    int64_t found = -1;

    for (; offset + MESSAGE_HEADER <= s->length; offset++) {
        /* Within a segment, only what the dictionary knows: it saves the time for the rest. */
        if (!tq_header_type_listed(model, message_type(s->plain + offset)) &&
            !(is_segment_edge(s, offset)))
            continue;
        int evidence = weigh_chain(s, offset);
        if (evidence == INT_MIN || evidence - cost_of_place(s, offset) <= best)
            continue;
        best = evidence - cost_of_place(s, offset);
        found = (int64_t)offset;
    }
    return found;
}

/* Makes a message begin at a coordinate of a run, and frames it from there on. */
static bool begin_at(const framing_t *f, unsigned index, unsigned run_index, uint64_t at)
{
    stream_t *bytes = &f->session->flow[index].bytes;

    if (at > stream_run_at(bytes, run_index)->at) {
        stream_split(bytes, run_index, at);
        run_index++;
        stream_run_at(bytes, run_index)->gap_told = true;
    }
    stream_run_at(bytes, run_index)->boundary = true;
    frame_messages(f, index, run_index);
    return true;
}

/* Searches a run for a boundary, and frames it from there on. */
static bool search_run(const framing_t *f, unsigned index, unsigned run_index)
{
    flow_t *flow = &f->session->flow[index];
    stream_run_t *run = stream_run_at(&flow->bytes, run_index);
    bool bounded = is_bounded(&flow->bytes, run);
    uint32_t mark = run->length << 1 | (bounded ? 1 : 0);

    if (run->searched == mark)
        return false;
    if (!bounded && run->length > SEARCH_MAX) {
        record_add_notice(f->here, NOTICE_GIVEN_UP, run->length / 2, 0, NULL);
        stream_claim(&flow->bytes, run->at, run->at + run->length / 2, false);
        return true;
    }
    run->searched = mark;

    search_t search = {.f = f, .flow = index, .run = run, .bounded = bounded};
    size_t unknown;
    search.length = readable(f->session, index, run->at, run->at + run->length);
    if (search.length < MESSAGE_HEADER)
        return false;
    search.plain = decrypt_run(f->session, index, run, (uint32_t)search.length, &unknown);
    int64_t found = find_boundary(&search, unknown);
    return found >= 0 && begin_at(f, index, run_index, run->at + (uint64_t)found);
}

/* Whether a coordinate is within a run. */
static bool holds(const stream_run_t *run, uint64_t at)
{
    return run->at <= at && at < run->at + run->length;
}

static bool starts_with_message(const flow_t *flow, const stream_run_t *run)
{
    const stream_range_t *before = stream_range_ending(&flow->bytes, run->at);

    return run->boundary || (flow->started && run->at == flow->start) ||
           (before && before->boundary);
}

/* Frames what can be framed of a run. front: the last one before it of which it is known where the
 * message that begins it ends; or NULL. */
static bool frame_run(const framing_t *f, unsigned index, unsigned run_index,
                      const stream_run_t *front)
{
    flow_t *flow = &f->session->flow[index];
    stream_run_t *run = stream_run_at(&flow->bytes, run_index);

    if (readable(f->session, index, run->at, run->at + run->length) == 0)
        return false;
    /* A gap within a message leaves its end known. */
    bool is_cut = front && front->message_end >= run->at;
    if (!run->gap_told)
        tell_gap(f, index, run, is_cut ? front : NULL);
    if (starts_with_message(flow, run))
        return frame_messages(f, index, run_index);
    if (flow->boundary && holds(run, flow->boundary))
        return begin_at(f, index, run_index, flow->boundary);
    if (is_cut && holds(run, front->message_end))
        return begin_at(f, index, run_index, front->message_end);
    return !is_cut && search_run(f, index, run_index);
}

/* Frames what can be framed of a direction. */
static bool frame_flow(const framing_t *f, unsigned index)
{
    const stream_t *bytes = &f->session->flow[index].bytes;
    const stream_run_t *front = NULL;
    bool progress = false;

    for (unsigned i = 0; i < stream_runs(bytes);) {
        if (frame_run(f, index, i, front)) {
            progress = true;
            front = NULL;
            i = 0;
            continue;
        }
        if (stream_run_at(bytes, i)->message_end)
            front = stream_run_at(bytes, i);
        i++;
    }
    return progress;
}

/* Frames what can be framed of the connection. */
static void make_progress(framing_t *f)
{
    session_t *session = f->session;
    bool progress;

    do {
        progress = opening_progress(session, f->here);
        f->key_came_late |= progress;
        progress |= frame_flow(f, f->here->flow);
        if (progress)
            progress |= frame_flow(f, 1U - f->here->flow);
        if (resume_progress(session, f->here) || resume_cfb_progress(session)) {
            f->key_came_late = true;
            progress = true;
        }
    } while (progress);
}

void framing_add(session_t *session, record_segment_t *here, uint64_t at, const uint8_t *data,
                 uint32_t length, uint32_t frame, bool in_payload)
{
    framing_t f = {.session = session, .here = here, .frame = frame};
    flow_t *flow = &session->flow[here->flow];

    if (session->status == SESSION_FOREIGN || session->status == SESSION_UNRECOVERED)
        return;
    if (stream_add(&flow->bytes, at, data, length, frame, in_payload) == 0)
        return;
    if (flow->first == 0 || at < flow->first)
        flow->first = at;

    make_progress(&f);
    size_t given_up = stream_keep(&flow->bytes);
    if (given_up > 0 && flow->epochs && session_epoch(session, here->flow, at))
        record_add_notice(here, NOTICE_GIVEN_UP, given_up, 0, NULL);
}

void framing_retry(session_t *session, record_segment_t *here, uint32_t frame)
{
    framing_t f = {.session = session, .here = here, .frame = frame, .key_came_late = true};

    if (session->status == SESSION_OPENING || session->status == SESSION_OPEN)
        make_progress(&f);
}
