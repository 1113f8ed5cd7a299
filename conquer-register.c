/* conquer-register.c
 * One header field for each field of the dictionary.
 *
 * A name may have several widths, and several enumerations, in the layouts of different patches.
 * It gets one type wide enough for all of them, so that a filter means the same everywhere, and
 * one header per enumeration, all under the same filter name, as Wireshark allows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conquer-internal.h"

#include <string.h>

enum family { FAMILY_BOOLEAN, FAMILY_UNSIGNED, FAMILY_SIGNED, FAMILY_TEXT, FAMILY_BYTES };

/* What all fields of one filter name have in common. */
struct shape {
    enum family family;
    unsigned size; /* bytes of an integer */
    bool hex;
};

struct registration {
    int proto;
    GHashTable *shapes;  /* filter name -> struct shape * */
    GHashTable *headers; /* filter name, enumeration, display -> struct header * */
    GArray *fields;      /* of hf_register_info, registered in one go */
};

/* Wireshark keeps pointers into it. */
static hf_register_info *registered;

static const enum family families[] = {
    [FIELD_UNSIGNED] = FAMILY_UNSIGNED, [FIELD_SIGNED] = FAMILY_SIGNED,
    [FIELD_BOOLEAN] = FAMILY_BOOLEAN,   [FIELD_FLAGS] = FAMILY_UNSIGNED,
    [FIELD_TEXT] = FAMILY_TEXT,         [FIELD_PTEXT] = FAMILY_TEXT,
    [FIELD_BYTES] = FAMILY_BYTES,       [FIELD_STRINGS] = FAMILY_UNSIGNED,
    [FIELD_RECORDS] = FAMILY_UNSIGNED,
};

typedef void (*visit_field)(struct registration *registration, const struct message *message,
                            struct layout *layout, struct field *field);

static struct shape get_shape(const struct field *field)
{
    bool is_list = field->type == FIELD_STRINGS || field->type == FIELD_RECORDS;

    return (struct shape){
        .family = families[field->type],
        .size = is_list ? 2 : field->size,
        .hex = field->type == FIELD_FLAGS,
    };
}

/* Numbers of both signs need a signed type that is wider than the unsigned ones. */
static struct shape join_shapes(struct shape a, struct shape b)
{
    struct shape joined = {MAX(a.family, b.family), MAX(a.size, b.size), a.hex || b.hex};
    const struct shape *plain = a.family == FAMILY_UNSIGNED ? &a : &b;

    if (a.family == b.family)
        return joined;
    if (joined.family >= FAMILY_TEXT)
        joined.family = FAMILY_BYTES;
    else if (joined.family == FAMILY_SIGNED && plain->family == FAMILY_UNSIGNED &&
             plain->size >= joined.size)
        joined.size = 8;
    return joined;
}

static header_field_info make_info(const char *label, enum ftenum type, int display)
{
    header_field_info info = {label, NULL, type, display, NULL, 0, NULL, HFILL};

    return info;
}

static char *get_filter_name(const struct message *message, const char *name)
{
    return g_strconcat(message->prefix, ".", name, NULL);
}

static void note_shape(struct registration *registration, const struct message *message,
                       const char *name, struct shape shape)
{
    char *filter = get_filter_name(message, name);
    struct shape *known = (struct shape *)g_hash_table_lookup(registration->shapes, filter);

    if (known != NULL) {
        *known = join_shapes(*known, shape);
        g_free(filter);
        return;
    }
    known = g_new(struct shape, 1);
    *known = shape;
    g_hash_table_insert(registration->shapes, filter, known);
}

static void note_field(struct registration *registration, const struct message *message,
                       struct layout *layout, struct field *field)
{
    (void)layout;
    if (field->unused)
        return;
    note_shape(registration, message, field->name, get_shape(field));
    if (field->type == FIELD_STRINGS)
        note_shape(registration, message, "string", (struct shape){.family = FAMILY_TEXT});
    for (guint i = 0; field->strings != NULL && i < field->strings->len; i++)
        note_shape(registration, message, g_array_index(field->strings, struct string_name, i).name,
                   (struct shape){.family = FAMILY_TEXT});
}

static enum ftenum get_type(const struct shape *shape)
{
    switch (shape->family) {
    case FAMILY_BOOLEAN:
        return FT_BOOLEAN;
    case FAMILY_UNSIGNED:
        return shape->size == 1   ? FT_UINT8
               : shape->size == 2 ? FT_UINT16
               : shape->size <= 4 ? FT_UINT32
                                  : FT_UINT64;
    case FAMILY_SIGNED:
        return shape->size == 1   ? FT_INT8
               : shape->size == 2 ? FT_INT16
               : shape->size <= 4 ? FT_INT32
                                  : FT_INT64;
    case FAMILY_TEXT:
        return FT_STRING;
    default:
        return FT_BYTES;
    }
}

static const range_string *make_ranges(const GArray *values)
{
    range_string *ranges = g_new0(range_string, values->len + 1);

    for (guint i = 0; i < values->len; i++) {
        const struct value *value = &g_array_index(values, struct value, i);

        ranges[i] = (range_string){value->number, value->last, value->label};
    }
    return ranges;
}

static const value_string_ext *make_strings(const struct enumeration *enumeration)
{
    const GArray *values = enumeration->values;
    value_string *strings = wmem_alloc0_array(wmem_epan_scope(), value_string, values->len + 1);
    guint count = 0;

    for (guint i = 0; i < values->len; i++) {
        const struct value *value = &g_array_index(values, struct value, i);

        if (value->number <= UINT32_MAX)
            strings[count++] = (value_string){(uint32_t)value->number, value->label};
    }
    return tq_value_string_ext_new(strings, count + 1, enumeration->name);
}

static const val64_string *make_strings64(const GArray *values)
{
    val64_string *strings = g_new0(val64_string, values->len + 1);

    for (guint i = 0; i < values->len; i++) {
        const struct value *value = &g_array_index(values, struct value, i);

        strings[i] = (val64_string){value->number, value->label};
    }
    return strings;
}

/* Sets how a number is shown: its base, and the names of its values. */
static void set_display(header_field_info *info, struct enumeration *enumeration, bool hex)
{
    bool wide = info->type == FT_UINT64 || info->type == FT_INT64;

    info->display = hex ? BASE_HEX : BASE_DEC;
    if (info->type == FT_BOOLEAN || info->type == FT_STRING || info->type == FT_BYTES)
        info->display = BASE_NONE;
    if (enumeration == NULL || enumeration->form != FORM_VALUES || info->display == BASE_NONE)
        return;
    if (enumeration->has_ranges) {
        if (enumeration->strings == NULL)
            enumeration->strings = make_ranges(enumeration->values);
        info->strings = enumeration->strings;
        info->display |= BASE_RANGE_STRING;
    } else if (wide) {
        if (enumeration->strings64 == NULL)
            enumeration->strings64 = make_strings64(enumeration->values);
        info->strings = enumeration->strings64;
        info->display |= BASE_VAL64_STRING;
    } else {
        if (enumeration->strings == NULL)
            enumeration->strings = make_strings(enumeration);
        info->strings = enumeration->strings;
        info->display |= BASE_EXT_STRING;
    }
}

/* Finds or makes the header of a filter name with an enumeration and a display. Takes over filter
 * name and description. */
static struct header *get_header(struct registration *registration, char *filter, char *description,
                                 const header_field_info *info, struct enumeration *enumeration)
{
    char *key =
        g_strdup_printf("%s %s %d %" PRIx64, filter, enumeration != NULL ? enumeration->name : "",
                        info->display, (uint64_t)info->bitmask);
    struct header *header = (struct header *)g_hash_table_lookup(registration->headers, key);
    hf_register_info entry = {NULL, *info};

    if (header != NULL) {
        g_free(filter);
        g_free(description);
        g_free(key);
        return header;
    }
    header = g_new(struct header, 1);
    header->id = -1;
    header->type = info->type;
    entry.p_id = &header->id;
    entry.hfinfo.abbrev = filter;
    entry.hfinfo.blurb = description;
    g_array_append_val(registration->fields, entry);
    g_hash_table_insert(registration->headers, key, header);
    return header;
}

static char *describe(const struct message *message, const char *label, const char *note)
{
    return note != NULL ? g_strdup_printf("%s of %s: %s", label, message->name, note)
                        : g_strdup_printf("%s of %s", label, message->name);
}

static struct header *get_field_header(struct registration *registration,
                                       const struct message *message, const char *name,
                                       const char *label, const char *note,
                                       struct enumeration *enumeration)
{
    char *filter = get_filter_name(message, name);
    const struct shape *shape =
        (const struct shape *)g_hash_table_lookup(registration->shapes, filter);
    header_field_info info = make_info(label, get_type(shape), BASE_NONE);

    set_display(&info, enumeration, shape->hex);
    return get_header(registration, filter, describe(message, label, note), &info, enumeration);
}

static struct header *get_derived_header(struct registration *registration,
                                         const struct message *message, const char *field,
                                         const char *label, const struct derived *derived)
{
    char *filter = g_strconcat(message->prefix, ".", field, ".", derived->name, NULL);
    header_field_info info = make_info(derived->label, FT_UINT32, BASE_NONE);
    bool flags = derived->enumeration != NULL && derived->enumeration->form != FORM_VALUES;
    bool hex = flags || derived->display == DISPLAY_HEX || derived->display == DISPLAY_RGB;

    if (flags)
        info.type = FT_UINT64;
    else if (derived->display == DISPLAY_RGB)
        info.type = FT_UINT24;
    set_display(&info, derived->enumeration, hex);
    if (derived->display == DISPLAY_MILLISECONDS) {
        info.type = FT_RELATIVE_TIME;
        info.display = BASE_NONE;
    }
    return get_header(registration, filter,
                      g_strdup_printf("%s, from %s of %s", derived->label, label, message->name),
                      &info, derived->enumeration);
}

static const struct header **get_derived_headers(struct registration *registration,
                                                 const struct message *message,
                                                 const struct field *field, const struct kind *kind)
{
    const struct header **headers = g_new0(const struct header *, kind->derived->len + 1);

    for (guint i = 0; i < kind->derived->len; i++)
        headers[i] = get_derived_header(registration, message, field->name, field->label,
                                        &g_array_index(kind->derived, struct derived, i));
    return headers;
}

/* The headers of all kinds that a field may have under some action. */
static GHashTable *get_meanings(struct registration *registration, const struct message *message,
                                const struct field *field)
{
    const GArray *values = field->means_by->enumeration->values;
    GHashTable *meanings = g_hash_table_new(g_direct_hash, g_direct_equal);

    for (guint i = 0; i < values->len; i++) {
        GHashTable *roles = g_array_index(values, struct value, i).roles;
        const struct meaning *meaning =
            roles != NULL ? (const struct meaning *)g_hash_table_lookup(roles, field->means_role)
                          : NULL;

        if (meaning == NULL || meaning->kind == NULL ||
            g_hash_table_contains(meanings, meaning->kind))
            continue;
        g_hash_table_insert(
            meanings, meaning->kind,
            (gpointer)get_derived_headers(registration, message, field, meaning->kind));
    }
    return meanings;
}

static int *get_bit(struct registration *registration, const struct message *message,
                    const struct field *field, const struct value *value)
{
    char *filter = g_strconcat(message->prefix, ".", field->name, ".", value->name, NULL);
    header_field_info info = make_info(value->label, FT_BOOLEAN, (int)(8 * field->size));

    info.bitmask = value->number;
    if (field->enumeration->form == FORM_BIT_NUMBERS)
        info.bitmask = UINT64_C(1) << (value->number & 63);
    return &get_header(registration, filter,
                       g_strdup_printf("%s in %s of %s", value->label, field->label, message->name),
                       &info, field->enumeration)
                ->id;
}

static int **get_bits(struct registration *registration, const struct message *message,
                      const struct field *field)
{
    const GArray *values = field->enumeration->values;
    int **bits = g_new0(int *, values->len + 1);
    guint count = 0;

    for (guint i = 0; i < values->len; i++) {
        const struct value *value = &g_array_index(values, struct value, i);
        unsigned width = 8 * field->size;
        bool fits = width == 64 || value->number >> width == 0;

        if (field->enumeration->form == FORM_BIT_NUMBERS)
            fits = value->number < width;
        else if (value->number == 0)
            continue;
        if (fits)
            bits[count++] = get_bit(registration, message, field, value);
    }
    return bits;
}

static void register_strings(struct registration *registration, const struct message *message,
                             struct field *field)
{
    field->text = get_field_header(registration, message, "string", "String", NULL, NULL);
    for (guint i = 0; i < field->strings->len; i++) {
        struct string_name *string = &g_array_index(field->strings, struct string_name, i);

        string->header =
            get_field_header(registration, message, string->name, string->label, NULL, NULL);
    }
}

static struct header *get_address_header(struct registration *registration,
                                         const struct message *message, const struct field *field)
{
    char *filter = g_strconcat(message->prefix, ".", field->name, ".address", NULL);
    header_field_info info = make_info("Address", FT_IPv4, BASE_NONE);

    return get_header(registration, filter, describe(message, field->label, "as an address"), &info,
                      NULL);
}

static void register_field(struct registration *registration, const struct message *message,
                           struct layout *layout, struct field *field)
{
    (void)layout;
    if (field->unused)
        return;
    field->header = get_field_header(registration, message, field->name, field->label, field->note,
                                     field->enumeration);
    if (field->type == FIELD_STRINGS)
        register_strings(registration, message, field);
    if (field->type == FIELD_FLAGS)
        field->bits = get_bits(registration, message, field);
    if (field->kind != NULL && field->kind->address)
        field->address = get_address_header(registration, message, field);
    if (field->kind != NULL)
        field->derived = get_derived_headers(registration, message, field, field->kind);
    if (field->means_by != NULL)
        field->meanings = get_meanings(registration, message, field);
}

static void register_derived(struct registration *registration, const struct message *message,
                             struct layout *layout)
{
    for (guint i = 0; i < layout->derived->len; i++) {
        struct derived *derived = &g_array_index(layout->derived, struct derived, i);

        derived->header =
            get_derived_header(registration, message, derived->field, derived->field, derived);
    }
}

static void visit_fields(struct registration *registration, const struct message *message,
                         struct layout *layout, const GPtrArray *fields, visit_field visit)
{
    for (guint i = 0; i < fields->len; i++) {
        struct field *field = (struct field *)g_ptr_array_index(fields, i);

        visit(registration, message, layout, field);
        if (field->type == FIELD_RECORDS)
            visit_fields(registration, message, layout, field->fields, visit);
    }
}

static void visit_message(struct registration *registration, const struct message *message,
                          visit_field visit)
{
    for (guint i = 0; i < message->layouts->len; i++) {
        struct layout *layout = (struct layout *)g_ptr_array_index(message->layouts, i);

        visit_fields(registration, message, layout, layout->fields, visit);
        if (visit == register_field)
            register_derived(registration, message, layout);
    }
}

/* In the order of the types, so that every run registers in the same order. A message may have
 * several. */
static void visit_messages(struct registration *registration, visit_field visit)
{
    size_t count;
    const struct dictionary_type *types = dictionary_types(&count);
    GHashTable *seen = g_hash_table_new(g_direct_hash, g_direct_equal);

    for (size_t i = 0; i < 2 * count; i++) {
        const struct message *message = dictionary_find(
            types[i / 2].type, i % 2 ? DICTIONARY_SERVER_ACCOUNT : DICTIONARY_SERVER_GAME);

        if (g_hash_table_add(seen, (gpointer)message))
            visit_message(registration, message, visit);
    }
    g_hash_table_destroy(seen);
}

void conquer_register_fields(int proto)
{
    struct registration registration = {
        .proto = proto,
        .shapes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .headers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .fields = g_array_new(FALSE, FALSE, sizeof(hf_register_info)),
    };
    guint count;

    visit_messages(&registration, note_field);
    visit_messages(&registration, register_field);
    count = registration.fields->len;
    registered = (hf_register_info *)(void *)g_array_free(registration.fields, FALSE);
    proto_register_field_array(proto, registered, (int)count);
    g_hash_table_destroy(registration.shapes);
    g_hash_table_destroy(registration.headers);
}
