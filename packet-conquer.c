/* packet-conquer.c
 * Dissector for one plaintext message of Conquer Online.
 *
 * A message is its size (16 bits, little-endian), its type (16 bits) and a body whose layout
 * depends on the type and on the patch of the client. The dictionary knows the layouts
 * (messages/); this file finds the one that applies and has it shown.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conquer-internal.h"
#include "exported-context.h"
#include "taps.h"

#include <epan/tap.h>
#include <string.h>

/* Ends each message of a game connection since patch 5018; it says who sent it. */
#define FOOTER_SIZE 8

static expert_field ei_header = EI_INIT;
static int proto_conquer = -1;
static int tap_expert = -1;
static int hf_footer = -1;

/* For messages without a context. */
static struct conquer_options default_options;

void conquer_set_options(const struct conquer_options *options)
{
    default_options = *options;
}

/* The side a footer speaks of, if one follows the message. */
static uint8_t find_footer(tvbuff_t *tvb, unsigned size)
{
    if (tvb_captured_length_remaining(tvb, (int)size) < FOOTER_SIZE)
        return DICTIONARY_DIRECTION_UNKNOWN;
    if (tvb_memeql(tvb, (int)size, (const uint8_t *)"TQClient", FOOTER_SIZE) == 0)
        return DICTIONARY_FROM_CLIENT;
    if (tvb_memeql(tvb, (int)size, (const uint8_t *)"TQServer", FOOTER_SIZE) == 0)
        return DICTIONARY_FROM_SERVER;
    return DICTIONARY_DIRECTION_UNKNOWN;
}

/* Who sent an exported message without footer: the export may say so, or only one side may send
 * messages of its type. */
static uint8_t guess_direction(const packet_info *pinfo, const struct message *message)
{
    unsigned senders = message != NULL ? message->senders : 0;
    bool told = pinfo->p2p_dir == P2P_DIR_SENT || pinfo->p2p_dir == P2P_DIR_RECV;

    if (told ? pinfo->p2p_dir == P2P_DIR_SENT : senders == DICTIONARY_SENDER_CLIENT)
        return DICTIONARY_FROM_CLIENT;
    if (told || senders == DICTIONARY_SENDER_SERVER)
        return DICTIONARY_FROM_SERVER;
    return DICTIONARY_DIRECTION_UNKNOWN;
}

/* An exported message has no connection to show its patch. Without footer, an old one is likely. */
static struct conquer_context guess_context(const packet_info *pinfo, tvbuff_t *tvb, unsigned size,
                                            uint16_t type)
{
    const struct message *message = dictionary_find(type, DICTIONARY_SERVER_UNKNOWN);
    struct conquer_context context = {
        .server = message != NULL ? message->server : DICTIONARY_SERVER_UNKNOWN,
        .direction = find_footer(tvb, size),
        .evidence = {PATCH_FIRST, PATCH_FOOTER - 1},
        .options = default_options,
    };

    context.footer = context.direction != DICTIONARY_DIRECTION_UNKNOWN;
    if (context.footer)
        context.evidence = (struct patch_evidence){PATCH_FOOTER, PATCH_LAST};
    else
        context.direction = guess_direction(pinfo, message);
    exported_context_read(pinfo, tvb, &context);
    return context;
}

/* Whether anyone looks at fields or expert infos: the tree is there even where nobody does. */
static bool is_tree_wanted(proto_tree *tree)
{
    return tree != NULL &&
           (proto_field_is_referenced(tree, proto_conquer) ||
            proto_field_is_referenced(tree, proto_expert) || have_tap_listener(tap_expert));
}

static void add_footer(struct dissection *d, tvbuff_t *tvb)
{
    proto_tree_add_item(d->tree, hf_footer, tvb, d->view.size, FOOTER_SIZE, ENC_ASCII);
    proto_item_set_len(d->item, d->view.size + FOOTER_SIZE);
}

static void add_tree(struct dissection *d, proto_tree *tree, tvbuff_t *tvb, bool footer)
{
    const char *name = d->message != NULL ? d->message->name : "unknown message";

    d->item = proto_tree_add_protocol_format(tree, proto_conquer, d->tvb, 0, -1,
                                             "Conquer Online, %s", name);
    d->tree = proto_item_add_subtree(d->item, ett_conquer);
    conquer_add_message(d);
    if (footer)
        add_footer(d, tvb);
}

/* What is too short for a header, or says so of itself. */
static int show_no_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    proto_item *item = proto_tree_add_item(tree, proto_conquer, tvb, 0, -1, ENC_NA);

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "TQ");
    conquer_append_column(pinfo, "No message");
    expert_add_info(pinfo, item, &ei_header);
    return (int)tvb_captured_length(tvb);
}

static int dissect_conquer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    unsigned available = tvb_captured_length(tvb);
    struct conquer_context context;
    struct dissection d = {.pinfo = pinfo, .fit = FIT_NONE};
    bool footer;

    if (available < MESSAGE_HEADER || tvb_get_letohs(tvb, 0) < MESSAGE_HEADER)
        return show_no_message(tvb, pinfo, tree);
    d.view.size = tvb_get_letohs(tvb, 0);
    d.view.type = tvb_get_letohs(tvb, 2);
    d.view.length = MIN(available, d.view.size);
    d.tvb = tvb_new_subset_length_caplen(tvb, 0, (int)d.view.length, d.view.size);
    d.view.data = tvb_get_ptr(tvb, 0, (int)d.view.length);
    if (data == NULL) {
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "TQ");
        col_clear(pinfo->cinfo, COL_INFO);
    }
    context = data != NULL ? *(const struct conquer_context *)data
                           : guess_context(pinfo, tvb, d.view.size, d.view.type);
    d.message = dictionary_find(d.view.type, context.server);
    footer = data == NULL && find_footer(tvb, d.view.size) != DICTIONARY_DIRECTION_UNKNOWN;
    d.options = &context.options;
    d.view.server = context.server;
    d.view.direction = context.direction;

    if (pinfo->cinfo != NULL || is_tree_wanted(tree)) {
        if (d.message != NULL)
            d.layout = dictionary_choose(d.message, &d.view, context.options.patch,
                                         &context.evidence, &d.fit);
        if (pinfo->cinfo != NULL)
            conquer_append_info(&d);
        if (is_tree_wanted(tree))
            add_tree(&d, tree, tvb, footer);
    }
    if (data == NULL && taps_wanted())
        taps_queue(pinfo, taps_describe(pinfo, d.tvb, &context));
    return (int)d.view.length + (footer ? FOOTER_SIZE : 0);
}

void proto_register_conquer(void)
{
    static hf_register_info fields[] = {
        {&hf_footer,
         {"Footer", "conquer.footer", FT_STRING, BASE_NONE, NULL, 0,
          "Ends a message of a game connection since patch 5018", HFILL}},
    };

    static ei_register_info infos[] = {
        {&ei_header,
         {"conquer.header.short", PI_MALFORMED, PI_ERROR,
          "Too short for a header, or its size is less than the header's 4 bytes", EXPFILL}},
    };

    dictionary_load();
    proto_conquer = proto_register_protocol("Conquer Online", "Conquer", "conquer");
    proto_register_field_array(proto_conquer, fields, array_length(fields));
    expert_register_field_array(expert_register_protocol(proto_conquer), infos,
                                array_length(infos));
    conquer_register_common(proto_conquer);
    conquer_register_password(proto_conquer);
    conquer_register_hidden(proto_conquer);
    conquer_register_fields(proto_conquer);
    register_dissector("conquer", dissect_conquer, proto_conquer);
}

void proto_reg_handoff_conquer(void)
{
    tap_expert = find_tap_id("expert");
}
