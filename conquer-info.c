/* conquer-info.c
 * A message's line in the Info column, by the template that the dictionary has for it:
 * "[{channel}] {speaker} → {hearer_1|hearer}: {words}".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conquer-internal.h"

#include <epan/strutil.h>
#include <string.h>

/* Text in the column is for a glance. */
#define TEXT_MAX 256

struct line {
    const struct dissection *d;
    wmem_strbuf_t *text;
};

static void append_text(struct line *line, unsigned encoding, unsigned offset, unsigned size)
{
    const char *text = conquer_get_text(line->d, encoding, offset, MIN(size, TEXT_MAX));
    /* Pointer to char or unsigned char, by Wireshark's release. */
    const void *unformatted = text;

    wmem_strbuf_append(line->text, format_text(line->d->pinfo->pool, unformatted, strlen(text)));
}

static bool append_label(struct line *line, const struct enumeration *enumeration, int64_t value)
{
    const struct value *entry =
        enumeration != NULL ? enumeration_find(enumeration, (uint64_t)value) : NULL;

    if (entry != NULL)
        wmem_strbuf_append(line->text, entry->label);
    return entry != NULL;
}

static void append_number(struct line *line, const struct enumeration *enumeration, int64_t value)
{
    if (!append_label(line, enumeration, value))
        wmem_strbuf_append_printf(line->text, "%" PRId64, value);
}

/* Appends the derived values that a kind has for the column, if it has any. */
static bool append_kind(struct line *line, const struct kind *kind, int64_t value)
{
    struct expression_value this_value = {true, value};
    bool any = false;

    for (guint i = 0; kind != NULL && i < kind->derived->len; i++) {
        const struct derived *derived = &g_array_index(kind->derived, struct derived, i);
        struct expression_value shown;

        if (!derived->in_info)
            continue;
        shown = dictionary_evaluate(derived->value, &line->d->view, 0, this_value);
        if (any)
            wmem_strbuf_append_c(line->text, ',');
        append_number(line, derived->enumeration, shown.value);
        any = true;
    }
    return any;
}

/* What depends on an action shows only under actions that give it a meaning. */
static void append_integer(struct line *line, const struct field *field, unsigned base)
{
    struct expression_value value = dictionary_read_field(field, &line->d->view, base);
    const struct kind *kind = field->kind;

    if (!value.known)
        return;
    if (field->means_by != NULL) {
        const struct meaning *meaning = conquer_find_meaning(field, &line->d->view, base);

        if (meaning == NULL)
            return;
        kind = meaning->kind;
    }
    if (!append_kind(line, kind, value.value))
        append_number(line, field->enumeration, value.value);
}

static void append_field(struct line *line, const struct field *field, unsigned base)
{
    const struct message_view *view = &line->d->view;
    unsigned offset = base + field->offset;

    if (field->type <= FIELD_FLAGS) {
        append_integer(line, field, base);
    } else if (field->type == FIELD_TEXT && (size_t)offset + field->size <= view->length) {
        if (field->kind == NULL || !field->kind->conceal)
            append_text(line, field->encoding, offset, field->size);
    } else if (field->type == FIELD_PTEXT && offset < view->length) {
        append_text(line, field->encoding, offset + 1,
                    MIN(view->data[offset], (unsigned)(view->length - offset - 1)));
    }
}

static bool is_named(const char *name, const char *wanted, size_t length)
{
    return strncmp(name, wanted, length) == 0 && name[length] == '\0';
}

/* Finds the string in a list that has the wanted name. */
static bool append_string(struct line *line, const struct field *field, const char *wanted,
                          size_t length)
{
    const struct message_view *view = &line->d->view;
    unsigned offset = field->offset + 1;
    unsigned count = field->offset < view->length ? view->data[field->offset] : 0;

    for (guint i = 0; i < field->strings->len; i++) {
        unsigned size;

        if (offset >= view->length || i >= count)
            return false;
        size = MIN(view->data[offset], (unsigned)(view->length - offset - 1));
        if (is_named(g_array_index(field->strings, struct string_name, i).name, wanted, length)) {
            append_text(line, 0, offset + 1, size);
            return true;
        }
        offset += 1 + size;
    }
    return false;
}

/* Finds the wanted name among fields, in string lists, and in the first record of records. */
static bool append_named(struct line *line, const GPtrArray *fields, unsigned base,
                         const char *wanted, size_t length)
{
    for (guint i = 0; i < fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(fields, i);

        if (!dictionary_condition(field->when, &line->d->view, base))
            continue;
        if (field->type == FIELD_STRINGS && append_string(line, field, wanted, length))
            return true;
        if (field->type == FIELD_RECORDS &&
            append_named(line, field->fields, base + field->offset, wanted, length))
            return true;
        if (is_named(field->name, wanted, length)) {
            append_field(line, field, base);
            return true;
        }
    }
    return false;
}

/* A value that the layout derives, by "field.name"; only if its condition holds. */
static bool append_derived(struct line *line, const char *wanted, size_t length)
{
    const struct dissection *d = line->d;
    struct expression_value none = {false, 0};

    for (guint i = 0; i < d->layout->derived->len; i++) {
        const struct derived *derived = &g_array_index(d->layout->derived, struct derived, i);
        size_t field_length = strlen(derived->field);
        struct expression_value value;

        if (length <= field_length || strncmp(derived->field, wanted, field_length) != 0 ||
            !is_named(derived->name, wanted + field_length + 1, length - field_length - 1))
            continue;
        if (derived->when != NULL) {
            value = dictionary_evaluate(derived->when, &d->view, 0, none);
            if (!value.known || value.value == 0)
                continue;
        }
        value = dictionary_evaluate(derived->value, &d->view, 0, none);
        if (value.known)
            append_number(line, derived->enumeration, value.value);
        return true;
    }
    return false;
}

/* {a|b}: the first of the names that the layout has. Nothing is appended if it has none. */
static void append_placeholder(struct line *line, const char *names, size_t length)
{
    const char *end = names + length;

    while (names < end) {
        size_t name_length = strcspn(names, "|}");

        bool found = memchr(names, '.', name_length) != NULL
                         ? append_derived(line, names, name_length)
                         : append_named(line, line->d->layout->fields, 0, names, name_length);

        if (found)
            return;
        names += name_length + 1;
    }
}

/* Fills the template in. A blank before a placeholder that stays empty is left out. */
static void append_template(struct line *line, const char *info)
{
    while (*info != '\0') {
        bool blank = *info == ' ' && info[1] == '{';
        const char *open = blank ? info + 1 : info;
        const char *close = *open == '{' ? strchr(open, '}') : NULL;
        size_t before = wmem_strbuf_get_len(line->text);

        if (close == NULL) {
            wmem_strbuf_append_c(line->text, *info++);
            continue;
        }
        if (blank)
            wmem_strbuf_append_c(line->text, ' ');
        append_placeholder(line, open + 1, (size_t)(close - open - 1));
        if (blank && wmem_strbuf_get_len(line->text) == before + 1)
            wmem_strbuf_truncate(line->text, before);
        info = close + 1;
    }
}

void conquer_append_column(packet_info *pinfo, const char *text)
{
    static const char separator[] = ", ";
    const char *before = col_get_text(pinfo->cinfo, COL_INFO);
    size_t used = before != NULL ? strlen(before) + sizeof separator : 1;
    size_t length = strlen(text);
    const char *end = text + length;

    if (used >= COL_MAX_INFO_LEN)
        return;
    if (length > COL_MAX_INFO_LEN - used)
        g_utf8_validate(text, (gssize)(COL_MAX_INFO_LEN - used), &end);
    col_append_sep_str(pinfo->cinfo, COL_INFO, separator,
                       wmem_strndup(pinfo->pool, text, (size_t)(end - text)));
}

void conquer_append_info(const struct dissection *d)
{
    struct line line = {d, wmem_strbuf_new(d->pinfo->pool, "")};

    if (d->message == NULL) {
        wmem_strbuf_append_printf(line.text, "Unknown type %u (0x%04X)", d->view.type,
                                  d->view.type);
    } else {
        const char *info = d->message->info;

        wmem_strbuf_append(line.text, d->message->name);
        if (d->layout != NULL && d->layout->info != NULL)
            info = d->layout->info;
        if (d->layout != NULL && info != NULL) {
            wmem_strbuf_append_c(line.text, ' ');
            append_template(&line, info);
        }
    }
    conquer_append_column(d->pinfo, wmem_strbuf_get_str(line.text));
}
