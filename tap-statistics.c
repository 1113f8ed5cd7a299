/* tap-statistics.c
 * Statistics -> TQ (-z tq,tree): messages and bytes; Statistics -> TQ Sessions (-z tq,sessions).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <string.h>

#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/to_str.h>

/* ---- Messages and bytes ---- */

/* Everything is counted twice: messages, and their bytes with header and without footer. */
enum { COUNT_MESSAGES, COUNT_BYTES, COUNTS };

static const char *const count_names[COUNTS] = {"Messages", "Bytes"};
static const char by_server[] = "By server", by_direction[] = "By direction", by_type[] = "By type";

static void init_tree(stats_tree *tree)
{
    for (unsigned i = 0; i < COUNTS; i++)
        stats_tree_create_node(tree, count_names[i], 0, STAT_DT_INT, TRUE);
}

/* Adds to a node and, below it, to the value that the message has, and what divides that. */
static void count_by(stats_tree *tree, int parent, const char *node, const char *value,
                     const char *part, int amount)
{
    int id = increase_stat_node(tree, node, parent, TRUE, amount);

    id = increase_stat_node(tree, value, id, part != NULL, amount);
    if (part)
        increase_stat_node(tree, part, id, FALSE, amount);
}

static tap_packet_status count_message(stats_tree *tree, packet_info *pinfo,
                                       epan_dissect_t *edt _U_, const void *tapped,
                                       tap_flags_t flags _U_)
{
    const tq_tap_info_t *info = (const tq_tap_info_t *)tapped;

    if (!info->message)
        return TAP_PACKET_DONT_REDRAW;

    const char *server = val_to_str_const(info->context->server, tq_server_values, "");
    const char *direction = val_to_str_const(info->direction, tq_direction_values, "");
    const char *type = wmem_strdup_printf(pinfo->pool, "%s (%u)",
                                          info->name ? info->name : "Unknown type", info->type);
    for (unsigned i = 0; i < COUNTS; i++) {
        int amount = i == COUNT_BYTES ? info->length : 1;
        int id = increase_stat_node(tree, count_names[i], 0, TRUE, amount);
        count_by(tree, id, by_server, server, direction, amount);
        count_by(tree, id, by_direction, direction, NULL, amount);
        count_by(tree, id, by_type, type, direction, amount);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- Sessions ---- */

enum {
    COLUMN_STREAM,
    COLUMN_SERVER_KIND,
    COLUMN_ACCOUNT,
    COLUMN_CLIENT,
    COLUMN_SERVER,
    COLUMN_FIRST,
    COLUMN_LAST,
    COLUMN_MESSAGES,
    COLUMN_BYTES,
    COLUMN_PATCH,
    COLUMN_CIPHER,
    COLUMN_KEY,
    COLUMNS
};

static stat_tap_table_item columns[COLUMNS] = {
    [COLUMN_STREAM] = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Stream", "%6u"},
    [COLUMN_SERVER_KIND] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Kind", "%-14s"},
    [COLUMN_ACCOUNT] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Account", "%-16s"},
    [COLUMN_CLIENT] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Client", "%-21s"},
    [COLUMN_SERVER] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server", "%-21s"},
    [COLUMN_FIRST] = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%8u"},
    [COLUMN_LAST] = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Last frame", "%8u"},
    [COLUMN_MESSAGES] = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Messages", "%8u"},
    [COLUMN_BYTES] = {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bytes", "%10u"},
    [COLUMN_PATCH] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Patch", "%-12s"},
    [COLUMN_CIPHER] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Cipher", "%-14s"},
    [COLUMN_KEY] = {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Key (client / server)", "%s"},
};

/* Rows are found by table and session. A table may have been emptied since. */
typedef struct {
    const stat_tap_table *table;
    const session_t *session;
} row_key_t;

static wmem_map_t *rows; /* row_key_t to number of row; emptied with the capture file */

static guint hash_row(gconstpointer key)
{
    return wmem_strong_hash((const guint8 *)key, sizeof(row_key_t));
}

static gboolean equal_rows(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(row_key_t)) == 0;
}

/* The session's row, or NULL. */
static stat_tap_table_item_type *find_row(const stat_tap_table *table, const session_t *session)
{
    row_key_t key = {table, session};
    unsigned row = GPOINTER_TO_UINT(wmem_map_lookup(rows, &key));

    if (row >= table->num_elements ||
        table->elements[row][COLUMN_STREAM].user_data.ptr_value != session)
        return NULL;
    return table->elements[row];
}

static stat_tap_table_item_type *add_row(stat_tap_table *table, const session_t *session)
{
    row_key_t key = {table, session};
    unsigned row = table->num_elements;
    stat_tap_table_item_type items[COLUMNS] = {0};

    for (unsigned i = 0; i < COLUMNS; i++)
        items[i].type = columns[i].type;
    items[COLUMN_STREAM].user_data.ptr_value = (void *)session;
    stat_tap_init_table_row(table, row, COLUMNS, items);
    wmem_map_insert(rows, wmem_memdup(wmem_file_scope(), &key, sizeof key), GUINT_TO_POINTER(row));
    return table->elements[row];
}

/* Takes the text over. */
static void set_text(stat_tap_table_item_type *item, char *text)
{
    g_free((char *)item->value.string_value);
    item->value.string_value = text;
}

static char *describe_end(tq_end_t end)
{
    char *addr = address_to_str(NULL, end.addr);
    char *text = g_strdup_printf(end.addr->type == AT_IPv6 ? "[%s]:%u" : "%s:%u", addr, end.port);

    wmem_free(NULL, addr);
    return text;
}

static char *describe_patch(const session_t *session)
{
    const struct patch_evidence *evidence = &session->evidence;

    if (session->config.patch != 0)
        return g_strdup_printf("%u", session->config.patch);
    if (evidence->low <= PATCH_FIRST && evidence->high == PATCH_LAST)
        return g_strdup("unknown");
    if (evidence->high == PATCH_LAST)
        return g_strdup_printf("from %u", evidence->low);
    if (evidence->low <= PATCH_FIRST)
        return g_strdup_printf("up to %u", evidence->high);
    if (evidence->low == evidence->high)
        return g_strdup_printf("%u", evidence->low);
    return g_strdup_printf("%u to %u", evidence->low, evidence->high);
}

/* The latest epoch of what one end sends, NULL if there is none. */
static const epoch_t *last_epoch(const session_t *session, unsigned flow)
{
    const GArray *epochs = session->flow[flow].epochs;

    return epochs && epochs->len > 0 ? &g_array_index(epochs, epoch_t, epochs->len - 1) : NULL;
}

/* The cipher of the connection: while the session key is missing, of the handshake. */
static tq_cipher_t find_cipher(const session_t *session)
{
    for (unsigned flow = 0; flow < 2; flow++) {
        const GArray *epochs = session->flow[flow].epochs;
        for (unsigned i = 0; epochs && i < epochs->len; i++) {
            const epoch_t *epoch = &g_array_index(epochs, epoch_t, i);
            if (epoch->cipher != TQ_CIPHER_UNKNOWN)
                return epoch->cipher;
        }
    }
    return TQ_CIPHER_UNKNOWN;
}

/* The keys that both ends use by now. */
static char *describe_keys(const session_t *session)
{
    unsigned client = session->client == 1 ? 1 : 0;
    const char *names[2];

    for (unsigned i = 0; i < 2; i++) {
        const epoch_t *epoch = last_epoch(session, i == 0 ? client : 1 - client);
        names[i] = val_to_str_const(epoch ? epoch->key : TQ_KEY_NONE, tq_key_values, "");
    }
    return g_strdup_printf("%s / %s", names[0], names[1]);
}

/* Which end is the client may be known only later. */
static void set_ends(stat_tap_table_item_type *row, const packet_info *pinfo,
                     const session_t *session)
{
    unsigned known = (unsigned)(session->client + 2);
    tq_end_t client, server;

    if (row[COLUMN_CLIENT].user_data.uint_value == known)
        return;
    row[COLUMN_CLIENT].user_data.uint_value = known;
    taps_ends(pinfo, session, &client, &server);
    set_text(&row[COLUMN_CLIENT], describe_end(client));
    set_text(&row[COLUMN_SERVER], describe_end(server));
}

static void add_segment(stat_tap_table_item_type *row, const packet_info *pinfo,
                        const session_t *session)
{
    row[COLUMN_LAST].value.uint_value = pinfo->num;
    set_ends(row, pinfo, session);
    set_text(&row[COLUMN_SERVER_KIND],
             g_strdup(val_to_str_const(session->server, tq_server_values, "")));
    set_text(&row[COLUMN_PATCH], describe_patch(session));
    set_text(&row[COLUMN_CIPHER],
             g_strdup(val_to_str_const(find_cipher(session), tq_cipher_values, "")));
    set_text(&row[COLUMN_KEY], describe_keys(session));

    /* The account is named to its server only; the token leads there. */
    const char *account = taps_account(session);
    if (!account && session->server == TQ_SERVER_GAME && session->peer)
        account = taps_account(session->peer);
    if (account)
        set_text(&row[COLUMN_ACCOUNT], g_strdup(account));
}

static tap_packet_status add_to_session(void *data, packet_info *pinfo, epan_dissect_t *edt _U_,
                                        const void *tapped, tap_flags_t flags _U_)
{
    const stat_tap_table_ui *ui = ((stat_data_t *)data)->stat_tap_data;
    stat_tap_table *table = g_array_index(ui->tables, stat_tap_table *, 0);
    const tq_tap_info_t *info = (const tq_tap_info_t *)tapped;

    if (!info->session)
        return TAP_PACKET_DONT_REDRAW;
    stat_tap_table_item_type *row = find_row(table, info->session);
    if (!row) {
        row = add_row(table, info->session);
        row[COLUMN_STREAM].value.uint_value = info->stream;
        row[COLUMN_FIRST].value.uint_value = pinfo->num;
        const char *account = taps_announced_account(pinfo, info->session);
        set_text(&row[COLUMN_ACCOUNT], g_strdup(account ? account : ""));
    }
    if (info->message) {
        row[COLUMN_MESSAGES].value.uint_value++;
        row[COLUMN_BYTES].value.uint_value += info->length;
    } else {
        add_segment(row, pinfo, info->session);
    }
    return TAP_PACKET_REDRAW;
}

static void free_item(stat_tap_table *table _U_, guint row _U_, guint column,
                      stat_tap_table_item_type *item)
{
    if (columns[column].type == TABLE_ITEM_STRING)
        set_text(item, NULL);
}

/* Empties a table: other sessions may come next. */
static void reset_sessions(stat_tap_table *table)
{
    for (unsigned row = 0; row < table->num_elements; row++) {
        for (unsigned column = 0; column < COLUMNS; column++)
            free_item(table, row, column, &table->elements[row][column]);
        g_free(table->elements[row]);
    }
    table->num_elements = 0;
}

static void init_sessions(stat_tap_table_ui *ui)
{
    static const char title[] = "TQ Sessions";
    stat_tap_table *table = stat_tap_find_table(ui, title);

    if (table)
        reset_sessions(table);
    else
        stat_tap_add_table(ui, stat_tap_init_table(title, COLUMNS, 0, NULL));
}

void statistics_register(void)
{
    static tap_param parameters[] = {{PARAM_FILTER, "filter", "Filter", NULL, TRUE}};
    static stat_tap_table_ui sessions = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .title = "TQ Sessions",
        .tap_name = TQ_TAP,
        .cli_string = "tq,sessions",
        .stat_tap_init_cb = init_sessions,
        .packet_func = add_to_session,
        .stat_tap_reset_table_cb = reset_sessions,
        .stat_tap_free_table_item_cb = free_item,
        .nfields = COLUMNS,
        .fields = columns,
        .nparams = G_N_ELEMENTS(parameters),
        .params = parameters,
    };

    rows = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_row, equal_rows);
    register_stat_tap_table_ui(&sessions);
    stats_tree_register_plugin(TQ_TAP, "tq", "TQ", 0, count_message, init_tree, NULL);
}
