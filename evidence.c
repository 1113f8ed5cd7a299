/* evidence.c
 * The dictionary's knowledge of headers as a measure.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "evidence.h"

static tq_header_model *make_model(unsigned sender)
{
    size_t count;
    const struct dictionary_type *types = dictionary_types(&count);
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(tq_size_range));

    for (size_t i = 0; i < count; i++) {
        if (!(types[i].senders & sender))
            continue;
        tq_size_range range = {types[i].type, types[i].min_size, types[i].max_size};
        g_array_append_val(ranges, range);
    }
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
