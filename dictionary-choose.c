/* dictionary-choose.c
 * Which layout a message has: what its fields, its size, the connection's evidence or the
 * configured patch say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "dictionary-model.h"

#include <string.h>

/* A string list may be followed by so many zero bytes that the size counts. */
#define PADDING_MAX 3

/* One layout held against one message. */
struct candidate {
    const struct layout *layout;
    enum layout_fit fit;
    unsigned distance; /* bytes left over or missing */
    unsigned doubts;   /* values that their field should not have */
    bool in_time;      /* not later than the connection's patch */
};

static const char operand_size[] = "size";
static const char operand_type[] = "type";
static const char operand_server[] = "server";
static const char operand_sender[] = "sender";
static const char operand_this[] = "this";

struct evaluation {
    const struct message_view *view;
    unsigned base;
    struct expression_value this_value;
};

const void *dictionary_special_operand(const char *name)
{
    static const char *const operands[] = {operand_size, operand_type, operand_server,
                                           operand_sender, operand_this};

    for (size_t i = 0; i < G_N_ELEMENTS(operands); i++) {
        if (strcmp(operands[i], name) == 0)
            return operands[i];
    }
    return NULL;
}

static uint64_t read_little_endian(const uint8_t *data, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = size; i > 0; i--)
        value = value << 8 | data[i - 1];
    return value;
}

static int64_t extend_sign(uint64_t value, unsigned size)
{
    uint64_t sign = UINT64_C(1) << (8 * size - 1);

    return (int64_t)((value ^ sign) - sign);
}

struct expression_value dictionary_read_field(const struct field *field,
                                              const struct message_view *view, unsigned base)
{
    size_t offset = (size_t)field->offset + (field->in_record ? base : 0);
    uint64_t value;

    if (field->size == 0 || field->size > 8 || offset + field->size > view->length)
        return (struct expression_value){false, 0};
    value = read_little_endian(view->data + offset, field->size);
    return (struct expression_value){
        true, field->type == FIELD_SIGNED ? extend_sign(value, field->size) : (int64_t)value};
}

static struct expression_value read_operand(const void *operand, const void *context)
{
    const struct evaluation *evaluation = (const struct evaluation *)context;
    const struct message_view *view = evaluation->view;

    if (operand == operand_this)
        return evaluation->this_value;
    if (operand == operand_size)
        return (struct expression_value){true, view->size};
    if (operand == operand_type)
        return (struct expression_value){true, view->type};
    if (operand == operand_server)
        return (struct expression_value){view->server != DICTIONARY_SERVER_UNKNOWN, view->server};
    if (operand == operand_sender)
        return (struct expression_value){view->direction != DICTIONARY_DIRECTION_UNKNOWN,
                                         view->direction};
    return dictionary_read_field((const struct field *)operand, view, evaluation->base);
}

struct expression_value dictionary_evaluate(const struct expression *expression,
                                            const struct message_view *view, unsigned base,
                                            struct expression_value this_value)
{
    struct evaluation evaluation = {view, base, this_value};

    return expression_evaluate(expression, read_operand, &evaluation);
}

bool dictionary_condition(const struct expression *when, const struct message_view *view,
                          unsigned base)
{
    struct expression_value outcome;

    if (when == NULL)
        return true;
    outcome = dictionary_evaluate(when, view, base, (struct expression_value){false, 0});
    return !outcome.known || outcome.value != 0;
}

const struct value *enumeration_find(const struct enumeration *enumeration, uint64_t number)
{
    guint low = 0;
    guint high = enumeration->values->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const struct value *value = &g_array_index(enumeration->values, struct value, middle);

        if (number < value->number)
            high = middle;
        else if (number > value->last)
            low = middle + 1;
        else
            return value;
    }
    return NULL;
}

static void worsen(struct candidate *candidate, enum layout_fit fit)
{
    candidate->fit = MIN(candidate->fit, fit);
}

/* Walks a string list; returns where it ends. A list that runs past the message is most likely the
 * right one all the same if its count is the expected one, or if its last string ends with the
 * message. */
static unsigned measure_strings(struct candidate *candidate, const struct field *field,
                                const struct message_view *view)
{
    unsigned at = field->offset;
    unsigned count;
    bool expected;

    if (at >= view->length)
        return at + 1;
    count = view->data[at++];
    expected = count == field->strings->len;
    if (field->strings->len != 0 && !expected)
        candidate->doubts++;
    for (unsigned i = 0; i < count; i++) {
        if (at >= view->length) {
            worsen(candidate, i > 0 || expected ? FIT_MISCOUNTED : FIT_OVERRUN);
            return view->size;
        }
        at += 1U + view->data[at];
        if (at > view->length) {
            worsen(candidate, expected ? FIT_MISCOUNTED : FIT_OVERRUN);
            return view->size;
        }
    }
    return at;
}

static unsigned measure_records(struct candidate *candidate, const struct field *field,
                                const struct message_view *view)
{
    unsigned room = view->size > field->offset ? view->size - field->offset : 0;
    struct expression_value count = {true, field->count};

    if (field->open_ended)
        return field->offset + room / field->stride * field->stride;
    if (field->count_field != NULL)
        count = dictionary_read_field(field->count_field, view, 0);
    if (!count.known)
        worsen(candidate, FIT_TRUNCATED);
    else if (count.value < 0 || count.value > room / field->stride)
        worsen(candidate, FIT_OVERRUN);
    else
        return field->offset + (unsigned)count.value * field->stride;
    return view->size;
}

static unsigned measure_field(struct candidate *candidate, const struct field *field,
                              const struct message_view *view)
{
    switch (field->type) {
    case FIELD_STRINGS:
        return measure_strings(candidate, field, view);
    case FIELD_RECORDS:
        return measure_records(candidate, field, view);
    case FIELD_PTEXT:
        if (field->offset >= view->length)
            return field->offset + 1;
        return field->offset + 1U + view->data[field->offset];
    default:
        return field->size != 0 ? field->offset + field->size : MAX(view->size, field->offset);
    }
}

/* Reads a varint; returns the byte behind it, or NULL. */
static const uint8_t *skip_varint(const uint8_t *at, const uint8_t *end)
{
    for (unsigned i = 0; i < 10 && at + i < end; i++) {
        if ((at[i] & 0x80) == 0)
            return at + i + 1;
    }
    return NULL;
}

static bool has_protobuf_field(const struct layout *layout, unsigned number)
{
    for (guint i = 0; i < layout->fields->len; i++) {
        if (((const struct field *)g_ptr_array_index(layout->fields, i))->offset == number)
            return true;
    }
    return false;
}

/* A protobuf layout fits only what is nothing but its own fields, all varints: then the first
 * byte of each is the field's number times 8. */
static void measure_protobuf(struct candidate *candidate, const struct message_view *view)
{
    const uint8_t *at = view->data + MESSAGE_HEADER;
    const uint8_t *end = view->data + view->length;

    if (view->length <= MESSAGE_HEADER)
        worsen(candidate, FIT_OVERRUN);
    while (at != NULL && at < end) {
        if ((*at & 0x87) != 0 || !has_protobuf_field(candidate->layout, *at >> 3)) {
            worsen(candidate, FIT_OVERRUN);
            return;
        }
        at = skip_varint(at + 1, end);
    }
    if (at == NULL)
        worsen(candidate, FIT_OVERRUN);
}

static bool is_zero(const struct message_view *view, unsigned from)
{
    for (size_t i = from; i < view->length; i++) {
        if (view->data[i] != 0)
            return false;
    }
    return true;
}

static void compare_size(struct candidate *candidate, unsigned end, const struct message_view *view)
{
    unsigned size = view->size;
    const struct layout *layout = candidate->layout;

    candidate->distance = end > size ? end - size : size - end;
    if (end > size)
        worsen(candidate,
               layout->min_size != 0 && size >= layout->min_size ? FIT_SHORT : FIT_TRUNCATED);
    else if (end < size)
        worsen(candidate, layout->variable && size - end <= PADDING_MAX && is_zero(view, end)
                              ? FIT_PADDED
                              : FIT_LONGER);
}

static void measure(struct candidate *candidate, const struct message_view *view)
{
    const struct layout *layout = candidate->layout;
    unsigned end = MAX(layout->size, MESSAGE_HEADER);

    if (layout->encoding == LAYOUT_PROTOBUF) {
        measure_protobuf(candidate, view);
        return;
    }
    for (guint i = 0; i < layout->fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(layout->fields, i);

        if (!field->unused && dictionary_condition(field->when, view, 0)) {
            unsigned field_end = measure_field(candidate, field, view);

            end = MAX(end, field_end);
        }
    }
    if (layout->min_size != 0 && view->size < layout->min_size)
        worsen(candidate, FIT_TRUNCATED);
    compare_size(candidate, end, view);
}

/* Text that has control characters, or goes on behind its end, is most likely something else. */
static bool looks_like_text(const uint8_t *text, unsigned size)
{
    unsigned i = 0;

    while (i < size && text[i] != '\0') {
        if (text[i++] < 0x20)
            return false;
    }
    return i >= size || i > 1 || is_zero(&(struct message_view){.data = text, .length = size}, i);
}

static bool is_doubtful(const struct field *field, const struct message_view *view)
{
    struct expression_value number;

    if (field->type == FIELD_TEXT)
        return (size_t)field->offset + field->size <= view->length &&
               !looks_like_text(view->data + field->offset, field->size);
    /* A kind with an enumeration takes the number apart first. */
    if (field->enumeration == NULL || field->type == FIELD_FLAGS || field->kind != NULL)
        return false;
    number = dictionary_read_field(field, view, 0);
    return number.known && enumeration_find(field->enumeration, (uint64_t)number.value) == NULL;
}

static unsigned count_doubts(const struct layout *layout, const struct message_view *view)
{
    unsigned doubts = 0;

    for (guint i = 0; i < layout->fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(layout->fields, i);

        if (dictionary_condition(field->when, view, 0) && is_doubtful(field, view))
            doubts++;
    }
    return doubts;
}

static bool may_send(const struct layout *layout, const struct message_view *view)
{
    uint8_t sender = view->direction == DICTIONARY_FROM_CLIENT ? DICTIONARY_SENDER_CLIENT
                                                               : DICTIONARY_SENDER_SERVER;

    return view->direction == DICTIONARY_DIRECTION_UNKNOWN || (layout->senders & sender) != 0;
}

static bool applies(const struct layout *layout, const struct message_view *view)
{
    if (view->type != layout->types[0] && view->type != layout->types[1])
        return false;
    if (layout->server != DICTIONARY_SERVER_UNKNOWN && view->server != DICTIONARY_SERVER_UNKNOWN &&
        layout->server != view->server)
        return false;
    return may_send(layout, view) && dictionary_condition(layout->select, view, 0);
}

static struct candidate judge(const struct layout *layout, const struct message_view *view,
                              uint16_t latest)
{
    struct candidate candidate = {.layout = layout, .fit = FIT_NONE};

    if (!applies(layout, view))
        return candidate;
    candidate.fit = FIT_EXACT;
    candidate.in_time = layout->patch <= latest;
    measure(&candidate, view);
    candidate.doubts += count_doubts(layout, view);
    return candidate;
}

/* Padding is no worse than none as long as the patch does not decide: a field of the patch after
 * next may well end by chance where the message does. */
static enum layout_fit rank_fit(const struct candidate *candidate)
{
    return candidate->fit == FIT_PADDED ? FIT_EXACT : candidate->fit;
}

/* By evidence, size is what counts: servers mix the layouts of several patches. Where the size
 * does not tell, the patch does, then the values; the newest that is in time wins, or else the
 * oldest of the later ones. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (rank_fit(a) != rank_fit(b))
        return rank_fit(a) > rank_fit(b);
    if (a->in_time != b->in_time)
        return a->in_time;
    if (a->fit != b->fit)
        return a->fit > b->fit;
    if (a->doubts != b->doubts)
        return a->doubts < b->doubts;
    if (a->fit < FIT_SHORT && a->distance != b->distance)
        return a->distance < b->distance;
    if (a->layout->patch != b->layout->patch)
        return (a->layout->patch > b->layout->patch) == a->in_time;
    return false;
}

/* With a patch configured, the newest layout not later than it that fits. */
static bool is_better_for_patch(const struct candidate *a, const struct candidate *b)
{
    bool a_fits = a->fit >= FIT_SHORT;
    bool b_fits = b->fit >= FIT_SHORT;

    if (a->in_time != b->in_time)
        return a->in_time;
    if (a_fits != b_fits)
        return a_fits;
    if (a->layout->patch != b->layout->patch)
        return (a->layout->patch > b->layout->patch) == a->in_time;
    return a->fit > b->fit || (a->fit == b->fit && a->doubts < b->doubts);
}

const struct layout *dictionary_choose(const struct message *message,
                                       const struct message_view *view, uint16_t patch,
                                       const struct patch_evidence *evidence, enum layout_fit *fit)
{
    struct candidate best = {.layout = NULL, .fit = FIT_NONE};
    uint16_t latest = patch != 0 ? patch : evidence->high;

    for (guint i = 0; i < message->layouts->len; i++) {
        const struct layout *layout = (const struct layout *)g_ptr_array_index(message->layouts, i);
        struct candidate candidate = judge(layout, view, latest);

        if (candidate.fit == FIT_NONE)
            continue;
        if (best.layout == NULL ||
            (patch != 0 ? is_better_for_patch(&candidate, &best) : is_better(&candidate, &best)))
            best = candidate;
    }
    *fit = best.fit;
    return best.layout;
}

void patch_evidence_narrow(struct patch_evidence *evidence, struct patch_evidence bounds)
{
    uint16_t low = MAX(evidence->low, bounds.low);
    uint16_t high = MIN(evidence->high, bounds.high);

    if (low <= high)
        *evidence = (struct patch_evidence){low, high};
}

/* What the layouts that fit a message exactly show together. */
static struct patch_evidence collect_shown(const struct message *message,
                                           const struct message_view *view)
{
    struct patch_evidence shown = {PATCH_LAST, 0};

    for (guint i = 0; i < message->layouts->len; i++) {
        const struct layout *layout = (const struct layout *)g_ptr_array_index(message->layouts, i);

        if (layout->shows.low == 0 || judge(layout, view, PATCH_LAST).fit < FIT_PADDED)
            continue;
        shown.low = MIN(shown.low, layout->shows.low);
        shown.high = MAX(shown.high, layout->shows.high);
    }
    return shown;
}

/* A client that says its build says the patch, if the number is one. */
static void observe_build(struct patch_evidence *evidence, const struct message *message,
                          const struct message_view *view)
{
    for (guint i = 0; i < message->layouts->len; i++) {
        const struct layout *layout = (const struct layout *)g_ptr_array_index(message->layouts, i);

        for (guint j = 0; j < layout->fields->len; j++) {
            const struct field *field = (const struct field *)g_ptr_array_index(layout->fields, j);
            struct expression_value build;

            if (field->kind == NULL || !field->kind->patch || !applies(layout, view))
                continue;
            build = dictionary_read_field(field, view, 0);
            if (build.known && build.value >= PATCH_FIRST && build.value < 10000)
                patch_evidence_narrow(evidence, (struct patch_evidence){(uint16_t)build.value,
                                                                        (uint16_t)build.value});
        }
    }
}

void dictionary_observe(struct patch_evidence *evidence, uint16_t type, uint16_t size,
                        unsigned direction, unsigned server, bool footer, const uint8_t *plaintext,
                        size_t length)
{
    struct message_view view = {
        .data = plaintext,
        .length = MIN(length, size),
        .size = size,
        .type = type,
        .server = (uint8_t)server,
        .direction = (uint8_t)direction,
    };
    const struct message *message = dictionary_find(type, server);
    struct patch_evidence shown;

    if (footer)
        patch_evidence_narrow(evidence, (struct patch_evidence){PATCH_FOOTER, PATCH_LAST});
    else if (server == DICTIONARY_SERVER_GAME)
        patch_evidence_narrow(evidence, (struct patch_evidence){PATCH_FIRST, PATCH_FOOTER - 1});
    if (message == NULL || !message->tells_patch)
        return;
    shown = collect_shown(message, &view);
    if (shown.low <= shown.high)
        patch_evidence_narrow(evidence, shown);
    observe_build(evidence, message, &view);
}
