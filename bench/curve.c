/* SPDX-License-Identifier: MIT */
/* The benchmark as a picture: throughput against length, both logarithmic. */

#include <math.h>
#include <string.h>

#include "bench_cipher.h"

#define WIDTH 900
#define HEIGHT 520
#define LEFT 80
#define RIGHT 130
#define TOP 50
#define BOTTOM 60

static const double least_mbps = 100;
static const double most_mbps = 200000;

typedef struct style {
    const char *label;
    const char *colour;
    const char *dashes;
    const char *name;     /* of the contender, or NULL for the best one */
    enum bench_kind kind; /* without a name: the fastest of this kind at each length */
} style;

static const style curves[] = {
    {"memcpy", "#999999", "2 4", "memcpy", BENCH_MEMCPY},
    {"libtqcipher", "#c0392b", "", NULL, BENCH_BACKEND},
    {"AVX2 alone", "#e08e0b", "", "avx2", BENCH_BACKEND},
    {"SSE2 alone", "#2e8b57", "", "sse2", BENCH_BACKEND},
    {"NEON", "#2e8b57", "", "neon", BENCH_BACKEND},
    {"portable", "#7d5ba6", "", "scalar", BENCH_BACKEND},
    {"first library", "#1f5fa8", "6 4", NULL, BENCH_FIRST},
    {"definition", "#333333", "6 4", "definition", BENCH_DEFINITION},
};

static double x_of(const bench_result *result, double len)
{
    double most = (double)result->lengths[result->n_lengths - 1];
    return LEFT + (WIDTH - LEFT - RIGHT) * log(len) / log(most);
}

static double y_of(double mbps)
{
    double share = log(mbps / least_mbps) / log(most_mbps / least_mbps);
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

static bool belongs(const style *drawn, const bench_contender *contender)
{
    if (drawn->name)
        return strcmp(drawn->name, contender->name) == 0;
    return drawn->kind == contender->kind;
}

/* 0 if nothing that has the style was measured. */
static double throughput(const bench_result *result, const style *drawn, size_t index)
{
    double best = 0;

    for (size_t c = 0; c < result->n_contenders; c++) {
        const bench_contender *contender = &result->contenders[c];
        double mbps = (double)result->lengths[index] * 1e3 / contender->ns[BENCH_IN_PLACE][index];
        if (!belongs(drawn, contender))
            continue;
        if (drawn->kind == BENCH_BACKEND)
            return mbps; /* the first is what is chosen, even if another were faster */
        if (mbps > best)
            best = mbps;
    }
    return best;
}

/* Draws every length up to 64, further ones only where the pen moves a good bit on. */
static void draw_one(const bench_result *result, const style *drawn, FILE *to)
{
    double last_x = -1;

    if (throughput(result, drawn, 0) == 0)
        return;
    fprintf(to,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-dasharray=\"%s\" "
            "points=\"",
            drawn->colour, drawn->dashes);
    for (size_t i = 0; i < result->n_lengths; i++) {
        double x = x_of(result, (double)result->lengths[i]);
        if (result->lengths[i] > 64 && x - last_x < 0.8)
            continue;
        fprintf(to, "%.1f,%.1f ", x, y_of(throughput(result, drawn, i)));
        last_x = x;
    }
    fputs("\"/>\n", to);
}

/* Names beside the curves' ends would overlap, so they stand in a column in the order of curves. */
static void draw_legend(const bench_result *result, FILE *to)
{
    int y = TOP + 10;

    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        if (throughput(result, &curves[i], 0) == 0)
            continue;
        fprintf(to,
                "<path d=\"M%d %dh22\" stroke=\"%s\" stroke-width=\"2.4\" stroke-dasharray=\"%s\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text>\n",
                WIDTH - RIGHT + 10, y, curves[i].colour, curves[i].dashes, WIDTH - RIGHT + 38,
                y + 4, curves[i].label);
        y += 22;
    }
}

static void draw_length_tick(const bench_result *result, double len, const char *label, FILE *to)
{
    double x = x_of(result, len);

    fprintf(to, "<path d=\"M%.1f %dV%d\" stroke=\"#e4e4e4\"/>", x, TOP, HEIGHT - BOTTOM);
    fprintf(to, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
            HEIGHT - BOTTOM + 20, label);
}

static void draw_speed_tick(double mbps, const char *label, FILE *to)
{
    double y = y_of(mbps);

    fprintf(to, "<path d=\"M%d %.1fH%d\" stroke=\"#e4e4e4\"/>", LEFT, y, WIDTH - RIGHT);
    fprintf(to, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 4,
            label);
}

static void draw_axes(const bench_result *result, FILE *to)
{
    static const struct {
        double value;
        const char *label;
    } lengths[] = {{1, "1"},         {4, "4"},          {16, "16"},         {64, "64"},
                   {256, "256"},     {1024, "1 Ki"},    {4096, "4 Ki"},     {16384, "16 Ki"},
                   {65536, "64 Ki"}, {1048576, "1 Mi"}, {67108864, "64 Mi"}},
      speeds[] = {{100, "0.1"}, {1000, "1"}, {10000, "10"}, {100000, "100"}};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        draw_length_tick(result, lengths[i].value, lengths[i].label, to);
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        draw_speed_tick(speeds[i].value, speeds[i].label, to);
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">bytes in a call</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16);
    fprintf(to,
            "<text x=\"20\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 20 %d)\">GB/s"
            "</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, (TOP + HEIGHT - BOTTOM) / 2);
}

void bench_draw_curve(const bench_result *result, FILE *to)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"28\" font-size=\"15\">TQ cipher in place, random counters and "
            "alignments</text>\n",
            WIDTH, HEIGHT, LEFT);
    draw_axes(result, to);
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        draw_one(result, &curves[i], to);
    draw_legend(result, to);
    fputs("</svg>\n", to);
}
