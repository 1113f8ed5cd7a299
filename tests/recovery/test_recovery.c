/* SPDX-License-Identifier: MIT */
/* Recovery of counter and key: conversations made up from a seed, and captured ones. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "conquer_sizes.h"
#include "recovery.h"
#ifdef TRUTH_DIR
#include "truth.h"
#endif

#define MESSAGES 400
#define TOKEN UINT32_C(0x9C0FFEE1)
#define ACCOUNT_ID UINT32_C(1000042)

/* One direction of a made-up conversation. Its counter starts at an arbitrary value. */
typedef struct conversation {
    GByteArray *plain;
    GByteArray *cipher;
    guint starts[MESSAGES + 1];
    guint16 counter;
    guint32 x;
    gboolean from_client;
} conversation;

typedef struct fixture {
    tq_key key;
    tq_header_model *models[2]; /* of the server's messages, and of the client's */
    GRand *rand;
} fixture;

static void set_up(fixture *f, gconstpointer data)
{
    (void)data;
    tq_key_generate(&f->key, TQ_CONQUER_P, TQ_CONQUER_G);
    f->models[0] = tq_header_model_new(conquer_server_sizes, G_N_ELEMENTS(conquer_server_sizes));
    f->models[1] = tq_header_model_new(conquer_client_sizes, G_N_ELEMENTS(conquer_client_sizes));
    f->rand = g_rand_new_with_seed(20);
}

static void tear_down(fixture *f, gconstpointer data)
{
    (void)data;
    tq_header_model_free(f->models[0]);
    tq_header_model_free(f->models[1]);
    g_rand_free(f->rand);
}

static void append_message(fixture *f, conversation *c)
{
    static const guint16 kinds[][2] = {{1005, 12}, {1010, 24}, {1009, 28}, {1022, 28},
                                       {2031, 16}, {1004, 0},  {1005, 12}, {1010, 24}};
    const guint16 *kind = kinds[g_rand_int_range(f->rand, 0, G_N_ELEMENTS(kinds))];
    guint size = kind[1] ? kind[1] : (guint)g_rand_int_range(f->rand, 40, 160);
    guint8 message[160] = {(guint8)size, 0, (guint8)kind[0], (guint8)(kind[0] >> 8)};
    for (guint i = 4; i < size; i++)
        message[i] = g_rand_boolean(f->rand) ? 0 : (guint8)g_rand_int(f->rand);
    g_byte_array_append(c->plain, message, size);
}

static void make_conversation(fixture *f, conversation *c, gboolean from_client)
{
    tq_key key = f->key;
    tq_tables tables;
    *c = (conversation){.plain = g_byte_array_new(),
                        .cipher = g_byte_array_new(),
                        .counter = (guint16)g_rand_int(f->rand),
                        .from_client = from_client};
    for (guint i = 0; i < MESSAGES; i++) {
        c->starts[i] = c->plain->len;
        append_message(f, c);
    }
    c->starts[MESSAGES] = c->plain->len;
    if (from_client) {
        c->x = tq_key_alternate_x(TOKEN, ACCOUNT_ID);
        tq_key_alternate_from_x(&key, &key, c->x);
    }
    tq_tables_prepare(&tables, &key, from_client ? TQ_ROLE_CLIENT : TQ_ROLE_SERVER);
    g_byte_array_set_size(c->cipher, c->plain->len);
    tq_crypt(&tables, c->counter, c->cipher->data, c->plain->data, c->plain->len);
}

static void clear_conversation(conversation *c)
{
    g_byte_array_unref(c->plain);
    g_byte_array_unref(c->cipher);
}

static tq_recovery *start_recovery(const fixture *f, const conversation *c)
{
    tq_recovery_config config = {
        .key = &f->key, .model = f->models[c->from_client], .from_client = c->from_client};
    return tq_recovery_new(&config);
}

static gboolean is_over(tq_recovery_state state)
{
    return state == TQ_RECOVERY_FOUND || state == TQ_RECOVERY_GAVE_UP;
}

/* Every claim must decrypt what it is about. Coordinates are offsets in the conversation. */
static void check_claim(const fixture *f, const conversation *c, const tq_recovered *claim)
{
    tq_key key;
    tq_tables tables;
    if (!claim)
        return;
    tq_key_alternate_from_x(&key, &f->key, claim->x);
    tq_tables_prepare(&tables, &key, c->from_client ? TQ_ROLE_SERVER : TQ_ROLE_CLIENT);
    guint64 from = MIN(claim->from, c->plain->len);
    guint64 until = MIN(claim->until, c->plain->len);
    g_assert_cmpuint(from, <=, until);
    guint8 *plain = g_malloc(c->plain->len);
    tq_crypt(&tables, (guint16)(claim->counter_at_0 + from), plain, c->cipher->data + from,
             until - from);
    g_assert_cmpmem(plain, until - from, c->plain->data + from, until - from);
    g_free(plain);
}

static void check_found(const conversation *c, const tq_recovery *recovery)
{
    const tq_recovered *found = tq_recovery_result(recovery);
    g_assert_nonnull(found);
    g_assert_cmphex(found->counter_at_0, ==, c->counter);
    g_assert_cmphex(found->x, ==, c->x);
    g_assert_cmpuint(found->from, ==, 0);
    g_assert_cmpuint(found->until, ==, UINT64_MAX);
    guint i = 0;
    while (c->starts[i] < found->boundary)
        i++;
    g_assert_cmpuint(c->starts[i], ==, found->boundary);
}

/* Feeds from one offset on, a message a segment. */
static tq_recovery_state feed_from(const fixture *f, const conversation *c, tq_recovery *recovery,
                                   guint start)
{
    tq_recovery_state state = TQ_RECOVERY_SEARCHING;
    for (guint i = 0; i < MESSAGES && !is_over(state); i++) {
        guint from = MAX(start, c->starts[i]);
        if (from >= c->starts[i + 1])
            continue;
        state = tq_recovery_feed(recovery, from, c->cipher->data + from, c->starts[i + 1] - from);
        check_claim(f, c, tq_recovery_result(recovery));
    }
    return state;
}

static void test_starts(fixture *f, gconstpointer data)
{
    conversation c;
    make_conversation(f, &c, GPOINTER_TO_INT(data));
    for (guint i = 0; i < 40; i++) {
        tq_recovery *recovery = start_recovery(f, &c);
        guint start = (guint)g_rand_int_range(f->rand, 0, (gint32)c.starts[MESSAGES / 2]);
        g_assert_null(tq_recovery_result(recovery));
        g_assert_cmpint(feed_from(f, &c, recovery, start), ==, TQ_RECOVERY_FOUND);
        check_found(&c, recovery);
        tq_recovery_free(recovery);
    }
    clear_conversation(&c);
}

/* Segments of any length, some missing, some repeated or late. */
static void test_segments(fixture *f, gconstpointer data)
{
    conversation c;
    make_conversation(f, &c, GPOINTER_TO_INT(data));
    guint found = 0;
    for (guint i = 0; i < 20; i++) {
        tq_recovery *recovery = start_recovery(f, &c);
        tq_recovery_state state = TQ_RECOVERY_SEARCHING;
        guint most = i % 2 ? 90 : 1400;
        for (guint at = 0, len; at < c.plain->len && !is_over(state); at += len) {
            len = MIN((guint)g_rand_int_range(f->rand, 1, (gint32)most), c.plain->len - at);
            guint behind = MIN(at, (guint)g_rand_int_range(f->rand, 0, 30));
            if (g_rand_int_range(f->rand, 0, 12) == 0)
                continue;
            state = tq_recovery_feed(recovery, at, c.cipher->data + at, len);
            if (!is_over(state))
                state =
                    tq_recovery_feed(recovery, at - behind, c.cipher->data + at - behind, behind);
            check_claim(f, &c, tq_recovery_result(recovery));
        }
        found += state == TQ_RECOVERY_FOUND;
        tq_recovery_free(recovery);
    }
    g_assert_cmpuint(found, >=, 15);
    clear_conversation(&c);
}

static void test_coordinates(fixture *f, gconstpointer data)
{
    conversation c;
    (void)data;
    make_conversation(f, &c, TRUE);
    tq_recovery *recovery = start_recovery(f, &c);
    guint64 base = UINT64_C(0xFEDCBA9876543210);
    tq_recovery_state state = TQ_RECOVERY_SEARCHING;
    for (guint i = 0; i < MESSAGES && !is_over(state); i++)
        state = tq_recovery_feed(recovery, base + c.starts[i], c.cipher->data + c.starts[i],
                                 c.starts[i + 1] - c.starts[i]);
    g_assert_cmpint(state, ==, TQ_RECOVERY_FOUND);
    g_assert_cmphex((guint16)(tq_recovery_result(recovery)->counter_at_0 + base), ==, c.counter);
    tq_recovery_free(recovery);
    clear_conversation(&c);
}

static guint count_messages(const fixture *f, const conversation *c,
                            const tq_recovery_config *config)
{
    tq_recovery *recovery = tq_recovery_new(config);
    guint i = 0;
    for (; i < MESSAGES && !tq_recovery_result(recovery); i++) {
        tq_recovery_feed(recovery, c->starts[i], c->cipher->data + c->starts[i],
                         c->starts[i + 1] - c->starts[i]);
        check_claim(f, c, tq_recovery_result(recovery));
    }
    g_assert_nonnull(tq_recovery_result(recovery));
    tq_recovery_free(recovery);
    return i;
}

/* With X among those given, a client's key is found as fast as a server's. */
static void test_given_x(fixture *f, gconstpointer data)
{
    conversation c;
    (void)data;
    make_conversation(f, &c, TRUE);
    const uint32_t x[] = {12345, 0xDEADBEEF, c.x, 7};
    tq_recovery_config config = {.key = &f->key, .model = f->models[1], .from_client = true};
    guint without = count_messages(f, &c, &config);
    config.x = x;
    config.x_count = G_N_ELEMENTS(x);
    guint with = count_messages(f, &c, &config);
    g_assert_cmpuint(with, <=, without);
    g_assert_cmpuint(with, <=, 4);
    clear_conversation(&c);
}

/* A client's bytes under the base key, as on an account connection. */
static void test_base_key(fixture *f, gconstpointer data)
{
    conversation c;
    (void)data;
    make_conversation(f, &c, FALSE);
    tq_tables tables;
    tq_tables_prepare(&tables, &f->key, TQ_ROLE_CLIENT);
    tq_crypt(&tables, c.counter, c.cipher->data, c.plain->data, c.plain->len);
    c.from_client = TRUE;
    tq_recovery *recovery = start_recovery(f, &c);
    g_assert_cmpint(feed_from(f, &c, recovery, 0), ==, TQ_RECOVERY_FOUND);
    check_found(&c, recovery);
    tq_recovery_free(recovery);
    clear_conversation(&c);
}

static void test_counter_known(fixture *f, gconstpointer data)
{
    conversation c;
    (void)data;
    make_conversation(f, &c, TRUE);
    tq_recovery_config config = {.key = &f->key,
                                 .model = f->models[1],
                                 .from_client = true,
                                 .counter_known = true,
                                 .counter_at_0 = c.counter};
    tq_recovery *recovery = tq_recovery_new(&config);
    g_assert_cmpint(feed_from(f, &c, recovery, 0), ==, TQ_RECOVERY_FOUND);
    check_found(&c, recovery);
    tq_recovery_free(recovery);

    config.counter_at_0 ^= 0x5A5A;
    recovery = tq_recovery_new(&config);
    feed_from(f, &c, recovery, 0);
    g_assert_null(tq_recovery_result(recovery));
    tq_recovery_free(recovery);
    clear_conversation(&c);
}

/* Bytes of other protocols lead to no claim, and the budget ends the search. */
static void test_noise(fixture *f, gconstpointer data)
{
    guint8 bytes[1460];
    (void)data;
    for (guint i = 0; i < 60; i++) {
        bool from_client = i & 1;
        tq_recovery_config config = {.key = &f->key,
                                     .model = f->models[from_client],
                                     .from_client = from_client,
                                     .budget = 8000000};
        tq_recovery *recovery = tq_recovery_new(&config);
        tq_recovery_state state = TQ_RECOVERY_SEARCHING;
        guint64 at = 0;
        for (guint n = 0; n < 400; n++) {
            guint len = (guint)g_rand_int_range(f->rand, 0, i & 2 ? 1460 : 60);
            for (guint j = 0; j < len; j++)
                bytes[j] =
                    i % 5 ? (guint8)g_rand_int(f->rand) : (guint8) "GET / HTTP/1.1\r\n"[j % 16];
            state = tq_recovery_feed(recovery, at, bytes, len);
            g_assert_null(tq_recovery_result(recovery));
            at += len;
        }
        if (from_client && !(i & 2))
            g_assert_cmpint(state, ==, TQ_RECOVERY_GAVE_UP);
        tq_recovery_free(recovery);
    }
}

static void test_budget(fixture *f, gconstpointer data)
{
    conversation c;
    (void)data;
    make_conversation(f, &c, TRUE);
    tq_recovery_config config = {
        .key = &f->key, .model = f->models[1], .from_client = true, .budget = 1};
    tq_recovery *recovery = tq_recovery_new(&config);
    g_assert_cmpint(feed_from(f, &c, recovery, 0), ==, TQ_RECOVERY_GAVE_UP);
    g_assert_null(tq_recovery_result(recovery));
    g_assert_cmpint(tq_recovery_feed(recovery, 0, c.cipher->data, 100), ==, TQ_RECOVERY_GAVE_UP);
    tq_recovery_free(recovery);
    clear_conversation(&c);
}

static void test_determinism(fixture *f, gconstpointer data)
{
    conversation c;
    (void)data;
    make_conversation(f, &c, TRUE);
    tq_recovery *one = start_recovery(f, &c);
    tq_recovery *two = start_recovery(f, &c);
    for (guint i = 0; i < 60; i++) {
        const guint8 *bytes = c.cipher->data + c.starts[i];
        guint len = c.starts[i + 1] - c.starts[i];
        g_assert_cmpint(tq_recovery_feed(one, c.starts[i], bytes, len), ==,
                        tq_recovery_feed(two, c.starts[i], bytes, len));
        const tq_recovered *a = tq_recovery_result(one);
        const tq_recovered *b = tq_recovery_result(two);
        g_assert_cmpint(!a, ==, !b);
        if (a)
            g_assert_cmpmem(a, sizeof *a, b, sizeof *b);
    }
    tq_recovery_free(one);
    tq_recovery_free(two);
    clear_conversation(&c);
}

static void test_model(fixture *f, gconstpointer data)
{
    static const tq_size_range unsorted[] = {{2, 8, 8}, {1, 8, 8}};
    static const tq_size_range reversed[] = {{1, 9, 8}};
    (void)data;
    g_assert_null(tq_header_model_new(unsorted, 2));
    g_assert_null(tq_header_model_new(reversed, 1));
    g_assert_null(tq_header_model_new(unsorted, 0));
    tq_header_model_free(NULL);
    tq_recovery_free(NULL);

    const tq_header_model *model = f->models[1];
    int listed = tq_header_evidence(model, 24, 1010, 24);
    int inside = tq_header_evidence(model, 24, 1010, 0);
    int misfit = tq_header_evidence(model, 25, 1010, 25);
    int strange = tq_header_evidence(model, 24, 60000, 24);
    g_assert_cmpint(listed, >, inside);
    g_assert_cmpint(inside, >, misfit);
    g_assert_cmpint(misfit, >, strange);
    g_assert_cmpint(strange, >, 0);
    g_assert_cmpint(tq_header_evidence(model, 3, 1010, 3), <, 0);
    g_assert_cmpint(tq_header_evidence(model, 5000, 1010, 0), <, 0);
}

/* The distribution's sum: evidence is a likelihood ratio only if it does not exceed 1. */
static void test_model_sum(fixture *f, gconstpointer data)
{
    static const double bit = 1.0 / TQ_EVIDENCE_BIT;
    static const size_t rests[] = {0, 12, 24, 100};
    (void)data;
    for (guint r = 0; r < G_N_ELEMENTS(rests); r++) {
        double sum = 0;
        for (guint type = 0; type <= G_MAXUINT16; type++) {
            for (guint size = 0; size <= TQ_MESSAGE_MAX; size++) {
                int evidence = tq_header_evidence(f->models[1], size, type, rests[r]);
                sum += exp2(evidence * bit - 32);
            }
        }
        sum += 65536.0 * (65535 - TQ_MESSAGE_MAX) * exp2(-44);
        g_assert_cmpfloat(sum, <=, 1);
        g_assert_cmpfloat(sum, >, 0.2);
    }
}

#ifdef TRUTH_DIR
/* Captured conversations, from several starts. */
static void test_captured(fixture *f, gconstpointer data)
{
    direction directions[2];
    char *path = g_build_filename(TRUTH_DIR, (const char *)data, NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_test_skip("the capture's truth file is not there");
        g_free(path);
        return;
    }
    truth_read(path, directions);
    for (guint d = 0; d < 2; d++) {
        const direction *way = &directions[d];
        conversation c = {
            .plain = way->plain, .cipher = way->cipher, .x = way->x, .from_client = d == 1};
        guint count = way->starts->len - 1;
        for (guint i = 0; i < 10; i++) {
            tq_recovery *recovery = start_recovery(f, &c);
            for (guint m = 1 + i * count / 20; m < count; m++) {
                guint from = g_array_index(way->starts, guint, m);
                guint until = g_array_index(way->starts, guint, m + 1);
                tq_recovery_state state =
                    tq_recovery_feed(recovery, from, way->cipher->data + from, until - from);
                const tq_recovered *claim = tq_recovery_result(recovery);
                if (state == TQ_RECOVERY_FOUND) {
                    g_assert_cmphex(claim->x, ==, way->x);
                    g_assert_cmphex(claim->counter_at_0, ==, 0);
                    break;
                }
                check_claim(f, &c, claim);
            }
            g_assert_nonnull(tq_recovery_result(recovery));
            tq_recovery_free(recovery);
        }
    }
    truth_clear(directions);
    g_free(path);
}
#endif

#define ADD(path, data, test) g_test_add(path, fixture, data, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/model/evidence", NULL, test_model);
    ADD("/model/sum", NULL, test_model_sum);
    ADD("/recovery/starts/server", GINT_TO_POINTER(FALSE), test_starts);
    ADD("/recovery/starts/client", GINT_TO_POINTER(TRUE), test_starts);
    ADD("/recovery/segments/server", GINT_TO_POINTER(FALSE), test_segments);
    ADD("/recovery/segments/client", GINT_TO_POINTER(TRUE), test_segments);
    ADD("/recovery/coordinates", NULL, test_coordinates);
    ADD("/recovery/given-x", NULL, test_given_x);
    ADD("/recovery/base-key", NULL, test_base_key);
    ADD("/recovery/counter-known", NULL, test_counter_known);
    ADD("/recovery/noise", NULL, test_noise);
    ADD("/recovery/budget", NULL, test_budget);
    ADD("/recovery/determinism", NULL, test_determinism);
#ifdef TRUTH_DIR
    ADD("/recovery/captured/5017", "counter_wrap_5017.jsonl", test_captured);
    ADD("/recovery/captured/4330", "login_4330.jsonl", test_captured);
#endif
    return g_test_run();
}
