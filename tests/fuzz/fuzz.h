/* fuzz.h
 * What every fuzz target has, and how it takes its input apart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which is a finding, unless the condition holds. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* An input that is taken from its front. Past its end there are zeros. */
typedef struct {
    const uint8_t *data;
    size_t left;
} fuzz_input_t;

static inline uint32_t fuzz_take(fuzz_input_t *input, unsigned bytes)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < bytes && input->left > 0; i++, input->left--)
        value |= (uint32_t)*input->data++ << (8 * i);
    return value;
}

/* Takes at most `length` bytes; *taken receives how many. */
static inline const uint8_t *fuzz_take_bytes(fuzz_input_t *input, size_t length, size_t *taken)
{
    const uint8_t *bytes = input->data;

    *taken = length < input->left ? length : input->left;
    input->data += *taken;
    input->left -= *taken;
    return bytes;
}

/* A copy of its own size exactly, so that AddressSanitizer sees a byte read too far. free() it. */
static inline uint8_t *fuzz_copy(const uint8_t *bytes, size_t length)
{
    uint8_t *copy = (uint8_t *)malloc(length ? length : 1);

    FUZZ_CHECK(copy);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}
