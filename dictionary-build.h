/* dictionary-build.h
 * The steps of loading: dictionary-parse.c reads a file, dictionary-resolve.c checks it,
 * dictionary-merge.c makes it part of the dictionary.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include "dictionary-model.h"

/* Checks what a file brings, looks up the names in it and adds it to the dictionary; if anything
 * is wrong, adds nothing. Takes added over in either case. file: its name for messages.
 * Returns NULL, or a newly allocated "file:line: reason". */
char *dictionary_join(struct dictionary *dictionary, struct dictionary *added, const char *file);

/* Adds what a file brings; all names in it must have been looked up. */
void dictionary_merge(struct dictionary *dictionary, struct dictionary *added);

/* The message that a file's message adds to, or NULL. One that says for which server it is adds to
 * none of the other. */
struct message *dictionary_find_known(const struct dictionary *dictionary,
                                      const struct message *added);

/* Keeps what a file replaced or failed to bring reachable: few bytes, once, at start-up. */
void dictionary_discard(struct dictionary *dictionary, gpointer item);
