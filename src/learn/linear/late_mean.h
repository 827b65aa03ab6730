/*
 * The averaged weights of a stochastic solver, at the cost of its steps.
 *
 * The last weights of a run depend on the last rows; the average does not (Polyak and Juditsky
 * 1992). Step n has a weight of about n³, because early weights are far from the minimum (Shamir
 * and Zhang 2013). With weights stored as scale * W, the average is α A + β W. A step changes the
 * two factors, and A at the columns of its row (Xu 2011, section 6.1).
 *
 * A solver that adds d to W adds late_mean_share() * d to A, and calls clv_late_mean_step after
 * each step. It calls clv_late_mean_flush before it multiplies the scale into W, which it must do
 * when late_mean_needs_flush is true.
 *
 * In a stream with forgetting, the average covers as many rows as the weights do.
 */
#ifndef LEARN_LINEAR_LATE_MEAN_H
#define LEARN_LINEAR_LATE_MEAN_H

#include "learn/linear/average.h"
#include "model/state.h"

typedef struct {
    Context *context;
    float *sum; /* A, in the layout of the weights */
    size_t size;
    double *intercept; /* averaged intercepts */
    double alpha, beta;
    double steps; /* steps in the average; 0: no average yet */
    double round; /* epoch in which the average started */
    double kept;  /* fraction kept since the last step, with forgetting */
    /* The average of a weight that no row has changed since begin or resume is keep times its
     * former average plus gain (per output) times its value in W. */
    double keep, *gain;
} LateMean;

Status clv_late_mean_init(LateMean *mean, const Linear *w, cleave_error *error);
void clv_late_mean_free(LateMean *mean);
/* Initializes the average as if this many steps had been made with these weights. */
void clv_late_mean_start(LateMean *mean, const Linear *w, double scale, double steps);
/* Allocates memory for all weights; new ones are 0. */
Status clv_late_mean_reserve(LateMean *mean, const Linear *w, cleave_error *error);
/* Called before the steps of an epoch. The second epoch discards the average of the first. A
 * stream has one epoch. */
void clv_late_mean_begin_epoch(LateMean *mean, const Fit *fit);
void clv_late_mean_step(LateMean *mean, LocalWeights now);
void clv_late_mean_flush(LateMean *mean, const Linear *w);
/* Writes the average into result, which has the size of w. Returns false if no average exists
 * yet. */
bool clv_late_mean_get(const LateMean *mean, const Linear *w, Linear *result);

/* Several workers: parts "mean", "mean_keep", "mean_gain", "mean_steps" and "mean_bias", as in
 * average.h. take requires the old weights, so it precedes taking the weights. */
Status clv_late_mean_give(const LateMean *mean, const Linear *w, const LateMean *before,
                          const Linear *start, double rows, Delta *delta, cleave_error *error);
Status clv_late_mean_take(LateMean *mean, const Fit *fit, const Linear *w, double rows,
                          const Delta *sum);

/* Streams. Computes scores with the average; false if none exists yet. The scratch space holds
 * the scores of one row. widen precedes widening the weights. */
bool clv_late_mean_scores(const LateMean *mean, const Linear *w, const Block *block, uint32_t row,
                          double *workspace, double *scores);
Status clv_late_mean_widen(LateMean *mean, const Fit *fit, const Linear *w, const Widening *to);
void clv_late_mean_forget(LateMean *mean, double keep);

/* Arrays "mean", "mean_sum", "last_weights" and "last_bias" of a model with averaged weights.
 * Loading an average also restores the weights and their scale. */
Status clv_late_mean_save(const LateMean *mean, const Linear *w, double scale, Model *model,
                          cleave_error *error);
Status clv_late_mean_resume(LateMean *mean, Linear *w, double *scale, const Model *model,
                            cleave_error *error);

static inline double late_mean_share(const LateMean *mean)
{
    return mean->steps > 0 ? -mean->beta / mean->alpha : 0;
}

/* A and W nearly cancel if the scale is small. A overflows a float if α is small. */
static inline bool late_mean_needs_flush(const LateMean *mean, double scale)
{
    return scale < 1e-3 || (mean->steps > 0 && mean->alpha < 1e-24);
}

#endif
