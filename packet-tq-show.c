/* packet-tq-show.c
 * What a frame shows of the TQ transport, on every pass the same way, out of its record.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-tq-show.h"

#include <epan/expert.h>

#include "conversation.h"
#include "opening.h"
#include "packet-conquer.h"
#include "packet-tq-handshake.h"
#include "preferences.h"
#include "record.h"
#include "taps.h"

static int proto_tq = -1;

static int hf_tq_server = -1;
static int hf_tq_direction = -1;
static int hf_tq_cipher = -1;
static int hf_tq_key = -1;
static int hf_tq_position = -1;
static int hf_tq_counter = -1;
static int hf_tq_length = -1;
static int hf_tq_type = -1;
static int hf_tq_footer = -1;
static int hf_tq_plaintext = -1;
static int hf_tq_backend = -1;
static int hf_tq_login_frame = -1;
static int hf_tq_game_frame = -1;
static int hf_tq_first_frame = -1;
static int hf_tq_missing = -1;
static int hf_tq_recovered_key = -1;

static gint ett_tq = -1;

static expert_field ei_tq_bad_length = EI_INIT;
static expert_field ei_tq_lost = EI_INIT;
static expert_field ei_tq_given_up = EI_INIT;
static expert_field ei_tq_key_missing = EI_INIT;
static expert_field ei_tq_key_wrong = EI_INIT;
static expert_field ei_tq_key_recovered = EI_INIT;
static expert_field ei_tq_not_recovered = EI_INIT;
static expert_field ei_tq_foreign = EI_INIT;
static expert_field ei_tq_footer = EI_INIT;
static expert_field ei_tq_unknown_type = EI_INIT;
static expert_field ei_tq_backend = EI_INIT;

static dissector_handle_t conquer_handle;
static dissector_table_t type_table;

const value_string tq_server_values[] = {
    {TQ_SERVER_UNKNOWN, "Unknown"},
    {TQ_SERVER_ACCOUNT, "Account server"},
    {TQ_SERVER_GAME, "Game server"},
    {0, NULL},
};

const value_string tq_direction_values[] = {
    {TQ_CLIENT_TO_SERVER, "Client to server"},
    {TQ_SERVER_TO_CLIENT, "Server to client"},
    {0, NULL},
};

const value_string tq_cipher_values[] = {
    {TQ_CIPHER_UNKNOWN, "Unknown"},
    {TQ_CIPHER_TQ, "TQ cipher"},
    {TQ_CIPHER_BLOWFISH, "Blowfish-CFB64"},
    {TQ_CIPHER_CAST5, "CAST5-CFB64"},
    {0, NULL},
};

const value_string tq_key_values[] = {
    {TQ_KEY_NONE, "None"},
    {TQ_KEY_BASE, "Base key"},
    {TQ_KEY_ALTERNATE, "Alternate key"},
    {TQ_KEY_INITIAL, "Initial key (handshake)"},
    {TQ_KEY_SESSION, "Session key"},
    {TQ_KEY_RECOVERED, "Recovered key"},
    {0, NULL},
};

/* Where a frame's messages are put. */
typedef struct {
    packet_info *pinfo;
    proto_tree *tree;
    const record_segment_t *segment;
    tq_direction_t direction;
    bool wants_tree; /* somebody looks at this protocol's fields */
} view_t;

/* ---- One message ---- */

static void add_generated_uint(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t value)
{
    proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, value));
}

/* What is known of the connection at this message. */
static void add_connection(const view_t *view, proto_tree *tree, tvbuff_t *tvb, uint64_t at)
{
    const session_t *session = view->segment->session;
    const flow_t *flow = &session->flow[view->segment->flow];
    const epoch_t *epoch = session_epoch(session, view->segment->flow, at);
    uint64_t start = flow->started ? flow->start : flow->first;

    add_generated_uint(tree, hf_tq_server, tvb, session->server);
    add_generated_uint(tree, hf_tq_direction, tvb, view->direction);
    add_generated_uint(tree, hf_tq_cipher, tvb, epoch->cipher);
    add_generated_uint(tree, hf_tq_key, tvb, epoch->key);
    proto_item_set_generated(proto_tree_add_uint64(tree, hf_tq_position, tvb, 0, 0, at - start));
    if (epoch->cipher == TQ_CIPHER_TQ) {
        add_generated_uint(tree, hf_tq_counter, tvb, (uint16_t)(at - epoch->zero));
        proto_item *item = proto_tree_add_string(tree, hf_tq_backend, tvb, 0, 0, tq_backend_name());
        proto_item_set_generated(item);
        if (preferences()->backend_missing && at == start)
            expert_add_info_format(view->pinfo, item, &ei_tq_backend,
                                   "Backend %s is not available on this machine; %s serves instead",
                                   preferences()->backend, tq_backend_name());
    }
    if (session->peer && session->server == TQ_SERVER_GAME)
        add_generated_uint(tree, hf_tq_login_frame, tvb, session->peer->token_frame);
    else if (session->peer && session->server == TQ_SERVER_ACCOUNT)
        add_generated_uint(tree, hf_tq_game_frame, tvb, session->peer->token_frame);
}

static void add_footer(const view_t *view, proto_tree *tree, tvbuff_t *tvb, int offset)
{
    const char *right =
        view->direction == TQ_SERVER_TO_CLIENT ? TQ_FOOTER_SERVER : TQ_FOOTER_CLIENT;
    proto_item *item =
        proto_tree_add_item(tree, hf_tq_footer, tvb, offset, TQ_FOOTER_SIZE, ENC_ASCII | ENC_NA);

    if (tvb_strneql(tvb, offset, right, TQ_FOOTER_SIZE) != 0)
        expert_add_info_format(view->pinfo, item, &ei_tq_footer, "The footer should be %s", right);
}

/* Tells listeners of a segment. */
static void tell_segment(const view_t *view)
{
    tq_tap_info_t *info = wmem_new0(view->pinfo->pool, tq_tap_info_t);

    info->session = view->segment->session;
    taps_stream(view->pinfo, &info->stream);
    taps_queue(view->pinfo, info);
}

/* Tells listeners of a message. */
static void tell_message(const view_t *view, uint64_t at, tvbuff_t *message,
                         const struct conquer_context *context)
{
    const session_t *session = view->segment->session;
    const flow_t *flow = &session->flow[view->segment->flow];
    tq_tap_info_t *info = taps_describe(view->pinfo, message, context);

    info->session = session;
    taps_stream(view->pinfo, &info->stream);
    info->position = at - (flow->started ? flow->start : flow->first);
    taps_queue(view->pinfo, info);
}

/* Dissects one message. tvb: its plaintext, with the footer. */
static void show_message(const view_t *view, tvbuff_t *tvb, const record_pdu_t *pdu)
{
    packet_info *pinfo = view->pinfo;
    const session_t *session = view->segment->session;
    uint16_t length = tvb_get_letohs(tvb, 0), type = tvb_get_letohs(tvb, 2);
    const char *name = dictionary_type_name(type);
    tvbuff_t *message = pdu->footer ? tvb_new_subset_length(tvb, 0, length) : tvb;

    proto_item *type_item = NULL;

    if (view->wants_tree) {
        proto_item *item = proto_tree_add_protocol_format(
            view->tree, proto_tq, tvb, 0, -1, "TQ, %s, %s (%u), %u bytes",
            val_to_str_const(view->direction, tq_direction_values, ""),
            name ? name : "unknown type", type, length);
        proto_tree *tree = proto_item_add_subtree(item, ett_tq);

        add_connection(view, tree, tvb, pdu->at);
        if (pdu->copy && pdu->copy->first_frame != pinfo->num)
            add_generated_uint(tree, hf_tq_first_frame, tvb, pdu->copy->first_frame);
        proto_tree_add_item(tree, hf_tq_length, tvb, 0, 2, ENC_LITTLE_ENDIAN);
        type_item = proto_tree_add_item(tree, hf_tq_type, tvb, 2, 2, ENC_LITTLE_ENDIAN);
        proto_tree_add_item(tree, hf_tq_plaintext, message, 0, -1, ENC_NA);
        if (pdu->footer)
            add_footer(view, tree, tvb, length);
    }

    struct conquer_context context = {
        .server = (uint8_t)session->server,
        .direction = (uint8_t)view->direction,
        .footer = session->footers,
        .evidence = pdu->evidence,
        .options = {.patch = session->config.patch,
                    .encoding = preferences()->text_encoding,
                    .show_passwords = preferences()->show_passwords,
                    .password_seed = session->seeded ? &session->seed : NULL},
    };
    if (!dissector_try_uint_with_data(type_table, type, message, pinfo, view->tree, TRUE,
                                      &context)) {
        if (!name)
            expert_add_info(pinfo, type_item, &ei_tq_unknown_type);
        call_dissector_only(conquer_handle, message, pinfo, view->tree, &context);
    } else {
        conquer_append_column(pinfo, name ? name : "unknown type");
    }

    if (taps_wanted())
        tell_message(view, pdu->at, message, &context);
}

static void show_handshake(const view_t *view, tvbuff_t *tvb, const record_pdu_t *pdu)
{
    const session_t *session = view->segment->session;
    bool hello = pdu->kind == PDU_HELLO;
    proto_item *item =
        proto_tree_add_protocol_format(view->tree, proto_tq, tvb, 0, -1, "TQ, %s, %u bytes",
                                       hello ? "server hello" : "client reply", pdu->size);
    proto_tree *tree = proto_item_add_subtree(item, ett_tq);

    add_connection(view, tree, tvb, pdu->at);
    conquer_append_column(view->pinfo, hello ? "Server hello" : "Client reply");
    dissect_tq_handshake(tvb, view->pinfo, tree, session,
                         hello ? HANDSHAKE_HELLO : HANDSHAKE_REPLY);
}

static void show_pdu(const view_t *view, tvbuff_t *tvb, const record_pdu_t *pdu)
{
    if (pdu->kind == PDU_MESSAGE)
        show_message(view, tvb, pdu);
    else
        show_handshake(view, tvb, pdu);
}

/* ---- One segment ---- */

/* Tells of a gap, unless its bytes came later. */
static void show_gap(const view_t *view, tvbuff_t *tvb, const record_notice_t *notice)
{
    const flow_t *flow = &view->segment->session->flow[view->segment->flow];
    uint64_t missing = stream_missing(&flow->bytes, notice->from, notice->value);
    const char *name = dictionary_type_name(notice->type);

    if (missing == 0)
        return;
    proto_item *item = proto_tree_add_protocol_format(view->tree, proto_tq, tvb, 0, 0, "TQ");
    proto_tree *tree = proto_item_add_subtree(item, ett_tq);
    add_generated_uint(tree, hf_tq_missing, tvb, (uint32_t)missing);
    if (notice->type)
        expert_add_info_format(view->pinfo, item, &ei_tq_lost,
                               "%" PRIu64 " bytes of this direction are missing before this "
                               "segment; they cut %s (%u)",
                               missing, name ? name : "a message of unknown type", notice->type);
    else
        expert_add_info_format(view->pinfo, item, &ei_tq_lost,
                               "%" PRIu64 " bytes of this direction are missing before this "
                               "segment",
                               missing);
}

static void show_notice(const view_t *view, tvbuff_t *tvb, const record_notice_t *notice)
{
    packet_info *pinfo = view->pinfo;

    if (notice->kind == NOTICE_LOST) {
        show_gap(view, tvb, notice);
        return;
    }
    const session_t *session = view->segment->session;
    /* What was said before the connection was understood. */
    if ((notice->kind == NOTICE_FOREIGN || notice->kind == NOTICE_UNRECOVERED) &&
        session->status == SESSION_OPEN)
        return;
    if (notice->kind == NOTICE_NO_SECRET && !session->exchange->awaits_secret)
        return;
    proto_item *item = proto_tree_add_protocol_format(view->tree, proto_tq, tvb, 0, 0, "TQ");

    switch (notice->kind) {
    case NOTICE_BAD_LENGTH:
        expert_add_info_format(pinfo, item, &ei_tq_bad_length,
                               "Length %" PRIu64 " is less than the header's 4 bytes; what follows "
                               "is searched for the next message",
                               notice->value);
        break;
    case NOTICE_GIVEN_UP:
        expert_add_info_format(pinfo, item, &ei_tq_given_up,
                               "%" PRIu64 " bytes belong to no message that could be found",
                               notice->value);
        break;
    case NOTICE_FOREIGN:
        if (session->hello_fault) {
            expert_add_info_format(pinfo, item, &ei_tq_foreign,
                                   "The server's hello is malformed: %s", session->hello_fault);
            break;
        }
        expert_add_info_format(
            pinfo, item, &ei_tq_foreign,
            "Not a TQ connection, or its key is unknown: add a private server's keys to the "
            "preference tq.servers. Tried: base key P %08X, G %08X; initial keys %s",
            view->segment->session->config.p, view->segment->session->config.g,
            preferences_initial_keys(pinfo->pool));
        break;
    case NOTICE_NO_SECRET:
        expert_add_info_format(
            pinfo, item, &ei_tq_key_missing,
            "No session key: add a line TQ_SECRET, TQ_SERVER_PRIVATE or TQ_CLIENT_PRIVATE for "
            "this connection's public key to the key log file (tq.keylog_file). The server's "
            "key begins with %.16s",
            (const char *)session->exchange->hello +
                session->exchange->hello_fields.field[HANDSHAKE_PUBLIC_KEY].offset);
        break;
    case NOTICE_KEY_ERROR:
        expert_add_info_format(pinfo, item, &ei_tq_key_wrong, "The session key is not known: %s",
                               notice->text);
        break;
    case NOTICE_RECOVERED:
        expert_add_info_format(pinfo, item, &ei_tq_key_recovered,
                               "The start of the connection is not in the capture; counter and key "
                               "of this direction were recovered from %" PRIu64
                               " messages, with a chance of error below 2^-%d",
                               notice->value, TQ_RECOVERY_CERTAINTY);
        add_generated_uint(proto_item_add_subtree(item, ett_tq), hf_tq_recovered_key, tvb,
                           session->flow[view->segment->flow].recovered_x);
        break;
    case NOTICE_UNRECOVERED:
        if (session->starved)
            expert_add_info_format(pinfo, item, &ei_tq_not_recovered,
                                   "The start of the connection is not in the capture, and counter "
                                   "and key are not recovered, because the work allowed for one "
                                   "capture is used up by other connections: save this one alone");
        else
            expert_add_info(pinfo, item, &ei_tq_not_recovered);
        break;
    default:
        break;
    }
}

static tvbuff_t *make_plaintext(const view_t *view, tvbuff_t *parent, uint64_t at,
                                const uint8_t *before, size_t before_length, const uint8_t *in,
                                uint32_t length)
{
    uint8_t *plain = (uint8_t *)wmem_alloc(view->pinfo->pool, length);

    session_decrypt(view->segment->session, view->segment->flow, at, before, before_length, in,
                    length, plain);
    tvbuff_t *tvb = parent ? tvb_new_child_real_data(parent, plain, length, (gint)length)
                           : tvb_new_real_data(plain, length, (gint)length);
    add_new_data_source(view->pinfo, tvb, "Decrypted TQ");
    return tvb;
}

/* Shows messages that lie one behind the other in the payload. Returns the next one. */
static const record_pdu_t *show_in_payload(const view_t *view, tvbuff_t *payload,
                                           const record_pdu_t *first)
{
    const record_segment_t *segment = view->segment;
    uint64_t from = first->at, to = first->at;
    const record_pdu_t *end = first;

    while (end && !end->copy && end->at == to) {
        to += end->size;
        end = record_next_pdu(segment, end);
    }

    uint32_t offset = (uint32_t)(from - segment->at), length = (uint32_t)(to - from);
    if (!payload || !tvb_bytes_exist(payload, (gint)offset, (gint)length))
        return end;
    const uint8_t *in = tvb_get_ptr(payload, (gint)offset, (gint)length);
    const record_extra_t *extra = segment->extra;
    bool has_context = extra && extra->context_at == from;
    const uint8_t *before = has_context ? extra->context : tvb_get_ptr(payload, 0, (gint)offset);
    tvbuff_t *plain = make_plaintext(view, payload, from, before,
                                     has_context ? extra->context_length : offset, in, length);
    for (const record_pdu_t *pdu = first; pdu != end; pdu = record_next_pdu(segment, pdu))
        show_pdu(view, tvb_new_subset_length(plain, (gint)(pdu->at - from), (gint)pdu->size), pdu);
    return end;
}

/* Shows what the first pass has found in a segment, as far as it ends behind a coordinate; 0 for
 * all of it, with notices. payload may be NULL. */
static void show_segment(packet_info *pinfo, proto_tree *tree, const record_segment_t *segment,
                         tvbuff_t *payload, uint64_t from)
{
    view_t view = {
        .pinfo = pinfo,
        .tree = tree,
        .segment = segment,
        .wants_tree = tree && proto_field_is_referenced(tree, proto_tq),
    };

    if (segment->session->client >= 0)
        view.direction = session_direction(segment->session, segment->flow);
    if (taps_wanted() &&
        (segment->session->status == SESSION_OPEN || segment->session->config.claimed))
        tell_segment(&view);
    for (const record_notice_t *notice = segment->extra && from == 0 ? segment->extra->notices
                                                                     : NULL;
         notice; notice = notice->next)
        show_notice(&view, payload, notice);
    for (const record_pdu_t *pdu = record_first_pdu(segment); pdu;) {
        if (pdu->at + pdu->size <= from) {
            pdu = record_next_pdu(segment, pdu);
            continue;
        }
        if (!pdu->copy) {
            pdu = show_in_payload(&view, payload, pdu);
            continue;
        }
        const record_copy_t *copy = pdu->copy;
        tvbuff_t *plain = make_plaintext(&view, NULL, pdu->at, copy->bytes, copy->context_length,
                                         copy->bytes + copy->context_length, pdu->size);
        show_pdu(&view, plain, pdu);
        pdu = record_next_pdu(segment, pdu);
    }
}

bool tq_show_frame(packet_info *pinfo, proto_tree *tree, const session_t *session,
                   tvbuff_t *payload)
{
    unsigned flow = conversation_flow(pinfo);
    bool has_messages = false;

    for (const record_segment_t *segment = record_find(pinfo->num); segment;
         segment = segment->next) {
        if (segment->session != session)
            continue;
        show_segment(pinfo, tree, segment, segment->flow == flow ? payload : NULL, 0);
        has_messages |= segment->last_pdu != NULL;
    }
    return has_messages;
}

void tq_show_rest(packet_info *pinfo, proto_tree *tree, session_t *session, uint32_t seq)
{
    unsigned flow = conversation_flow(pinfo);
    uint64_t from = stream_coordinate(&session->flow[flow].bytes, seq);

    for (const record_segment_t *segment = record_find(pinfo->num); segment;
         segment = segment->next) {
        if (segment->session == session && segment->flow == flow)
            show_segment(pinfo, tree, segment, NULL, from);
    }
}

void tq_show_none(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const session_t *session)
{
    bool is_dark = session->exchange && session->exchange->awaits_secret;
    const char *why =
        session->status != SESSION_OPEN || is_dark ? "Not deciphered (yet)" : "Part of a message";

    col_set_str(pinfo->cinfo, COL_INFO, why);
    proto_tree_add_protocol_format(tree, proto_tq, tvb, 0, -1, "TQ, %s, %u bytes", why,
                                   tvb_captured_length(tvb));
}
void register_tq_show(int proto)
{
    static hf_register_info hf[] = {
        {&hf_tq_server,
         {"Server", "tq.server", FT_UINT8, BASE_DEC, VALS(tq_server_values), 0x0,
          "Kind of server at the other end, told by what the connection carries", HFILL}},
        {&hf_tq_direction,
         {"Direction", "tq.direction", FT_UINT8, BASE_DEC, VALS(tq_direction_values), 0x0,
          "Who sent the message", HFILL}},
        {&hf_tq_cipher,
         {"Cipher", "tq.cipher", FT_UINT8, BASE_DEC, VALS(tq_cipher_values), 0x0,
          "Cipher of the message", HFILL}},
        {&hf_tq_key,
         {"Key", "tq.key", FT_UINT8, BASE_DEC, VALS(tq_key_values), 0x0, "Key of the message",
          HFILL}},
        {&hf_tq_position,
         {"Position", "tq.position", FT_UINT64, BASE_DEC, NULL, 0x0,
          "Position of the first byte in its direction's stream, from 0", HFILL}},
        {&hf_tq_counter,
         {"Counter", "tq.counter", FT_UINT16, BASE_DEC, NULL, 0x0,
          "Counter of the TQ cipher at the first byte", HFILL}},
        {&hf_tq_length,
         {"Length", "tq.length", FT_UINT16, BASE_DEC, NULL, 0x0,
          "Size of the message in bytes, with header and without footer", HFILL}},
        {&hf_tq_type,
         {"Type", "tq.type", FT_UINT16, BASE_DEC_HEX | BASE_EXT_STRING, NULL, 0x0,
          "Type of the message", HFILL}},
        {&hf_tq_footer,
         {"Footer", "tq.footer", FT_STRING, BASE_NONE, NULL, 0x0,
          "Text that ends a message from patch 5018 on", HFILL}},
        {&hf_tq_plaintext,
         {"Plaintext", "tq.plaintext", FT_BYTES, BASE_NONE, NULL, 0x0,
          "The deciphered message with its header, without the footer", HFILL}},
        {&hf_tq_backend,
         {"Backend", "tq.backend", FT_STRING, BASE_NONE, NULL, 0x0,
          "Implementation of the cipher that deciphered the message", HFILL}},
        {&hf_tq_login_frame,
         {"Login in frame", "tq.login_frame", FT_FRAMENUM, BASE_NONE, NULL, 0x0,
          "The account server's MsgConnectEx that led to this game connection", HFILL}},
        {&hf_tq_game_frame,
         {"Game in frame", "tq.game_frame", FT_FRAMENUM, BASE_NONE, NULL, 0x0,
          "The MsgConnect by which this login went on to the game server", HFILL}},
        {&hf_tq_first_frame,
         {"First byte in frame", "tq.first_frame", FT_FRAMENUM, BASE_NONE, NULL, 0x0,
          "The frame in which a message over several segments begins", HFILL}},
        {&hf_tq_missing,
         {"Missing bytes", "tq.missing", FT_UINT32, BASE_DEC, NULL, 0x0,
          "Bytes of this direction that are not in the capture up to here", HFILL}},
        {&hf_tq_recovered_key,
         {"Recovered key", "tq.recovered_key", FT_UINT32, BASE_HEX, NULL, 0x0,
          "X, which makes the alternate key of the base key; 0 is the base key", HFILL}},
    };
    static gint *ett[] = {&ett_tq};
    static ei_register_info ei[] = {
        {&ei_tq_bad_length,
         {"tq.bad_length", PI_MALFORMED, PI_ERROR, "Length is less than the header's", EXPFILL}},
        {&ei_tq_lost,
         {"tq.lost_segment", PI_SEQUENCE, PI_WARN, "Bytes are missing before this segment",
          EXPFILL}},
        {&ei_tq_given_up,
         {"tq.not_framed", PI_UNDECODED, PI_WARN, "Bytes that belong to no message", EXPFILL}},
        {&ei_tq_key_missing,
         {"tq.key_missing", PI_DECRYPTION, PI_WARN,
          "The session key is not known: the key log file has no line for the connection",
          EXPFILL}},
        {&ei_tq_key_wrong,
         {"tq.key_wrong", PI_DECRYPTION, PI_WARN, "The secret does not serve", EXPFILL}},
        {&ei_tq_key_recovered,
         {"tq.key_recovered", PI_DECRYPTION, PI_CHAT, "Counter and key were recovered", EXPFILL}},
        {&ei_tq_not_recovered,
         {"tq.key_not_recovered", PI_DECRYPTION, PI_NOTE,
          "The start of the connection is not in the capture, and counter and key are not "
          "recovered: "
          "too few messages, another protocol or key; or a patch from 5018 on, which takes a "
          "TQ_SECRET line in tq.keylog_file",
          EXPFILL}},
        {&ei_tq_foreign,
         {"tq.not_tq", PI_DECRYPTION, PI_NOTE, "Not a TQ connection, or an unknown key", EXPFILL}},
        {&ei_tq_footer,
         {"tq.footer.wrong", PI_PROTOCOL, PI_WARN, "The footer is not the sender's", EXPFILL}},
        {&ei_tq_unknown_type,
         {"tq.type.unknown", PI_UNDECODED, PI_NOTE, "The dictionary has no such type", EXPFILL}},
        {&ei_tq_backend,
         {"tq.backend.unavailable", PI_DECRYPTION, PI_NOTE, "The backend asked for is not there",
          EXPFILL}},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(hf); i++) {
        if (hf[i].p_id == &hf_tq_type)
            hf[i].hfinfo.strings = dictionary_type_names();
    }

    proto_tq = proto;
    proto_register_field_array(proto_tq, hf, G_N_ELEMENTS(hf));
    proto_register_subtree_array(ett, G_N_ELEMENTS(ett));
    expert_register_field_array(expert_register_protocol(proto_tq), ei, G_N_ELEMENTS(ei));
    type_table =
        register_dissector_table("tq.type", "TQ message type", proto_tq, FT_UINT16, BASE_DEC);
}

void handoff_tq_show(void)
{
    conquer_handle = find_dissector_add_dependency("conquer", proto_tq);
}
