/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test data: text files in data/ with one record a line, fields between spaces, # for comments. */
#ifndef TQ_TEST_VECTORS_H
#define TQ_TEST_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

/* Called for each record; `fields` ends with NULL. */
typedef void (*vector_fn)(char **fields);

/* Runs a test on each record of a file. Fails if there is none. */
void vectors_run(const char *file, vector_fn test);

/* Decodes hexadecimal text; "-" gives no bytes. g_bytes_unref() the result. */
GBytes *bytes_from_hex(const char *hex);

/* The plaintext of the cfb64 vectors. */
void fill_pattern(uint8_t *data, size_t length);

#define bytes_data(bytes) ((const uint8_t *)g_bytes_get_data((bytes), NULL))

#endif
