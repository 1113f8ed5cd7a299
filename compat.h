/* compat.h
 * One source for Wireshark 4.0 to 4.6: what was renamed or changed type between them.
 * Include it first.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include <ws_version.h>

#define TQ_WIRESHARK_VERSION (WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR)

#if TQ_WIRESHARK_VERSION >= 404
#include <wsutil/plugins.h>
/* Heuristics, UAT callbacks and boolean preferences. */
typedef bool ws_bool;
#else
#define WS_PLUGIN_DESC_DISSECTOR 1U
typedef gboolean ws_bool;
#endif

#include <epan/packet.h>

#if TQ_WIRESHARK_VERSION >= 406
#include <wsutil/value_string.h>
#else
#include <epan/value_string.h>
#define dissector_try_uint_with_data dissector_try_uint_new
#endif

/* The memory of an index over value strings is the caller's to choose since 4.6. */
#if TQ_WIRESHARK_VERSION >= 406
#define tq_value_string_ext_new(strings, count, name)                                              \
    value_string_ext_new(wmem_epan_scope(), strings, count, name)
#else
#define tq_value_string_ext_new value_string_ext_new
#endif

#if TQ_WIRESHARK_VERSION < 404
#define tvb_get_uint8 tvb_get_guint8
#endif

/* A field_info holds its value since 4.2 by pointer, before by value. */
#if TQ_WIRESHARK_VERSION >= 402
#define tq_finfo_value(finfo) ((finfo)->value)
#else
#define tq_finfo_value(finfo) (&(finfo)->value)
#endif

/* Streams that are followed are counted since 4.2. */
#if TQ_WIRESHARK_VERSION >= 402
#define tq_register_follow_stream(proto, tap, by_frame, by_stream, by_ends, port, packet, count)   \
    register_follow_stream(proto, tap, by_frame, by_stream, by_ends, port, packet, count, NULL)
#else
#define tq_register_follow_stream(proto, tap, by_frame, by_stream, by_ends, port, packet, count)   \
    register_follow_stream(proto, tap, by_frame, by_stream, by_ends, port, packet)
#endif

/* Conversation filters have data of their own since 4.4. */
#if TQ_WIRESHARK_VERSION >= 404
#define TQ_FILTER_DATA , void *filter_data _U_
#define tq_register_conversation_filter(proto, name, is_valid, build)                              \
    register_conversation_filter(proto, name, is_valid, build, NULL)
#else
#define TQ_FILTER_DATA
#define tq_register_conversation_filter register_conversation_filter
#endif
