/* SPDX-License-Identifier: MIT */
/* The stateful cipher: one end of a connection. */

#include "tq_cipher.h"

void tq_cipher_init(tq_cipher *cipher, enum tq_role role)
{
    cipher->role = role;
    tq_cipher_generate_key(cipher, TQ_CONQUER_P, TQ_CONQUER_G);
}

void tq_cipher_generate_key(tq_cipher *cipher, uint32_t P, uint32_t G)
{
    tq_key_generate(&cipher->key, P, G);
    tq_tables_prepare(&cipher->encrypt_tables, &cipher->key, cipher->role);
    cipher->decrypt_tables = cipher->encrypt_tables;
    cipher->encrypt_counter = 0;
    cipher->decrypt_counter = 0;
}

void tq_cipher_generate_alternate_key(tq_cipher *cipher, uint32_t token, uint32_t account_id)
{
    tq_key alternate;

    tq_key_alternate(&alternate, &cipher->key, token, account_id);
    if (cipher->role == TQ_ROLE_SERVER) {
        tq_tables_prepare(&cipher->decrypt_tables, &alternate, cipher->role);
        cipher->encrypt_counter = 0;
    } else {
        tq_tables_prepare(&cipher->encrypt_tables, &alternate, cipher->role);
        cipher->decrypt_counter = 0;
    }
}

void tq_cipher_encrypt(tq_cipher *cipher, uint8_t *dst, const uint8_t *src, size_t len)
{
    tq_crypt(&cipher->encrypt_tables, cipher->encrypt_counter, dst, src, len);
    cipher->encrypt_counter = (uint16_t)(cipher->encrypt_counter + len);
}

void tq_cipher_decrypt(tq_cipher *cipher, uint8_t *dst, const uint8_t *src, size_t len)
{
    tq_crypt(&cipher->decrypt_tables, cipher->decrypt_counter, dst, src, len);
    cipher->decrypt_counter = (uint16_t)(cipher->decrypt_counter + len);
}
