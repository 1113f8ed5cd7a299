/* session.h
 * What is known of one connection: which end is the client, what it carries, and for each direction
 * which key serves from which byte on.
 *
 * A direction's keys are a list of epochs. Deciphering is a pure function of the epochs and of a
 * byte's coordinate (see stream.h), so any order of looking gives the same plaintext. Epochs are
 * only ever added, and only while frames are seen for the first time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "cfb64.h"
#include "cipher/recovery.h"
#include "cipher/tq_cipher.h"
#include "dictionary.h"
#include "handshake.h"
#include "keylog.h"
#include "stream.h"

typedef enum {
    TQ_SERVER_UNKNOWN,
    TQ_SERVER_ACCOUNT,
    TQ_SERVER_GAME,
} tq_server_t;

typedef enum {
    TQ_CLIENT_TO_SERVER,
    TQ_SERVER_TO_CLIENT,
} tq_direction_t;

typedef enum {
    TQ_CIPHER_UNKNOWN,
    TQ_CIPHER_TQ,
    TQ_CIPHER_BLOWFISH,
    TQ_CIPHER_CAST5,
} tq_cipher_t;

typedef enum {
    TQ_KEY_NONE,
    TQ_KEY_BASE,
    TQ_KEY_ALTERNATE,
    TQ_KEY_INITIAL,
    TQ_KEY_SESSION,
    TQ_KEY_RECOVERED,
} tq_key_t;

/* TQ cipher keys made from one pair of seeds, with the tables for an observer: the server's
 * function deciphers what the client sends, and the other way round. */
typedef struct {
    uint32_t p, g;
    tq_key key;
    tq_tables tables[2]; /* by tq_direction_t */
} base_key_t;

/* A key and the bytes that it serves. */
typedef struct {
    uint64_t from; /* coordinate of the first byte it serves; it serves up to the next epoch */
    uint64_t zero; /* coordinate of counter 0, or of the first block of a CFB stream */
    tq_cipher_t cipher;
    tq_key_t key;
    const tq_tables *tables; /* TQ cipher */
    tq_tables *own_tables;   /* the same, if this epoch has tables of its own, else NULL */
    cfb64_t *cfb;            /* Blowfish and CAST5: a reference */
    uint8_t iv[CFB64_BLOCK];
    bool iv_known;
} epoch_t;

/* A search for counter and key of one direction, under one assumption of who sends it (resume.c).
 */
typedef struct {
    tq_recovery *recovery; /* NULL when not under way */
    uint64_t fed;          /* it has all bytes below this coordinate, */
    size_t fed_bytes;      /* so many, or had when it was stopped */
    uint64_t spent;        /* steps of work */
    GList *link;           /* in the queue of those under way */
    size_t memory;         /* of the recovery */
    bool ended;            /* for good */
} attempt_t;

/* One direction. */
typedef struct {
    stream_t bytes;
    GArray *epochs; /* epoch_t, ascending; NULL if none */
    uint64_t start; /* coordinate of the first byte that TCP carried; if `started` */
    bool started;
    uint64_t first;          /* lowest coordinate that was seen; if any */
    uint64_t handshake_at;   /* where a handshake message of handshake_size bytes begins */
    uint32_t handshake_size; /* 0: none */
    uint16_t connect_size;   /* of the MsgConnect that a game client begins with; 0: none */
    uint64_t boundary;       /* where a message begins for sure, if not 0 (found by recovery) */
    attempt_t attempt[2];    /* by the direction assumed */
    uint32_t recovered_x;    /* X of the alternate key, if that was recovered; else 0 */
} flow_t;

typedef enum {
    SESSION_OPENING,     /* nothing is known yet */
    SESSION_OPEN,        /* it is a TQ connection */
    SESSION_FOREIGN,     /* it is not, or its key is unknown */
    SESSION_UNRECOVERED, /* its start is missing, and recovery found nothing */
} session_status_t;

/* What the preferences say of a connection. */
typedef struct {
    uint32_t p, g;
    tq_server_t server; /* if the user named it */
    uint16_t patch;     /* 0: not named */
    bool recover;       /* whether to recover keys */
    bool claimed;       /* by port, by the user or by an announcement; not merely probed */
    handshake_keys_t *initial_keys;
    keylog_t *keylog;
} session_config_t;

typedef struct session {
    session_config_t config;
    session_status_t status;
    const base_key_t *base;
    tq_server_t server;
    int client; /* index of the flow that the client sends, -1: not known yet */
    flow_t flow[2];
    const char *hello_fault; /* a hello under a known key that is malformed: what is wrong */
    bool told;               /* the user was told that it is not read (yet) */
    bool starved;            /* recovery waits: what it may cost is used up */
    bool footers;            /* messages are followed by a footer (game, from 5018 on) */
    struct patch_evidence evidence;

    /* Diffie-Hellman exchange of a game connection. */
    cfb64_t *resumed;           /* session key found without the exchange; a reference */
    unsigned trials;            /* of the key log's secrets on this connection ... */
    unsigned trials_generation; /* ... as the key log was then */
    size_t tried_bytes;         /* how many bytes waited at the last trial */
    struct exchange *exchange;  /* handshake.c's and opening.c's; NULL on other connections */

    /* Login. */
    bool seeded;
    uint32_t seed; /* MsgEncryptCode's */
    uint32_t token, account_id;
    uint32_t token_frame;  /* where the token crossed this connection */
    bool announced;        /* account: the next two are valid */
    uint32_t game_address; /* IPv4 address of the game server, host byte order */
    uint16_t game_port;
    struct session *peer; /* the other connection of the same login */
    uint32_t number;
} session_t;

/* The keys made from a pair of seeds. They live as long as the process. */
const base_key_t *session_base_key(uint32_t p, uint32_t g);

session_t *session_new(const session_config_t *config);
void session_free(session_t *session);

/* The direction of a flow; the client's end must be known. */
tq_direction_t session_direction(const session_t *session, unsigned flow);

/* The epoch that serves a byte, or NULL if its key is not known. */
const epoch_t *session_epoch(const session_t *session, unsigned flow, uint64_t at);

/* Forgets all epochs of a flow. Only for epochs that were recovered: others agree with them. */
void session_clear_epochs(session_t *session, unsigned flow);

/* Adds an epoch. Its own_tables and cfb are the session's from then on. */
void session_add_epoch(session_t *session, unsigned flow, const epoch_t *epoch);

/* Adds an epoch of the TQ cipher with the base key. */
/* Whether the bytes from a coordinate on have a key that a MsgConnect held which was cut. */
bool session_lacks_connect(const session_t *session, unsigned flow, uint64_t from);

void session_add_base_epoch(session_t *session, unsigned flow, uint64_t from, uint64_t zero,
                            tq_key_t key);

/* Adds an epoch of the TQ cipher with the alternate key that comes of X (see tq_cipher.h). */
void session_add_alternate_epoch(session_t *session, unsigned flow, uint64_t from, uint64_t zero,
                                 uint32_t x, tq_key_t key);

/* Adds an epoch of Blowfish or CAST5; takes a reference. iv: NULL if it is not known, which costs
 * the first block. */
void session_add_cfb_epoch(session_t *session, unsigned flow, uint64_t from, uint64_t zero,
                           cfb64_t *cfb, const uint8_t *iv, tq_key_t key);

/* Deciphers `length` bytes from coordinate `at` on, all of which must be served by an epoch.
 * `before` is the ciphertext just before them, as far as it is there (at most STREAM_CONTEXT bytes
 * count). `in` and `out` do not overlap.
 * Returns how many of the first bytes stay unknown because CFB lacks the bytes before them. */
size_t session_decrypt(const session_t *session, unsigned flow, uint64_t at, const uint8_t *before,
                       size_t before_length, const uint8_t *in, size_t length, uint8_t *out);
