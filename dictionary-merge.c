/* dictionary-merge.c
 * Makes what a file brings part of the dictionary. What is known already stays the same object and
 * takes the new content, since others point to it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dictionary-build.h"

#include <string.h>

void dictionary_discard(struct dictionary *dictionary, gpointer item)
{
    g_ptr_array_add(dictionary->discarded, item);
}

static gint compare_values(gconstpointer a, gconstpointer b)
{
    const struct value *left = (const struct value *)a;
    const struct value *right = (const struct value *)b;

    return (left->number > right->number) - (left->number < right->number);
}

/* Sorts by number; of two with the same number the earlier one stays. */
static void sort_values(struct enumeration *enumeration)
{
    GArray *values = enumeration->values;
    guint kept = 0;

    g_array_sort(values, compare_values);
    for (guint i = 0; i < values->len; i++) {
        struct value *value = &g_array_index(values, struct value, i);

        if (kept > 0 && g_array_index(values, struct value, kept - 1).number == value->number)
            continue;
        g_array_index(values, struct value, kept++) = *value;
    }
    g_array_set_size(values, kept);
}

static void merge_enumeration(struct dictionary *dictionary, struct enumeration *added)
{
    struct enumeration *known =
        (struct enumeration *)g_hash_table_lookup(dictionary->enumerations, added->name);
    GArray *values;

    if (known == NULL) {
        g_hash_table_insert(dictionary->enumerations, added->name, added);
        sort_values(added);
        return;
    }
    /* The new values go first, so that sorting prefers them. */
    values = added->values;
    if (!added->replace)
        g_array_append_vals(values, known->values->data, known->values->len);
    dictionary_discard(dictionary, added);
    dictionary_discard(dictionary, known->values);
    known->values = values;
    known->has_ranges = added->has_ranges || (known->has_ranges && !added->replace);
    sort_values(known);
}

static void merge_kind(struct dictionary *dictionary, struct kind *added)
{
    struct kind *known = (struct kind *)g_hash_table_lookup(dictionary->kinds, added->name);

    if (known == NULL) {
        g_hash_table_insert(dictionary->kinds, added->name, added);
        return;
    }
    dictionary_discard(dictionary, known->derived);
    dictionary_discard(dictionary, added);
    *known = *added;
}

static void follow_likeness(struct dictionary *dictionary)
{
    GHashTableIter iterator;
    gpointer item;

    g_hash_table_iter_init(&iterator, dictionary->kinds);
    while (g_hash_table_iter_next(&iterator, NULL, &item)) {
        struct kind *kind = (struct kind *)item;
        const struct kind *model;

        if (kind->like == NULL)
            continue;
        model = (const struct kind *)g_hash_table_lookup(dictionary->kinds, kind->like);
        if (kind->derived != model->derived)
            dictionary_discard(dictionary, kind->derived);
        kind->derived = model->derived;
        kind->hidden = model->hidden;
    }
}

static bool is_same_layout(const struct layout *a, const struct layout *b)
{
    return a->patch == b->patch && a->types[0] == b->types[0] &&
           g_strcmp0(a->variant, b->variant) == 0;
}

/* Puts a layout behind the last one of its patch or an older one; the first in a file goes
 * first. */
static void insert_layout(struct dictionary *dictionary, struct message *message,
                          struct layout *layout)
{
    guint place = 0;

    for (guint i = 0; i < message->layouts->len; i++) {
        struct layout *known = (struct layout *)g_ptr_array_index(message->layouts, i);

        if (is_same_layout(known, layout)) {
            dictionary_discard(dictionary, known);
            message->layouts->pdata[i] = layout;
            return;
        }
        if (known->patch <= layout->patch)
            place = i + 1;
    }
    g_ptr_array_insert(message->layouts, (gint)place, layout);
}

static void claim_type(struct dictionary *dictionary, struct message *message, uint16_t type,
                       bool replace)
{
    gpointer key = dictionary_key(type, message->server);

    if (replace || !g_hash_table_contains(dictionary->messages, key))
        g_hash_table_insert(dictionary->messages, key, message);
}

static void claim_types(struct dictionary *dictionary, struct message *message, bool replace)
{
    char **also = g_strsplit(message->also != NULL ? message->also : "", " ", -1);

    claim_type(dictionary, message, message->type, replace);
    for (size_t i = 0; also[i] != NULL; i++)
        claim_type(dictionary, message, (uint16_t)g_ascii_strtoull(also[i], NULL, 10), replace);
    g_strfreev(also);
    for (guint i = 0; i < message->layouts->len; i++) {
        const struct layout *layout = (const struct layout *)g_ptr_array_index(message->layouts, i);

        claim_type(dictionary, message, layout->types[0], false);
        claim_type(dictionary, message, layout->types[1], false);
    }
}

static void replace_text(struct dictionary *dictionary, char **known, char *added)
{
    if (added == NULL)
        return;
    dictionary_discard(dictionary, *known);
    *known = added;
}

static void update_message(struct dictionary *dictionary, struct message *known,
                           struct message *added)
{
    replace_text(dictionary, &known->name, added->name);
    replace_text(dictionary, &known->prefix, added->prefix);
    replace_text(dictionary, &known->info, added->info);
    replace_text(dictionary, &known->note, added->note);
    replace_text(dictionary, &known->also, added->also);
    if (added->senders != 0)
        known->senders = added->senders;
    if (added->server != DICTIONARY_SERVER_UNKNOWN)
        known->server = added->server;
    for (guint i = 0; i < added->layouts->len; i++)
        insert_layout(dictionary, known, (struct layout *)g_ptr_array_index(added->layouts, i));
    dictionary_discard(dictionary, added);
    claim_types(dictionary, known, false);
}

static void add_message(struct dictionary *dictionary, struct message *added)
{
    GPtrArray *layouts = added->layouts;

    added->layouts = g_ptr_array_new();
    for (guint i = 0; i < layouts->len; i++)
        insert_layout(dictionary, added, (struct layout *)g_ptr_array_index(layouts, i));
    g_ptr_array_free(layouts, TRUE);
    claim_types(dictionary, added, true);
}

struct message *dictionary_find_known(const struct dictionary *dictionary,
                                      const struct message *added)
{
    struct message *known = dictionary_lookup(dictionary, added->type, added->server);
    bool other = known != NULL && added->server != DICTIONARY_SERVER_UNKNOWN &&
                 known->server != DICTIONARY_SERVER_UNKNOWN && known->server != added->server;

    return other ? NULL : known;
}

static void merge_message(struct dictionary *dictionary, struct message *added)
{
    struct message *known = dictionary_find_known(dictionary, added);

    if (known != NULL && !added->replace) {
        update_message(dictionary, known, added);
        return;
    }
    if (known != NULL)
        dictionary_discard(dictionary, known);
    add_message(dictionary, added);
}

void dictionary_merge(struct dictionary *dictionary, struct dictionary *added)
{
    GHashTableIter iterator;
    gpointer item;

    g_hash_table_iter_init(&iterator, added->enumerations);
    while (g_hash_table_iter_next(&iterator, NULL, &item))
        merge_enumeration(dictionary, (struct enumeration *)item);
    g_hash_table_iter_init(&iterator, added->kinds);
    while (g_hash_table_iter_next(&iterator, NULL, &item))
        merge_kind(dictionary, (struct kind *)item);
    follow_likeness(dictionary);
    g_hash_table_iter_init(&iterator, added->messages);
    while (g_hash_table_iter_next(&iterator, NULL, &item))
        merge_message(dictionary, (struct message *)item);
}
