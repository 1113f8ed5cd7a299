/* dictionary-attributes.h
 * Attributes of one element of a data file, as GMarkup hands them over. Each one that is asked for
 * counts as known. Functions with an error leave the first mistake in it and go on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#define ATTRIBUTES_MAX 24

struct attributes {
    const char **names; /* NULL terminated, as values */
    const char **values;
    bool used[ATTRIBUTES_MAX];
};

/* Sets *error unless it is set. */
void attributes_set_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The value, or NULL; the copy is the caller's. */
const char *attributes_get(struct attributes *attributes, const char *name);
char *attributes_get_copy(struct attributes *attributes, const char *name);

/* A number up to max; missing: what it is if it is not there. */
uint64_t attributes_get_number(struct attributes *attributes, const char *name, uint64_t missing,
                               uint64_t max, GError **error);

/* "yes" is true; "no", as nothing at all, is false. */
bool attributes_get_flag(struct attributes *attributes, const char *name, GError **error);

/* One of some words, NULL terminated; returns its place among them, missing if it is not there. */
unsigned attributes_get_choice(struct attributes *attributes, const char *name,
                               const char *const *words, unsigned missing, GError **error);

/* The attribute name, which must be there; the caller's. */
char *attributes_get_name(struct attributes *attributes, GError **error);

/* A label made of a name: "hero_id" becomes "Hero ID"; the caller's. */
char *attributes_make_label(const char *name);

/* The attribute label, or one made of the name; the caller's. */
char *attributes_get_label(struct attributes *attributes, const char *name);

/* Makes a mistake of any attribute that nobody asked for. */
void attributes_refuse_unknown(const struct attributes *attributes, const char *element,
                               GError **error);

/* Reads a number up to max, decimal or hexadecimal after 0x. Returns false if it is none. */
bool attributes_parse_number(const char *text, uint64_t max, uint64_t *number);
