/* evidence.h
 * The dictionary's knowledge of headers as a measure: how much one speaks for a decryption being
 * right and a boundary being one (cipher/header_model.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "cipher/header_model.h"
#include "session.h"

/* The model of what one side sends. Made on first use; lives as long as the process. */
const tq_header_model *evidence_model(tq_direction_t direction);
