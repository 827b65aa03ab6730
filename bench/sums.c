/* sums ROWS COLUMNS REPETITIONS
 * How fast src/learn/tree/histogram.c sums pairs of gradients over dense columns of 255 bins, on one thread. Prints additions a CPU second to cells of the nearest cache
 * that wait for nothing (the most that any such loop can do); then, of all rows and of a quarter of them by chance, additions and bytes of rows and gradients a CPU second. */
#include "learn/tree/histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BINS = 255, CELLS = 2048 };

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool there)
{
    if (!there) {
        fputs("sums: no memory\n", stderr);
        exit(1);
    }
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Loads, additions and stores of 8 bytes, sixteen at a time, in consecutive cells. */
static double ceiling(int repetitions)
{
    static volatile int64_t sink;
    static int64_t cells[CELLS];
    const long turns = 100000;
    double best = INFINITY;

    for (int r = 0; r < repetitions; r++) {
        double start = seconds();

        for (long turn = 0; turn < turns; turn++) {
            for (int i = 0; i < CELLS; i += 16) {
#pragma GCC unroll 16
                for (int j = 0; j < 16; j++) {
                    cells[i + j] += turn;
                    __asm__ volatile("" ::: "memory");
                }
            }
        }
        best = fmin(best, seconds() - start);
    }
    sink = cells[1];
    (void)sink;
    return (double)turns * CELLS / best;
}

/* Columns in groups as bins_columns.c makes them. */
static void make_bins(Bins *bins, Context *context, uint32_t rows, uint32_t columns)
{
    uint32_t each = GROUP_BINS / BINS;
    uint64_t state = 1;

    *bins = (Bins){.context = context, .rows = rows, .columns = columns, .members = columns};
    bins->groups = (columns + each - 1) / each;
    bins->column = calloc(columns, sizeof *bins->column);
    bins->member = calloc(columns, sizeof *bins->member);
    bins->group = calloc(bins->groups, sizeof *bins->group);
    need(bins->column && bins->member && bins->group);
    for (uint32_t i = 0; i < columns; i++) {
        bins->member[i] = i;
        bins->column[i] = (BinColumn){.feature = i,
                                      .bins = BINS,
                                      .missing = NO_BIN,
                                      .group = i / each,
                                      .place = i % each,
                                      .first = (size_t)i * BINS};
        bins->group[i / each].columns++;
    }
    bins->cells = (size_t)columns * BINS;
    for (uint32_t i = 0; i < bins->groups; i++) {
        bins->group[i].first = i * each;
        bins->group[i].stride = (bins->group[i].columns + 7) / 8 * 8;
        bins->group[i].start = bins->dense_bytes;
        bins->dense_bytes += (size_t)rows * bins->group[i].stride;
    }
    bins->dense = calloc(bins->dense_bytes, 1);
    need(bins->dense != NULL);
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t stride;
        uint8_t *bytes = bins->dense + (bins_dense(bins, i, &stride) - bins->dense);

        for (uint32_t row = 0; row < rows; row++)
            bytes[(size_t)row * stride] = (uint8_t)(next(&state) % BINS);
    }
}

static void tell(HistogramMaker *maker, const uint32_t *row, uint32_t rows, int repetitions)
{
    const Bins *bins = maker->bins;
    double best = INFINITY, bytes = 0;
    Histogram histogram;
    cleave_error error;

    need(clv_histogram_new(maker, &histogram, &error) == OK);
    for (int r = 0; r < repetitions; r++) {
        double start = seconds();

        clv_histogram_sum(maker, row, rows, &histogram);
        best = fmin(best, seconds() - start);
    }
    for (uint32_t i = 0; i < bins->groups; i++)
        bytes += (double)rows * (bins->group[i].stride + sizeof(int64_t) + sizeof(uint32_t));
    clv_histogram_free(maker, &histogram);
    printf(" %.0f %.0f", (double)rows * bins->columns / best, bytes / best);
}

int main(int count, char **words)
{
    cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    HistogramMaker maker;
    Targets targets;
    cleave_error error;
    Bins bins;
    uint64_t state = 2;
    uint32_t rows, some = 0, *row;
    float *gradient;
    int repetitions;

    if (count < 4)
        return 2;
    rows = (uint32_t)atol(words[1]);
    repetitions = atoi(words[3]);
    row = malloc(rows * sizeof *row);
    gradient = malloc(rows * sizeof *gradient);
    make_bins(&bins, context, rows, (uint32_t)atol(words[2]));
    need(row && gradient && clv_targets_gradients(&targets, &bins, &error) == OK);
    for (uint32_t i = 0; i < rows; i++) {
        row[i] = i;
        gradient[i] = (float)next(&state) / 4e9F - 0.25F;
    }
    need(clv_targets_set(&targets, gradient, NULL, &error) == OK);
    need(clv_histogram_maker_init(&maker, &bins, &targets, true, &error) == OK);
    printf("%.0f", ceiling(repetitions));
    tell(&maker, row, rows, repetitions);
    for (uint32_t i = 0; i < rows; i++)
        if (next(&state) % 4 == 0)
            row[some++] = i;
    tell(&maker, row, some, repetitions);
    printf("\n");
    clv_histogram_maker_free(&maker);
    clv_targets_free(&targets);
    free(bins.column);
    free(bins.member);
    free(bins.group);
    free(bins.dense);
    free(row);
    free(gradient);
    cleave_context_free(context);
    return 0;
}
