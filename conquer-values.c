/* conquer-values.c
 * What the game does to values: numbers go into the tree with what the dictionary derives from
 * them, and hidden fields find a thing wherever it is mentioned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conquer-internal.h"

#include <string.h>

static int hf_role_id = -1;
static int hf_item_id = -1;
static int hf_account_id = -1;
static int hf_name = -1;

bool conquer_is_wanted(proto_tree *tree, int hf)
{
    return tree != NULL && proto_field_is_referenced(tree, hf);
}

const struct meaning *conquer_find_meaning(const struct field *field,
                                           const struct message_view *view, unsigned base)
{
    struct expression_value number;
    const struct value *value;

    if (field->means_by == NULL)
        return NULL;
    number = dictionary_read_field(field->means_by, view, base);
    if (!number.known)
        return NULL;
    value = enumeration_find(field->means_by->enumeration, (uint64_t)number.value);
    if (value == NULL || value->roles == NULL)
        return NULL;
    return (const struct meaning *)g_hash_table_lookup(value->roles, field->means_role);
}

/* The hidden fields that find a thing wherever it is mentioned. */
static void add_hidden_number(struct dissection *d, proto_tree *tree, const char *hidden,
                              unsigned offset, unsigned size, uint64_t value)
{
    int hf;

    if (hidden == NULL || value == 0 || value > UINT32_MAX)
        return;
    hf = strcmp(hidden, "role_id") == 0   ? hf_role_id
         : strcmp(hidden, "item_id") == 0 ? hf_item_id
                                          : hf_account_id;
    if (conquer_is_wanted(tree, hf))
        proto_item_set_hidden(
            proto_tree_add_uint(tree, hf, d->tvb, (int)offset, (int)size, (uint32_t)value));
}

bool conquer_is_name_wanted(proto_tree *tree)
{
    return conquer_is_wanted(tree, hf_name);
}

void conquer_add_hidden_name(struct dissection *d, proto_tree *tree, const struct kind *kind,
                             unsigned offset, unsigned size, const char *text)
{
    if (kind != NULL && kind->hidden != NULL && strcmp(kind->hidden, "name") == 0 &&
        text[0] != '\0')
        proto_item_set_hidden(
            proto_tree_add_string(tree, hf_name, d->tvb, (int)offset, (int)size, text));
}

proto_item *conquer_add_number(struct dissection *d, proto_tree *tree, const struct header *header,
                               unsigned offset, unsigned size, int64_t value)
{
    int start = (int)offset;
    int length = (int)size;

    switch (header->type) {
    case FT_BOOLEAN:
        return proto_tree_add_boolean(tree, header->id, d->tvb, start, length, value != 0);
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        return proto_tree_add_int(tree, header->id, d->tvb, start, length, (int32_t)value);
    case FT_INT64:
        return proto_tree_add_int64(tree, header->id, d->tvb, start, length, value);
    case FT_UINT64:
        return proto_tree_add_uint64(tree, header->id, d->tvb, start, length, (uint64_t)value);
    case FT_BYTES:
        return proto_tree_add_item(tree, header->id, d->tvb, start, length, ENC_NA);
    default:
        return proto_tree_add_uint(tree, header->id, d->tvb, start, length, (uint32_t)value);
    }
}

void conquer_trim_label(proto_item *item)
{
    field_info *info = item != NULL ? PITEM_FINFO(item) : NULL;
    const char *end;

    if (info != NULL && info->rep != NULL && !g_utf8_validate(info->rep->representation, -1, &end))
        info->rep->representation[end - info->rep->representation] = '\0';
}

void conquer_append_flags(proto_item *item, const struct enumeration *enumeration, uint64_t value)
{
    for (guint i = 0; i < enumeration->values->len; i++) {
        const struct value *flag = &g_array_index(enumeration->values, struct value, i);

        if (enumeration->form == FORM_FLAGS && flag->number != 0 &&
            (value & flag->number) == flag->number)
            proto_item_append_text(item, ", %s", flag->label);
    }
    conquer_trim_label(item);
}

static proto_item *add_generated(struct dissection *d, proto_tree *tree,
                                 const struct header *header, unsigned offset, unsigned size,
                                 int64_t value)
{
    proto_item *item;
    nstime_t time;

    if (header->type == FT_RELATIVE_TIME) {
        time.secs = (time_t)(value / 1000);
        time.nsecs = (int)(value % 1000) * 1000000;
        item = proto_tree_add_time(tree, header->id, d->tvb, (int)offset, (int)size, &time);
    } else {
        item = conquer_add_number(d, tree, header, offset, size, value);
    }
    proto_item_set_generated(item);
    return item;
}

/* Evaluates one derived value and adds it beside its field. */
static void add_derived(struct dissection *d, proto_tree *tree, const struct derived *derived,
                        const struct header *header, unsigned offset, unsigned size, unsigned base,
                        struct expression_value this_value)
{
    struct expression_value value;
    proto_item *item;

    if (!conquer_is_wanted(tree, header->id) && derived->hidden == NULL)
        return;
    if (derived->when != NULL) {
        value = dictionary_evaluate(derived->when, &d->view, base, this_value);
        if (!value.known || value.value == 0)
            return;
    }
    value = dictionary_evaluate(derived->value, &d->view, base, this_value);
    if (!value.known)
        return;
    item = add_generated(d, tree, header, offset, size, value.value);
    if (derived->enumeration != NULL && derived->enumeration->form != FORM_VALUES)
        conquer_append_flags(item, derived->enumeration, (uint64_t)value.value);
    add_hidden_number(d, tree, derived->hidden, offset, size, (uint64_t)value.value);
}

void conquer_add_kind(struct dissection *d, proto_tree *tree, const struct kind *kind,
                      const struct header *const *headers, unsigned offset, unsigned size,
                      unsigned base, int64_t value)
{
    struct expression_value this_value = {true, value};

    for (guint i = 0; i < kind->derived->len; i++)
        add_derived(d, tree, &g_array_index(kind->derived, struct derived, i), headers[i], offset,
                    size, base, this_value);
    add_hidden_number(d, tree, kind->hidden, offset, size, (uint64_t)value);
}

void conquer_add_layout_derived(struct dissection *d, proto_tree *tree, const struct field *field,
                                unsigned offset, unsigned size)
{
    const GArray *all = d->layout->derived;

    for (guint i = 0; i < all->len; i++) {
        const struct derived *derived = &g_array_index(all, struct derived, i);

        if (strcmp(derived->field, field->name) == 0)
            add_derived(d, tree, derived, derived->header, offset, size, 0,
                        (struct expression_value){false, 0});
    }
}

void conquer_add_meaning(struct dissection *d, proto_tree *tree, proto_item *item,
                         const struct field *field, unsigned offset, unsigned base, int64_t value)
{
    const struct meaning *meaning = conquer_find_meaning(field, &d->view, base);

    if (meaning == NULL)
        return;
    proto_item_append_text(item, " [%s]", meaning->token);
    conquer_trim_label(item);
    if (meaning->kind != NULL)
        conquer_add_kind(
            d, tree, meaning->kind,
            (const struct header *const *)g_hash_table_lookup(field->meanings, meaning->kind),
            offset, field->size, base, value);
}

void conquer_register_hidden(int proto)
{
    static hf_register_info fields[] = {
        {&hf_role_id,
         {"Role ID", "conquer.role_id", FT_UINT32, BASE_DEC, NULL, 0,
          "Hero, monster, NPC, pet or trap, wherever one is mentioned", HFILL}},
        {&hf_item_id,
         {"Item ID", "conquer.item_id", FT_UINT32, BASE_DEC, NULL, 0,
          "Item, wherever one is mentioned", HFILL}},
        {&hf_account_id,
         {"Account ID", "conquer.account_id", FT_UINT32, BASE_DEC, NULL, 0,
          "Account, wherever one is mentioned", HFILL}},
        {&hf_name,
         {"Name", "conquer.name", FT_STRING, BASE_NONE, NULL, 0,
          "Name of a hero, monster, NPC or guild, wherever one is mentioned", HFILL}},
    };

    proto_register_field_array(proto, fields, array_length(fields));
}
