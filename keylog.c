/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keylog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#ifndef S_ISREG
#define S_ISREG(mode) (((mode)&S_IFMT) == S_IFREG)
#define S_ISDIR(mode) (((mode)&S_IFMT) == S_IFDIR)
#endif

/* Kinds of mistakes that are told one by one; of the other wrong lines, only how many. */
#define MISTAKES_MAX 8

/* Bytes before the reading position that are compared to tell an append from a rewrite. */
#define CONTEXT_SIZE 64

#define DIGITS_MAX ((size_t)2 * SESSIONKEY_NUMBER_MAX)

typedef struct {
    uint8_t bytes[CONTEXT_SIZE];
    size_t length;
} context_t;

/* How far a file has been read, and how it looked then. */
typedef struct {
    bool known;         /* the rest is valid */
    GStatBuf status;    /* when it was last read */
    long position;      /* of the first byte not read for good */
    unsigned line;      /* lines before it */
    context_t context;  /* the bytes before it */
    char *last_problem; /* of a last line that has no end; more of it may come */
} file_t;

/* A mistake, which is told once in a file, however many lines have it. */
typedef struct {
    char *text;
    unsigned line; /* the first one */
    unsigned more; /* further lines */
    bool told;
} mistake_t;

struct keylog {
    char *path; /* NULL: no file */
    keylog_report_fn report;
    void *data;

    GHashTable *by_public_key; /* digits in upper case -> newest keylog_entry_t */
    keylog_entry_t *newest;
    unsigned generation; /* also counts the entries */

    file_t file;
    mistake_t mistakes[MISTAKES_MAX];
    mistake_t others; /* wrong lines beyond these */
    char *problem;    /* what was last said about the file as a whole, to say it once */
};

static const char *const labels[KEYLOG_KINDS] = {
    [KEYLOG_SECRET] = "TQ_SECRET",
    [KEYLOG_SERVER_PRIVATE] = "TQ_SERVER_PRIVATE",
    [KEYLOG_CLIENT_PRIVATE] = "TQ_CLIENT_PRIVATE",
};

const char *keylog_label(keylog_kind_t kind)
{
    return labels[kind];
}

keylog_t *keylog_new(const char *path, keylog_report_fn report, void *data)
{
    keylog_t *keylog = g_new0(keylog_t, 1);
    if (path && path[0])
        keylog->path = g_strdup(path);
    keylog->report = report;
    keylog->data = data;
    keylog->by_public_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return keylog;
}

static void forget_mistakes(keylog_t *keylog)
{
    for (mistake_t *mistake = keylog->mistakes; mistake < keylog->mistakes + MISTAKES_MAX;
         mistake++) {
        g_free(mistake->text);
        *mistake = (mistake_t){0};
    }
    keylog->others = (mistake_t){0};
}

void keylog_free(keylog_t *keylog)
{
    if (!keylog)
        return;
    for (keylog_entry_t *entry = keylog->newest, *older; entry; entry = older) {
        older = entry->older;
        g_free(entry->value);
        g_free(entry);
    }
    g_hash_table_destroy(keylog->by_public_key);
    forget_mistakes(keylog);
    g_free(keylog->file.last_problem);
    g_free(keylog->problem);
    g_free(keylog->path);
    g_free(keylog);
}

unsigned keylog_generation(const keylog_t *keylog)
{
    return keylog->generation;
}

/*
 * Numbers
 */

/* A stretch of a line. */
typedef struct {
    const char *text;
    size_t length;
} token_t;

static token_t skip_zeros(token_t digits)
{
    while (digits.length > 0 && digits.text[0] == '0') {
        digits.text++;
        digits.length--;
    }
    return digits;
}

/* What is wrong with a number, or NULL. */
static const char *check_number(token_t digits)
{
    for (size_t i = 0; i < digits.length; i++) {
        if (!g_ascii_isxdigit(digits.text[i]))
            return "is not hexadecimal";
    }
    digits = skip_zeros(digits);
    if (digits.length == 0)
        return "is zero";
    if (digits.length > DIGITS_MAX)
        return "is longer than " G_STRINGIFY(SESSIONKEY_NUMBER_MAX) " bytes";
    return NULL;
}

static char *check_entry(token_t public_key, token_t value)
{
    const char *problem = check_number(public_key);
    if (problem)
        return g_strdup_printf("the public key %s", problem);
    problem = check_number(value);
    if (problem)
        return g_strdup_printf("the secret number %s", problem);
    return NULL;
}

/* Public keys are compared as text in one form: upper case, no leading zeros. */
static char *normalize(token_t digits)
{
    digits = skip_zeros(digits);
    return g_ascii_strup(digits.text, (gssize)digits.length);
}

static uint8_t *decode(token_t digits, size_t *length)
{
    digits = skip_zeros(digits);
    *length = (digits.length + 1) / 2;
    uint8_t *bytes = g_malloc0(*length);

    size_t odd = digits.length % 2; /* then the first byte has one digit */
    for (size_t i = 0; i < digits.length; i++) {
        unsigned nibble = (unsigned)g_ascii_xdigit_value(digits.text[i]);
        bytes[(i + odd) / 2] = (uint8_t)(bytes[(i + odd) / 2] << 4 | nibble);
    }
    return bytes;
}

/*
 * Entries
 */

static bool is_known(const keylog_entry_t *same_key, const keylog_entry_t *entry)
{
    for (; same_key; same_key = same_key->same_key) {
        if (same_key->kind == entry->kind && same_key->length == entry->length &&
            memcmp(same_key->value, entry->value, entry->length) == 0)
            return true;
    }
    return false;
}

/* Adds an entry whose numbers have been checked, unless it is there or there are too many. */
static void add_entry(keylog_t *keylog, keylog_kind_t kind, token_t public_key, token_t value,
                      unsigned line)
{
    keylog_entry_t entry = {.kind = kind, .line = line};
    char *key = normalize(public_key);

    entry.value = decode(value, &entry.length);
    entry.same_key = g_hash_table_lookup(keylog->by_public_key, key);
    if (keylog->generation >= KEYLOG_ENTRIES_MAX || is_known(entry.same_key, &entry)) {
        g_free(entry.value);
        g_free(key);
        return;
    }
    entry.older = keylog->newest;
    keylog->newest = g_memdup2(&entry, sizeof entry);
    keylog->generation++;
    g_hash_table_replace(keylog->by_public_key, key, keylog->newest);
}

static bool pass_problem(char *problem, char **error)
{
    if (error)
        *error = problem;
    else
        g_free(problem);
    return !problem;
}

bool keylog_check(const char *public_key, const char *value, char **error)
{
    return pass_problem(
        check_entry((token_t){public_key, strlen(public_key)}, (token_t){value, strlen(value)}),
        error);
}

bool keylog_add(keylog_t *keylog, keylog_kind_t kind, const char *public_key, const char *value,
                char **error)
{
    if (!keylog_check(public_key, value, error))
        return false;
    add_entry(keylog, kind, (token_t){public_key, strlen(public_key)},
              (token_t){value, strlen(value)}, 0);
    return true;
}

const keylog_entry_t *keylog_find(const keylog_t *keylog, sessionkey_hex_t public_key)
{
    if (public_key.length == 0)
        return NULL;
    const char *end = memchr(public_key.digits, '\0', public_key.length);
    size_t length = end ? (size_t)(end - public_key.digits) : public_key.length;
    char *key = normalize((token_t){public_key.digits, length});
    const keylog_entry_t *entry = g_hash_table_lookup(keylog->by_public_key, key);
    g_free(key);
    return entry;
}

const keylog_entry_t *keylog_newest(const keylog_t *keylog)
{
    return keylog->newest;
}

bool keylog_secret(const keylog_t *keylog, const keylog_entry_t *entry,
                   const sessionkey_exchange_t *exchange, sessionkey_secret_t *secret, char **error)
{
    char *problem = NULL;
    bool ok;

    if (entry->kind == KEYLOG_SECRET)
        ok = sessionkey_set_secret(secret, entry->value, entry->length, &problem);
    else
        ok = sessionkey_compute_secret(exchange, entry->kind == KEYLOG_SERVER_PRIVATE, entry->value,
                                       entry->length, secret, &problem);
    if (ok)
        return true;

    if (error && entry->line > 0)
        *error = g_strdup_printf("%s:%u: %s", keylog->path, entry->line, problem);
    else if (error)
        *error = g_strdup_printf("%s in the preferences: %s", labels[entry->kind], problem);
    g_free(problem);
    return false;
}

/*
 * Lines
 */

static void report(const keylog_t *keylog, const char *message)
{
    if (keylog->report)
        keylog->report(message, keylog->data);
}

/* Takes `text`: what is wrong with a line. */
static void note_mistake(keylog_t *keylog, unsigned line, char *text)
{
    mistake_t *mistake = keylog->mistakes, *end = mistake + MISTAKES_MAX;

    while (mistake < end && mistake->text && strcmp(mistake->text, text) != 0)
        mistake++;
    if (mistake < end && !mistake->text) {
        *mistake = (mistake_t){.text = text, .line = line};
        return;
    }
    if (mistake == end)
        mistake = &keylog->others;
    mistake->more++;
    g_free(text);
}

static void tell_mistakes(keylog_t *keylog)
{
    mistake_t *mistake = keylog->mistakes, *end = mistake + MISTAKES_MAX;

    for (; mistake < end && mistake->text; mistake++) {
        if (mistake->told)
            continue;
        char *more = mistake->more == 0
                         ? g_strdup("")
                         : g_strdup_printf(" (and so in %u more lines)", mistake->more);
        char *text =
            g_strdup_printf("%s:%u: %s%s", keylog->path, mistake->line, mistake->text, more);
        report(keylog, text);
        g_free(text);
        g_free(more);
        mistake->told = true;
    }
    if (keylog->others.more > 0 && !keylog->others.told) {
        char *text = g_strdup_printf("%s: %u more lines are wrong in other ways", keylog->path,
                                     keylog->others.more);
        report(keylog, text);
        g_free(text);
        keylog->others.told = true;
    }
}

/* Takes the next token off the front of `rest`; an empty one at its end. */
static token_t next_token(token_t *rest)
{
    while (rest->length > 0 && g_ascii_isspace(rest->text[0])) {
        rest->text++;
        rest->length--;
    }
    token_t token = {rest->text, 0};
    while (token.length < rest->length && !g_ascii_isspace(token.text[token.length]))
        token.length++;
    rest->text += token.length;
    rest->length -= token.length;
    return token;
}

static keylog_kind_t find_kind(token_t label)
{
    for (keylog_kind_t kind = KEYLOG_SECRET; kind < KEYLOG_KINDS; kind++) {
        if (strlen(labels[kind]) == label.length &&
            g_ascii_strncasecmp(labels[kind], label.text, label.length) == 0)
            return kind;
    }
    return KEYLOG_KINDS;
}

/* A label is shown if it cannot be a number: a secret in its place must not end up in a message. */
static char *describe_label(token_t label)
{
    if (label.length >= 2 &&
        (memcmp(label.text, "\xff\xfe", 2) == 0 || memcmp(label.text, "\xfe\xff", 2) == 0))
        return g_strdup("the file is UTF-16; write it as UTF-8");
    bool is_word = label.length <= 24 && memchr(label.text, '_', label.length);
    for (size_t i = 0; is_word && i < label.length; i++)
        is_word = g_ascii_isalpha(label.text[i]) || label.text[i] == '_';
    if (is_word)
        return g_strdup_printf("unknown label \"%.*s\"", (int)label.length, label.text);
    return g_strdup("this is not a key log line: it does not begin with a label");
}

/* Parses a line and adds what it says. Returns what is wrong with it, or NULL. */
static char *parse_line(keylog_t *keylog, token_t line, unsigned number)
{
    if (line.length > KEYLOG_LINE_MAX)
        return g_strdup("the line is longer than " G_STRINGIFY(KEYLOG_LINE_MAX) " bytes");

    token_t rest = line;
    token_t label = next_token(&rest);
    token_t public_key = next_token(&rest);
    token_t value = next_token(&rest);

    if (label.length == 0 || label.text[0] == '#')
        return NULL;
    keylog_kind_t kind = find_kind(label);
    if (kind == KEYLOG_KINDS)
        return describe_label(label);
    if (value.length == 0)
        return g_strdup_printf("%s needs a public key and a secret number", labels[kind]);
    token_t more = next_token(&rest);
    if (more.length > 0 && more.text[0] != '#')
        return g_strdup_printf("there is more on the line than %s takes", labels[kind]);

    char *problem = check_entry(public_key, value);
    if (problem)
        return problem;
    if (keylog->generation >= KEYLOG_ENTRIES_MAX)
        return g_strdup("there are more than " G_STRINGIFY(KEYLOG_ENTRIES_MAX) " secrets");
    add_entry(keylog, kind, public_key, value, number);
    if (value.length % 2 != 0)
        return g_strdup("the secret number has an odd number of digits; it is taken to lack a "
                        "leading zero");
    return NULL;
}

/*
 * The file
 */

/* Says once what is wrong with the file as a whole. Takes `problem`, NULL when all is well. */
static void set_problem(keylog_t *keylog, char *problem)
{
    if (problem && g_strcmp0(problem, keylog->problem) != 0)
        report(keylog, problem);
    g_free(keylog->problem);
    keylog->problem = problem;
}

static void read_context(FILE *stream, long position, context_t *context)
{
    context->length = (size_t)MIN(position, CONTEXT_SIZE);
    if (fseek(stream, position - (long)context->length, SEEK_SET) != 0 ||
        fread(context->bytes, 1, context->length, stream) != context->length)
        context->length = 0;
}

static bool is_continued(FILE *stream, const file_t *file)
{
    context_t now;
    read_context(stream, file->position, &now);
    return now.length == file->context.length &&
           memcmp(now.bytes, file->context.bytes, now.length) == 0;
}

/* Reads lines up to `end`. A last line without an end counts, and stays to be read again. */
static void read_lines(keylog_t *keylog, FILE *stream, long end)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char text[KEYLOG_LINE_MAX];
    size_t length = 0;
    file_t *file = &keylog->file;
    int c;

    for (long position = file->position; position < end && (c = getc(stream)) != EOF; position++) {
        if (c != '\n') {
            if (length < sizeof text)
                text[length] = (char)c;
            length++;
            if (file->position == 0 && length == 3 && memcmp(text, byte_order_mark, 3) == 0)
                length = 0;
            continue;
        }
        file->line++;
        file->position = position + 1;
        char *problem = parse_line(keylog, (token_t){text, length}, file->line);
        if (problem)
            note_mistake(keylog, file->line, problem);
        length = 0;
    }
    file->last_problem = parse_line(keylog, (token_t){text, length}, file->line + 1);
}

/* Once the file has rested from one reading to the next, its last line is as good as ended. */
static void report_last_line(keylog_t *keylog)
{
    file_t *file = &keylog->file;
    if (!file->last_problem)
        return;
    note_mistake(keylog, file->line + 1, file->last_problem);
    tell_mistakes(keylog);
    file->last_problem = NULL;
}

static void read_file(keylog_t *keylog, FILE *stream, const GStatBuf *status)
{
    file_t *file = &keylog->file;
    bool replaced = status->st_ino != file->status.st_ino ||
                    status->st_dev != file->status.st_dev || status->st_size < file->position;

    g_free(file->last_problem);
    file->last_problem = NULL;
    if (!file->known || replaced || !is_continued(stream, file)) {
        *file = (file_t){.known = true};
        forget_mistakes(keylog);
    }
    if (fseek(stream, file->position, SEEK_SET) != 0)
        return;

    read_lines(keylog, stream, (long)MIN(status->st_size, KEYLOG_FILE_MAX));
    tell_mistakes(keylog);
    read_context(stream, file->position, &file->context);
    file->status = *status;
}

static bool is_unchanged(const file_t *file, const GStatBuf *status)
{
    return file->known && status->st_size == file->status.st_size &&
           status->st_mtime == file->status.st_mtime && status->st_ino == file->status.st_ino &&
           status->st_dev == file->status.st_dev;
}

bool keylog_read(keylog_t *keylog)
{
    unsigned generation = keylog->generation;
    GStatBuf status;

    if (!keylog->path)
        return false;
    if (g_stat(keylog->path, &status) != 0) {
        set_problem(keylog, g_strdup_printf("Cannot read the key log %s: %s", keylog->path,
                                            g_strerror(errno)));
        return false;
    }
    /* Opening a pipe would wait for a writer, and a device need not end. */
    if (!S_ISREG(status.st_mode)) {
        set_problem(keylog,
                    g_strdup_printf("The key log %s is %s, not a file", keylog->path,
                                    S_ISDIR(status.st_mode) ? "a folder" : "a pipe or device"));
        return false;
    }
    if (is_unchanged(&keylog->file, &status)) {
        report_last_line(keylog);
        return false;
    }

    FILE *stream = g_fopen(keylog->path, "rb");
    if (!stream) {
        set_problem(keylog, g_strdup_printf("Cannot read the key log %s: %s", keylog->path,
                                            g_strerror(errno)));
        return false;
    }
    read_file(keylog, stream, &status);
    fclose(stream);
    set_problem(keylog,
                status.st_size > KEYLOG_FILE_MAX
                    ? g_strdup_printf("The key log %s is larger than %ld MiB; the rest is not read",
                                      keylog->path, KEYLOG_FILE_MAX >> 20)
                    : NULL);
    return keylog->generation != generation;
}
