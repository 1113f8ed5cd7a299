/* SPDX-License-Identifier: MIT */
/* What an eavesdropper on a game server (patches 4267-5017) does to the bytes of a client. */
#include <stdio.h>
#include <tq_cipher.h>

int main(void)
{
    uint8_t bytes[100] = {0}; /* two messages as they crossed the wire: 28 bytes, then 72 */
    tq_key base;
    tq_key alternate;
    tq_tables tables;

    tq_key_generate(&base, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_tables_prepare(&tables, &base, TQ_ROLE_SERVER);
    tq_crypt(&tables, 0, bytes, bytes, 28); /* MsgConnect: account id at 4, token at 8 */
    uint32_t account_id = bytes[4] | bytes[5] << 8 | bytes[6] << 16 | (uint32_t)bytes[7] << 24;
    uint32_t token = bytes[8] | bytes[9] << 8 | bytes[10] << 16 | (uint32_t)bytes[11] << 24;
    tq_key_alternate(&alternate, &base, token, account_id);
    tq_tables_prepare(&tables, &alternate, TQ_ROLE_SERVER);
    tq_crypt(&tables, 28, bytes + 28, bytes + 28, 72); /* the counter runs on */
    printf("account %u, decrypted with %s\n", account_id, tq_backend_name());
}
