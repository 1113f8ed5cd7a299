/* logins.c
 * Which game connection belongs to which login.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "logins.h"

#include "message-types.h"

/* Offsets in MsgConnectEx, the same in all patches. */
#define CONNECT_EX_ACCOUNT_ID 4
#define CONNECT_EX_TOKEN 8
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
    account->has_token = true;
    account->token_frame = frame;

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
