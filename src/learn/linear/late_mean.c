#include "learn/linear/late_mean.h"

#define LATE_WEIGHT 3 /* step n is weighted by n to this power */

Status clv_late_mean_init(LateMean *mean, const Linear *w, cleave_error *error)
{
    *mean = (LateMean){.context = w->context, .alpha = 1, .kept = 1, .keep = 1};
    mean->intercept = clv_alloc_zero(w->context, w->outputs, sizeof *mean->intercept);
    mean->gain = clv_alloc_zero(w->context, w->outputs, sizeof *mean->gain);
    if (!mean->intercept || !mean->gain)
        return clv_fail_memory(error, "the averaged weights", w->outputs * sizeof *mean->intercept);
    return clv_late_mean_reserve(mean, w, error);
}

void clv_late_mean_free(LateMean *mean)
{
    if (!mean->context)
        return;
    FREE(mean->context, mean->sum, mean->intercept, mean->gain);
    *mean = (LateMean){0};
}

Status clv_late_mean_reserve(LateMean *mean, const Linear *w, cleave_error *error)
{
    return clv_extend(mean->context, &mean->sum, &mean->size, (size_t)w->features * w->outputs,
                      sizeof *mean->sum, "the averaged weights", error);
}

void clv_late_mean_start(LateMean *mean, const Linear *w, double scale, double steps)
{
    size_t count = (size_t)w->features * w->outputs;

    for (size_t i = 0; i < count; i++)
        mean->sum[i] = (float)(scale * (double)w->w[i]);
    memcpy(mean->intercept, w->intercept, w->outputs * sizeof *mean->intercept);
    mean->alpha = 1;
    mean->beta = 0;
    mean->steps = steps;
}

static double mean_at(const LateMean *mean, const Linear *w, size_t i)
{
    return mean->steps > 0 ? mean->alpha * (double)mean->sum[i] + mean->beta * (double)w->w[i] : 0;
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static bool starts_over(const LateMean *mean, const Fit *fit)
{
    return mean->round == 0 && fit->counters.epoch > 0 && fit->problem->rows > 0;
}

void clv_late_mean_begin_epoch(LateMean *mean, const Fit *fit)
{
    if (!starts_over(mean, fit))
        return;
    mean->steps = 0;
    mean->round = fit->counters.epoch;
}

void clv_late_mean_step(LateMean *mean, LocalWeights now)
{
    const Linear *w = now.w;
    double share = fmax((1 + LATE_WEIGHT) / (mean->steps + 1 + LATE_WEIGHT), 1 - mean->kept);

    if (mean->steps == 0) { /* with a single vector, the average is that vector */
        mean->alpha = 1;
        mean->beta = 0;
        share = 1;
        if (mean->size)
            memset(mean->sum, 0, mean->size * sizeof *mean->sum);
    } else {
        mean->alpha *= 1 - share;
    }
    mean->beta = (1 - share) * mean->beta + share * now.scale;
    mean->keep *= 1 - share;
    for (size_t i = 0; i < w->outputs; i++) {
        mean->gain[i] = (1 - share) * mean->gain[i] + share * now.scale * now.factor[i];
        mean->intercept[i] += share * (w->intercept[i] - mean->intercept[i]);
    }
    mean->steps++;
    mean->kept = 1;
}

void clv_late_mean_flush(LateMean *mean, const Linear *w)
{
    size_t count = (size_t)w->features * w->outputs;

    for (size_t i = 0; i < count && mean->steps > 0; i++)
        mean->sum[i] = (float)mean_at(mean, w, i);
    mean->alpha = 1;
    mean->beta = 0;
}

bool clv_late_mean_get(const LateMean *mean, const Linear *w, Linear *result)
{
    size_t count = (size_t)w->features * w->outputs;

    if (mean->steps == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        result->w[i] = (float)mean_at(mean, w, i);
    memcpy(result->intercept, mean->intercept, w->outputs * sizeof *mean->intercept);
    return true;
}

/* ---- several workers ------------------------------------------------------------------------- */

Status clv_late_mean_give(const LateMean *mean, const Linear *w, const LateMean *before,
                          const Linear *start, double rows, Delta *delta, cleave_error *error)
{
    size_t outputs = w->outputs, count = (size_t)w->features * outputs,
           known = (size_t)start->features * outputs;

    TRY(clv_delta_add(delta, "mean_keep", 0, rows * mean->keep, error));
    for (size_t i = 0; i < outputs; i++)
        TRY(clv_delta_add(delta, "mean_gain", i, rows * mean->gain[i], error));
    TRY(clv_average_give_numbers("mean_steps", &mean->steps, &before->steps, 1, rows, delta,
                                 error));
    TRY(clv_average_give_numbers("mean_bias", mean->intercept, before->intercept, outputs, rows,
                                 delta, error));
    for (size_t i = 0; i < count; i++) {
        double now = mean_at(mean, w, i),
               old = i < known ? mean->keep * mean_at(before, start, i) : 0;
        double pull = i < known ? mean->gain[i % outputs] * (double)start->w[i] : 0;

        TRY(clv_delta_add(
            delta, "mean", i,
            rows * difference_unless_rounding(now - old - pull, fabs(now) + fabs(old) + fabs(pull)),
            error));
    }
    return OK;
}

Status clv_late_mean_take(LateMean *mean, const Fit *fit, const Linear *w, double rows,
                          const Delta *sum)
{
    const DeltaPart *part = clv_delta_part(sum, "mean");
    size_t outputs = w->outputs, count = (size_t)w->features * outputs;
    double keep = clv_delta_number(sum, "mean_keep", 0) / rows;

    if (clv_delta_size(sum, "mean") > count)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "the update has more averaged weights than weights");
    for (size_t output = 0; output < outputs; output++) {
        double gain = clv_delta_number(sum, "mean_gain", output) / rows;

        for (size_t i = output; i < count; i += outputs)
            mean->sum[i] = (float)(keep * mean_at(mean, w, i) + gain * (double)w->w[i]);
    }
    for (size_t i = 0; part && i < part->count; i++)
        mean->sum[part->index[i]] = (float)((double)mean->sum[part->index[i]] +
                                            part->value[i] / rows);
    mean->alpha = 1;
    mean->beta = 0;
    clv_average_take_numbers("mean_steps", &mean->steps, 1, rows, sum);
    mean->steps = mean->steps > 0 ? mean->steps : 0; /* the sum may come from an untrusted file */
    clv_average_take_numbers("mean_bias", mean->intercept, outputs, rows, sum);
    if (starts_over(mean, fit)) /* all workers discard their averages in the same epoch */
        mean->round = fit->counters.epoch;
    return OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

bool clv_late_mean_scores(const LateMean *mean, const Linear *w, const Block *block, uint32_t row,
                          double *workspace, double *scores)
{
    if (mean->steps == 0)
        return false;
    clv_linear_known_scores(w, w->w, mean->beta, block, row, scores);
    clv_linear_known_scores(w, mean->sum, mean->alpha, block, row, workspace);
    for (size_t i = 0; i < w->outputs; i++)
        scores[i] += workspace[i] + mean->intercept[i];
    return true;
}

Status clv_late_mean_widen(LateMean *mean, const Fit *fit, const Linear *w, const Widening *to)
{
    TRY(clv_late_mean_reserve(mean, w, fit->error));
    TRY(clv_widen_floats(fit, to, &mean->sum, w->features));
    mean->size = (size_t)w->features * to->outputs;
    TRY(clv_widen_doubles(fit, to, &mean->intercept, 1));
    TRY(clv_widen_doubles(fit, to, &mean->gain, 1));
    mean->keep = 1;
    memset(mean->gain, 0, to->outputs * sizeof *mean->gain);
    return OK;
}

void clv_late_mean_forget(LateMean *mean, double keep)
{
    mean->kept *= keep;
}

/* ---- warm starts ----------------------------------------------------------------------------- */

enum { SAVED_NUMBERS = 6 };

Status clv_late_mean_save(const LateMean *mean, const Linear *w, double scale, Model *model,
                          cleave_error *error)
{
    size_t count = (size_t)w->features * w->outputs;
    double numbers[SAVED_NUMBERS] = {mean->steps, mean->alpha, mean->beta,
                                     mean->round, mean->kept,  scale};

    if (mean->steps == 0)
        return OK;
    TRY(clv_bundle_put(model->bundle, "mean", BUNDLE_F64, numbers, SAVED_NUMBERS, error));
    TRY(clv_bundle_put(model->bundle, "mean_sum", BUNDLE_F32, mean->sum, count, error));
    TRY(clv_bundle_put(model->bundle, "last_weights", BUNDLE_F32, w->w, count, error));
    return clv_bundle_put(model->bundle, "last_bias", BUNDLE_F64, w->intercept, w->outputs, error);
}

static bool make_sense(const double *numbers)
{
    for (size_t i = 0; i < SAVED_NUMBERS; i++)
        if (!(numbers[i] >= 0 && isfinite(numbers[i])))
            return false;
    return numbers[0] > 0 && numbers[1] > 0 && numbers[4] <= 1 && numbers[5] > 0;
}

static bool is_finite(const Model *model, const char *name, BundleType type)
{
    const BundleItem *item = clv_bundle_get(model->bundle, name, type);

    return item && clv_bundle_finite(item);
}

Status clv_late_mean_resume(LateMean *mean, Linear *w, double *scale, const Model *model,
                            cleave_error *error)
{
    size_t count = (size_t)model->features * w->outputs;
    double numbers[SAVED_NUMBERS];

    if (!clv_bundle_copy(model->bundle, "mean", BUNDLE_F64, numbers, SAVED_NUMBERS))
        return OK;
    TRY(clv_late_mean_reserve(mean, w, error));
    /* the intercepts of the model are averaged */
    memcpy(mean->intercept, w->intercept, w->outputs * sizeof *mean->intercept);
    if (!make_sense(numbers) || !is_finite(model, "mean_sum", BUNDLE_F32) ||
        !is_finite(model, "last_weights", BUNDLE_F32) ||
        !is_finite(model, "last_bias", BUNDLE_F64) ||
        !clv_bundle_copy(model->bundle, "mean_sum", BUNDLE_F32, mean->sum, count) ||
        !clv_bundle_copy(model->bundle, "last_weights", BUNDLE_F32, w->w, count) ||
        !clv_bundle_copy(model->bundle, "last_bias", BUNDLE_F64, w->intercept, w->outputs))
        return clv_state_nonsense(error);
    mean->steps = numbers[0];
    mean->alpha = numbers[1];
    mean->beta = numbers[2];
    mean->round = numbers[3];
    mean->kept = numbers[4];
    *scale = numbers[5];
    return OK;
}
