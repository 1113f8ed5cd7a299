/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The legacy TQ cipher: TQ Digital's in-house stream cipher, which Conquer Online uses on the
 * account server in every patch and on the game server in patches 4267-5017.
 *
 * It gives no security (the keystream repeats after 65,536 bytes and every server shares one key);
 * this library exists for interoperability.
 *
 * There are two layers. The *stateless* one turns a key into tq_tables once and then transforms any
 * bytes at any counter with tq_crypt(); it suits an observer who knows the position of every byte.
 * The *stateful* one, tq_cipher, is one end of a connection: it counts for itself.
 *
 * Nothing here allocates memory or keeps global state other than the choice of backend, and the C
 * library is all it needs. Every function may be called from any thread; distinct threads must
 * not share one tq_cipher without locking.
 */
#ifndef TQ_CIPHER_H
#define TQ_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * @name Version of this interface
 * The build takes it from here for the shared library, the pkg-config file and the CMake package.
 * @{
 */
#define TQ_CIPHER_VERSION_MAJOR 1 /**< rises with changes that break what uses the library */
#define TQ_CIPHER_VERSION_MINOR 0 /**< rises with additions */
#define TQ_CIPHER_VERSION_PATCH 0 /**< rises with repairs */
/** The three as text, such as "1.2.3". */
#define TQ_CIPHER_VERSION                                                                          \
    TQ_CIPHER_DOTTED(TQ_CIPHER_VERSION_MAJOR, TQ_CIPHER_VERSION_MINOR, TQ_CIPHER_VERSION_PATCH)
/** @} */
/** @cond internal: the second macro expands its arguments, the first makes text of them. */
#define TQ_CIPHER_TEXT(major, minor, patch) #major "." #minor "." #patch
#define TQ_CIPHER_DOTTED(major, minor, patch) TQ_CIPHER_TEXT(major, minor, patch)
/** @endcond */

/** Marks a public symbol. Everything else is hidden in the shared library; in the static one all
 * is, so that a module which links it does not pass it on. */
#if !defined(TQ_CIPHER_SHARED)
#define TQ_API
#elif defined(_WIN32) && defined(TQ_CIPHER_BUILDING)
#define TQ_API __declspec(dllexport)
#elif defined(_WIN32)
#define TQ_API __declspec(dllimport)
#else
#define TQ_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Seed of k1 in Conquer Online. Other servers may use others. */
#define TQ_CONQUER_P UINT32_C(0x13FA0F9D)
/** Seed of k2 in Conquer Online. Other servers may use others. */
#define TQ_CONQUER_G UINT32_C(0x6D5C7962)

/** Size of each key table in bytes. */
#define TQ_KEY_SIZE 256

/** A key: two tables of bytes. */
typedef struct tq_key {
    uint8_t k1[TQ_KEY_SIZE]; /**< indexed by the low byte of the counter */
    uint8_t k2[TQ_KEY_SIZE]; /**< indexed by the high byte of the counter */
} tq_key;

/** Which end's function to compute. Each is the inverse of the other; neither of itself. */
enum tq_role {
    TQ_ROLE_SERVER, /**< What a server does to every byte it sends *and* receives. */
    TQ_ROLE_CLIENT, /**< What a client does to every byte it sends *and* receives. */
};

/** How far into tq_tables::t1 the backends look: two pages of the counter and a vector, in bytes.
 */
#define TQ_TABLES_REACH (2 * TQ_KEY_SIZE + 64)

/**
 * A key prepared for one role. Read-only once prepared, so it may be copied and shared freely.
 * The members are for the backends alone.
 */
typedef struct tq_tables {
    uint8_t t1[TQ_TABLES_REACH];  /**< repeats past its end: loads never wrap */
    uint8_t t2[TQ_KEY_SIZE];      /**< one byte for each page of the counter */
    uint8_t t2_step[TQ_KEY_SIZE]; /**< t2[page] ^ t2[page + 1], for loads over a page end */
} tq_tables;

/**
 * Generates a key from its two seeds.
 * @param key  where to write the key
 * @param P    seed of k1, #TQ_CONQUER_P for Conquer Online
 * @param G    seed of k2, #TQ_CONQUER_G for Conquer Online
 */
TQ_API void tq_key_generate(tq_key *key, uint32_t P, uint32_t G);

/**
 * Computes the number that an alternate key is made from. Token and account id do not commute.
 * @param token       the token of MsgConnect (32 bits at offset 8)
 * @param account_id  the account id of MsgConnect (32 bits at offset 4)
 * @return x for tq_key_alternate_from_x()
 */
TQ_API uint32_t tq_key_alternate_x(uint32_t token, uint32_t account_id);

/**
 * Makes the alternate key that a game server (patches 4267-5017) takes for client-to-server bytes
 * after MsgConnect.
 * @param key         where to write the alternate key; may be @p base
 * @param base        the connection's first key
 * @param token       as for tq_key_alternate_x()
 * @param account_id  as for tq_key_alternate_x()
 */
TQ_API void tq_key_alternate(tq_key *key, const tq_key *base, uint32_t token, uint32_t account_id);

/**
 * tq_key_alternate() for whoever knows only the result of tq_key_alternate_x().
 * @param key   where to write the alternate key; may be @p base
 * @param base  the connection's first key
 * @param x     the result of tq_key_alternate_x()
 */
TQ_API void tq_key_alternate_from_x(tq_key *key, const tq_key *base, uint32_t x);

/**
 * Prepares a key for tq_crypt().
 *
 * An observer who wants plaintext takes #TQ_ROLE_SERVER for client-to-server bytes and
 * #TQ_ROLE_CLIENT for server-to-client bytes.
 * @param tables  where to write the prepared key; refers to nothing else
 * @param key     the key; no longer needed afterwards
 * @param role    whose function to compute, #TQ_ROLE_SERVER or #TQ_ROLE_CLIENT
 */
TQ_API void tq_tables_prepare(tq_tables *tables, const tq_key *key, enum tq_role role);

/**
 * Encrypts or decrypts bytes; which of the two is up to @p tables.
 *
 * @param tables   from tq_tables_prepare()
 * @param counter  position in the stream of the first byte, modulo 65,536; it wraps as it must
 * @param dst      where to write @p len bytes; either @p src or apart from it, at any alignment
 * @param src      the bytes to transform, at any alignment
 * @param len      how many bytes, 0 included
 *
 * Nothing outside the two buffers is read or written.
 */
TQ_API void tq_crypt(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                     size_t len);

/** Whether a backend can be had. */
enum tq_backend_status {
    TQ_BACKEND_OK,          /**< It can. */
    TQ_BACKEND_UNKNOWN,     /**< No backend has this name. */
    TQ_BACKEND_NOT_BUILT,   /**< It belongs to another processor architecture. */
    TQ_BACKEND_UNSUPPORTED, /**< This processor or its operating system lacks what it needs. */
};

/**
 * Names of all backends of all architectures, from the plainest up, ended by NULL:
 * "scalar", "sse2", "avx2", "avx512", "neon".
 * @return the array; it and its strings are static
 */
TQ_API const char *const *tq_backend_names(void);

/**
 * Says whether a backend can be had.
 * @param name  its name; NULL and "auto" always can
 * @return #TQ_BACKEND_OK, or why it cannot
 */
TQ_API enum tq_backend_status tq_backend_check(const char *name);

/**
 * Shorthand for tq_backend_check() == #TQ_BACKEND_OK.
 * @param name  as for tq_backend_check()
 * @return whether it can be had
 */
TQ_API bool tq_backend_available(const char *name);

/**
 * Explains a status in a few English words, to follow the name of the backend.
 * @param status  the status
 * @return a static string
 */
TQ_API const char *tq_backend_status_text(enum tq_backend_status status);

/**
 * Makes tq_crypt() use one backend in all threads, in place of the best.
 * @param name  a name of tq_backend_names(); NULL or "auto" for the best that there is
 * @return #TQ_BACKEND_OK, or why the choice remains as it was
 */
TQ_API enum tq_backend_status tq_backend_force(const char *name);

/**
 * Names the backend that tq_crypt() uses.
 * @return a static string, one of tq_backend_names()
 */
TQ_API const char *tq_backend_name(void);

/** One end of a connection. Initialise with tq_cipher_init(); owns nothing. */
typedef struct tq_cipher {
    enum tq_role role;        /**< which end this is */
    tq_key key;               /**< the key of the seeds, which an alternate key is made from */
    tq_tables encrypt_tables; /**< for the bytes this end sends */
    tq_tables decrypt_tables; /**< for the bytes this end receives */
    uint16_t encrypt_counter; /**< bytes sent, modulo 65,536 */
    uint16_t decrypt_counter; /**< bytes received, modulo 65,536 */
} tq_cipher;

/**
 * Makes a cipher for one end with Conquer Online's key, and both counters at 0.
 * @param cipher  the cipher; what it holds does not matter
 * @param role    which end it is, #TQ_ROLE_SERVER or #TQ_ROLE_CLIENT
 */
TQ_API void tq_cipher_init(tq_cipher *cipher, enum tq_role role);

/**
 * Takes the key of other seeds in both directions. Both counters start again from 0.
 * @param cipher  the cipher
 * @param P       as for tq_key_generate()
 * @param G       as for tq_key_generate()
 */
TQ_API void tq_cipher_generate_key(tq_cipher *cipher, uint32_t P, uint32_t G);

/**
 * Takes the alternate key for client-to-server bytes, whose counter runs on. Server-to-client bytes
 * keep the key of the seeds for ever, and their counter starts again from 0.
 * @param cipher      the cipher
 * @param token       as for tq_key_alternate_x()
 * @param account_id  as for tq_key_alternate_x()
 */
TQ_API void tq_cipher_generate_alternate_key(tq_cipher *cipher, uint32_t token,
                                             uint32_t account_id);

/**
 * Encrypts the next bytes that this end sends.
 * @param cipher  the cipher, whose counter moves on by @p len
 * @param dst     as for tq_crypt()
 * @param src     as for tq_crypt()
 * @param len     as for tq_crypt()
 */
TQ_API void tq_cipher_encrypt(tq_cipher *cipher, uint8_t *dst, const uint8_t *src, size_t len);

/**
 * Decrypts the next bytes that this end received.
 * @param cipher  the cipher, whose counter moves on by @p len
 * @param dst     as for tq_crypt()
 * @param src     as for tq_crypt()
 * @param len     as for tq_crypt()
 */
TQ_API void tq_cipher_decrypt(tq_cipher *cipher, uint8_t *dst, const uint8_t *src, size_t len);

#ifdef __cplusplus
}
#endif

#endif
