/*
 * Shared code of the batch solvers (solver_lbfgs.c, solver_newton.c): the smooth part of
 *
 *     f(w, b) = λ₂/2 ‖w‖² + λ₁ ‖w‖₁ + Σ cᵢ loss(yᵢ, w·xᵢ + b)         Σ cᵢ = 1
 *
 * One pass over the rows computes values, gradients and products with the Hessian Xᵀ diag(c·loss″)
 * X for all outputs, in double.
 *
 * Certificate. With uᵢ = loss′(yᵢ, sᵢ), the point u is feasible for the dual of λ₂/2 ‖w‖² + Σ cᵢ
 * lossᵢ, except for the constraint Σ cᵢ uᵢ = 0 of an unregularized intercept. Its dual value is Σ
 * −cᵢ loss*(uᵢ) − ‖Σ cᵢ uᵢ xᵢ‖² / 2λ₂, and loss*(uᵢ) = sᵢ uᵢ − loss(sᵢ) follows from the gradient.
 * If the sums of positive and negative uᵢ differ, the larger side is scaled down by θ. Because
 * −loss* is concave and 0 at 0, −loss*(θu) ≥ −θ loss*(u). The sum of vectors changes by at most (1
 * − θ) Σ cᵢ|uᵢ| max‖xᵢ‖ over that side. The bound requires no additional pass and holds under
 * rounding.
 *
 * Vectors are row-major matrices with features + 1 rows and one column per output. The last row
 * holds the intercepts.
 */
#ifndef LEARN_LINEAR_BATCH_H
#define LEARN_LINEAR_BATCH_H

#include "learn/linear/risk.h"
#include "model/state.h"

/* Sums over the rows for one output, computed with the gradient. */
typedef struct {
    double loss;
    double up, down;             /* Σ c|u| where u > 0, and where u < 0 */
    double up_value, down_value; /* Σ −c loss*(u) likewise */
    uint64_t wrong;              /* misclassified rows; regression: rows with a loss above 0 */
} LossSums;

/* Progress of one output. */
typedef struct {
    double value;     /* objective */
    double bound;     /* lower bound of the objective */
    double length;    /* norm of the gradient */
    double reference; /* norm that `length` is compared with */
    bool done;        /* converged */
    bool stuck;       /* no step decreases the objective */
} Standing;

typedef struct {
    Fit *fit;
    Risk *risk;
    Dataset *dataset;
    size_t outputs, size; /* `size` is the length of a vector */
    bool free_intercept;
    double l1, l2;       /* λ₁, λ₂ */
    uint32_t every;      /* 1: all rows; n: a sample of one row in n */
    uint64_t rows;       /* number of rows used */
    uint32_t iterations; /* completed iterations */
    double *share;       /* c of each row; 0: the row is not used */
    double *target;      /* target of each row */
    double *positive;    /* per output: c of its positive rows; regression: mean target */
    double longest2;     /* largest ‖x‖² of the rows visited */
    LossSums *sums;      /* per output */
    Standing *standing;
    /* Scratch space for one row, with several outputs. */
    uint32_t *column;
    float *value;
    size_t capacity, count;
    double *scores, *steps;
    struct BatchPiece *piece; /* pieces of the rows for threads; NULL before the first pass */
    uint32_t pieces;
    uint64_t fingerprint; /* fingerprint of the problem; 0: not computed yet */
    Arena memory;         /* owns all arrays except growing ones */
} Batch;

Status clv_batch_open(Batch *batch, Fit *fit, Risk *risk, Dataset *dataset, uint32_t every);
void clv_batch_close(Batch *batch);

/* Allocates count vectors side by side, all 0. */
Status clv_batch_vectors(const Batch *batch, Arena *memory, size_t count, double **vectors);
/* Allocates a number per row and output, all 0. */
Status clv_batch_per_row(const Batch *batch, Arena *memory, double **numbers);

/* Sets the last row of w to the intercepts that are optimal for zero weights. */
void clv_batch_start(const Batch *batch, double *w);
/* Copies risk->w. Returns false if it is all 0. */
bool clv_batch_load(const Batch *batch, double *w);

/* Sets the reference of the gradient norm from the gradient at the start. */
double clv_batch_set_reference(const Batch *batch, size_t output, double start_length);

/* Computes the lower bounds from values and gradient norms. Fails if a number overflows. */
Status clv_batch_bound(Batch *batch, const double *w, const double *gradient);
/* Returns whether every output has converged: its duality gap or gradient norm is within the
 * tolerance. */
bool clv_batch_done(Batch *batch, double tolerance);
/* Sets fit->converged if every output is certified, or fit->plateau if rounding prevents further
 * progress. */
void clv_batch_end(Batch *batch, double tolerance);
/* Reports the state at w (sums and standing belong to w) to the driver, and copies w into
 * risk->w. */
Status clv_batch_report(Batch *batch, const double *w, uint32_t steps);

/* ---- state of a run -------------------------------------------------------------------------- */
/* A state has numbers per output and one common number. load recomputes sums and standings from
 * w. */
enum { BATCH_NUMBERS = 12 };
static inline size_t batch_numbers(const Batch *batch)
{
    return BATCH_NUMBERS * batch->outputs + 1;
}
void clv_batch_store(const Batch *batch, double *numbers);
Status clv_batch_restore(Batch *batch, const double *numbers);
/* Computes the fingerprint once. */
Status clv_batch_fingerprint(Batch *batch);

/* ---- passes over the data; bit-identical for any number of threads --------------------------- */
/* Computes sums and the gradient of the losses. */
Status clv_batch_evaluate(Batch *batch, const double *w, double *gradient);
Status clv_batch_scores(Batch *batch, const double *w, double *scores);
/* sum = Σ c slope x. The same pass computes bends = Σ c bend x unless it is NULL. */
Status clv_batch_gradient(Batch *batch, const double *slope, const double *curvature, double *sum,
                          double *curvatures);
/* q = X p per row and output; sum = Σ c bend q x. */
Status clv_batch_curve(Batch *batch, const float *p, const double *curvature, double *q,
                       double *sum);
/* Σ c x² per feature, from a sample of the rows if they are many; requires outputs = 1. */
Status clv_batch_squares(Batch *batch, double *squares);

/* ---- one row */
/* Computes the scores of all outputs with intercepts; then w += steps x (with intercepts) for
 * the row scored last. */
Status clv_batch_score_row(Batch *batch, const double *w, const Block *block, uint32_t row,
                           double *scores);
void clv_batch_add_row(Batch *batch, const double *steps, const Block *block, uint32_t row,
                       double *w);
double clv_batch_length2(const Block *block, uint32_t row); /* ‖x‖² */

/* dual_start.c: weights near the minimum for the logistic loss and λ₁ = 0. Stops after an
 * iteration that reduces the objective by at most the fraction `enough`. */
Status clv_dual_start(Batch *batch, double *w, double enough);

/* ---- values of rows -------------------------------------------------------------------------- */
static inline double batch_y(const Batch *batch, uint64_t row, size_t output)
{
    double target = batch->target[row];

    if (batch->fit->task == CLEAVE_TASK_REGRESSION)
        return target;
    return target == (double)(batch->outputs == 1 ? batch->fit->positive : output) ? 1 : -1;
}

typedef struct {
    double value, slope, curvature;
} LossAt;

/* Loss and both derivatives. */
static inline LossAt loss_at(Loss loss, double y, double s)
{
    double m, e, wrong;

    if (loss.kind != LOSS_LOGISTIC)
        return (LossAt){loss_value(loss, y, s), loss_slope(loss, y, s), loss_curvature(loss, y, s)};
    m = y * s;
    e = exp(-fabs(m));
    wrong = (m > 0 ? e : 1) / (1 + e);
    return (LossAt){(m > 0 ? 0 : -m) + log1p(e), -y * wrong, e / ((1 + e) * (1 + e))};
}

static inline void sums_add(LossSums *sums, double share, double y, double s, LossAt at,
                            bool regression)
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

/* Reports progress of long loops over the weights of many outputs. done starts at 0. */
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

/* λ₂/2 ‖w‖² + λ₁ ‖w‖₁ per output. */
void clv_batch_penalty(const Batch *batch, const double *w, double *penalty);
/* gradient += λ₂ w. */
void clv_batch_add_penalty(const Batch *batch, const double *w, double *gradient);
#endif
