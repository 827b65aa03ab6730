#include "learn/linear/average.h"

#define LEAST_SCALE 1e-12 /* below this scale, the scale is multiplied into the vector */

static double factor_of(LocalWeights apart, size_t output)
{
    return apart.factor ? apart.factor[output] : 1;
}

Status clv_average_give(LocalWeights ours, LocalWeights start, double rows, Delta *delta,
                        cleave_error *error)
{
    size_t outputs = ours.w->outputs, count = (size_t)ours.w->features * outputs;
    size_t known = (size_t)start.w->features * outputs;

    for (size_t i = 0; i < outputs; i++)
        TRY(clv_delta_add(delta, "keep", i, rows * (ours.scale * factor_of(ours, i) / start.scale),
                          error));
    TRY(clv_average_give_numbers("bias", ours.w->intercept, start.w->intercept, outputs, rows,
                                 delta, error));
    /* the weights belong to the start, and other workers may change them concurrently */
    if (ours.w->shared)
        return OK;
    for (size_t i = 0; i < count; i++) {
        double factor = factor_of(ours, i % outputs), now = (double)ours.w->w[i];
        double difference = now - (i < known ? factor * (double)start.w->w[i] : 0);

        if (difference == 0)
            continue;
        if (factor != 1)
            difference = difference_unless_rounding(difference, fabs(now));
        TRY(clv_delta_add(delta, "w", i, rows * ours.scale * difference, error));
    }
    return OK;
}

Status clv_average_features(const Delta *sum, const char *part, size_t outputs, uint32_t *features,
                            cleave_error *error)
{
    uint64_t size = clv_delta_size(sum, part), need = size / outputs + (size % outputs != 0);

    if (need > UINT32_MAX)
        return clv_fail(
            error, CLEAVE_ERROR_DATA,
            "the update of '%s' contains feature %llu, which exceeds the largest feature index",
            part, (unsigned long long)need);
    if (need > *features)
        *features = (uint32_t)need;
    return OK;
}

/* Multiplies a common factor of the start into the scale. */
static void shrink(Linear *w, double *scale, double rows, const Delta *sum)
{
    size_t outputs = w->outputs, count = (size_t)w->features * outputs;
    double keep = clv_delta_number(sum, "keep", 0) / rows;
    bool same = true;

    for (size_t i = 1; i < outputs; i++)
        same = same && clv_delta_number(sum, "keep", i) / rows == keep;
    if (same && *scale * keep >= LEAST_SCALE) {
        *scale *= keep;
        return;
    }
    for (size_t output = 0; output < outputs; output++) {
        double factor = *scale * clv_delta_number(sum, "keep", output) / rows;

        for (size_t i = output; i < count; i += outputs)
            w->w[i] = (float)(factor * (double)w->w[i]);
    }
    *scale = 1;
}

void clv_average_take(Linear *w, double *scale, double rows, const Delta *sum)
{
    const DeltaPart *part = clv_delta_part(sum, "w");

    if (rows <= 0)
        return;
    shrink(w, scale, rows, sum);
    clv_average_take_numbers("bias", w->intercept, w->outputs, rows, sum);
    for (size_t i = 0; part && i < part->count; i++) {
        float *weight = &w->w[part->index[i]];

        *weight = (float)((double)*weight + part->value[i] / (rows * *scale));
    }
}

Status clv_average_give_numbers(const char *part, const double *ours, const double *start,
                                size_t count, double rows, Delta *delta, cleave_error *error)
{
    for (size_t i = 0; i < count; i++)
        TRY(clv_delta_add(delta, part, i, rows * (ours[i] - start[i]), error));
    return OK;
}

void clv_average_take_numbers(const char *part, double *numbers, size_t count, double rows,
                              const Delta *sum)
{
    for (size_t i = 0; i < count && rows > 0; i++)
        numbers[i] += clv_delta_number(sum, part, i) / rows;
}
