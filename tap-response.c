/* tap-response.c
 * Statistics -> Service Response Time -> TQ (-z tq,srt): from a request to its answer.
 *
 * Messages have no transaction numbers. An answer is taken to belong to the latest request that
 * it can answer: many actions stay without an echo, and an older one would falsify the times.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <string.h>

#include <epan/srt_table.h>

/* Requests and answers by name: numbers differ between patches. */
typedef struct {
    const char *request; /* of the client; the beginning of the name, as logins have several */
    const char *answer;  /* of the server */
    const char *label;
    tq_server_t server;
    bool is_echo; /* the answer repeats the request's hero and action */
} exchange_kind_t;

static const exchange_kind_t kinds[] = {
    {"MsgAccount", "MsgConnectEx", "MsgAccount -> MsgConnectEx", TQ_SERVER_ACCOUNT, false},
    {"MsgConnect", "MsgTalk", "MsgConnect -> MsgTalk", TQ_SERVER_GAME, false},
    {"MsgAction", "MsgAction", "MsgAction -> its echo", TQ_SERVER_GAME, true},
};

/* What a request and its answer have in common. Compared byte by byte: no holes. */
typedef struct {
    const srt_stat_table *table; /* each listener pairs for itself */
    const session_t *session;
    uint64_t kind, hero, action;
} pending_key_t;

/* A request. A listener may see the capture again from the start, so it knows when it was. */
typedef struct {
    uint32_t frame;
    bool answered;
    nstime_t time;
} pending_t;

static wmem_map_t *requests; /* pending_key_t to pending_t; emptied with the capture file */

static guint hash_key(gconstpointer key)
{
    return wmem_strong_hash((const guint8 *)key, sizeof(pending_key_t));
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(pending_key_t)) == 0;
}

static bool fits(const tq_tap_info_t *info, const exchange_kind_t *kind)
{
    if (info->session->server != kind->server && info->session->server != TQ_SERVER_UNKNOWN)
        return false;
    if (info->direction == TQ_SERVER_TO_CLIENT)
        return strcmp(info->name, kind->answer) == 0;
    /* MsgConnect is the beginning of no other request. */
    return g_str_has_prefix(info->name, kind->request);
}

static void add_message(srt_stat_table *table, unsigned kind, packet_info *pinfo,
                        const tq_tap_info_t *info)
{
    pending_key_t key = {.table = table, .session = info->session, .kind = kind};

    if (kinds[kind].is_echo && (!taps_read_number(info, "action", &key.action) ||
                                !taps_read_number(info, "hero_id", &key.hero)))
        return;

    pending_t *pending = (pending_t *)wmem_map_lookup(requests, &key);
    if (info->direction == TQ_CLIENT_TO_SERVER) {
        if (!pending) {
            pending = wmem_new(wmem_file_scope(), pending_t);
            wmem_map_insert(requests, wmem_memdup(wmem_file_scope(), &key, sizeof key), pending);
        }
        *pending = (pending_t){.frame = pinfo->num, .time = pinfo->abs_ts};
    } else if (pending && !pending->answered && pending->frame <= pinfo->num) {
        pending->answered = true;
        add_srt_table_data(table, (int)kind, &pending->time, pinfo);
    }
}

static tap_packet_status pair_message(void *data, packet_info *pinfo, epan_dissect_t *edt _U_,
                                      const void *tapped, tap_flags_t flags _U_)
{
    srt_stat_table *table = g_array_index(((srt_data_t *)data)->srt_array, srt_stat_table *, 0);
    const tq_tap_info_t *info = (const tq_tap_info_t *)tapped;

    if (!info->message || !info->name || !info->session)
        return TAP_PACKET_DONT_REDRAW;
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (fits(info, &kinds[i]))
            add_message(table, i, pinfo, info);
    }
    return TAP_PACKET_REDRAW;
}

static void init_table(struct register_srt *srt _U_, GArray *tables)
{
    srt_stat_table *table =
        init_srt_table("TQ", NULL, tables, G_N_ELEMENTS(kinds), "Exchange", NULL, NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
        init_srt_table_row(table, (int)i, kinds[i].label);
}

void response_register(int proto)
{
    requests = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_key, equal_keys);
    register_srt_table(proto, TQ_TAP, 1, pair_message, init_table, NULL);
}
