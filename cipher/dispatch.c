/* SPDX-License-Identifier: MIT */
/* The list of backends, and the choice of the one that tq_crypt() uses. */

#include "tq_cipher.h"

#include <stdatomic.h>
#include <string.h>

#include "backends.h"
#include "cpu.h"

#if TQ_ARCH_X86
#define X86(entry) entry
#else
#define X86(entry) NULL
#endif

#if TQ_ARCH_ARM64
#define ARM64(entry) entry
#else
#define ARM64(entry) NULL
#endif

const tq_backend tq_backends[] = {
    {"avx512", X86(tq_crypt_avx512_gfni), TQ_CPU_AVX512 | TQ_CPU_GFNI},
    {"avx512", X86(tq_crypt_avx512), TQ_CPU_AVX512},
    {"avx2", X86(tq_crypt_avx2), TQ_CPU_AVX2},
    {"sse2", X86(tq_crypt_sse2), TQ_CPU_SSE2},
    {"neon", ARM64(tq_crypt_neon), 0},
    {"scalar", tq_crypt_scalar, 0},
    {NULL, NULL, 0},
};

static const char *const names[] = {"scalar", "sse2", "avx2", "avx512", "neon", NULL};

static tq_crypt_fn choose_and_crypt;

/* A plain call through this pointer is all that dispatch costs once the choice is made. */
static _Atomic(tq_crypt_fn *) chosen = choose_and_crypt;

bool tq_backend_runs(const tq_backend *backend)
{
    return backend->crypt && (backend->needs & ~tq_cpu_features()) == 0;
}

static bool is_auto(const char *name)
{
    return !name || strcmp(name, "auto") == 0;
}

/* The best backend that runs here, of those called name if it is not "auto"; NULL for none. */
static const tq_backend *find_backend(const char *name)
{
    for (const tq_backend *backend = tq_backends; backend->name; backend++) {
        if ((is_auto(name) || strcmp(name, backend->name) == 0) && tq_backend_runs(backend))
            return backend;
    }
    return NULL;
}

static tq_crypt_fn *current(void)
{
    tq_crypt_fn *crypt = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (crypt != choose_and_crypt)
        return crypt;
    /* Whoever forced a backend in the meantime wins. */
    tq_crypt_fn *best = find_backend(NULL)->crypt;
    return atomic_compare_exchange_strong(&chosen, &crypt, best) ? best : crypt;
}

static void choose_and_crypt(const tq_tables *tables, uint16_t counter, uint8_t *dst,
                             const uint8_t *src, size_t len)
{
    current()(tables, counter, dst, src, len);
}

static inline void crypt_byte(const tq_tables *tables, size_t counter, uint8_t *dst,
                              const uint8_t *src)
{
    *dst = (uint8_t)(*src << 4 | *src >> 4) ^ tables->t1[counter & 255] ^
           tables->t2[counter >> 8 & 255];
}

/* Up to three bytes. The branches of a loop, or of a call, would cost more than they do. */
static inline void crypt_bytes(const tq_tables *tables, size_t counter, uint8_t *dst,
                               const uint8_t *src, size_t len)
{
    if (TQ_RARELY(len == 0))
        return;
    crypt_byte(tables, counter, dst, src);
    if (TQ_MOSTLY(len == 1))
        return;
    crypt_byte(tables, counter + 1, dst + 1, src + 1);
    if (TQ_MOSTLY(len == 2))
        return;
    crypt_byte(tables, counter + 2, dst + 2, src + 2);
}

void tq_crypt(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
              size_t len)
{
    /* The fewer the bytes, the more a taken branch costs beside them. */
    if (TQ_MOSTLY(len < TQ_HALVES_MIN))
        crypt_bytes(tables, counter, dst, src, len);
    else if (len < TQ_WORDS_MIN)
        tq_crypt_halves(tables, counter, dst, src, len);
    else if (len < TQ_VECTOR_MIN)
        tq_crypt_words(tables, counter, dst, src, len);
    else
        atomic_load_explicit(&chosen, memory_order_relaxed)(tables, counter, dst, src, len);
}

const char *const *tq_backend_names(void)
{
    return names;
}

enum tq_backend_status tq_backend_check(const char *name)
{
    enum tq_backend_status status = TQ_BACKEND_UNKNOWN;

    if (find_backend(name))
        return TQ_BACKEND_OK;
    for (const tq_backend *backend = tq_backends; backend->name; backend++) {
        if (strcmp(name, backend->name) == 0)
            status = backend->crypt ? TQ_BACKEND_UNSUPPORTED : TQ_BACKEND_NOT_BUILT;
    }
    return status;
}

bool tq_backend_available(const char *name)
{
    return tq_backend_check(name) == TQ_BACKEND_OK;
}

const char *tq_backend_status_text(enum tq_backend_status status)
{
    switch (status) {
    case TQ_BACKEND_OK:
        return "is available";
    case TQ_BACKEND_UNKNOWN:
        return "is not the name of a backend";
    case TQ_BACKEND_NOT_BUILT:
        return "is for another processor architecture";
    case TQ_BACKEND_UNSUPPORTED:
        return "needs instructions that this processor or its operating system does not offer";
    }
    return "has no known status";
}

void tq_backend_use(const tq_backend *backend)
{
    atomic_store_explicit(&chosen, backend->crypt, memory_order_relaxed);
}

enum tq_backend_status tq_backend_force(const char *name)
{
    enum tq_backend_status status = tq_backend_check(name);

    if (status == TQ_BACKEND_OK)
        tq_backend_use(find_backend(name));
    return status;
}

const char *tq_backend_name(void)
{
    tq_crypt_fn *crypt = current(); /* once: another thread may choose meanwhile */
    const tq_backend *backend = tq_backends;

    while (backend->crypt != crypt)
        backend++;
    return backend->name;
}
