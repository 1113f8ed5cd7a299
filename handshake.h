/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * The two messages that open a game connection from patch 5018 on: the server's hello and the
 * client's reply, a Diffie-Hellman exchange. Neither is a message with the usual header. Both are
 * enciphered with the initial key and an IV of zero bytes.
 *
 *     hello: 11 random bytes, u32 length, then counted strings: junk, IV of the server's stream,
 *            IV of the client's stream, P, G, the server's public key; "TQServer"
 *     reply:  7 random bytes, u32 length, then counted strings: junk, the client's public key;
 *            "TQClient"
 *
 * A counted string is a u32 and that many bytes; numbers are little-endian. The length counts all
 * bytes but the random ones, the footer included. P, G and the public keys are hexadecimal text,
 * and may lack leading zeros. Facts: servers and proxies for 5065, 5180, 5187, 5517 and 60xx agree.
 *
 * The parser takes what has arrived so far and says what it lacks. Offsets count from the first
 * random byte. Nothing is allocated, and no length is believed before it fits the ones around it.
 */
#ifndef TQ_HANDSHAKE_H
#define TQ_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfb64.h"

/** What ends each handshake message, and each message of a game connection from 5018 on. */
#define TQ_FOOTER_SIZE 8
#define TQ_FOOTER_SERVER "TQServer"
#define TQ_FOOTER_CLIENT "TQClient"

/** Longest handshake message that is believed, in bytes; those seen have 150 to 400. */
#define HANDSHAKE_MAX 8192

typedef enum {
    HANDSHAKE_HELLO, /* server to client */
    HANDSHAKE_REPLY, /* client to server */
} handshake_kind_t;

typedef enum {
    HANDSHAKE_PADDING, /* the random bytes */
    HANDSHAKE_JUNK,
    HANDSHAKE_SERVER_IV,
    HANDSHAKE_CLIENT_IV,
    HANDSHAKE_P,
    HANDSHAKE_G,
    HANDSHAKE_PUBLIC_KEY,
    HANDSHAKE_FOOTER,
    HANDSHAKE_FIELDS
} handshake_field_id_t;

/** Where a field's bytes are. A counted string's u32 stands in the four bytes before. */
typedef struct {
    uint32_t offset;
    uint32_t length; /* 0 also where the message has no such field */
} handshake_field_t;

typedef enum {
    HANDSHAKE_INVALID,    /* no such message, see reason */
    HANDSHAKE_INCOMPLETE, /* right so far, see needed and checks */
    HANDSHAKE_COMPLETE,   /* total and field[] are valid */
} handshake_status_t;

typedef struct {
    handshake_status_t status;
    handshake_kind_t kind;
    const char *reason; /* when invalid: what is wrong, a static string */
    uint32_t needed;    /* when incomplete: at least this many bytes from the start are wanted */
    unsigned checks;    /* length fields that fitted so far; with two, chance is ruled out */
    uint32_t total;     /* bytes of the whole message; valid once checks > 0 */
    handshake_field_t field[HANDSHAKE_FIELDS];
} handshake_t;

/**
 * Parses the start of a deciphered stream.
 *
 * @param data    plaintext from the first random byte on
 * @param length  bytes there; more than the message has is fine
 * @return the status, also in @p handshake
 */
handshake_status_t handshake_parse(handshake_kind_t kind, const uint8_t *data, size_t length,
                                   handshake_t *handshake);

/** Name of a field for the user. */
const char *handshake_field_name(handshake_field_id_t field);

/** An initial key. */
typedef struct {
    cfb64_t *cipher; /* keyed */
    char *name;      /* the key as text, or as hex where it is not printable */
    bool from_user;  /* out of the preferences, not of the list of known keys */
} handshake_key_t;

/** The initial keys to try, in order, each as Blowfish and as CAST5. */
typedef struct handshake_keys handshake_keys_t;

/** Makes a list of the known keys. Free it with handshake_keys_free(). */
handshake_keys_t *handshake_keys_new(void);

/** Frees a list; ciphers with other references live on. NULL is allowed. */
void handshake_keys_free(handshake_keys_t *keys);

/**
 * Adds a key of the user's to the end of the list, as Blowfish and, with 16 bytes or more, CAST5.
 *
 * @param error  takes a message when the key is refused (g_free() it); may be NULL
 */
bool handshake_keys_add(handshake_keys_t *keys, const uint8_t *key, size_t length, char **error);

/** Text for the user that names each key tried once, the user's own first. g_free() it. */
char *handshake_keys_describe(const handshake_keys_t *keys);

/**
 * Finds the initial key of a connection.
 *
 * @param ciphertext  the server's first bytes
 * @param length      bytes there; with 19 the answer is certain, with the whole hello complete
 * @param[out] hello  what the parser says under the key that fits, or under none (then invalid, or
 *                    incomplete without a check because there is too little to tell)
 * @return the key that fits (owned by the list), or NULL
 */
const handshake_key_t *handshake_keys_find(const handshake_keys_t *keys, const uint8_t *ciphertext,
                                           size_t length, handshake_t *hello);

/** Most bytes a client is believed to send before its reply; proxies let pass up to 36. */
#define HANDSHAKE_DUMMY_MAX 64

/** Where a reply is, and how to decipher it. */
typedef struct {
    uint32_t start;        /* bytes the client sent before it */
    bool restarts;         /* its CFB stream begins at start; else at 0, through the bytes before */
    handshake_t handshake; /* offsets count from start */
} handshake_reply_t;

/**
 * Finds the client's reply, which a small packet may precede.
 *
 * @param cipher      of the initial key
 * @param ciphertext  the client's first bytes
 * @param[out] reply  with COMPLETE all members are valid. INCOMPLETE: only `handshake` (wait for
 *                    more bytes). INVALID: it is not within the first HANDSHAKE_DUMMY_MAX bytes.
 */
handshake_status_t handshake_find_reply(const cfb64_t *cipher, const uint8_t *ciphertext,
                                        size_t length, handshake_reply_t *reply);

#endif
