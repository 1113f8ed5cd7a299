/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vectors.h"

#include <string.h>

void vectors_run(const char *file, vector_fn test)
{
    char *path = g_build_filename(TEST_DATA, file, NULL);
    char *text;
    GError *error = NULL;
    unsigned records = 0;

    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (**line == '#' || **line == '\0')
            continue;
        char **fields = g_strsplit(*line, " ", -1);
        test(fields);
        g_strfreev(fields);
        records++;
    }
    g_assert_cmpuint(records, >, 0);
    g_strfreev(lines);
    g_free(text);
    g_free(path);
}

GBytes *bytes_from_hex(const char *hex)
{
    size_t length = strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2;
    uint8_t *bytes = g_malloc(length + 1); /* never NULL, so that it can be passed on */

    for (size_t i = 0; i < length; i++)
        bytes[i] =
            (uint8_t)(g_ascii_xdigit_value(hex[2 * i]) << 4 | g_ascii_xdigit_value(hex[2 * i + 1]));
    return g_bytes_new_take(bytes, length);
}

void fill_pattern(uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        data[i] = (uint8_t)(i * 31 + (i >> 8) * 17 + 11);
}
