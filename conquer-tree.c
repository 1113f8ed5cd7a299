/* conquer-tree.c
 * One message and its layout become a tree.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conquer-internal.h"

#include <string.h>

/* U+FFFD, which Wireshark puts where bytes are no text. */
#define REPLACEMENT "\xEF\xBF\xBD"

/* Enough for any list that fits a message; a cap all the same. */
#define ITEMS_MAX 65536

static int hf_size = -1;
static int hf_type = -1;
static int hf_patch = -1;
static int hf_layout = -1;
static int hf_unused = -1;
static int hf_unknown = -1;
static int hf_padding = -1;
static int hf_word = -1;

int ett_conquer = -1;
int ett_conquer_list = -1;
int ett_conquer_record = -1;
int ett_conquer_flags = -1;
static int ett_words = -1;

static expert_field ei_unknown_type;
static expert_field ei_no_layout;
static expert_field ei_truncated;
static expert_field ei_longer;
static expert_field ei_strings;
static expert_field ei_records;
static expert_field ei_text;

static void add_fields(struct dissection *d, proto_tree *tree, const GPtrArray *fields,
                       unsigned base);

static void note_end(struct dissection *d, unsigned end)
{
    d->end = MAX(d->end, end);
}

const char *conquer_get_text(const struct dissection *d, unsigned encoding, unsigned offset,
                             unsigned size)
{
    const uint8_t *text = d->view.data + offset;
    const uint8_t *nul = size > 0 ? (const uint8_t *)memchr(text, '\0', size) : NULL;
    unsigned length = nul != NULL ? (unsigned)(nul - text) : size;

    if (encoding == 0)
        encoding = d->options->encoding != 0 ? d->options->encoding : ENC_WINDOWS_1252;
    return (const char *)tvb_get_string_enc(d->pinfo->pool, d->tvb, (int)offset, (int)length,
                                            encoding);
}

static void add_integer(struct dissection *d, proto_tree *tree, const struct field *field,
                        unsigned offset, unsigned base)
{
    struct expression_value value = dictionary_read_field(field, &d->view, base);
    proto_item *item = conquer_add_number(d, tree, field->header, offset, field->size, value.value);

    if (field->means_by != NULL)
        conquer_add_meaning(d, tree, item, field, offset, base, value.value);
    if (field->kind != NULL)
        conquer_add_kind(d, tree, field->kind, field->derived, offset, field->size, base,
                         value.value);
    if (d->layout->derived->len != 0 && !field->in_record)
        conquer_add_layout_derived(d, tree, field, offset, field->size);
}

/* The bits go in one by one: a bitmask would take the width of the header, which is that of the
 * widest layout. */
static void add_flags(struct dissection *d, proto_tree *tree, const struct field *field,
                      unsigned offset, unsigned base)
{
    struct expression_value value = dictionary_read_field(field, &d->view, base);
    proto_item *item = conquer_add_number(d, tree, field->header, offset, field->size, value.value);
    proto_tree *flags = proto_item_add_subtree(item, ett_conquer_flags);

    for (int **bit = field->bits; *bit != NULL; bit++)
        proto_tree_add_item(flags, **bit, d->tvb, (int)offset, (int)field->size, ENC_LITTLE_ENDIAN);
    conquer_append_flags(item, field->enumeration, (uint64_t)value.value);
}

/* Dotted decimal text; some servers write leading zeros, as in 127.000.000.001. */
static bool parse_address(const char *text, uint32_t *address)
{
    uint8_t bytes[4];

    for (size_t i = 0; i < sizeof bytes; i++) {
        char *end;
        uint64_t number;

        if (!g_ascii_isdigit(*text))
            return false;
        number = g_ascii_strtoull(text, &end, 10);
        if (number > UINT8_MAX || *end != (i < sizeof bytes - 1 ? '.' : '\0'))
            return false;
        bytes[i] = (uint8_t)number;
        text = end + 1;
    }
    memcpy(address, bytes, sizeof bytes);
    return true;
}

static void add_address(struct dissection *d, proto_tree *tree, const struct header *header,
                        unsigned offset, unsigned size, const char *text)
{
    uint32_t address;

    if (parse_address(text, &address))
        proto_item_set_generated(
            proto_tree_add_ipv4(tree, header->id, d->tvb, (int)offset, (int)size, address));
}

/* Says which bytes stand behind replacement characters, so that nothing is lost. */
static void add_invalid_bytes(struct dissection *d, proto_item *item, unsigned offset,
                              unsigned size)
{
    proto_item_append_text(item, " [bytes %s]",
                           tvb_bytes_to_str(d->pinfo->pool, d->tvb, (int)offset, (int)size));
    conquer_trim_label(item);
    expert_add_info(d->pinfo, item, &ei_text);
}

/* A text of size bytes, of which text_size at text_offset are the text itself. */
static void add_text(struct dissection *d, proto_tree *tree, const struct header *header,
                     const struct kind *kind, unsigned encoding, unsigned offset, unsigned size,
                     unsigned text_offset, unsigned text_size)
{
    const char *text;
    proto_item *item;

    if (header->type == FT_BYTES) {
        proto_tree_add_item(tree, header->id, d->tvb, (int)text_offset, (int)text_size, ENC_NA);
        return;
    }
    if (!conquer_is_wanted(tree, header->id) && (kind == NULL || !conquer_is_name_wanted(tree)))
        return;
    if (kind != NULL && kind->conceal && !d->options->show_passwords) {
        proto_tree_add_string(tree, header->id, d->tvb, (int)offset, (int)size,
                              "<hidden by preference>");
        return;
    }
    text = conquer_get_text(d, encoding, text_offset, text_size);
    item = proto_tree_add_string(tree, header->id, d->tvb, (int)offset, (int)size, text);
    if (strstr(text, REPLACEMENT) != NULL)
        add_invalid_bytes(d, item, text_offset, text_size);
    conquer_add_hidden_name(d, tree, kind, offset, size, text);
}

static void add_text_field(struct dissection *d, proto_tree *tree, const struct field *field,
                           unsigned offset, unsigned size)
{
    add_text(d, tree, field->header, field->kind, field->encoding, offset, size, offset, size);
    if (field->address != NULL && conquer_is_wanted(tree, field->address->id))
        add_address(d, tree, field->address, offset, size,
                    conquer_get_text(d, field->encoding, offset, size));
}

static unsigned room_at(const struct dissection *d, unsigned offset)
{
    return offset < d->view.length ? (unsigned)(d->view.length - offset) : 0;
}

/* Text after a byte that holds its length. Returns false if it runs past the message. */
static bool add_counted_text(struct dissection *d, proto_tree *tree, const struct header *header,
                             const struct kind *kind, unsigned encoding, unsigned *offset)
{
    unsigned length = d->view.data[*offset];
    unsigned room = room_at(d, *offset + 1);
    unsigned shown = MIN(length, room);

    add_text(d, tree, header, kind, encoding, *offset, 1 + shown, *offset + 1, shown);
    *offset += 1 + shown;
    note_end(d, *offset);
    return length <= room;
}

static void add_strings(struct dissection *d, proto_tree *tree, const struct field *field)
{
    unsigned offset = field->offset;
    unsigned count;
    unsigned i = 0;
    bool whole = true;
    proto_item *item;
    proto_tree *list;

    if (room_at(d, offset) == 0)
        return;
    count = d->view.data[offset];
    item = conquer_add_number(d, tree, field->header, offset, 1, count);
    list = proto_item_add_subtree(item, ett_conquer_list);
    note_end(d, ++offset);
    while (whole && i < count && room_at(d, offset) > 0) {
        const struct string_name *name =
            i < field->strings->len ? &g_array_index(field->strings, struct string_name, i) : NULL;

        whole = add_counted_text(d, list, name != NULL ? name->header : field->text,
                                 name != NULL ? name->kind : NULL, 0, &offset);
        i++;
    }
    proto_item_set_len(item, (int)(offset - field->offset));
    if (!whole || i < count)
        expert_add_info_format(d->pinfo, item, &ei_strings,
                               "String list larger than its message: %u strings, %u there%s", count,
                               i, whole ? "" : ", the last one cut short");
}

/* How many records a field has; without a count, as many as fit. */
static unsigned count_records(const struct dissection *d, const struct field *field,
                              unsigned offset, unsigned base)
{
    struct expression_value count = {true, field->count};

    if (field->open_ended)
        return room_at(d, offset) / field->stride;
    if (field->count_field != NULL)
        count = dictionary_read_field(field->count_field, &d->view, base);
    if (!count.known || count.value < 0)
        return 0;
    return (unsigned)MIN(count.value, ITEMS_MAX);
}

/* A record that the message's end cuts shows what is there of it. */
static void add_records(struct dissection *d, proto_tree *tree, const struct field *field,
                        unsigned offset, unsigned base)
{
    unsigned count = count_records(d, field, offset, base);
    unsigned room = room_at(d, offset);
    unsigned there = MIN(count, (room + field->stride - 1) / field->stride);
    unsigned length = MIN(room, count * field->stride);
    proto_item *item = conquer_add_number(d, tree, field->header, offset, length, count);
    proto_tree *list = proto_item_add_subtree(item, ett_conquer_list);

    for (unsigned i = 0; i < there; i++) {
        unsigned start = offset + i * field->stride;
        proto_tree *record = list;

        if (tree != NULL && PTREE_DATA(tree)->visible)
            record = proto_tree_add_subtree_format(
                list, d->tvb, (int)start, (int)MIN(field->stride, room_at(d, start)),
                ett_conquer_record, NULL, "%s %u", field->label, i + 1);
        add_fields(d, record, field->fields, start);
        note_end(d, start + MIN(field->stride, room_at(d, start)));
    }
    if (count > room / field->stride)
        expert_add_info_format(d->pinfo, item, &ei_records,
                               "Records past the end of the message: %u of %u bytes each, %u bytes "
                               "there",
                               count, field->stride, room);
}

static void add_bytes(struct dissection *d, proto_tree *tree, const struct field *field,
                      unsigned offset, unsigned size)
{
    if (size > 0)
        proto_tree_add_item(tree, field->unused ? hf_unused : field->header->id, d->tvb,
                            (int)offset, (int)size, ENC_NA);
}

/* Whether a field that the message cuts can be shown in part. */
static bool is_divisible(const struct field *field)
{
    return field->type == FIELD_TEXT || field->type == FIELD_BYTES;
}

static void add_fixed_field(struct dissection *d, proto_tree *tree, const struct field *field,
                            unsigned offset, unsigned base)
{
    unsigned size = MIN(field->size, room_at(d, offset));

    if (size == 0 || (size < field->size && !is_divisible(field)))
        return;
    note_end(d, offset + size);
    switch (field->type) {
    case FIELD_FLAGS:
        add_flags(d, tree, field, offset, base);
        break;
    case FIELD_TEXT:
        add_text_field(d, tree, field, offset, size);
        break;
    case FIELD_BYTES:
        add_bytes(d, tree, field, offset, size);
        if (field->kind != NULL && field->kind->enciphered)
            conquer_add_password(d, tree, offset, size);
        break;
    default:
        add_integer(d, tree, field, offset, base);
        break;
    }
}

static void add_variable_field(struct dissection *d, proto_tree *tree, const struct field *field,
                               unsigned offset, unsigned base)
{
    unsigned room = room_at(d, offset);

    switch (field->type) {
    case FIELD_STRINGS:
        add_strings(d, tree, field);
        break;
    case FIELD_RECORDS:
        add_records(d, tree, field, offset, base);
        break;
    case FIELD_PTEXT:
        if (room > 0 &&
            !add_counted_text(d, tree, field->header, field->kind, field->encoding, &offset))
            expert_add_info(d->pinfo, d->item, &ei_strings);
        break;
    default:
        add_bytes(d, tree, field, offset, room);
        note_end(d, offset + room);
        break;
    }
}

static void add_fields(struct dissection *d, proto_tree *tree, const GPtrArray *fields,
                       unsigned base)
{
    for (guint i = 0; i < fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(fields, i);
        unsigned offset = base + field->offset;

        if (!dictionary_condition(field->when, &d->view, base))
            continue;
        if (field->variable)
            add_variable_field(d, tree, field, offset, base);
        else
            add_fixed_field(d, tree, field, offset, base);
    }
}

static const struct field *find_protobuf_field(const struct layout *layout, uint64_t number)
{
    for (guint i = 0; i < layout->fields->len; i++) {
        const struct field *field = (const struct field *)g_ptr_array_index(layout->fields, i);

        if (field->offset == number)
            return field;
    }
    return NULL;
}

/* Protobuf fields are a varint key, number * 8 + wire type, and a value; all known ones are
 * varints. Wireshark's own dissector for them would need a .proto file in its search path to know
 * a single name. */
static void add_protobuf(struct dissection *d)
{
    unsigned offset = MESSAGE_HEADER;

    while (room_at(d, offset) > 0) {
        uint64_t key;
        uint64_t value;
        unsigned key_size =
            tvb_get_varint(d->tvb, offset, FT_VARINT_MAX_LEN, &key, ENC_VARINT_PROTOBUF);
        const struct field *field = find_protobuf_field(d->layout, key >> 3);
        unsigned size;

        if (key_size == 0 || (key & 7) != 0 || field == NULL)
            return;
        size = tvb_get_varint(d->tvb, offset + key_size, FT_VARINT_MAX_LEN, &value,
                              ENC_VARINT_PROTOBUF);
        if (size == 0)
            return;
        conquer_add_number(d, d->tree, field->header, offset + key_size, size, (int64_t)value);
        if (field->kind != NULL)
            conquer_add_kind(d, d->tree, field->kind, field->derived, offset + key_size, size, 0,
                             (int64_t)value);
        offset += key_size + size;
        note_end(d, offset);
    }
}

/* What nobody knows: bytes, and the same as 32-bit words. */
static void add_unknown(struct dissection *d, unsigned offset)
{
    unsigned room = room_at(d, offset);
    proto_item *item;
    proto_tree *words;

    if (room == 0)
        return;
    item = proto_tree_add_item(d->tree, hf_unknown, d->tvb, (int)offset, (int)room, ENC_NA);
    words = proto_item_add_subtree(item, ett_words);
    if (conquer_is_wanted(words, hf_word)) {
        for (unsigned i = 0; i + 4 <= room; i += 4)
            proto_tree_add_item(words, hf_word, d->tvb, (int)(offset + i), 4, ENC_LITTLE_ENDIAN);
    }
    if (d->layout != NULL && d->view.length == d->view.size)
        expert_add_info_format(d->pinfo, item, &ei_longer,
                               "%u bytes more than the layout of patch %u has", room,
                               d->layout->patch);
}

static void add_rest(struct dissection *d)
{
    unsigned room = room_at(d, d->end);

    if (d->fit == FIT_PADDED && room > 0)
        proto_tree_add_item(d->tree, hf_padding, d->tvb, (int)d->end, (int)room, ENC_NA);
    else
        add_unknown(d, d->end);
}

static void add_layout(struct dissection *d)
{
    proto_tree *tree = d->tree;

    proto_item_set_generated(proto_tree_add_uint(tree, hf_patch, d->tvb, 0, 0, d->layout->patch));
    proto_item_set_generated(
        proto_tree_add_string(tree, hf_layout, d->tvb, 0, 0, d->layout->description));
    if (d->layout->encoding == LAYOUT_PROTOBUF)
        add_protobuf(d);
    else
        add_fields(d, tree, d->layout->fields, 0);
    if (d->fit == FIT_TRUNCATED)
        expert_add_info_format(d->pinfo, d->item, &ei_truncated,
                               "Message of %u bytes is shorter than the layout of patch %u",
                               d->view.size, d->layout->patch);
}

void conquer_add_message(struct dissection *d)
{
    proto_tree_add_item(d->tree, hf_size, d->tvb, 0, 2, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(d->tree, hf_type, d->tvb, 2, 2, ENC_LITTLE_ENDIAN);
    d->end = MESSAGE_HEADER;
    if (d->view.length < d->view.size)
        expert_add_info_format(d->pinfo, d->item, &ei_truncated,
                               "Message says it has %u bytes, %zu are there", d->view.size,
                               d->view.length);
    if (d->message == NULL)
        expert_add_info(d->pinfo, d->item, &ei_unknown_type);
    else if (d->layout != NULL)
        add_layout(d);
    else if (d->message->layouts->len != 0)
        expert_add_info(d->pinfo, d->item, &ei_no_layout);
    add_rest(d);
}

void conquer_register_common(int proto)
{
    static hf_register_info fields[] = {
        {&hf_size,
         {"Size", "conquer.size", FT_UINT16, BASE_DEC, NULL, 0,
          "Bytes of the message, this header included, a footer excluded", HFILL}},
        {&hf_type,
         {"Type", "conquer.type", FT_UINT16, BASE_DEC_HEX | BASE_EXT_STRING, NULL, 0,
          "What the message is", HFILL}},
        {&hf_patch,
         {"Layout of patch", "conquer.patch", FT_UINT16, BASE_DEC, NULL, 0,
          "The first patch that the layout is of; the connection's own may be another", HFILL}},
        {&hf_layout,
         {"Layout", "conquer.layout", FT_STRING, BASE_NONE, NULL, 0,
          "The layout that the message is shown by, how sure it is and who says so", HFILL}},
        {&hf_unused,
         {"Unused", "conquer.unused", FT_BYTES, BASE_NONE, NULL, 0,
          "Bytes that the layout has no meaning for; the client may leave anything in them",
          HFILL}},
        {&hf_unknown,
         {"Unknown bytes", "conquer.unknown", FT_BYTES, BASE_NONE, NULL, 0,
          "Bytes that no layout explains", HFILL}},
        {&hf_padding,
         {"Padding", "conquer.padding", FT_BYTES, BASE_NONE, NULL, 0,
          "Zero bytes that some servers put behind a string list", HFILL}},
        {&hf_word,
         {"Word", "conquer.word", FT_UINT32, BASE_DEC_HEX, NULL, 0,
          "Unknown bytes as a 32-bit number", HFILL}},
    };
    static int *subtrees[] = {&ett_conquer, &ett_conquer_list, &ett_conquer_record,
                              &ett_conquer_flags, &ett_words};
    static ei_register_info experts[] = {
        {&ei_unknown_type,
         {"conquer.unknown_type", PI_UNDECODED, PI_NOTE, "Unknown message type", EXPFILL}},
        {&ei_no_layout,
         {"conquer.no_layout", PI_UNDECODED, PI_NOTE, "No layout for this size, sender and server",
          EXPFILL}},
        {&ei_truncated,
         {"conquer.truncated", PI_MALFORMED, PI_WARN, "Message is shorter than its layout",
          EXPFILL}},
        {&ei_longer,
         {"conquer.longer", PI_UNDECODED, PI_NOTE, "Message is longer than its layout", EXPFILL}},
        {&ei_strings,
         {"conquer.strings_overrun", PI_MALFORMED, PI_WARN, "String list larger than its message",
          EXPFILL}},
        {&ei_records,
         {"conquer.records_overrun", PI_MALFORMED, PI_WARN, "Records past the end of the message",
          EXPFILL}},
        {&ei_text,
         {"conquer.invalid_text", PI_UNDECODED, PI_NOTE,
          "Text has bytes that its encoding does not know; see preference tq.text_encoding",
          EXPFILL}},
    };

    fields[1].hfinfo.strings = dictionary_type_names();
    proto_register_field_array(proto, fields, array_length(fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    expert_register_field_array(expert_register_protocol(proto), experts, array_length(experts));
}
