/* session.c
 * What is known of one connection, and deciphering by it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "session.h"

#include "opening.h"

#include <string.h>

const base_key_t *session_base_key(uint32_t p, uint32_t g)
{
    static GHashTable *keys;
    uint64_t seeds = (uint64_t)p << 32 | g;

    if (!keys)
        keys = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);

    base_key_t *base = (base_key_t *)g_hash_table_lookup(keys, &seeds);
    if (!base) {
        base = g_new(base_key_t, 1);
        base->p = p;
        base->g = g;
        tq_key_generate(&base->key, p, g);
        tq_tables_prepare(&base->tables[TQ_CLIENT_TO_SERVER], &base->key, TQ_ROLE_SERVER);
        tq_tables_prepare(&base->tables[TQ_SERVER_TO_CLIENT], &base->key, TQ_ROLE_CLIENT);
        g_hash_table_insert(keys, g_memdup2(&seeds, sizeof seeds), base);
    }
    return base;
}

session_t *session_new(const session_config_t *config)
{
    session_t *session = g_new0(session_t, 1);

    session->config = *config;
    session->server = config->server;
    session->base = session_base_key(config->p, config->g);
    session->client = -1;
    session->evidence = PATCH_EVIDENCE_NONE;
    return session;
}

static void clear_epochs(flow_t *flow)
{
    if (!flow->epochs)
        return;
    for (unsigned i = 0; i < flow->epochs->len; i++) {
        epoch_t *epoch = &g_array_index(flow->epochs, epoch_t, i);
        g_free(epoch->own_tables);
        cfb64_unref(epoch->cfb);
    }
    g_array_free(flow->epochs, TRUE);
    flow->epochs = NULL;
}

void session_clear_epochs(session_t *session, unsigned flow)
{
    clear_epochs(&session->flow[flow]);
}

static void free_flow(flow_t *flow)
{
    stream_clear(&flow->bytes);
    clear_epochs(flow);
    for (unsigned i = 0; i < 2; i++)
        tq_recovery_free(flow->attempt[i].recovery);
}

void session_free(session_t *session)
{
    opening_free_exchange(session->exchange);
    cfb64_unref(session->resumed);
    free_flow(&session->flow[0]);
    free_flow(&session->flow[1]);
    g_free(session);
}

tq_direction_t session_direction(const session_t *session, unsigned flow)
{
    return (int)flow == session->client ? TQ_CLIENT_TO_SERVER : TQ_SERVER_TO_CLIENT;
}

/* Index of the epoch that serves a byte, -1 if none. A direction has few. */
static int find_epoch(const flow_t *flow, uint64_t at)
{
    for (int i = flow->epochs ? (int)flow->epochs->len - 1 : -1; i >= 0; i--) {
        if (g_array_index(flow->epochs, epoch_t, i).from <= at)
            return i;
    }
    return -1;
}

const epoch_t *session_epoch(const session_t *session, unsigned flow, uint64_t at)
{
    int i = find_epoch(&session->flow[flow], at);

    if (i < 0)
        return NULL;
    const epoch_t *epoch = &g_array_index(session->flow[flow].epochs, epoch_t, i);
    return epoch->cipher == TQ_CIPHER_UNKNOWN ? NULL : epoch;
}

void session_add_epoch(session_t *session, unsigned flow, const epoch_t *epoch)
{
    flow_t *f = &session->flow[flow];

    if (!f->epochs)
        f->epochs = g_array_sized_new(FALSE, FALSE, sizeof(epoch_t), 2);

    int i = find_epoch(f, epoch->from);
    if (i >= 0 && g_array_index(f->epochs, epoch_t, i).from == epoch->from) {
        epoch_t *old = &g_array_index(f->epochs, epoch_t, i);
        g_return_if_fail(old->cipher == TQ_CIPHER_UNKNOWN);
        *old = *epoch;
    } else {
        g_array_insert_vals(f->epochs, (unsigned)(i + 1), epoch, 1);
    }
}

bool session_lacks_connect(const session_t *session, unsigned flow, uint64_t from)
{
    const flow_t *f = &session->flow[flow];

    return f->connect_size > 0 && session->token_frame == 0 && f->epochs && f->epochs->len == 1 &&
           from >= f->start + f->connect_size;
}

void session_add_base_epoch(session_t *session, unsigned flow, uint64_t from, uint64_t zero,
                            tq_key_t key)
{
    epoch_t epoch = {.from = from, .zero = zero, .cipher = TQ_CIPHER_TQ, .key = key};

    epoch.tables = &session->base->tables[session_direction(session, flow)];
    session_add_epoch(session, flow, &epoch);
}

void session_add_alternate_epoch(session_t *session, unsigned flow, uint64_t from, uint64_t zero,
                                 uint32_t x, tq_key_t key)
{
    epoch_t epoch = {.from = from, .zero = zero, .cipher = TQ_CIPHER_TQ, .key = key};
    tq_key alternate;

    tq_key_alternate_from_x(&alternate, &session->base->key, x);
    epoch.own_tables = g_new(tq_tables, 1);
    tq_tables_prepare(epoch.own_tables, &alternate, TQ_ROLE_SERVER);
    epoch.tables = epoch.own_tables;
    session_add_epoch(session, flow, &epoch);
}

void session_add_cfb_epoch(session_t *session, unsigned flow, uint64_t from, uint64_t zero,
                           cfb64_t *cfb, const uint8_t *iv, tq_key_t key)
{
    bool blowfish = cfb64_algorithm(cfb) == CFB64_BLOWFISH;
    epoch_t epoch = {.from = from, .zero = zero, .key = key, .iv_known = iv != NULL};

    epoch.cipher = blowfish ? TQ_CIPHER_BLOWFISH : TQ_CIPHER_CAST5;
    epoch.cfb = cfb64_ref(cfb);
    if (iv)
        memcpy(epoch.iv, iv, sizeof epoch.iv);
    session_add_epoch(session, flow, &epoch);
    patch_evidence_narrow(&session->evidence,
                          blowfish ? (struct patch_evidence){PATCH_FOOTER, PATCH_BLOWFISH_LAST}
                                   : (struct patch_evidence){PATCH_CAST5_FIRST, PATCH_LAST});
}

size_t session_decrypt(const session_t *session, unsigned flow, uint64_t at, const uint8_t *before,
                       size_t before_length, const uint8_t *in, size_t length, uint8_t *out)
{
    const GArray *epochs = session->flow[flow].epochs;
    size_t done = 0, unknown = 0;

    while (done < length) {
        int i = find_epoch(&session->flow[flow], at + done);
        g_return_val_if_fail(i >= 0, length);
        const epoch_t *epoch = &g_array_index(epochs, epoch_t, i);
        size_t count = length - done;
        if ((unsigned)i + 1 < epochs->len) {
            uint64_t next = g_array_index(epochs, epoch_t, i + 1).from;
            if (next - (at + done) < count)
                count = (size_t)(next - (at + done));
        }

        if (epoch->cipher == TQ_CIPHER_TQ) {
            tq_crypt(epoch->tables, (uint16_t)(at + done - epoch->zero), out + done, in + done,
                     count);
        } else if (epoch->cfb) {
            uint64_t position = at + done - epoch->zero;
            const uint8_t *history = done > 0 ? in : before;
            size_t history_length = done > 0 ? done : before_length;

            /* Only what was sent under this key feeds back; after a re-key that is the IV. */
            if (history_length > position)
                history_length = (size_t)position;
            if (done > 0)
                history += done - history_length;
            else if (before)
                history += before_length - history_length;
            size_t lost = cfb64_decrypt(epoch->cfb, epoch->iv_known ? epoch->iv : NULL, position,
                                        history, history_length, in + done, out + done, count);
            if (done == 0)
                unknown = lost;
        } else {
            memset(out + done, 0, count);
        }
        done += count;
    }
    return unknown;
}
