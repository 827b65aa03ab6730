/*
 * Shared declarations of dual coordinate descent. Each row has a dual variable β per output, and w
 * = Σ β x at all times:
 *
 *     maximize  Σ ( y β − ε |β| − d β²/2 ) − ½ ‖Σ β x‖²      low ≤ β ≤ high
 *
 *     hinge             yβ in [0, C]      ε = 0   d = 0
 *     squared hinge     yβ in [0, ∞)      ε = 0   d = 1/(2C)
 *     epsilon           β in [−C, C]              d = 0
 *     squared epsilon   β unbounded               d = 1/(2C)
 *     squared           β unbounded       ε = 0   d = 1/C
 *
 * An unregularized intercept adds the constraint Σ β = 0. C is per row: its weight over λ W,
 * infinite for a hard margin. Values are those of ½‖w‖² + Σ C loss, the reported objective divided
 * by λ.
 *
 * The duality gap is a sum of one nonnegative term per β, with s = w·x + b:
 *
 *     C loss(y, s) − (y β − ε |β| − d β²/2) + β s
 *
 * Reference: Hsieh, Chang, Lin, Keerthi and Sundararajan 2008.
 */
#ifndef LEARN_LINEAR_DCD_H
#define LEARN_LINEAR_DCD_H

#include "learn/linear/risk.h"
#include "model/state.h"

typedef struct {
    uint32_t block, row;
    double norm2;
    double y; /* target of the output; with several outputs, the label */
    double cost;
    double center_dot; /* x·center */
} DcdRow;

/* Parameters of the loss in the dual. */
typedef struct {
    bool two_sided;   /* regression */
    bool capped;      /* |β| ≤ C */
    double curvature; /* d = bend / C */
    double epsilon;
} DcdShape;

/* The rows and their constants, which do not change during the run; see dcd_problem.c. */
typedef struct {
    Dataset *dataset;
    Block *blocks;
    DcdRow *rows;
    uint32_t count;
    DcdShape shape;
    struct {
        double *x; /* features; NULL: the origin */
        double norm2;
    } center;
    double tau;    /* b += tau Δβ: the weight of the intercept as a feature; 0: no intercept */
    double spread; /* hard margin: largest distance of a row from the mean */
    double first_loss;    /* Σ C loss at w = 0, b = 0 */
    uint64_t fingerprint; /* 0: not computed yet */
} DcdProblem;

/* A breakpoint of a row's loss as a function of the intercept, and the increase of the slope
 * there. */
typedef struct {
    double at, jump;
} DcdCorner;

/* numbers in the saved state of a run; in the state of earlier versions */
enum { DCD_NUMBERS = 15, DCD_NUMBERS_BEFORE = 13 };
enum { DCD_MAX_ITERATIONS = 32000 }; /* limit of iterations if the user sets none */

/* The dual variables and the weights. Arrays are per output. */
typedef struct {
    double *beta;       /* count * outputs */
    double *w;          /* layout of risk->w, in double: float32 is too coarse for small gaps */
    double *offset;     /* b of the iterations */
    double *beta_sum;   /* Σ β */
    double *squares;    /* ‖Σ β x‖² */
    double *center_dot; /* w·center */
    double gain;        /* Σ y β − ε |β| − d β²/2, updated with each step */
} DcdSolution;

/* The rows that an iteration visits. */
typedef struct {
    uint32_t *rows; /* rows in the order of this iteration */
    uint32_t active;
    /* count: the variable is at a bound, and skipped until the next certificate */
    bool *shrunk;
    uint32_t run;              /* number of adjacent rows that are visited together */
    uint32_t *runs;            /* scratch space to compute the order */
    struct DcdPrefetch *ahead; /* NULL: no prefetch thread */
} DcdOrder;

/* Results of one iteration. Arrays are per output. */
typedef struct {
    double terms;      /* duality gap estimated during the iteration */
    double violation2; /* sum of squared slopes of the variables that changed */
    double violation;  /* largest slope */
    uint64_t changes;
    double *steps; /* outputs: scratch space for the scores and steps of a row */
} DcdIteration;

typedef struct {
    /* primal: infinite while w does not separate the classes (hard margin) */
    double primal, dual;
    double *output_primal, *output_dual; /* per output */
    double *scores;                      /* count * outputs: w·x */
    double *offset;                      /* per output: optimal b for w */
    double *distance; /* per output, hard margin: smallest score on the right side */
    double bound;     /* hard margin: upper bound of the margin */
    bool unshrunk;    /* a shrunk variable had to be reactivated */
    double *spare;    /* features: scratch vector */
    DcdCorner *corners;
    size_t corner_capacity;
} DcdCertificate;

/* State that is kept across iterations. */
typedef struct {
    uint32_t iterations;           /* completed iterations, including those of the resumed run */
    uint32_t unchanged_iterations; /* consecutive last iterations without any change */
    double gap;                    /* gap estimated by the previous iteration */
    double work;             /* row visits since the last certificate, in passes over the data */
    double passes;           /* row visits in total, in passes; at least LEAST_PASS per iteration */
    double shrink_threshold; /* a variable at a bound with a slope above this threshold is shrunk */
    double gap_ratio;        /* estimated gap / certified gap, at most 1 */
    /* factor of the threshold; grows when a certificate was caused by shrinking alone */
    double threshold_factor;
    double least_gap;
} DcdProgress;

/* The augmented-Lagrangian method; see dcd_newton.c. */
typedef struct {
    bool done;
    uint32_t steps;
    double *w; /* its weights, in the layout of solution.w, followed by its intercepts */
    /* Primal value of these weights; infinite if there are none or the variables have changed
     * since. */
    double primal;
    bool has_finite_cost; /* hard margin: the rows have a finite cost for this method */
} DcdNewton;

/* The warm-start model; see dcd_start.c. */
typedef struct {
    bool used;      /* the variables start from its scores */
    bool kept;      /* the warm-start model is the result */
    double primal;  /* infinite: no model */
    double *length; /* per output, hard margin: smallest score of all rows */
} DcdStart;

typedef struct {
    Fit *fit;
    Risk *risk;
    DcdProblem problem;
    DcdSolution solution;
    DcdOrder order;
    DcdIteration iteration;
    DcdCertificate certificate; /* of the last certificate */
    DcdProgress progress;
    DcdNewton newton;
    DcdStart start;
} Dcd;

static inline bool dcd_free_intercept(const Dcd *dcd)
{
    return dcd->risk->learn_intercept && !dcd->risk->options->regularize_intercept;
}

static inline double dcd_y(const Dcd *dcd, const DcdRow *row, size_t output)
{
    if (dcd->fit->outputs == 1)
        return row->y;
    return row->y == (double)output ? 1 : -1;
}

static inline double dcd_bend(const DcdShape *shape, double cost)
{
    return shape->curvature > 0 ? shape->curvature / cost : 0;
}

static inline double dcd_high(const DcdShape *shape, double y, double cost)
{
    return shape->two_sided || y > 0 ? (shape->capped ? cost : (double)INFINITY) : 0;
}

static inline double dcd_low(const DcdShape *shape, double y, double cost)
{
    return shape->two_sided || y < 0 ? (shape->capped ? -cost : -(double)INFINITY) : 0;
}

/* The score for w·x. w stands for w − Σ β center, which is w for rows relative to the center. */
static inline double dcd_centered(const Dcd *dcd, const DcdRow *row, size_t output, double score)
{
    return score - dcd->solution.beta_sum[output] * row->center_dot;
}

/* Squared norm of a row relative to the center. */
static inline double dcd_norm2(const Dcd *dcd, const DcdRow *row)
{
    return fmax(0, row->norm2 - 2 * row->center_dot + dcd->problem.center.norm2);
}

/* Squared norm of w − Σ β center. */
static inline double dcd_squares(const Dcd *dcd, size_t output)
{
    double sum = dcd->solution.beta_sum[output];

    return dcd->solution.squares[output] - 2 * sum * dcd->solution.center_dot[output] +
           sum * sum * dcd->problem.center.norm2;
}

/* The linear and separable part of the dual for one β. */
static inline double dcd_gain(const DcdShape *shape, double y, double cost, double beta)
{
    return y * beta - shape->epsilon * fabs(beta) - dcd_bend(shape, cost) * beta * beta / 2;
}

/* The slope that pushes a variable against its bound, or against the kink at 0. At most 0: the
 * variable is free. */
static inline double dcd_pushed(const DcdShape *shape, double y, double cost, double beta, double s)
{
    if (beta == 0 && shape->two_sided)
        return shape->epsilon - fabs(s - y);
    if (beta >= dcd_high(shape, y, cost))
        return y - s - shape->epsilon;
    if (beta <= dcd_low(shape, y, cost))
        return s - y - shape->epsilon;
    return 0;
}

/* ---- dcd_problem.c --------------------------------------------------------------------------- */
/* Sets the problem, except for its fingerprint; the arrays of the rows are allocated. */
Status clv_dcd_gather(Dcd *dcd);
/* Whether adjacent targets are on the same side of the mean more often than by chance. */
bool clv_dcd_neighbors_are_similar(const DcdProblem *problem);
/* Calls work for the rows from … to - 1 of each piece, on all threads. Rows are independent. */
typedef void DcdRowWork(Dcd *dcd, uint32_t from, uint32_t to);
void clv_dcd_each_row(Dcd *dcd, DcdRowWork *work);
/* Sums over rows of one output: work adds those of the rows from … to - 1 to sums. Bit-identical
 * for any number of threads. */
enum { DCD_SUMS = 3 };
typedef void DcdRowSums(const Dcd *dcd, size_t output, uint32_t from, uint32_t to,
                        double sums[DCD_SUMS]);
void clv_dcd_sum_rows(Dcd *dcd, size_t output, DcdRowSums *work, double sums[DCD_SUMS]);

/* ---- solver_dcd.c */
/* Prefetches the weights of a row whose entries are in the cache. Does nothing if all weights
 * fit in the cache. */
void clv_dcd_prefetch_weights(const Dcd *dcd, const Block *block, uint32_t row);

/* ---- dcd_prefetch.c -------------------------------------------------------------------------- */
/* Consecutive rows of the order, copied by the prefetch thread. A stretch has at most DCD_STRETCH
 * rows; `rows` are filled. */
enum { DCD_STRETCH = 256 };
typedef struct {
    uint32_t rows;
    const DcdRow *row; /* the block has their columns and values */
    Block block;
} DcdStretch;
/* Sets dcd->order.ahead if threads are available and prefetching is worthwhile. Leaves it NULL
 * otherwise, and if memory is short. */
void clv_dcd_prefetch_make(Dcd *dcd);
void clv_dcd_prefetch_free(Dcd *dcd);
/* Called before an iteration, when its order is known. One of two pool tasks learns; the other
 * copies rows until all stretches are learned. */
void clv_dcd_prefetch_begin(Dcd *dcd);
void clv_dcd_prefetch_rows(Dcd *dcd);
/* For the learner: returns the stretch with this number, or NULL if it has not been copied yet;
 * then reports how many stretches have been learned. */
const DcdStretch *clv_dcd_prefetched(Dcd *dcd, uint32_t number);
void clv_dcd_stretch_learned(Dcd *dcd, uint32_t learned);

/* ---- dcd_start.c */
/* Sets the start of the first iteration: the saved state of an interrupted run on the same
 * problem, a point near the warm-start model, or 0. */
Status clv_dcd_start(Dcd *dcd);
/* Makes the weights of the warm-start model the result. */
Status clv_dcd_keep_start(Dcd *dcd);
Status clv_dcd_fingerprint(Dcd *dcd);
Status clv_dcd_save(Fit *fit, const Risk *risk, Model *model);

/* ---- dcd_intercept.c ------------------------------------------------------------------------- */
/* The optimal intercept for the scores of the last certificate. The search starts at *b and
 * keeps *b if it is optimal. */
Status clv_dcd_best_offset(Dcd *dcd, size_t output, double *b);

/* ---- dcd_newton.c */
/* Continues with the augmented-Lagrangian method after a certificate: outputs with too wide a
 * gap get new variables. Sets dcd->newton.done unless the run is cancelled. */
Status clv_dcd_newton(Dcd *dcd);
/* Estimated time of clv_dcd_newton in passes over the rows; infinite where the method does not
 * apply. */
double clv_dcd_newton_passes(const Dcd *dcd);

/* ---- dcd_certificate.c */
void clv_dcd_measure(Dcd *dcd); /* squares */
/* Computes the primal, the dual and the optimal intercepts, and reactivates wrongly shrunk rows.
 * final: the run has ended, and the state that a resumed run starts from does not change. */
Status clv_dcd_certify(Dcd *dcd, bool final);

#endif
