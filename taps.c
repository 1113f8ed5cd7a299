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

/* What a login has shown of its connection. */
typedef struct {
    const char *account;
    address client, server;
} login_t;

static wmem_map_t *logins; /* session_t to login_t; emptied with the capture file */

void taps_register(int proto)
{
    tq_tap = register_tap(TQ_TAP);
    logins =
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
static void note_login(packet_info *pinfo, const tq_tap_info_t *info)
{
    char *account = taps_read_account(pinfo->pool, info);
    tq_end_t client, server;

    if (!account)
        return;
    login_t *login = wmem_new(wmem_file_scope(), login_t);
    taps_ends(pinfo, info->session, &client, &server);
    login->account = wmem_strdup(wmem_file_scope(), account);
    copy_address_wmem(wmem_file_scope(), &login->client, client.addr);
    copy_address_wmem(wmem_file_scope(), &login->server, server.addr);
    wmem_map_insert(logins, info->session, login);
}

const char *taps_account(const session_t *session)
{
    const login_t *login = (const login_t *)wmem_map_lookup(logins, session);

    return login ? login->account : NULL;
}

/* A game connection, and the account of the logins that announced it. */
typedef struct {
    uint32_t first_frame;
    tq_end_t client, server;
    const char *account;
    bool ambiguous;
} announcement_t;

static void match_login(void *key, void *value, void *data)
{
    const session_t *session = (const session_t *)key;
    const login_t *login = (const login_t *)value;
    announcement_t *wanted = (announcement_t *)data;
    uint32_t ip = g_htonl(session->game_address);
    address announced;

    set_address(&announced, AT_IPv4, sizeof ip, &ip);
    /* Behind a NAT the game server is where the account server is. */
    if (!session->announced || session->token_frame >= wanted->first_frame ||
        session->game_port != wanted->server.port ||
        !addresses_equal(&login->client, wanted->client.addr) ||
        (!addresses_equal(&announced, wanted->server.addr) &&
         !addresses_equal(&login->server, wanted->server.addr)))
        return;
    wanted->ambiguous |= wanted->account && strcmp(wanted->account, login->account) != 0;
    wanted->account = login->account;
}

const char *taps_announced_account(const packet_info *pinfo, const session_t *game)
{
    announcement_t wanted = {.first_frame = pinfo->num};

    taps_ends(pinfo, game, &wanted.client, &wanted.server);
    wmem_map_foreach(logins, match_login, &wanted);
    return wanted.ambiguous ? NULL : wanted.account;
}

void taps_queue(packet_info *pinfo, const tq_tap_info_t *info)
{
    if (info->message && info->session && !taps_account(info->session))
        note_login(pinfo, info);
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
