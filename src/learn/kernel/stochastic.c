/*
 * Stochastic gradient descent on the kernel expansion (Kivinen, Smola and Williamson 2004; kernel
 * Pegasos: Shalev-Shwartz et al. 2011). Step t with the learning rate η = 1/(λ(t + t0)) and a row
 * x_i:
 *
 *     β := (1 − ηλ) β                       and β_i := β_i + η μ c_i y_i if y_i f(x_i) < 1
 *
 * μ c_i is the sample weight over the mean weight. The product of the shrinkage factors is exactly
 * 1/(λ(t + t0)), so the sum of the μ c_i y_i and one common scale are stored. f of every row is
 * updated by the kernel row of each added point. A step without loss needs no kernel row, and the
 * objective is known after each epoch. b is 0 in the first epoch and then optimal for f: a weighted
 * quantile.
 *
 * Both solvers visit all rows in a new random order in each epoch, where Pegasos as published
 * samples rows. sgd starts at a learning rate that fits the kernel, pegasos at t0 = 0.
 */
#include "learn/kernel/svm.h"

#include "base/random.h"

#include <stdlib.h>

typedef struct {
    double at, weight;
} Corner;

typedef struct {
    Fit *fit;
    Svm *svm;
    double t0, mean_weight;
    uint32_t *order;
    Corner *corner;
    Random random;
} StochasticWork;

static int by_place(const void *a, const void *b)
{
    double x = ((const Corner *)a)->at, y = ((const Corner *)b)->at;

    return (x > y) - (x < y);
}

static double best_offset(StochasticWork *work, size_t output)
{
    Svm *svm = work->svm;
    const double *score = svm->score + output * svm->count;
    double slope = 0;

    for (uint32_t i = 0; i < svm->count; i++) {
        double y = fit_sign(work->fit, svm->label[i], output);

        work->corner[i] = (Corner){.at = y - svm->scale * score[i], .weight = svm->weight[i]};
        slope -= y > 0 ? svm->weight[i] : 0;
    }
    qsort(work->corner, svm->count, sizeof *work->corner, by_place);
    for (uint32_t i = 0; i < svm->count; i++) {
        slope += work->corner[i].weight;
        if (slope >= 0)
            return work->corner[i].at;
    }
    return 0;
}

static Status visit(StochasticWork *work, uint32_t i)
{
    Svm *svm = work->svm;
    const float *row = NULL;

    svm->steps++;
    for (size_t output = 0; output < svm->outputs; output++) {
        double y = fit_sign(work->fit, svm->label[i], output),
               *score = svm->score + output * svm->count;
        double by = y * svm->weight[i] / work->mean_weight;

        if (y * (svm->scale * score[i] + svm->intercept[output]) >= 1 || by == 0)
            continue;
        if (!row)
            TRY(clv_cache_row(&svm->cache, i, &row, work->fit->error));
        svm->beta[output * svm->count + i] += by;
        svm->evaluator.loops->add_plane(row, by, svm->count, score);
    }
    svm->scale = 1 / (svm->lambda * (svm->steps + work->t0));
    return OK;
}

static Status run_epoch(StochasticWork *work)
{
    Svm *svm = work->svm;
    Fit *fit = work->fit;

    clv_shuffle(&work->random, work->order, svm->count);
    for (uint32_t k = 0; k < svm->count; k++) {
        TRY(visit(work, work->order[k]));
        if (k % 256 != 255)
            continue;
        clv_progress(fit->context, &(cleave_progress){.phase = "train",
                                                      .rows = k,
                                                      .rows_total = svm->count,
                                                      .epoch = fit->counters.epoch + 1,
                                                      .epochs = fit->max_epochs});
        TRY(fit_check(fit));
    }
    for (size_t output = 0; output < svm->outputs; output++)
        svm->intercept[output] = best_offset(work, output);
    return OK;
}

/* Runs until the relative decrease of the objective in an epoch is within the tolerance. f = 0 has
 * an objective of 1 per output, so a larger objective has not converged. With a small λ, the first
 * steps of pegasos are so long that it takes many epochs to return. */
static Status descend(StochasticWork *work)
{
    Svm *svm = work->svm;
    Fit *fit = work->fit;
    bool more = true, settled = false, poor = false;

    while (more && !settled) {
        SvmEvaluation value;

        TRY(run_epoch(work));
        clv_svm_evaluate(fit, svm, &value);
        fit->counters.epoch_mistakes = value.errors;
        fit->counters.epoch_loss = value.loss;
        fit->counters.seen += svm->count;
        poor = value.primal > 1.001 * (double)svm->outputs;
        settled = !poor &&
                  fabs(svm->before - value.primal) <= svm->options->tolerance * value.primal;
        svm->before = value.primal;
        more = fit->epoch_done(fit);
    }
    fit->result.plateau = settled;
    if (poor)
        clv_summarize(fit,
                      "the objective exceeds its value at zero weights: the steps are too large "
                      "for this C; use --solver "
                      "sgd or smo");
    else
        clv_summarize(fit,
                      settled
                          ? "converged, relative change of the objective below %g in the last epoch"
                          : "stopped before convergence, relative change of the objective above %g "
                            "in the last "
                            "epoch",
                      svm->options->tolerance);
    return OK;
}

/* sgd: the first step changes the score of its row by about 1. */
static double first_steps(const Svm *svm)
{
    double self = 0;

    if (svm->options->solver != SOLVER_SGD)
        return 0;
    for (uint32_t i = 0; i < svm->count; i++)
        self += clv_kernel_self(&svm->kernel, svm->points.norm2[i]) / svm->count;
    return fmax(self, 1e-12) / svm->lambda;
}

double clv_stochastic_scale(const Svm *svm)
{
    return 1 / (svm->lambda * (fmax(svm->steps, 1) + first_steps(svm)));
}

Status clv_stochastic_fit(Fit *fit, Svm *svm)
{
    StochasticWork work = {.fit = fit,
                           .svm = svm,
                           .random = clv_random(fit->problem->seed, 0x6b73),
                           .t0 = first_steps(svm)};
    Status status;

    work.mean_weight = svm->weight_total / svm->count;
    work.order = clv_alloc(fit->context, svm->count, sizeof *work.order);
    work.corner = clv_alloc(fit->context, svm->count, sizeof *work.corner);
    for (uint32_t i = 0; i < svm->count && work.order; i++)
        work.order[i] = i;
    for (uint32_t round = 0;
         round < fit->counters.epoch && work.order && !clv_cancelled(fit->context); round++)
        clv_shuffle(&work.random, work.order, svm->count); /* repeats the shuffles of the earlier
                                                            * epochs */
    if (!svm->from)
        svm->scale = clv_stochastic_scale(svm);
    status = work.order && work.corner
                 ? descend(&work)
                 : clv_fail_memory(fit->error, "a row permutation", svm->count * 24);
    FREE(fit->context, work.order, work.corner);
    return status;
}
