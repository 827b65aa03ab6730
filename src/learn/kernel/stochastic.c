/*
 * Stochastic descent on the kernel expansion (Kivinen, Smola and Williamson 2004; kernel Pegasos: Shalev-Shwartz et al. 2011): at step t, with
 * the rate η = 1/(λ(t + t0)) and a row x_i,
 *
 *     β := (1 − ηλ) β                       and β_i := β_i + η μ c_i y_i when y_i f(x_i) < 1
 *
 * μ c_i being the row's weight over the mean weight. The product of all those shrinkings is 1/(λ(t + t0)) exactly, so what is kept is the
 * sum of the μ c_i y_i, and one scale for all. f of every row is kept up to date by the kernel row of each point that is
 * added, so a visit that changes nothing costs nothing, and the objective is known after each round. b is 0 in the first round and the best for f
 * from then on: f's own losses, a convex function of b with a corner for each row, have their least at a weighted quantile.
 *
 * Both visit all rows in a new order each round, where Pegasos as published draws them: no row is left out of a short run. sgd starts at a
 * rate that suits the kernel, pegasos at t0 = 0.
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
} Work;

static int by_place(const void *a, const void *b)
{
    double x = ((const Corner *)a)->at, y = ((const Corner *)b)->at;

    return (x > y) - (x < y);
}

static double best_offset(Work *work, size_t output)
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

static Status visit(Work *work, uint32_t i)
{
    Svm *svm = work->svm;
    const float *row = NULL;

    svm->steps++;
    for (size_t output = 0; output < svm->outputs; output++) {
        double y = fit_sign(work->fit, svm->label[i], output), *score = svm->score + output * svm->count;
        double by = y * svm->weight[i] / work->mean_weight;

        if (y * (svm->scale * score[i] + svm->bias[output]) >= 1 || by == 0)
            continue;
        if (!row)
            TRY(clv_cache_row(&svm->cache, i, &row, work->fit->error));
        svm->beta[output * svm->count + i] += by;
        svm->evaluator.loops->add_plane(row, by, svm->count, score);
    }
    svm->scale = 1 / (svm->lambda * (svm->steps + work->t0));
    return OK;
}

static Status run_epoch(Work *work)
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
        svm->bias[output] = best_offset(work, output);
    return OK;
}

/* Until the objective falls no more than the tolerance of it from one round to the next; but f = 0 costs 1 for each output, and what is
 * worse than that has not settled: with a small λ the first steps of pegasos are so long that the way back takes many rounds. */
static Status descend(Work *work)
{
    Svm *svm = work->svm;
    Fit *fit = work->fit;
    bool more = true, settled = false, poor = false;

    while (more && !settled) {
        Evaluation value;

        TRY(run_epoch(work));
        clv_svm_evaluate(fit, svm, &value);
        fit->counters.epoch_mistakes = value.errors;
        fit->counters.epoch_loss = value.loss;
        fit->counters.seen += svm->count;
        poor = value.primal > 1.001 * (double)svm->outputs;
        settled = !poor && fabs(svm->before - value.primal) <= svm->options->tolerance * value.primal;
        svm->before = value.primal;
        more = fit->epoch_done(fit);
    }
    fit->result.plateau = settled;
    if (poor)
        clv_verdict(fit,
                    "the objective exceeds its value at zero weights: the steps are too large for this C; use --solver "
                    "sgd or smo");
    else
        clv_verdict(
            fit,
            settled ? "converged, the objective changed by less than %g (relative) in the last epoch"
                    : "stopped before convergence, the objective changed by more than %g (relative) in the last epoch",
            svm->options->tolerance);
    return OK;
}

/* sgd: the first step moves a row's own f by about 1. */
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
    Work work = {.fit = fit, .svm = svm, .random = clv_random(fit->problem->seed, 0x6b73), .t0 = first_steps(svm)};
    Status status;

    work.mean_weight = svm->weight_total / svm->count;
    work.order = clv_alloc(fit->context, svm->count, sizeof *work.order);
    work.corner = clv_alloc(fit->context, svm->count, sizeof *work.corner);
    for (uint32_t i = 0; i < svm->count && work.order; i++)
        work.order[i] = i;
    for (uint32_t round = 0; round < fit->counters.epoch && work.order && !clv_cancelled(fit->context); round++)
        clv_shuffle(&work.random, work.order, svm->count); /* as the rounds behind it have */
    if (!svm->from)
        svm->scale = clv_stochastic_scale(svm);
    status = work.order && work.corner ? descend(&work)
                                       : clv_fail_memory(fit->error, "a row permutation", svm->count * 24);
    clv_free(fit->context, work.order);
    clv_free(fit->context, work.corner);
    return status;
}
