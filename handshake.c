/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "handshake.h"

#include <string.h>

#define COUNT_SIZE 4 /* of the u32 before a counted string */

/* What a counted string may hold. */
typedef enum {
    CONTENT_ANY,
    CONTENT_IV,
    CONTENT_HEX,
} content_t;

typedef struct {
    handshake_field_id_t id;
    content_t content;
} part_t;

typedef struct {
    uint32_t padding;
    const char *footer;
    unsigned parts;
    part_t part[HANDSHAKE_FIELDS];
} layout_t;

static const layout_t layouts[] = {
    [HANDSHAKE_HELLO] = {.padding = 11,
                         .footer = TQ_FOOTER_SERVER,
                         .parts = 6,
                         .part = {{HANDSHAKE_JUNK, CONTENT_ANY},
                                  {HANDSHAKE_SERVER_IV, CONTENT_IV},
                                  {HANDSHAKE_CLIENT_IV, CONTENT_IV},
                                  {HANDSHAKE_P, CONTENT_HEX},
                                  {HANDSHAKE_G, CONTENT_HEX},
                                  {HANDSHAKE_PUBLIC_KEY, CONTENT_HEX}}},
    [HANDSHAKE_REPLY] = {.padding = 7,
                         .footer = TQ_FOOTER_CLIENT,
                         .parts = 2,
                         .part = {{HANDSHAKE_JUNK, CONTENT_ANY},
                                  {HANDSHAKE_PUBLIC_KEY, CONTENT_HEX}}},
};

static const char *const field_names[HANDSHAKE_FIELDS] = {
    [HANDSHAKE_PADDING] = "padding",
    [HANDSHAKE_JUNK] = "junk",
    [HANDSHAKE_SERVER_IV] = "server IV",
    [HANDSHAKE_CLIENT_IV] = "client IV",
    [HANDSHAKE_P] = "P",
    [HANDSHAKE_G] = "G",
    [HANDSHAKE_PUBLIC_KEY] = "public key",
    [HANDSHAKE_FOOTER] = "footer",
};

const char *handshake_field_name(handshake_field_id_t field)
{
    return field_names[field];
}

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t shortest(content_t content)
{
    switch (content) {
    case CONTENT_IV:
        return CFB64_BLOCK;
    case CONTENT_HEX:
        return 1;
    case CONTENT_ANY:
    default:
        return 0;
    }
}

/* Bytes that the parts from `first` on and the footer take at least. */
static uint32_t shortest_rest(const layout_t *layout, unsigned first)
{
    uint32_t length = TQ_FOOTER_SIZE;
    for (unsigned i = first; i < layout->parts; i++)
        length += COUNT_SIZE + shortest(layout->part[i].content);
    return length;
}

/* Digits, then perhaps zero bytes: some servers count the end of their C string in. */
static bool is_hex(const uint8_t *text, size_t length)
{
    size_t digits = 0;
    while (digits < length && g_ascii_isxdigit(text[digits]))
        digits++;
    for (size_t i = digits; i < length; i++) {
        if (text[i] != 0)
            return false;
    }
    return digits > 0;
}

static handshake_status_t reject(handshake_t *handshake, const char *reason)
{
    handshake->reason = reason;
    return handshake->status = HANDSHAKE_INVALID;
}

static handshake_status_t want(handshake_t *handshake, uint32_t needed)
{
    handshake->needed = needed;
    return handshake->status = HANDSHAKE_INCOMPLETE;
}

/*
 * Reads the count of a part at `offset`, which is known to be there. `rest` is what follows the
 * part at least, so no count gets past the end that the message's own length sets.
 */
static const char *read_count(const part_t *part, const uint8_t *data, uint32_t offset,
                              uint32_t rest, uint32_t total, uint32_t *length)
{
    *length = load32(data + offset);
    if (*length < shortest(part->content))
        return part->content == CONTENT_IV ? "an IV is not 8 bytes" : "a number is empty";
    if (part->content == CONTENT_IV && *length != CFB64_BLOCK)
        return "an IV is not 8 bytes";
    if (*length > total - offset - COUNT_SIZE - rest)
        return "a field is longer than the message";
    return NULL;
}

static handshake_status_t parse_length(const layout_t *layout, const uint8_t *data, size_t length,
                                       handshake_t *handshake)
{
    uint32_t header = layout->padding + COUNT_SIZE;
    if (length < header)
        return want(handshake, header);

    uint32_t declared = load32(data + layout->padding);
    if (declared > HANDSHAKE_MAX - layout->padding)
        return reject(handshake, "the length is too large");
    if (declared < COUNT_SIZE + shortest_rest(layout, 0))
        return reject(handshake, "the length is too small");

    handshake->total = layout->padding + declared;
    handshake->checks = 1;
    handshake->field[HANDSHAKE_PADDING].length = layout->padding;
    return HANDSHAKE_COMPLETE;
}

static handshake_status_t parse_parts(const layout_t *layout, const uint8_t *data, size_t length,
                                      handshake_t *handshake)
{
    uint32_t offset = layout->padding + COUNT_SIZE;

    for (unsigned i = 0; i < layout->parts; i++) {
        const part_t *part = &layout->part[i];
        handshake_field_t *field = &handshake->field[part->id];
        if (length < offset + COUNT_SIZE)
            return want(handshake, offset + COUNT_SIZE);

        const char *reason = read_count(part, data, offset, shortest_rest(layout, i + 1),
                                        handshake->total, &field->length);
        if (reason)
            return reject(handshake, reason);
        handshake->checks++;

        field->offset = offset + COUNT_SIZE;
        offset = field->offset + field->length;
        if (length < offset)
            return want(handshake, i + 1 < layout->parts ? offset + COUNT_SIZE : handshake->total);
        if (part->content == CONTENT_HEX && !is_hex(data + field->offset, field->length))
            return reject(handshake, "a number is not hexadecimal text");
    }

    if (offset + TQ_FOOTER_SIZE != handshake->total)
        return reject(handshake, "the length does not fit the fields");
    if (length < handshake->total)
        return want(handshake, handshake->total);
    if (memcmp(data + offset, layout->footer, TQ_FOOTER_SIZE) != 0)
        return reject(handshake, "the footer is wrong");
    handshake->field[HANDSHAKE_FOOTER] = (handshake_field_t){offset, TQ_FOOTER_SIZE};
    return handshake->status = HANDSHAKE_COMPLETE;
}

handshake_status_t handshake_parse(handshake_kind_t kind, const uint8_t *data, size_t length,
                                   handshake_t *handshake)
{
    const layout_t *layout = &layouts[kind];

    *handshake = (handshake_t){.kind = kind};
    handshake_status_t status = parse_length(layout, data, length, handshake);
    if (status != HANDSHAKE_COMPLETE)
        return status;
    return parse_parts(layout, data, length, handshake);
}

/*
 * Initial keys
 */

struct handshake_keys {
    GPtrArray *entries; /* of handshake_key_t */
};

/* 5018 to 5187; 5517; 6090 to 6270; about 67xx. Private servers mix them with either cipher. */
static const char *const known_keys[] = {
    "DR654dt34trg4UI6",
    "BC234xs45nme7HU9",
    "C238xs65pjy7HU9Q",
    "R3Xx97ra5j8D6uZz",
};

static void free_key(void *data)
{
    handshake_key_t *key = data;
    cfb64_unref(key->cipher);
    g_free(key->name);
    g_free(key);
}

static char *name_key(const uint8_t *key, size_t length)
{
    GString *hex = g_string_new("0x");
    bool printable = true;

    for (size_t i = 0; i < length; i++) {
        printable = printable && g_ascii_isgraph(key[i]);
        g_string_append_printf(hex, "%02x", key[i]);
    }
    if (!printable)
        return g_string_free(hex, FALSE);
    g_string_free(hex, TRUE);
    return g_strndup((const char *)key, length);
}

static bool add_key(handshake_keys_t *keys, cfb64_algorithm_t algorithm, const uint8_t *bytes,
                    size_t length, bool from_user, char **error)
{
    cfb64_t *cipher = cfb64_new(algorithm, bytes, length, error);
    if (!cipher)
        return false;

    handshake_key_t *key = g_new(handshake_key_t, 1);
    *key = (handshake_key_t){
        .cipher = cipher, .name = name_key(bytes, length), .from_user = from_user};
    g_ptr_array_add(keys->entries, key);
    return true;
}

handshake_keys_t *handshake_keys_new(void)
{
    handshake_keys_t *keys = g_new(handshake_keys_t, 1);
    keys->entries = g_ptr_array_new_with_free_func(free_key);

    for (cfb64_algorithm_t algorithm = CFB64_BLOWFISH; algorithm <= CFB64_CAST5; algorithm++) {
        for (size_t i = 0; i < G_N_ELEMENTS(known_keys); i++)
            add_key(keys, algorithm, (const uint8_t *)known_keys[i], strlen(known_keys[i]), false,
                    NULL);
    }
    return keys;
}

void handshake_keys_free(handshake_keys_t *keys)
{
    if (!keys)
        return;
    g_ptr_array_free(keys->entries, TRUE);
    g_free(keys);
}

bool handshake_keys_add(handshake_keys_t *keys, const uint8_t *key, size_t length, char **error)
{
    if (!add_key(keys, CFB64_BLOWFISH, key, length, true, error))
        return false;
    return length < CFB64_CAST5_KEY || add_key(keys, CFB64_CAST5, key, length, true, error);
}

/* Whether an earlier entry has the same key, as another cipher. */
static bool is_repeated(const handshake_keys_t *keys, unsigned index)
{
    const handshake_key_t *key = keys->entries->pdata[index];

    for (unsigned i = 0; i < index; i++) {
        if (strcmp(((const handshake_key_t *)keys->entries->pdata[i])->name, key->name) == 0)
            return true;
    }
    return false;
}

char *handshake_keys_describe(const handshake_keys_t *keys)
{
    GString *text = g_string_new(NULL);

    /* The user's own come first: that they were tried is what the user wants to know. */
    for (int of_user = 1; of_user >= 0; of_user--) {
        for (unsigned i = 0; i < keys->entries->len; i++) {
            const handshake_key_t *key = keys->entries->pdata[i];
            if (key->from_user == of_user && !is_repeated(keys, i))
                g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", key->name);
        }
    }
    return g_string_free(text, FALSE);
}

/* The initial stream's IV, in both directions. */
static const uint8_t zero_iv[CFB64_BLOCK];

/*
 * Parses the message that begins at `start` of the ciphertext, in a stream that begins at `stream`.
 * No more is deciphered than the parser asks for: most of what is tried fails on its first number.
 */
static handshake_status_t parse_ciphertext(handshake_kind_t kind, const cfb64_t *cipher,
                                           const uint8_t *ciphertext, size_t length, size_t stream,
                                           size_t start, handshake_t *handshake)
{
    uint8_t plaintext[HANDSHAKE_MAX];
    size_t wanted = 0;

    do {
        cfb64_decrypt(cipher, zero_iv, start - stream, ciphertext + stream, start - stream,
                      ciphertext + start, plaintext, wanted);
        handshake_parse(kind, plaintext, wanted, handshake);
        wanted = handshake->needed;
    } while (handshake->status == HANDSHAKE_INCOMPLETE && wanted <= length - start);
    return handshake->status;
}

const handshake_key_t *handshake_keys_find(const handshake_keys_t *keys, const uint8_t *ciphertext,
                                           size_t length, handshake_t *hello)
{
    const handshake_key_t *best = NULL;
    handshake_t best_hello = {.kind = HANDSHAKE_HELLO, .reason = "no initial key fits"};

    for (unsigned i = 0; i < keys->entries->len; i++) {
        const handshake_key_t *key = keys->entries->pdata[i];
        handshake_status_t status =
            parse_ciphertext(HANDSHAKE_HELLO, key->cipher, ciphertext, length, 0, 0, hello);
        if (status == HANDSHAKE_COMPLETE)
            return key;
        if (status == HANDSHAKE_INVALID) {
            /* Its length fitted, so the key does; what is wrong is the message. */
            if (hello->checks > 0 && best_hello.status == HANDSHAKE_INVALID)
                best_hello = *hello;
            continue;
        }
        /* Right so far, perhaps by chance: the key that stood more tests is the better guess. */
        if (best_hello.status == HANDSHAKE_INVALID || hello->checks > best_hello.checks) {
            best_hello = *hello;
            best = hello->checks > 0 ? key : NULL;
        }
    }
    *hello = best_hello;
    return best;
}

/*
 * A packet before the reply may have gone through the cipher or past it, and where it ends is known
 * from the reply alone: so each start is tried both ways.
 */
handshake_status_t handshake_find_reply(const cfb64_t *cipher, const uint8_t *ciphertext,
                                        size_t length, handshake_reply_t *reply)
{
    handshake_reply_t undecided = {
        .handshake = {.kind = HANDSHAKE_REPLY, .reason = "no reply among the first bytes"}};

    for (size_t start = 0; start <= MIN(length, HANDSHAKE_DUMMY_MAX); start++) {
        for (int restarts = start == 0; restarts <= 1; restarts++) {
            *reply = (handshake_reply_t){.start = (uint32_t)start, .restarts = restarts};
            handshake_status_t status =
                parse_ciphertext(HANDSHAKE_REPLY, cipher, ciphertext, length, restarts ? start : 0,
                                 start, &reply->handshake);
            if (status == HANDSHAKE_COMPLETE)
                return status;
            if (status == HANDSHAKE_INCOMPLETE && undecided.handshake.status == HANDSHAKE_INVALID)
                undecided = *reply;
        }
    }
    *reply = undecided;
    return reply->handshake.status;
}
