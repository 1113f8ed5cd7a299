/* preferences.h
 * The preferences of TQ (Protocols -> TQ), and what they say of a connection.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "session.h"

/* Values in force. */
typedef struct {
    uint16_t patch;         /* 0: auto */
    unsigned text_encoding; /* ENC_... */
    bool show_passwords;
    bool backend_missing; /* the backend asked for is not there; auto serves instead */
    const char *backend;  /* its name */
} preferences_t;

const preferences_t *preferences(void);

/* Registers them; to be called once, when the protocol is registered. */
void preferences_register(int proto);

/* Makes ready for a capture file, and frees what was made ready. */
void preferences_init(void);
void preferences_cleanup(void);

/* Whether a row of the table of servers names this address and port. */
bool preferences_is_server(const address *addr, uint32_t port);

/* What the preferences say of a connection between two endpoints. It is claimed if a row of the
 * table of servers names the port of one of them. */
session_config_t preferences_session(const address *addr1, uint32_t port1, const address *addr2,
                                     uint32_t port2);

/* The initial keys that are tried, as text for the user; wmem-allocated. */
char *preferences_initial_keys(wmem_allocator_t *pool);
