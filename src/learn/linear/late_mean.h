/*
 * The mean of the weights of a stochastic solver, at the cost of its steps.
 *
 * The last weights of a run depend on the rows that came last; the mean does not (Polyak and Juditsky
 * 1992). The n-th step counts about n³ in it, because the first are far off (Shamir and Zhang 2013).
 * With weights kept as scale * W the mean is α A + β W: a step changes A at the columns it touches, and
 * the two factors (Xu 2011, section 6.1).
 *
 * A solver that adds d to W adds late_mean_share() * d to A, and calls clv_late_mean_step after each
 * step. Before it multiplies the scale into W, as it should when late_mean_wants_flush is true, it calls
 * clv_late_mean_flush.
 *
 * In a stream that forgets, no step counts less than what was forgotten since the one before: the mean is
 * over about as many rows as are remembered.
 */
#ifndef LEARN_LINEAR_LATE_MEAN_H
#define LEARN_LINEAR_LATE_MEAN_H

#include "learn/linear/apart.h"
#include "model/state.h"

typedef struct {
    Context *context;
    float *sum; /* A, laid out as the weights */
    size_t size;
    double *bias; /* the mean of the offsets */
    double alpha, beta;
    double steps; /* 0: there is no mean yet */
    double round; /* the epoch it began with */
    double kept;  /* a stream that forgets: of what it knew after the last step */
    /* The mean of a weight that no row has touched since begin or resume is keep times what it was
     * then, and gain (by output) times what was in W. */
    double keep, *gain;
} LateMean;

Status clv_late_mean_init(LateMean *mean, const Linear *w, cleave_error *error);
void clv_late_mean_free(LateMean *mean);
/* As if so many steps had been made, and the weights had been these all the time; there is room for
 * them. */
void clv_late_mean_start(LateMean *mean, const Linear *w, double scale, double steps);
/* Memory for all weights; new ones are 0. */
Status clv_late_mean_reserve(LateMean *mean, const Linear *w, cleave_error *error);
/* Before the steps of an epoch. The second epoch discards the weights of the first; a stream has one. */
void clv_late_mean_begin_epoch(LateMean *mean, const Fit *fit);
void clv_late_mean_step(LateMean *mean, Apart now);
void clv_late_mean_flush(LateMean *mean, const Linear *w);
/* Writes the mean into result, which is as large as w; false where there is none yet. */
bool clv_late_mean_get(const LateMean *mean, const Linear *w, Linear *result);

/* Several workers: parts "mean", "mean_keep", "mean_gain", "mean_steps" and "mean_bias", as
 * apart.h has the weights. take comes before the weights are taken: it needs the old ones. */
Status clv_late_mean_give(const LateMean *mean, const Linear *w, const LateMean *before, const Linear *start,
                          double rows, Delta *delta, cleave_error *error);
Status clv_late_mean_take(LateMean *mean, const Fit *fit, const Linear *w, double rows, const Delta *sum);

/* Streams. Scores of the mean, false where there is none yet; room is for one row's. widen comes
 * before the weights are widened. */
bool clv_late_mean_scores(const LateMean *mean, const Linear *w, const Block *block, uint32_t row, double *workspace,
                          double *scores);
Status clv_late_mean_widen(LateMean *mean, const Fit *fit, const Linear *w, const Widening *to);
void clv_late_mean_forget(LateMean *mean, double keep);

/* Arrays "mean", "mean_sum", "last_weights" and "last_bias" of a model whose weights are the mean;
 * nothing where there is none. A mean that is found again brings back the weights and the scale
 * that go with it. */
Status clv_late_mean_save(const LateMean *mean, const Linear *w, double scale, Model *model, cleave_error *error);
Status clv_late_mean_resume(LateMean *mean, Linear *w, double *scale, const Model *model, cleave_error *error);

static inline double late_mean_share(const LateMean *mean)
{
    return mean->steps > 0 ? -mean->beta / mean->alpha : 0;
}

/* A and W nearly cancel when the scale is small; A leaves the range of a float when α is. */
static inline bool late_mean_wants_flush(const LateMean *mean, double scale)
{
    return scale < 1e-3 || (mean->steps > 0 && mean->alpha < 1e-24);
}

#endif
