/* test_expression.c
 * Expressions of the dictionary: values, precedence, what is unknown, and mistakes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "expression.h"

#include <string.h>

static const int64_t seven = 7;
static const int64_t minus_two = -2;
static const int64_t missing = 0;

static bool resolve(const char *name, bool word, void *user, const void **operand, bool *constant,
                    int64_t *value)
{
    (void)user;
    if (word) {
        *constant = true;
        *value = 5;
        return strcmp(name, "five") == 0;
    }
    *operand = strcmp(name, "a") == 0         ? &seven
               : strcmp(name, "b") == 0       ? &minus_two
               : strcmp(name, "missing") == 0 ? &missing
                                              : NULL;
    return *operand != NULL;
}

static struct expression_value read_operand(const void *operand, const void *context)
{
    (void)context;
    return (struct expression_value){operand != &missing, *(const int64_t *)operand};
}

static struct expression_value evaluate(const char *source)
{
    char *error = NULL;
    struct expression *expression = expression_parse(source, resolve, NULL, &error);
    struct expression_value value;

    g_assert_cmpstr(error, ==, NULL);
    g_assert_nonnull(expression);
    value = expression_evaluate(expression, read_operand, NULL);
    expression_free(expression);
    return value;
}

static void test_values(void)
{
    static const struct {
        const char *source;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 3 - 2", 5},
        {"1 << 4 | 1", 17},
        {"6 & 3 ^ 1", 3},
        {"0x10 + 1 & 0xF", 1},
        {"a == 7 and b == -2", 1},
        {"a & 3 == 3", 1},
        {"not a == 7", 0},
        {"!(a != 7) && !0", 1},
        {"a >= 7 and 8 > a and not (a <= 6 or a < 1)", 1},
        {"b < 0", 1},
        {"~0", -1},
        {"a / 2 + a % 2", 4},
        {"'five' * 2", 10},
        {"ror16(1, 1)", 0x8000},
        {"ror16(0x12348001, 4)", 0x1800},
        {"ror32(0x80000001, 1)", 0xC0000000},
        {"ror32(5, 32)", 5},
        {"0xFFFFFFFFFFFFFFFF + 1", 0},
        {"1 << 64", 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct expression_value value = evaluate(cases[i].source);

        g_test_message("%s", cases[i].source);
        g_assert_true(value.known);
        g_assert_cmpint(value.value, ==, cases[i].value);
    }
}

static void test_unknown(void)
{
    static const char *const unknown[] = {"missing", "missing + 1", "not missing",
                                          "a / 0",   "a % 0",       "missing and a"};
    static const char *const decided[] = {"missing or a", "a or missing", "not (missing and 0)",
                                          "(missing and 0) == 0"};

    for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++)
        g_assert_false(evaluate(unknown[i]).known);
    for (size_t i = 0; i < G_N_ELEMENTS(decided); i++) {
        struct expression_value value = evaluate(decided[i]);

        g_assert_true(value.known);
        g_assert_cmpint(value.value, !=, 0);
    }
}

static void check_mistake(const char *source)
{
    char *error = NULL;
    struct expression *expression = expression_parse(source, resolve, NULL, &error);

    g_assert_null(expression);
    g_assert_nonnull(error);
    g_free(error);
}

static void test_mistakes(void)
{
    static const char *const mistakes[] = {
        "",      "1 +",      "(1",         "1)", "nobody", "'nothing'", "'five", "1 2",
        "a = 7", "ror16(1)", "ror16 1, 2", "0x", "12ab",   "a == == 7", "* 3",   "$"};
    char *deep = g_strnfill(900, '(');
    char *negative = g_strnfill(990, '-');
    char *longer = g_strnfill(2000, '1');

    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++)
        check_mistake(mistakes[i]);
    check_mistake(deep);
    check_mistake(negative);
    check_mistake(longer);
    g_free(deep);
    g_free(negative);
    g_free(longer);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/expression/values", test_values);
    g_test_add_func("/expression/unknown", test_unknown);
    g_test_add_func("/expression/mistakes", test_mistakes);
    return g_test_run();
}
