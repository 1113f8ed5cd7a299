/* SPDX-License-Identifier: MIT */
/* Keys, and their tables prepared for the kernel. */

#include "tq_cipher.h"

static uint8_t byte_of(uint32_t value, unsigned index)
{
    return (uint8_t)(value >> (8 * (index % 4)));
}

static uint8_t swap_nibbles(uint8_t byte)
{
    return (uint8_t)(byte << 4 | byte >> 4);
}

void tq_key_generate(tq_key *key, uint32_t P, uint32_t G)
{
    uint8_t p = byte_of(P, 0);
    uint8_t g = byte_of(G, 0);

    for (unsigned i = 0; i < TQ_KEY_SIZE; i++) {
        key->k1[i] = p;
        key->k2[i] = g;
        p = (uint8_t)((byte_of(P, 1) + p * byte_of(P, 2)) * p + byte_of(P, 3));
        g = (uint8_t)((byte_of(G, 1) - g * byte_of(G, 2)) * g + byte_of(G, 3));
    }
}

uint32_t tq_key_alternate_x(uint32_t token, uint32_t account_id)
{
    return ((token + account_id) ^ 0x4321) ^ token;
}

void tq_key_alternate(tq_key *key, const tq_key *base, uint32_t token, uint32_t account_id)
{
    tq_key_alternate_from_x(key, base, tq_key_alternate_x(token, account_id));
}

void tq_key_alternate_from_x(tq_key *key, const tq_key *base, uint32_t x)
{
    for (unsigned i = 0; i < TQ_KEY_SIZE; i++) {
        key->k1[i] = base->k1[i] ^ byte_of(x, i);
        key->k2[i] = base->k2[i] ^ byte_of(x * x, i);
    }
}

/*
 * With K1 and K2 at the counter c, the two ends compute
 *
 *     server:  out = swap(in ^ 0xAB) ^ K1[c & 255] ^ K2[c >> 8]
 *     client:  out = swap(in ^ K1[c & 255] ^ K2[c >> 8]) ^ 0xAB
 *
 * swap distributes over XOR, so with the constant folded into the second table both are
 *
 *     out = swap(in) ^ T1[c & 255] ^ T2[c >> 8]
 */
void tq_tables_prepare(tq_tables *tables, const tq_key *key, enum tq_role role)
{
    for (unsigned i = 0; i < TQ_KEY_SIZE; i++) {
        if (role == TQ_ROLE_SERVER) {
            tables->t1[i] = key->k1[i];
            tables->t2[i] = key->k2[i] ^ swap_nibbles(0xAB);
        } else {
            tables->t1[i] = swap_nibbles(key->k1[i]);
            tables->t2[i] = swap_nibbles(key->k2[i]) ^ 0xAB;
        }
    }
    for (unsigned i = 0; i < TQ_KEY_SIZE; i++)
        tables->t2_step[i] = tables->t2[i] ^ tables->t2[(i + 1) % TQ_KEY_SIZE];
    for (unsigned i = TQ_KEY_SIZE; i < TQ_TABLES_REACH; i++)
        tables->t1[i] = tables->t1[i - TQ_KEY_SIZE];
}
