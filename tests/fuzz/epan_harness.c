/* epan_harness.c
 * Wireshark's dissection engine with the plugin linked in, for fuzz targets.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "epan_harness.h"

#include <glib.h>

#include <epan/column-info.h>
#include <epan/column.h>
#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/timestamp.h>
#include <wiretap/wtap.h>
#include <wsutil/filesystem.h>
#include <wsutil/privileges.h>
#include <wsutil/wslog.h>

#include "fuzz.h"

typedef struct {
    frame_data data;
    wtap_rec record;
    const uint8_t *bytes;
    size_t captured, reported;
} frame_t;

void plugin_register(void);

static epan_t *session;
static GPtrArray *frames; /* frame_t */
static column_info columns;
static const nstime_t no_time;

static const nstime_t *frame_time(struct packet_provider_data *provider _U_, guint32 number _U_)
{
    return &no_time;
}

/* Other protocols' heuristics are not what is tested; some fail Wireshark's own assertions on what
 * they took for theirs. */
static void enable_ours(const char *table _U_, struct heur_dtbl_entry *entry, void *data _U_)
{
    entry->enabled = strcmp(entry->short_name, "tq_tcp") == 0;
}

void harness_start(void)
{
    char *error;

    g_setenv("WIRESHARK_ABORT_ON_DISSECTOR_BUG", "1", TRUE);
    g_setenv("WIRESHARK_DEBUG_WMEM_OVERRIDE", "simple", TRUE);
    /* Nobody's settings. */
    g_setenv("XDG_CONFIG_HOME", "/nonexistent", TRUE);
    g_setenv("HOME", "/nonexistent", TRUE);
    g_log_set_always_fatal((GLogLevelFlags)(G_LOG_LEVEL_CRITICAL | G_LOG_FATAL_MASK));
    init_process_policies();
    error = configuration_init("/", NULL);
    g_free(error);
    timestamp_set_type(TS_RELATIVE);
    timestamp_set_precision(TS_PREC_AUTO);
    wtap_init(FALSE);
    plugin_register();
    FUZZ_CHECK(epan_init(NULL, NULL, FALSE));
    epan_load_settings();
    heur_dissector_table_foreach("tcp", enable_ours, NULL);
    prefs_apply_all();
    build_column_format_array(&columns, prefs.num_cols, TRUE);
    frames = g_ptr_array_new();
}

void harness_register(int encapsulation, dissector_t dissector)
{
    dissector_add_uint("wtap_encap", (guint32)encapsulation,
                       create_dissector_handle(dissector, -1));
}

void harness_set(const char *preference)
{
    char *copy = g_strdup(preference), *error = NULL;

    FUZZ_CHECK(prefs_set_pref(copy, &error) == PREFS_SET_OK);
    g_free(copy);
    g_free(error);
    prefs_apply_all();
}

void harness_begin(void)
{
    static const struct packet_provider_funcs functions = {.get_frame_ts = frame_time};

    session = epan_new(NULL, &functions);
}

void harness_end(void)
{
    for (unsigned i = 0; i < frames->len; i++) {
        frame_t *frame = (frame_t *)frames->pdata[i];
        frame_data_destroy(&frame->data);
        g_free(frame);
    }
    g_ptr_array_set_size(frames, 0);
    epan_free(session);
}

static void dissect(frame_t *frame, bool visible)
{
    epan_dissect_t *dissection = epan_dissect_new(session, TRUE, visible);

    epan_dissect_run(dissection, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &frame->record,
                     tvb_new_real_data(frame->bytes, (guint)frame->captured, (gint)frame->reported),
                     &frame->data, &columns);
    if (visible)
        epan_dissect_fill_in_columns(dissection, FALSE, TRUE);
    epan_dissect_free(dissection);
}

void harness_frame(int encapsulation, const uint8_t *bytes, size_t captured, size_t reported,
                   bool visible)
{
    static guint32 cumulated;
    frame_t *frame = g_new0(frame_t, 1);

    frame->bytes = bytes;
    frame->captured = captured;
    frame->reported = reported;
    frame->record.rec_type = REC_TYPE_PACKET;
    frame->record.rec_header.packet_header.caplen = (guint32)captured;
    frame->record.rec_header.packet_header.len = (guint32)reported;
    frame->record.rec_header.packet_header.pkt_encap = encapsulation;
    g_ptr_array_add(frames, frame);
    frame_data_init(&frame->data, frames->len, &frame->record, 0, 0);
    dissect(frame, visible);
    frame_data_set_after_dissect(&frame->data, &cumulated);
}

unsigned harness_count(void)
{
    return frames->len;
}

void harness_again(unsigned first)
{
    for (unsigned i = frames->len; i > first; i--)
        dissect((frame_t *)frames->pdata[i - 1], true);
}
