/* resume-cfb.h
 * Blowfish and CAST5 connections whose key exchange is not, or not wholly, in the capture: tries
 * the secrets of the key log on their bytes. First pass only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "session.h"

/* A capture file begins. */
void resume_cfb_begin(void);

/* Returns whether more can be deciphered than before. */
bool resume_cfb_progress(session_t *session);
