/* plugin.c
 * What Wireshark looks up in the module: its version and the two protocols' entry points.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compat.h"

#include <epan/proto.h>
#include <ws_symbol_export.h>

#include "packet-conquer.h"
#include "packet-tq.h"
#include "version.h"

void plugin_register(void);
uint32_t plugin_describe(void);

WS_DLL_PUBLIC_DEF const char plugin_version[] = TQ_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = TQ_WIRESHARK_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = TQ_WIRESHARK_MINOR;

WS_DLL_PUBLIC void plugin_register(void)
{
    static proto_plugin conquer = {proto_register_conquer, proto_reg_handoff_conquer};
    static proto_plugin tq = {proto_register_tq, proto_reg_handoff_tq};

    proto_register_plugin(&conquer);
    proto_register_plugin(&tq);
}

/* Asked for since Wireshark 4.2, ignored before. */
WS_DLL_PUBLIC uint32_t plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR;
}
