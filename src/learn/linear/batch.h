/*
 * What the solvers that look at all rows before each step share (solver_lbfgs.c, solver_newton.c):
 * the smooth part of
 *
 *     f(w, b) = λ₂/2 ‖w‖² + λ₁ ‖w‖₁ + Σ cᵢ loss(yᵢ, w·xᵢ + b)         Σ cᵢ = 1
 *
 * for all outputs in one pass over the rows: values, gradients, products with the Hessian Xᵀ
 * diag(c·loss″) X, all in double.
 *
 * Certificate. With uᵢ = loss′(yᵢ, sᵢ) the point u is feasible for the dual of λ₂/2 ‖w‖² + Σ cᵢ
 * lossᵢ but for Σ cᵢ uᵢ = 0, which a free offset asks for. Its value is Σ −cᵢ loss*(uᵢ) − ‖Σ cᵢ uᵢ
 * xᵢ‖² / 2λ₂, and loss*(uᵢ) = sᵢ uᵢ − loss(sᵢ) comes with the gradient. Where the positive uᵢ
 * outweigh the negative ones, or the other way round, the heavier side is scaled down by θ: as
 * −loss* is concave and 0 at 0, −loss*(θu) ≥ −θ loss*(u), and the sum of vectors moves by no more
 * than (1 − θ) Σ cᵢ|uᵢ| max‖xᵢ‖ over that side. So the bound costs no pass of its own and holds
 * whatever the rounding of the rest.
 *
 * Vectors are matrices of features + 1 rows and as many columns as outputs, row by row; the last
 * row is the offsets'.
 */
#ifndef LEARN_LINEAR_BATCH_H
#define LEARN_LINEAR_BATCH_H

#include "learn/linear/risk.h"
#include "model/state.h"

/* Of one output, over the rows: what is summed beside a gradient. */
typedef struct {
    double loss;
    double up, down;             /* Σ c|u| where u > 0, and where u < 0 */
    double up_value, down_value; /* Σ −c loss*(u) likewise */
    uint64_t wrong;              /* rows on the wrong side; regression: rows with a loss */
} Sums;

/* How one output stands. */
typedef struct {
    double value;     /* of the objective */
    double bound;     /* from below */
    double length;    /* of its gradient */
    double yardstick; /* what the length is held against */
    bool done;        /* near enough to the minimum, or */
    bool stuck;       /* no lower value can be found */
} Standing;

typedef struct {
    Fit *fit;
    Risk *risk;
    Dataset *dataset;
    size_t outputs, size; /* size: of a vector */
    bool free_bias;
    double l1, l2;       /* λ₁, λ₂ */
    uint32_t every;      /* 1: all rows; n: one row in n, as a sample */
    uint64_t rows;       /* number of rows used */
    uint32_t iterations; /* completed */
    double *share;       /* c of each row taken; 0: nothing to learn from it */
    double *target;      /* its number, or that of its label */
    double *positive;    /* by output: c of its positive rows; regression: the mean of the targets */
    double longest2;     /* largest ‖x‖², of rows a gradient was summed over */
    Sums *sums;          /* by output */
    Standing *standing;
    /* One row at a time, where there are several outputs. */
    uint32_t *column;
    float *value;
    size_t capacity, count;
    double *scores, *steps;
    struct BatchPiece *piece; /* of the rows, so many that threads have something to share; NULL until a pass is made */
    uint32_t pieces;
    uint64_t print; /* fingerprint of the problem; 0: not computed yet */
    Arena memory;   /* what clv_batch_close frees, except what grows */
} Batch;

Status clv_batch_open(Batch *batch, Fit *fit, Risk *risk, Dataset *dataset, uint32_t every);
void clv_batch_close(Batch *batch);

/* count vectors side by side, all 0. */
Status clv_batch_vectors(const Batch *batch, Arena *memory, size_t count, double **vectors);
/* Numbers for each row and output, all 0. */
Status clv_batch_per_row(const Batch *batch, Arena *memory, double **numbers);

/* Into the last row of w: the offsets that would be best if the weights were 0. */
void clv_batch_start(const Batch *batch, double *w);
/* From risk->w. False: it is all 0. */
bool clv_batch_load(const Batch *batch, double *w);

/* The wanted length of the gradient in units of the tolerance, from that at the start. */
double clv_batch_yardstick(const Batch *batch, size_t output, double start_length);

/* Finds the bounds, values and lengths being known; an error where one has left the range of
 * numbers. */
Status clv_batch_judge(Batch *batch, const double *w, const double *gradient);
/* Whether all outputs are done: the value within the tolerance of the bound, or the gradient short
 * enough. */
bool clv_batch_done(Batch *batch, double tolerance);
/* Sets fit->converged, where every output is certified, or fit->plateau, where rounding hides what
 * may still be gained. */
void clv_batch_end(Batch *batch, double tolerance);
/* Everything the driver and the user want to know at w, of which sums and standing are; w itself
 * into risk->w. */
Status clv_batch_tell(Batch *batch, const double *w, uint32_t steps);

/* ---- the state of a run */
/* Numbers of each output, then one for all: sums and standings of w, which load makes them
 * again. */
enum { BATCH_NUMBERS = 12 };
static inline size_t batch_numbers(const Batch *batch)
{
    return BATCH_NUMBERS * batch->outputs + 1;
}
void clv_batch_store(const Batch *batch, double *numbers);
Status clv_batch_restore(Batch *batch, const double *numbers);
/* Takes the fingerprint, once. */
Status clv_batch_print(Batch *batch);

/* ---- passes over the data, by as many threads as there are, with the same sums for any number of them */
/* Fills sums, and the gradient of the losses. */
Status clv_batch_evaluate(Batch *batch, const double *w, double *gradient);
Status clv_batch_scores(Batch *batch, const double *w, double *scores);
/* sum = Σ c slope x, and in the same pass bends = Σ c bend x, which may be NULL. */
Status clv_batch_gradient(Batch *batch, const double *slope, const double *bend, double *sum, double *bends);
/* q = X p for each row and output; sum = Σ c bend q x. */
Status clv_batch_curve(Batch *batch, const float *p, const double *bend, double *q, double *sum);
/* Σ c x², by feature, from a sample of the rows when they are many; outputs = 1 here. */
Status clv_batch_squares(Batch *batch, double *squares);

/* ---- one row */
/* Scores of all outputs, offsets included; then w += steps x, offsets included, for the row scored
 * last. */
Status clv_batch_score_row(Batch *batch, const double *w, const Block *block, uint32_t row, double *scores);
void clv_batch_add_row(Batch *batch, const double *steps, const Block *block, uint32_t row, double *w);
double clv_batch_length2(const Block *block, uint32_t row); /* ‖x‖² */

/* dual_start.c: weights near the minimum, for the logistic loss and λ₁ = 0; the last sweep is one
 * that gains no more than the part `enough` of the objective. */
Status clv_dual_start(Batch *batch, double *w, double enough);

/* ---- the rows' numbers */
static inline double batch_y(const Batch *batch, uint64_t row, size_t output)
{
    double target = batch->target[row];

    if (batch->fit->task == CLEAVE_TASK_REGRESSION)
        return target;
    return target == (double)(batch->outputs == 1 ? batch->fit->positive : output) ? 1 : -1;
}

typedef struct {
    double value, slope, bend;
} LossAt;

/* All three at once. */
static inline LossAt loss_at(Loss loss, double y, double s)
{
    double m, e, wrong;

    if (loss.kind != LOSS_LOGISTIC)
        return (LossAt){loss_value(loss, y, s), loss_slope(loss, y, s), loss_bend(loss, y, s)};
    m = y * s;
    e = exp(-fabs(m));
    wrong = (m > 0 ? e : 1) / (1 + e);
    return (LossAt){(m > 0 ? 0 : -m) + log1p(e), -y * wrong, e / ((1 + e) * (1 + e))};
}

static inline void sums_add(Sums *sums, double share, double y, double s, LossAt at, bool regression)
{
    double part = share * (at.value - s * at.slope);

    sums->loss += share * at.value;
    if (at.slope > 0) {
        sums->up += share * at.slope;
        sums->up_value += part;
    } else if (at.slope < 0) {
        sums->down -= share * at.slope;
        sums->down_value += part;
    }
    sums->wrong += regression ? at.value > 0 : y * s <= 0;
}

/* Units of work (clv_cancelled_after) of a loss and its derivatives. */
enum { LOSS_UNITS = 16 };

/* For loops over the weights of many outputs, which are long: reports progress. done starts at
 * 0. */
static inline void batch_tick(const Batch *batch, uint64_t *done)
{
    if (batch->outputs > 1)
        clv_tick_after(batch->fit->context, done, batch->outputs);
}

/* ---- columns of matrices */
/* out[k] = Σ a b over column k. */
void clv_columns_dot(const Batch *batch, const double *a, const double *b, double *out);
/* y += factor[k] x. */
void clv_columns_add(const Batch *batch, const double *factor, const double *x, double *y);

/* λ₂/2 ‖w‖² + λ₁ ‖w‖₁ of each output. */
void clv_batch_penalty(const Batch *batch, const double *w, double *penalty);
/* gradient += λ₂ w. */
void clv_batch_add_penalty(const Batch *batch, const double *w, double *gradient);
#endif
