/* SPDX-License-Identifier: MIT */
/*
 * Every backend against the definition: each length at each alignment, in place and apart, and
 * between pages that may not be touched.
 *
 * usage: test_kernel [BACKEND [STRIDE]]
 *   STRIDE  take only every so many'th pair of alignments, for slow emulators
 */

/* MAP_ANONYMOUS is no part of C or POSIX. */
#define _DEFAULT_SOURCE

#include "check.h"

#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#define HAVE_GUARD_PAGES 1
#else
#define HAVE_GUARD_PAGES 0
#endif

#define SHORT_MAX 100
#define LONG_MAX 70000 /* past a whole period of the counter */
#define ALIGNMENTS ((size_t)64)
#define MARGIN ((size_t)64) /* bytes on either side of a buffer that must stay as they are */
#define MARK 0xA5

static size_t stride = 1;
static tq_key key;
static tq_tables tables[2]; /* by role */

/* Either side of where a page of the counter or its period ends, and somewhere. */
static const uint16_t counters[] = {0,     1,     100,   155,   156,   192,   200,  224,
                                    240,   248,   252,   254,   255,   256,   511,  0x1234,
                                    32767, 65436, 65472, 65500, 65520, 65534, 65535};
#define N_COUNTERS (sizeof counters / sizeof *counters)

static void check_apart(const char *label, uint16_t counter, const uint8_t *src, size_t len,
                        const uint8_t *framed, uint8_t *out, size_t alignment)
{
    memset(out, MARK, alignment + len + 2 * MARGIN);
    tq_crypt(&tables[TQ_ROLE_SERVER], counter, out + alignment + MARGIN, src, len);
    CHECK(memcmp(out + alignment, framed, len + 2 * MARGIN) == 0,
          "%s: %zu bytes at counter %u, to alignment %zu", label, len, counter, alignment);
}

static void check_in_place(const char *label, uint16_t counter, const uint8_t *src, size_t len,
                           const uint8_t *framed, uint8_t *out, size_t alignment)
{
    memset(out, MARK, alignment + len + 2 * MARGIN);
    memcpy(out + alignment + MARGIN, src, len);
    tq_crypt(&tables[TQ_ROLE_SERVER], counter, out + alignment + MARGIN, out + alignment + MARGIN,
             len);
    CHECK(memcmp(out + alignment, framed, len + 2 * MARGIN) == 0,
          "%s: %zu bytes at counter %u, in place at alignment %zu", label, len, counter, alignment);
}

/* All 64 x 64 alignments of one length at one counter. */
static void check_alignments(const char *label, uint16_t counter, size_t len)
{
    static _Alignas(64) uint8_t in[ALIGNMENTS + SHORT_MAX];
    static _Alignas(64) uint8_t out[ALIGNMENTS + SHORT_MAX + 2 * MARGIN];
    uint8_t pattern[SHORT_MAX];
    uint8_t framed[SHORT_MAX + 2 * MARGIN];

    fill_251(pattern, len);
    memset(framed, MARK, sizeof framed);
    crypt_by_definition(&key, TQ_ROLE_SERVER, counter, framed + MARGIN, pattern, len);
    for (size_t from = 0; from < ALIGNMENTS; from++) {
        memcpy(in + from, pattern, len);
        for (size_t to = from % stride; to < ALIGNMENTS; to += stride)
            check_apart(label, counter, in + from, len, framed, out, to);
        check_in_place(label, counter, pattern, len, framed, out, from);
    }
}

static void test_short(const char *label)
{
    for (size_t len = 0; len <= SHORT_MAX; len++) {
        for (size_t i = 0; i < N_COUNTERS; i++)
            check_alignments(label, counters[i], len);
        check_alignments(label, (uint16_t)next_random(), len);
    }
}

static void check_long(const char *label, size_t len)
{
    static uint8_t pattern[LONG_MAX];
    static uint8_t in[ALIGNMENTS + LONG_MAX];
    static uint8_t out[ALIGNMENTS + LONG_MAX + 2 * MARGIN];
    static uint8_t framed[LONG_MAX + 2 * MARGIN];
    uint16_t counter = (uint16_t)next_random();
    size_t from = next_random() % ALIGNMENTS;
    size_t to = next_random() % ALIGNMENTS;

    fill_251(pattern, len);
    memcpy(in + from, pattern, len);
    memset(framed, MARK, len + 2 * MARGIN);
    crypt_by_definition(&key, TQ_ROLE_SERVER, counter, framed + MARGIN, pattern, len);
    check_apart(label, counter, in + from, len, framed, out, to);
    check_in_place(label, counter, pattern, len, framed, out, from);
}

static void test_long(const char *label)
{
    for (size_t len = SHORT_MAX + 1; len <= 2200; len++)
        check_long(label, len);
    for (int i = 0; i < 100; i++)
        check_long(label, next_random() % LONG_MAX);
    check_long(label, 65535);
    check_long(label, 65536);
    check_long(label, 65537);
    check_long(label, LONG_MAX);
}

/* The client's function undoes the server's. */
static void test_inverse(const char *label)
{
    uint8_t pattern[1500];
    uint8_t bytes[sizeof pattern];

    fill_251(pattern, sizeof pattern);
    for (int i = 0; i < 1000; i++) {
        uint16_t counter = (uint16_t)next_random();
        size_t len = next_random() % sizeof pattern;
        tq_crypt(&tables[TQ_ROLE_SERVER], counter, bytes, pattern, len);
        tq_crypt(&tables[TQ_ROLE_CLIENT], counter, bytes, bytes, len);
        CHECK(memcmp(bytes, pattern, len) == 0, "%s: %zu bytes at %u", label, len, counter);
    }
}

#if HAVE_GUARD_PAGES

typedef struct guarded {
    uint8_t *start; /* the page before may not be touched, */
    size_t size;    /* nor the one after so many bytes */
} guarded;

static guarded map_guarded(size_t at_least)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (at_least + page - 1) / page * page;
    uint8_t *map = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(map != MAP_FAILED, "no memory for %zu bytes", size + 2 * page);
    CHECK(mprotect(map + page, size, PROT_READ | PROT_WRITE) == 0, "%zu bytes", size);
    return (guarded){map + page, size};
}

/* At one end of each mapping; a byte too far ends the program. */
static void check_guarded(const char *label, guarded in, guarded out, uint16_t counter, size_t len,
                          bool at_end)
{
    static uint8_t expected[8192];
    uint8_t *src = at_end ? in.start + in.size - len : in.start;
    uint8_t *dst = at_end ? out.start + out.size - len : out.start;

    fill_251(src, len);
    crypt_by_definition(&key, TQ_ROLE_SERVER, counter, expected, src, len);
    tq_crypt(&tables[TQ_ROLE_SERVER], counter, dst, src, len);
    CHECK(memcmp(dst, expected, len) == 0, "%s: %zu bytes at %u, apart", label, len, counter);
    tq_crypt(&tables[TQ_ROLE_SERVER], counter, src, src, len);
    CHECK(memcmp(src, expected, len) == 0, "%s: %zu bytes at %u, in place", label, len, counter);
}

static void test_guarded(const char *label)
{
    static guarded in;
    static guarded out;

    if (!in.start) {
        in = map_guarded(8192);
        out = map_guarded(8192);
    }
    for (size_t len = 0; len <= 2200; len++) {
        for (size_t i = 0; i < N_COUNTERS; i++) {
            check_guarded(label, in, out, counters[i], len, false);
            check_guarded(label, in, out, counters[i], len, true);
        }
    }
}

#else

static void test_guarded(const char *label)
{
    printf("note: %s: no guard pages on this system\n", label);
}

#endif

static void test_backend(const char *label)
{
    test_short(label);
    test_long(label);
    test_inverse(label);
    test_guarded(label);
}

int main(int argc, char **argv)
{
    tq_key_generate(&key, TQ_CONQUER_P, TQ_CONQUER_G);
    tq_tables_prepare(&tables[TQ_ROLE_SERVER], &key, TQ_ROLE_SERVER);
    tq_tables_prepare(&tables[TQ_ROLE_CLIENT], &key, TQ_ROLE_CLIENT);
    if (argc > 2)
        stride = strtoul(argv[2], NULL, 10);
    CHECK(stride > 0, "a stride is a number from 1 up");
    for_each_backend(argc > 1 ? argv[1] : NULL, test_backend);
    return EXIT_SUCCESS;
}
