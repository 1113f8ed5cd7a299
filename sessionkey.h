/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * From the numbers of a Diffie-Hellman exchange to the key of a game connection.
 *
 *     secret = (other side's public key) ^ (one's private exponent) mod P
 *
 * How the secret becomes a key changed with the patches, and from which patch on is not always
 * known. So all ways are offered as candidates, and the first message after the exchange tells
 * which one the connection uses.
 */
#ifndef TQ_SESSIONKEY_H
#define TQ_SESSIONKEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfb64.h"

/** Longest secret, exponent or P in bytes; servers use 64. */
#define SESSIONKEY_NUMBER_MAX 512

/** A shared secret, big-endian without leading zero bytes. Zero itself has length 0. */
typedef struct {
    uint8_t bytes[SESSIONKEY_NUMBER_MAX];
    size_t length;
} sessionkey_secret_t;

/** A stretch of hexadecimal text as it crosses the wire. Zero bytes at its end do not count. */
typedef struct {
    const char *digits;
    size_t length;
} sessionkey_hex_t;

/** The numbers of one exchange, out of the hello and the reply. */
typedef struct {
    sessionkey_hex_t p;
    sessionkey_hex_t g;
    sessionkey_hex_t server_public;
    sessionkey_hex_t client_public;
} sessionkey_exchange_t;

/**
 * Sets a secret that was given as bytes.
 *
 * @param error  takes a message when it is empty, zero or too long (g_free() it); may be NULL
 */
bool sessionkey_set_secret(sessionkey_secret_t *secret, const uint8_t *bytes, size_t length,
                           char **error);

/**
 * Computes the shared secret from one side's private exponent. The exponent is checked against that
 * side's public key, so one that belongs to another connection is refused.
 *
 * @param of_server  whose exponent it is
 * @param exponent   big-endian
 * @param[out] error takes a message that names the number at fault (g_free() it); may be NULL
 */
bool sessionkey_compute_secret(const sessionkey_exchange_t *exchange, bool of_server,
                               const uint8_t *exponent, size_t length, sessionkey_secret_t *secret,
                               char **error);

/** One way to make a key of a secret. */
typedef enum {
    SESSIONKEY_RAW,       /* Blowfish, the secret itself: 5018 to 5187 */
    SESSIONKEY_CAST5,     /* CAST5, its first 16 bytes, zeros after its end: 5517 */
    SESSIONKEY_CAST5_MD5, /* CAST5, 16 characters of a text of MD5 sums: 60xx, 62xx */
    SESSIONKEY_MD5,       /* Blowfish, all 64 characters of that text; seen in forks only */
    SESSIONKEY_DERIVATIONS
} sessionkey_derivation_t;

/** Name of a derivation for the user, the cipher's included. */
const char *sessionkey_derivation_name(sessionkey_derivation_t derivation);

/** Keys a cipher with a secret. @return the cipher with one reference, or NULL if it refuses */
cfb64_t *sessionkey_derive(const sessionkey_secret_t *secret, sessionkey_derivation_t derivation);

/** Most bytes of a run that are tried: room for the end of a message. */
#define SESSIONKEY_RUN_MAX 2048

/** What the first message of a direction says of a secret. */
typedef enum {
    SESSIONKEY_WRONG,     /* no derivation fits */
    SESSIONKEY_UNDECIDED, /* the message is not all there */
    SESSIONKEY_RIGHT,
} sessionkey_verdict_t;

typedef struct {
    sessionkey_derivation_t derivation;
    cfb64_t *cipher; /* one reference, the caller's to give back */
    bool
        ivs_swapped; /* sessionkey_try(): the hello's second IV is the server's, against the rule */
    unsigned alignment; /* sessionkey_try_middle(): position modulo 8 of the first byte */
} sessionkey_match_t;

/**
 * Tries a secret on the first bytes of one direction after the exchange.
 *
 * The test is a message with a plausible length and its footer. Every derivation is tried with both
 * IVs: a wrong IV garbles the first eight bytes and with them the length.
 *
 * @param from_server  which direction
 * @param server_iv    the hello's first IV
 * @param client_iv    the hello's second IV
 * @param ciphertext   from the direction's first byte under the session key on, without a gap
 * @param[out] match   valid if right
 */
sessionkey_verdict_t sessionkey_try(const sessionkey_secret_t *secret, bool from_server,
                                    const uint8_t server_iv[CFB64_BLOCK],
                                    const uint8_t client_iv[CFB64_BLOCK], const uint8_t *ciphertext,
                                    size_t length, sessionkey_match_t *match);

/**
 * Tries a secret on any run of one direction: for a capture that begins after the exchange, or
 * whose first bytes after it are missing. The test is a footer, at any of the eight alignments.
 *
 * @param ciphertext  under the session key, without a gap; SESSIONKEY_RUN_MAX bytes are tried
 * @param[out] match  valid if right
 * @return right, or undecided: a run without the end of a message proves nothing
 */
sessionkey_verdict_t sessionkey_try_middle(const sessionkey_secret_t *secret, bool from_server,
                                           const uint8_t *ciphertext, size_t length,
                                           sessionkey_match_t *match);

#endif
