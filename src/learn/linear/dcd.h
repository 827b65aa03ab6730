/*
 * What the files of dual coordinate descent share. Each row has a dual variable β for each output,
 * and w is always Σ β x:
 *
 *     maximise  Σ ( y β − ε |β| − d β²/2 ) − ½ ‖Σ β x‖²      low ≤ β ≤ high,  Σ β = 0 where the offset is free
 *
 *     hinge             yβ in [0, C]      ε = 0   d = 0
 *     squared hinge     yβ in [0, ∞)      ε = 0   d = 1/(2C)
 *     epsilon           β in [−C, C]              d = 0
 *     squared epsilon   β anything                d = 1/(2C)
 *     squared           β anything        ε = 0   d = 1/C
 *
 * with the C of each row, its weight over λ W; infinite for a hard margin. Values here are those of
 * ½‖w‖² + Σ C loss, which is what is shown divided by λ.
 *
 * The gap is a sum of one term for each β, none of them negative: C loss(y, s) − (y β − ε |β| − d
 * β²/2) + β s, s = w·x + b.
 */
#ifndef LEARN_LINEAR_DCD_H
#define LEARN_LINEAR_DCD_H

#include "learn/linear/risk.h"
#include "model/state.h"

typedef struct {
    uint32_t block, row;
    double norm2;
    double y; /* what the output should be; several outputs: the label */
    double cost;
    double along; /* x·centre */
} DcdRow;

/* The loss as the dual sees it. */
typedef struct {
    bool two_sided; /* regression */
    bool capped;    /* |β| ≤ C */
    double bend;    /* d = bend / C */
    double epsilon;
} DcdShape;

/* Where the loss of a row, as a function of the offset, bends, and by how much its slope grows
 * there. */
typedef struct {
    double at, jump;
} DcdCorner;

enum { DCD_NUMBERS = 15, DCD_NUMBERS_BEFORE = 13 }; /* of the state of a run; of earlier versions */
enum { DCD_MOST_SWEEPS = 32000 };                   /* where the user sets no limit */

typedef struct {
    Fit *fit;
    Risk *risk;
    DcdShape shape;
    size_t outputs;
    Block *blocks;

    DcdRow *rows;
    uint32_t count;
    double *beta;    /* count * outputs */
    double *scores;  /* count * outputs: w·x, of the last certificate */
    bool *asleep;    /* count: at a bound where it is likely to stay */
    uint32_t *order; /* of this sweep's rows */
    uint32_t *runs;  /* room for making it */
    uint32_t active;
    uint32_t run; /* rows that lie together are visited at about the same time, so many of them */

    double *w;     /* laid out as risk->w: float32 would be too coarse for small gaps */
    double *spare; /* features: a vector for certificates */
    double *steps; /* outputs: room for a row's scores and steps */
    /* By output. */
    double *offset;   /* b as the sweeps have it */
    double *best;     /* b that is best for w, found by certificates */
    double *beta_sum; /* Σ β */
    double *squares;  /* ‖Σ β x‖² */
    double *distance; /* hard margin: how far all rows are on their side, in scores */
    DcdCorner *corners;
    size_t corner_capacity;
    double *centre;   /* features; NULL: the origin */
    double *sideways; /* by output: w·centre */
    double centre2;
    double tau; /* b += tau Δβ: how much the offset is a weight like others; 0: no offset */
    bool free_bias;
    double spread; /* hard margin: largest distance of a row from the mean */

    /* Of this sweep. */
    double gain;       /* Σ y β − ε |β| − d β²/2, kept up to date */
    double terms;      /* the gap as seen in passing */
    double violation2; /* squared slopes of the variables that moved */
    double violation;  /* the largest slope */
    double bar;        /* a variable whose slope pushes it harder than this against its bound goes to sleep */
    uint64_t changes;

    /* Of the last certificate. */
    double primal, dual;                 /* primal: infinite when the margin is hard and there is no separator yet */
    double *output_primal, *output_dual; /* by output */
    double bound;                        /* hard margin: no separator has a wider one */
    bool woke;                           /* somebody who should not have slept */
    double trust;                        /* what the sweeps promise is so much of what certificates find, at most 1 */
    double caution;                      /* factor of the bar: grows where sleepers had to be woken in vain */
    double least_gap;
    double first_loss; /* Σ C loss at w = 0, b = 0 */
    bool over;         /* the run is: a certificate changes nothing a run that goes on would find */

    /* From sweep to sweep. */
    uint32_t sweeps; /* behind it, those of a run gone on with included */
    uint32_t still;  /* the last so many moved nothing */
    double before;   /* the gap in passing of the sweep before */
    double work;     /* passes' worth of visits since the last certificate */
    double passes;   /* passes' worth of visits in all; a sweep counts for LEAST_PASS at least */
    bool newton;     /* the augmented-Lagrangian method has run */
    uint32_t newton_steps;
    double *newton_w; /* its weights, in the layout of w, followed by its intercepts */
    /* Primal value of these weights; infinite if there are none or the variables have changed
     * since. */
    double newton_primal;

    /* Of the model that training goes on from: see dcd_start.c. */
    bool warm;            /* its scores are what the variables come from */
    bool kept;            /* the result is that model */
    double start_primal;  /* its primal; infinite: there is none to compare with */
    double *start_length; /* by output, hard margin: what all rows score at least */

    Dataset *dataset;
    uint64_t print; /* of the problem; 0: not taken yet */
    double *numbers;
    struct DcdAhead *ahead; /* NULL: nobody goes ahead of the learner */
} Dcd;

static inline double dcd_y(const Dcd *dcd, const DcdRow *row, size_t output)
{
    if (dcd->outputs == 1)
        return row->y;
    return row->y == (double)output ? 1 : -1;
}

static inline double dcd_bend(const DcdShape *shape, double cost)
{
    return shape->bend > 0 ? shape->bend / cost : 0;
}

static inline double dcd_high(const DcdShape *shape, double y, double cost)
{
    return shape->two_sided || y > 0 ? (shape->capped ? cost : (double)INFINITY) : 0;
}

static inline double dcd_low(const DcdShape *shape, double y, double cost)
{
    return shape->two_sided || y < 0 ? (shape->capped ? -cost : -(double)INFINITY) : 0;
}

/* The score that goes with w·x: w stands for w − Σ β centre, so that rows count from the centre. */
static inline double dcd_centred(const Dcd *dcd, const DcdRow *row, size_t output, double score)
{
    return score - dcd->beta_sum[output] * row->along;
}

/* Squared length of a row from the centre. */
static inline double dcd_norm2(const Dcd *dcd, const DcdRow *row)
{
    return fmax(0, row->norm2 - 2 * row->along + dcd->centre2);
}

/* Squared length of w − Σ β centre. */
static inline double dcd_squares(const Dcd *dcd, size_t output)
{
    double sum = dcd->beta_sum[output];

    return dcd->squares[output] - 2 * sum * dcd->sideways[output] + sum * sum * dcd->centre2;
}

/* What β brings the dual, its part in w aside. */
static inline double dcd_gain(const DcdShape *shape, double y, double cost, double beta)
{
    return y * beta - shape->epsilon * fabs(beta) - dcd_bend(shape, cost) * beta * beta / 2;
}

/* How hard the slope pushes a variable against the bound it is at, or into the corner at 0; at most
 * 0: it is free to move. */
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

/* ---- solver_dcd.c */
/* What is done to each row by itself, by as many threads as there are: work gets rows from … to -
 * 1. */
typedef void DcdRowWork(Dcd *dcd, uint32_t from, uint32_t to);
void clv_dcd_each_row(Dcd *dcd, DcdRowWork *work);
/* Sums over rows of one output: work adds those of rows from … to - 1 to sums. The same bits for
 * any number of threads. */
enum { DCD_SUMS = 3 };
typedef void DcdRowSums(const Dcd *dcd, size_t output, uint32_t from, uint32_t to, double sums[DCD_SUMS]);
void clv_dcd_sum_rows(Dcd *dcd, size_t output, DcdRowSums *work, double sums[DCD_SUMS]);
/* Asks for the weights of a row that is in the cache already; not where all weights are, too. */
void clv_dcd_prefetch_weights(const Dcd *dcd, const Block *block, uint32_t row);

/* ---- dcd_ahead.c */
/* Consecutive rows of the order, copied by the thread that goes ahead: the first `rows` of so
 * many. */
enum { DCD_STRETCH = 256 };
typedef struct {
    uint32_t rows;
    const DcdRow *row; /* but for where they lie: that is here */
    Block block;
} DcdStretch;
/* Where there are threads, and rows that gain from it; dcd->ahead stays NULL otherwise, and where
 * there is no memory. */
void clv_dcd_make_ahead(Dcd *dcd);
void clv_dcd_free_ahead(Dcd *dcd);
/* Before a sweep, when its order is known; then, of two tasks of the pool, one learns and the other
 * goes ahead until told that all stretches have been learnt. */
void clv_dcd_begin_ahead(Dcd *dcd);
void clv_dcd_go_ahead(Dcd *dcd);
/* For the learner: the stretch of that number if it is there, else NULL; and how many it has behind
 * it. */
const DcdStretch *clv_dcd_stretch_ahead(Dcd *dcd, uint32_t number);
void clv_dcd_stretch_learnt(Dcd *dcd, uint32_t learnt);

/* ---- dcd_start.c */
/* Before the first sweep: where it was, if the model that training goes on from was ended before
 * its end on this very problem; near where that model is, if there is another; else everything at
 * 0. */
Status clv_dcd_start(Dcd *dcd);
/* The weights of the model that training goes on from become the result. */
Status clv_dcd_keep_start(Dcd *dcd);
Status clv_dcd_print(Dcd *dcd);
Status clv_dcd_save(Fit *fit, const Risk *risk, Model *model);

/* ---- dcd_offset.c */
/* The offset that is best for the scores of the last certificate; *b is where to look first, and
 * stays where it is as good. */
Status clv_dcd_best_offset(Dcd *dcd, size_t output, double *b);

/* ---- dcd_newton.c */
/* Continues with the augmented-Lagrangian method, after a certificate: outputs with too wide a gap
 * get new variables. Sets dcd->newton unless the run is cancelled. */
Status clv_dcd_newton(Dcd *dcd);
/* Its estimated time in passes over the rows; infinite where the method does not apply. */
double clv_dcd_newton_passes(const Dcd *dcd);

/* ---- dcd_certificate.c */
void clv_dcd_measure(Dcd *dcd); /* squares */
/* Primal, dual and best offsets of what there is now; wakes rows that should not sleep. */
Status clv_dcd_certify(Dcd *dcd);

#endif
