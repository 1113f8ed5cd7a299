/* framing.c
 * Cuts the bytes of a connection into messages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing.h"

#include <string.h>

#include "evidence.h"
#include "message-types.h"
#include "opening.h"
#include "resume.h"

/* A run in which no boundary is found is searched up to this length; its older half is given up
 * beyond. Messages are rarely longer than 1 KiB, so more would only cost time. */
#define SEARCH_MAX 4096

typedef struct {
    session_t *session;
    record_segment_t *here; /* of the frame at hand */
    uint32_t frame;
    bool in_own_frames; /* messages go to the frame that brought their last byte, not to this one */
} framing_t;

/* Plaintext of the stretch at hand. One buffer serves all: framing is not entered twice. */
static GByteArray *scratch;

static const uint8_t *decrypt_run(const session_t *session, unsigned flow, const stream_run_t *run,
                                  uint64_t from, uint32_t length, size_t *unknown)
{
    const stream_range_t *before =
        from == run->at ? stream_range_ending(&session->flow[flow].bytes, from) : NULL;
    uint32_t offset = (uint32_t)(from - run->at);

    if (!scratch)
        scratch = g_byte_array_new();
    g_byte_array_set_size(scratch, length);
    if (before)
        *unknown = session_decrypt(session, flow, from, before->context, before->context_length,
                                   run->data, length, scratch->data);
    else
        *unknown = session_decrypt(session, flow, from, run->data, offset, run->data + offset,
                                   length, scratch->data);
    return scratch->data;
}

/* How many bytes from a coordinate on have a known key. */
static uint32_t readable(const session_t *session, unsigned flow, uint64_t from, uint64_t end)
{
    const GArray *epochs = session->flow[flow].epochs;

    if (!session_epoch(session, flow, from))
        return 0;
    for (unsigned i = 0; i < epochs->len; i++) {
        const epoch_t *epoch = &g_array_index(epochs, epoch_t, i);
        if (epoch->from > from && epoch->from < end && epoch->cipher == TQ_CIPHER_UNKNOWN)
            end = epoch->from;
    }
    return (uint32_t)(end - from);
}

/* The ciphertext before a coordinate of a run, as far as it is there. */
static uint8_t copy_context(const stream_t *bytes, const stream_run_t *run, uint64_t at,
                            uint8_t context[STREAM_CONTEXT])
{
    uint32_t offset = (uint32_t)(at - run->at);
    uint8_t inside = (uint8_t)MIN(offset, STREAM_CONTEXT), length = inside;
    const stream_range_t *range = stream_range_ending(bytes, run->at);

    if (range && inside < STREAM_CONTEXT) {
        uint8_t more = MIN(range->context_length, (uint8_t)(STREAM_CONTEXT - inside));
        memcpy(context, range->context + range->context_length - more, more);
        length = (uint8_t)(length + more);
    }
    memcpy(context + length - inside, run->data + offset - inside, inside);
    return length;
}

/* Records a message for the frame that is to show it. */
static record_pdu_t *emit(const framing_t *f, unsigned flow, const stream_run_t *run, uint64_t at,
                          uint32_t size, pdu_kind_t kind)
{
    session_t *session = f->session;
    const stream_t *bytes = &session->flow[flow].bytes;
    const stream_mark_t *first = stream_run_mark(run, at);
    const stream_mark_t *last = stream_run_mark(run, at + size - 1);
    uint32_t frame = f->frame;

    if (f->in_own_frames) {
        frame = first->frame;
        for (const stream_mark_t *mark = first; mark <= last; mark++)
            frame = MAX(frame, mark->frame);
    }

    record_segment_t *segment = frame == f->frame && f->here->flow == flow
                                    ? f->here
                                    : record_segment(frame, session, flow, 0);
    record_pdu_t *pdu = wmem_new0(wmem_file_scope(), record_pdu_t);
    pdu->at = at;
    pdu->size = size;
    pdu->kind = (uint8_t)kind;
    pdu->first_frame = first->frame;
    pdu->evidence = session->evidence;
    if (kind == PDU_MESSAGE && session->footers)
        pdu->footer = TQ_FOOTER_SIZE;

    bool feeds_back = session_epoch(session, flow, at)->cipher != TQ_CIPHER_TQ;
    if (first != last || first->frame != frame || !first->in_payload) {
        uint8_t *copy = wmem_alloc_array(wmem_file_scope(), uint8_t, STREAM_CONTEXT + size);
        pdu->context_length = feeds_back ? copy_context(bytes, run, at, copy) : 0;
        memcpy(copy + STREAM_CONTEXT, run->data + (at - run->at), size);
        pdu->copy = copy;
    } else if (feeds_back && !segment->context) {
        uint8_t *context = wmem_alloc_array(wmem_file_scope(), uint8_t, STREAM_CONTEXT);
        segment->context_length = copy_context(bytes, run, at, context);
        segment->context = context;
        segment->context_at = at;
    }
    record_add_pdu(segment, pdu);
    return pdu;
}

/* Tells of bytes that are missing before a run, and of the message that they cut. */
static void tell_loss(const framing_t *f, const flow_t *flow, const stream_run_t *run)
{
    uint64_t before = stream_claimed_before(&flow->bytes, run->at);
    uint16_t type = 0;

    if (before == 0 && !flow->started)
        return;
    before = MAX(before, flow->started ? flow->start : 0);
    if (flow->pending_until > before) {
        /* The front of the cut message lies in an earlier run. */
        type = flow->pending_type;
        for (unsigned i = 0; i < stream_runs(&flow->bytes); i++) {
            const stream_run_t *front = stream_run_at(&flow->bytes, i);
            if (front->at == flow->pending_at)
                before = front->at + front->length;
        }
    }
    if (before < run->at)
        record_add_notice(f->here, NOTICE_LOST, run->at - before, type, NULL);
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

/* Frames the messages of a run from a boundary on. Returns whether it got further. */
static bool frame_from(const framing_t *f, unsigned index, unsigned run_index, uint64_t from)
{
    session_t *session = f->session;
    flow_t *flow = &session->flow[index];
    const stream_run_t *run = stream_run_at(&flow->bytes, run_index);
    uint64_t end = run->at + run->length;
    bool bounded = is_bounded(&flow->bytes, run);

    if (from == flow->handshake_at && flow->handshake_size > 0) {
        if (end - from < flow->handshake_size)
            return false;
        bool hello = session_direction(session, index) == TQ_SERVER_TO_CLIENT;
        emit(f, index, run, from, flow->handshake_size, hello ? PDU_HELLO : PDU_REPLY);
        stream_claim(&flow->bytes, from, from + flow->handshake_size, true);
        return true;
    }
    if (from == flow->pending_at && end < flow->pending_until && !bounded)
        return false;

    uint32_t length = readable(session, index, from, end);
    size_t unknown = 0, offset = 0;
    if (length < MESSAGE_HEADER)
        return false;
    const uint8_t *plain = decrypt_run(session, index, run, from, length, &unknown);
    if (unknown > 0)
        return false;

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
            flow->pending_at = from + offset;
            flow->pending_until = from + offset + total;
            flow->pending_type = type;
            break;
        }
        record_pdu_t *pdu = emit(f, index, run, from + offset, total, PDU_MESSAGE);
        pdu->footer = (uint8_t)(total - size);
        opening_observe(session, index, f->frame, from + offset, plain + offset, size);
        pdu->evidence = session->evidence;
        offset += total;
    }
    if (offset > 0)
        stream_claim(&flow->bytes, from, from + offset, true);
    if (bounded && from + offset < end && flow->epochs->len == keys) {
        /* What is left would reach into a message that is known: it is none. */
        record_add_notice(f->here, NOTICE_GIVEN_UP, end - from - offset, 0, NULL);
        stream_claim(&flow->bytes, from + offset, end, false);
        return true;
    }
    return offset > 0;
}

/* How much a chain of headers says for its first one being a message's, in bits (see
 * cipher/header_model.h; a footer is worth 64); negative if it can't be one. */
static int weigh_chain(const framing_t *f, unsigned flow, const uint8_t *plain, size_t length,
                       size_t offset, bool bounded)
{
    tq_direction_t direction = session_direction(f->session, flow);
    const tq_header_model *model = evidence_model(direction);
    int evidence = 0;

    while (length - offset >= MESSAGE_HEADER) {
        uint16_t size = message_size(plain + offset), type = message_type(plain + offset);
        size_t rest = length - offset;
        if (size < MESSAGE_HEADER)
            return -1;
        evidence += tq_header_evidence(model, size, type, rest);
        if (size > rest || (f->session->footers && (size_t)size + TQ_FOOTER_SIZE > rest))
            return bounded ? -1
                           : evidence / TQ_EVIDENCE_BIT; /* cut off by the end of what is there */
        uint32_t footer = footer_size(f, flow, plain + offset + size, (uint32_t)(rest - size));
        if (f->session->footers && !is_footer(direction, plain + offset + size))
            return -1;
        offset += size + footer;
        evidence += footer ? 64 * TQ_EVIDENCE_BIT : 0;
    }
    return bounded && offset != length ? -1 : evidence / TQ_EVIDENCE_BIT;
}

/* Bits wanted of a chain that begins at an offset of a run. The more offsets were tried, the more.
 * Most segments begin with a message, so the first offset needs less. */
static int wanted_bits(size_t offset)
{
    return offset == 0 ? 15 : 20 + (int)g_bit_storage(offset);
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

    size_t unknown, length = readable(f->session, index, run->at, run->at + run->length);
    if (length < MESSAGE_HEADER)
        return false;
    const uint8_t *plain = decrypt_run(f->session, index, run, run->at, (uint32_t)length, &unknown);
    for (size_t offset = unknown; offset + MESSAGE_HEADER <= length; offset++) {
        if (weigh_chain(f, index, plain, length, offset, bounded) < wanted_bits(offset))
            continue;
        if (!bounded)
            tell_loss(f, flow, run);
        return frame_from(f, index, run_index, run->at + offset);
    }
    return false;
}

/* Whether a coordinate is within a run. */
static bool holds(const stream_run_t *run, uint64_t at)
{
    return run->at <= at && at < run->at + run->length;
}

static bool frame_run(const framing_t *f, unsigned index, unsigned run_index)
{
    flow_t *flow = &f->session->flow[index];
    const stream_run_t *run = stream_run_at(&flow->bytes, run_index);
    const stream_range_t *before = stream_range_ending(&flow->bytes, run->at);

    if ((flow->started && run->at == flow->start) || (before && before->boundary))
        return frame_from(f, index, run_index, run->at);
    if (flow->boundary && holds(run, flow->boundary)) {
        uint64_t boundary = flow->boundary;
        flow->boundary = 0;
        return frame_from(f, index, run_index, boundary);
    }
    /* A gap within a message leaves its end known. */
    if (flow->pending_at < run->at && holds(run, flow->pending_until)) {
        uint64_t boundary = flow->pending_until;
        tell_loss(f, flow, run);
        flow->pending_at = flow->pending_until = 0;
        return frame_from(f, index, run_index, boundary);
    }
    return readable(f->session, index, run->at, run->at + run->length) > 0 &&
           search_run(f, index, run_index);
}

/* Frames what can be framed of a direction. */
static bool frame_flow(const framing_t *f, unsigned index)
{
    const stream_t *bytes = &f->session->flow[index].bytes;
    bool progress = false;

    for (unsigned i = 0; i < stream_runs(bytes);) {
        if (frame_run(f, index, i)) {
            progress = true;
            i = 0;
        } else {
            i++;
        }
    }
    return progress;
}

void framing_add(session_t *session, record_segment_t *here, const uint8_t *data, uint32_t length,
                 uint32_t frame, bool in_payload)
{
    framing_t f = {.session = session, .here = here, .frame = frame};
    flow_t *flow = &session->flow[here->flow];

    if (session->status == SESSION_FOREIGN || session->status == SESSION_UNRECOVERED)
        return;
    if (stream_add(&flow->bytes, here->at, data, length, frame, in_payload) == 0)
        return;
    if (flow->first == 0 || here->at < flow->first)
        flow->first = here->at;
    if (session->first_frame == 0)
        session->first_frame = frame;
    session->last_frame = frame;

    bool progress;
    do {
        bool told = session->exchange && session->exchange->told;
        progress = opening_progress(session, here);
        /* What came before a key was found belongs where it stands. */
        f.in_own_frames |= progress && told;
        progress |= frame_flow(&f, here->flow);
        if (progress)
            progress |= frame_flow(&f, 1U - here->flow);
        if (resume_progress(session, here)) {
            f.in_own_frames = true;
            progress = true;
        }
    } while (progress);

    size_t given_up = stream_keep(&flow->bytes);
    if (given_up > 0 && flow->epochs && session_epoch(session, here->flow, here->at))
        record_add_notice(here, NOTICE_GIVEN_UP, given_up, 0, NULL);
}
