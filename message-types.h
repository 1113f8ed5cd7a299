/* message-types.h
 * The header of every message, and the few types that the transport acts upon. What messages mean
 * otherwise is the dictionary's (messages/).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stdint.h>

/* u16 size of the whole message, footer excluded; u16 type. Little-endian, as all numbers. */
#define MESSAGE_HEADER 4

enum {
    TYPE_ACCOUNT = 1051,                /* login, up to 5173 */
    TYPE_CONNECT = 1052,                /* first message to a game server */
    TYPE_CONNECT_EX = 1055,             /* account server's answer: token and game server */
    TYPE_ENCRYPT_CODE = 1059,           /* seed for the password's key */
    TYPE_ACCOUNT_SEEDED_5187 = 1060,    /* login, password under the seed */
    TYPE_ACCOUNT_SEEDED = 1086,         /* the same */
    TYPE_ACCOUNT_SRP6 = 1124,           /* login, SRP6 */
    TYPE_ACCOUNT_COMBINED = 1542,       /* 6xxx: several login messages in one */
    TYPE_ACCOUNT_COMBINED_LATER = 1636, /* the same */
};

static inline uint16_t message_u16(const uint8_t *message, unsigned offset)
{
    return (uint16_t)(message[offset] | message[offset + 1] << 8);
}

static inline uint32_t message_u32(const uint8_t *message, unsigned offset)
{
    return message_u16(message, offset) | (uint32_t)message_u16(message, offset + 2) << 16;
}

static inline uint16_t message_size(const uint8_t *message)
{
    return message_u16(message, 0);
}

static inline uint16_t message_type(const uint8_t *message)
{
    return message_u16(message, 2);
}
