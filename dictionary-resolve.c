/* dictionary-resolve.c
 * Looks up the names in what a file brings, and checks what the reader of elements could not. Only
 * when all is well does it become part of the dictionary, in dictionary-merge.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dictionary-attributes.h"
#include "dictionary-build.h"

#include <inttypes.h>
#include <string.h>

struct join {
    struct dictionary *dictionary;
    struct dictionary *added;
    const char *file;
    char *problem; /* the first mistake */
};

/* Where an expression finds its names. */
struct scope {
    const GPtrArray *fields; /* of the layout; NULL in a kind */
    const GPtrArray *record; /* of the innermost record, or NULL */
};

static G_GNUC_PRINTF(3, 4) void report(struct join *join, unsigned line, const char *format, ...)
{
    va_list arguments;
    char *reason;

    if (join->problem != NULL)
        return;
    va_start(arguments, format);
    reason = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    join->problem = g_strdup_printf("%s:%u: %s", join->file, line, reason);
    g_free(reason);
}

static struct field *find_field(const GPtrArray *fields, const char *name)
{
    for (guint i = 0; fields != NULL && i < fields->len; i++) {
        struct field *field = (struct field *)g_ptr_array_index(fields, i);

        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

static struct field *find_in_scope(const struct scope *scope, const char *name)
{
    struct field *field = find_field(scope->record, name);

    return field != NULL ? field : find_field(scope->fields, name);
}

static bool is_integer(const struct field *field)
{
    return field->type <= FIELD_FLAGS;
}

/* The number that one of the fields' enumerations has under a name: 'magic_attack'. */
static bool find_value(const GPtrArray *fields, const char *name, int64_t *number)
{
    for (guint i = 0; fields != NULL && i < fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(fields, i);
        const GArray *values = field->enumeration != NULL ? field->enumeration->values : NULL;

        for (guint j = 0; values != NULL && j < values->len; j++) {
            const struct value *value = &g_array_index(values, struct value, j);

            if (strcmp(value->name, name) == 0) {
                *number = (int64_t)value->number;
                return true;
            }
        }
    }
    return false;
}

/* The words and names of expressions; fields come last, so that "size" is always the header's. */
static bool resolve_operand(const char *name, bool word, void *user, const void **operand,
                            bool *constant, int64_t *value)
{
    static const struct {
        const char *word;
        int64_t value;
    } words[] = {
        {"account", DICTIONARY_SERVER_ACCOUNT},
        {"game", DICTIONARY_SERVER_GAME},
        {"client", DICTIONARY_FROM_CLIENT},
        {"server", DICTIONARY_FROM_SERVER},
    };
    const struct scope *scope = (const struct scope *)user;
    const struct field *field;

    for (size_t i = 0; word && i < G_N_ELEMENTS(words); i++) {
        if (strcmp(words[i].word, name) == 0) {
            *constant = true;
            *value = words[i].value;
            return true;
        }
    }
    if (word) {
        *constant = true;
        return find_value(scope->fields, name, value);
    }
    *operand = dictionary_special_operand(name);
    if (*operand != NULL)
        return (scope->fields == NULL) == (strcmp(name, "this") == 0);
    field = find_in_scope(scope, name);
    *operand = field;
    return field != NULL && is_integer(field);
}

static struct expression *resolve_expression(struct join *join, const struct scope *scope,
                                             const char *attribute, const char *source,
                                             unsigned line)
{
    char *error = NULL;
    struct expression *expression;

    if (source == NULL)
        return NULL;
    expression = expression_parse(source, resolve_operand, (void *)scope, &error);
    if (expression == NULL)
        report(join, line, "%s=\"%s\": %s", attribute, source, error);
    g_free(error);
    return expression;
}

/* An enumeration that is extended stays the same object, so that earlier layouts see what is
 * added: the dictionary's own comes first. */
static struct enumeration *resolve_enumeration(struct join *join, const char *name, unsigned line)
{
    struct enumeration *enumeration;

    if (name == NULL)
        return NULL;
    enumeration = (struct enumeration *)g_hash_table_lookup(join->dictionary->enumerations, name);
    if (enumeration == NULL)
        enumeration = (struct enumeration *)g_hash_table_lookup(join->added->enumerations, name);
    if (enumeration == NULL)
        report(join, line, "there is no enumeration \"%s\"", name);
    return enumeration;
}

static struct kind *find_kind(struct join *join, const char *name)
{
    struct kind *kind = (struct kind *)g_hash_table_lookup(join->dictionary->kinds, name);

    return kind != NULL ? kind : (struct kind *)g_hash_table_lookup(join->added->kinds, name);
}

static struct kind *resolve_kind(struct join *join, const char *name, unsigned line)
{
    struct kind *kind = name != NULL ? find_kind(join, name) : NULL;

    if (name != NULL && kind == NULL)
        report(join, line, "there is no kind \"%s\"", name);
    return kind;
}

static void check_hidden(struct join *join, const char *hidden, unsigned line)
{
    static const char *const known[] = {"role_id", "item_id", "account_id", "name", NULL};

    if (hidden != NULL && !g_strv_contains(known, hidden))
        report(join, line, "hidden=\"%s\" is none of role_id, item_id, account_id, name", hidden);
}

static void resolve_derived(struct join *join, const struct scope *scope, struct derived *derived)
{
    derived->enumeration = resolve_enumeration(join, derived->enumeration_name, derived->line);
    derived->value = resolve_expression(join, scope, "value", derived->value_source, derived->line);
    derived->when = resolve_expression(join, scope, "when", derived->when_source, derived->line);
    check_hidden(join, derived->hidden, derived->line);
    if (derived->field != NULL && find_field(scope->fields, derived->field) == NULL)
        report(join, derived->line, "there is no field \"%s\" to derive from", derived->field);
}

/* means="action.data": the enumeration of field action says what this field is. */
static void resolve_means(struct join *join, const struct scope *scope, struct field *field)
{
    char **parts;

    if (field->means == NULL)
        return;
    parts = g_strsplit(field->means, ".", 2);
    field->means_by = parts[0] != NULL ? find_in_scope(scope, parts[0]) : NULL;
    if (field->means_by == NULL || parts[1] == NULL || field->means_by->enumeration_name == NULL)
        report(join, field->line, "means=\"%s\" is not an enumerated field, a dot and a role",
               field->means);
    else
        field->means_role = g_intern_string(parts[1]);
    g_strfreev(parts);
}

static void resolve_count(struct join *join, const struct scope *scope, struct field *field)
{
    if (field->count_source == NULL)
        return;
    field->count_field = find_in_scope(scope, field->count_source);
    if (field->count_field == NULL || !is_integer(field->count_field))
        report(join, field->line, "count=\"%s\" is neither a number nor an integer field",
               field->count_source);
}

static void check_use(struct join *join, const struct field *field)
{
    if (field->enumeration != NULL && !is_integer(field))
        report(join, field->line, "only integers have an enumeration");
    if (field->type == FIELD_FLAGS && field->enumeration == NULL)
        report(join, field->line, "flags need the attribute enum");
    if (field->kind != NULL && field->kind->derived->len > 0 && !is_integer(field))
        report(join, field->line, "the kind \"%s\" is for integers", field->kind->name);
}

static void resolve_fields(struct join *join, const struct scope *scope, const GPtrArray *fields);

static void resolve_field(struct join *join, const struct scope *scope, struct field *field)
{
    field->enumeration = resolve_enumeration(join, field->enumeration_name, field->line);
    field->kind = resolve_kind(join, field->kind_name, field->line);
    field->when = resolve_expression(join, scope, "when", field->when_source, field->line);
    resolve_means(join, scope, field);
    resolve_count(join, scope, field);
    check_use(join, field);
    for (guint i = 0; field->strings != NULL && i < field->strings->len; i++) {
        struct string_name *string = &g_array_index(field->strings, struct string_name, i);

        string->kind = resolve_kind(join, string->kind_name, field->line);
    }
    if (field->type == FIELD_RECORDS) {
        struct scope inner = {scope->fields, field->fields};

        resolve_fields(join, &inner, field->fields);
    }
}

static void resolve_fields(struct join *join, const struct scope *scope, const GPtrArray *fields)
{
    for (guint i = 0; i < fields->len; i++)
        resolve_field(join, scope, (struct field *)g_ptr_array_index(fields, i));
}

static int compare_offsets(gconstpointer a, gconstpointer b)
{
    const struct field *left = *(const struct field *const *)a;
    const struct field *right = *(const struct field *const *)b;

    return (left->offset > right->offset) - (left->offset < right->offset);
}

static struct field *make_unused(unsigned offset, unsigned size, bool in_record)
{
    struct field *field = g_new0(struct field, 1);

    field->type = FIELD_BYTES;
    field->name = g_strdup("unused");
    field->label = g_strdup("Unused");
    field->offset = offset;
    field->size = size;
    field->in_record = in_record;
    field->unused = true;
    return field;
}

/* Bytes between first and end that no field covers are shown too, as unused. */
static void fill_holes(GPtrArray *fields, unsigned first, unsigned end, bool in_record)
{
    bool *covered = g_new0(bool, end + 1);

    for (guint i = 0; i < fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(fields, i);
        unsigned size = field->variable ? end : field->size;

        if (field->type == FIELD_RECORDS && field->count != 0)
            size = field->count * field->stride;
        for (unsigned at = field->offset; at < field->offset + size && at < end; at++)
            covered[at] = true;
    }
    covered[end] = true;
    for (unsigned at = first; at < end; at++) {
        unsigned start = at;

        while (!covered[at])
            at++;
        if (at > start)
            g_ptr_array_add(fields, make_unused(start, at - start, in_record));
    }
    g_free(covered);
    g_ptr_array_sort(fields, compare_offsets);
}

static void fill_record_holes(const GPtrArray *fields)
{
    for (guint i = 0; i < fields->len; i++) {
        struct field *field = (struct field *)g_ptr_array_index(fields, i);

        if (field->type != FIELD_RECORDS)
            continue;
        fill_record_holes(field->fields);
        fill_holes(field->fields, 0, field->stride, true);
    }
}

static void check_size(struct join *join, struct layout *layout, const struct field *field)
{
    unsigned end = field->offset + field->size;

    if (layout->size != 0 && end > layout->size)
        report(join, field->line, "the field ends at %u, past the layout's size of %u", end,
               layout->size);
    if (end > UINT16_MAX)
        report(join, field->line, "the field ends past the longest message");
    layout->variable |= field->variable;
    layout->end = MAX(layout->end, end);
}

static void place_fields(struct join *join, struct layout *layout)
{
    layout->end = MAX(layout->size, MESSAGE_HEADER);
    for (guint i = 0; i < layout->fields->len; i++)
        check_size(join, layout, (const struct field *)g_ptr_array_index(layout->fields, i));
    if (layout->size != 0 && layout->min_size > layout->size)
        report(join, layout->line, "min-size is greater than size");
    if (layout->min_size == 0 && !layout->variable)
        layout->min_size = layout->end;
    if (join->problem == NULL) {
        fill_record_holes(layout->fields);
        fill_holes(layout->fields, MESSAGE_HEADER, layout->end, false);
    }
}

static void describe_layout(struct layout *layout)
{
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "patch %u", layout->patch);
    if (layout->variant != NULL)
        g_string_append_printf(text, ", variant %s", layout->variant);
    if (layout->confidence != NULL)
        g_string_append_printf(text, ", %s", layout->confidence);
    if (layout->sources != NULL)
        g_string_append_printf(text, " (%s)", layout->sources);
    layout->description = g_string_free(text, FALSE);
}

/* Gives a layout those values derived from the fields of its message that it has the fields for.
 * Returns how many. */
static guint share_derived(struct join *join, struct layout *layout, const GArray *derived)
{
    struct scope scope = {layout->fields, NULL};
    guint before = layout->derived->len;

    for (guint i = 0; i < derived->len; i++) {
        struct derived copy = g_array_index(derived, struct derived, i);
        struct join attempt = {join->dictionary, join->added, join->file, NULL};

        resolve_derived(&attempt, &scope, &copy);
        if (attempt.problem == NULL)
            g_array_append_val(layout->derived, copy);
        g_free(attempt.problem);
    }
    return layout->derived->len - before;
}

static void resolve_layout(struct join *join, struct layout *layout)
{
    struct scope scope = {layout->fields, NULL};

    resolve_fields(join, &scope, layout->fields);
    layout->select =
        resolve_expression(join, &scope, "select", layout->select_source, layout->line);
    for (guint i = 0; i < layout->derived->len; i++)
        resolve_derived(join, &scope, &g_array_index(layout->derived, struct derived, i));
    if (layout->encoding == LAYOUT_FIXED)
        place_fields(join, layout);
    else
        layout->variable = true;
    describe_layout(layout);
}

static void resolve_kinds(struct join *join)
{
    GHashTableIter iterator;
    gpointer item;
    struct scope scope = {NULL, NULL};

    g_hash_table_iter_init(&iterator, join->added->kinds);
    while (g_hash_table_iter_next(&iterator, NULL, &item)) {
        struct kind *kind = (struct kind *)item;

        check_hidden(join, kind->hidden, kind->line);
        for (guint i = 0; i < kind->derived->len; i++)
            resolve_derived(join, &scope, &g_array_index(kind->derived, struct derived, i));
        if (kind->like != NULL && find_kind(join, kind->like) == NULL)
            report(join, kind->line, "there is no kind \"%s\" to be like", kind->like);
    }
}

static void resolve_message(struct join *join, struct message *message)
{
    const struct message *known = dictionary_find_known(join->dictionary, message);
    guint shared = 0;

    if (message->name == NULL && (known == NULL || message->replace))
        report(join, message->line, "a new message needs a name");
    for (guint i = 0; i < message->layouts->len; i++) {
        struct layout *layout = (struct layout *)g_ptr_array_index(message->layouts, i);

        resolve_layout(join, layout);
        shared += share_derived(join, layout, message->derived);
        if (known != NULL && !message->replace)
            share_derived(join, layout, known->derived);
    }
    if (shared < message->derived->len)
        report(join, message->line, "some <derived> of the message fits none of its layouts");
}

static void resolve_messages(struct join *join)
{
    GHashTableIter iterator;
    gpointer message;

    g_hash_table_iter_init(&iterator, join->added->messages);
    while (g_hash_table_iter_next(&iterator, NULL, &message))
        resolve_message(join, (struct message *)message);
}

char *dictionary_join(struct dictionary *dictionary, struct dictionary *added, const char *file)
{
    struct join join = {.dictionary = dictionary, .added = added, .file = file};

    resolve_kinds(&join);
    resolve_messages(&join);
    if (join.problem == NULL)
        dictionary_merge(dictionary, added);
    dictionary_discard(dictionary, added);
    return join.problem;
}

/* An enumeration that an action gives to a field serves as a kind with one derived value. */
static struct kind *make_enumeration_kind(struct dictionary *dictionary,
                                          struct enumeration *enumeration)
{
    struct kind *kind = g_new0(struct kind, 1);
    struct scope scope = {NULL, NULL};
    char *error = NULL;
    struct derived derived = {
        .name = enumeration->name,
        .label = attributes_make_label(enumeration->name),
        .enumeration = enumeration,
        .in_info = true,
        .value = expression_parse("this", resolve_operand, &scope, &error),
    };

    kind->name = enumeration->name;
    kind->derived = g_array_new(FALSE, TRUE, sizeof(struct derived));
    g_array_append_val(kind->derived, derived);
    g_hash_table_insert(dictionary->kinds, kind->name, kind);
    return kind;
}

static struct meaning *make_meaning(struct dictionary *dictionary, const char *token)
{
    struct meaning *meaning = g_new0(struct meaning, 1);
    struct enumeration *enumeration;

    meaning->token = token;
    meaning->kind = (struct kind *)g_hash_table_lookup(dictionary->kinds, token);
    if (meaning->kind != NULL)
        return meaning;
    enumeration = (struct enumeration *)g_hash_table_lookup(dictionary->enumerations, token);
    if (enumeration != NULL)
        meaning->kind = make_enumeration_kind(dictionary, enumeration);
    return meaning;
}

static void settle_roles(struct dictionary *dictionary, GHashTable *table)
{
    GHashTableIter iterator;
    gpointer token;

    if (table == NULL)
        return;
    g_hash_table_iter_init(&iterator, table);
    while (g_hash_table_iter_next(&iterator, NULL, &token))
        g_hash_table_iter_replace(&iterator, make_meaning(dictionary, (const char *)token));
}

static void mark_telling(struct message *message)
{
    for (guint i = 0; i < message->layouts->len; i++) {
        const struct layout *layout = (const struct layout *)g_ptr_array_index(message->layouts, i);

        message->tells_patch |= layout->shows.low != 0;
        for (guint j = 0; j < layout->fields->len; j++) {
            const struct field *field = (const struct field *)g_ptr_array_index(layout->fields, j);

            message->tells_patch |= field->kind != NULL && field->kind->patch;
        }
    }
}

void dictionary_finish(struct dictionary *dictionary)
{
    GHashTableIter iterator;
    gpointer item;

    g_hash_table_iter_init(&iterator, dictionary->enumerations);
    while (g_hash_table_iter_next(&iterator, NULL, &item)) {
        GArray *values = ((struct enumeration *)item)->values;

        for (guint i = 0; i < values->len; i++)
            settle_roles(dictionary, g_array_index(values, struct value, i).roles);
    }
    g_hash_table_iter_init(&iterator, dictionary->messages);
    while (g_hash_table_iter_next(&iterator, NULL, &item))
        mark_telling((struct message *)item);
}
