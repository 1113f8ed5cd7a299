/* conversation.c
 * From a frame to its session.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conversation.h"

#include <string.h>

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/prefs-int.h>
#include <epan/prefs.h>

#include "preferences.h"
#include "resume.h"

/* A segment this far behind a SYN's sequence number may have come before it in the capture. */
#define SYN_WINDOW (1024 * 1024)

/* What a conversation carries; file scope. */
typedef struct tq_conversation {
    /* An earlier connection on the same ports, if TCP saw no difference; NULL otherwise. */
    struct tq_conversation *older;
    uint32_t since;     /* first frame that is this connection's and not the older one's */
    session_t *session; /* NULL until bytes came */
    uint32_t start[2];  /* sequence number of each flow's first byte, if its SYN was seen */
    bool started[2];
    int client; /* as in session_t */
} tq_conversation_t;

static int proto_tq_id;
static GSList *sessions;
static bool seq_is_relative;

static bool tcp_preference(const char *name)
{
    module_t *tcp = prefs_find_module("tcp");
    pref_t *pref = tcp ? prefs_find_preference(tcp, name) : NULL;

    return pref && prefs_get_bool_value(pref, pref_current);
}

void conversation_begin(int proto)
{
    proto_tq_id = proto;
    /* TCP hands on relative numbers only if it analyses them. */
    seq_is_relative =
        tcp_preference("analyze_sequence_numbers") && tcp_preference("relative_sequence_numbers");
}

void conversation_end(void)
{
    g_slist_free_full(sessions, (GDestroyNotify)session_free);
    sessions = NULL;
}

unsigned conversation_flow(const packet_info *pinfo)
{
    int order = cmp_address(&pinfo->src, &pinfo->dst);

    if (order == 0)
        order = pinfo->srcport < pinfo->destport ? -1 : 1;
    return order < 0 ? 0 : 1;
}

static tq_conversation_t *find(const conversation_t *conversation, uint32_t frame)
{
    tq_conversation_t *data =
        (tq_conversation_t *)conversation_get_proto_data(conversation, proto_tq_id);

    while (data && data->older && frame < data->since)
        data = data->older;
    return data;
}

static tq_conversation_t *make(conversation_t *conversation, tq_conversation_t *older,
                               uint32_t since)
{
    tq_conversation_t *data = wmem_new0(wmem_file_scope(), tq_conversation_t);

    data->older = older;
    data->since = since;
    data->client = -1;
    conversation_delete_proto_data(conversation, proto_tq_id);
    conversation_add_proto_data(conversation, proto_tq_id, data);
    return data;
}

static tq_conversation_t *find_or_make(packet_info *pinfo)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    tq_conversation_t *data = find(conversation, pinfo->num);

    return data ? data : make(conversation, NULL, 0);
}

/* Tells the session what SYNs have shown. */
static void apply_starts(tq_conversation_t *data)
{
    session_t *session = data->session;

    if (session->client < 0)
        session->client = data->client;
    for (unsigned i = 0; i < 2; i++) {
        flow_t *flow = &session->flow[i];
        if (!data->started[i] || flow->started)
            continue;
        flow->start = stream_coordinate(&flow->bytes, data->start[i]);
        flow->started = true;
        resume_started(session, i);
    }
}

session_t *conversation_session(packet_info *pinfo, bool create, bool claimed)
{
    tq_conversation_t *data;

    if (create) {
        data = find_or_make(pinfo);
    } else {
        conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
        data = conversation ? find(conversation, pinfo->num) : NULL;
    }
    if (!data)
        return NULL;
    if (!data->session && create && !PINFO_FD_VISITED(pinfo)) {
        session_config_t config =
            preferences_session(&pinfo->src, pinfo->srcport, &pinfo->dst, pinfo->destport);
        data->session = session_new(&config);
        sessions = g_slist_prepend(sessions, data->session);
        apply_starts(data);
    }
    if (data->session && claimed)
        data->session->config.claimed = true;
    return data->session;
}

/* TCP takes a SYN that follows data of the same connection, in a capture whose frames are out of
 * order, for a new connection. */
static void adopt_older(packet_info *pinfo, tq_conversation_t *data, unsigned flow)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);

    if (!conversation || conversation->setup_frame == 0)
        return;
    conversation_t *older =
        find_conversation(conversation->setup_frame - 1, &pinfo->src, &pinfo->dst, CONVERSATION_TCP,
                          pinfo->srcport, pinfo->destport, 0);
    tq_conversation_t *other =
        older && older != conversation ? find(older, conversation->setup_frame - 1) : NULL;
    if (!other || !other->session)
        return;
    const flow_t *known = &other->session->flow[flow];
    bool same = known->started
                    ? (uint32_t)known->start == data->start[flow]
                    : known->first != 0 && (uint32_t)known->first - data->start[flow] < SYN_WINDOW;
    if (same)
        data->session = other->session;
}

void conversation_syn(packet_info *pinfo, uint32_t seq, bool ack)
{
    tq_conversation_t *data = find_or_make(pinfo);
    unsigned flow = conversation_flow(pinfo);
    uint32_t start = seq + 1; /* the SYN itself takes one number */

    /* The ports are used again. TCP makes a new conversation of it only if it analyses. */
    if (data->started[flow] && data->start[flow] != start)
        data = make(find_conversation_pinfo(pinfo, 0), data, pinfo->num);
    data->start[flow] = start;
    data->started[flow] = true;
    data->client = (int)(ack ? 1 - flow : flow);
    if (!data->session)
        adopt_older(pinfo, data, flow);
    if (data->session)
        apply_starts(data);
}

uint32_t conversation_raw_seq(packet_info *pinfo, uint32_t seq)
{
    if (!seq_is_relative)
        return seq;

    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    struct tcp_analysis *tcpd =
        conversation ? get_tcp_conversation_data(conversation, pinfo) : NULL;
    return tcpd ? seq + tcpd->fwd->base_seq : seq;
}

/* What holds for all connections to an endpoint, or NULL. */
static conversation_t *find_endpoint(const packet_info *pinfo, const address *addr, uint32_t port)
{
    return find_conversation(pinfo->num, addr, NULL, CONVERSATION_TCP, port, 0,
                             NO_ADDR_B | NO_PORT_B);
}

dissector_handle_t conversation_endpoint_dissector(const packet_info *pinfo, const address *addr,
                                                   uint32_t port)
{
    conversation_t *conversation = find_endpoint(pinfo, addr, port);

    return conversation ? conversation_get_dissector(conversation, pinfo->num) : NULL;
}

void conversation_claim_endpoint(packet_info *pinfo, const address *addr, uint16_t port,
                                 dissector_handle_t handle)
{
    conversation_t *conversation = find_endpoint(pinfo, addr, port);

    if (!conversation)
        conversation = conversation_new(pinfo->num, addr, NULL, CONVERSATION_TCP, port, 0,
                                        NO_ADDR2 | NO_PORT2 | CONVERSATION_TEMPLATE);
    conversation_set_dissector(conversation, handle);
}
