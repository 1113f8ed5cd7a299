/* record.h
 * What the first pass found, kept for all later ones: which messages each frame shows.
 *
 * A record holds positions and lengths. Plaintext is never kept, ciphertext only where a frame's
 * own payload does not have all of a message; it is deciphered again each time it is shown.
 * Records live as long as the capture file (wmem_file_scope()).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "dictionary.h"
#include "session.h"

typedef enum {
    PDU_MESSAGE,
    PDU_HELLO, /* the server's half of the Diffie-Hellman exchange */
    PDU_REPLY, /* the client's half */
} pdu_kind_t;

/* Ciphertext that is not in the payload of the frame that shows it: the message came in several
 * segments, or TCP withholds the one it came in. */
typedef struct {
    uint32_t first_frame;   /* where its first byte came */
    uint8_t context_length; /* bytes before the message, for CFB */
    uint8_t bytes[];        /* these, then the message */
} record_copy_t;

/* One message. There are as many as messages in the capture, so it is packed. */
typedef struct record_pdu {
    struct record_pdu *next;
    uint64_t at;                    /* coordinate of the first byte */
    const record_copy_t *copy;      /* NULL: all of it is in the frame's payload */
    unsigned size : 20;             /* on the wire, in bytes: with the footer */
    unsigned footer : 4;            /* bytes of `size` that are footer */
    unsigned kind : 2;              /* pdu_kind_t */
    struct patch_evidence evidence; /* what the connection had shown of its patch by then */
} record_pdu_t;

typedef enum {
    NOTICE_LOST,       /* [from, value): coordinates missing then; type: of the cut message, or 0 */
    NOTICE_BAD_LENGTH, /* value: the length; undone: bytes skipped */
    NOTICE_GIVEN_UP,   /* value: bytes that could not be framed */
    NOTICE_FOREIGN,    /* the connection is not TQ's, or of an unknown key */
    NOTICE_NO_SECRET,  /* the session key is missing */
    NOTICE_RECOVERED,  /* counter and key were recovered; value: segments needed */
    NOTICE_UNRECOVERED, /* the start is missing and recovery gave up */
    NOTICE_KEY_ERROR,   /* text: what is wrong with the secret */
} notice_kind_t;

/* Something that the user is told in a frame. */
typedef struct record_notice {
    struct record_notice *next;
    uint64_t from, value;
    const char *text; /* file scope, or NULL */
    uint16_t type;
    uint8_t kind; /* notice_kind_t */
} record_notice_t;

/* What few segments have. */
typedef struct {
    record_notice_t *notices;
    uint64_t context_at; /* coordinate that `context` ends at */
    uint8_t context_length;
    uint8_t context[STREAM_CONTEXT]; /* bytes before the payload, for CFB */
} record_extra_t;

/* What one TCP segment of a TQ connection shows. */
typedef struct record_segment {
    struct record_segment *next; /* another one in the same frame */
    session_t *session;
    uint64_t at;            /* coordinate of the payload's first byte */
    record_pdu_t *last_pdu; /* of a ring in order of position, so its `next` is the first */
    record_extra_t *extra;  /* NULL if there is nothing to say */
    uint8_t flow;
} record_segment_t;

/* Make ready for a capture file, and forget it. */
void record_init(void);
void record_cleanup(void);

/* The segments of a frame, or NULL. */
record_segment_t *record_find(uint32_t frame);

/* The segment of this flow in the frame; made if it is not there. */
record_segment_t *record_segment(uint32_t frame, session_t *session, unsigned flow, uint64_t at);

/* Adds a message, in order of position. The PDU is file scope's. */
void record_add_pdu(record_segment_t *segment, record_pdu_t *pdu);

/* The first message, and the one after another; NULL at the end. */
const record_pdu_t *record_first_pdu(const record_segment_t *segment);
const record_pdu_t *record_next_pdu(const record_segment_t *segment, const record_pdu_t *pdu);

/* The segment's extra part; made if it is not there. */
record_extra_t *record_extra(record_segment_t *segment);

void record_add_notice(record_segment_t *segment, notice_kind_t kind, uint64_t value, uint16_t type,
                       const char *text);

/* Adds NOTICE_LOST: the bytes [from, to) of the segment's direction have not come yet. */
void record_add_gap(record_segment_t *segment, uint64_t from, uint64_t to, uint16_t type);
