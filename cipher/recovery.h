/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finding counter and key of one direction of a TQ-cipher connection from its ciphertext alone, for
 * captures that do not contain the connection's start.
 *
 * A direction's plaintext is a sequence of messages, each of which starts with its size and type.
 * Server-to-client bytes have the base key and an unknown 16-bit counter. Client-to-server bytes on
 * a game server have an alternate key besides, made from an unknown 32-bit number X (see
 * tq_key_alternate_from_x()).
 *
 * The caller feeds TCP segments, each at a *coordinate*: a 64-bit number that rises by one with
 * each byte of the direction. It may start anywhere. Segments may start in mid-message and hold
 * several messages or pieces of one; some may be missing.
 *
 * What is claimed is sure: the chance that a direction of random bytes ever leads to a claim is
 * below 2^-TQ_RECOVERY_CERTAINTY, and so is, as far as messages are what the model says, the chance
 * that a claim about a TQ direction is wrong (recovery.c has the arithmetic). The outcome depends
 * on the calls of tq_recovery_feed() alone.
 *
 * X shows itself only where the high byte of the counter changes. Long before X is known, all that
 * is left of the candidates may agree on the keystream of the bytes seen; they are then claimed for
 * the coordinates where they agree, and the range grows with every feed until one candidate is
 * left.
 */
#ifndef TQ_RECOVERY_H
#define TQ_RECOVERY_H

#include "header_model.h"
#include "tq_cipher.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of certainty below which nothing is claimed. */
#define TQ_RECOVERY_CERTAINTY 20

/** Most values of X that can be tried besides 0. */
#define TQ_RECOVERY_X_MAX 15

/** Work after which a recovery gives up unless told otherwise; some 160 ms on a 3 GHz processor. */
#define TQ_RECOVERY_BUDGET 128000000

/** What to recover. */
typedef struct tq_recovery_config {
    const tq_key *key;            /**< the connection's base key; copied */
    const tq_header_model *model; /**< must outlive the recovery */
    bool from_client;             /**< direction: client to server. Else X is 0, the base key. */

    /** From the client only: values of X worth trying first, such as those of the tokens seen on
        account connections. 0, the base key, is always tried. */
    const uint32_t *x;
    size_t x_count; /**< those beyond #TQ_RECOVERY_X_MAX are ignored */

    bool counter_known;    /**< the counter is known, because the connection's start was seen */
    uint16_t counter_at_0; /**< if so: its value at coordinate 0 (modulo 65,536) */

    /** Steps of work before giving up; 0 for #TQ_RECOVERY_BUDGET. Four times as many where there
        are signs of success, which random bytes give with a chance of 1/256. */
    uint64_t budget;
} tq_recovery_config;

/** How far a recovery has come. */
typedef enum tq_recovery_state {
    TQ_RECOVERY_SEARCHING, /**< nothing is known yet */
    TQ_RECOVERY_PARTIAL,   /**< a key is known that is right for a range of coordinates */
    TQ_RECOVERY_FOUND,     /**< counter and key are known; feeding more changes nothing */
    TQ_RECOVERY_GAVE_UP,   /**< the budget is used up; feeding more changes nothing */
} tq_recovery_state;

/** What was recovered. MsgConnect, with which a client starts on a game server, has the base key
    whatever else is found. */
typedef struct tq_recovered {
    uint16_t counter_at_0; /**< the counter at coordinate c is this plus c, modulo 65,536 */
    uint32_t x;            /**< for tq_key_alternate_from_x(); 0 is the base key itself */
    uint64_t from;         /**< first coordinate that this decrypts for sure; 0 if found */
    uint64_t until;        /**< first coordinate after them; UINT64_MAX if found */
    uint64_t boundary;     /**< a coordinate at which a message starts */
    unsigned messages;     /**< number of messages the claim rests on */
} tq_recovered;

/** A recovery in progress. */
typedef struct tq_recovery tq_recovery;

/**
 * Starts a recovery.
 * @param config  what to recover; copied but for the model
 * @return the recovery, for tq_recovery_free(); NULL if memory is short. It takes 13 kB, and up to
 *         1 MB more while there are many candidates.
 */
TQ_API tq_recovery *tq_recovery_new(const tq_recovery_config *config);

/**
 * Frees a recovery, and its result with it.
 * @param recovery  the recovery; NULL is allowed
 */
TQ_API void tq_recovery_free(tq_recovery *recovery);

/**
 * Feeds the payload of one TCP segment.
 * @param recovery  the recovery
 * @param position  coordinate of the first byte
 * @param bytes     ciphertext
 * @param len       its length; a segment's whole payload, since ends of segments are evidence
 *
 * Coordinates should rise. Bytes below the highest coordinate fed so far are ignored, so that late
 * and repeated segments do no harm.
 * @return how far the recovery has come
 */
TQ_API tq_recovery_state tq_recovery_feed(tq_recovery *recovery, uint64_t position,
                                          const uint8_t *bytes, size_t len);

/**
 * The result so far. What was claimed for a range stays true for it when a later result replaces
 * counter and X.
 * @param recovery  the recovery, which owns the result
 * @return the result, valid until the next feed; NULL while there is none
 */
TQ_API const tq_recovered *tq_recovery_result(const tq_recovery *recovery);

/**
 * The work done so far, for who shares out a budget among several recoveries.
 * @param recovery  the recovery
 * @return its steps, in the unit of tq_recovery_config::budget
 */
TQ_API uint64_t tq_recovery_work(const tq_recovery *recovery);

/**
 * The memory that a recovery has, for who keeps many.
 * @param recovery  the recovery
 * @return its size in bytes
 */
TQ_API size_t tq_recovery_memory(const tq_recovery *recovery);

#ifdef __cplusplus
}
#endif

#endif
