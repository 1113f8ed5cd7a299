/* opening.c
 * How a connection begins, and what its messages change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "opening.h"

#include <string.h>

#include "logins.h"
#include "resume.h"
#include "message-types.h"

/* After so many bytes of one side alone that mean nothing, the other side is not waited for. */
#define FOREIGN_AFTER 1024

/* A reply that is not found in so many bytes is not what follows. */
#define REPLY_AFTER (HANDSHAKE_DUMMY_MAX + 128)

/* What one direction's first bytes say. */
typedef enum {
    FIRST_NOTHING, /* too few of them, or not captured */
    FIRST_FOREIGN, /* nothing that is known */
    FIRST_ACCOUNT,
    FIRST_GAME,
    FIRST_MESSAGE, /* a message, but not one that tells the servers apart */
    FIRST_HELLO,   /* of a Diffie-Hellman exchange */
} first_t;

static const uint8_t zero_iv[CFB64_BLOCK];

void opening_free_exchange(exchange_t *exchange)
{
    if (!exchange)
        return;
    g_free(exchange->hello);
    g_free(exchange->reply);
    if (exchange->wrong)
        g_hash_table_destroy(exchange->wrong);
    g_free(exchange);
}

/* The run at the start of a direction, if its first byte is there and not framed yet. */
static const stream_run_t *first_run(const flow_t *flow)
{
    if (stream_runs(&flow->bytes) == 0)
        return NULL;
    const stream_run_t *run = stream_run_at(&flow->bytes, 0);
    return run->at == (flow->started ? flow->start : flow->first) ? run : NULL;
}

/* Which server a client's first message is meant for; the login messages are never sent later. */
static tq_server_t server_of_login(uint16_t type)
{
    switch (type) {
    case TYPE_ACCOUNT:
    case TYPE_ACCOUNT_SEEDED:
    case TYPE_ACCOUNT_SEEDED_5187:
    case TYPE_ACCOUNT_SRP6:
    case TYPE_ACCOUNT_COMBINED:
    case TYPE_ACCOUNT_COMBINED_LATER:
        return TQ_SERVER_ACCOUNT;
    case TYPE_CONNECT:
        return TQ_SERVER_GAME;
    default:
        return TQ_SERVER_UNKNOWN;
    }
}

/* Reads a direction's first bytes as the TQ cipher with the base key. */
static first_t read_first_header(const session_t *session, const stream_run_t *run,
                                 tq_direction_t direction)
{
    uint8_t header[4];

    if (!run || run->length < sizeof header)
        return FIRST_NOTHING;
    tq_crypt(&session->base->tables[direction], 0, header, run->data, sizeof header);

    uint16_t size = message_size(header), type = message_type(header);
    enum dictionary_fit fit = dictionary_header_fit(type, size, direction);
    if (fit == DICTIONARY_UNKNOWN_TYPE)
        return FIRST_FOREIGN;

    if (direction == TQ_CLIENT_TO_SERVER) {
        tq_server_t server = server_of_login(type);
        if (server != TQ_SERVER_UNKNOWN && fit == DICTIONARY_PLAUSIBLE)
            return server == TQ_SERVER_ACCOUNT ? FIRST_ACCOUNT : FIRST_GAME;
    } else if ((type == TYPE_ENCRYPT_CODE || type == TYPE_CONNECT_EX) &&
               fit == DICTIONARY_PLAUSIBLE) {
        return FIRST_ACCOUNT;
    }
    /* Anyone's bytes may look like this; enough for a connection that the user calls TQ's. */
    return fit == DICTIONARY_PLAUSIBLE && session->config.claimed ? FIRST_MESSAGE : FIRST_FOREIGN;
}

/* Reads a server's first bytes as a hello under the initial keys. */
static first_t read_hello(session_t *session, const stream_run_t *run, bool *whole)
{
    handshake_t hello;
    const handshake_key_t *key;

    *whole = false;
    if (!run || !session->config.initial_keys)
        return FIRST_NOTHING;
    key = handshake_keys_find(session->config.initial_keys, run->data, run->length, &hello);
    if (!key && hello.checks > 0)
        session->hello_fault = hello.reason;
    if (!key)
        return hello.status == HANDSHAKE_INCOMPLETE ? FIRST_NOTHING : FIRST_FOREIGN;
    if (hello.status == HANDSHAKE_INVALID)
        return FIRST_FOREIGN;
    if (hello.status == HANDSHAKE_INCOMPLETE)
        return FIRST_HELLO;

    exchange_t *exchange = g_new0(exchange_t, 1);
    exchange->initial = key;
    exchange->hello_fields = hello;
    exchange->hello = g_malloc(hello.total);
    cfb64_decrypt(key->cipher, zero_iv, 0, NULL, 0, run->data, exchange->hello, hello.total);
    session->exchange = exchange;
    *whole = true;
    return FIRST_HELLO;
}

/* Both directions of a TQ-cipher connection begin with the base key at counter 0. On a game
 * connection the client's key changes after MsgConnect; see opening_observe(). */
static void open_tq(session_t *session, tq_server_t server)
{
    if (server != TQ_SERVER_UNKNOWN)
        session->server = server;
    session->status = SESSION_OPEN;
    for (unsigned i = 0; i < 2; i++) {
        const flow_t *flow = &session->flow[i];
        /* A game client's bytes have the base key only if MsgConnect is seen to end it. */
        bool certain = session_direction(session, i) == TQ_SERVER_TO_CLIENT ||
                       session->server == TQ_SERVER_ACCOUNT || first_run(flow);
        if (flow->started && certain)
            session_add_base_epoch(session, i, flow->start, flow->start, TQ_KEY_BASE);
    }
}

/* From here on the key is not known (yet). */
static void add_unknown_epoch(session_t *session, unsigned flow, uint64_t from)
{
    epoch_t epoch = {.from = from, .zero = from};

    session_add_epoch(session, flow, &epoch);
}

static void open_exchange(session_t *session, unsigned server_flow)
{
    flow_t *flow = &session->flow[server_flow];
    const exchange_t *exchange = session->exchange;
    uint32_t total = exchange->hello_fields.total;

    session->status = SESSION_OPEN;
    session->server = TQ_SERVER_GAME;
    session->footers = true;
    flow->handshake_at = flow->start;
    flow->handshake_size = total;
    session_add_cfb_epoch(session, server_flow, flow->start, flow->start, exchange->initial->cipher,
                          zero_iv, TQ_KEY_INITIAL);
    add_unknown_epoch(session, server_flow, flow->start + total);
}

/* Notes that a direction begins with MsgConnect. */
static void note_connect(session_t *session, unsigned index)
{
    flow_t *flow = &session->flow[index];
    uint8_t header[MESSAGE_HEADER];

    tq_crypt(&session->base->tables[TQ_CLIENT_TO_SERVER], 0, header, first_run(flow)->data,
             sizeof header);
    flow->connect_size = message_size(header);
}

/* Takes a direction's first byte seen as its first byte of all. */
static void start_flow(session_t *session, unsigned index)
{
    flow_t *flow = &session->flow[index];

    if (flow->started || stream_runs(&flow->bytes) == 0)
        return;
    flow->started = true;
    flow->start = flow->first;
}

static bool open_by(session_t *session, unsigned flow, tq_direction_t direction, first_t first,
                    bool whole)
{
    switch (first) {
    case FIRST_ACCOUNT:
    case FIRST_GAME:
    case FIRST_MESSAGE:
        session->client = (int)(direction == TQ_CLIENT_TO_SERVER ? flow : 1 - flow);
        start_flow(session, flow);
        if (first == FIRST_GAME)
            note_connect(session, flow);
        open_tq(session, first == FIRST_ACCOUNT ? TQ_SERVER_ACCOUNT
                         : first == FIRST_GAME  ? TQ_SERVER_GAME
                                                : TQ_SERVER_UNKNOWN);
        return true;
    case FIRST_HELLO:
        if (!whole)
            return false;
        session->client = (int)(1 - flow);
        start_flow(session, flow);
        open_exchange(session, flow);
        return true;
    default:
        return false;
    }
}

/* Judges a connection of which no direction begins like TQ's. Either side may still tell: a server
 * that speaks first may have its hello later in the capture. */
static void judge_foreign(session_t *session, const first_t verdict[2], record_segment_t *here)
{
    bool foreign[2], silent[2];

    for (unsigned i = 0; i < 2; i++) {
        foreign[i] = session->flow[i].started && verdict[i] == FIRST_FOREIGN;
        silent[i] = session->flow[i].bytes.held == 0;
    }
    if (!foreign[0] && !foreign[1])
        return;
    if (session->config.claimed && !session->told) {
        session->told = true;
        record_add_notice(here, NOTICE_FOREIGN, 0, 0, NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        bool alone = silent[1 - i] && session->flow[i].bytes.held > FOREIGN_AFTER;
        if (foreign[i] && (foreign[1 - i] || alone)) {
            session->status = SESSION_FOREIGN;
            stream_clear(&session->flow[0].bytes);
            stream_clear(&session->flow[1].bytes);
            return;
        }
    }
}

/* Tries to make sense of the first bytes of both directions. */
static bool open_session(session_t *session, record_segment_t *here)
{
    first_t verdict[2] = {FIRST_NOTHING, FIRST_NOTHING};

    for (unsigned i = 0; i < 2; i++) {
        const stream_run_t *run = first_run(&session->flow[i]);
        bool whole = false;

        if (!run)
            continue;
        for (unsigned direction = 0; direction < 2; direction++) {
            if (session->client >= 0 && session_direction(session, i) != direction)
                continue;
            /* Without the start in the capture only login messages are beyond doubt. */
            first_t first = read_first_header(session, run, (tq_direction_t)direction);
            if (first == FIRST_MESSAGE && !session->flow[i].started)
                first = FIRST_FOREIGN;
            if (direction == TQ_SERVER_TO_CLIENT &&
                (first == FIRST_FOREIGN || first == FIRST_NOTHING)) {
                first_t hello = read_hello(session, run, &whole);
                if (hello != FIRST_FOREIGN)
                    first = hello;
            }
            if (open_by(session, i, (tq_direction_t)direction, first, whole))
                return true;
            if (first > verdict[i] || verdict[i] == FIRST_NOTHING)
                verdict[i] = first;
        }
    }

    judge_foreign(session, verdict, here);
    return false;
}

static sessionkey_hex_t hex_field(const uint8_t *plaintext, const handshake_field_t *field)
{
    sessionkey_hex_t hex = {(const char *)plaintext + field->offset, field->length};
    return hex;
}

static const uint8_t *iv_field(const exchange_t *exchange, handshake_field_id_t id)
{
    const handshake_field_t *field = &exchange->hello_fields.field[id];
    return field->length == CFB64_BLOCK ? exchange->hello + field->offset : zero_iv;
}

bool opening_iv(const session_t *session, unsigned flow, uint8_t iv[CFB64_BLOCK])
{
    if (!session->exchange)
        return false;
    bool server = session_direction(session, flow) == TQ_SERVER_TO_CLIENT;
    memcpy(iv,
           iv_field(session->exchange, server != session->exchange->ivs_swapped
                                           ? HANDSHAKE_SERVER_IV
                                           : HANDSHAKE_CLIENT_IV),
           CFB64_BLOCK);
    return true;
}

/* Looks for the client's half of the exchange. The session key serves right behind it, wherever
 * in a segment that is: the client may append its first message. */
static bool read_reply(session_t *session, record_segment_t *here)
{
    unsigned client = (unsigned)session->client;
    flow_t *flow = &session->flow[client];
    exchange_t *exchange = session->exchange;
    handshake_reply_t reply;

    start_flow(session, client);
    const stream_run_t *run = first_run(flow);
    if (!run)
        return false;
    handshake_status_t status =
        handshake_find_reply(exchange->initial->cipher, run->data, run->length, &reply);
    if (status == HANDSHAKE_INVALID && run->length > REPLY_AFTER && !exchange->told) {
        exchange->told = true;
        record_add_notice(here, NOTICE_KEY_ERROR, 0, 0,
                          "the client's reply to the hello is not readable");
    }
    if (status != HANDSHAKE_COMPLETE)
        return false;

    uint32_t total = reply.handshake.total;
    uint64_t at = flow->start + reply.start;
    exchange->reply_fields = reply.handshake;
    exchange->reply = g_malloc(total);
    session_add_cfb_epoch(session, client, flow->start, flow->start, exchange->initial->cipher,
                          zero_iv, TQ_KEY_INITIAL);
    if (reply.start > 0 && reply.restarts)
        session_add_cfb_epoch(session, client, at, at, exchange->initial->cipher, zero_iv,
                              TQ_KEY_INITIAL);
    session_decrypt(session, client, at, run->data, reply.start, run->data + reply.start, total,
                    exchange->reply);
    add_unknown_epoch(session, client, at + total);
    if (reply.start > 0)
        stream_claim(&flow->bytes, flow->start, at, true);
    flow->handshake_at = at;
    flow->handshake_size = total;
    exchange->awaits_secret = true;
    return true;
}

/* Where the session key begins in a direction. */
static uint64_t rekey_at(const session_t *session, unsigned flow)
{
    return session->flow[flow].handshake_at + session->flow[flow].handshake_size;
}

static const stream_run_t *run_starting(const stream_t *bytes, uint64_t at)
{
    for (unsigned i = 0; i < stream_runs(bytes); i++) {
        if (stream_run_at(bytes, i)->at == at)
            return stream_run_at(bytes, i);
    }
    return NULL;
}

static void add_session_epochs(session_t *session, cfb64_t *cipher)
{
    for (unsigned i = 0; i < 2; i++) {
        uint8_t iv[CFB64_BLOCK];
        opening_iv(session, i, iv);
        session_add_cfb_epoch(session, i, rekey_at(session, i), rekey_at(session, i), cipher, iv,
                              TQ_KEY_SESSION);
    }
}

/* Tries one secret on whatever direction has brought bytes under the session key. */
static sessionkey_verdict_t try_secret(session_t *session, const sessionkey_secret_t *secret)
{
    exchange_t *exchange = session->exchange;
    sessionkey_verdict_t verdict = SESSIONKEY_UNDECIDED;

    for (unsigned i = 0; i < 2; i++) {
        const stream_run_t *run = run_starting(&session->flow[i].bytes, rekey_at(session, i));
        sessionkey_match_t match;
        if (!run)
            continue;
        bool server = session_direction(session, i) == TQ_SERVER_TO_CLIENT;
        sessionkey_verdict_t one =
            sessionkey_try(secret, server, iv_field(exchange, HANDSHAKE_SERVER_IV),
                           iv_field(exchange, HANDSHAKE_CLIENT_IV), run->data, run->length, &match);
        if (one == SESSIONKEY_RIGHT) {
            exchange->derivation = match.derivation;
            exchange->ivs_swapped = match.ivs_swapped;
            add_session_epochs(session, match.cipher);
            cfb64_unref(match.cipher);
            return one;
        }
        if (one == SESSIONKEY_WRONG)
            verdict = one;
    }
    return verdict;
}

/* Tries one entry of the key log. What is wrong once stays wrong, and is not tried again. */
static sessionkey_verdict_t try_entry(session_t *session, const sessionkey_exchange_t *numbers,
                                      const keylog_entry_t *entry, char **error)
{
    exchange_t *exchange = session->exchange;
    sessionkey_secret_t secret;
    sessionkey_verdict_t verdict = SESSIONKEY_WRONG;

    if (exchange->wrong && g_hash_table_contains(exchange->wrong, entry))
        return verdict;
    g_clear_pointer(error, g_free);
    if (keylog_secret(session->config.keylog, entry, numbers, &secret, error)) {
        verdict = try_secret(session, &secret);
        memset(&secret, 0, sizeof secret);
        if (verdict == SESSIONKEY_WRONG)
            *error = g_strdup_printf("the secret in line %u fits the public key, but does not "
                                     "decipher the connection",
                                     entry->line);
    }
    if (verdict == SESSIONKEY_WRONG) {
        if (!exchange->wrong)
            exchange->wrong = g_hash_table_new(NULL, NULL);
        g_hash_table_add(exchange->wrong, (gpointer)entry);
    }
    return verdict;
}

/* Tells once that the session key is missing. A secret that is not decided upon yet gets a second
 * chance first. */
static void tell_missing(exchange_t *exchange, record_segment_t *here, bool undecided,
                         const char *error)
{
    if (exchange->told || (undecided && exchange->trials++ == 0))
        return;
    exchange->told = true;
    if (error && !undecided)
        record_add_notice(here, NOTICE_KEY_ERROR, 0, 0, wmem_strdup(wmem_file_scope(), error));
    else
        record_add_notice(here, NOTICE_NO_SECRET, 0, 0, NULL);
}

/* Looks in the key log for the secret of the exchange. */
static bool find_secret(session_t *session, record_segment_t *here)
{
    exchange_t *exchange = session->exchange;
    const handshake_field_t *hello = exchange->hello_fields.field;
    sessionkey_exchange_t numbers = {
        .p = hex_field(exchange->hello, &hello[HANDSHAKE_P]),
        .g = hex_field(exchange->hello, &hello[HANDSHAKE_G]),
        .server_public = hex_field(exchange->hello, &hello[HANDSHAKE_PUBLIC_KEY]),
        .client_public =
            hex_field(exchange->reply, &exchange->reply_fields.field[HANDSHAKE_PUBLIC_KEY]),
    };
    sessionkey_hex_t publics[2] = {numbers.client_public, numbers.server_public};
    keylog_t *keylog = session->config.keylog;
    bool undecided = false;
    char *error = NULL;

    if (keylog)
        keylog_read(keylog);
    for (unsigned i = 0; keylog && i < 2; i++) {
        for (const keylog_entry_t *entry = keylog_find(keylog, publics[i]); entry;
             entry = entry->same_key) {
            sessionkey_verdict_t verdict = try_entry(session, &numbers, entry, &error);
            if (verdict == SESSIONKEY_RIGHT) {
                exchange->awaits_secret = false;
                g_free(error);
                return true;
            }
            undecided |= verdict == SESSIONKEY_UNDECIDED;
        }
    }
    tell_missing(exchange, here, undecided, error);
    g_free(error);
    return false;
}

/* A direction whose key was recovered turns out to be in the capture from its first message on. */
static bool open_recovered(session_t *session, unsigned index, const stream_run_t *run)
{
    flow_t *flow = &session->flow[index];
    const epoch_t *epoch = session_epoch(session, index, run->at);

    if (flow->started || flow->recovered_x == 0 || (uint16_t)(run->at - epoch->zero) != 0 ||
        read_first_header(session, run, session_direction(session, index)) != FIRST_GAME)
        return false;
    start_flow(session, index);
    resume_started(session, index);
    return true;
}

/* Opens a direction whose first bytes came after the other direction told what the connection is,
 * or whose start TCP did not show: then its first byte seen is taken for the first of all, if it
 * reads like that. */
static bool open_late(session_t *session, unsigned index)
{
    flow_t *flow = &session->flow[index];
    const stream_run_t *run = first_run(flow);

    if (!run)
        return false;
    if (session_epoch(session, index, run->at))
        return open_recovered(session, index, run);
    first_t first = read_first_header(session, run, session_direction(session, index));
    if (first == FIRST_NOTHING || first == FIRST_FOREIGN)
        return false;
    /* That some bytes read like a message does not make them the first, unless the other
     * direction's first ones are there. */
    if (first == FIRST_MESSAGE && !flow->started && !session->flow[1 - index].started)
        return false;
    start_flow(session, index);
    if (first == FIRST_GAME) {
        session->server = TQ_SERVER_GAME;
        note_connect(session, index);
    }
    session_clear_epochs(session, index); /* recovered ones, of a part */
    session_add_base_epoch(session, index, flow->start, flow->start, TQ_KEY_BASE);
    return true;
}

static bool open_late_directions(session_t *session)
{
    bool first = open_late(session, 0);
    bool second = open_late(session, 1);

    return first || second;
}

bool opening_progress(session_t *session, record_segment_t *here)
{
    if (session->status == SESSION_OPENING)
        return open_session(session, here);
    if (!session->exchange)
        return open_late_directions(session);
    if (!session->exchange->reply)
        return read_reply(session, here);
    return session->exchange->awaits_secret && find_secret(session, here);
}

/* MsgConnect on a game connection of the TQ cipher: the client's bytes behind it have the alternate
 * key, and the counter runs on. The server's keep the base key for ever. (Servers reset their
 * encrypt counter here, which shows only if they had sent something before; they have not.) On an
 * account connection the same message changes nothing. */
static void observe_connect(session_t *session, unsigned flow, uint32_t frame, uint64_t at,
                            const uint8_t *message, uint16_t size)
{
    const flow_t *f = &session->flow[flow];
    bool is_first = session->footers || (f->started && at == f->start);

    if (size < 12 || session->server == TQ_SERVER_ACCOUNT || !is_first)
        return;
    session->account_id = message_u32(message, 4);
    session->token = message_u32(message, 8);
    session->token_frame = frame;
    if (session->server == TQ_SERVER_UNKNOWN)
        session->server = TQ_SERVER_GAME;

    const epoch_t *epoch = session_epoch(session, flow, at);
    if (epoch->cipher == TQ_CIPHER_TQ && epoch->key == TQ_KEY_BASE &&
        session->flow[flow].epochs->len == 1)
        session_add_alternate_epoch(session, flow, at + size, epoch->zero,
                                    tq_key_alternate_x(session->token, session->account_id),
                                    TQ_KEY_ALTERNATE);
    logins_join(session);
}

void opening_observe(session_t *session, unsigned flow, uint32_t frame, uint64_t at,
                     const uint8_t *message, uint16_t size)
{
    tq_direction_t direction = session_direction(session, flow);
    uint16_t type = message_type(message);

    dictionary_observe(&session->evidence, type, size, direction, session->server, session->footers,
                       message, size);

    if (direction == TQ_CLIENT_TO_SERVER) {
        if (type == TYPE_CONNECT)
            observe_connect(session, flow, frame, at, message, size);
        else if (server_of_login(type) == TQ_SERVER_ACCOUNT)
            session->server = TQ_SERVER_ACCOUNT;
    } else if (type == TYPE_ENCRYPT_CODE && size >= 8) {
        session->seeded = true;
        session->seed = message_u32(message, 4);
        session->server = TQ_SERVER_ACCOUNT;
    } else if (type == TYPE_CONNECT_EX && session->server != TQ_SERVER_GAME) {
        session->server = TQ_SERVER_ACCOUNT;
        logins_announce(session, frame, message, size);
    }
    /* All other messages are a game server's; MsgConnect is both's. */
    if (session->server == TQ_SERVER_UNKNOWN && type != TYPE_CONNECT)
        session->server = TQ_SERVER_GAME;
}
