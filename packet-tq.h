/* packet-tq.h
 * The TQ transport: entry points. What it tells taps is in taps.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

void proto_register_tq(void);
void proto_reg_handoff_tq(void);
