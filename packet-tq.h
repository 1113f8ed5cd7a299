/* packet-tq.h
 * The TQ transport: entry points, and what it tells taps.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "session.h"

/* Name of the tap, and what is queued for each message; valid while the frame is dissected. */
#define TQ_TAP "tq"

typedef struct {
    const session_t *session;
    tq_server_t server;
    tq_direction_t direction;
    uint16_t type;
    uint16_t length;
    const char *name; /* of the type, or NULL */
    uint64_t position;
    tvbuff_t *message; /* plaintext with header, without footer */
} tq_tap_info_t;

void proto_register_tq(void);
void proto_reg_handoff_tq(void);
