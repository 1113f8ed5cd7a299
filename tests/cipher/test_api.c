/* SPDX-License-Identifier: MIT */
/* Keys, the stateful cipher, and the choice of a backend, as a program that links the library sees
 * them. */

#include "check.h"

#include <string.h>

#ifndef __STDC_NO_THREADS__
#include <stdatomic.h>
#include <threads.h>
#endif

static void test_keys(void)
{
    static const uint8_t k1[] = {0x9d, 0x90, 0x83, 0x8a};
    static const uint8_t k2[] = {0x62, 0x4f, 0xe8, 0x15};
    tq_key key;
    tq_key alternate;
    tq_key from_x;

    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    CHECK(memcmp(key.k1, k1, sizeof k1) == 0, "K1 begins with %02x", key.k1[0]);
    CHECK(memcmp(key.k2, k2, sizeof k2) == 0, "K2 begins with %02x", key.k2[0]);

    CHECK(tq_key_alternate_x(1, 2) != tq_key_alternate_x(2, 1), "token and account id commute");
    CHECK(tq_key_alternate_x(0xFFFFFFFF, 1) == (0x4321 ^ 0xFFFFFFFF), "the sum does not wrap");
    tq_key_alternate(&alternate, &key, 987654321, 123456789);
    tq_key_alternate_from_x(&from_x, &key, tq_key_alternate_x(987654321, 123456789));
    CHECK(memcmp(&alternate, &from_x, sizeof from_x) == 0, "two ways to one key differ");
    tq_key_alternate(&key, &key, 987654321, 123456789);
    CHECK(memcmp(&alternate, &key, sizeof key) == 0, "the key may not be its own base");
}

/* shekohex/coemu, crates/crypto/src/tq_cipher.rs, tests::tq_cipher */
static void test_coemu(void)
{
    static const uint8_t plain[] = {0x22, 0x00, 0x1f, 0x04, 0x61, 0xff, 0xc3, 0xa6, 0x3a,
                                    0x6d, 0xd3, 0x90, 0x31, 0x39, 0x32, 0x2e, 0x31, 0x36,
                                    0x38, 0x2e, 0x31, 0x2e, 0x32, 0x00, 0x00, 0x00, 0x00,
                                    0x00, 0xb8, 0x16, 0x00, 0x00, 0x00, 0x00};
    static const uint8_t expected[] = {0x67, 0x48, 0xaa, 0x12, 0x1f, 0xab, 0x03, 0x44, 0x5e,
                                       0x26, 0x0e, 0x53, 0x52, 0x2f, 0x74, 0x14, 0xe6, 0xfb,
                                       0x88, 0xc0, 0x2a, 0x86, 0x4c, 0x3e, 0x6d, 0x00, 0xe3,
                                       0x2a, 0xfa, 0x2d, 0x87, 0xc6, 0x65, 0x28};
    uint8_t bytes[sizeof plain];
    tq_cipher cipher;

    tq_cipher_init(&cipher, TQ_ROLE_SERVER);
    tq_cipher_generate_alternate_key(&cipher, 0, 0x1234);
    tq_cipher_encrypt(&cipher, bytes, plain, sizeof bytes);
    CHECK(memcmp(bytes, expected, sizeof bytes) == 0, "server encrypt");
}

static void exchange(tq_cipher *from, tq_cipher *to, size_t len)
{
    uint8_t plain[300];
    uint8_t bytes[sizeof plain];

    fill_251(plain, len);
    tq_cipher_encrypt(from, bytes, plain, len);
    CHECK(memcmp(bytes, plain, len) != 0, "nothing was encrypted");
    tq_cipher_decrypt(to, bytes, bytes, len);
    CHECK(memcmp(bytes, plain, len) == 0, "%zu bytes did not arrive", len);
}

/* A login on a game server: the client's second message is the first with the alternate key. */
static void test_connection(void)
{
    tq_cipher server;
    tq_cipher client;

    tq_cipher_init(&server, TQ_ROLE_SERVER);
    tq_cipher_init(&client, TQ_ROLE_CLIENT);
    exchange(&client, &server, 28);
    tq_cipher_generate_alternate_key(&server, 987654321, 123456789);
    tq_cipher_generate_alternate_key(&client, 987654321, 123456789);
    CHECK(server.decrypt_counter == 28, "%u", server.decrypt_counter);
    CHECK(client.encrypt_counter == 28, "%u", client.encrypt_counter);
    for (int i = 0; i < 1000; i++) {
        exchange(&server, &client, 1 + next_random() % 300);
        exchange(&client, &server, 1 + next_random() % 300);
    }

    tq_cipher_generate_key(&server, 1, 2);
    tq_cipher_generate_key(&client, 1, 2);
    CHECK(server.encrypt_counter == 0 && client.encrypt_counter == 0, "counters ran on");
    exchange(&server, &client, 100);
    exchange(&client, &server, 100);
}

static void test_backends(void)
{
    static const char *const expected[] = {"scalar", "sse2", "avx2", "avx512", "neon"};
    const char *const *names = tq_backend_names();
    const char *best = tq_backend_name();
    int found = 0;

    for (; names[found]; found++) {
        const char *name = names[found];
        CHECK(strcmp(name, expected[found]) == 0, "%s is number %d", name, found);
        enum tq_backend_status status = tq_backend_check(name);
        CHECK(status != TQ_BACKEND_UNKNOWN, "%s", name);
        CHECK(tq_backend_available(name) == (status == TQ_BACKEND_OK), "%s", name);
        CHECK(tq_backend_force("scalar") == TQ_BACKEND_OK, "scalar is everywhere");
        CHECK(tq_backend_force(name) == status, "%s", name);
        CHECK(strcmp(tq_backend_name(), status == TQ_BACKEND_OK ? name : "scalar") == 0,
              "%s after %s was forced", tq_backend_name(), name);
        printf("%s %s\n", name, tq_backend_status_text(status));
    }
    CHECK(found == 5, "%d names", found);

    CHECK(tq_backend_force("avx1024") == TQ_BACKEND_UNKNOWN, "no such backend");
    CHECK(tq_backend_force("") == TQ_BACKEND_UNKNOWN, "no such backend");
    CHECK(tq_backend_check(TQ_ARCH_X86 ? "neon" : "avx2") == TQ_BACKEND_NOT_BUILT, "wrong kind");
    CHECK(tq_backend_force("auto") == TQ_BACKEND_OK, "auto");
    CHECK(strcmp(tq_backend_name(), best) == 0, "%s, not %s", tq_backend_name(), best);
    CHECK(tq_backend_force("scalar") == TQ_BACKEND_OK, "scalar");
    CHECK(tq_backend_force(NULL) == TQ_BACKEND_OK, "NULL is auto");
    CHECK(strcmp(tq_backend_name(), best) == 0, "%s, not %s", tq_backend_name(), best);
}

#ifdef __STDC_NO_THREADS__
static void test_threads(void)
{
    puts("skipped: choice from two threads, because there are no C11 threads");
}
#else
static int choose_often(void *done)
{
    for (int i = 0; i < 300000; i++)
        tq_backend_force(i % 2 ? "auto" : "scalar");
    atomic_store((atomic_bool *)done, true);
    return 0;
}

/* The choice may change at any time in another thread. */
static void test_threads(void)
{
    const char *best = tq_backend_name();
    atomic_bool done = false;
    thrd_t thread;

    CHECK(thrd_create(&thread, choose_often, &done) == thrd_success, "no thread");
    while (!atomic_load(&done)) {
        const char *name = tq_backend_name();
        CHECK(strcmp(name, best) == 0 || strcmp(name, "scalar") == 0, "%s", name);
    }
    thrd_join(thread, NULL);
}
#endif

int main(void)
{
    test_keys();
    test_coemu();
    test_connection();
    test_backends();
    test_threads();
    return EXIT_SUCCESS;
}
