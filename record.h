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

/* One message. */
typedef struct record_pdu {
    struct record_pdu *next;
    uint64_t at;          /* coordinate of the first byte */
    uint32_t size;        /* on the wire, in bytes: with the footer */
    uint32_t first_frame; /* where its first byte came */
    const uint8_t *copy;  /* STREAM_CONTEXT bytes of context and the ciphertext; NULL: all of it
                             is in the frame's payload */
    struct patch_evidence evidence; /* what the connection had shown of its patch by then */
    uint8_t kind;                   /* pdu_kind_t */
    uint8_t footer;                 /* bytes of `size` that are footer */
    uint8_t context_length;         /* bytes of context that `copy` has */
} record_pdu_t;

typedef enum {
    NOTICE_LOST,        /* value: bytes missing; type: of the message that was cut, or 0 */
    NOTICE_BAD_LENGTH,  /* value: the length; undone: bytes skipped */
    NOTICE_GIVEN_UP,    /* value: bytes that could not be framed */
    NOTICE_FOREIGN,     /* the connection is not TQ's, or of an unknown key */
    NOTICE_NO_SECRET,   /* the session key is missing */
    NOTICE_RECOVERED,   /* counter and key were recovered; value: segments needed */
    NOTICE_UNRECOVERED, /* the start is missing and recovery gave up */
    NOTICE_KEY_ERROR,   /* text: what is wrong with the secret */
} notice_kind_t;

/* Something that the user is told in a frame. */
typedef struct record_notice {
    struct record_notice *next;
    uint64_t value;
    const char *text; /* file scope, or NULL */
    uint16_t type;
    uint8_t kind; /* notice_kind_t */
} record_notice_t;

/* What one TCP segment of a TQ connection shows. */
typedef struct record_segment {
    struct record_segment *next; /* another one in the same frame */
    session_t *session;
    uint64_t at; /* coordinate of the payload's first byte */
    record_pdu_t *pdus, *last_pdu;
    record_notice_t *notices;
    const uint8_t *context; /* the bytes before context_at, where the cipher needs them */
    uint64_t context_at;
    uint8_t context_length;
    uint8_t flow;
} record_segment_t;

/* To be called when a capture file is opened, before anything else. */
void record_init(void);

/* The segments of a frame, or NULL. */
record_segment_t *record_find(uint32_t frame);

/* The segment of this flow in the frame; made if it is not there. */
record_segment_t *record_segment(uint32_t frame, session_t *session, unsigned flow, uint64_t at);

/* Adds a message, in order of position. The PDU is file scope's. */
void record_add_pdu(record_segment_t *segment, record_pdu_t *pdu);

void record_add_notice(record_segment_t *segment, notice_kind_t kind, uint64_t value, uint16_t type,
                       const char *text);
