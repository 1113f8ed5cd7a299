/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "password.h"

#include <stdlib.h>
#include <string.h>

#include "rc5.h"
#include "vectors.h"

static void check_vector(char **fields)
{
    uint32_t seed = (uint32_t)strtoul(fields[0], NULL, 16);
    bool seeded = strcmp(fields[0], "-") != 0;
    GBytes *account = bytes_from_hex(fields[1]);
    unsigned patch = (unsigned)strtoul(fields[2], NULL, 10);
    GBytes *field = bytes_from_hex(fields[3]);
    GBytes *password = bytes_from_hex(fields[4]);
    password_form_t form = strcmp(fields[5], "plain") == 0 ? PASSWORD_PLAIN : PASSWORD_SCAN_CODES;
    char text[PASSWORD_MAX + 1];

    g_assert_cmpint(password_decrypt(bytes_data(field), g_bytes_get_size(field),
                                     seeded ? &seed : NULL, (const char *)bytes_data(account),
                                     g_bytes_get_size(account), patch, text),
                    ==, form);
    g_assert_cmpmem(text, strlen(text), bytes_data(password), g_bytes_get_size(password));

    g_bytes_unref(password);
    g_bytes_unref(field);
    g_bytes_unref(account);
}

static void test_vectors(void)
{
    vectors_run("passwords.txt", check_vector);
    vectors_run("openssl_passwords.txt", check_vector);
}

static void check_unreadable(const uint8_t *field, size_t length, const uint32_t *seed)
{
    char text[PASSWORD_MAX + 1] = "before";
    g_assert_cmpint(password_decrypt(field, length, seed, "TestAccount", 11, 0, text), ==,
                    PASSWORD_UNREADABLE);
    g_assert_cmpstr(text, ==, "");
}

static void test_unreadable(void)
{
    uint8_t noise[300], zeros[128] = {0};
    const uint32_t seed = 12345;

    fill_pattern(noise, sizeof noise);
    for (size_t length = 0; length <= sizeof noise; length++) {
        check_unreadable(noise, length, NULL);
        check_unreadable(noise, length, &seed);
    }
    check_unreadable(zeros, sizeof zeros, NULL);

    /* the right field and the wrong key */
    GBytes *field = bytes_from_hex("b12ec14a2291b5110da6084df367eb73");
    check_unreadable(bytes_data(field), 16, &seed);
    g_bytes_unref(field);
}

/* Bytes behind the 16 that were enciphered may hold anything. */
static void test_long_field(void)
{
    uint8_t field[128];
    char text[PASSWORD_MAX + 1];
    GBytes *bytes = bytes_from_hex("b12ec14a2291b5110da6084df367eb73");

    fill_pattern(field, sizeof field);
    memcpy(field, bytes_data(bytes), 16);
    g_assert_cmpint(password_decrypt(field, sizeof field, NULL, "", 0, 0, text), ==,
                    PASSWORD_PLAIN);
    g_assert_cmpstr(text, ==, "Secret12");
    g_bytes_unref(bytes);
}

static void test_unprintable(void)
{
    uint8_t field[16] = "tab\there";
    tq_rc5 rc5;

    tq_rc5_init(&rc5, tq_rc5_static_key);
    tq_rc5_encrypt(&rc5, field, 2);
    check_unreadable(field, sizeof field, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/password/vectors", test_vectors);
    g_test_add_func("/password/unreadable", test_unreadable);
    g_test_add_func("/password/long-field", test_long_field);
    g_test_add_func("/password/unprintable", test_unprintable);
    return g_test_run();
}
