/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * The password in the client's login messages (MsgAccount and its successors up to about 5530).
 *
 * The client writes it into a field of zeros, from about patch 5174 on replaces each character by a
 * code that depends on the account's name, and enciphers the field with RC5: under the static key,
 * or under one made from the seed that MsgEncryptCode brought on the same connection.
 */
#ifndef TQ_PASSWORD_H
#define TQ_PASSWORD_H

#include <stddef.h>
#include <stdint.h>

/** Longest password in bytes: the client of 5517 enciphers 32, earlier ones 16. */
#define PASSWORD_MAX 32

typedef enum {
    PASSWORD_UNREADABLE, /* no way gives printable text: another key or cipher */
    PASSWORD_PLAIN,      /* RC5 alone */
    PASSWORD_SCAN_CODES, /* RC5 over scan codes */
} password_form_t;

/**
 * Deciphers a password.
 *
 * @param field   as it is in the message. Blocks of zeros at its end are no part of it; what is
 * left must be 8 to 32 bytes in whole blocks.
 * @param seed    MsgEncryptCode's, or NULL if there was none
 * @param account the account's name, without zero padding
 * @param patch   the client's, or 0 if unknown; decides what a digit key with shift means
 * @param[out] text takes the password with a NUL; empty if unreadable
 */
password_form_t password_decrypt(const uint8_t *field, size_t length, const uint32_t *seed,
                                 const char *account, size_t account_length, unsigned patch,
                                 char text[PASSWORD_MAX + 1]);

#endif
