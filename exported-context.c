/* exported-context.c
 * What an exported message takes along of its connection.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "exported-context.h"

#include <string.h>

#include <wiretap/wtap.h>
#include <wsutil/exported_pdu_tlvs.h>

char *exported_context_write(wmem_allocator_t *pool, const struct conquer_context *context)
{
    struct patch_evidence evidence = context->evidence;

    /* A patch that the user has named counts more than what was seen. */
    if (context->options.patch != 0)
        evidence = (struct patch_evidence){context->options.patch, context->options.patch};
    return wmem_strdup_printf(pool, "TQ server=%u patch=%u-%u footer=%u", context->server,
                              evidence.low, evidence.high, context->footer);
}

/* The text of the Protocol column among the tags in front of the payload, or NULL. A tag is two
 * big-endian 16-bit numbers, tag and size, and the value. */
static const char *find_text(const packet_info *pinfo, tvbuff_t *tvb)
{
    tvbuff_t *frame = tvb_get_ds_tvb(tvb);
    int end = (int)tvb_raw_offset(tvb);

    for (int offset = 0; offset + 4 <= end;) {
        int tag = tvb_get_ntohs(frame, offset), size = tvb_get_ntohs(frame, offset + 2);
        offset += 4;
        if (size > end - offset)
            return NULL;
        if (tag == EXP_PDU_TAG_COL_PROT_TEXT)
            return (const char *)tvb_get_string_enc(pinfo->pool, frame, offset, size, ENC_UTF_8);
        offset += size;
    }
    return NULL;
}

/* Reads a label and the number behind it; moves on. Returns false if they are not there. */
static bool read_number(const char **text, const char *label, unsigned max, uint16_t *number)
{
    char *end;

    if (!*text || !g_str_has_prefix(*text, label))
        return false;
    *text += strlen(label);
    uint64_t value = g_ascii_strtoull(*text, &end, 10);
    *number = (uint16_t)value;
    bool found = end > *text && value <= max;
    *text = end;
    return found;
}

bool exported_context_read(const packet_info *pinfo, tvbuff_t *tvb, struct conquer_context *context)
{
    uint16_t server, low, high, footer;

    if (pinfo->rec->rec_type != REC_TYPE_PACKET ||
        pinfo->rec->rec_header.packet_header.pkt_encap != WTAP_ENCAP_WIRESHARK_UPPER_PDU)
        return false;

    const char *text = find_text(pinfo, tvb);
    if (!read_number(&text, "TQ server=", DICTIONARY_SERVER_GAME, &server) ||
        !read_number(&text, " patch=", PATCH_LAST, &low) ||
        !read_number(&text, "-", PATCH_LAST, &high) || !read_number(&text, " footer=", 1, &footer))
        return false;
    context->server = (uint8_t)server;
    context->evidence = (struct patch_evidence){low, high};
    context->footer = footer == 1;
    return true;
}
