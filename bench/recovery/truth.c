/* SPDX-License-Identifier: MIT */
#include "truth.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *path, guint line, const char *why)
{
    fprintf(stderr, "%s:%u: %s\n", path, line, why);
    exit(EXIT_FAILURE);
}

static void append_hex(GByteArray *bytes, const char *hex)
{
    for (; g_ascii_isxdigit(hex[0]) && g_ascii_isxdigit(hex[1]); hex += 2) {
        guint8 byte = (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
        g_byte_array_append(bytes, &byte, 1);
    }
}

static void read_message(JsonObject *row, direction directions[2])
{
    if (strcmp(json_object_get_string_member(row, "stream"), "game") != 0)
        return;
    gboolean from_client = strcmp(json_object_get_string_member(row, "dir"), "c2s") == 0;
    direction *d = &directions[from_client];
    guint start = (guint)json_object_get_int_member(row, "stream_offset");
    /* A second game connection in one file starts from offset 0 again; the first is enough. */
    if (start != d->plain->len)
        return;
    append_hex(d->plain, json_object_get_string_member(row, "hex"));
    g_array_append_val(d->starts, start);
}

static guint32 read_u32(const guint8 *bytes)
{
    return bytes[0] | (guint32)bytes[1] << 8 | (guint32)bytes[2] << 16 | (guint32)bytes[3] << 24;
}

/* What the sender does: a client ciphers with the client's function, a server with the server's. */
static void encipher(direction *d, gboolean from_client)
{
    tq_key key;
    tq_tables tables;
    enum tq_role role = from_client ? TQ_ROLE_CLIENT : TQ_ROLE_SERVER;
    guint len = d->plain->len;
    g_byte_array_set_size(d->cipher, len);
    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_tables_prepare(&tables, &key, role);
    tq_crypt(&tables, 0, d->cipher->data, d->plain->data, len);
    if (!from_client || len < CONNECT_SIZE)
        return;
    d->x = tq_key_alternate_x(read_u32(d->plain->data + 8), read_u32(d->plain->data + 4));
    tq_key_alternate_from_x(&key, &key, d->x);
    tq_tables_prepare(&tables, &key, role);
    tq_crypt(&tables, CONNECT_SIZE, d->cipher->data + CONNECT_SIZE, d->plain->data + CONNECT_SIZE,
             len - CONNECT_SIZE);
}

void truth_read(const char *path, direction directions[2])
{
    gchar *text;
    GError *error = NULL;
    if (!g_file_get_contents(path, &text, NULL, &error))
        fail(path, 0, error->message);
    for (guint i = 0; i < 2; i++) {
        directions[i].plain = g_byte_array_new();
        directions[i].cipher = g_byte_array_new();
        directions[i].starts = g_array_new(FALSE, FALSE, sizeof(guint));
        directions[i].x = 0;
    }
    gchar **lines = g_strsplit(text, "\n", -1);
    JsonParser *parser = json_parser_new();
    for (guint i = 0; lines[i] && lines[i][0]; i++) {
        if (!json_parser_load_from_data(parser, lines[i], -1, &error))
            fail(path, i + 1, error->message);
        read_message(json_node_get_object(json_parser_get_root(parser)), directions);
    }
    g_object_unref(parser);
    g_strfreev(lines);
    g_free(text);
    for (guint i = 0; i < 2; i++) {
        if (directions[i].starts->len == 0)
            fail(path, 0, "no game messages in one of the directions");
        g_array_append_val(directions[i].starts, directions[i].plain->len);
        encipher(&directions[i], i == 1);
    }
}

void truth_clear(direction directions[2])
{
    for (guint i = 0; i < 2; i++) {
        g_byte_array_unref(directions[i].plain);
        g_byte_array_unref(directions[i].cipher);
        g_array_unref(directions[i].starts);
    }
}
