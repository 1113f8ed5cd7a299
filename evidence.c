/* evidence.c
 * The dictionary's knowledge of headers as a measure.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "evidence.h"

#include "dictionary-model.h"

static int compare_ranges(const void *a, const void *b)
{
    const tq_size_range *one = (const tq_size_range *)a, *other = (const tq_size_range *)b;

    if (one->type != other->type)
        return one->type - other->type;
    if (one->min_size != other->min_size)
        return one->min_size - other->min_size;
    return one->max_size - other->max_size;
}

/* Adds the sizes that each layout of a message allows: many types have one of a fixed size for old
 * patches and another, open one for new patches. */
static void add_layouts(GArray *ranges, const struct dictionary_type *type, unsigned server,
                        unsigned sender)
{
    const struct message *message = dictionary_find(type->type, server);

    for (unsigned i = 0; message && i < message->layouts->len; i++) {
        const struct layout *layout = (const struct layout *)g_ptr_array_index(message->layouts, i);
        unsigned shortest = layout->min_size ? layout->min_size : layout->end;
        tq_size_range range = {type->type, (uint16_t)MAX(shortest, type->min_size),
                               (uint16_t)layout->end};
        if (layout->variable)
            range.max_size = type->max_size;
        bool is_of_type = layout->types[0] == type->type || layout->types[1] == type->type;
        if (is_of_type && (layout->senders == 0 || layout->senders & sender) &&
            range.min_size <= range.max_size)
            g_array_append_val(ranges, range);
    }
}

/* Removes ranges that are there twice. */
static void remove_doubles(GArray *ranges)
{
    unsigned kept = 0;

    g_array_sort(ranges, compare_ranges);
    for (unsigned i = 0; i < ranges->len; i++) {
        tq_size_range *list = (tq_size_range *)(void *)ranges->data;
        if (kept == 0 || compare_ranges(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    }
    g_array_set_size(ranges, kept);
}

static tq_header_model *make_model(unsigned sender)
{
    size_t count;
    const struct dictionary_type *types = dictionary_types(&count);
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(tq_size_range));

    for (size_t i = 0; i < count; i++) {
        if (!(types[i].senders & sender))
            continue;
        unsigned before = ranges->len;
        add_layouts(ranges, &types[i], DICTIONARY_SERVER_GAME, sender);
        add_layouts(ranges, &types[i], DICTIONARY_SERVER_ACCOUNT, sender);
        if (ranges->len == before) {
            tq_size_range range = {types[i].type, types[i].min_size, types[i].max_size};
            g_array_append_val(ranges, range);
        }
    }
    remove_doubles(ranges);
    tq_header_model *model =
        tq_header_model_new((const tq_size_range *)(const void *)ranges->data, ranges->len);
    g_array_free(ranges, TRUE);
    return model;
}

const tq_header_model *evidence_model(tq_direction_t direction)
{
    static tq_header_model *models[2];

    if (!models[direction])
        models[direction] = make_model(direction == TQ_CLIENT_TO_SERVER ? DICTIONARY_SENDER_CLIENT
                                                                        : DICTIONARY_SENDER_SERVER);
    return models[direction];
}
