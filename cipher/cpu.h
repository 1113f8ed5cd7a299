/* SPDX-License-Identifier: MIT */
/* Internal: what the processor and the operating system offer to the backends. */
#ifndef TQ_CPU_H
#define TQ_CPU_H

enum tq_cpu_feature {
    TQ_CPU_SSE2 = 1 << 0,
    TQ_CPU_AVX2 = 1 << 1,
    TQ_CPU_AVX512 = 1 << 2, /* F, BW and VL */
    TQ_CPU_GFNI = 1 << 3,
};

/* The tq_cpu_feature bits of this machine; found out once. */
unsigned tq_cpu_features(void);

#endif
