/* expression.h
 * The small expressions of the dictionary: conditions ("action == 9 and sender == 'client'")
 * and values derived from others ("hair / 100", "system_time ^ hero_id").
 *
 * Grammar, loosest first; the precedence is Python's:
 *
 *     or   and   not   == != < <= > >=   |   ^   &   << >>   + -   * / %   - ~
 *
 * Operands are numbers (decimal or 0x…), names, 'words' in single quotes, parentheses, and the
 * functions ror16(value, bits) and ror32(value, bits). "||", "&&" and "!" also serve. Arithmetic
 * is on 64 bits and wraps. An operand that is not there (a field past the message's end, an
 * unknown sender) makes the result unknown, unless the other side of an "and" or "or" decides.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

struct expression;

/* The outcome of an expression; value means something only if known. */
struct expression_value {
    bool known;
    int64_t value;
};

/* Finds what a name stands for when an expression is read.
 *
 * name: the name in the source; word: true if it stood in quotes.
 * operand: receives what expression_evaluate() hands to the reader; for a constant, *constant is
 * set true and *value to it instead.
 * Returns false if there is no such name. */
typedef bool (*expression_resolve)(const char *name, bool word, void *user, const void **operand,
                                   bool *constant, int64_t *value);

/* Reads an operand's value while an expression is evaluated. */
typedef struct expression_value (*expression_read)(const void *operand, const void *context);

/* Reads source. Returns an expression that the caller frees with expression_free(), or NULL with
 * *error set to a newly allocated reason. */
struct expression *expression_parse(const char *source, expression_resolve resolve, void *user,
                                    char **error);

/* Evaluates; allocates nothing. */
struct expression_value expression_evaluate(const struct expression *expression,
                                            expression_read read, const void *context);

void expression_free(struct expression *expression);
