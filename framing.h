/* framing.h
 * Cuts the bytes of a connection into messages.
 *
 * A message begins where the connection or the message before ended, where a message cut by a gap
 * must end, or where a strong test says so: a chain of headers with known types and fitting sizes.
 * First pass only; the findings go to the frames' records.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "record.h"
#include "session.h"

/* Takes a segment's payload, whatever its place in the stream.
 * `here` is its frame's record; at: coordinate of its first byte, which is not the record's where
 * TCP hands on a frame in parts; `in_payload` says that later passes get the same payload again. */
void framing_add(session_t *session, record_segment_t *here, uint64_t at, const uint8_t *data,
                 uint32_t length, uint32_t frame, bool in_payload);

/* Tries again after something was learnt of the connection without new bytes: its start, from a SYN
 * that comes late in the capture. */
void framing_retry(session_t *session, record_segment_t *here, uint32_t frame);
