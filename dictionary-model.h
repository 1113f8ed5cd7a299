/* dictionary-model.h
 * The dictionary in memory: what the reader of the data files fills, what the choice of a layout
 * looks at and what the tree is built from. docs/extending.md explains the elements of the files
 * that these structures mirror.
 *
 * All offsets and sizes are in bytes; offsets count from the message's first byte, its header
 * included, or within a record from the record's first byte. Integers are little-endian.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "dictionary.h"
#include "expression.h"
#include "message-types.h"

#include <glib.h>

/* Any string in the model belongs to the model. */

struct value {
    uint64_t number;
    uint64_t last; /* the end of a range, else equal to number */
    char *name;
    char *label;
    /* By role ("id", "data" …) what a field of that role holds: the token of the file (char *)
     * while loading, struct meaning * afterwards; NULL if nothing is said. */
    GHashTable *roles;
};

struct meaning {
    const char *token;
    struct kind *kind; /* NULL if the token is only a word */
};

/* A registered header field, see conquer-register.c. */
struct header;

enum enumeration_form { FORM_VALUES, FORM_FLAGS, FORM_BIT_NUMBERS };

struct enumeration {
    char *name;
    enum enumeration_form form;
    GArray *values; /* of struct value, sorted by number */
    bool has_ranges;
    bool replace;          /* a user's file replaces what was there, rather than adds to it */
    const void *strings;   /* value_string_ext or range_string, made when first asked for */
    const void *strings64; /* val64_string, likewise */
};

enum display { DISPLAY_DECIMAL, DISPLAY_HEX, DISPLAY_RGB, DISPLAY_MILLISECONDS };

/* A generated value: of a kind (operand "this"), or of a layout (any of its fields). */
struct derived {
    char *name;
    char *label;
    char *field; /* of a layout: the field it stands beside; NULL in a kind */
    struct enumeration *enumeration;
    char *enumeration_name;
    enum display display;
    bool in_info; /* the Info column shows it in place of the raw value */
    const char *hidden;
    char *value_source;
    char *when_source;
    struct expression *value;
    struct expression *when;
    const struct header *header; /* of a layout; those of kinds differ by field */
    unsigned line;
};

/* What the game does to the values of a field. */
struct kind {
    char *name;
    char *like; /* the kind whose definition this one shares */
    char *note;
    char *hidden;    /* the hidden field that finds it anywhere: "role_id" …, or NULL */
    bool conceal;    /* a password in clear */
    bool enciphered; /* a password under RC5 */
    bool address;    /* an IPv4 address as text */
    bool patch;      /* the client's build: the patch, where it is one */
    GArray *derived; /* of struct derived */
    unsigned line;
};

enum field_type {
    FIELD_UNSIGNED,
    FIELD_SIGNED,
    FIELD_BOOLEAN,
    FIELD_FLAGS,   /* unsigned, a bit each */
    FIELD_TEXT,    /* fixed area, ends at the first NUL */
    FIELD_PTEXT,   /* one byte of length, then so much text */
    FIELD_BYTES,   /* size 0: to the end of the message */
    FIELD_STRINGS, /* one byte count, then so many length-prefixed texts */
    FIELD_RECORDS, /* count records of stride bytes; without count to the end of the message */
};

/* One string of a FIELD_STRINGS list. */
struct string_name {
    char *name;
    char *label;
    char *kind_name;
    struct kind *kind;
    const struct header *header;
};

struct field {
    enum field_type type;
    char *name;
    char *label;
    char *note;
    unsigned offset;   /* or the field's number in a protobuf layout */
    unsigned size;     /* 0: variable */
    unsigned encoding; /* of text, Wireshark's ENC_*; 0: the preference's */
    char *enumeration_name;
    struct enumeration *enumeration;
    char *kind_name;
    struct kind *kind;
    char *means; /* "action.data": role data under the value of field action */
    struct field *means_by;
    const char *means_role;
    char *when_source;
    struct expression *when;
    char *count_source;
    struct field *count_field;
    unsigned count; /* of records if constant, else 0 */
    bool open_ended;
    unsigned stride;
    GPtrArray *fields; /* of struct field *, in a record */
    GArray *strings;   /* of struct string_name */
    bool in_record;
    bool unused; /* made up for a hole */
    bool variable;
    unsigned line;

    /* Filled by conquer-register.c. */
    const struct header *header;
    const struct header *text;     /* of the strings without a name of their own */
    const struct header *address;  /* of a kind with an address */
    int **bits;                    /* of FIELD_FLAGS, NULL terminated */
    const struct header **derived; /* one each of kind->derived */
    GHashTable *meanings;          /* kind -> the same for each kind that means allows */
};

enum layout_encoding { LAYOUT_FIXED, LAYOUT_PROTOBUF };

struct layout {
    uint16_t patch;
    unsigned size;     /* 0: variable */
    unsigned min_size; /* the shortest that is whole */
    char *variant;
    enum layout_encoding encoding;
    uint16_t types[2]; /* type numbers, 0: unused */
    char *select_source;
    struct expression *select;
    uint8_t senders;
    uint8_t server;
    struct patch_evidence shows; /* low 0: nothing */
    char *confidence;
    char *sources;
    char *note;
    char *info;        /* in place of the message's */
    char *description; /* "patch 5017, variant padded, observed (wiki)" */
    GPtrArray *fields; /* of struct field * */
    GArray *derived;   /* of struct derived */
    unsigned end;      /* of the fields that have a fixed place */
    bool variable;
    unsigned line;
};

struct message {
    uint16_t type;
    char *name;
    char *prefix; /* of its fields: "conquer.user_info" */
    char *info;
    char *note;
    char *also; /* further type numbers, separated by blanks */
    uint8_t senders;
    uint8_t server;
    bool replace;
    GPtrArray *layouts; /* of struct layout *, oldest patch first */
    GArray *derived;    /* of struct derived, for each layout that has their fields */
    bool tells_patch;   /* some layout of it shows the connection's patch */
    unsigned line;
};

struct dictionary {
    GHashTable *messages;     /* dictionary_key() -> struct message * */
    GHashTable *enumerations; /* name -> struct enumeration * */
    GHashTable *kinds;        /* name -> struct kind * */
    GPtrArray *discarded;     /* what files replaced or failed to bring */
};

/* One message as it came. */
struct message_view {
    const uint8_t *data; /* header included */
    size_t length;       /* bytes there are, at most size */
    uint16_t size;
    uint16_t type;
    uint8_t server;    /* enum dictionary_server */
    uint8_t direction; /* enum dictionary_direction */
};

/* How a message and a layout go together, worst first. */
enum layout_fit {
    FIT_NONE,       /* select, sender or server rule it out */
    FIT_OVERRUN,    /* a list runs past the message's end */
    FIT_TRUNCATED,  /* the message ends inside the fields */
    FIT_LONGER,     /* bytes are left over */
    FIT_MISCOUNTED, /* a string list runs past the message, but is likely to be one */
    FIT_SHORT,      /* fields that may be left out are */
    FIT_PADDED,     /* zero bytes follow a string list */
    FIT_EXACT,
};

/* The loaded dictionary. */
const struct dictionary *dictionary_get(void);

/* The message of a type, or NULL. server: enum dictionary_server; of the one type number that
 * account and game server use differently it decides. */
const struct message *dictionary_find(uint16_t type, unsigned server);

/* The same in a given dictionary. */
struct message *dictionary_lookup(const struct dictionary *dictionary, uint16_t type,
                                  unsigned server);

/* The key of a message in struct dictionary. */
gpointer dictionary_key(uint16_t type, unsigned server);

/* Chooses the layout of a message. patch: the configured one, 0 to go by evidence. *fit receives
 * how it fits. Returns NULL if the type has no layout that applies. */
const struct layout *dictionary_choose(const struct message *message,
                                       const struct message_view *view, uint16_t patch,
                                       const struct patch_evidence *evidence, enum layout_fit *fit);

/* What a name that is no field stands for in an expression ("size", "type", "server", "sender",
 * "this"), as operand for dictionary_evaluate(); NULL if it is none of them. */
const void *dictionary_special_operand(const char *name);

/* The value of an integer field of a message; base: where the field's record starts, 0 outside
 * records. Signed values are sign-extended. Unknown if the message ends before the field does. */
struct expression_value dictionary_read_field(const struct field *field,
                                              const struct message_view *view, unsigned base);

/* Evaluates an expression of a layout over a message. base: as above; this_value: what "this"
 * stands for, unknown outside kinds. */
struct expression_value dictionary_evaluate(const struct expression *expression,
                                            const struct message_view *view, unsigned base,
                                            struct expression_value this_value);

/* Whether a condition holds; one that is NULL or unknown does. */
bool dictionary_condition(const struct expression *when, const struct message_view *view,
                          unsigned base);

/* The entry for a number, or NULL. */
const struct value *enumeration_find(const struct enumeration *enumeration, uint64_t number);

/* Reads one file's text into the dictionary, all of it or nothing.
 * file: its name for messages. Returns NULL, or a newly allocated "file:line: reason". */
char *dictionary_parse(struct dictionary *dictionary, const char *file, const char *text,
                       size_t length);

struct dictionary *dictionary_new(void);

/* Call once when all files are read: settles what depends on all of them. */
void dictionary_finish(struct dictionary *dictionary);
