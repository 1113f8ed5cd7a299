/* opening.h
 * How a connection begins, and what its messages change: tells TQ connections from others, account
 * from game servers, and adds the epochs (see session.h) that follow from it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "record.h"
#include "session.h"

/* A Diffie-Hellman exchange, as far as it was seen. */
typedef struct exchange {
    const handshake_key_t *initial; /* the initial key that fits */
    uint8_t *hello, *reply;         /* plaintext; NULL until complete */
    handshake_t hello_fields, reply_fields;
    bool awaits_secret;
    bool told;         /* the user was told that it is missing */
    unsigned trials;   /* that decided nothing */
    GHashTable *wrong; /* entries of the key log that do not decipher it; NULL if none */
    sessionkey_derivation_t derivation;
    bool ivs_swapped;
} exchange_t;

/* Looks at the bytes that have come, first pass only. Notices go to the segment at hand.
 * Returns whether more can be deciphered than before. */
bool opening_progress(session_t *session, record_segment_t *here);

/* Follows a message: whether it is the client's MsgConnect, that re-keys, and so on. First pass
 * only, in the order of each direction's positions.
 * `at` is its first byte's coordinate, `message` its plaintext without footer. */
void opening_observe(session_t *session, unsigned flow, uint32_t frame, uint64_t at,
                     const uint8_t *message, uint16_t size);

/* The IV of a direction's stream under the session key, if the hello was seen. */
bool opening_iv(const session_t *session, unsigned flow, uint8_t iv[CFB64_BLOCK]);

void opening_free_exchange(exchange_t *exchange);
