/*
 * Principal components of wide or sparse data (Halko, Martinsson and Tropp 2011): a few random directions, more than are asked for, are
 * taken through the covariance matrix C again and again, and soon span what its largest eigenvectors do. C itself is never made, nor are rows:
 *
 *     C Q = (Σ x (xᵀ Q) - n μ (μᵀ Q)) / (n - 1)
 *
 * is one look at the rows, each of which costs its non-zeros. The same look gives Qᵀ C Q, whose eigenvectors are those of C within
 * the span of Q (Rayleigh and Ritz); when its eigenvalues change no more, that is the answer.
 */
#include "base/pool.h"
#include "base/symmetric.h"
#include "feature/pca_parts.h"

/* Eigenvalues have settled when none changes by more than this share of the largest change that would show: of itself. */
#define SETTLED 1e-5

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

Status clv_pca_random_begin(Stage *stage)
{
    const PcaOptions *options = stage->options;
    Pca *pca = stage->state;
    uint64_t seed = draw_seed(stage, options->seed);
    uint32_t wanted = least((uint32_t)options->dimensions, stage->inputs);
    size_t all;

    pca->width = least(wanted + (wanted < 20 ? 10 : wanted / 2), stage->inputs);
    TRY(check_directions(stage, 2 * pca->width));
    all = (size_t)stage->inputs * pca->width;
    pca->basis = clv_alloc(stage->context, all, sizeof *pca->basis);
    pca->product = clv_alloc_zero(stage->context, all, sizeof *pca->product);
    pca->ritz = clv_alloc_zero(stage->context, pca->width, sizeof *pca->ritz);
    if (!pca->basis || !pca->product || !pca->ritz)
        return clv_fail_memory(stage->error, "random directions", all * sizeof *pca->basis);
    for (uint32_t i = 0; i < stage->inputs; i++) {
        Random random = clv_random(seed, i);

        for (uint32_t k = 0; k < pca->width; k++)
            pca->basis[(size_t)i * pca->width + k] = clv_random_normal(&random);
    }
    return OK;
}

/* Directions that are taken through a block together: their sums stay in registers. Neither they nor the result hang on how many threads
 * share them out. */
enum { SLICE = 16 };

typedef struct {
    const Pca *pca;
    uint32_t rows;
} Look;

/* From direction k on, `count` of them, which is SLICE but for the last. */
static inline void take_row(const Pca *pca, size_t from, size_t to, size_t k, size_t count)
{
    size_t width = pca->width;
    double along[SLICE] = {0};

    for (size_t e = from; e < to; e++) {
        const double *basis = pca->basis + pca->column[e] * width + k;
        double value = pca->value[e];

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

Status clv_pca_random_look(Stage *stage, const Block *block)
{
    Pca *pca = stage->state;
    Look look = {.pca = pca, .rows = block->rows};
    size_t entries = 0;

    TRY(GROW(stage->context, pca->end, pca->end_capacity, block->rows, stage->error));
    for (uint32_t row = 0; row < block->rows; row++) {
        TRY(GROW(stage->context, pca->column, pca->column_capacity, entries + stage->inputs, stage->error));
        TRY(GROW(stage->context, pca->value, pca->value_capacity, entries + stage->inputs, stage->error));
        entries += clv_pca_load(pca, block, row, entries);
        pca->end[row] = entries;
    }
    clv_pool_run(stage->context, (pca->width + SLICE - 1) / SLICE, take_slice, &look);
    return OK;
}

/* ---- after a look ------------------------------------------------------------------------------------------------- */

/* Matrices of width x width, and vectors. */
typedef struct {
    double *square, *vectors, *values, *line;
} Small;

static Status make_work(const Stage *stage, Small *work)
{
    size_t width = ((const Pca *)stage->state)->width;
    double *room = clv_alloc(stage->context, 2 * width + 2, width * sizeof *room);

    if (!room)
        return clv_fail_memory(stage->error, "eigenvectors", 2 * width * width * sizeof *room);
    *work = (Small){.square = room,
                    .vectors = room + width * width,
                    .values = room + 2 * width * width,
                    .line = room + (2 * width + 1) * width};
    return OK;
}

/* product becomes C Q. */
static void centre(const Stage *stage, double *line)
{
    Pca *pca = stage->state;
    size_t width = pca->width;
    double rows = (double)stage->rows, divisor = clv_pca_divisor(stage);

    memset(line, 0, width * sizeof *line);
    for (uint32_t i = 0; i < stage->inputs; i++) {
        double mean = clv_pca_mean(stage, i);

        for (size_t k = 0; k < width && mean != 0; k++)
            line[k] += mean * pca->basis[i * width + k];
    }
    for (uint32_t i = 0; i < stage->inputs; i++) {
        double mean = rows * clv_pca_mean(stage, i);

        for (size_t k = 0; k < width; k++)
            pca->product[i * width + k] = (pca->product[i * width + k] - mean * line[k]) / divisor;
    }
}

/* square = the lower triangle of aᵀ b, which is symmetric but for rounding. */
static void multiply(const double *a, const double *b, size_t rows, size_t width, double *square)
{
    memset(square, 0, width * width * sizeof *square);
    for (size_t r = 0; r < rows; r++) {
        const double *left = a + r * width, *right = b + r * width;

        for (size_t j = 0; j < width; j++) {
            double *restrict to = square + j * width, value = left[j];

            for (size_t i = 0; i <= j; i++)
                to[i] += value * right[i];
        }
    }
}

/* Each row of a times the matrix whose columns are the vectors, scaled. */
static void turn(double *a, size_t rows, size_t width, const double *vectors, const double *scale, double *line)
{
    for (size_t r = 0; r < rows; r++) {
        double *row = a + r * width;

        for (size_t k = 0; k < width; k++) {
            const double *vector = vectors + k * width;
            double sum[2] = {0};
            size_t j = 0;

            for (; j + 2 <= width; j += 2) {
                sum[0] += row[j] * vector[j];
                sum[1] += row[j + 1] * vector[j + 1];
            }
            if (j < width)
                sum[0] += row[j] * vector[j];
            line[k] = (sum[0] + sum[1]) * scale[k];
        }
        memcpy(row, line, width * sizeof *line);
    }
}

/* The columns of a are made orthonormal by the eigenvectors of aᵀa. Once does not do it where their sizes differ by more than 10⁷, so
 * it is done three times, small eigenvalues being held up (Fukaya et al. 2020, shifted Cholesky QR, is the same idea). */
static Status orthonormal(const Stage *stage, double *a, const Small *work)
{
    size_t width = ((const Pca *)stage->state)->width;

    for (int time = 0; time < 3; time++) {
        multiply(a, a, stage->inputs, width, work->square);
        TRY(clv_eigen(stage->context, work->square, width, width, work->values, work->vectors, stage->error));
        if (!(work->values[0] > 0))
            return OK; /* no variance at all: pca.c says so */
        for (size_t k = width; k-- > 0;)
            work->values[k] = 1 / sqrt(fmax(work->values[k], 1e-14 * work->values[0]));
        turn(a, stage->inputs, width, work->vectors, work->values, work->line);
    }
    return OK;
}

/* Whether the eigenvalues that are asked for are what they were a look ago. */
static bool settled(const Pca *pca, const double *values, uint32_t wanted)
{
    for (uint32_t k = 0; k < wanted; k++)
        if (fabs(values[k] - pca->ritz[k]) > SETTLED * fabs(values[k]) + 1e-12 * values[0])
            return false;
    return true;
}

static Status take_answer(const Stage *stage, uint32_t wanted, const Small *work)
{
    Pca *pca = stage->state;
    size_t width = pca->width, size = stage->inputs;

    pca->variances = clv_alloc(stage->context, wanted, sizeof *pca->variances);
    pca->vectors = clv_alloc(stage->context, size * wanted, sizeof *pca->vectors);
    if (!pca->variances || !pca->vectors)
        return clv_fail_memory(stage->error, "principal components", size * wanted * sizeof *pca->vectors);
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
        pca->total -= (double)stage->rows * clv_pca_mean(stage, i) * clv_pca_mean(stage, i);
    pca->total /= clv_pca_divisor(stage);
    return OK;
}

static Status step(Stage *stage, const Small *work, bool *again)
{
    const PcaOptions *options = stage->options;
    Pca *pca = stage->state;
    uint32_t wanted = least((uint32_t)options->dimensions, pca->width);

    centre(stage, work->line);
    *again = true;
    if (pca->looks > 1) { /* the first directions were not orthonormal */
        multiply(pca->basis, pca->product, stage->inputs, pca->width, work->square);
        TRY(clv_eigen(stage->context, work->square, pca->width, pca->width, work->values, work->vectors, stage->error));
        *again = pca->looks <= options->iterations && !settled(pca, work->values, wanted);
        memcpy(pca->ritz, work->values, pca->width * sizeof *pca->ritz);
    }
    if (!*again)
        return take_answer(stage, wanted, work);
    TRY(orthonormal(stage, pca->product, work));
    memcpy(pca->basis, pca->product, (size_t)stage->inputs * pca->width * sizeof *pca->basis);
    memset(pca->product, 0, (size_t)stage->inputs * pca->width * sizeof *pca->product);
    return OK;
}

Status clv_pca_random_swept(Stage *stage, bool *again)
{
    Pca *pca = stage->state;
    Small work = {0};
    Status status;

    pca->looks++;
    TRY(make_work(stage, &work));
    status = step(stage, &work, again);
    clv_free(stage->context, work.square);
    if (status == OK && *again) {
        memset(pca->sum, 0, (size_t)stage->inputs * sizeof *pca->sum);
        pca->squares = 0;
    }
    return status;
}
