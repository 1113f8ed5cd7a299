/* packet-tq-show.h
 * What a frame shows of the TQ transport: columns, trees, expert infos, taps. Messages go on to the
 * dissector table tq.type, or to the dissector "conquer".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "session.h"

void register_tq_show(int proto);
void handoff_tq_show(void);

/* Shows what a frame has of a session. payload: the one that TCP handed on, or NULL. Returns
 * whether it has messages. */
bool tq_show_frame(packet_info *pinfo, proto_tree *tree, const session_t *session,
                   tvbuff_t *payload);

/* Shows, on the first pass, what a frame's further part has brought. Later passes show all of the
 * frame with its first part. */
void tq_show_rest(packet_info *pinfo, proto_tree *tree, session_t *session, uint32_t seq);

/* Says why a frame shows no message. */
void tq_show_none(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const session_t *session);
