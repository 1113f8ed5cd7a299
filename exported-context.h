/* exported-context.h
 * What an exported message takes along of its connection, so that it reads the same without it.
 *
 * The layout of a message may depend on the server and on what the connection has shown of its
 * patch. An exported PDU has no tag for such things. It has one for the text of the Protocol
 * column, which "conquer" fills itself; there the context stands, readable for people too:
 *
 *     TQ server=2 patch=5065-5094 footer=1
 *
 * server: enum dictionary_server; patch: bounds, both included; footer: whether the connection's
 * messages end in one. Who has sent the message is said by the tag for the direction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "compat.h"

#include "packet-conquer.h"

/* The text for a context; allocated in pool. */
char *exported_context_write(wmem_allocator_t *pool, const struct conquer_context *context);

/* Reads the context of the exported PDU whose payload is tvb. Returns false, and leaves context as
 * it is, if the frame is none or has none. */
bool exported_context_read(const packet_info *pinfo, tvbuff_t *tvb,
                           struct conquer_context *context);
