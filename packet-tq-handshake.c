/* packet-tq-handshake.c
 * Fields of the Diffie-Hellman exchange that opens a game connection from patch 5018 on.
 * handshake.h describes the messages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-tq-handshake.h"

#include <epan/expert.h>

#include "opening.h"

static int hf_padding = -1;
static int hf_length = -1;
static int hf_field_length = -1;
static int hf_junk = -1;
static int hf_server_iv = -1;
static int hf_client_iv = -1;
static int hf_p = -1;
static int hf_g = -1;
static int hf_public_key = -1;
static int hf_footer = -1;
static int hf_initial_key = -1;
static int hf_derivation = -1;

static expert_field ei_ivs_swapped = EI_INIT;

static const struct {
    handshake_field_id_t id;
    const int *hf;
    unsigned encoding;
    bool counted; /* its length stands before it */
} fields[] = {
    {HANDSHAKE_PADDING, &hf_padding, ENC_NA, false},
    {HANDSHAKE_JUNK, &hf_junk, ENC_NA, true},
    {HANDSHAKE_SERVER_IV, &hf_server_iv, ENC_NA, true},
    {HANDSHAKE_CLIENT_IV, &hf_client_iv, ENC_NA, true},
    {HANDSHAKE_P, &hf_p, ENC_ASCII, true},
    {HANDSHAKE_G, &hf_g, ENC_ASCII, true},
    {HANDSHAKE_PUBLIC_KEY, &hf_public_key, ENC_ASCII, true},
    {HANDSHAKE_FOOTER, &hf_footer, ENC_ASCII, false},
};

void dissect_tq_handshake(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                          const session_t *session, handshake_kind_t kind)
{
    guint length = tvb_captured_length(tvb);
    handshake_t message;

    if (handshake_parse(kind, tvb_get_ptr(tvb, 0, (gint)length), length, &message) !=
        HANDSHAKE_COMPLETE)
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        const handshake_field_t *field = &message.field[fields[i].id];
        if (field->offset == 0 && fields[i].id != HANDSHAKE_PADDING)
            continue; /* a reply has no IVs and numbers */
        if (fields[i].counted)
            proto_tree_add_item(tree, hf_field_length, tvb, (gint)field->offset - 4, 4,
                                ENC_LITTLE_ENDIAN);
        proto_tree_add_item(tree, *fields[i].hf, tvb, (gint)field->offset, (gint)field->length,
                            fields[i].encoding);
        if (fields[i].id == HANDSHAKE_PADDING)
            proto_tree_add_item(tree, hf_length, tvb, (gint)field->length, 4, ENC_LITTLE_ENDIAN);
    }

    const exchange_t *exchange = session->exchange;
    if (!exchange)
        return;
    proto_item_set_generated(
        proto_tree_add_string(tree, hf_initial_key, tvb, 0, 0, exchange->initial->name));
    if (!exchange->awaits_secret && exchange->reply) {
        proto_item *item = proto_tree_add_string(tree, hf_derivation, tvb, 0, 0,
                                                 sessionkey_derivation_name(exchange->derivation));
        proto_item_set_generated(item);
        if (exchange->ivs_swapped)
            expert_add_info(pinfo, item, &ei_ivs_swapped);
    }
}

void register_tq_handshake(int proto)
{
    static hf_register_info hf[] = {
        {&hf_padding,
         {"Padding", "tq.handshake.padding", FT_BYTES, BASE_NONE, NULL, 0x0, "Random bytes",
          HFILL}},
        {&hf_length,
         {"Length", "tq.handshake.length", FT_UINT32, BASE_DEC, NULL, 0x0,
          "Bytes of the message without the padding", HFILL}},
        {&hf_field_length,
         {"Length of the next field", "tq.handshake.field_length", FT_UINT32, BASE_DEC, NULL, 0x0,
          "Bytes of the field that follows", HFILL}},
        {&hf_junk,
         {"Junk", "tq.handshake.junk", FT_BYTES, BASE_NONE, NULL, 0x0,
          "Random bytes of random number", HFILL}},
        {&hf_server_iv,
         {"Server IV", "tq.handshake.server_iv", FT_BYTES, BASE_NONE, NULL, 0x0,
          "Initialisation vector of the server's stream under the session key", HFILL}},
        {&hf_client_iv,
         {"Client IV", "tq.handshake.client_iv", FT_BYTES, BASE_NONE, NULL, 0x0,
          "Initialisation vector of the client's stream under the session key", HFILL}},
        {&hf_p,
         {"P", "tq.handshake.p", FT_STRING, BASE_NONE, NULL, 0x0, "Diffie-Hellman modulus", HFILL}},
        {&hf_g,
         {"G", "tq.handshake.g", FT_STRING, BASE_NONE, NULL, 0x0, "Diffie-Hellman generator",
          HFILL}},
        {&hf_public_key,
         {"Public key", "tq.handshake.public_key", FT_STRING, BASE_NONE, NULL, 0x0,
          "Diffie-Hellman public key of the sender; a key log's line names it", HFILL}},
        {&hf_footer,
         {"Footer", "tq.handshake.footer", FT_STRING, BASE_NONE, NULL, 0x0,
          "Text that ends the message", HFILL}},
        {&hf_initial_key,
         {"Initial key", "tq.handshake.initial_key", FT_STRING, BASE_NONE, NULL, 0x0,
          "Key that deciphers the exchange", HFILL}},
        {&hf_derivation,
         {"Session key", "tq.handshake.derivation", FT_STRING, BASE_NONE, NULL, 0x0,
          "How the session key is made from the shared secret", HFILL}},
    };
    static ei_register_info ei[] = {
        {&ei_ivs_swapped,
         {"tq.handshake.ivs_swapped", PI_PROTOCOL, PI_NOTE,
          "The IVs are in the other order than usual: the second is the server's", EXPFILL}},
    };

    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, G_N_ELEMENTS(ei));
}
