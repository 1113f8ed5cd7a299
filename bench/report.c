/* SPDX-License-Identifier: MIT */
/* The benchmark's figures as a table, as targets and as JSON. */

#include <string.h>

#include "bench_cipher.h"

static const char *const mode_names[BENCH_MODES] = {"in place", "apart"};

static double megabytes_per_second(size_t len, double ns)
{
    return (double)len * 1e3 / ns;
}

static const bench_contender *find_contender(const bench_result *result, const char *name)
{
    for (size_t c = 0; c < result->n_contenders; c++) {
        if (strcmp(result->contenders[c].name, name) == 0)
            return &result->contenders[c];
    }
    return NULL;
}

void bench_print_table(const bench_result *result, FILE *to)
{
    static const size_t shown[] = {1,    4,    8,     16,    28,     32,      63,
                                   64,   100,  255,   256,   512,    1024,    1460,
                                   2048, 4096, 16384, 65536, 262144, 1048576, 67108864};

    for (int mode = 0; mode < BENCH_MODES; mode++) {
        fprintf(to, "\nMB/s, %s\n%10s", mode_names[mode], "bytes");
        for (size_t c = 0; c < result->n_contenders; c++)
            fprintf(to, " %10s", result->contenders[c].name);
        fputc('\n', to);
        for (size_t i = 0, s = 0; i < result->n_lengths; i++) {
            size_t len = result->lengths[i];
            if (len < shown[s])
                continue;
            while (s + 1 < sizeof shown / sizeof *shown && shown[s] <= len)
                s++;
            fprintf(to, "%10zu", len);
            for (size_t c = 0; c < result->n_contenders; c++)
                fprintf(to, " %10.0f",
                        megabytes_per_second(len, result->contenders[c].ns[mode][i]));
            fputc('\n', to);
        }
    }
}

typedef struct range {
    size_t from, to;
    bool powers; /* of two only, so that long lengths weigh as much as short ones */
} range;

static bool is_in(range lengths, size_t len)
{
    return len >= lengths.from && len <= lengths.to && !(lengths.powers && len & (len - 1));
}

/* How many times faster a contender is than the fastest of the first library's tiers called name,
 * or of all its tiers if name is NULL. */
static double gain(const bench_result *result, const bench_contender *contender, const char *name,
                   int mode, size_t index)
{
    double best = 0;

    for (size_t c = 0; c < result->n_contenders; c++) {
        const bench_contender *other = &result->contenders[c];
        if (other->kind != BENCH_FIRST || (name && strcmp(other->name, name) != 0))
            continue;
        if (best == 0 || other->ns[mode][index] < best)
            best = other->ns[mode][index];
    }
    return best / contender->ns[mode][index];
}

static bool print_target(FILE *to, bool met, const char *what, int mode, double value, size_t len)
{
    fprintf(to, "%-7s %-52s %-9s %6.2f", met ? "ok" : "missed", what, mode_names[mode], value);
    if (len)
        fprintf(to, "  at %zu bytes", len);
    fputc('\n', to);
    return met;
}

static bool check_least(const bench_result *result, FILE *to, const char *ours, const char *first,
                        const char *what)
{
    const bench_contender *contender = find_contender(result, ours);
    bool met = true;

    for (int mode = 0; mode < BENCH_MODES; mode++) {
        size_t worst = 0;
        for (size_t i = 0; i < result->n_lengths; i++) {
            if (gain(result, contender, first, mode, i) <
                gain(result, contender, first, mode, worst))
                worst = i;
        }
        double least = gain(result, contender, first, mode, worst);
        met &= print_target(to, least >= 1, what, mode, least, result->lengths[worst]);
    }
    return met;
}

static bool check_average(const bench_result *result, FILE *to, const char *ours, const char *first,
                          range lengths, double wanted, const char *what)
{
    const bench_contender *contender = find_contender(result, ours);
    bool met = true;

    for (int mode = 0; mode < BENCH_MODES; mode++) {
        double sum = 0;
        int n = 0;
        for (size_t i = 0; i < result->n_lengths; i++) {
            if (!is_in(lengths, result->lengths[i]))
                continue;
            sum += gain(result, contender, first, mode, i);
            n++;
        }
        met &= print_target(to, sum / n >= wanted, what, mode, sum / n, 0);
    }
    return met;
}

static bool check_memcpy(const bench_result *result, FILE *to, size_t len, double wanted,
                         const char *what)
{
    const bench_contender *ours = &result->contenders[0];
    const bench_contender *copy = find_contender(result, "memcpy");
    size_t i = 0;

    while (i + 1 < result->n_lengths && result->lengths[i] != len)
        i++;
    double ratio = copy->ns[BENCH_IN_PLACE][i] / ours->ns[BENCH_IN_PLACE][i];
    return print_target(to, ratio >= wanted, what, BENCH_IN_PLACE, ratio, 0);
}

/* The worst ratio of the time for a length to that for the next multiple of 64. */
static bool check_flat(const bench_result *result, FILE *to)
{
    const bench_contender *ours = &result->contenders[0];
    bool met = true;

    for (int mode = 0; mode < BENCH_MODES; mode++) {
        double worst = 0;
        size_t at = 0;
        for (size_t i = 0; i < result->n_lengths && result->lengths[i] <= BENCH_SHORT; i++) {
            size_t next = i;
            while (result->lengths[next] % 64 != 0)
                next++;
            double ratio = ours->ns[mode][i] / ours->ns[mode][next];
            if (ratio > worst) {
                worst = ratio;
                at = result->lengths[i];
            }
        }
        met &= print_target(to, worst <= 1.15, "time / next multiple of 64, at most 1.15", mode,
                            worst, at);
    }
    return met;
}

static bool check_tier(const bench_result *result, FILE *to, const char *ours, const char *first)
{
    char what[80];

    if (!find_contender(result, ours) || !find_contender(result, first)) {
        fprintf(to, "skipped: %s does not run here\n", ours);
        return true;
    }
    snprintf(what, sizeof what, "%s / %s, never below 1", ours, first);
    bool met = check_least(result, to, ours, first, what);
    snprintf(what, sizeof what, "%s / %s, 16-2048 bytes, 1.5 on average", ours, first);
    met &= check_average(result, to, ours, first, (range){16, 2048, false}, 1.5, what);
    return met;
}

static bool check_best(const bench_result *result, FILE *to)
{
    const char *best = result->contenders[0].name;
    bool met = true;

    if (strcmp(best, "avx512") != 0) {
        fputs("skipped: targets of the best backend, which are for AVX-512\n", to);
        return true;
    }
    met &= check_least(result, to, best, NULL, "best / first library, never below 1");
    met &= check_average(result, to, best, NULL, (range){8, 63, false}, 2,
                         "best / first library, 8-63 bytes, 2 on average");
    met &= check_average(result, to, best, NULL, (range){64, 512, false}, 2.5,
                         "best / first library, 64-512 bytes, 2.5 on average");
    met &= check_average(result, to, best, NULL, (range){1024, 262144, true}, 4,
                         "best / first library, 1-256 KiB, 4 on average");
    met &= check_memcpy(result, to, 16384, 0.6, "best / memcpy, 16 KiB, 0.6");
    met &= check_memcpy(result, to, 67108864, 1, "best / memcpy, 64 MiB, 1.0");
    met &= check_flat(result, to);
    return met;
}

bool bench_print_targets(const bench_result *result, FILE *to)
{
    bool met;

    fputs("\nTargets\n", to);
    met = check_best(result, to);
    met &= check_tier(result, to, "avx2", "first avx2");
    met &= check_tier(result, to, "sse2", "first sse2");
    return met;
}

void bench_write_json(const bench_result *result, FILE *to)
{
    fprintf(to,
            "{\n  \"unit\": \"nanoseconds per call, median of %d turns of %d batches, of each turn "
            "the fastest\",\n  \"lengths\": [",
            result->turns, BENCH_BATCHES);
    for (size_t i = 0; i < result->n_lengths; i++)
        fprintf(to, "%s%zu", i ? ", " : "", result->lengths[i]);
    fprintf(to, "],\n  \"backend\": \"%s\",\n  \"contenders\": {", result->contenders[0].name);
    for (size_t c = 0; c < result->n_contenders; c++) {
        fprintf(to, "%s\n    \"%s\": {", c ? "," : "", result->contenders[c].name);
        for (int mode = 0; mode < BENCH_MODES; mode++) {
            fprintf(to, "%s\n      \"%s\": [", mode ? "," : "", mode_names[mode]);
            for (size_t i = 0; i < result->n_lengths; i++)
                fprintf(to, "%s%.2f", i ? ", " : "", result->contenders[c].ns[mode][i]);
            fputc(']', to);
        }
        fputs("\n    }", to);
    }
    fputs("\n  }\n}\n", to);
}
