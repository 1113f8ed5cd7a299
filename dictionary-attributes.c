/* dictionary-attributes.c
 * Reads attributes of the elements of a data file.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dictionary-attributes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void attributes_set_error(GError **error, const char *format, ...)
{
    va_list arguments;

    if (*error != NULL)
        return;
    va_start(arguments, format);
    *error = g_error_new_valist(G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, format, arguments);
    va_end(arguments);
}

const char *attributes_get(struct attributes *attributes, const char *name)
{
    for (size_t i = 0; i < ATTRIBUTES_MAX && attributes->names[i] != NULL; i++) {
        if (strcmp(attributes->names[i], name) == 0) {
            attributes->used[i] = true;
            return attributes->values[i];
        }
    }
    return NULL;
}

char *attributes_get_copy(struct attributes *attributes, const char *name)
{
    return g_strdup(attributes_get(attributes, name));
}

void attributes_refuse_unknown(const struct attributes *attributes, const char *element,
                               GError **error)
{
    size_t i;

    for (i = 0; i < ATTRIBUTES_MAX && attributes->names[i] != NULL; i++) {
        if (!attributes->used[i])
            attributes_set_error(error, "<%s> knows no attribute \"%s\"", element,
                                 attributes->names[i]);
    }
    if (i == ATTRIBUTES_MAX)
        attributes_set_error(error, "<%s> has too many attributes", element);
}

bool attributes_parse_number(const char *text, uint64_t max, uint64_t *number)
{
    char *end;

    if (!g_ascii_isdigit(text[0]))
        return false;
    *number = g_ascii_strtoull(text, &end, 0);
    return *end == '\0' && *number <= max;
}

uint64_t attributes_get_number(struct attributes *attributes, const char *name, uint64_t missing,
                               uint64_t max, GError **error)
{
    const char *text = attributes_get(attributes, name);
    uint64_t number = missing;

    if (text != NULL && !attributes_parse_number(text, max, &number))
        attributes_set_error(error, "%s=\"%s\" is not a number up to %" PRIu64, name, text, max);
    return number;
}

bool attributes_get_flag(struct attributes *attributes, const char *name, GError **error)
{
    const char *text = attributes_get(attributes, name);

    if (text == NULL || strcmp(text, "no") == 0)
        return false;
    if (strcmp(text, "yes") != 0)
        attributes_set_error(error, "%s=\"%s\" is neither yes nor no", name, text);
    return true;
}

unsigned attributes_get_choice(struct attributes *attributes, const char *name,
                               const char *const *words, unsigned missing, GError **error)
{
    const char *text = attributes_get(attributes, name);
    unsigned i;

    if (text == NULL)
        return missing;
    for (i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0)
            return i;
    }
    attributes_set_error(error, "%s=\"%s\" is not known here; the first possible value is \"%s\"",
                         name, text, words[0]);
    return missing;
}

/* Names become parts of filter fields, which know only these characters. */
char *attributes_get_name(struct attributes *attributes, GError **error)
{
    const char *name = attributes_get(attributes, "name");

    if (name == NULL) {
        attributes_set_error(error, "the attribute name is missing");
        return g_strdup("");
    }
    if (name[0] == '\0' || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
        attributes_set_error(error, "name=\"%s\": only a-z, 0-9 and _", name);
    return g_strdup(name);
}

static const char *const abbreviations[] = {"id",  "ip",  "mac", "npc", "pk",
                                            "uid", "vip", "xp",  NULL};

char *attributes_make_label(const char *name)
{
    char **words = g_strsplit(name, "_", -1);
    char *label;

    for (size_t i = 0; words[i] != NULL; i++) {
        if (g_strv_contains(abbreviations, words[i])) {
            char *upper = g_ascii_strup(words[i], -1);

            g_free(words[i]);
            words[i] = upper;
        }
    }
    if (words[0] != NULL)
        words[0][0] = g_ascii_toupper(words[0][0]);
    label = g_strjoinv(" ", words);
    g_strfreev(words);
    return label;
}

char *attributes_get_label(struct attributes *attributes, const char *name)
{
    const char *label = attributes_get(attributes, "label");

    return label != NULL ? g_strdup(label) : attributes_make_label(name);
}
