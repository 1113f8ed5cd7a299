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

/* Also for declarations, so that position-independent code reaches them directly. Windows hides
   what is not exported. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TQ_HIDDEN __attribute__((visibility("hidden")))
#else
#define TQ_HIDDEN
#endif

#if defined(__GNUC__)
#define TQ_MOSTLY(condition) __builtin_expect(condition, 1)
#define TQ_RARELY(condition) __builtin_expect(condition, 0)
#else
#define TQ_MOSTLY(condition) (condition)
#define TQ_RARELY(condition) (condition)
#endif

/* As tq_crypt(), for some range of lengths. */
typedef void tq_crypt_fn(const tq_tables *tables, uint16_t counter, uint8_t *dst,
                         const uint8_t *src, size_t len);

#define TQ_HALVES_MIN 4  /* fewer bytes are done one by one */
#define TQ_WORDS_MIN 8   /* fewer by two overlapping halves of a 64-bit word */
#define TQ_VECTOR_MIN 16 /* fewer by two overlapping words, not worth a vector register */
#define TQ_MEDIUM 512    /* from here it pays off to keep T1 in registers, */
#define TQ_LONG 3072     /* and from here to align; both at least 256 bytes and four vectors */

/* The same for all backends: len from one of these limits to below the next. */
TQ_HIDDEN tq_crypt_fn tq_crypt_halves;
TQ_HIDDEN tq_crypt_fn tq_crypt_words;

/* The backends: TQ_VECTOR_MIN <= len. */
TQ_HIDDEN tq_crypt_fn tq_crypt_scalar;
TQ_HIDDEN tq_crypt_fn tq_crypt_sse2;
TQ_HIDDEN tq_crypt_fn tq_crypt_avx2;
TQ_HIDDEN tq_crypt_fn tq_crypt_avx512;
TQ_HIDDEN tq_crypt_fn tq_crypt_avx512_gfni;
TQ_HIDDEN tq_crypt_fn tq_crypt_neon;

typedef struct tq_backend {
    const char *name;   /* of several with one name, the first that is available counts */
    tq_crypt_fn *crypt; /* NULL: not built for this architecture */
    unsigned needs;     /* tq_cpu_feature bits; all of them */
} tq_backend;

/* Best first; ended by an entry without a name. */
TQ_HIDDEN extern const tq_backend tq_backends[];

/* Whether this machine can run a backend. */
TQ_HIDDEN bool tq_backend_runs(const tq_backend *backend);

/* Makes tq_crypt() use a backend that runs. */
TQ_HIDDEN void tq_backend_use(const tq_backend *backend);

#endif
