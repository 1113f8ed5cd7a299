/* conversation.h
 * From a frame to its session: which connection it belongs to, which direction, and the coordinate
 * of its bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "session.h"

/* Makes ready for a capture file, and frees all sessions of the last one. */
void conversation_begin(int proto);
void conversation_end(void);

/* Index of the flow that the frame at hand is part of. */
unsigned conversation_flow(const packet_info *pinfo);

/* The session of the frame's connection; NULL if there is none and `create` is false. A session
 * made for `claimed` is TQ's by port, by the user's choice or by announcement; others are probed.
 */
session_t *conversation_session(packet_info *pinfo, bool create, bool claimed);

/* Takes note of a SYN: it shows where a direction starts and which end is the client.
 * seq is the raw sequence number. First pass only. */
void conversation_syn(packet_info *pinfo, uint32_t seq, bool ack);

/* The sequence number as it was on the wire, from the one that TCP hands to its sub-dissectors. */
uint32_t conversation_raw_seq(packet_info *pinfo, uint32_t seq);

/* The dissector of all connections to an endpoint, or NULL. */
dissector_handle_t conversation_endpoint_dissector(const packet_info *pinfo, const address *addr,
                                                   uint32_t port);

/* Hands all connections to an endpoint to the dissector, as MsgConnectEx announced it. */
void conversation_claim_endpoint(packet_info *pinfo, const address *addr, uint16_t port,
                                 dissector_handle_t handle);
