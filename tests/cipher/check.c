/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

void for_each_backend(const char *name, void (*test)(const char *label))
{
    int run = 0;

    for (const tq_backend *backend = tq_backends; backend->name; backend++) {
        char label[64];
        if ((name && strcmp(name, backend->name) != 0) || !tq_backend_runs(backend))
            continue;
        /* one name may stand for several implementations */
        snprintf(label, sizeof label, "%s (%d)", backend->name, (int)(backend - tq_backends));
        tq_backend_use(backend);
        test(label);
        printf("ok: %s\n", label);
        run++;
    }
    if (!run)
        printf("skipped: %s %s\n", name, tq_backend_status_text(tq_backend_check(name)));
}

static uint8_t swap_nibbles(uint8_t byte)
{
    return (uint8_t)(byte << 4 | byte >> 4);
}

void crypt_by_definition(const tq_key *key, enum tq_role role, uint16_t counter, uint8_t *dst,
                         const uint8_t *src, size_t len)
{
    for (size_t i = 0; i < len; i++, counter++) {
        uint8_t k = key->k1[counter & 255] ^ key->k2[counter >> 8];
        if (role == TQ_ROLE_SERVER)
            dst[i] = swap_nibbles(src[i] ^ 0xAB) ^ k;
        else
            dst[i] = swap_nibbles(src[i] ^ k) ^ 0xAB;
    }
}

void fill_251(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(i % 251);
}

uint32_t next_random(void)
{
    static uint32_t state = 0x6D5C7962;

    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}
