/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "password.h"

#include <stdbool.h>
#include <string.h>

#include <glib.h>

#include "cipher/rc5.h"

/* Bytes that clients before 5517 encipher, whatever the size of the field. */
#define SHORT_SIZE 16

/*
 * Scan codes: which key of a keyboard types a character, 128 more with shift. The client knows the
 * 48 keys below and no others (servers for 5187, 5517 and 60xx).
 */
#define SHIFT 0x80
#define CODES 256

typedef struct {
    uint8_t first; /* code of the first key; the others follow */
    const char *plain;
    const char *shifted;
} keys_t;

#define DIGIT_KEYS 0x02
#define DIGIT_KEY_2 0x03
#define DIGIT_KEY_0 0x0B

static const keys_t keyboard[] = {
    {DIGIT_KEYS, "1234567890-", "!@#$%^&*()_"},
    {0x10, "qwertyuiop", "QWERTYUIOP"},
    {0x1E, "asdfghjkl", "ASDFGHJKL"},
    {0x2C, "zxcvbnm", "ZXCVBNM"},
    {0x34, ".", ">"},
    {0x47, "789", "789"},
    {0x4B, "456", "456"},
    {0x4F, "1230", "1230"},
};

/* In the table of 5517 shift changes no digit but 2. The client looks up shifted keys first, so it
 * sends every other digit as if shifted. */
#define PATCH_5517 5517
static const keys_t digits_5517 = {DIGIT_KEYS, "1234567890-", "1@34567890_"};

/* The character of a scan code, or 0 if it has none. */
static char find_character(uint8_t code, bool is_5517)
{
    uint8_t key = code & (uint8_t)~SHIFT;

    for (size_t i = 0; i < G_N_ELEMENTS(keyboard); i++) {
        const keys_t *keys = is_5517 && i == 0 ? &digits_5517 : &keyboard[i];
        if (key >= keys->first && key < keys->first + strlen(keys->plain))
            return (code & SHIFT ? keys->shifted : keys->plain)[key - keys->first];
    }
    return '\0';
}

/* What a byte of the password stands for: scan codes, sorted by themselves xor a salt. */
static void make_substitution(const char *account, size_t length, uint8_t codes[CODES])
{
    uint8_t salt[TQ_RC5_KEY_SIZE];
    uint8_t weights[CODES] = {0};
    uint32_t seed = 0;

    for (size_t i = 0; i < length; i++)
        seed += (uint32_t)(int32_t)(int8_t)account[i]; /* C characters, which are signed there */
    tq_rc5_seed_key(seed, salt);

    codes[0] = 0;
    for (size_t i = 1; i < CODES; i++) {
        codes[i] = (uint8_t)i;
        weights[i] = (uint8_t)(i ^ salt[i % sizeof salt]);
    }
    /* The order of equal weights matters: it must be this sort, which is not stable. */
    for (size_t i = 1; i < CODES; i++) {
        for (size_t j = i + 1; j < CODES; j++) {
            if (weights[i] >= weights[j])
                continue;
            uint8_t weight = weights[i], code = codes[i];
            weights[i] = weights[j];
            codes[i] = codes[j];
            weights[j] = weight;
            codes[j] = code;
        }
    }
}

/* Finds how long the password is; zeros must follow it, or the key was wrong. */
static bool measure(const uint8_t *bytes, size_t size, size_t *length)
{
    *length = 0;
    while (*length < size && bytes[*length] != 0)
        ++*length;
    for (size_t i = *length; i < size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

static bool read_plain(const uint8_t *bytes, size_t length, char *text)
{
    for (size_t i = 0; i < length; i++) {
        if (!g_ascii_isprint((char)bytes[i]))
            return false;
        text[i] = (char)bytes[i];
    }
    text[length] = '\0';
    return true;
}

/* A digit key without shift, other than that of 2, cannot come from the client of 5517. */
static bool uses_table_5517(const uint8_t *bytes, size_t length, const uint8_t codes[CODES],
                            unsigned patch)
{
    if (patch != 0)
        return patch >= PATCH_5517;
    for (size_t i = 0; i < length; i++) {
        uint8_t code = codes[bytes[i]];
        if (code >= DIGIT_KEYS && code <= DIGIT_KEY_0 && code != DIGIT_KEY_2)
            return false;
    }
    return true;
}

static bool read_scan_codes(const uint8_t *bytes, size_t length, const uint8_t codes[CODES],
                            unsigned patch, char *text)
{
    bool is_5517 = uses_table_5517(bytes, length, codes, patch);

    for (size_t i = 0; i < length; i++) {
        text[i] = find_character(codes[bytes[i]], is_5517);
        if (!text[i])
            return false;
    }
    text[length] = '\0';
    return true;
}

/* What the field is deciphered with. */
typedef struct {
    tq_rc5 rc5;
    uint8_t codes[CODES];
    bool seeded;
    unsigned patch;
} credential_key_t;

static password_form_t decrypt_size(const credential_key_t *key, const uint8_t *field, size_t size,
                                    char *text)
{
    uint8_t bytes[PASSWORD_MAX];
    size_t length;

    memcpy(bytes, field, size);
    tq_rc5_decrypt(&key->rc5, bytes, size / TQ_RC5_BLOCK_SIZE);
    if (!measure(bytes, size, &length))
        return PASSWORD_UNREADABLE;

    /* A client that knows of seeds has scan codes, as far as is known; a short password could be
     * read either way, so the likelier one comes first. */
    for (int attempt = 0; attempt < 2; attempt++) {
        if ((attempt == 0) == key->seeded) {
            if (read_scan_codes(bytes, length, key->codes, key->patch, text))
                return PASSWORD_SCAN_CODES;
        } else if (read_plain(bytes, length, text)) {
            return PASSWORD_PLAIN;
        }
    }
    return PASSWORD_UNREADABLE;
}

/* Bytes of the field that carry something: RC5 makes no block of zeros out of text. */
static size_t trim(const uint8_t *field, size_t length)
{
    length -= length % TQ_RC5_BLOCK_SIZE;
    while (length > 0 && field[length - 1] == 0)
        length--;
    return (length + TQ_RC5_BLOCK_SIZE - 1) / TQ_RC5_BLOCK_SIZE * TQ_RC5_BLOCK_SIZE;
}

password_form_t password_decrypt(const uint8_t *field, size_t length, const uint32_t *seed,
                                 const char *account, size_t account_length, unsigned patch,
                                 char text[PASSWORD_MAX + 1])
{
    credential_key_t key = {.seeded = seed != NULL, .patch = patch};
    uint8_t seed_key[TQ_RC5_KEY_SIZE];
    size_t size = MIN(trim(field, length), PASSWORD_MAX);
    password_form_t form = PASSWORD_UNREADABLE;

    if (seed)
        tq_rc5_seed_key(*seed, seed_key);
    tq_rc5_init(&key.rc5, seed ? seed_key : tq_rc5_static_key);
    make_substitution(account, account_length, key.codes);

    if (size > 0)
        form = decrypt_size(&key, field, size, text);
    if (form == PASSWORD_UNREADABLE && size > SHORT_SIZE)
        form = decrypt_size(&key, field, SHORT_SIZE, text); /* what follows is not part of it */
    if (form == PASSWORD_UNREADABLE)
        text[0] = '\0';
    return form;
}
