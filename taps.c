/* taps.c
 * What the dissector tells those who listen.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <string.h>

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>

#include "conversation.h"
#include "dictionary-model.h"
#include "expression.h"
#include "preferences.h"

static int tq_tap = -1;
static wmem_map_t *accounts; /* session_t to its account's name; emptied with the capture file */

void taps_register(int proto)
{
    tq_tap = register_tap(TQ_TAP);
    accounts =
        wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    follow_register(proto);
    statistics_register();
    response_register(proto);
    export_register();
}

void taps_handoff(void)
{
    export_handoff();
}

bool taps_wanted(void)
{
    return have_tap_listener(tq_tap) || export_wanted();
}

tq_tap_info_t *taps_describe(packet_info *pinfo, tvbuff_t *message,
                             const struct conquer_context *context)
{
    tq_tap_info_t *info = wmem_new0(pinfo->pool, tq_tap_info_t);

    info->direction =
        context->direction == DICTIONARY_FROM_SERVER ? TQ_SERVER_TO_CLIENT : TQ_CLIENT_TO_SERVER;
    info->message = message;
    info->length = tvb_get_letohs(message, 0);
    info->type = tvb_get_letohs(message, 2);
    info->name = dictionary_type_name(info->type);
    info->context =
        (const struct conquer_context *)wmem_memdup(pinfo->pool, context, sizeof *context);
    return info;
}

/* Here, as a listener's filter may keep the login from it. */
static void note_account(packet_info *pinfo, const tq_tap_info_t *info)
{
    char *account = taps_read_account(pinfo->pool, info);

    if (account)
        wmem_map_insert(accounts, info->session, wmem_strdup(wmem_file_scope(), account));
}

const char *taps_account(const session_t *session)
{
    return (const char *)wmem_map_lookup(accounts, session);
}

void taps_queue(packet_info *pinfo, const tq_tap_info_t *info)
{
    if (info->message && info->session && !taps_account(info->session))
        note_account(pinfo, info);
    tap_queue_packet(tq_tap, pinfo, info);
    if (info->message)
        export_message(pinfo, info);
}

bool taps_stream(packet_info *pinfo, uint32_t *stream)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const struct tcp_analysis *tcp =
        conversation ? get_tcp_conversation_data(conversation, pinfo) : NULL;

    if (tcp)
        *stream = tcp->stream;
    return tcp != NULL;
}

/* Whether it is an end that preferences or a login name as a server's. */
static bool is_named(const packet_info *pinfo, tq_end_t end)
{
    dissector_handle_t tq = find_dissector("tq");

    return dissector_get_uint_handle(find_dissector_table("tcp.port"), end.port) == tq ||
           preferences_is_server(end.addr, end.port) ||
           conversation_endpoint_dissector(pinfo, end.addr, end.port) == tq;
}

/* For a connection that has not shown who is who. */
static bool is_client(const packet_info *pinfo, tq_end_t end, tq_end_t other)
{
    bool named = is_named(pinfo, end), other_named = is_named(pinfo, other);

    /* Systems give clients high ports. */
    return named != other_named ? other_named : end.port > other.port;
}

void taps_ends(const packet_info *pinfo, const session_t *session, tq_end_t *client,
               tq_end_t *server)
{
    tq_end_t source = {&pinfo->src, pinfo->srcport}, target = {&pinfo->dst, pinfo->destport};
    bool from_client = session->client < 0 ? is_client(pinfo, source, target)
                                           : (int)conversation_flow(pinfo) == session->client;

    *client = from_client ? source : target;
    *server = from_client ? target : source;
}

/* ---- Fields of a message ---- */

static const struct field *find_field(const tq_tap_info_t *info, const char *name,
                                      struct message_view *view)
{
    const struct message *message = dictionary_find(info->type, info->context->server);
    enum layout_fit fit;

    if (!message)
        return NULL;
    *view = (struct message_view){
        .data = tvb_get_ptr(info->message, 0, -1),
        .length = tvb_captured_length(info->message),
        .size = info->length,
        .type = info->type,
        .server = info->context->server,
        .direction = info->context->direction,
    };

    const struct layout *layout = dictionary_choose(message, view, info->context->options.patch,
                                                    &info->context->evidence, &fit);
    for (unsigned i = 0; layout && i < layout->fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(layout->fields, i);
        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

char *taps_read_text(wmem_allocator_t *pool, const tq_tap_info_t *info, const char *name)
{
    struct message_view view;
    const struct field *field = find_field(info, name, &view);

    if (!field || field->type != FIELD_TEXT || field->offset >= view.length)
        return NULL;

    unsigned encoding = field->encoding ? field->encoding : info->context->options.encoding;
    const uint8_t *text = view.data + field->offset;
    size_t size = MIN(field->size, view.length - field->offset);
    const uint8_t *nul = (const uint8_t *)memchr(text, '\0', size);
    size_t length = nul ? (size_t)(nul - text) : size;
    return (char *)tvb_get_string_enc(pool, info->message, (gint)field->offset, (gint)length,
                                      encoding ? encoding : ENC_WINDOWS_1252);
}

bool taps_read_number(const tq_tap_info_t *info, const char *name, uint64_t *value)
{
    struct message_view view;
    const struct field *field = find_field(info, name, &view);

    if (!field)
        return false;
    struct expression_value number = dictionary_read_field(field, &view, 0);
    *value = (uint64_t)number.value;
    return number.known;
}

char *taps_read_account(wmem_allocator_t *pool, const tq_tap_info_t *info)
{
    /* The logins of all patches: MsgAccount, MsgAccountSRP6 and so on. */
    if (info->direction != TQ_CLIENT_TO_SERVER || !info->name ||
        !g_str_has_prefix(info->name, "MsgAccount"))
        return NULL;

    char *account = taps_read_text(pool, info, "account");
    return account && *account ? account : NULL;
}
