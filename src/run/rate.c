#include "run/rate.h"

#include <math.h>

/* The loss on the sample after one step over it at this rate, by a copy that is thrown away. */
static Status try_rate(Run *run, const Block *sample, double factor, double *loss)
{
    Fit trial = run->fit;
    Judgement judgement = {0};
    Model *model = NULL;
    double *scores = NULL;
    Status status;

    *loss = INFINITY;
    trial.trace = NULL;
    trial.calibrate_every = 0;
    trial.state = clv_alloc_zero(run->context, 1, run->method->state_size);
    if (!trial.state)
        return clv_fail_memory(run->error, "the state of a method", run->method->state_size);
    status = run->method->begin(&trial);
    if (status == OK)
        status = run->method->copy(&trial, &run->fit);
    if (status == OK) {
        run->method->set_rate(&trial, factor);
        status = run->method->step(&trial, sample);
        if (status == OK) {
            Fit kept = run->fit;

            run->fit = trial;
            status = clv_run_make_model(run, &model);
            run->fit = kept;
        }
        /* A rate that leaves the range of a float is no rate; that is no error of the run. */
        if (status == CLEAVE_ERROR_DATA)
            status = OK;
    }
    if (status == OK && model) {
        scores = clv_alloc(run->context, sample->rows * run->fit.outputs, sizeof *scores);
        status = scores ? clv_judge_block(model, sample, run->label_number, false, scores, &judgement, run->error)
                        : clv_fail_memory(run->error, "scores", sample->rows * sizeof *scores);
        if (status == OK && isfinite(judgement.loss))
            *loss = judgement.loss;
    }
    cleave_model_free(model);
    clv_free(run->context, scores);
    run->method->free(&trial);
    clv_free(run->context, trial.state);
    return status;
}

Status clv_rate_calibrate(Run *run, const Block *sample)
{
    static const double first[] = {1, 1.0 / 1024, 1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4, 4, 16, 64, 256, 1024};
    static const double later[] = {1, 0.5, 2, 0.25, 4};
    Fit *fit = &run->fit;
    bool begun = fit->calibrate_next > 0;
    const double *factors = begun ? later : first;
    size_t count = begun ? sizeof later / sizeof *later : sizeof first / sizeof *first;
    double best = INFINITY, rate = fit->rate_factor > 0 ? fit->rate_factor : 1, chosen = rate;

    for (size_t i = 0; i < count; i++) {
        double loss;

        TRY(try_rate(run, sample, rate * factors[i], &loss));
        if (loss < best) {
            best = loss;
            chosen = rate * factors[i];
        }
    }
    fit->rate_factor = chosen;
    run->method->set_rate(fit, chosen);
    fit->calibrate_next = fit->seen + fit->calibrate_every;
    return OK;
}
