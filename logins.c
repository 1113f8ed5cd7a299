/* logins.c
 * Which game connection belongs to which login.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "logins.h"

#include <string.h>

#include "message-types.h"

/* Offsets in MsgConnectEx, the same in all patches. */
#define CONNECT_EX_ACCOUNT_ID 4
#define CONNECT_EX_TOKEN 8
#define CONNECT_EX_ADDRESS 12
#define CONNECT_EX_ADDRESS_SIZE 16
#define CONNECT_EX_PORT 28
#define CONNECT_EX_SIZE_MIN 28

static GHashTable *logins; /* token and account id to session_t */
static GArray *keys;       /* X of each login, uint32_t */

void logins_reset(void)
{
    if (logins)
        g_hash_table_destroy(logins);
    if (keys)
        g_array_free(keys, TRUE);
    logins = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    keys = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

/* Reads the game server's address. It is text, and may have leading zeros, 127.000.000.001, which
 * the usual functions take for octal. */
static bool parse_address(const char *text, uint32_t *parsed)
{
    *parsed = 0;
    for (unsigned part = 0; part < 4; part++) {
        char *end;
        if (!g_ascii_isdigit(*text))
            return false;
        uint64_t value = g_ascii_strtoull(text, &end, 10);
        if (value > 255 || *end != (part < 3 ? '.' : '\0'))
            return false;
        *parsed = *parsed << 8 | (uint32_t)value;
        text = end + 1;
    }
    return true;
}

static void read_endpoint(session_t *account, const uint8_t *message, uint16_t size)
{
    char text[CONNECT_EX_ADDRESS_SIZE + 1] = {0};

    if (size < CONNECT_EX_PORT + 4)
        return;
    memcpy(text, message + CONNECT_EX_ADDRESS, CONNECT_EX_ADDRESS_SIZE);
    account->announced = parse_address(text, &account->game_address);
    account->game_port = message_u16(message, CONNECT_EX_PORT);
}

static gint64 login_id(const session_t *session)
{
    return (gint64)((uint64_t)session->token << 32 | session->account_id);
}

void logins_announce(session_t *account, uint32_t frame, const uint8_t *message, uint16_t size)
{
    /* An account id of 0 says that the login was refused. */
    if (size < CONNECT_EX_SIZE_MIN || message_u32(message, CONNECT_EX_ACCOUNT_ID) == 0)
        return;
    account->account_id = message_u32(message, CONNECT_EX_ACCOUNT_ID);
    account->token = message_u32(message, CONNECT_EX_TOKEN);
    account->token_frame = frame;
    read_endpoint(account, message, size);

    gint64 id = login_id(account);
    uint32_t x = tq_key_alternate_x(account->token, account->account_id);
    g_hash_table_replace(logins, g_memdup2(&id, sizeof id), account);
    g_array_append_val(keys, x);
}

void logins_join(session_t *game)
{
    gint64 id = login_id(game);
    session_t *account = (session_t *)g_hash_table_lookup(logins, &id);

    if (account && account != game) {
        game->peer = account;
        account->peer = game;
    }
}

const uint32_t *logins_alternate_keys(unsigned *count)
{
    *count = keys->len;
    return (const uint32_t *)(const void *)keys->data;
}
