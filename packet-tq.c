/* packet-tq.c
 * The transport of TQ Digital's games: deciphers the messages of a TCP connection.
 *
 * State, and why every pass gives the same result:
 * - A session (session.h) for each connection: its keys by stream position. It grows only while
 *   frames are seen for the first time, in the order of the capture.
 * - A record (record.h) for each frame: the positions and lengths of its messages. It is made on
 *   the first pass, and later passes read nothing else.
 * Plaintext is not kept: deciphering is a pure function of session and position.
 *
 * TCP hands each segment to its sub-dissector in the order of the capture, but not retransmissions,
 * nor segments that came late or that follow a loss, depending on its preferences. So the protocol
 * is a post-dissector too: it takes what TCP withheld from known connections out of the frame. That
 * is also why no reassembly is asked of TCP: with it, a lost segment would hold back all later
 * ones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "packet-tq.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

#include "conversation.h"
#include "framing.h"
#include "logins.h"
#include "packet-tq-handshake.h"
#include "packet-tq-show.h"
#include "preferences.h"
#include "record.h"
#include "resume-cfb.h"
#include "resume.h"
#include "taps.h"

#define TQ_PORTS "5816,9958-9960"

/* Key of the packet's data that says that TCP has handed its payload on; no layer's number. */
#define DELIVERED UINT32_MAX

static int proto_tq = -1;
static dissector_handle_t tq_handle;
static dissector_table_t port_table; /* TCP's */

/* Fields of TCP that the post-dissector reads. */
static int hf_tcp_seq_raw, hf_tcp_flags, hf_tcp_payload;

/* Hands connections to an announced game server to this dissector. */
static void claim_announced(packet_info *pinfo, const session_t *session)
{
    if (!session->announced || session->token_frame != pinfo->num)
        return;

    /* The address as announced, and the account server's own: behind a NAT or a proxy the game
     * server is often there. */
    uint32_t ip = g_htonl(session->game_address);
    address announced;
    set_address(&announced, AT_IPv4, sizeof ip, &ip);
    conversation_claim_endpoint(pinfo, &announced, session->game_port, tq_handle);
    conversation_claim_endpoint(pinfo, &pinfo->src, session->game_port, tq_handle);
}

/* Takes a segment's payload; first pass only. */
static void take_segment(tvbuff_t *payload, packet_info *pinfo, session_t *session, uint32_t seq,
                         bool in_payload)
{
    unsigned flow = conversation_flow(pinfo);
    uint32_t length = tvb_captured_length(payload);
    uint64_t at = stream_coordinate(&session->flow[flow].bytes, seq);
    record_segment_t *here = record_segment(pinfo->num, session, flow, at);

    taps_stream(pinfo, &session->number);
    framing_add(session, here, at, tvb_get_ptr(payload, 0, (gint)length), length, pinfo->num,
                in_payload);
    claim_announced(pinfo, session);
}
/* The raw sequence number of the first byte that TCP hands on. */
static uint32_t first_seq(tvbuff_t *tvb, packet_info *pinfo, const struct tcpinfo *tcpinfo)
{
    uint32_t seq = conversation_raw_seq(pinfo, tcpinfo->seq);

    if (tcpinfo->flags & TH_SYN) {
        /* It takes the number before its data. Which of them is told depends on preferences, but
         * nxtseq always leaves out the SYN. */
        seq += tcpinfo->nxtseq - tvb_reported_length(tvb) - tcpinfo->seq;
        if (!PINFO_FD_VISITED(pinfo))
            conversation_syn(pinfo, seq, tcpinfo->flags & TH_ACK);
        seq++;
    }
    return seq;
}

static field_info *find_field(proto_tree *tree, int hf)
{
    const GPtrArray *found = tree ? proto_get_finfo_ptr_array(tree, hf) : NULL;

    /* Of TCP in TCP, the innermost. */
    return found && found->len > 0 ? (field_info *)found->pdata[found->len - 1] : NULL;
}

/* Whether TCP hands on a frame's payload from its first byte on. If it leaves out what it takes for
 * repeated, a later pass may fail there. First pass only. */
static bool is_whole(proto_tree *tree, uint32_t seq)
{
    field_info *header_seq = find_field(tree, hf_tcp_seq_raw);
    field_info *flags = find_field(tree, hf_tcp_flags);

    return header_seq && flags &&
           fvalue_get_uinteger(tq_finfo_value(header_seq)) +
                   (fvalue_get_uinteger(tq_finfo_value(flags)) & TH_SYN ? 1 : 0) ==
               seq;
}

/* Called by TCP, which asks more than once, by one port and the other, if the answer is no. */
static int dissect_delivered(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                             bool claimed)
{
    const struct tcpinfo *tcpinfo = (const struct tcpinfo *)data;

    if (!tcpinfo || p_get_proto_data(pinfo->pool, pinfo, proto_tq, pinfo->curr_layer_num))
        return 0;
    uint32_t seq = first_seq(tvb, pinfo, tcpinfo);
    session_t *session = conversation_session(pinfo, true, claimed);
    if (!session)
        return 0;

    /* A frame that fills a gap comes in parts if TCP holds back what follows gaps. */
    bool again = p_get_proto_data(pinfo->pool, pinfo, proto_tq, DELIVERED) == session;
    p_add_proto_data(pinfo->pool, pinfo, proto_tq, pinfo->curr_layer_num, session);
    p_add_proto_data(pinfo->pool, pinfo, proto_tq, DELIVERED, session);
    if (!PINFO_FD_VISITED(pinfo))
        take_segment(tvb, pinfo, session, seq, !again && is_whole(tree, seq));
    if (again) {
        if (!PINFO_FD_VISITED(pinfo))
            tq_show_rest(pinfo, tree, session, seq);
        return (int)tvb_captured_length(tvb);
    }
    if (!claimed && session->status != SESSION_OPEN)
        return 0;
    if (session->status == SESSION_FOREIGN || session->status == SESSION_UNRECOVERED) {
        tq_show_frame(pinfo, tree, session, tvb);
        return 0;
    }
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "TQ");
    col_clear(pinfo->cinfo, COL_INFO);
    if (!tq_show_frame(pinfo, tree, session, tvb))
        tq_show_none(tvb, pinfo, tree, session);
    return (int)tvb_captured_length(tvb);
}

static int dissect_tq(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_delivered(tvb, pinfo, tree, data, true);
}

/* Claims a connection, on any port, that the table of servers names, or whose first bytes are a
 * login under the base key, or a handshake under an initial key. */
static ws_bool dissect_tq_heur(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    session_t *session = data ? conversation_session(pinfo, true, false) : NULL;

    if (!session || session->status == SESSION_FOREIGN)
        return false;
    int length = dissect_delivered(tvb, pinfo, tree, data, session->config.claimed);
    if (!session->config.claimed && session->status != SESSION_OPEN)
        return false;
    session->config.claimed = true;
    conversation_set_dissector(find_or_create_conversation(pinfo), tq_handle);
    return length > 0;
}

/* Whether TCP would hand the connection to this dissector. */
static bool is_claimed(packet_info *pinfo)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    dissector_handle_t chosen =
        conversation ? conversation_get_dissector(conversation, pinfo->num) : NULL;

    if (chosen)
        return chosen == tq_handle;
    return dissector_get_uint_handle(port_table, pinfo->srcport) == tq_handle ||
           dissector_get_uint_handle(port_table, pinfo->destport) == tq_handle;
}

/* Takes note of a SYN. What has come before it may now be readable. */
static void dissect_syn(packet_info *pinfo, uint32_t seq, bool ack)
{
    conversation_syn(pinfo, seq, ack);

    session_t *session = conversation_session(pinfo, false, false);
    if (!session)
        return;
    unsigned flow = conversation_flow(pinfo);
    uint64_t at = stream_coordinate(&session->flow[flow].bytes, seq + 1);
    framing_retry(session, record_segment(pinfo->num, session, flow, at), pinfo->num);
}

/* Takes what TCP did not hand on. */
static int dissect_withheld(tvbuff_t *tvb _U_, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    if (pinfo->ptype != PT_TCP || p_get_proto_data(pinfo->pool, pinfo, proto_tq, DELIVERED))
        return 0;

    if (PINFO_FD_VISITED(pinfo)) {
        if (record_find(pinfo->num))
            tq_show_frame(pinfo, tree, conversation_session(pinfo, false, false), NULL);
        return 0;
    }

    field_info *seq = find_field(tree, hf_tcp_seq_raw);
    field_info *flags = find_field(tree, hf_tcp_flags);
    if (!seq || !flags)
        return 0;
    uint32_t raw_seq = fvalue_get_uinteger(tq_finfo_value(seq));
    uint32_t bits = fvalue_get_uinteger(tq_finfo_value(flags));
    if (bits & TH_SYN)
        dissect_syn(pinfo, raw_seq++, bits & TH_ACK);

    field_info *payload = find_field(tree, hf_tcp_payload);
    if (!payload || payload->length <= 0 || !payload->ds_tvb)
        return 0;
    bool claimed = is_claimed(pinfo);
    session_t *session = conversation_session(pinfo, claimed, claimed);
    if (!session)
        return 0;
    tvbuff_t *withheld = tvb_new_subset_length(payload->ds_tvb, payload->start, payload->length);
    take_segment(withheld, pinfo, session, raw_seq, false);
    tq_show_frame(pinfo, tree, session, NULL);
    return 0;
}

static void init_tq(void)
{
    record_init();
    logins_reset();
    resume_begin();
    resume_cfb_begin();
    preferences_init();
    conversation_begin(proto_tq);
}

static void cleanup_tq(void)
{
    conversation_end();
    preferences_cleanup();
    record_cleanup();
}

void proto_register_tq(void)
{
    dictionary_load();

    proto_tq = proto_register_protocol("TQ Digital game transport", "TQ", "tq");
    register_tq_show(proto_tq);
    register_tq_handshake(proto_tq);
    preferences_register(proto_tq);

    tq_handle = register_dissector("tq", dissect_tq, proto_tq);
    taps_register(proto_tq);
    register_init_routine(init_tq);
    register_cleanup_routine(cleanup_tq);
}

void proto_reg_handoff_tq(void)
{
    handoff_tq_show();
    taps_handoff();
    port_table = find_dissector_table("tcp.port");
    dissector_add_uint_range_with_preference("tcp.port", TQ_PORTS, tq_handle);
    heur_dissector_add("tcp", dissect_tq_heur, "TQ over TCP", "tq_tcp", proto_tq, HEURISTIC_ENABLE);

    dissector_handle_t withheld = create_dissector_handle(dissect_withheld, proto_tq);
    register_postdissector(withheld);
    GArray *wanted = g_array_new(FALSE, FALSE, sizeof(int));
    hf_tcp_seq_raw = proto_registrar_get_id_byname("tcp.seq_raw");
    hf_tcp_flags = proto_registrar_get_id_byname("tcp.flags");
    hf_tcp_payload = proto_registrar_get_id_byname("tcp.payload");
    g_array_append_val(wanted, hf_tcp_seq_raw);
    g_array_append_val(wanted, hf_tcp_flags);
    g_array_append_val(wanted, hf_tcp_payload);
    set_postdissector_wanted_hfids(withheld, wanted);
}
