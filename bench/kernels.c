/* kernels rows FILE.cleave NAME | kernels dense | kernels digits | kernels classes | kernels memory
 * Times the loops of src/learn/linear/kernel.h, each table this machine can run, on one thread, and prints a line
 *     WHAT TABLE SECONDS BYTES OPERATIONS
 * for each: CPU seconds, least of REPEATS passes over all rows; bytes of row data a pass reads; additions and multiplications.
 *   rows      a dataset: dot, add, both in double, and an epoch of the hinge loss (dot, then add when the margin is short) over the
 *             mapped file
 *   dense     32,768 dense rows of 784 columns, 1 and 10 outputs
 *   digits    49,152 rows of 784 columns, about 150 non-zeros each, 10 outputs: handwritten digits as blocks hold them
 *   classes   8,192 rows of 50 non-zeros, 10,000 columns, 1,000 outputs
 *   memory    reading memory in order and nothing else: the reference for bytes per second */
#include "base/random.h"
#include "data/dataset.h"
#include "learn/linear/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 5 };

typedef struct {
    Block *block;
    uint32_t count, features;
    double entries, bytes; /* entries with fillers; bytes of gaps, columns and values */
} Rows;

typedef struct {
    const Rows *rows;
    const Kernels *kernels;
    float *w;
    double *wide;
    size_t outputs;
    double *scores, *steps;
} Work;

static volatile double kept; /* used, so that the compiler keeps every pass */

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "kernels: %s\n", what);
    exit(1);
}

static void *workspace(size_t count, size_t size)
{
    void *p = calloc(count + 16, size);

    if (!p)
        fail("no memory");
    return p;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static void count_bytes(Rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const Block *block = &rows->block[i];
        double entries = block->form == ROWS_DENSE ? (double)block->rows * block->features
                                                   : block->end[block->rows - 1];

        rows->entries += entries;
        rows->bytes += entries * (block->form == ROWS_GAPS ? 2 : block->form == ROWS_COLUMNS ? 4 : 0);
        rows->bytes += block->value_form == VALUES_EACH      ? 4 * entries
                       : block->value_form == VALUES_PER_ROW ? 4.0 * block->rows
                                                             : 0;
        if (block->features > rows->features)
            rows->features = block->features;
    }
}

static Rows map_rows(Context *context, const char *path)
{
    cleave_error error = {0};
    Dataset *dataset;
    Rows rows = {0};

    if (clv_dataset_map(context, path, &dataset, &error) != OK)
        fail(error.message);
    rows.block = workspace(dataset->blocks, sizeof *rows.block);
    rows.count = dataset->blocks;
    for (uint32_t i = 0; i < dataset->blocks; i++)
        if (clv_dataset_block(dataset, i, &rows.block[i], &error) != OK)
            fail(error.message);
    count_bytes(&rows);
    return rows;
}

static Rows dense_rows(uint32_t count, uint32_t columns)
{
    Random random = clv_random(1, 0);
    float *value = workspace((size_t)count * columns, sizeof *value);
    Block *block = workspace(1, sizeof *block);
    Rows rows = {.block = block, .count = 1};

    for (size_t i = 0; i < (size_t)count * columns; i++)
        value[i] = (float)(0.1 + clv_random_unit(&random));
    *block = (Block){.rows = count, .features = columns, .form = ROWS_DENSE, .value_form = VALUES_EACH, .value = value};
    count_bytes(&rows);
    return rows;
}

/* Rows in which each column has the same probability, given the mean number per row. */
static Rows sparse_rows(uint32_t count, uint32_t columns, uint32_t mean)
{
    Random random = clv_random(1, 0);
    size_t most = (size_t)count * mean * 3 / 2;
    uint16_t *gap = workspace(most, sizeof *gap);
    float *value = workspace(most, sizeof *value);
    uint32_t *end = workspace(count, sizeof *end), entries = 0;
    Block *block = workspace(1, sizeof *block);
    Rows rows = {.block = block, .count = 1};

    for (uint32_t row = 0; row < count; row++) {
        uint32_t last = UINT32_MAX;

        for (uint32_t column = 0; column < columns; column++) {
            if (clv_random_below(&random, columns) >= mean)
                continue;
            gap[entries] = (uint16_t)(column - last);
            value[entries++] = (float)(0.1 + clv_random_unit(&random));
            last = column;
        }
        end[row] = entries;
    }
    *block = (Block){.rows = count,
                     .features = columns,
                     .form = ROWS_GAPS,
                     .value_form = VALUES_EACH,
                     .end = end,
                     .gap = gap,
                     .value = value};
    count_bytes(&rows);
    return rows;
}

/* ---- passes ------------------------------------------------------------------------------------------------------- */

#define FOR_ROWS(work, block, row)                                                                                     \
    for (const Block *block = (work)->rows->block; block < (work)->rows->block + (work)->rows->count; block++)         \
        for (uint32_t row = 0; row < block->rows; row++)

static void dot_pass(Work *work)
{
    double sum = 0;

    FOR_ROWS(work, block, row)
    sum += work->kernels->dot(work->w, block, row);
    kept = sum;
}

static void add_pass(Work *work)
{
    FOR_ROWS(work, block, row)
    work->kernels->add(work->w, row % 2 ? 1e-6 : -1e-6, block, row);
}

static void dot_wide_pass(Work *work)
{
    double sum = 0;

    FOR_ROWS(work, block, row)
    sum += work->kernels->dot_wide(work->wide, block, row);
    kept = sum;
}

static void add_wide_pass(Work *work)
{
    FOR_ROWS(work, block, row)
    work->kernels->add_wide(work->wide, row % 2 ? 1e-6 : -1e-6, block, row);
}

static void dot_many_pass(Work *work)
{
    double sum = 0;

    FOR_ROWS(work, block, row)
    {
        work->kernels->dot_many(work->w, work->outputs, block, row, work->scores);
        sum += work->scores[0];
    }
    kept = sum;
}

static void add_many_pass(Work *work)
{
    for (size_t i = 0; i < work->outputs; i++)
        work->steps[i] = i % 2 ? 1e-6 : -1e-6;
    FOR_ROWS(work, block, row)
    work->kernels->add_many(work->w, work->outputs, work->steps, block, row);
}

/* Like a joint multiclass update: two outputs change. */
static void add_two_pass(Work *work)
{
    memset(work->steps, 0, work->outputs * sizeof *work->steps);
    work->steps[1] = 1e-6;
    work->steps[work->outputs / 2] = -1e-6;
    FOR_ROWS(work, block, row)
    work->kernels->add_many(work->w, work->outputs, work->steps, block, row);
}

/* Stochastic gradient descent on the hinge loss, lambda 1e-4, with weights kept as vector and
 * divisor (as in bench/floor.c). */
static void hinge_pass(Work *work)
{
    const double lambda = 1e-4;
    double divisor = 1, bias = 0, step = 0;

    memset(work->w, 0, work->rows->features * sizeof *work->w);
    FOR_ROWS(work, block, row)
    {
        double y = block_label(block, row) == 0 ? 1 : -1, rate = 1 / (1 + lambda * step++);
        double margin = (work->kernels->dot(work->w, block, row) / divisor + bias) * y;

        divisor /= 1 - rate * lambda;
        if (divisor > 1e5) {
            for (uint32_t k = 0; k < work->rows->features; k++)
                work->w[k] /= (float)divisor;
            divisor = 1;
        }
        if (margin < 1) {
            work->kernels->add(work->w, rate * y * divisor, block, row);
            bias += 0.01 * rate * y;
        }
    }
    kept = bias;
}

static void time_pass(const char *what, void (*pass)(Work *), Work *work, double operations)
{
    double best = 1e300;

    for (int i = 0; i <= REPEATS; i++) {
        double t = cpu_seconds();

        pass(work);
        t = cpu_seconds() - t;
        if (i && t < best)
            best = t;
    }
    printf("%s %s %.6f %.0f %.0f\n", what, work->kernels->name, best, work->rows->bytes,
           operations * work->rows->entries);
}

static void fill(Work *work)
{
    size_t count = (size_t)work->rows->features * work->outputs;

    for (size_t i = 0; i < count; i++)
        work->w[i] = 1e-3f * (float)(i % 101);
    for (size_t i = 0; i < work->rows->features; i++)
        work->wide[i] = 1e-3 * (double)(i % 101);
}

static void time_tables(const Rows *rows, size_t outputs, const char *name, bool labeled)
{
    Work work = {.rows = rows, .outputs = outputs};

    work.w = workspace((size_t)rows->features * outputs, sizeof *work.w);
    work.wide = workspace(rows->features, sizeof *work.wide);
    work.scores = workspace(outputs, sizeof *work.scores);
    work.steps = workspace(outputs, sizeof *work.steps);
    for (size_t i = 0; (work.kernels = clv_kernels_at(i)); i++) {
        char what[64];
#define TIME(kernel, operations)                                                                                       \
    (snprintf(what, sizeof what, "%s/%s", name, #kernel), time_pass(what, kernel##_pass, &work, operations))
        fill(&work);
        if (outputs == 1) {
            TIME(dot, 2);
            TIME(add, 2);
            TIME(dot_wide, 2);
            TIME(add_wide, 2);
        } else {
            TIME(dot_many, 2.0 * (double)outputs);
            TIME(add_many, 2.0 * (double)outputs);
            TIME(add_two, 4);
        }
        if (labeled)
            TIME(hinge, 2);
    }
    free(work.w);
    free(work.wide);
    free(work.scores);
    free(work.steps);
}

static void time_memory(void)
{
    size_t count = (size_t)1 << 25; /* 256 MB */
    uint64_t *p = workspace(count, sizeof *p);
    double best = 1e300;

    memset(p, 1, count * sizeof *p);
    for (int i = 0; i <= REPEATS; i++) {
        uint64_t sum[8] = {0};
        double t = cpu_seconds();

        for (size_t j = 0; j < count; j += 8)
            for (int k = 0; k < 8; k++)
                sum[k] += p[j + k];
        t = cpu_seconds() - t;
        kept = (double)(sum[0] ^ sum[1] ^ sum[2] ^ sum[3] ^ sum[4] ^ sum[5] ^ sum[6] ^ sum[7]);
        if (t < best)
            best = t;
    }
    printf("memory read %.6f %zu %zu\n", best, count * sizeof *p, count);
    free(p);
}

int main(int argc, char **argv)
{
    Context *context = cleave_context_new(NULL);
    Rows rows;

    if (!context)
        fail("no memory");
    if (argc == 4 && strcmp(argv[1], "rows") == 0) {
        rows = map_rows(context, argv[2]);
        time_tables(&rows, 1, argv[3], true);
    } else if (argc == 2 && strcmp(argv[1], "dense") == 0) {
        rows = dense_rows(32768, 784);
        time_tables(&rows, 1, "dense", false);
        time_tables(&rows, 10, "dense", false);
    } else if (argc == 2 && strcmp(argv[1], "digits") == 0) {
        rows = sparse_rows(49152, 784, 150);
        time_tables(&rows, 10, "digits", false);
    } else if (argc == 2 && strcmp(argv[1], "classes") == 0) {
        rows = sparse_rows(8192, 10000, 50);
        time_tables(&rows, 1000, "classes", false);
    } else if (argc == 2 && strcmp(argv[1], "memory") == 0) {
        time_memory();
    } else {
        fprintf(stderr, "usage: kernels rows FILE.cleave NAME | kernels dense|digits|classes|memory\n");
        return 2;
    }
    cleave_context_free(context);
    return 0;
}
