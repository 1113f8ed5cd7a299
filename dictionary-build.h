/* dictionary-build.h
 * Between the two halves of loading: dictionary-parse.c, which reads a file, and
 * dictionary-resolve.c, which joins it to the dictionary.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "dictionary-model.h"

/* Checks what a file brings, looks up the names in it and adds it to the dictionary; if anything
 * is wrong, adds nothing. Takes added over in either case. file: its name for messages.
 * Returns NULL, or a newly allocated "file:line: reason". */
char *dictionary_join(struct dictionary *dictionary, struct dictionary *added, const char *file);
