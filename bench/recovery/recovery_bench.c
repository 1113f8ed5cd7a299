/* SPDX-License-Identifier: MIT */
/*
 * Measures the recovery of counter and key: starts at random places of captured conversations and
 * on streams that are no TQ conversation.
 *
 *     recovery_bench [--starts N] TRUTH.jsonl...
 *
 * For each file, direction and way of cutting the stream into segments it prints
 *   starts    how many were tried
 *   sure      how many led to a claim, and messages needed for it: median and 90th percentile
 *   key       how many led to the one key, and messages needed for that
 *   share     whole messages after the start that the last claim decrypts
 *   time      processor time for one start: mean, and most
 *   wrong     claims that decrypt a byte wrongly; the exit status says if there were any
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conquer_sizes.h"
#include "recovery.h"
#include "truth.h"

#define STREAM_LENGTH 65536

/* How a stream is cut into segments. Each returns the end of the segment that starts at a place. */
typedef guint cut_fn(const direction *d, guint position, GRand *rand);

typedef struct segmentation {
    const char *name;
    cut_fn *cut;
    gboolean mid_message; /* starts anywhere; else where a message does */
} segmentation;

typedef struct tally {
    GArray *sure; /* guint: messages until the first claim */
    GArray *key;  /* messages until the key */
    guint starts;
    guint64 whole;
    guint64 decrypted;
    guint wrong;
    gint64 microseconds;
    gint64 worst;
} tally;

/* Index of the first message that starts at or after a place. */
static guint message_at(const direction *d, guint position)
{
    guint low = 0;
    guint high = d->starts->len - 1;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(d->starts, guint, middle) < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static gint64 processor_time(void)
{
    return (gint64)clock() * G_USEC_PER_SEC / CLOCKS_PER_SEC;
}

static guint next_start(const direction *d, guint position, guint messages)
{
    guint i = message_at(d, position + 1) + messages - 1;
    return g_array_index(d->starts, guint, MIN(i, d->starts->len - 1));
}

static guint cut_messages(const direction *d, guint position, GRand *rand)
{
    (void)rand;
    return next_start(d, position, 1);
}

static guint cut_merged(const direction *d, guint position, GRand *rand)
{
    return next_start(d, position, (guint)g_rand_int_range(rand, 1, 9));
}

static guint cut_pieces(const direction *d, guint position, GRand *rand)
{
    (void)rand;
    return MIN(position + 88, next_start(d, position, 1));
}

static guint cut_blind(const direction *d, guint position, GRand *rand)
{
    (void)rand;
    return MIN(position + 88, d->plain->len);
}

static guint cut_tiny(const direction *d, guint position, GRand *rand)
{
    return MIN(position + (guint)g_rand_int_range(rand, 1, 10), d->plain->len);
}

static const segmentation segmentations[] = {
    {"messages", cut_messages, FALSE},  {"messages, mid", cut_messages, TRUE},
    {"merged 1-8", cut_merged, FALSE},  {"merged 1-8, mid", cut_merged, TRUE},
    {"88 a message", cut_pieces, TRUE}, {"88 blind", cut_blind, TRUE},
    {"1-9 bytes", cut_tiny, TRUE},
};

/* Whether a claim decrypts every byte of the stream that it is about. */
static gboolean is_right(const direction *d, gboolean from_client, const tq_recovered *claim)
{
    tq_key key;
    tq_tables tables;
    guint8 plain[STREAM_LENGTH];
    guint64 from = MAX(claim->from, from_client ? CONNECT_SIZE : 0);
    guint64 until = MIN(claim->until, d->plain->len);
    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_key_alternate_from_x(&key, &key, claim->x);
    tq_tables_prepare(&tables, &key, from_client ? TQ_ROLE_SERVER : TQ_ROLE_CLIENT);
    for (guint64 at = from; at < until; at += sizeof plain) {
        size_t len = MIN(sizeof plain, until - at);
        tq_crypt(&tables, (uint16_t)(claim->counter_at_0 + at), plain, d->cipher->data + at, len);
        if (memcmp(plain, d->plain->data + at, len) != 0)
            return FALSE;
    }
    return TRUE;
}

static void count_decrypted(const direction *d, guint start, const tq_recovered *claim, tally *t)
{
    for (guint i = message_at(d, start); i + 1 < d->starts->len; i++) {
        guint from = g_array_index(d->starts, guint, i);
        guint until = g_array_index(d->starts, guint, i + 1);
        t->whole++;
        t->decrypted += claim && from >= claim->from && until <= claim->until;
    }
}

static void measure_start(const direction *d, gboolean from_client, const tq_header_model *model,
                          const segmentation *how, guint start, GRand *rand, tally *t)
{
    tq_key key;
    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_recovery_config config = {.key = &key, .model = model, .from_client = from_client};
    tq_recovery *recovery = tq_recovery_new(&config);
    tq_recovery_state state = TQ_RECOVERY_SEARCHING;
    gint64 time = 0;
    t->starts++;
    for (guint at = start, end; at < d->plain->len && state != TQ_RECOVERY_FOUND; at = end) {
        tq_recovery_state before = state;
        end = how->cut(d, at, rand);
        gint64 began = processor_time();
        state = tq_recovery_feed(recovery, at, d->cipher->data + at, end - at);
        time += processor_time() - began;
        const tq_recovered *claim = tq_recovery_result(recovery);
        guint needed = message_at(d, end + 1) - message_at(d, start) - 1;
        if (claim && before == TQ_RECOVERY_SEARCHING)
            g_array_append_val(t->sure, needed);
        if (state == TQ_RECOVERY_FOUND)
            g_array_append_val(t->key, needed);
        if (claim && !is_right(d, from_client, claim))
            t->wrong++;
    }
    count_decrypted(d, start, tq_recovery_result(recovery), t);
    tq_recovery_free(recovery);
    t->microseconds += time;
    t->worst = MAX(t->worst, time);
}

static gint compare_uints(gconstpointer a, gconstpointer b)
{
    guint x = *(const guint *)a;
    guint y = *(const guint *)b;
    return (x > y) - (x < y);
}

static guint percentile(GArray *values, guint percent)
{
    if (values->len == 0)
        return 0;
    g_array_sort(values, compare_uints);
    return g_array_index(values, guint, (values->len - 1) * percent / 100);
}

static void print_tally(const char *name, tally *t)
{
    printf("  %-16s %5u %5u %3u %3u %5u %3u %3u %8.3f%% %6.2f ms %6.2f ms %5u\n", name, t->starts,
           t->sure->len, percentile(t->sure, 50), percentile(t->sure, 90), t->key->len,
           percentile(t->key, 50), percentile(t->key, 90),
           t->whole ? 100.0 * (double)t->decrypted / (double)t->whole : 0.0,
           (double)t->microseconds / t->starts / 1000, (double)t->worst / 1000, t->wrong);
}

static guint measure_direction(const direction *d, gboolean from_client,
                               const tq_header_model *model, guint starts)
{
    guint wrong = 0;
    for (guint s = 0; s < G_N_ELEMENTS(segmentations); s++) {
        const segmentation *how = &segmentations[s];
        GRand *rand = g_rand_new_with_seed(1 + s);
        tally t = {.sure = g_array_new(FALSE, FALSE, sizeof(guint)),
                   .key = g_array_new(FALSE, FALSE, sizeof(guint))};
        for (guint i = 0; i < starts; i++) {
            guint first = from_client ? CONNECT_SIZE : 0;
            guint start = (guint)g_rand_int_range(rand, (gint32)first, (gint32)d->plain->len);
            if (!how->mid_message) {
                guint message =
                    (guint)g_rand_int_range(rand, from_client, (gint32)d->starts->len - 1);
                start = g_array_index(d->starts, guint, message);
            }
            measure_start(d, from_client, model, how, start, rand, &t);
        }
        print_tally(how->name, &t);
        wrong += t.wrong;
        g_array_unref(t.sure);
        g_array_unref(t.key);
        g_rand_free(rand);
    }
    return wrong;
}

static void fill_random(guint8 *bytes, guint len, GRand *rand)
{
    for (guint i = 0; i < len; i++)
        bytes[i] = (guint8)g_rand_int(rand);
}

/* Records of TLS 1.2 application data. */
static void fill_tls(guint8 *bytes, guint len, GRand *rand)
{
    fill_random(bytes, len, rand);
    for (guint i = 0, size; i + 5 < len; i += 5 + size) {
        size = (guint)g_rand_int_range(rand, 17, 1400);
        bytes[i] = 0x17;
        bytes[i + 1] = 3;
        bytes[i + 2] = 3;
        bytes[i + 3] = (guint8)(size >> 8);
        bytes[i + 4] = (guint8)size;
    }
}

static void fill_text(guint8 *bytes, guint len, GRand *rand)
{
    static const char text[] = "GET /index.html HTTP/1.1\r\nHost: example.com\r\n\r\n";
    for (guint i = 0; i < len; i++)
        bytes[i] = (guint8)text[g_rand_int_range(rand, 0, 4) ? i % (sizeof text - 1) : 9];
}

static void fill_zeros(guint8 *bytes, guint len, GRand *rand)
{
    (void)rand;
    memset(bytes, 0, len);
}

/* How many of a number of streams lead to a claim, which none should. */
static guint measure_noise(const char *name, void (*fill)(guint8 *, guint, GRand *),
                           tq_header_model *const models[2], guint starts)
{
    guint wrong = 0;
    guint gave_up = 0;
    gint64 time = 0;
    gint64 worst = 0;
    GRand *rand = g_rand_new_with_seed(99);
    guint8 *bytes = g_malloc(STREAM_LENGTH);
    tq_key key;
    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    for (guint i = 0; i < starts; i++) {
        tq_recovery_config config = {.key = &key, .model = models[i & 1], .from_client = i & 1};
        tq_recovery *recovery = tq_recovery_new(&config);
        tq_recovery_state state = TQ_RECOVERY_SEARCHING;
        guint longest = i & 2 ? 1460 : 100;
        fill(bytes, STREAM_LENGTH, rand);
        gint64 began = processor_time();
        for (guint at = 0, len; at < STREAM_LENGTH && state == TQ_RECOVERY_SEARCHING; at += len) {
            len = MIN((guint)g_rand_int_range(rand, 1, (gint32)longest), STREAM_LENGTH - at);
            state = tq_recovery_feed(recovery, at, bytes + at, len);
        }
        gint64 took = processor_time() - began;
        time += took;
        worst = MAX(worst, took);
        wrong += tq_recovery_result(recovery) != NULL;
        gave_up += state == TQ_RECOVERY_GAVE_UP;
        tq_recovery_free(recovery);
    }
    printf("  %-16s %5u streams, %u gave up, %.2f ms, at most %.2f ms, wrong: %u\n", name, starts,
           gave_up, (double)time / starts / 1000, (double)worst / 1000, wrong);
    g_free(bytes);
    g_rand_free(rand);
    return wrong;
}

int main(int argc, char **argv)
{
    guint starts = 1000;
    guint wrong = 0;
    int i = 1;
    if (i + 1 < argc && strcmp(argv[i], "--starts") == 0) {
        starts = (guint)MAX(1, strtol(argv[i + 1], NULL, 10));
        i += 2;
    }
    tq_header_model *models[2] = {
        tq_header_model_new(conquer_server_sizes, G_N_ELEMENTS(conquer_server_sizes)),
        tq_header_model_new(conquer_client_sizes, G_N_ELEMENTS(conquer_client_sizes))};
    printf("%-18s %5s %13s %13s %9s %9s %9s %5s\n", "", "start", "sure p50 p90", "key p50 p90",
           "share", "time", "longest", "wrong");
    for (; i < argc; i++) {
        direction directions[2];
        truth_read(argv[i], directions);
        for (guint d = 0; d < 2; d++) {
            printf("%s, from the %s\n", argv[i], d ? "client" : "server");
            wrong += measure_direction(&directions[d], d == 1, models[d], starts);
        }
        truth_clear(directions);
    }
    printf("no TQ conversation\n");
    wrong += measure_noise("random", fill_random, models, starts);
    wrong += measure_noise("TLS", fill_tls, models, starts);
    wrong += measure_noise("text", fill_text, models, starts);
    wrong += measure_noise("zeros", fill_zeros, models, starts);
    tq_header_model_free(models[0]);
    tq_header_model_free(models[1]);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
