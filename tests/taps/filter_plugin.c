/* filter_plugin.c
 * A plugin for the test: shows in each frame the conversation filter "TQ session", which
 * otherwise only the window's menu calls, as the field tqtest.filter.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compat.h"

#include <string.h>

#include <epan/conversation_filter.h>
#include <epan/proto.h>

#if TQ_WIRESHARK_VERSION >= 404
#define FILTER_ARGUMENTS(filter, pinfo) pinfo, (filter)->user_data
#else
#define FILTER_ARGUMENTS(filter, pinfo) pinfo
#endif

static int proto_test = -1;
static int hf_filter = -1;

static int show_filter(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    for (GList *link = packet_conv_filter_list; link; link = link->next) {
        const conversation_filter_t *filter = (const conversation_filter_t *)link->data;
        if (strcmp(filter->display_name, "TQ session") != 0 ||
            !filter->is_filter_valid(FILTER_ARGUMENTS(filter, pinfo)))
            continue;
        char *text = filter->build_filter_string(FILTER_ARGUMENTS(filter, pinfo));
        proto_tree_add_string(tree, hf_filter, tvb, 0, 0, text);
        g_free(text);
    }
    return 0;
}

static void register_test(void)
{
    static hf_register_info fields[] = {
        {&hf_filter,
         {"Filter", "tqtest.filter", FT_STRING, BASE_NONE, NULL, 0,
          "What the conversation filter of TQ gives", HFILL}},
    };

    proto_test = proto_register_protocol("TQ filter test", "TQ test", "tqtest");
    proto_register_field_array(proto_test, fields, G_N_ELEMENTS(fields));
}

static void handoff_test(void)
{
    register_postdissector(create_dissector_handle(show_filter, proto_test));
}

WS_DLL_PUBLIC_DEF const char plugin_version[] = "0";
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

uint32_t plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR;
}

void plugin_register(void)
{
    static proto_plugin plugin = {register_test, handoff_test};

    proto_register_plugin(&plugin);
}
