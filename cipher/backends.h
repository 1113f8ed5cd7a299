/* SPDX-License-Identifier: MIT */
/* Internal: every backend's entry, and the list that dispatch chooses from. */
#ifndef TQ_BACKENDS_H
#define TQ_BACKENDS_H

#include "tq_cipher.h"

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
#define TQ_ARCH_X86 1
#else
#define TQ_ARCH_X86 0
#endif

#if defined(__aarch64__) || defined(_M_ARM64)
#define TQ_ARCH_ARM64 1
#else
#define TQ_ARCH_ARM64 0
#endif

typedef void tq_crypt_fn(const tq_tables *tables, uint16_t counter, uint8_t *dst,
                         const uint8_t *src, size_t len);

tq_crypt_fn tq_crypt_scalar;
tq_crypt_fn tq_crypt_sse2;
tq_crypt_fn tq_crypt_avx2;
tq_crypt_fn tq_crypt_avx512;
tq_crypt_fn tq_crypt_avx512_gfni;
tq_crypt_fn tq_crypt_neon;

typedef struct tq_backend {
    const char *name;   /* of several with one name, the first that is available counts */
    tq_crypt_fn *crypt; /* NULL: not built for this architecture */
    unsigned needs;     /* tq_cpu_feature bits; all of them */
} tq_backend;

/* Best first; ended by an entry without a name. */
extern const tq_backend tq_backends[];

/* Whether this machine can run a backend. */
bool tq_backend_runs(const tq_backend *backend);

#endif
