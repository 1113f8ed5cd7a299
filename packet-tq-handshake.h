/* packet-tq-handshake.h
 * Fields of the Diffie-Hellman exchange that opens a game connection from patch 5018 on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "session.h"

void register_tq_handshake(int proto);

/* tvb: the plaintext of a hello or reply, from its first random byte on. */
void dissect_tq_handshake(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                          const session_t *session, handshake_kind_t kind);
