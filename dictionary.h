/* dictionary.h
 * What is known of the messages: names, layouts by patch, enumerations, all from data files.
 * This header is what the transport needs of it; dictionary-model.h is for those who build trees.
 *
 * The dictionary is loaded once, at start-up, and never changes or goes away afterwards, so what
 * it returns stays valid.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values as in the fields tq.server and tq.direction. */
enum dictionary_server {
    DICTIONARY_SERVER_UNKNOWN = 0,
    DICTIONARY_SERVER_ACCOUNT = 1,
    DICTIONARY_SERVER_GAME = 2,
};

enum dictionary_direction {
    DICTIONARY_FROM_CLIENT = 0,
    DICTIONARY_FROM_SERVER = 1,
    DICTIONARY_DIRECTION_UNKNOWN = 2,
};

/* Bits of dictionary_type.senders. */
#define DICTIONARY_SENDER_CLIENT 1U
#define DICTIONARY_SENDER_SERVER 2U

/* The patch that a connection has shown itself to be of, as bounds, both included. Start with
 * PATCH_EVIDENCE_NONE; dictionary_observe() narrows it. */
struct patch_evidence {
    uint16_t low;
    uint16_t high;
};

#define PATCH_FIRST 4267
#define PATCH_LAST UINT16_MAX
#define PATCH_EVIDENCE_NONE ((struct patch_evidence){PATCH_FIRST, PATCH_LAST})

/* The game cipher became Blowfish, and messages got a footer, with patch 5018. CAST5 took
 * Blowfish's place after 5187, in 5517 at the latest. */
#define PATCH_FOOTER 5018
#define PATCH_BLOWFISH_LAST 5516
#define PATCH_CAST5_FIRST 5188

/* What is known of the header of one type. Sizes are of whole messages, header included. */
struct dictionary_type {
    uint16_t type;
    uint16_t min_size;
    uint16_t max_size;
    uint8_t senders;  /* DICTIONARY_SENDER_*, both if not known */
    bool has_layouts; /* else the sizes only say what is possible */
};

/* How well a header fits what is known. */
enum dictionary_fit {
    DICTIONARY_UNKNOWN_TYPE = 0,
    DICTIONARY_WRONG_SENDER, /* known type that the other side sends */
    DICTIONARY_ODD_SIZE,     /* known type, no layout allows the size */
    DICTIONARY_NO_LAYOUT,    /* known type, nothing known about its size */
    DICTIONARY_PLAUSIBLE,    /* known type and size, sent by the right side */
};

/* Loads the built-in dictionary, then the *.xml files in the folder "tq" of the global and the
 * personal configuration folder, sorted by name. A file with a mistake is left out and reported
 * with name, line and reason through report_failure(). Call once, before any other function here;
 * later calls do nothing. */
void dictionary_load(void);

/* The name of a type, "MsgTalk", or NULL. */
const char *dictionary_type_name(uint16_t type);

/* All types, sorted by number. *count receives how many. */
const struct dictionary_type *dictionary_types(size_t *count);

/* Names of all types as a value_string_ext, for the header field of a type: VALS_EXT_PTR(). */
struct _value_string_ext *dictionary_type_names(void);

/* Judges the header of a message. direction: enum dictionary_direction; size: bytes of the
 * message, header included. Greater is better. */
enum dictionary_fit dictionary_header_fit(uint16_t type, uint16_t size, unsigned direction);

/* Narrows evidence to bounds that something else shows, such as the cipher; bounds that contradict
 * it are ignored. */
void patch_evidence_narrow(struct patch_evidence *evidence, struct patch_evidence bounds);

/* Narrows evidence by one message. Call once for each message of a connection in order, on the
 * first pass. What contradicts earlier evidence is ignored.
 *
 * type, size: the header; direction: enum dictionary_direction; server: enum dictionary_server;
 * footer: whether the connection's messages end in one; plaintext, length: the message, header
 * included, footer excluded; length may be less than size. */
void dictionary_observe(struct patch_evidence *evidence, uint16_t type, uint16_t size,
                        unsigned direction, unsigned server, bool footer, const uint8_t *plaintext,
                        size_t length);
