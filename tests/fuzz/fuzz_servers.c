/* fuzz_servers.c
 * The table of servers: one record a line, fields between tabulators; and the look-up in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "epan_harness.h"
#include "fuzz.h"

#include <epan/uat-int.h>
#include <epan/uat.h>

#include "preferences.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    harness_start();
    return 0;
}

/* As Wireshark does it with each field of a line: checks it, and sets it if that went well. */
static bool set_fields(const uat_t *table, void *record, char *line)
{
    char **values = g_strsplit(line, "\t", (int)table->ncols);
    bool good = g_strv_length(values) == table->ncols;

    for (unsigned i = 0; good && i < table->ncols; i++) {
        const uat_field_t *field = &table->fields[i];
        unsigned length = (unsigned)strlen(values[i]);
        char *error = NULL;
        good = !field->cb.chk ||
               field->cb.chk(record, values[i], length, field->cbdata.chk, field->fld_data, &error);
        FUZZ_CHECK(good || error);
        if (good)
            field->cb.set(record, values[i], length, field->cbdata.set, field->fld_data);
        g_free(error);
    }
    g_strfreev(values);
    return good;
}

static void load_line(uat_t *table, char *line)
{
    void *record = g_malloc0(table->record_size);
    char *error = NULL;

    if (set_fields(table, record, line)) {
        bool valid = table->update_cb(record, &error);
        FUZZ_CHECK(valid == (error == NULL));
        g_free(error);
        uat_add_record(table, record, valid);
    }
    table->free_cb(record);
    g_free(record);
}

static void load_lines(uat_t *table, const uint8_t *data, size_t size)
{
    char *text = g_strndup((const char *)data, size);
    char **lines = g_strsplit(text, "\n", 16);

    for (char **line = lines; *line; line++)
        load_line(table, *line);
    g_strfreev(lines);
    g_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uat_t *table = uat_get_table_by_name("TQ Servers");
    static const uint8_t ip[] = {10, 0, 0, 1};
    address addr;

    load_lines(table, data, size);
    set_address(&addr, AT_IPv4, sizeof ip, ip);
    preferences_session(&addr, 5816, &addr, 50000);
    g_free(preferences_initial_keys(NULL));
    uat_clear(table);
    return 0;
}
