/* SPDX-License-Identifier: MIT */
/* What the cipher benchmark measures, and the forms in which it says so. */
#ifndef BENCH_CIPHER_H
#define BENCH_CIPHER_H

#include <stdio.h>

#include "backends.h"

#define BENCH_SHORT 2048 /* every length up to here */
#define BENCH_MAX_LENGTHS (BENCH_SHORT + 16)
#define BENCH_MAX_CONTENDERS 16
#define BENCH_BATCHES 3 /* in a turn */

enum bench_kind {
    BENCH_BACKEND,    /* the public call with one backend; the first contender is the best one */
    BENCH_FIRST,      /* the first library's public call with one of its tiers */
    BENCH_DEFINITION, /* the byte loop by itself */
    BENCH_MEMCPY,
};

enum bench_mode { BENCH_IN_PLACE, BENCH_APART, BENCH_MODES };

typedef struct bench_contender {
    const char *name;
    enum bench_kind kind;
    const tq_backend *backend; /* what to choose before the call, */
    tq_crypt_fn *tier;         /* or NULL */
    tq_crypt_fn *crypt;
    double ns[BENCH_MODES][BENCH_MAX_LENGTHS]; /* median time of a call in nanoseconds */
} bench_contender;

typedef struct bench_result {
    int turns; /* how often each contender was timed at each length */
    size_t n_lengths;
    size_t lengths[BENCH_MAX_LENGTHS];
    size_t n_contenders;
    bench_contender contenders[BENCH_MAX_CONTENDERS];
} bench_result;

/* Throughput of all contenders at a few lengths. */
void bench_print_table(const bench_result *result, FILE *to);

/* The ratios that this cipher is held to, with "ok" or "missed", or "skipped" where the
 * processor lacks what they are for; returns whether none is missed. */
bool bench_print_targets(const bench_result *result, FILE *to);

/* All figures. */
void bench_write_json(const bench_result *result, FILE *to);

/* Throughput against length as an SVG picture. */
void bench_draw_curve(const bench_result *result, FILE *to);

#endif
