/* resume-cfb.c
 * Blowfish and CAST5 connections whose key exchange is not, or not wholly, in the capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "resume-cfb.h"

#include <string.h>

#include "opening.h"

/* How often the secrets are tried on a connection, and after how many more bytes each time. A trial
 * decides if the bytes have the end of a message among them. */
#define TRIALS_MAX 32
#define TRIAL_BYTES 64

/* What the halves of an exchange have at most, unless their padding is unusually long. */
#define EXCHANGE_USUAL 512

/* Most secrets that are tried at once, the newest first: a trial takes some 0.2 ms. */
#define SECRETS_MAX 256

/* What a capture file may cost, in tries of one secret: as much as one connection can use, and a
 * little for each segment. What succeeds is given back. */
#define ALLOWANCE_FIRST (2 * TRIALS_MAX * SECRETS_MAX)
#define SEGMENTS_PER_TRY 8

static int64_t allowance; /* in segments */

void resume_cfb_begin(void)
{
    allowance = (int64_t)ALLOWANCE_FIRST * SEGMENTS_PER_TRY;
}

/* The longest run of a flow that has no key yet. */
static const stream_run_t *longest_run(const session_t *session, unsigned index)
{
    const stream_t *bytes = &session->flow[index].bytes;
    const stream_run_t *longest = NULL;

    for (unsigned i = 0; i < stream_runs(bytes); i++) {
        const stream_run_t *run = stream_run_at(bytes, i);
        if (!session_epoch(session, index, run->at) && (!longest || run->length > longest->length))
            longest = run;
    }
    return longest;
}

/* Gives a flow its key. Where the exchange shows the stream's first byte, that counts, and its IV;
 * else what the trial found of the blocks' alignment. */
static void open_flow(session_t *session, unsigned index, const stream_run_t *run, cfb64_t *cipher,
                      unsigned alignment)
{
    const flow_t *flow = &session->flow[index];
    uint8_t iv[CFB64_BLOCK];

    if (flow->handshake_size == 0) {
        session_add_cfb_epoch(session, index, 0, run->at - alignment, cipher, NULL, TQ_KEY_SESSION);
        return;
    }
    uint64_t start = flow->handshake_at + flow->handshake_size;
    session_add_cfb_epoch(session, index, start, start, cipher,
                          opening_iv(session, index, iv) ? iv : NULL, TQ_KEY_SESSION);
}

static bool has_footer(const uint8_t *plaintext, size_t length, size_t unknown, void *data)
{
    const char *footer =
        *(const tq_direction_t *)data == TQ_SERVER_TO_CLIENT ? TQ_FOOTER_SERVER : TQ_FOOTER_CLIENT;

    for (size_t i = unknown; i + TQ_FOOTER_SIZE <= length; i++) {
        if (memcmp(plaintext + i, footer, TQ_FOOTER_SIZE) == 0)
            return true;
    }
    return false;
}

/* The session key is known from the other direction: all that lacks is where blocks begin. */
static bool align(session_t *session, unsigned index)
{
    const stream_run_t *run = longest_run(session, index);
    uint8_t plaintext[SESSIONKEY_RUN_MAX];
    tq_direction_t direction = session_direction(session, index);

    if (!run)
        return false;
    size_t length = MIN(run->length, sizeof plaintext);
    int alignment = cfb64_find_alignment(session->resumed, run->data, plaintext, length, has_footer,
                                         &direction);
    if (alignment < 0)
        return false;
    open_flow(session, index, run, session->resumed, (unsigned)alignment);
    return true;
}

static bool try_secret(session_t *session, unsigned index, const stream_run_t *run,
                       const sessionkey_secret_t *secret)
{
    for (unsigned direction = 0; direction < 2; direction++) {
        sessionkey_match_t match;
        if (session->client >= 0 && session_direction(session, index) != direction)
            continue;
        if (sessionkey_try_middle(secret, direction == TQ_SERVER_TO_CLIENT, run->data, run->length,
                                  &match) != SESSIONKEY_RIGHT)
            continue;
        session->client = (int)(direction == TQ_CLIENT_TO_SERVER ? index : 1 - index);
        session->status = SESSION_OPEN;
        session->server = TQ_SERVER_GAME;
        session->footers = true;
        session->resumed = match.cipher;
        open_flow(session, index, run, match.cipher, match.alignment);
        return true;
    }
    return false;
}

/* Tries the key log's secrets on a flow. Private exponents need the exchange, so they are of no use
 * here. */
static bool try_keylog(session_t *session, unsigned index)
{
    const stream_run_t *run = longest_run(session, index);
    unsigned secrets = 0;

    if (!run || run->length < 2 * CFB64_BLOCK + TQ_FOOTER_SIZE)
        return false;
    uint32_t length = MIN(run->length, SESSIONKEY_RUN_MAX);
    stream_run_t end = {.at = run->at + run->length - length,
                        .data = run->data + run->length - length,
                        .length = length};
    for (const keylog_entry_t *entry = keylog_newest(session->config.keylog);
         entry && secrets < SECRETS_MAX && allowance > 0; entry = entry->older) {
        sessionkey_secret_t secret;
        if (entry->kind != KEYLOG_SECRET ||
            !keylog_secret(session->config.keylog, entry, NULL, &secret, NULL))
            continue;
        bool right = try_secret(session, index, &end, &secret);
        memset(&secret, 0, sizeof secret);
        if (right) {
            allowance += (int64_t)secrets * SEGMENTS_PER_TRY;
            return true;
        }
        secrets++;
        allowance -= SEGMENTS_PER_TRY;
    }
    return false;
}

/* Whether a direction's first bytes are there, and so few that they may be a part of the exchange:
 * no trial is worth its time then. */
static bool may_be_exchange(const flow_t *flow)
{
    return flow->started && stream_runs(&flow->bytes) > 0 &&
           stream_run_at(&flow->bytes, 0)->at == flow->start && flow->bytes.held < EXCHANGE_USUAL;
}

/* Whether this may be such a connection: no exchange, or one without its second half. */
static bool lacks_exchange(const session_t *session)
{
    if (may_be_exchange(&session->flow[0]) || may_be_exchange(&session->flow[1]))
        return false;
    return session->exchange ? !session->exchange->reply : session->status == SESSION_OPENING;
}

bool resume_cfb_progress(session_t *session)
{
    if (session->resumed) {
        bool first = align(session, 0);
        bool second = align(session, 1);
        return first || second;
    }
    if (!session->config.keylog || !session->config.claimed || !lacks_exchange(session))
        return false;

    keylog_read(session->config.keylog);
    allowance++;
    unsigned generation = keylog_generation(session->config.keylog);
    if (session->trials_generation != generation) {
        session->trials_generation = generation;
        session->trials = 0;
        session->tried_bytes = 0;
    }
    size_t held = session->flow[0].bytes.held + session->flow[1].bytes.held;
    if (session->trials >= TRIALS_MAX || held < session->tried_bytes + TRIAL_BYTES)
        return false;
    session->trials++;
    session->tried_bytes = held;
    return try_keylog(session, 0) || try_keylog(session, 1);
}
