/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), which the vectors give of their long outputs. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

void sha256(uint8_t digest[32], const uint8_t *bytes, size_t len);

#endif
