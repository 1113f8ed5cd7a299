/* record.c
 * What the first pass found, kept for all later ones: which messages each frame shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "record.h"

static wmem_map_t *frames; /* number to record_segment_t */

void record_init(void)
{
    frames = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

record_segment_t *record_find(uint32_t frame)
{
    return (record_segment_t *)wmem_map_lookup(frames, GUINT_TO_POINTER(frame));
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
        wmem_map_insert(frames, GUINT_TO_POINTER(frame), segment);
    }
    return segment;
}

void record_add_pdu(record_segment_t *segment, record_pdu_t *pdu)
{
    record_pdu_t **link = &segment->pdus;

    if (segment->last_pdu && segment->last_pdu->at < pdu->at)
        link = &segment->last_pdu->next;
    while (*link && (*link)->at < pdu->at)
        link = &(*link)->next;
    pdu->next = *link;
    *link = pdu;
    if (!pdu->next)
        segment->last_pdu = pdu;
}

void record_add_notice(record_segment_t *segment, notice_kind_t kind, uint64_t value, uint16_t type,
                       const char *text)
{
    record_notice_t *notice = wmem_new0(wmem_file_scope(), record_notice_t);
    record_notice_t **link = &segment->notices;

    notice->kind = (uint8_t)kind;
    notice->value = value;
    notice->type = type;
    notice->text = text;
    while (*link)
        link = &(*link)->next;
    *link = notice;
}
