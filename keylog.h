/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Secrets of game connections, from a key log file that is read while it grows and from the
 * preferences. docs/keylog.md describes the file for users:
 *
 *     # one secret a line
 *     TQ_SECRET <public key of the server or the client> <shared secret>
 *     TQ_SERVER_PRIVATE <public key of the server> <its private exponent>
 *     TQ_CLIENT_PRIVATE <public key of the client> <its private exponent>
 *
 * All numbers are hexadecimal in either case; leading zeros do not matter. No message of this
 * module contains a secret.
 */
#ifndef TQ_KEYLOG_H
#define TQ_KEYLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sessionkey.h"

/** Longest line in bytes; a longer one is skipped. */
#define KEYLOG_LINE_MAX 4096

/** Largest key log that is read, in bytes. */
#define KEYLOG_FILE_MAX (64L * 1024 * 1024)

typedef enum {
    KEYLOG_SECRET,
    KEYLOG_SERVER_PRIVATE,
    KEYLOG_CLIENT_PRIVATE,
    KEYLOG_KINDS
} keylog_kind_t;

/** The label of a kind: "TQ_SECRET" and so on. */
const char *keylog_label(keylog_kind_t kind);

/** Most entries that are kept. */
#define KEYLOG_ENTRIES_MAX 65536

/** One secret. Valid until the key log is freed. */
typedef struct keylog_entry {
    keylog_kind_t kind;
    uint8_t *value;                      /* big-endian, without leading zeros */
    size_t length;                       /* of value in bytes, at least 1 */
    unsigned line;                       /* in the file, from 1; 0: from the preferences */
    const struct keylog_entry *same_key; /* the one before it for the same public key, or NULL */
    struct keylog_entry *older;          /* the one before it, or NULL */
} keylog_entry_t;

typedef struct keylog keylog_t;

/** Takes a message for the user, without a line end. */
typedef void (*keylog_report_fn)(const char *message, void *data);

/**
 * Makes a key log.
 *
 * @param path    of the file; NULL or empty for none. It need not exist yet.
 * @param report  called from keylog_read() for lines and files that are wrong; may be NULL
 * @return the key log, to be freed with keylog_free()
 */
keylog_t *keylog_new(const char *path, keylog_report_fn report, void *data);

/** Frees a key log and its entries. NULL is allowed. */
void keylog_free(keylog_t *keylog);

/**
 * Adds a secret by hand.
 *
 * @param public_key, value  hexadecimal, NUL-terminated
 * @param error  takes a message for the user when one is wrong (g_free() it); may be NULL
 */
bool keylog_add(keylog_t *keylog, keylog_kind_t kind, const char *public_key, const char *value,
                char **error);

/**
 * Checks a public key and a value as keylog_add() does, and adds nothing; for a preferences table.
 */
bool keylog_check(const char *public_key, const char *value, char **error);

/**
 * Reads what the file has gained. A file that was truncated, replaced or rewritten is read from its
 * start; what was read before is kept. Costs one stat() when nothing changed.
 *
 * The last line counts even without a line end; if more of it comes, it is read again.
 *
 * @return true if there are secrets that were not there before
 */
bool keylog_read(keylog_t *keylog);

/** Grows whenever an entry is added: tells whether to look up again what was not found before. */
unsigned keylog_generation(const keylog_t *keylog);

/**
 * Finds the secrets for a public key.
 *
 * @param public_key  hexadecimal text as it crosses the wire
 * @return the newest entry; follow same_key, for a server that keeps its key pair has a secret for
 *         each connection. NULL if there is none.
 */
const keylog_entry_t *keylog_find(const keylog_t *keylog, sessionkey_hex_t public_key);

/**
 * The newest entry of all, or NULL; follow older. For a connection whose exchange was not captured,
 * where all that can be done is to try each.
 */
const keylog_entry_t *keylog_newest(const keylog_t *keylog);

/**
 * Makes the shared secret out of an entry.
 *
 * @param exchange  one of whose public keys the entry was found for; NULL is enough for an entry of
 *                  kind KEYLOG_SECRET
 * @param error  takes a message that names the file and line (g_free() it); may be NULL
 */
bool keylog_secret(const keylog_t *keylog, const keylog_entry_t *entry,
                   const sessionkey_exchange_t *exchange, sessionkey_secret_t *secret,
                   char **error);

#endif
