/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keylog.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "vectors.h"

typedef struct {
    char *folder, *path;
    keylog_t *keylog;
    GPtrArray *messages;
} fixture_t;

static void keep_message(const char *message, void *data)
{
    g_ptr_array_add(data, g_strdup(message));
}

static void set_up(fixture_t *f, const void *data)
{
    (void)data;
    f->folder = g_dir_make_tmp("tq-keylog-XXXXXX", NULL);
    f->path = g_build_filename(f->folder, "keys.log", NULL);
    f->messages = g_ptr_array_new_with_free_func(g_free);
    f->keylog = keylog_new(f->path, keep_message, f->messages);
}

static void tear_down(fixture_t *f, const void *data)
{
    (void)data;
    keylog_free(f->keylog);
    g_ptr_array_free(f->messages, TRUE);
    g_remove(f->path);
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    g_free(f->path);
    g_free(f->folder);
}

static void put(fixture_t *f, const char *mode, const char *text, size_t length)
{
    FILE *file = g_fopen(f->path, mode);
    g_assert_nonnull(file);
    g_assert_cmpuint(fwrite(text, 1, length, file), ==, length);
    fclose(file);
}

static void write_text(fixture_t *f, const char *text)
{
    put(f, "wb", text, strlen(text));
}

static void append_text(fixture_t *f, const char *text)
{
    put(f, "ab", text, strlen(text));
}

static const keylog_entry_t *find(fixture_t *f, const char *public_key)
{
    return keylog_find(f->keylog, (sessionkey_hex_t){public_key, strlen(public_key)});
}

static void check_value(const keylog_entry_t *entry, keylog_kind_t kind, const char *hex)
{
    GBytes *bytes = bytes_from_hex(hex);
    g_assert_nonnull(entry);
    g_assert_cmpint(entry->kind, ==, kind);
    g_assert_cmpmem(entry->value, entry->length, bytes_data(bytes), g_bytes_get_size(bytes));
    g_bytes_unref(bytes);
}

static void check_messages(fixture_t *f, unsigned count)
{
    g_assert_cmpuint(f->messages->len, ==, count);
}

static void check_message(fixture_t *f, unsigned i, const char *part)
{
    g_assert_cmpuint(i, <, f->messages->len);
    if (!strstr(f->messages->pdata[i], part))
        g_error("\"%s\" is not in \"%s\"", part, (char *)f->messages->pdata[i]);
}

/*
 * Lines
 */

static void test_format(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "\xef\xbb\xbf# a comment\r\n"
                  "\n"
                  "   \t \n"
                  "TQ_SECRET AB12 3456\n"
                  "  TQ_SERVER_PRIVATE\t00cd  00AbCd \r\n"
                  "tq_client_private ef 1\n"
                  "  # TQ_SECRET ff ff\n");
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "AB12"), KEYLOG_SECRET, "3456");
    check_value(find(f, "000ab12"), KEYLOG_SECRET, "3456");
    check_value(find(f, "CD"), KEYLOG_SERVER_PRIVATE, "ABCD");
    check_value(find(f, "0EF"), KEYLOG_CLIENT_PRIVATE, "01");
    g_assert_cmpuint(find(f, "CD")->line, ==, 5);
    g_assert_null(find(f, "FF"));
    g_assert_null(find(f, ""));
    g_assert_null(keylog_find(f->keylog, (sessionkey_hex_t){NULL, 0}));
    check_value(keylog_find(f->keylog, (sessionkey_hex_t){"AB12\0", 5}), KEYLOG_SECRET, "3456");
    check_messages(f, 1); /* of the odd number of digits */
    check_message(f, 0, "keys.log:6: ");
    check_message(f, 0, "odd number of digits");
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1);
}

static void test_wrong_lines(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "CLIENT_RANDOM aa bb\n"
                  "TQ_SECRET\n"
                  "TQ_SECRET aa\n"
                  "TQ_SECRET aa xyz\n"
                  "TQ_SECRET 0xaa bb\n"
                  "TQ_SECRET aa 000\n"
                  "TQ_SECRET aa bb cc\n"
                  "TQ_SECRET aa bb\n");
    g_assert_true(keylog_read(f->keylog));
    check_messages(f, 6);
    check_message(f, 0, "keys.log:1: unknown label \"CLIENT_RANDOM\"");
    check_message(f, 1,
                  "keys.log:2: TQ_SECRET needs a public key and a secret number (and so in 1 more");
    check_message(f, 2, "keys.log:4: the secret number is not hexadecimal");
    check_message(f, 3, "keys.log:5: the public key is not hexadecimal");
    check_message(f, 4, "keys.log:6: the secret number is zero");
    check_message(f, 5, "keys.log:7: there is more on the line than TQ_SECRET takes");
    check_value(find(f, "aa"), KEYLOG_SECRET, "bb");
}

/* An emitter that makes a mistake makes it in each line. */
static void test_repeated_mistakes(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "# keys\n");
    for (unsigned i = 1; i <= 500; i++) {
        char *lines = g_strdup_printf("TQ_SECRET %x 1%04x\nTQ_SECRET %x\n", i, i, i);
        append_text(f, lines);
        g_free(lines);
        /* It grows while it is read. */
        if (i % 100 == 0)
            g_assert_true(keylog_read(f->keylog));
    }
    check_value(find(f, "1f4"), KEYLOG_SECRET, "0101f4");
    check_messages(f, 2);
    check_message(f, 0, "keys.log:2: the secret number has an odd number of digits");
    check_message(f, 0, "(and so in 99 more lines)");
    check_message(f, 1, "keys.log:3: TQ_SECRET needs");

    /* Another file, and told again. */
    write_text(f, "TQ_SECRET aa 1\n");
    g_assert_true(keylog_read(f->keylog));
    check_messages(f, 3);
    check_message(f, 2,
                  "keys.log:1: the secret number has an odd number of digits; it is taken to "
                  "lack a leading zero");
}

static void test_many_mistakes(fixture_t *f, const void *data)
{
    (void)data;
    for (char c = 'A'; c <= 'Z'; c++) {
        char *line = g_strdup_printf("%c_LABEL aa bb\n", c);
        append_text(f, line);
        g_free(line);
    }
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 9); /* eight, and how many more */
    check_message(f, 7, "keys.log:8: unknown label \"H_LABEL\"");
    check_message(f, 8, "18 more lines are wrong");
}

/* A secret in the wrong place stays out of the messages. */
static void test_no_secret_shown(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "C0FFEEC0FFEE 1234\n"
                  "abcdefabcdef\n"
                  "TQ_SECRET C0FFEEC0FFEEx\n"
                  "TQ_SECRET aa C0FFEEC0FFEEx\n"
                  "TQ_SECRET aa bb C0FFEEC0FFEE\n"
                  "deadbeefdeadbeefdeadbeefdeadbeef\n");
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 4);
    for (unsigned i = 0; i < f->messages->len; i++) {
        g_assert_null(strstr(f->messages->pdata[i], "C0FFEE"));
        g_assert_null(strstr(f->messages->pdata[i], "dead"));
        g_assert_null(strstr(f->messages->pdata[i], "abcdef"));
    }
}

static void test_number_sizes(fixture_t *f, const void *data)
{
    (void)data;
    char *most = g_strnfill((size_t)2 * SESSIONKEY_NUMBER_MAX, 'a');
    char *text = g_strdup_printf("TQ_SECRET 00%s 00%s\nTQ_SECRET 1%s 12\nTQ_SECRET 12 1%s\n", most,
                                 most, most, most);
    write_text(f, text);
    g_assert_true(keylog_read(f->keylog));
    g_assert_cmpuint(find(f, most)->length, ==, SESSIONKEY_NUMBER_MAX);
    check_messages(f, 2);
    check_message(f, 0, ":2: the public key is longer than 512 bytes");
    check_message(f, 1, ":3: the secret number is longer than 512 bytes");
    g_free(text);
    g_free(most);
}

static void test_same_key(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "TQ_SECRET aa 11\nTQ_SECRET 0AA 22\nTQ_SECRET aa 11\nTQ_SECRET bb 33\n");
    g_assert_true(keylog_read(f->keylog));
    const keylog_entry_t *entry = find(f, "aa");
    check_value(entry, KEYLOG_SECRET, "22");
    check_value(entry->same_key, KEYLOG_SECRET, "11");
    g_assert_null(entry->same_key->same_key);
    g_assert_cmpuint(keylog_generation(f->keylog), ==, 3);

    entry = keylog_newest(f->keylog);
    check_value(entry, KEYLOG_SECRET, "33");
    check_value(entry->older, KEYLOG_SECRET, "22");
    check_value(entry->older->older, KEYLOG_SECRET, "11");
    g_assert_null(entry->older->older->older);
    check_messages(f, 0);
}

/*
 * Growth and change
 */

static void test_growth(fixture_t *f, const void *data)
{
    (void)data;
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1);
    check_message(f, 0, "Cannot read the key log");
    check_message(f, 0, f->path);
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1); /* said once */

    write_text(f, "");
    g_assert_false(keylog_read(f->keylog));
    append_text(f, "# begins\nTQ_SECRET aa 11\n");
    g_assert_true(keylog_read(f->keylog));
    g_assert_false(keylog_read(f->keylog));
    append_text(f, "TQ_SECRET bb 22\n");
    g_assert_true(keylog_read(f->keylog));
    g_assert_cmpuint(find(f, "bb")->line, ==, 3);
    check_messages(f, 1);
}

/* Whatever part of a line has been written when the file is read, the whole line counts in the end.
 */
static void test_partial_lines(fixture_t *f, const void *data)
{
    (void)data;
    const char *line = "TQ_SECRET a1b2 c3d4e5f6\nTQ_SECRET aa 11\n";

    write_text(f, "");
    for (const char *c = line; *c; c++) {
        put(f, "ab", c, 1);
        keylog_read(f->keylog);
    }
    check_value(find(f, "a1b2"), KEYLOG_SECRET, "c3d4e5f6");
    check_value(find(f, "aa"), KEYLOG_SECRET, "11");
    check_messages(f, 0);
}

static void test_last_line(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "TQ_SECRET aa 11");
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "aa"), KEYLOG_SECRET, "11");
    append_text(f, "22");
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "aa"), KEYLOG_SECRET, "1122");

    /* One that is wrong is reported when no more of it has come. */
    append_text(f, "\nTQ_SECRET bb");
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 0);
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1);
    check_message(f, 0, "keys.log:2: TQ_SECRET needs");
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1);
}

static void test_truncation(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "TQ_SECRET aa 11\nTQ_SECRET bb 22\n");
    g_assert_true(keylog_read(f->keylog));
    write_text(f, "TQ_SECRET cc 33\n");
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "cc"), KEYLOG_SECRET, "33");
    g_assert_cmpuint(find(f, "cc")->line, ==, 1);
    check_value(find(f, "aa"), KEYLOG_SECRET, "11"); /* still known */
    check_messages(f, 0);
}

/* Rewritten in place and longer than before: what stands before the place reached has changed. */
static void test_rewrite(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "TQ_SECRET aa 11\n");
    g_assert_true(keylog_read(f->keylog));
    write_text(f, "TQ_SECRET dddd 44\nTQ_SECRET bb 22\n");
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "dddd"), KEYLOG_SECRET, "44");
    check_value(find(f, "bb"), KEYLOG_SECRET, "22");
    check_messages(f, 0);
}

static void test_replacement(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "TQ_SECRET aa 11\n");
    g_assert_true(keylog_read(f->keylog));

    char *other = g_build_filename(f->folder, "other", NULL);
    g_file_set_contents(other, "TQ_SECRET bb 22\n", -1, NULL);
    g_assert_cmpint(g_rename(other, f->path), ==, 0);
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "bb"), KEYLOG_SECRET, "22");

    /* gone, then back */
    g_remove(f->path);
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1);
    write_text(f, "TQ_SECRET cc 33\n");
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "cc"), KEYLOG_SECRET, "33");
    g_free(other);
}

/*
 * Files that are no key log
 */

static void test_folder(fixture_t *f, const void *data)
{
    (void)data;
    g_assert_cmpint(g_mkdir(f->path, 0700), ==, 0);
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1);
    check_message(f, 0, "is a folder");
}

static void test_pipe(fixture_t *f, const void *data)
{
    (void)data;
    g_assert_cmpint(mkfifo(f->path, 0600), ==, 0);
    g_assert_false(keylog_read(f->keylog)); /* and does not wait for a writer */
    check_messages(f, 1);
    check_message(f, 0, "is a pipe or device");
}

static void test_unreadable(fixture_t *f, const void *data)
{
    (void)data;
    if (geteuid() == 0) {
        g_test_skip("root reads any file");
        return;
    }
    write_text(f, "TQ_SECRET aa 11\n");
    g_chmod(f->path, 0);
    g_assert_false(keylog_read(f->keylog));
    check_messages(f, 1);
    check_message(f, 0, "Permission denied");
    g_chmod(f->path, 0600);
    g_assert_true(keylog_read(f->keylog));
}

static void test_binary(fixture_t *f, const void *data)
{
    (void)data;
    uint8_t noise[100000];
    GRand *random = g_rand_new_with_seed(1);
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)g_rand_int(random);
    g_rand_free(random);

    put(f, "wb", (const char *)noise, sizeof noise);
    g_assert_false(keylog_read(f->keylog));
    g_assert_cmpuint(f->messages->len, <=, 9);
    check_message(f, 0, "this is not a key log line");
    for (unsigned i = 0; i < f->messages->len; i++)
        g_assert_true(g_utf8_validate(f->messages->pdata[i], -1, NULL));
}

static void test_long_lines(fixture_t *f, const void *data)
{
    (void)data;
    char *endless = g_strnfill(300000, 'a');
    char *longest = g_strdup_printf("%-*s", KEYLOG_LINE_MAX, "TQ_SECRET aa 11");

    write_text(f, endless);
    g_assert_false(keylog_read(f->keylog));
    append_text(f, endless);
    append_text(f, "\n");
    append_text(f, longest);
    append_text(f, "\nTQ_SECRET bb 22\n");
    g_assert_true(keylog_read(f->keylog));
    check_messages(f, 1);
    check_message(f, 0, "keys.log:1: the line is longer than 4096 bytes");
    check_value(find(f, "aa"), KEYLOG_SECRET, "11");
    check_value(find(f, "bb"), KEYLOG_SECRET, "22");
    g_free(longest);
    g_free(endless);
}

static void test_huge_file(fixture_t *f, const void *data)
{
    (void)data;
    write_text(f, "TQ_SECRET aa 11\n");
    FILE *file = g_fopen(f->path, "r+b");
    g_assert_cmpint(fseek(file, 4 * KEYLOG_FILE_MAX, SEEK_SET), ==, 0); /* sparse */
    fputc('\n', file);
    fclose(file);
    g_assert_true(keylog_read(f->keylog));
    check_value(find(f, "aa"), KEYLOG_SECRET, "11");
    check_messages(f, 1);
    check_message(f, 0, "larger than 64 MiB");
}

static void test_utf16(fixture_t *f, const void *data)
{
    (void)data;
    static const char little[] = "\xff\xfeT\0Q\0\n\0T\0Q\0\n"; /* and a last NUL */
    static const char big[] = {'\xfe', '\xff', '\0', 'T', '\0', '\n'};

    put(f, "wb", little, sizeof little);
    g_assert_false(keylog_read(f->keylog));
    check_message(f, 0, "keys.log:1: the file is UTF-16");
    g_ptr_array_set_size(f->messages, 0);
    put(f, "wb", big, sizeof big);
    g_assert_false(keylog_read(f->keylog));
    check_message(f, 0, "keys.log:1: the file is UTF-16");
}

static void test_many_secrets(fixture_t *f, const void *data)
{
    (void)data;
    GString *text = g_string_new(NULL);
    for (unsigned i = 1; i <= KEYLOG_ENTRIES_MAX + 20; i++)
        g_string_append_printf(text, "TQ_SECRET %X 11\n", i);
    write_text(f, text->str);
    g_assert_true(keylog_read(f->keylog));
    g_assert_cmpuint(keylog_generation(f->keylog), ==, KEYLOG_ENTRIES_MAX);
    check_message(f, 0, "more than 65536 secrets");
    g_string_free(text, TRUE);
}

/*
 * By hand
 */

static void test_add(void)
{
    keylog_t *keylog = keylog_new(NULL, NULL, NULL);
    char *error = NULL;

    g_assert_false(keylog_read(keylog));
    g_assert_true(keylog_add(keylog, KEYLOG_SECRET, "0aa", "0b", &error));
    g_assert_null(error);
    const keylog_entry_t *entry = keylog_find(keylog, (sessionkey_hex_t){"AA", 2});
    check_value(entry, KEYLOG_SECRET, "0b");
    g_assert_cmpuint(entry->line, ==, 0);

    g_assert_false(keylog_add(keylog, KEYLOG_SECRET, "aa", "", &error));
    g_assert_nonnull(strstr(error, "secret number is zero"));
    g_clear_pointer(&error, g_free);
    g_assert_false(keylog_check("", "11", &error));
    g_assert_nonnull(strstr(error, "public key is zero"));
    g_clear_pointer(&error, g_free);
    g_assert_false(keylog_check("a a", "11", NULL));
    g_assert_true(keylog_check("aa", "11", &error));
    g_assert_null(error);
    keylog_free(keylog);
    keylog_free(NULL);
}

/* p = 23, g = 5: exponents 6 and 15 give public keys 8 and 19, and the secret 2. */
static void test_secret(fixture_t *f, const void *data)
{
    (void)data;
    const sessionkey_exchange_t exchange = {{"17", 2}, {"05", 2}, {"8", 1}, {"13", 2}};
    sessionkey_secret_t secret;
    char *error = NULL;

    write_text(f, "TQ_SERVER_PRIVATE 8 06\nTQ_CLIENT_PRIVATE 13 0f\nTQ_SECRET aa 02\n"
                  "TQ_SERVER_PRIVATE 9 07\n");
    g_assert_true(keylog_read(f->keylog));
    static const char *const public_keys[] = {"8", "13", "aa"};
    for (size_t i = 0; i < G_N_ELEMENTS(public_keys); i++) {
        secret.length = 0;
        g_assert_true(
            keylog_secret(f->keylog, find(f, public_keys[i]), &exchange, &secret, &error));
        g_assert_cmpmem(secret.bytes, secret.length, "\x02", 1);
    }
    g_assert_true(keylog_secret(f->keylog, find(f, "aa"), NULL, &secret, NULL));

    g_assert_false(keylog_secret(f->keylog, find(f, "9"), &exchange, &secret, &error));
    g_assert_nonnull(strstr(error, "keys.log:4: the private exponent does not belong"));
    g_clear_pointer(&error, g_free);

    g_assert_true(keylog_add(f->keylog, KEYLOG_CLIENT_PRIVATE, "14", "03", NULL));
    g_assert_false(keylog_secret(f->keylog, find(f, "14"), &exchange, &secret, &error));
    g_assert_nonnull(strstr(error, "TQ_CLIENT_PRIVATE in the preferences: "));
    g_free(error);
}

static void add(const char *name, void (*test)(fixture_t *, const void *))
{
    g_test_add(name, fixture_t, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/keylog/format", test_format);
    add("/keylog/wrong-lines", test_wrong_lines);
    add("/keylog/repeated-mistakes", test_repeated_mistakes);
    add("/keylog/many-mistakes", test_many_mistakes);
    add("/keylog/no-secret-shown", test_no_secret_shown);
    add("/keylog/number-sizes", test_number_sizes);
    add("/keylog/same-key", test_same_key);
    add("/keylog/growth", test_growth);
    add("/keylog/partial-lines", test_partial_lines);
    add("/keylog/last-line", test_last_line);
    add("/keylog/truncation", test_truncation);
    add("/keylog/rewrite", test_rewrite);
    add("/keylog/replacement", test_replacement);
    add("/keylog/folder", test_folder);
    add("/keylog/pipe", test_pipe);
    add("/keylog/unreadable", test_unreadable);
    add("/keylog/binary", test_binary);
    add("/keylog/utf-16", test_utf16);
    add("/keylog/long-lines", test_long_lines);
    add("/keylog/huge-file", test_huge_file);
    add("/keylog/many-secrets", test_many_secrets);
    g_test_add_func("/keylog/add", test_add);
    add("/keylog/secret", test_secret);
    return g_test_run();
}
