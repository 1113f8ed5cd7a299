/* tap-follow.c
 * Whole streams: Follow -> TQ stream, and the conversation filter "TQ session".
 *
 * A TQ stream has the number of the TCP stream that carries it. tshark (-z follow,tq,...) and
 * sharkd offer it in all versions. The window's menu is a fixed list in 4.0; later ones list what
 * is registered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <epan/addr_resolv.h>
#include <epan/conversation_filter.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/follow.h>
#include <epan/to_str.h>

#include "conversation.h"

/* The session that the frame is part of, or NULL. */
static const session_t *find_session(packet_info *pinfo)
{
    const session_t *session =
        pinfo->ptype == PT_TCP ? conversation_session(pinfo, false, false) : NULL;

    return session && session->status == SESSION_OPEN ? session : NULL;
}

static char *filter_by_stream(guint stream, guint sub_stream _U_)
{
    return g_strdup_printf("tcp.stream eq %u", stream);
}

static char *filter_by_frame(epan_dissect_t *edt _U_, packet_info *pinfo, guint *stream,
                             guint *sub_stream _U_)
{
    uint32_t number;

    if (!find_session(pinfo) || !taps_stream(pinfo, &number))
        return NULL;
    *stream = number;
    return filter_by_stream(number, 0);
}

static char *filter_one_way(const address *from, int from_port, const address *to, int to_port)
{
    const char *ip = from->type == AT_IPv6 ? "ipv6" : "ip";
    char *source = address_to_str(NULL, from), *target = address_to_str(NULL, to);
    char *filter =
        g_strdup_printf("(%s.src eq %s and tcp.srcport eq %d and %s.dst eq %s and tcp.dstport "
                        "eq %d)",
                        ip, source, from_port, ip, target, to_port);

    wmem_free(NULL, source);
    wmem_free(NULL, target);
    return filter;
}

static char *filter_by_ends(address *addr1, address *addr2, int port1, int port2)
{
    char *there = filter_one_way(addr1, port1, addr2, port2);
    char *back = filter_one_way(addr2, port2, addr1, port1);
    char *filter = g_strdup_printf("%s or %s", there, back);

    g_free(there);
    g_free(back);
    return filter;
}

/* Takes a message. The first node is the client, whoever speaks first. */
static tap_packet_status follow_message(void *data, packet_info *pinfo, epan_dissect_t *edt _U_,
                                        const void *tapped, tap_flags_t flags _U_)
{
    follow_info_t *follow = (follow_info_t *)data;
    const tq_tap_info_t *info = (const tq_tap_info_t *)tapped;

    if (!info->message || !info->session)
        return TAP_PACKET_DONT_REDRAW;
    if (follow->client_port == 0) {
        tq_end_t client, server;
        taps_ends(pinfo, info->session, &client, &server);
        copy_address(&follow->client_ip, client.addr);
        copy_address(&follow->server_ip, server.addr);
        follow->client_port = client.port;
        follow->server_port = server.port;
    }

    follow_record_t *record = g_new0(follow_record_t, 1);
    unsigned length = tvb_captured_length(info->message);
    record->is_server = info->direction == TQ_SERVER_TO_CLIENT;
    record->packet_num = pinfo->num;
    record->abs_ts = pinfo->abs_ts;
    record->data = g_byte_array_sized_new(length);
    g_byte_array_append(record->data, tvb_get_ptr(info->message, 0, (gint)length), length);
    follow->bytes_written[record->is_server] += length;
    follow->payload = g_list_prepend(follow->payload, record);
    return TAP_PACKET_DONT_REDRAW;
}

static ws_bool is_session(packet_info *pinfo TQ_FILTER_DATA)
{
    return find_session(pinfo) != NULL;
}

/* Account and game connection of the login that the frame belongs to. */
static char *filter_session(packet_info *pinfo TQ_FILTER_DATA)
{
    const session_t *session = find_session(pinfo);

    if (!session)
        return NULL;
    if (!session->peer)
        return filter_by_stream(session->number, 0);
    return g_strdup_printf("tcp.stream eq %u or tcp.stream eq %u", session->number,
                           session->peer->number);
}

void follow_register(int proto)
{
    tq_register_follow_stream(proto, TQ_TAP, filter_by_frame, filter_by_stream, filter_by_ends,
                              tcp_port_to_display, follow_message, get_tcp_stream_count);
    tq_register_conversation_filter("tq", "TQ session", is_session, filter_session);
}
