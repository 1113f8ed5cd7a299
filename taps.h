/* taps.h
 * What the dissector tells those who listen: Wireshark's statistics, streams that are followed,
 * exports. Without a listener nothing is prepared.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include <epan/tap.h>

#include "packet-conquer.h"
#include "session.h"

/* Name of the tap. Its data is a tq_tap_info_t. */
#define TQ_TAP "tq"

/* Queued for each segment of a TQ connection, then for each message in it. Valid while the frame
 * is dissected. */
typedef struct {
    const session_t *session; /* NULL: a message from exported PDUs, without a connection */
    tq_direction_t direction;
    uint32_t stream; /* number of the TCP stream, as in tcp.stream */

    /* A message; of a segment the rest is not set. */
    tvbuff_t *message; /* plaintext with header, without footer; NULL: a segment */
    uint16_t type;
    uint16_t length;   /* in bytes, without footer */
    const char *name;  /* of the type, or NULL */
    uint64_t position; /* of its first byte in the direction's stream, from 0 */
    const struct conquer_context *context;
} tq_tap_info_t;

/* One end of a connection. */
typedef struct {
    const address *addr;
    uint32_t port;
} tq_end_t;

/* Values as shown to the user, by tq_server_t, tq_direction_t, tq_cipher_t and tq_key_t. */
extern const value_string tq_server_values[];
extern const value_string tq_direction_values[];
extern const value_string tq_cipher_values[];
extern const value_string tq_key_values[];

/* Registers the tap and everything that listens to it; to be called with the protocol. */
void taps_register(int proto);

/* Finds the taps of others; to be called at handoff. */
void taps_handoff(void);

/* Whether anyone listens. */
bool taps_wanted(void);

/* What there is to tell of a message but for its connection; allocated for the frame. */
tq_tap_info_t *taps_describe(packet_info *pinfo, tvbuff_t *message,
                             const struct conquer_context *context);

/* Hands a segment or a message to all who listen. info must last as long as the frame. */
void taps_queue(packet_info *pinfo, const tq_tap_info_t *info);

/* The number of the frame's TCP stream, as in tcp.stream. Returns whether it has one. */
bool taps_stream(packet_info *pinfo, uint32_t *stream);

/* Both ends of the frame's connection. They are the frame's own: valid while it is dissected. */
void taps_ends(const packet_info *pinfo, const session_t *session, tq_end_t *client,
               tq_end_t *server);

/* A text or number of a message, by the name that the dictionary has for the field. Returns NULL,
 * or false, if the message has no such field. The text is UTF-8, allocated in pool. */
char *taps_read_text(wmem_allocator_t *pool, const tq_tap_info_t *info, const char *field);
bool taps_read_number(const tq_tap_info_t *info, const char *field, uint64_t *value);

/* The account that a login message names; NULL in other messages. As above. */
char *taps_read_account(wmem_allocator_t *pool, const tq_tap_info_t *info);

/* The account of a connection, as far as a login was told of; NULL: none. */
const char *taps_account(const session_t *session);

/* The account of a game connection whose token is enciphered: of all logins before this frame, its
 * first one, that announced its server to its client, if they are of one account; else NULL. */
const char *taps_announced_account(const packet_info *pinfo, const session_t *game);

/* ---- The listeners, for taps.c ---- */

/* tap-follow.c: Follow -> TQ stream, and the conversation filter "TQ session". */
void follow_register(int proto);

/* tap-statistics.c: Statistics -> TQ (-z tq,tree) and TQ Sessions (-z tq,sessions). */
void statistics_register(void);

/* tap-response.c: Statistics -> Service Response Time -> TQ (-z tq,srt). */
void response_register(int proto);

/* tap-export.c: messages as PDUs of OSI layer 7; account names as credentials. */
void export_register(void);
void export_handoff(void);
bool export_wanted(void);
void export_message(packet_info *pinfo, const tq_tap_info_t *info);
