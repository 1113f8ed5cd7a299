/* expression.c
 * The small expressions of the dictionary: a recursive-descent reader and a tree walker.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "expression.h"

#include <string.h>

/* Long and deep enough for any sensible source, short and shallow enough for any stack. */
#define SOURCE_MAX 1000
#define DEPTH_MAX 64

enum operation {
    OP_CONSTANT,
    OP_OPERAND,
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_BIT_OR,
    OP_BIT_XOR,
    OP_BIT_AND,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_NEGATE,
    OP_COMPLEMENT,
    OP_ROTATE_16,
    OP_ROTATE_32,
};

struct expression {
    enum operation operation;
    struct expression *left;
    struct expression *right;
    const void *operand;
    int64_t value;
};

struct reader {
    const char *at;
    expression_resolve resolve;
    void *user;
    char *error;
    unsigned depth;
};

/* The binary operators by how loosely they bind. A shorter spelling follows the longer ones that
 * start with it. */
static const struct {
    const char *spelling;
    unsigned level;
    enum operation operation;
} binary_operators[] = {
    {"||", 0, OP_OR},         {"or", 0, OP_OR},
    {"&&", 1, OP_AND},        {"and", 1, OP_AND},
    {"==", 3, OP_EQUAL},      {"!=", 3, OP_UNEQUAL},
    {"<<", 7, OP_SHIFT_LEFT}, {">>", 7, OP_SHIFT_RIGHT},
    {"<=", 3, OP_LESS_EQUAL}, {">=", 3, OP_GREATER_EQUAL},
    {"<", 3, OP_LESS},        {">", 3, OP_GREATER},
    {"|", 4, OP_BIT_OR},      {"^", 5, OP_BIT_XOR},
    {"&", 6, OP_BIT_AND},     {"+", 8, OP_ADD},
    {"-", 8, OP_SUBTRACT},    {"*", 9, OP_MULTIPLY},
    {"/", 9, OP_DIVIDE},      {"%", 9, OP_REMAINDER},
};

#define LEVEL_NOT 2
#define LEVEL_UNARY 10

static struct expression *parse_level(struct reader *reader, unsigned level);

void expression_free(struct expression *expression)
{
    if (expression == NULL)
        return;
    expression_free(expression->left);
    expression_free(expression->right);
    g_free(expression);
}

static struct expression *new_node(enum operation operation, struct expression *left,
                                   struct expression *right)
{
    struct expression *node = g_new0(struct expression, 1);

    node->operation = operation;
    node->left = left;
    node->right = right;
    return node;
}

static struct expression *fail(struct reader *reader, struct expression *partial,
                               const char *expected)
{
    if (reader->error == NULL)
        reader->error = *reader->at != '\0'
                            ? g_strdup_printf("expected %s at \"%s\"", expected, reader->at)
                            : g_strdup_printf("expected %s at the end", expected);
    expression_free(partial);
    return NULL;
}

static void skip_blanks(struct reader *reader)
{
    while (g_ascii_isspace(*reader->at))
        reader->at++;
}

static bool is_name_character(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

/* Takes the spelling if it comes next; a word only if it is not the start of a longer one. */
static bool take(struct reader *reader, const char *spelling)
{
    size_t length = strlen(spelling);

    skip_blanks(reader);
    if (strncmp(reader->at, spelling, length) != 0)
        return false;
    if (g_ascii_isalpha(spelling[0]) && is_name_character(reader->at[length]))
        return false;
    reader->at += length;
    return true;
}

static struct expression *parse_number(struct reader *reader)
{
    char *end;
    struct expression *node = new_node(OP_CONSTANT, NULL, NULL);

    node->value = (int64_t)g_ascii_strtoull(reader->at, &end, 0);
    if (end == reader->at || is_name_character(*end))
        return fail(reader, node, "a number");
    reader->at = end;
    return node;
}

static struct expression *parse_rotation(struct reader *reader, enum operation operation)
{
    struct expression *node = new_node(operation, NULL, NULL);

    if (!take(reader, "("))
        return fail(reader, node, "(");
    node->left = parse_level(reader, 0);
    if (node->left == NULL || !take(reader, ","))
        return fail(reader, node, ",");
    node->right = parse_level(reader, 0);
    if (node->right == NULL || !take(reader, ")"))
        return fail(reader, node, ")");
    return node;
}

static struct expression *resolve_name(struct reader *reader, const char *start, size_t length,
                                       bool word)
{
    char *name = g_strndup(start, length);
    struct expression *node = new_node(OP_OPERAND, NULL, NULL);
    bool constant = false;

    if (!reader->resolve(name, word, reader->user, &node->operand, &constant, &node->value)) {
        if (reader->error == NULL)
            reader->error = g_strdup_printf("there is no %s \"%s\" to refer to",
                                            word ? "word" : "earlier field", name);
        expression_free(node);
        node = NULL;
    } else if (constant) {
        node->operation = OP_CONSTANT;
    }
    g_free(name);
    return node;
}

static struct expression *parse_word(struct reader *reader)
{
    const char *start = ++reader->at;
    const char *end = strchr(start, '\'');

    if (end == NULL)
        return fail(reader, NULL, "a closing quote");
    reader->at = end + 1;
    return resolve_name(reader, start, (size_t)(end - start), true);
}

static struct expression *parse_primary(struct reader *reader)
{
    const char *start;
    struct expression *inner;

    skip_blanks(reader);
    if (take(reader, "(")) {
        inner = parse_level(reader, 0);
        if (inner == NULL || !take(reader, ")"))
            return fail(reader, inner, ")");
        return inner;
    }
    if (g_ascii_isdigit(*reader->at))
        return parse_number(reader);
    if (*reader->at == '\'')
        return parse_word(reader);
    if (take(reader, "ror16"))
        return parse_rotation(reader, OP_ROTATE_16);
    if (take(reader, "ror32"))
        return parse_rotation(reader, OP_ROTATE_32);

    start = reader->at;
    while (is_name_character(*reader->at))
        reader->at++;
    if (reader->at == start)
        return fail(reader, NULL, "a value");
    return resolve_name(reader, start, (size_t)(reader->at - start), false);
}

static struct expression *parse_prefixed(struct reader *reader, enum operation operation,
                                         unsigned level)
{
    struct expression *inner = parse_level(reader, level);

    return inner != NULL ? new_node(operation, inner, NULL) : NULL;
}

static struct expression *parse_unary(struct reader *reader)
{
    if (take(reader, "-"))
        return parse_prefixed(reader, OP_NEGATE, LEVEL_UNARY);
    if (take(reader, "~"))
        return parse_prefixed(reader, OP_COMPLEMENT, LEVEL_UNARY);
    return parse_primary(reader);
}

static bool take_binary(struct reader *reader, unsigned level, enum operation *operation)
{
    for (size_t i = 0; i < G_N_ELEMENTS(binary_operators); i++) {
        const char *before = reader->at;

        if (!take(reader, binary_operators[i].spelling))
            continue;
        if (binary_operators[i].level == level) {
            *operation = binary_operators[i].operation;
            return true;
        }
        reader->at = before;
        return false;
    }
    return false;
}

static struct expression *parse_binary(struct reader *reader, unsigned level)
{
    enum operation operation;
    struct expression *left = parse_level(reader, level + 1);

    while (left != NULL && take_binary(reader, level, &operation)) {
        struct expression *right = parse_level(reader, level + 1);

        if (right == NULL) {
            expression_free(left);
            return NULL;
        }
        left = new_node(operation, left, right);
    }
    return left;
}

static struct expression *parse_level(struct reader *reader, unsigned level)
{
    struct expression *result;

    if (++reader->depth > DEPTH_MAX * LEVEL_UNARY)
        return fail(reader, NULL, "fewer parentheses");
    if (level == LEVEL_UNARY)
        result = parse_unary(reader);
    else if (level == LEVEL_NOT && (take(reader, "not") || take(reader, "!")))
        result = parse_prefixed(reader, OP_NOT, LEVEL_NOT);
    else
        result = parse_binary(reader, level);
    reader->depth--;
    return result;
}

struct expression *expression_parse(const char *source, expression_resolve resolve, void *user,
                                    char **error)
{
    struct reader reader = {.at = source, .resolve = resolve, .user = user};
    struct expression *expression;

    if (strlen(source) > SOURCE_MAX) {
        *error = g_strdup_printf("longer than %d characters", SOURCE_MAX);
        return NULL;
    }
    expression = parse_level(&reader, 0);
    skip_blanks(&reader);
    if (expression != NULL && *reader.at != '\0')
        expression = fail(&reader, expression, "the end");
    *error = reader.error;
    return expression;
}

static uint64_t rotate_right(uint64_t value, uint64_t bits, unsigned width)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;

    value &= mask;
    bits %= width;
    return bits == 0 ? value : ((value >> bits) | (value << (width - bits))) & mask;
}

/* Unsigned inside, so that overflow wraps; comparison, division and shift right are signed. */
static struct expression_value calculate(enum operation operation, int64_t left, int64_t right)
{
    struct expression_value result = {.known = true};
    uint64_t a = (uint64_t)left;
    uint64_t b = (uint64_t)right;

    switch (operation) {
    case OP_EQUAL:
        result.value = left == right;
        break;
    case OP_UNEQUAL:
        result.value = left != right;
        break;
    case OP_LESS:
        result.value = left < right;
        break;
    case OP_LESS_EQUAL:
        result.value = left <= right;
        break;
    case OP_GREATER:
        result.value = left > right;
        break;
    case OP_GREATER_EQUAL:
        result.value = left >= right;
        break;
    case OP_BIT_OR:
        result.value = left | right;
        break;
    case OP_BIT_XOR:
        result.value = left ^ right;
        break;
    case OP_BIT_AND:
        result.value = left & right;
        break;
    case OP_SHIFT_LEFT:
        result.value = b < 64 ? (int64_t)(a << b) : 0;
        break;
    case OP_SHIFT_RIGHT:
        result.value = b < 64 ? (int64_t)(a >> b) : 0;
        break;
    case OP_ADD:
        result.value = (int64_t)(a + b);
        break;
    case OP_SUBTRACT:
        result.value = (int64_t)(a - b);
        break;
    case OP_MULTIPLY:
        result.value = (int64_t)(a * b);
        break;
    case OP_DIVIDE:
    case OP_REMAINDER:
        result.known = right != 0 && right != -1;
        if (result.known)
            result.value = operation == OP_DIVIDE ? left / right : left % right;
        break;
    case OP_ROTATE_16:
        result.value = (int64_t)rotate_right(a, b, 16);
        break;
    case OP_ROTATE_32:
        result.value = (int64_t)rotate_right(a, b, 32);
        break;
    default:
        result.known = false;
        break;
    }
    return result;
}

/* One side of an "and" that is false, or of an "or" that is true, decides alone. */
static struct expression_value combine(const struct expression *expression, expression_read read,
                                       const void *context)
{
    bool decisive = expression->operation == OP_OR;
    struct expression_value left = expression_evaluate(expression->left, read, context);
    struct expression_value right;

    if (left.known && (left.value != 0) == decisive)
        return (struct expression_value){true, decisive};
    right = expression_evaluate(expression->right, read, context);
    if (right.known && (right.value != 0) == decisive)
        return (struct expression_value){true, decisive};
    return (struct expression_value){left.known && right.known, !decisive};
}

struct expression_value expression_evaluate(const struct expression *expression,
                                            expression_read read, const void *context)
{
    struct expression_value left;
    struct expression_value right;

    switch (expression->operation) {
    case OP_CONSTANT:
        return (struct expression_value){true, expression->value};
    case OP_OPERAND:
        return read(expression->operand, context);
    case OP_AND:
    case OP_OR:
        return combine(expression, read, context);
    default:
        break;
    }

    left = expression_evaluate(expression->left, read, context);
    if (!left.known)
        return left;
    switch (expression->operation) {
    case OP_NOT:
        left.value = left.value == 0;
        return left;
    case OP_NEGATE:
        left.value = (int64_t)(0 - (uint64_t)left.value);
        return left;
    case OP_COMPLEMENT:
        left.value = ~left.value;
        return left;
    default:
        break;
    }
    right = expression_evaluate(expression->right, read, context);
    return right.known ? calculate(expression->operation, left.value, right.value) : right;
}
