/* dictionary.c
 * Loads the dictionary and answers what the transport asks of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compat.h"

#include "dictionary-model.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>
#include <wsutil/filesystem.h>
#include <wsutil/report_message.h>

/* Where messages/CMakeLists.txt puts the built-in files. */
#define RESOURCE_FOLDER "/tq/messages"

/* The folder of the user's files in both configuration folders. */
#define USER_FOLDER "tq"

/* Largest file that is read, in bytes; the built-in ones have less than 0.5 MB in all. */
#define FILE_SIZE_MAX (INT64_C(8) << 20)

/* Longer messages are possible, but none is known: telling a wrong key from a right one gains. */
#define LONGEST_USUAL 4096

static struct dictionary *dictionary;
static struct dictionary_type *types;
static value_string *type_names;
static value_string_ext *type_names_ext;
static size_t types_count;

struct dictionary *dictionary_new(void)
{
    struct dictionary *created = g_new0(struct dictionary, 1);

    created->messages = g_hash_table_new(g_direct_hash, g_direct_equal);
    created->enumerations = g_hash_table_new(g_str_hash, g_str_equal);
    created->kinds = g_hash_table_new(g_str_hash, g_str_equal);
    created->discarded = g_ptr_array_new();
    return created;
}

const struct dictionary *dictionary_get(void)
{
    return dictionary;
}

/* Type 1102 is one message to the account server and another to the game server. */
gpointer dictionary_key(uint16_t type, unsigned server)
{
    return GUINT_TO_POINTER(server == DICTIONARY_SERVER_ACCOUNT ? type | 0x10000U : type);
}

struct message *dictionary_lookup(const struct dictionary *in, uint16_t type, unsigned server)
{
    unsigned other =
        server == DICTIONARY_SERVER_ACCOUNT ? DICTIONARY_SERVER_GAME : DICTIONARY_SERVER_ACCOUNT;
    gpointer message = g_hash_table_lookup(in->messages, dictionary_key(type, server));

    if (message == NULL)
        message = g_hash_table_lookup(in->messages, dictionary_key(type, other));
    return (struct message *)message;
}

const struct message *dictionary_find(uint16_t type, unsigned server)
{
    return dictionary_lookup(dictionary, type, server);
}

const char *dictionary_type_name(uint16_t type)
{
    const struct message *message = dictionary_find(type, DICTIONARY_SERVER_UNKNOWN);

    return message != NULL ? message->name : NULL;
}

static void report_problem(char *problem)
{
    if (problem == NULL)
        return;
    report_failure("TQ message dictionary: %s. The file is left out.", problem);
    g_free(problem);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void load_builtin_file(const char *name)
{
    char *path = g_strconcat(RESOURCE_FOLDER "/", name, NULL);
    GBytes *bytes = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    gsize length = 0;
    const char *text;

    if (bytes == NULL) {
        report_failure("TQ message dictionary: this build holds no %s", path);
    } else {
        text = (const char *)g_bytes_get_data(bytes, &length);
        report_problem(dictionary_parse(dictionary, name, text, length));
        g_bytes_unref(bytes);
    }
    g_free(path);
}

/* What messages refer to comes first. */
static void load_builtin(void)
{
    static const char *const first[] = {"enumerations.xml", "values.xml", NULL};
    char **names =
        g_resources_enumerate_children(RESOURCE_FOLDER, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

    for (size_t i = 0; first[i] != NULL; i++)
        load_builtin_file(first[i]);
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        if (!g_strv_contains(first, names[i]))
            load_builtin_file(names[i]);
    }
    g_strfreev(names);
}

/* What is no regular file, such as a pipe, may never end. Returns NULL or what is wrong. */
static char *check_file(const char *path)
{
    GStatBuf status;

    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return g_strdup_printf("%s: not a regular file; remove it or rename it", path);
    if (g_stat(path, &status) == 0 && (int64_t)status.st_size > FILE_SIZE_MAX)
        return g_strdup_printf("%s: larger than %d MiB; split it", path,
                               (int)(FILE_SIZE_MAX >> 20));
    return NULL;
}

static void load_file(const char *path)
{
    char *text, *problem = check_file(path);
    gsize length;
    GError *error = NULL;

    if (problem != NULL) {
        report_problem(problem);
        return;
    }
    if (!g_file_get_contents(path, &text, &length, &error)) {
        report_problem(g_strdup_printf("%s: %s", path, error->message));
        g_error_free(error);
        return;
    }
    report_problem(dictionary_parse(dictionary, path, text, length));
    g_free(text);
}

/* Takes over folder. */
static void load_folder(char *folder)
{
    GDir *directory = g_dir_open(folder, 0, NULL);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
        if (g_str_has_suffix(name, ".xml"))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        char *path = g_build_filename(folder, (const char *)g_ptr_array_index(names, i), NULL);

        load_file(path);
        g_free(path);
    }
    g_ptr_array_free(names, TRUE);
    if (directory != NULL)
        g_dir_close(directory);
    g_free(folder);
}

static unsigned longest_size(const struct layout *layout)
{
    return layout->variable ? LONGEST_USUAL : layout->end;
}

/* The sizes that layouts of a type allow; without any, all that is usual. */
static struct dictionary_type summarize(uint16_t type, const struct message *message)
{
    struct dictionary_type summary = {.type = type, .min_size = UINT16_MAX};

    for (guint i = 0; i < message->layouts->len; i++) {
        const struct layout *layout = (const struct layout *)g_ptr_array_index(message->layouts, i);
        unsigned shortest = layout->min_size != 0 ? layout->min_size : layout->end;

        if (layout->types[0] != type && layout->types[1] != type)
            continue;
        summary.has_layouts = true;
        summary.min_size = (uint16_t)MIN(summary.min_size, MAX(shortest, MESSAGE_HEADER));
        summary.max_size = (uint16_t)MAX(summary.max_size, longest_size(layout));
    }
    if (!summary.has_layouts) {
        summary.min_size = MESSAGE_HEADER;
        summary.max_size = LONGEST_USUAL;
    }
    summary.senders = message->senders != 0 ? message->senders
                                            : DICTIONARY_SENDER_CLIENT | DICTIONARY_SENDER_SERVER;
    return summary;
}

static int compare_types(const void *a, const void *b)
{
    return ((const struct dictionary_type *)a)->type - ((const struct dictionary_type *)b)->type;
}

/* Makes one entry of two with the same type, which follow each other. */
static size_t join_types(struct dictionary_type *list, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct dictionary_type *last = kept > 0 ? &list[kept - 1] : NULL;

        if (last == NULL || last->type != list[i].type) {
            list[kept++] = list[i];
            continue;
        }
        last->min_size = MIN(last->min_size, list[i].min_size);
        last->max_size = MAX(last->max_size, list[i].max_size);
        last->senders |= list[i].senders;
        last->has_layouts &= list[i].has_layouts;
    }
    return kept;
}

static void list_types(void)
{
    GHashTableIter iterator;
    gpointer key;
    gpointer message;

    types = g_new0(struct dictionary_type, g_hash_table_size(dictionary->messages));
    g_hash_table_iter_init(&iterator, dictionary->messages);
    while (g_hash_table_iter_next(&iterator, &key, &message))
        types[types_count++] =
            summarize((uint16_t)GPOINTER_TO_UINT(key), (const struct message *)message);
    qsort(types, types_count, sizeof *types, compare_types);
    types_count = join_types(types, types_count);

    type_names = g_new0(value_string, types_count + 1);
    for (size_t i = 0; i < types_count; i++)
        type_names[i] = (value_string){types[i].type, dictionary_type_name(types[i].type)};
    type_names_ext = tq_value_string_ext_new(type_names, (guint)types_count + 1, "tq_types");
}

void dictionary_load(void)
{
    if (dictionary != NULL)
        return;
    dictionary = dictionary_new();
    load_builtin();
    load_folder(get_datafile_path(USER_FOLDER));
    load_folder(get_persconffile_path(USER_FOLDER, FALSE));
    dictionary_finish(dictionary);
    list_types();
}

const struct dictionary_type *dictionary_types(size_t *count)
{
    *count = types_count;
    return types;
}

value_string_ext *dictionary_type_names(void)
{
    return type_names_ext;
}

static const struct dictionary_type *find_type(uint16_t type)
{
    struct dictionary_type key = {.type = type};

    return (const struct dictionary_type *)bsearch(&key, types, types_count, sizeof *types,
                                                   compare_types);
}

enum dictionary_fit dictionary_header_fit(uint16_t type, uint16_t size, unsigned direction)
{
    const struct dictionary_type *known = find_type(type);
    unsigned sender =
        direction == DICTIONARY_FROM_CLIENT ? DICTIONARY_SENDER_CLIENT : DICTIONARY_SENDER_SERVER;

    if (known == NULL)
        return DICTIONARY_UNKNOWN_TYPE;
    if (direction != DICTIONARY_DIRECTION_UNKNOWN && (known->senders & sender) == 0)
        return DICTIONARY_WRONG_SENDER;
    if (size < known->min_size || size > known->max_size)
        return DICTIONARY_ODD_SIZE;
    return known->has_layouts ? DICTIONARY_PLAUSIBLE : DICTIONARY_NO_LAYOUT;
}
