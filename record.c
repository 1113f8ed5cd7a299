/* record.c
 * What the first pass found, kept for all later ones: which messages each frame shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "record.h"

/* By frame number, record_segment_t. An array takes less than a map, even with frames of others
 * between. */
static GPtrArray *frames;

void record_init(void)
{
    frames = g_ptr_array_new();
}

void record_cleanup(void)
{
    g_ptr_array_free(frames, TRUE);
    frames = NULL;
}

record_segment_t *record_find(uint32_t frame)
{
    return frame < frames->len ? (record_segment_t *)frames->pdata[frame] : NULL;
}

record_segment_t *record_segment(uint32_t frame, session_t *session, unsigned flow, uint64_t at)
{
    record_segment_t *first = record_find(frame);

    for (record_segment_t *segment = first; segment; segment = segment->next) {
        if (segment->session == session && segment->flow == flow)
            return segment;
    }

    record_segment_t *segment = wmem_new0(wmem_file_scope(), record_segment_t);
    segment->session = session;
    segment->flow = (uint8_t)flow;
    segment->at = at;
    if (first) {
        segment->next = first->next;
        first->next = segment;
    } else {
        if (frame >= frames->len)
            g_ptr_array_set_size(frames, (gint)frame + 1);
        frames->pdata[frame] = segment;
    }
    return segment;
}

void record_add_pdu(record_segment_t *segment, record_pdu_t *pdu)
{
    record_pdu_t *last = segment->last_pdu, *before = last;

    if (!last) {
        pdu->next = pdu;
        segment->last_pdu = pdu;
        return;
    }
    /* Most messages come in order; others go before the first that is behind them. */
    if (last->at > pdu->at) {
        while (before->next->at < pdu->at)
            before = before->next;
    } else {
        segment->last_pdu = pdu;
    }
    pdu->next = before->next;
    before->next = pdu;
}

const record_pdu_t *record_first_pdu(const record_segment_t *segment)
{
    return segment->last_pdu ? segment->last_pdu->next : NULL;
}

const record_pdu_t *record_next_pdu(const record_segment_t *segment, const record_pdu_t *pdu)
{
    return pdu == segment->last_pdu ? NULL : pdu->next;
}

record_extra_t *record_extra(record_segment_t *segment)
{
    if (!segment->extra)
        segment->extra = wmem_new0(wmem_file_scope(), record_extra_t);
    return segment->extra;
}

static record_notice_t *add_notice(record_segment_t *segment, notice_kind_t kind, uint64_t value,
                                   uint16_t type)
{
    record_notice_t *notice = wmem_new0(wmem_file_scope(), record_notice_t);
    record_notice_t **link = &record_extra(segment)->notices;

    notice->kind = (uint8_t)kind;
    notice->value = value;
    notice->type = type;
    while (*link)
        link = &(*link)->next;
    *link = notice;
    return notice;
}

void record_add_notice(record_segment_t *segment, notice_kind_t kind, uint64_t value, uint16_t type,
                       const char *text)
{
    add_notice(segment, kind, value, type)->text = text;
}

void record_add_gap(record_segment_t *segment, uint64_t from, uint64_t to, uint16_t type)
{
    add_notice(segment, NOTICE_LOST, to, type)->from = from;
}
