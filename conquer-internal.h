/* conquer-internal.h
 * Shared by the files that show a message: registration, tree and Info column.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "dictionary-model.h"
#include "packet-conquer.h"

#include <epan/expert.h>
#include <epan/proto.h>

/* A registered header field. Wireshark keeps a pointer to id, so a header never moves. */
struct header {
    int id;
    enum ftenum type;
};

/* One message on its way into the tree. */
struct dissection {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *tree;
    proto_item *item; /* of the whole message */
    const struct message *message;
    const struct layout *layout;
    enum layout_fit fit;
    struct message_view view;
    const struct conquer_options *options;
    unsigned end; /* of what has been shown */
};

/* The subtrees of messages, lists, records and flags. */
extern int ett_conquer;
extern int ett_conquer_list;
extern int ett_conquer_record;
extern int ett_conquer_flags;

/* Registers a header field for each field of the dictionary. */
void conquer_register_fields(int proto);

/* Registers the fields and expert infos that every message may have. */
void conquer_register_common(int proto);

/* Registers the hidden fields that find a thing in any message. */
void conquer_register_hidden(int proto);

/* Adds header, layout and fields of a message. d->layout may be NULL. */
void conquer_add_message(struct dissection *d);

/* Appends the message's line to the Info column. */
void conquer_append_info(const struct dissection *d);

/* The text of a message area of size bytes, decoded, in packet scope. field may be NULL. */
const char *conquer_get_text(const struct dissection *d, unsigned encoding, unsigned offset,
                             unsigned size);

/* Whether adding an item would show anywhere; what is costly to prepare asks first. */
bool conquer_is_wanted(proto_tree *tree, int hf);

/* The same for the hidden field of names. */
bool conquer_is_name_wanted(proto_tree *tree);

/* In what follows, offset and size are the bytes that an item stands for, and base is where the
 * field's record starts, 0 outside records. */

/* Adds a number under a header of any type that holds numbers, or its bytes. */
proto_item *conquer_add_number(struct dissection *d, proto_tree *tree, const struct header *header,
                               unsigned offset, unsigned size, int64_t value);

/* Takes away half a character at an item's end: proto_item_append_text() cuts what does not fit
 * into a label at any byte. */
void conquer_trim_label(proto_item *item);

/* Appends the names of the flags that are set in a value. */
void conquer_append_flags(proto_item *item, const struct enumeration *enumeration, uint64_t value);

/* Adds what a kind derives from a value; headers: one for each of its derived values. */
void conquer_add_kind(struct dissection *d, proto_tree *tree, const struct kind *kind,
                      const struct header *const *headers, unsigned offset, unsigned size,
                      unsigned base, int64_t value);

/* Adds what a value is under the action that its field depends on, beside the value's item. */
void conquer_add_meaning(struct dissection *d, proto_tree *tree, proto_item *item,
                         const struct field *field, unsigned offset, unsigned base, int64_t value);

/* Adds the values that the layout itself derives from a field and others. */
void conquer_add_layout_derived(struct dissection *d, proto_tree *tree, const struct field *field,
                                unsigned offset, unsigned size);

/* Deciphers a password, if the preferences want that. */
void conquer_add_password(struct dissection *d, proto_tree *tree, unsigned offset, unsigned size);
void conquer_register_password(int proto);

/* Adds the hidden field of a text whose kind is a name. kind may be NULL. */
void conquer_add_hidden_name(struct dissection *d, proto_tree *tree, const struct kind *kind,
                             unsigned offset, unsigned size, const char *text);

/* What a field of an action's role holds under the action's present value; NULL if unknown. */
const struct meaning *conquer_find_meaning(const struct field *field,
                                           const struct message_view *view, unsigned base);
