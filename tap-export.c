/* tap-export.c
 * Messages for other programs: plaintext as PDUs of OSI layer 7, account names as credentials.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "taps.h"

#include <string.h>

#include <epan/exported_pdu.h>

#include "conversation.h"
#include "exported-context.h"

static int layer7_tap = -1;
static int credentials_tap = -1;

bool export_wanted(void)
{
    return have_tap_listener(layer7_tap) || have_tap_listener(credentials_tap);
}

/* ---- PDUs ---- */

/* A tag as it is written: two big-endian 16-bit numbers, tag and size of the value; the value. */
#define TAG_HEADER 4

typedef struct {
    uint8_t *bytes;
    int size;
} tag_t;

static tag_t make_tag(wmem_allocator_t *pool, uint8_t tag, const void *value, uint8_t size)
{
    uint8_t *bytes = (uint8_t *)wmem_alloc0(pool, TAG_HEADER + (size_t)size);

    bytes[1] = tag;
    bytes[3] = size;
    memcpy(bytes + TAG_HEADER, value, size);
    return (tag_t){bytes, TAG_HEADER + size};
}

static tag_t make_context(wmem_allocator_t *pool, const struct conquer_context *context)
{
    const char *text = exported_context_write(pool, context);

    return make_tag(pool, EXP_PDU_TAG_COL_PROT_TEXT, text, (uint8_t)strlen(text));
}

static tag_t make_direction(wmem_allocator_t *pool, tq_direction_t direction)
{
    uint8_t value[4] = {[3] = direction == TQ_SERVER_TO_CLIENT ? P2P_DIR_RECV : P2P_DIR_SENT};

    return make_tag(pool, EXP_PDU_TAG_P2P_DIRECTION, value, sizeof value);
}

static int size_tag(packet_info *pinfo _U_, void *data)
{
    return ((const tag_t *)data)->size;
}

static int write_tag(packet_info *pinfo _U_, void *data, guint8 *buffer, guint32 size _U_)
{
    const tag_t *tag = (const tag_t *)data;

    memcpy(buffer, tag->bytes, (size_t)tag->size);
    return tag->size;
}

/* A frame may complete a message that the other end has sent before. */
static packet_info turn_round(const packet_info *pinfo)
{
    packet_info turned = *pinfo;

    turned.src = pinfo->dst;
    turned.dst = pinfo->src;
    turned.net_src = pinfo->net_dst;
    turned.net_dst = pinfo->net_src;
    turned.srcport = pinfo->destport;
    turned.destport = pinfo->srcport;
    return turned;
}

static void export_pdu(packet_info *pinfo, const tq_tap_info_t *info)
{
    tag_t context_tag = make_context(pinfo->pool, info->context);
    tag_t direction_tag = make_direction(pinfo->pool, info->direction);
    const exp_pdu_data_item_t context = {size_tag, write_tag, &context_tag};
    const exp_pdu_data_item_t direction = {size_tag, write_tag, &direction_tag};
    const exp_pdu_data_item_t *items[] = {
        &exp_pdu_data_src_ip,
        &exp_pdu_data_dst_ip,
        &exp_pdu_data_port_type,
        &exp_pdu_data_src_port,
        &exp_pdu_data_dst_port,
        &exp_pdu_data_orig_frame_num,
        &context,
        &direction,
        NULL,
    };
    bool from_client = (int)conversation_flow(pinfo) == info->session->client;
    bool is_turned = from_client != (info->direction == TQ_CLIENT_TO_SERVER);
    packet_info sender = is_turned ? turn_round(pinfo) : *pinfo;
    exp_pdu_data_t *pdu =
        export_pdu_create_tags(&sender, "conquer", EXP_PDU_TAG_DISSECTOR_NAME, items);

    pdu->tvb_captured_length = tvb_captured_length(info->message);
    pdu->tvb_reported_length = tvb_reported_length(info->message);
    pdu->pdu_tvb = info->message;
    tap_queue_packet(layer7_tap, pinfo, pdu);
}

/* ---- Credentials ---- */

/* The data of the tap "credentials". Its header (ui/tap-credentials.h) is not installed; the
 * structure is the same from 3.2 to 4.6, and a plugin is loaded by the release only that it was
 * built for. In others nobody is told. */
typedef struct {
    guint num;            /* frame */
    guint username_num;   /* frame of the name */
    guint password_hf_id; /* field that shows the password, 0: none */
    char *username;
    const char *proto;
    char *info;
} credential_t;

static bool is_credential_known(void)
{
    return TQ_WIRESHARK_VERSION <= 406;
}

static void export_credential(packet_info *pinfo, const tq_tap_info_t *info)
{
    char *account = taps_read_account(pinfo->pool, info);

    if (!account)
        return;

    credential_t *credential = wmem_new0(pinfo->pool, credential_t);
    credential->num = pinfo->num;
    credential->username_num = pinfo->num;
    credential->username = account;
    credential->proto = "TQ";
    char *server = taps_read_text(pinfo->pool, info, "server");
    if (server && *server)
        credential->info = wmem_strdup_printf(pinfo->pool, "server %s", server);
    tap_queue_packet(credentials_tap, pinfo, credential);
}

void export_message(packet_info *pinfo, const tq_tap_info_t *info)
{
    if (have_tap_listener(layer7_tap) && info->session)
        export_pdu(pinfo, info);
    if (have_tap_listener(credentials_tap))
        export_credential(pinfo, info);
}

void export_register(void)
{
    if (is_credential_known())
        credentials_tap = register_tap("credentials");
}

void export_handoff(void)
{
    layer7_tap = find_tap_id(EXPORT_PDU_TAP_NAME_LAYER_7);
}
