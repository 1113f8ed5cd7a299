/* SPDX-License-Identifier: MIT */
/* Processor features, as far as the operating system lets programs use them. */

#include "cpu.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends.h"

#if TQ_ARCH_X86

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

typedef struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
} cpuid_regs;

/* All zero for a leaf that the processor does not have. */
static cpuid_regs cpuid(uint32_t leaf)
{
    cpuid_regs regs = {0, 0, 0, 0};
#if defined(_MSC_VER)
    int out[4];
    __cpuid(out, 0);
    if ((uint32_t)out[0] >= leaf) {
        __cpuidex(out, (int)leaf, 0);
        regs = (cpuid_regs){(uint32_t)out[0], (uint32_t)out[1], (uint32_t)out[2], (uint32_t)out[3]};
    }
#else
    __get_cpuid_count(leaf, 0, &regs.eax, &regs.ebx, &regs.ecx, &regs.edx);
#endif
    return regs;
}

/* XCR0: the register sets that the operating system saves. Only with OSXSAVE. */
static uint32_t xgetbv(void)
{
#if defined(_MSC_VER)
    return (uint32_t)_xgetbv(0);
#else
    uint32_t low;
    uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
#endif
}

static bool has_all(uint32_t value, uint32_t bits)
{
    return (value & bits) == bits;
}

static unsigned detect(void)
{
    const uint32_t sse2 = 1U << 26;                                 /* leaf 1, EDX */
    const uint32_t osxsave_avx = 1U << 27 | 1U << 28;               /* leaf 1, ECX */
    const uint32_t avx2 = 1U << 5;                                  /* leaf 7, EBX */
    const uint32_t avx512_f_bw_vl = 1U << 16 | 1U << 30 | 1U << 31; /* leaf 7, EBX */
    const uint32_t gfni = 1U << 8;                                  /* leaf 7, ECX */
    const uint32_t xmm_ymm = 0x06;                                  /* XCR0 */
    const uint32_t xmm_ymm_zmm_masks = 0xE6;                        /* XCR0 */

    cpuid_regs basic = cpuid(1);
    cpuid_regs extended = cpuid(7);
    unsigned features = 0;

    if (has_all(basic.edx, sse2))
        features |= TQ_CPU_SSE2;
    if (!has_all(basic.ecx, osxsave_avx))
        return features;
    uint32_t saved = xgetbv();
    if (has_all(saved, xmm_ymm) && has_all(extended.ebx, avx2))
        features |= TQ_CPU_AVX2;
    if (has_all(saved, xmm_ymm_zmm_masks) && has_all(extended.ebx, avx2 | avx512_f_bw_vl))
        features |= TQ_CPU_AVX512;
    if (has_all(extended.ecx, gfni))
        features |= TQ_CPU_GFNI;
    return features;
}

#else

static unsigned detect(void)
{
    return 0; /* every backend of the other architectures is part of their baseline */
}

#endif

unsigned tq_cpu_features(void)
{
    /* Two threads may both detect; they find the same. */
    const unsigned known = 1U << 31;
    static atomic_uint cache = 0;

    unsigned features = atomic_load_explicit(&cache, memory_order_relaxed);
    if (!(features & known)) {
        features = detect() | known;
        atomic_store_explicit(&cache, features, memory_order_relaxed);
    }
    return features & ~known;
}
