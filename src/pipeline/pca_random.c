/*
 * Randomized principal components of wide or sparse data (Halko, Martinsson and Tropp 2011):
 * subspace iteration with a few more random directions than components. The covariance matrix C is
 * never formed, and rows stay sparse:
 *
 *     C Q = (Σ x (xᵀ Q) - n μ (μᵀ Q)) / (n - 1)
 *
 * needs one pass over the rows, at a cost proportional to the nonzeros. The same pass gives Qᵀ C Q,
 * whose eigenvectors approximate those of C within the span of Q (Rayleigh-Ritz). The iteration
 * stops when its eigenvalues converge.
 */
#include "base/dense.h"
#include "base/pool.h"
#include "pipeline/pca_parts.h"

/* Relative tolerance for the convergence of an eigenvalue. */
#define SETTLED 1e-5

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

Status clv_pca_random_begin(Step *step)
{
    const PcaOptions *options = step->options;
    Pca *pca = step->state;
    uint64_t seed = draw_seed(step, options->seed);
    uint32_t wanted = least((uint32_t)options->components, step->inputs);
    size_t all;

    pca->width = least(wanted + (wanted < 20 ? 10 : wanted / 2), step->inputs);
    TRY(check_directions(step, 2 * pca->width));
    all = (size_t)step->inputs * pca->width;
    pca->basis = clv_alloc(step->context, all, sizeof *pca->basis);
    pca->product = clv_alloc_zero(step->context, all, sizeof *pca->product);
    pca->ritz = clv_alloc_zero(step->context, pca->width, sizeof *pca->ritz);
    if (!pca->basis || !pca->product || !pca->ritz)
        return clv_fail_memory(step->error, "random directions", all * sizeof *pca->basis);
    for (uint32_t i = 0; i < step->inputs; i++) {
        Random random = clv_random(seed, i);

        for (uint32_t k = 0; k < pca->width; k++)
            pca->basis[(size_t)i * pca->width + k] = clv_random_normal(&random);
    }
    return OK;
}

/* Directions that are processed together: their sums stay in registers. The result does not depend
 * on the number of threads. */
enum { SLICE = 16 };

/* Distance of prefetches in entries, because a wide table does not fit in the cache. */
enum { AHEAD = 12 };

typedef struct {
    const Pca *pca;
    uint32_t rows;
} Look;

/* Processes `count` directions from k on; count is SLICE except for the last slice. */
static inline void take_row(const Pca *pca, size_t from, size_t to, size_t k, size_t count)
{
    size_t width = pca->width;
    double along[SLICE] = {0};

    for (size_t e = from; e < to; e++) {
        const double *basis = pca->basis + pca->column[e] * width + k;
        size_t ahead = pca->column[e + AHEAD] * width + k;
        double value = pca->value[e];

        __builtin_prefetch(pca->basis + ahead);
        __builtin_prefetch(pca->basis + ahead + SLICE / 2);
        __builtin_prefetch(pca->product + ahead, 1);
        __builtin_prefetch(pca->product + ahead + SLICE / 2, 1);
        for (size_t j = 0; j < count; j++)
            along[j] += value * basis[j];
    }
    for (size_t e = from; e < to; e++) {
        double *restrict product = pca->product + pca->column[e] * width + k, value = pca->value[e];

        for (size_t j = 0; j < count; j++)
            product[j] += value * along[j];
    }
}

static void take_slice(void *user, uint32_t task, unsigned worker)
{
    const Look *look = user;
    const Pca *pca = look->pca;
    size_t k = (size_t)task * SLICE, count = pca->width - k;

    (void)worker;
    for (uint32_t row = 0; row < look->rows; row++) {
        size_t from = row ? pca->end[row - 1] : 0;

        if (count >= SLICE)
            take_row(pca, from, pca->end[row], k, SLICE);
        else
            take_row(pca, from, pca->end[row], k, count);
    }
}

Status clv_pca_random_look(Step *step, const Block *block)
{
    Pca *pca = step->state;
    Look look = {.pca = pca, .rows = block->rows};
    size_t entries = 0;

    TRY(GROW(step->context, pca->end, pca->end_capacity, block->rows, step->error));
    for (uint32_t row = 0; row < block->rows; row++) {
        TRY(GROW(step->context, pca->column, pca->column_capacity, entries + step->inputs + AHEAD,
                 step->error));
        TRY(GROW(step->context, pca->value, pca->value_capacity, entries + step->inputs,
                 step->error));
        entries += clv_pca_load(pca, block, row, entries);
        pca->end[row] = entries;
    }
    TRY(GROW(step->context, pca->column, pca->column_capacity, entries + AHEAD,
             step->error)); /* called also for a block without rows */
    memset(pca->column + entries, 0, AHEAD * sizeof *pca->column);
    clv_pool_run(step->context, (pca->width + SLICE - 1) / SLICE, take_slice, &look);
    return OK;
}

/* ---- after a pass ---------------------------------------------------------------------------- */

/* Matrices of size width x width, and vectors. */
typedef struct {
    double *square, *vectors, *values, *line;
} Small;

static Status make_work(const Step *step, Small *work)
{
    size_t width = ((const Pca *)step->state)->width;
    double *workspace = clv_alloc(step->context, 2 * width + 2, width * sizeof *workspace);

    if (!workspace)
        return clv_fail_memory(step->error, "eigenvectors", 2 * width * width * sizeof *workspace);
    *work = (Small){.square = workspace,
                    .vectors = workspace + width * width,
                    .values = workspace + 2 * width * width,
                    .line = workspace + (2 * width + 1) * width};
    return OK;
}

/* Computes C Q from product, in place. */
static void center(const Step *step, double *line)
{
    Pca *pca = step->state;
    size_t width = pca->width;
    double rows = (double)step->rows, divisor = clv_pca_divisor(step);

    memset(line, 0, width * sizeof *line);
    for (uint32_t i = 0; i < step->inputs; i++) {
        double mean = clv_pca_mean(step, i);

        for (size_t k = 0; k < width && mean != 0; k++)
            line[k] += mean * pca->basis[i * width + k];
    }
    for (uint32_t i = 0; i < step->inputs; i++) {
        double mean = rows * clv_pca_mean(step, i);

        for (size_t k = 0; k < width; k++)
            pca->product[i * width + k] = (pca->product[i * width + k] - mean * line[k]) / divisor;
    }
}

/* Computes the lower triangle of square = aᵀ b, which is symmetric except for rounding. Processing
 * two rows at a time halves the memory traffic. */
static void multiply(const double *a, const double *b, size_t rows, size_t width, double *square)
{
    size_t r = 0;

    memset(square, 0, width * width * sizeof *square);
    for (; r + 2 <= rows; r += 2) {
        const double *left = a + r * width, *right = b + r * width;

        for (size_t j = 0; j < width; j++) {
            double *restrict to = square + j * width, one = left[j], other = left[width + j];

            for (size_t i = 0; i <= j; i++)
                to[i] += one * right[i] + other * right[width + i];
        }
    }
    for (size_t j = 0; j < width && r < rows; j++)
        for (size_t i = 0; i <= j; i++)
            square[j * width + i] += a[r * width + j] * b[r * width + i];
}

/* Multiplies each row of a by the scaled matrix of vectors; work->square receives that matrix. */
static void turn(double *a, size_t rows, size_t width, const Small *work)
{
    double *restrict line = work->line;

    for (size_t j = 0; j < width; j++)
        for (size_t k = 0; k < width; k++)
            work->square[j * width + k] = work->vectors[k * width + j] * work->values[k];
    for (size_t r = 0; r < rows; r++) {
        double *row = a + r * width;

        memset(line, 0, width * sizeof *line);
        for (size_t j = 0; j < width; j++) {
            const double *restrict from = work->square + j * width;
            double value = row[j];

            for (size_t k = 0; k < width; k++)
                line[k] += value * from[k];
        }
        memcpy(row, line, width * sizeof *line);
    }
}

/* Maximum squared ratio of column norms for which one orthonormalization is enough. */
#define EVEN 1e-4

/* Orthonormalizes the columns of a with the eigenvectors of aᵀa. If their norms differ much, it is
 * repeated, with small eigenvalues raised at first (compare shifted Cholesky QR, Fukaya et al.
 * 2020). */
static Status orthonormal(const Step *step, double *a, const Small *work)
{
    size_t width = ((const Pca *)step->state)->width;

    for (int time = 0; time < 3; time++) {
        bool even;

        memset(work->square, 0, width * width * sizeof *work->square);
        clv_add_squares(work->square, width, a, step->inputs);
        TRY(clv_eigen(step->context, work->square, width, width, work->values, work->vectors,
                      step->error));
        if (!(work->values[0] > 0))
            return OK; /* the variance is zero, which pca.c reports */
        even = work->values[width - 1] > EVEN * work->values[0];
        for (size_t k = width; k-- > 0;)
            work->values[k] = 1 / sqrt(fmax(work->values[k], 1e-14 * work->values[0]));
        turn(a, step->inputs, width, work);
        if (even)
            return OK;
    }
    return OK;
}

/* Returns whether the requested eigenvalues have converged since the last pass. */
static bool settled(const Pca *pca, const double *values, uint32_t wanted)
{
    for (uint32_t k = 0; k < wanted; k++)
        if (fabs(values[k] - pca->ritz[k]) > SETTLED * fabs(values[k]) + 1e-12 * values[0])
            return false;
    return true;
}

static Status take_answer(const Step *step, uint32_t wanted, const Small *work)
{
    Pca *pca = step->state;
    size_t width = pca->width, size = step->inputs;

    pca->variances = clv_alloc(step->context, wanted, sizeof *pca->variances);
    pca->vectors = clv_alloc(step->context, size * wanted, sizeof *pca->vectors);
    if (!pca->variances || !pca->vectors)
        return clv_fail_memory(step->error, "principal components",
                               size * wanted * sizeof *pca->vectors);
    pca->found = wanted;
    memcpy(pca->variances, work->values, wanted * sizeof *pca->variances);
    for (uint32_t k = 0; k < wanted; k++)
        for (size_t i = 0; i < size; i++) {
            double sum = 0;

            for (size_t j = 0; j < width; j++)
                sum += pca->basis[i * width + j] * work->vectors[k * width + j];
            pca->vectors[k * size + i] = sum;
        }
    pca->total = pca->squares;
    for (uint32_t i = 0; i < size; i++)
        pca->total -= (double)step->rows * clv_pca_mean(step, i) * clv_pca_mean(step, i);
    pca->total /= clv_pca_divisor(step);
    return OK;
}

static Status advance(Step *step, const Small *work, bool *again)
{
    const PcaOptions *options = step->options;
    Pca *pca = step->state;
    uint32_t wanted = least((uint32_t)options->components, pca->width);

    center(step, work->line);
    *again = true;
    if (pca->looks > 1) { /* the initial directions were not orthonormal */
        multiply(pca->basis, pca->product, step->inputs, pca->width, work->square);
        TRY(clv_eigen(step->context, work->square, pca->width, pca->width, work->values,
                      work->vectors, step->error));
        *again = pca->looks <= options->iterations && !settled(pca, work->values, wanted);
        memcpy(pca->ritz, work->values, pca->width * sizeof *pca->ritz);
    }
    if (!*again)
        return take_answer(step, wanted, work);
    TRY(orthonormal(step, pca->product, work));
    memcpy(pca->basis, pca->product, (size_t)step->inputs * pca->width * sizeof *pca->basis);
    memset(pca->product, 0, (size_t)step->inputs * pca->width * sizeof *pca->product);
    return OK;
}

Status clv_pca_random_end_pass(Step *step, bool *again)
{
    Pca *pca = step->state;
    Small work = {0};
    Status status;

    pca->looks++;
    TRY(make_work(step, &work));
    status = advance(step, &work, again);
    clv_free(step->context, work.square);
    if (status == OK && *again) {
        memset(pca->sum, 0, (size_t)step->inputs * sizeof *pca->sum);
        pca->squares = 0;
    }
    return status;
}
