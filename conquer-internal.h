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

/* Adds header, layout and fields of a message. d->layout may be NULL. */
void conquer_add_message(struct dissection *d);

/* Appends the message's line to the Info column. */
void conquer_append_info(const struct dissection *d);

/* The text of a message area of size bytes, decoded, in packet scope. field may be NULL. */
const char *conquer_get_text(const struct dissection *d, unsigned encoding, unsigned offset,
                             unsigned size);

/* What a field of an action's role holds under the action's present value; NULL if unknown. */
const struct meaning *conquer_find_meaning(const struct field *field,
                                           const struct message_view *view, unsigned base);
