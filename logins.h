/* logins.h
 * Which game connection belongs to which login: the account server hands the client a token
 * (MsgConnectEx) that the client shows to the game server (MsgConnect). First pass only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "session.h"

/* Forgets all logins. */
void logins_reset(void);

/* Takes note of an accepted login. `message` is a MsgConnectEx of `size` bytes. */
void logins_announce(session_t *account, uint32_t frame, const uint8_t *message, uint16_t size);

/* Links a game connection, whose token is known, with its login's account connection. */
void logins_join(session_t *game);

/* The tokens announced so far, as values of X (see tq_cipher.h), newest last. `count` takes their
 * number. Valid until the next announcement. */
const uint32_t *logins_alternate_keys(unsigned *count);
