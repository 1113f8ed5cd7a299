/* packet-conquer.h
 * Conquer Online messages: the fields of one plaintext message.
 *
 * The dissector "conquer" takes a tvb that holds one message, its 4-byte header included and the
 * footer excluded, and a struct conquer_context as data; it returns the bytes it consumed. With
 * data NULL (an exported PDU) it goes by the defaults and by what the message itself shows; then
 * a footer may follow the message.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "dictionary.h"

/* What preferences say; see conquer_set_options() for the defaults. */
struct conquer_options {
    uint16_t patch;    /* which layouts apply, 0: by evidence */
    unsigned encoding; /* of text, one of Wireshark's ENC_*; 0: Windows-1252 */
    bool show_passwords;
    const uint32_t *password_seed; /* MsgEncryptCode's on this connection; NULL: none was seen */
};

/* What the transport knows of the message it hands over. */
struct conquer_context {
    uint8_t server;                 /* enum dictionary_server */
    uint8_t direction;              /* enum dictionary_direction */
    bool footer;                    /* messages of this connection end in one */
    struct patch_evidence evidence; /* as it was at this message on the first pass */
    struct conquer_options options; /* for this connection */
};

void proto_register_conquer(void);
void proto_reg_handoff_conquer(void);

/* Sets the options of messages that come without a context. */
void conquer_set_options(const struct conquer_options *options);

/* Appends to the Info column as much of a text as it has room for, in whole characters. */
void conquer_append_column(packet_info *pinfo, const char *text);
