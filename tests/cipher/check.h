/* SPDX-License-Identifier: MIT */
/*
 * The little that the cipher's tests need of a test framework. They use none, so that they also run
 * where only a cross-compiler's C library is at hand.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "backends.h"

/* Ends the program with a message in printf's manner unless the condition holds. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

/*
 * Calls test once for every backend called name that runs here (all of them if name is NULL), after
 * having made tq_crypt() use it. If there is none, says "skipped: " and why, as ctest looks for.
 */
void for_each_backend(const char *name, void (*test)(const char *label));

/* The cipher by its definition, byte by byte, from the key itself. */
void crypt_by_definition(const tq_key *key, enum tq_role role, uint16_t counter, uint8_t *dst,
                         const uint8_t *src, size_t len);

/* Bytes that repeat every 251, a prime, so that swapped blocks show. */
void fill_251(uint8_t *bytes, size_t len);

/* The same pseudo-random numbers in every run (xorshift32). */
uint32_t next_random(void);

#endif
