/* SPDX-License-Identifier: MIT */
/*
 * Speed of the cipher by length: every backend that runs here, the public call, the definition's
 * byte loop, the first vectorised library's structure, and memcpy.
 *
 * All contenders take turns at every length, so that whatever else the machine does meets them
 * alike; each figure is the median of the turns. Every call takes another counter and alignment
 * from a fixed random list.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_cipher.h"
#include "first_library.h"

#define SPOTS 8192              /* counters and alignments */
#define ROAM 16384              /* bytes over which short buffers are spread */
#define BATCH_BYTES_SHORT 65536 /* what a batch transforms in one length of up to BENCH_SHORT, */
#define BATCH_BYTES_LONG 524288 /* or in a longer one, */
#define BATCH_CALLS_MAX 1024    /* in no more calls than this */
#define ALIGNMENT 64
#define GROUP 64
#define MAX_TURNS 101

typedef struct spot {
    uint16_t counter;
    size_t src;
    size_t dst;
} spot;

typedef struct arena {
    uint8_t *src;
    uint8_t *dst;
    spot spots[SPOTS];
} arena;

static uint32_t random_state = 0x13FA0F9D;

/* xorshift32: the same list in every run and everywhere */
static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void copy_bytes(const tq_tables *tables, uint16_t counter, uint8_t *dst, const uint8_t *src,
                       size_t len)
{
    (void)tables;
    (void)counter;
    memcpy(dst, src, len);
}

static void add(bench_result *result, bench_contender contender)
{
    result->contenders[result->n_contenders++] = contender;
}

static void add_contenders(bench_result *result)
{
    for (const tq_backend *backend = tq_backends; backend->name; backend++) {
        bool other = backend > tq_backends && strcmp(backend->name, backend[-1].name) == 0;
        if (tq_backend_runs(backend))
            add(result, (bench_contender){other ? "no gfni" : backend->name,
                                          BENCH_BACKEND,
                                          backend,
                                          NULL,
                                          tq_crypt,
                                          {{0}}});
    }
    add(result,
        (bench_contender){"definition", BENCH_DEFINITION, NULL, NULL, first_standard, {{0}}});
    add(result,
        (bench_contender){"first std", BENCH_FIRST, NULL, first_standard, first_crypt, {{0}}});
#if TQ_ARCH_X86
    if (tq_backend_available("sse2"))
        add(result,
            (bench_contender){"first sse2", BENCH_FIRST, NULL, first_sse2, first_crypt, {{0}}});
    if (tq_backend_available("avx2"))
        add(result,
            (bench_contender){"first avx2", BENCH_FIRST, NULL, first_avx2, first_crypt, {{0}}});
#endif
    add(result, (bench_contender){"memcpy", BENCH_MEMCPY, NULL, NULL, copy_bytes, {{0}}});
}

/* Makes the contender's public call do what it is named after. */
static void choose(const bench_contender *contender)
{
    if (contender->backend)
        tq_backend_use(contender->backend);
    if (contender->tier)
        first_use(contender->tier);
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (!memory) {
        fprintf(stderr, "bench_cipher: no memory for a buffer of %zu bytes\n", size);
        exit(EXIT_FAILURE);
    }
    return memory;
}

static size_t buffer_size(size_t len)
{
    return len + (len < ROAM ? ROAM : ALIGNMENT);
}

static void lay_spots(arena *area, size_t len)
{
    size_t span = buffer_size(len) - len;

    for (int i = 0; i < SPOTS; i++) {
        spot *at = &area->spots[i];
        at->counter = (uint16_t)next_random();
        at->src = next_random() % span;
        at->dst = next_random() % span;
    }
}

static int64_t now_ns(void)
{
    struct timespec time;

#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &time);
#else
    timespec_get(&time, TIME_UTC);
#endif
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static size_t calls_of_batch(size_t len)
{
    size_t calls = 1 + (len <= BENCH_SHORT ? BATCH_BYTES_SHORT : BATCH_BYTES_LONG) / len;

    return calls < BATCH_CALLS_MAX ? calls : BATCH_CALLS_MAX;
}

/* Nanoseconds for one call, on average over some. */
static double time_batch(const bench_contender *contender, const tq_tables *tables, arena *area,
                         bool in_place, size_t first, size_t calls, size_t len)
{
    int64_t start = now_ns();
    for (size_t i = 0; i < calls; i++) {
        const spot *at = &area->spots[(first + i) % SPOTS];
        const uint8_t *src = area->src + at->src;
        contender->crypt(tables, at->counter, in_place ? area->src + at->src : area->dst + at->dst,
                         src, len);
    }
    return (double)(now_ns() - start) / (double)calls;
}

/*
 * The best of a few batches: the first wakes what slept while the others had their turn (caches,
 * branch predictors, wide registers), and an interrupt would only ever slow one down.
 */
static double time_turn(const bench_contender *contender, const tq_tables *tables, arena *area,
                        enum bench_mode mode, int turn, size_t len)
{
    /* memcpy may not copy onto itself, so it always works apart */
    bool in_place = mode == BENCH_IN_PLACE && contender->kind != BENCH_MEMCPY;
    size_t calls = calls_of_batch(len);
    double best = 0;

    choose(contender);
    for (int batch = 0; batch < BENCH_BATCHES; batch++) {
        /* Other spots than ever before, the same ones for all contenders. */
        size_t first = (size_t)(turn * BENCH_BATCHES + batch) * calls;
        double time = time_batch(contender, tables, area, in_place, first, calls, len);
        if (batch == 0 || time < best)
            best = time;
    }
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return values[n / 2];
}

/*
 * Lengths up to the next multiple of 64 are measured together, so that they meet the same
 * disturbances: what they are compared for is a few percent.
 */
static void measure_group(bench_result *result, const tq_tables *tables, arena *area,
                          enum bench_mode mode, size_t from, size_t to)
{
    static double turns[GROUP][BENCH_MAX_CONTENDERS][MAX_TURNS];

    lay_spots(area, result->lengths[to - 1]);
    for (int turn = 0; turn < result->turns; turn++) {
        for (size_t i = from; i < to; i++) {
            for (size_t c = 0; c < result->n_contenders; c++) {
                double time =
                    time_turn(&result->contenders[c], tables, area, mode, turn, result->lengths[i]);
                turns[i - from][c][turn] = time;
            }
        }
    }
    for (size_t i = from; i < to; i++) {
        for (size_t c = 0; c < result->n_contenders; c++)
            result->contenders[c].ns[mode][i] = median(turns[i - from][c], result->turns);
    }
}

static void measure_mode(bench_result *result, const tq_tables *tables, arena *area,
                         enum bench_mode mode)
{
    size_t from = 0;

    for (size_t i = 0; i < result->n_lengths; i++) {
        if (result->lengths[i] % GROUP == 0) {
            measure_group(result, tables, area, mode, from, i + 1);
            from = i + 1;
        }
    }
}

/* A benchmark of wrong results would be worthless. */
static void verify(const bench_result *result, const tq_tables *tables)
{
    uint8_t in[1000];
    uint8_t expected[sizeof in];
    uint8_t out[sizeof in];

    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i % 251);
    first_standard(tables, 65000, expected, in, sizeof in);
    for (size_t c = 0; c < result->n_contenders; c++) {
        if (result->contenders[c].kind == BENCH_MEMCPY)
            continue;
        choose(&result->contenders[c]);
        result->contenders[c].crypt(tables, 65000, out, in, sizeof in);
        if (memcmp(out, expected, sizeof in) != 0) {
            fprintf(stderr, "bench_cipher: %s computes something else than the definition\n",
                    result->contenders[c].name);
            exit(EXIT_FAILURE);
        }
    }
}

static void set_lengths(bench_result *result, bool quick)
{
    static const size_t large[] = {4096,   8192,   16384,   32768,   65536,
                                   131072, 262144, 1048576, 67108864};

    for (size_t len = 1; len <= BENCH_SHORT; len++) {
        if (!quick || len % 64 <= 1 || len % 64 == 32 || len < 64)
            result->lengths[result->n_lengths++] = len;
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        result->lengths[result->n_lengths++] = large[i];
}

static void measure(bench_result *result)
{
    arena area;
    tq_key key;
    tq_tables tables;
    size_t size = buffer_size(result->lengths[result->n_lengths - 1]);

    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_tables_prepare(&tables, &key, TQ_ROLE_SERVER);
    verify(result, &tables);

    area.src = allocate(size);
    area.dst = allocate(size);
    memset(area.src, 1, size);
    memset(area.dst, 2, size);
    for (int mode = 0; mode < BENCH_MODES; mode++)
        measure_mode(result, &tables, &area, (enum bench_mode)mode);
    free(area.src);
    free(area.dst);
}

static void check_written(bool good, const char *path)
{
    if (!good) {
        fprintf(stderr, "bench_cipher: cannot write %s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
}

/* Before anything is measured, which takes minutes; NULL for no path. */
static FILE *open_output(const char *path)
{
    FILE *file = path ? fopen(path, "w") : NULL;

    check_written(file || !path, path);
    return file;
}

static void write_file(const bench_result *result, FILE *file, const char *path,
                       void (*write)(const bench_result *, FILE *))
{
    if (!file)
        return;
    write(result, file);
    check_written(!ferror(file), path);
    check_written(fclose(file) == 0, path);
}

static int usage(FILE *to, int status)
{
    fprintf(to,
            "usage: bench_cipher [--quick] [--turns N] [--json FILE] [--svg FILE] [--check]\n"
            "  --quick  only a few lengths between two multiples of 64\n"
            "  --turns  how often each contender is timed at each length, up to %d (default 31)\n"
            "  --check  fail unless every target is met\n",
            MAX_TURNS);
    return status;
}

/* The number that a text is as a whole; 0 if it is none of turns. */
static int parse_turns(const char *text)
{
    char *end;
    long turns = strtol(text, &end, 10);

    return *text && !*end && turns > 0 && turns <= MAX_TURNS ? (int)turns : 0;
}

int main(int argc, char **argv)
{
    static bench_result result = {.turns = 31};
    const char *json = NULL;
    const char *svg = NULL;
    bool quick = false;
    bool check = false;

    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[i], "--check") == 0)
            check = true;
        else if (strcmp(argv[i], "--turns") == 0 && has_value)
            result.turns = parse_turns(argv[++i]);
        else if (strcmp(argv[i], "--json") == 0 && has_value)
            json = argv[++i];
        else if (strcmp(argv[i], "--svg") == 0 && has_value)
            svg = argv[++i];
        else if (strcmp(argv[i], "--help") == 0)
            return usage(stdout, EXIT_SUCCESS);
        else
            return usage(stderr, EXIT_FAILURE);
    }
    if (result.turns == 0)
        return usage(stderr, EXIT_FAILURE);

    FILE *json_file = open_output(json);
    FILE *svg_file = open_output(svg);
    add_contenders(&result);
    set_lengths(&result, quick);
    measure(&result);
    bench_print_table(&result, stdout);
    bool met = bench_print_targets(&result, stdout);
    check_written(fflush(stdout) == 0, "to standard output");
    write_file(&result, json_file, json, bench_write_json);
    write_file(&result, svg_file, svg, bench_draw_curve);
    return check && !met ? EXIT_FAILURE : EXIT_SUCCESS;
}
