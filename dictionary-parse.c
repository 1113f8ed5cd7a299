/* dictionary-parse.c
 * Reads one data file into a dictionary of its own, element by element. What the names in it
 * refer to, and joining it to the rest, is the business of dictionary-resolve.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compat.h"

#include "dictionary-attributes.h"
#include "dictionary-build.h"

#include <string.h>

struct parser {
    struct dictionary *dictionary;
    GMarkupParseContext *context;
    struct message *message;
    struct layout *layout;
    GPtrArray *records; /* of struct field *, the open <records>, outermost first */
    struct field *strings;
    struct enumeration *enumeration;
    struct kind *kind;
    char **note; /* where the text of an open <note> goes */
};

static unsigned current_line(const struct parser *parser)
{
    int line;

    g_markup_parse_context_get_position(parser->context, &line, NULL);
    return line > 0 ? (unsigned)line : 0;
}

static uint8_t get_senders(struct attributes *attributes, GError **error)
{
    static const char *const words[] = {"client", "server", "both", NULL};
    static const uint8_t senders[] = {DICTIONARY_SENDER_CLIENT, DICTIONARY_SENDER_SERVER,
                                      DICTIONARY_SENDER_CLIENT | DICTIONARY_SENDER_SERVER};

    return senders[attributes_get_choice(attributes, "sender", words, 2, error)];
}

static uint8_t get_server(struct attributes *attributes, GError **error)
{
    static const char *const words[] = {"", "account", "game", NULL};

    return (uint8_t)attributes_get_choice(attributes, "server", words, DICTIONARY_SERVER_UNKNOWN,
                                          error);
}

/* "MsgUserInfo" -> "conquer.user_info", "MsgPKStatistic" -> "conquer.pk_statistic". */
static char *make_prefix(const char *name)
{
    GString *prefix = g_string_new("conquer.");

    if (g_str_has_prefix(name, "Msg"))
        name += 3;
    for (size_t i = 0; name[i] != '\0'; i++) {
        bool starts_word = g_ascii_isupper(name[i]) && i > 0 &&
                           (!g_ascii_isupper(name[i - 1]) || g_ascii_islower(name[i + 1]));

        if (starts_word && name[i - 1] != '_')
            g_string_append_c(prefix, '_');
        g_string_append_c(prefix, g_ascii_tolower(name[i]));
    }
    return g_string_free(prefix, FALSE);
}

static char *get_message_name(struct attributes *attributes, GError **error)
{
    char *name = attributes_get_copy(attributes, "name");

    if (name == NULL)
        return NULL;
    for (const char *c = name; *c != '\0'; c++) {
        if (!g_ascii_isalnum(*c) && *c != '_') {
            attributes_set_error(error, "name=\"%s\": only letters, digits and _", name);
            break;
        }
    }
    return name;
}

/* Returns whether the key was free. What it stood for before stays with what files failed to bring.
 */
static bool insert_once(struct parser *parser, GHashTable *table, gpointer key, gpointer item)
{
    gpointer before = g_hash_table_lookup(table, key);

    if (before != NULL)
        dictionary_discard(parser->dictionary, before);
    g_hash_table_insert(table, key, item);
    return before == NULL;
}

static void start_message(struct parser *parser, struct attributes *attributes, GError **error)
{
    struct message *message = g_new0(struct message, 1);

    if (attributes_get(attributes, "type") == NULL)
        attributes_set_error(error, "the attribute type is missing");
    message->line = current_line(parser);
    message->type = (uint16_t)attributes_get_number(attributes, "type", 0, UINT16_MAX, error);
    message->name = get_message_name(attributes, error);
    message->prefix = message->name != NULL ? make_prefix(message->name) : NULL;
    message->also = attributes_get_copy(attributes, "also");
    message->info = attributes_get_copy(attributes, "info");
    message->senders =
        attributes_get(attributes, "sender") != NULL ? get_senders(attributes, error) : 0;
    message->server = get_server(attributes, error);
    message->replace = attributes_get_flag(attributes, "replace", error);
    message->layouts = g_ptr_array_new();
    message->derived = g_array_new(FALSE, TRUE, sizeof(struct derived));
    attributes_get(attributes, "listed-in");

    if (!insert_once(parser, parser->dictionary->messages,
                     dictionary_key(message->type, message->server), message))
        attributes_set_error(error, "type %u is in this file already", message->type);
    parser->message = message;
}

/* "4267-4353", "5018-": what a message of the layout shows of its connection. */
static struct patch_evidence get_shows(struct attributes *attributes, GError **error)
{
    struct patch_evidence shows = {0, PATCH_LAST};
    const char *text = attributes_get(attributes, "shows");
    char **ends;
    uint64_t low = 0;
    uint64_t high = PATCH_LAST;

    if (text == NULL)
        return shows;
    ends = g_strsplit(text, "-", 2);
    if (ends[0] == NULL || ends[1] == NULL || !attributes_parse_number(ends[0], PATCH_LAST, &low) ||
        (ends[1][0] != '\0' && !attributes_parse_number(ends[1], PATCH_LAST, &high)) || low > high)
        attributes_set_error(error, "shows=\"%s\" is not two patches, as in 4267-4353 or 5018-",
                             text);
    g_strfreev(ends);
    shows.low = (uint16_t)low;
    shows.high = (uint16_t)high;
    return shows;
}

static void start_layout(struct parser *parser, struct attributes *attributes, GError **error)
{
    static const char *const encodings[] = {"fixed", "protobuf", NULL};
    struct layout *layout = g_new0(struct layout, 1);

    if (attributes_get(attributes, "patch") == NULL)
        attributes_set_error(error, "the attribute patch is missing");
    layout->line = current_line(parser);
    layout->patch = (uint16_t)attributes_get_number(attributes, "patch", 0, UINT16_MAX, error);
    layout->size = (unsigned)attributes_get_number(attributes, "size", 0, UINT16_MAX, error);
    layout->min_size =
        (unsigned)attributes_get_number(attributes, "min-size", 0, UINT16_MAX, error);
    layout->variant = attributes_get_copy(attributes, "variant");
    layout->encoding =
        attributes_get_choice(attributes, "encoding", encodings, LAYOUT_FIXED, error);
    layout->types[0] = (uint16_t)attributes_get_number(attributes, "wire-type",
                                                       parser->message->type, UINT16_MAX, error);
    layout->types[1] = (uint16_t)attributes_get_number(attributes, "also-wire-type",
                                                       layout->types[0], UINT16_MAX, error);
    layout->select_source = attributes_get_copy(attributes, "select");
    layout->senders = get_senders(attributes, error);
    layout->server = get_server(attributes, error);
    layout->shows = get_shows(attributes, error);
    layout->confidence = attributes_get_copy(attributes, "confidence");
    layout->sources = attributes_get_copy(attributes, "sources");
    layout->info = attributes_get_copy(attributes, "info");
    layout->fields = g_ptr_array_new();
    layout->derived = g_array_new(FALSE, TRUE, sizeof(struct derived));
    g_ptr_array_add(parser->message->layouts, layout);
    parser->layout = layout;
}

/* The elements that are fields, with the size that goes without saying; 0: see attributes. */
static const struct {
    const char *element;
    enum field_type type;
    unsigned size;
} field_elements[] = {
    {"u8", FIELD_UNSIGNED, 1},  {"u16", FIELD_UNSIGNED, 2},    {"u32", FIELD_UNSIGNED, 4},
    {"u64", FIELD_UNSIGNED, 8}, {"i8", FIELD_SIGNED, 1},       {"i16", FIELD_SIGNED, 2},
    {"i32", FIELD_SIGNED, 4},   {"i64", FIELD_SIGNED, 8},      {"bool", FIELD_BOOLEAN, 1},
    {"flags", FIELD_FLAGS, 0},  {"text", FIELD_TEXT, 0},       {"pstring", FIELD_PTEXT, 0},
    {"bytes", FIELD_BYTES, 0},  {"strings", FIELD_STRINGS, 0}, {"records", FIELD_RECORDS, 0},
};

static const struct {
    const char *name;
    unsigned encoding;
} text_encodings[] = {
    {"windows-1252", ENC_WINDOWS_1252},
    {"gb18030", ENC_GB18030},
    {"utf-8", ENC_UTF_8},
    {"ascii", ENC_ASCII},
};

static unsigned get_encoding(struct attributes *attributes, GError **error)
{
    const char *name = attributes_get(attributes, "encoding");

    if (name == NULL)
        return 0;
    for (size_t i = 0; i < G_N_ELEMENTS(text_encodings); i++) {
        if (strcmp(text_encodings[i].name, name) == 0)
            return text_encodings[i].encoding;
    }
    attributes_set_error(error, "encoding=\"%s\" is not known here", name);
    return 0;
}

static void get_size(struct field *field, struct attributes *attributes, GError **error)
{
    const char *length = field->type == FIELD_FLAGS ? "size" : "length";
    uint64_t size;

    if (field->size != 0 || field->type == FIELD_PTEXT || field->type == FIELD_STRINGS ||
        field->type == FIELD_RECORDS)
        return;
    size = attributes_get_number(attributes, length, 0, UINT16_MAX, error);
    field->size = (unsigned)size;
    if (field->type == FIELD_FLAGS && size != 1 && size != 2 && size != 4 && size != 8)
        attributes_set_error(error, "size must be 1, 2, 4 or 8");
    if (field->type == FIELD_TEXT && size == 0)
        attributes_set_error(error, "the attribute length is missing");
}

static void get_records(struct field *field, struct attributes *attributes, GError **error)
{
    const char *count = attributes_get(attributes, "count");
    uint64_t number;

    field->stride = (unsigned)attributes_get_number(attributes, "stride", 0, UINT16_MAX, error);
    if (field->stride == 0)
        attributes_set_error(error, "records need a stride of at least 1");
    field->fields = g_ptr_array_new();
    if (count == NULL)
        field->open_ended = true;
    else if (attributes_parse_number(count, UINT16_MAX, &number))
        field->count = (unsigned)number;
    else
        field->count_source = g_strdup(count);
}

static struct field *current_record(const struct parser *parser)
{
    guint depth = parser->records->len;

    return depth > 0 ? (struct field *)g_ptr_array_index(parser->records, depth - 1) : NULL;
}

static void get_place(struct parser *parser, struct field *field, struct attributes *attributes,
                      GError **error)
{
    struct field *record = current_record(parser);
    bool protobuf = parser->layout->encoding == LAYOUT_PROTOBUF;
    const char *place = protobuf ? "id" : "at";
    unsigned first = protobuf ? 1 : record != NULL ? 0 : MESSAGE_HEADER;

    if (attributes_get(attributes, place) == NULL)
        attributes_set_error(error, "the attribute %s is missing", place);
    field->offset = (unsigned)attributes_get_number(attributes, place, first, UINT16_MAX, error);
    if (field->offset < first)
        attributes_set_error(error, "%s=\"%u\" is inside the header", place, field->offset);
    if (protobuf && field->type > FIELD_BOOLEAN)
        attributes_set_error(error, "a protobuf layout has integers only");
    if (record == NULL)
        return;
    if (field->variable && field->type != FIELD_RECORDS)
        attributes_set_error(error, "a record has fields of fixed size only");
    if (field->offset + field->size > record->stride)
        attributes_set_error(error, "the field ends past the record's stride of %u",
                             record->stride);
}

static void start_field(struct parser *parser, size_t which, struct attributes *attributes,
                        GError **error)
{
    struct field *field = g_new0(struct field, 1);
    struct field *record = current_record(parser);

    field->line = current_line(parser);
    field->type = field_elements[which].type;
    field->size = field_elements[which].size;
    field->name = attributes_get_name(attributes, error);
    field->label = attributes_get_label(attributes, field->name);
    field->note = attributes_get_copy(attributes, "note");
    field->enumeration_name = attributes_get_copy(attributes, "enum");
    field->kind_name = attributes_get_copy(attributes, "kind");
    field->means = attributes_get_copy(attributes, "means");
    field->when_source = attributes_get_copy(attributes, "when");
    field->in_record = record != NULL;
    get_size(field, attributes, error);
    if (field->type == FIELD_TEXT || field->type == FIELD_PTEXT)
        field->encoding = get_encoding(attributes, error);
    if (field->type == FIELD_RECORDS)
        get_records(field, attributes, error);
    if (field->type == FIELD_STRINGS)
        field->strings = g_array_new(FALSE, TRUE, sizeof(struct string_name));
    field->variable = field->size == 0;
    get_place(parser, field, attributes, error);
    g_ptr_array_add(record != NULL ? record->fields : parser->layout->fields, field);

    /* Closed again by end_element(). */
    if (field->type == FIELD_RECORDS)
        g_ptr_array_add(parser->records, field);
    if (field->type == FIELD_STRINGS)
        parser->strings = field;
    if (parser->records->len > 4)
        attributes_set_error(error, "records are nested too deeply");
}

static void start_string(struct parser *parser, struct attributes *attributes, GError **error)
{
    struct string_name string = {0};

    string.name = attributes_get_name(attributes, error);
    string.label = attributes_get_label(attributes, string.name);
    string.kind_name = attributes_get_copy(attributes, "kind");
    g_array_append_val(parser->strings->strings, string);
}

static void start_derived(struct parser *parser, struct attributes *attributes, GError **error)
{
    static const char *const displays[] = {"decimal", "hex", "rgb", "milliseconds", NULL};
    struct derived derived = {0};

    derived.line = current_line(parser);
    derived.name = attributes_get_name(attributes, error);
    derived.label = attributes_get_label(attributes, derived.name);
    derived.enumeration_name = attributes_get_copy(attributes, "enum");
    derived.display =
        attributes_get_choice(attributes, "display", displays, DISPLAY_DECIMAL, error);
    derived.hidden = attributes_get_copy(attributes, "hidden");
    derived.in_info = attributes_get_flag(attributes, "info", error);
    derived.value_source = attributes_get_copy(attributes, "value");
    derived.when_source = attributes_get_copy(attributes, "when");
    if (derived.value_source == NULL)
        attributes_set_error(error, "the attribute value is missing");
    if (parser->kind != NULL) {
        g_array_append_val(parser->kind->derived, derived);
        return;
    }
    derived.field = attributes_get_copy(attributes, "field");
    if (derived.field == NULL)
        attributes_set_error(error, "the attribute field is missing");
    g_array_append_val(parser->layout != NULL ? parser->layout->derived : parser->message->derived,
                       derived);
}

static void start_enumeration(struct parser *parser, struct attributes *attributes, GError **error)
{
    static const char *const forms[] = {"values", "flags", "bit_numbers", NULL};
    struct enumeration *enumeration = g_new0(struct enumeration, 1);

    enumeration->name = attributes_get_name(attributes, error);
    enumeration->form = attributes_get_choice(attributes, "kind", forms, FORM_VALUES, error);
    enumeration->replace = attributes_get_flag(attributes, "replace", error);
    enumeration->values = g_array_new(FALSE, TRUE, sizeof(struct value));
    attributes_get(attributes, "patch");
    attributes_get(attributes, "sources");
    if (!insert_once(parser, parser->dictionary->enumerations, enumeration->name, enumeration))
        attributes_set_error(error, "the enumeration \"%s\" is in this file already",
                             enumeration->name);
    parser->enumeration = enumeration;
}

/* The roles that a field can play under an action. */
static const char *const roles[] = {"id", "data", "target", "type", "progress", "value", NULL};

static void start_value(struct parser *parser, struct attributes *attributes, GError **error)
{
    struct value value = {0};

    if (attributes_get(attributes, "number") == NULL)
        attributes_set_error(error, "the attribute number is missing");
    value.number = attributes_get_number(attributes, "number", 0, UINT64_MAX, error);
    value.last = attributes_get_number(attributes, "to", value.number, UINT64_MAX, error);
    if (value.last < value.number)
        attributes_set_error(error, "the range ends before it starts");
    value.name = attributes_get_name(attributes, error);
    value.label = attributes_get_label(attributes, value.name);
    attributes_get(attributes, "recipient");
    attributes_get(attributes, "response");
    for (size_t i = 0; roles[i] != NULL; i++) {
        const char *role = attributes_get(attributes, roles[i]);

        if (role == NULL)
            continue;
        if (value.roles == NULL)
            value.roles = g_hash_table_new(g_str_hash, g_str_equal);
        g_hash_table_insert(value.roles, (gpointer)roles[i], g_strdup(role));
    }
    parser->enumeration->has_ranges |= value.last != value.number;
    g_array_append_val(parser->enumeration->values, value);
}

static void start_kind(struct parser *parser, struct attributes *attributes, GError **error)
{
    struct kind *kind = g_new0(struct kind, 1);

    kind->line = current_line(parser);
    kind->name = attributes_get_name(attributes, error);
    kind->like = attributes_get_copy(attributes, "like");
    kind->hidden = attributes_get_copy(attributes, "hidden");
    kind->conceal = attributes_get_flag(attributes, "conceal", error);
    kind->enciphered = attributes_get_flag(attributes, "enciphered", error);
    kind->address = attributes_get_flag(attributes, "address", error);
    kind->patch = attributes_get_flag(attributes, "patch", error);
    kind->derived = g_array_new(FALSE, TRUE, sizeof(struct derived));
    if (!insert_once(parser, parser->dictionary->kinds, kind->name, kind))
        attributes_set_error(error, "the kind \"%s\" is in this file already", kind->name);
    parser->kind = kind;
}

/* Opens the note of whatever is open; that of an enumeration is for readers of the file only. */
static void start_note(struct parser *parser)
{
    if (parser->kind != NULL)
        parser->note = &parser->kind->note;
    else if (parser->layout != NULL)
        parser->note = &parser->layout->note;
    else if (parser->message != NULL)
        parser->note = &parser->message->note;
}

static bool start_field_element(struct parser *parser, const char *element,
                                struct attributes *attributes, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(field_elements); i++) {
        if (strcmp(field_elements[i].element, element) == 0) {
            start_field(parser, i, attributes, error);
            return true;
        }
    }
    return false;
}

/* Whether an element may start where the parser is. */
static bool start_here(struct parser *parser, const char *parent, const char *element,
                       struct attributes *attributes, GError **error)
{
    bool top = parent != NULL && strcmp(parent, "dictionary") == 0;
    bool is_derived = strcmp(element, "derived") == 0;

    if (parent == NULL)
        return strcmp(element, "dictionary") == 0;
    if (parser->note != NULL || strcmp(parent, "note") == 0)
        return false;
    if (strcmp(element, "note") == 0 && !top)
        start_note(parser);
    else if (top && strcmp(element, "message") == 0)
        start_message(parser, attributes, error);
    else if (top && strcmp(element, "enumeration") == 0)
        start_enumeration(parser, attributes, error);
    else if (top && strcmp(element, "kind") == 0)
        start_kind(parser, attributes, error);
    else if (strcmp(parent, "message") == 0 && strcmp(element, "layout") == 0)
        start_layout(parser, attributes, error);
    else if (strcmp(parent, "enumeration") == 0 && strcmp(element, "value") == 0)
        start_value(parser, attributes, error);
    else if (is_derived && (strcmp(parent, "kind") == 0 || strcmp(parent, "layout") == 0 ||
                            strcmp(parent, "message") == 0))
        start_derived(parser, attributes, error);
    else if (strcmp(parent, "strings") == 0 && strcmp(element, "string") == 0)
        start_string(parser, attributes, error);
    else if (strcmp(parent, "layout") == 0 || strcmp(parent, "records") == 0)
        return start_field_element(parser, element, attributes, error);
    else
        return false;
    return true;
}

static void start_element(GMarkupParseContext *context, const char *element, const char **names,
                          const char **values, gpointer user, GError **error)
{
    struct parser *parser = (struct parser *)user;
    struct attributes attributes = {.names = names, .values = values};
    const GSList *stack = g_markup_parse_context_get_element_stack(context);
    const char *parent = stack->next != NULL ? (const char *)stack->next->data : NULL;
    GError *problem = NULL;

    parser->context = context;
    if (!start_here(parser, parent, element, &attributes, &problem)) {
        if (parent != NULL)
            attributes_set_error(&problem, "<%s> cannot stand inside <%s>", element, parent);
        else
            attributes_set_error(&problem, "the outermost element must be <dictionary>, not <%s>",
                                 element);
    }
    if (problem == NULL)
        attributes_refuse_unknown(&attributes, element, &problem);
    if (problem != NULL)
        g_propagate_error(error, problem);
}

static void end_element(GMarkupParseContext *context, const char *element, gpointer user,
                        GError **error)
{
    struct parser *parser = (struct parser *)user;

    (void)context;
    (void)error;
    if (strcmp(element, "message") == 0)
        parser->message = NULL;
    else if (strcmp(element, "layout") == 0)
        parser->layout = NULL;
    else if (strcmp(element, "records") == 0)
        g_ptr_array_set_size(parser->records, (int)parser->records->len - 1);
    else if (strcmp(element, "strings") == 0)
        parser->strings = NULL;
    else if (strcmp(element, "enumeration") == 0)
        parser->enumeration = NULL;
    else if (strcmp(element, "kind") == 0)
        parser->kind = NULL;
    else if (strcmp(element, "note") == 0)
        parser->note = NULL;
}

static void add_text(GMarkupParseContext *context, const char *text, gsize length, gpointer user,
                     GError **error)
{
    struct parser *parser = (struct parser *)user;
    const char *element = g_markup_parse_context_get_element(context);
    char *copy = g_strndup(text, length);

    g_strstrip(copy);
    if (copy[0] != '\0' && strcmp(element, "note") != 0)
        g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT,
                    "<%s> holds elements, no text", element);
    if (parser->note != NULL && copy[0] != '\0') {
        char *joined = *parser->note != NULL ? g_strjoin("; ", *parser->note, copy, NULL) : NULL;

        g_free(*parser->note);
        *parser->note = joined != NULL ? joined : g_strdup(copy);
    }
    g_free(copy);
}

/* GLib's own errors start with "Error on line 7 char 3: "; ours do not know their line yet. */
static char *describe_error(const char *file, GMarkupParseContext *context, const GError *error)
{
    int line;
    const char *reason = error->message;

    g_markup_parse_context_get_position(context, &line, NULL);
    if (g_str_has_prefix(reason, "Error on line ") || g_str_has_prefix(reason, "On line ")) {
        const char *colon = strstr(reason, ": ");

        if (colon != NULL)
            reason = colon + 2;
    }
    return g_strdup_printf("%s:%d: %s", file, line, reason);
}

/* Editors of Windows write it; GLib takes it for text. */
static const char *skip_byte_order_mark(const char *text, size_t *length)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};

    if (*length < sizeof mark || memcmp(text, mark, sizeof mark) != 0)
        return text;
    *length -= sizeof mark;
    return text + sizeof mark;
}

/* A mark of either byte order. */
static bool is_utf16(const char *text, size_t length)
{
    return length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
}

char *dictionary_parse(struct dictionary *dictionary, const char *file, const char *text,
                       size_t length)
{
    static const GMarkupParser callbacks = {start_element, end_element, add_text, NULL, NULL};
    struct parser parser = {0};
    GMarkupParseContext *context;
    GError *error = NULL;
    char *problem = NULL;

    if (is_utf16(text, length))
        return g_strdup_printf("%s:1: this is UTF-16; save it as UTF-8", file);
    parser.dictionary = dictionary_new();
    parser.records = g_ptr_array_new();
    text = skip_byte_order_mark(text, &length);
    context = g_markup_parse_context_new(&callbacks, G_MARKUP_PREFIX_ERROR_POSITION, &parser, NULL);
    if (!g_markup_parse_context_parse(context, text, (gssize)length, &error) ||
        !g_markup_parse_context_end_parse(context, &error)) {
        problem = describe_error(file, context, error);
        g_error_free(error);
        dictionary_discard(dictionary, parser.dictionary);
    } else {
        problem = dictionary_join(dictionary, parser.dictionary, file);
    }
    g_markup_parse_context_free(context);
    g_ptr_array_free(parser.records, TRUE);
    return problem;
}
