/* SPDX-License-Identifier: MIT */
/* The AVX-512 backend for processors that also swap nibbles in one instruction (GFNI). */

#define TQ_USE_GFNI 1
#define tq_crypt_this tq_crypt_avx512_gfni

#include "backend_avx512.c"
