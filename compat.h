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

#if TQ_WIRESHARK_VERSION < 404
#define tvb_get_uint8 tvb_get_guint8
#endif

/* A field_info holds its value since 4.2 by pointer, before by value. */
#if TQ_WIRESHARK_VERSION >= 402
#define tq_finfo_value(finfo) ((finfo)->value)
#else
#define tq_finfo_value(finfo) (&(finfo)->value)
#endif
