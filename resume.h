/* resume.h
 * Connections whose start is not in the capture: recovers counter and key of each direction from
 * its ciphertext (cipher/recovery.h). First pass only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "record.h"
#include "session.h"

/* To be called when a capture file is opened. */
void resume_begin(void);

/* Feeds what has come to the recoveries that this connection needs. Notices go to the segment at
 * hand. Returns whether more can be deciphered than before. */
bool resume_progress(session_t *session, record_segment_t *here);

/* Follows up that a SYN has shown where a direction starts (flow_t.start), after its key was sought
 * or recovered without it. */
void resume_started(session_t *session, unsigned flow);
