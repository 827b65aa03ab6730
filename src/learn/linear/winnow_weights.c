#include "learn/linear/winnow_weights.h"

#include <float.h>

/* ---- memory ---------------------------------------------------------------------------------- */

Status clv_winnow_begin(const Fit *fit, WinnowWeights *weights, bool balanced, double theta)
{
    weights->balanced = balanced;
    weights->outputs = outputs_of(fit->classes);
    TRY(ALLOC(fit->context, weights->intercept, weights->outputs, "thresholds", fit->error));
    for (size_t i = 0; i < weights->outputs; i++)
        weights->intercept[i] = -theta;
    return OK;
}

void clv_winnow_free(const Fit *fit, WinnowWeights *weights)
{
    FREE(fit->context, weights->w, weights->half, weights->other_half, weights->intercept,
         weights->stamp);
}

static Status grow(const Fit *fit, double **vector, size_t capacity, size_t used, size_t need,
                   double start)
{
    double *grown = clv_resize(fit->context, *vector, capacity, sizeof *grown);

    if (!grown)
        return clv_fail_memory(fit->error, "weights", capacity * sizeof *grown);
    *vector = grown;
    for (size_t i = used; i < need; i++)
        grown[i] = start;
    return OK;
}

Status clv_winnow_reserve(const Fit *fit, WinnowWeights *weights, uint32_t features, size_t copies)
{
    size_t used = (size_t)weights->features * weights->outputs,
           need = (size_t)features * weights->outputs;
    size_t capacity = need <= weights->capacity && weights->w       ? weights->capacity
                      : need > 2 * weights->capacity || !weights->w ? need
                                                                    : 2 * weights->capacity;

    if (features <= weights->features && weights->w)
        return OK;
    if (weights->stamp) {
        TRY(GROW(fit->context, weights->stamp, weights->stamp_capacity, features, fit->error));
        for (uint32_t i = weights->features; i < features; i++)
            weights->stamp[i] = weights->faded;
    }
    TRY(clv_linear_affordable(
        features, weights->outputs * ((weights->balanced ? 6 : 2) + 2 * copies), fit->error));
    TRY(grow(fit, &weights->w, capacity, used, need, weights->balanced ? 0 : 1));
    if (weights->balanced) {
        TRY(grow(fit, &weights->half, capacity, used, need, 1));
        TRY(grow(fit, &weights->other_half, capacity, used, need, 1));
    }
    weights->capacity = capacity;
    weights->features = features;
    return OK;
}

bool clv_winnow_finite(const WinnowWeights *weights)
{
    size_t count = (size_t)weights->features * weights->outputs;
    double sum = 0; /* the sum is NaN if a weight is infinite or NaN */

    for (size_t i = 0; i < count; i++)
        sum += 0 * weights->w[i];
    for (size_t i = 0; i < weights->outputs; i++)
        sum += 0 * weights->intercept[i];
    return sum == 0;
}

/* ---- one example ----------------------------------------------------------------------------- */

void clv_winnow_multiply(WinnowWeights *weights, size_t output, double factor, double against,
                         const Block *block, uint32_t row, double *late, double seen)
{
    const double least = DBL_MIN;
    double *w = weights->w;
    size_t outputs = weights->outputs;
    bool balanced = weights->balanced;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        size_t at = (size_t)walk.column * outputs + output;
        double old = w[at];

        if (balanced) {
            weights->half[at] = fmax(weights->half[at] * factor, least);
            weights->other_half[at] = fmax(weights->other_half[at] * against, least);
            winnow_subtract(weights, at);
        } else {
            w[at] = fmax(old * factor, least);
        }
        if (late)
            late[at] += (w[at] - old) * seen;
    }
}

/* ---- forgetting ------------------------------------------------------------------------------ */

double clv_winnow_left(const WinnowWeights *weights, uint32_t column)
{
    return weights->stamp && weights->stamp[column] != weights->faded
               ? exp(weights->faded - weights->stamp[column])
               : 1;
}

double clv_winnow_now(const WinnowWeights *weights, size_t at, double left)
{
    if (left == 1)
        return weights->w[at];
    return weights->half ? pow(weights->half[at], left) - pow(weights->other_half[at], left)
                         : pow(weights->w[at], left);
}

static void fade(WinnowWeights *weights, size_t at, double left)
{
    if (!weights->half) {
        weights->w[at] = pow(weights->w[at], left);
        return;
    }
    weights->half[at] = pow(weights->half[at], left);
    weights->other_half[at] = pow(weights->other_half[at], left);
    winnow_subtract(weights, at);
}

void clv_winnow_update_row(WinnowWeights *weights, const Block *block, uint32_t row)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        double left = clv_winnow_left(weights, walk.column);
        size_t at = (size_t)walk.column * weights->outputs;

        for (size_t end = at + weights->outputs; at < end && left != 1; at++)
            fade(weights, at, left);
        weights->stamp[walk.column] = weights->faded;
    }
}

Status clv_winnow_stamp(const Fit *fit, WinnowWeights *weights)
{
    TRY(GROW(fit->context, weights->stamp, weights->stamp_capacity, (size_t)weights->features + 1,
             fit->error));
    for (uint32_t i = 0; i < weights->features; i++)
        weights->stamp[i] = weights->faded;
    return OK;
}

Status clv_winnow_forget(const Fit *fit, WinnowWeights *weights, double keep)
{
    if (!weights->stamp)
        TRY(clv_winnow_stamp(fit, weights));
    weights->faded += log(keep);
    return OK;
}

void clv_winnow_settle(const Fit *fit, WinnowWeights *weights, size_t count)
{
    for (size_t i = 0; i < count && weights->half; i++)
        fade(weights, i, clv_winnow_left(weights, (uint32_t)(i / weights->outputs)));
    clv_free(fit->context, weights->stamp);
    weights->stamp = NULL;
    weights->stamp_capacity = 0;
    weights->faded = 0;
}

/* ---- several workers ------------------------------------------------------------------------- */

/* The vectors that workers exchange, and the names of their parts. */
typedef struct {
    const char *part, *rows_part;
    double *vector;
} Vector;

static size_t list_vectors(const WinnowWeights *weights, Vector list[2])
{
    list[0] = weights->balanced ? (Vector){"half", "half_rows", weights->half}
                                : (Vector){"w", "w_rows", weights->w};
    list[1] = (Vector){"other_half", "other_rows", weights->other_half};
    return weights->balanced ? 2 : 1;
}

Status clv_winnow_give(const Fit *fit, const WinnowWeights *weights, const WinnowWeights *start,
                       double rows, Delta *delta)
{
    size_t known = (size_t)start->features * start->outputs,
           count = (size_t)weights->features * weights->outputs;
    Vector ours[2], theirs[2];
    size_t vectors = list_vectors(weights, ours);

    list_vectors(start, theirs);
    for (size_t v = 0; v < vectors; v++)
        for (size_t i = 0; i < count; i++)
            if (i >= known || ours[v].vector[i] != theirs[v].vector[i]) {
                TRY(clv_delta_add(delta, ours[v].part, i, rows * ours[v].vector[i], fit->error));
                TRY(clv_delta_add(delta, ours[v].rows_part, i, rows, fit->error));
            }
    return OK;
}

Status clv_winnow_take(const Fit *fit, WinnowWeights *weights, double rows, const Delta *sum)
{
    Vector list[2];
    size_t vectors = list_vectors(weights, list);

    for (size_t v = 0; v < vectors; v++) {
        const DeltaPart *touched = clv_delta_part(sum, list[v].part);
        const DeltaPart *touched_rows = clv_delta_part(sum, list[v].rows_part);

        for (size_t i = 0; touched && i < touched->count; i++) {
            double *weight = &list[v].vector[touched->index[i]];

            if (!touched_rows || i >= touched_rows->count ||
                touched_rows->index[i] != touched->index[i])
                return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                                "the update has no row count for weight %llu",
                                (unsigned long long)touched->index[i]);
            *weight = fmax((touched->value[i] + (rows - touched_rows->value[i]) * *weight) / rows,
                           DBL_MIN);
        }
    }
    for (size_t i = 0; i < (size_t)weights->features * weights->outputs && weights->balanced; i++)
        winnow_subtract(weights, i);
    return OK;
}

/* ---- new classes ----------------------------------------------------------------------------- */

/* Extends a vector to more classes, with new numbers at `start`. The numbers of the other of two
 * classes are the mirror image, start² over those of the positive class. */
static Status widen_vector(const Fit *fit, const Widening *to, const double *vector,
                           const double *mirrored, size_t rows, double start, double **wide)
{
    TRY(ALLOC(fit->context, *wide, rows * to->outputs, "the weights of new classes", fit->error));
    for (size_t output = 0; output < to->outputs; output++) {
        size_t from;
        double sign = clv_widen_sign(fit, to, output, &from);

        for (size_t i = 0; i < rows; i++) {
            size_t at = i * fit->outputs + from;

            (*wide)[i * to->outputs + output] = sign > 0    ? vector[at]
                                                : sign == 0 ? start
                                                : mirrored
                                                    ? mirrored[at]
                                                    : fmax(start * start / vector[at], DBL_MIN);
        }
    }
    return OK;
}

/* A threshold that is not learned is common to all classes. */
static void widen_thresholds(const Fit *fit, const WinnowWeights *weights, const Widening *to,
                             double theta, double *intercept)
{
    for (size_t output = 0; output < to->outputs; output++) {
        size_t from;
        double sign = clv_widen_sign(fit, to, output, &from);

        if (isnan(theta) || sign > 0)
            intercept[output] = weights->intercept[from < fit->outputs ? from : 0];
        else
            intercept[output] = sign == 0
                                    ? -theta
                                    : fmin(theta * theta / weights->intercept[from], -DBL_MIN);
    }
}

Status clv_winnow_widen(const Fit *fit, WinnowWeights *weights, const Widening *to, double theta)
{
    size_t rows = weights->features, count = rows * to->outputs;
    double *intercept = clv_alloc(fit->context, to->outputs, sizeof *intercept), *w = NULL,
           *half = NULL, *other = NULL;
    double *old[] = {weights->w, weights->half, weights->other_half, weights->intercept};
    double *made[] = {NULL, NULL, NULL, intercept};
    Status status = intercept ? OK
                              : clv_fail_memory(fit->error, "thresholds",
                                                to->outputs * sizeof *intercept);

    THEN(status,
         widen_vector(fit, to, weights->balanced ? weights->half : weights->w, NULL, rows, 1, &w));
    if (status == OK && weights->balanced)
        status = widen_vector(fit, to, weights->half, weights->other_half, rows, 1, &half);
    if (status == OK && weights->balanced)
        status = widen_vector(fit, to, weights->other_half, weights->half, rows, 1, &other);
    made[0] = w;
    made[1] = half;
    made[2] = other;
    for (size_t i = 0; i < sizeof old / sizeof *old && status != OK; i++)
        clv_free(fit->context, made[i]);
    TRY(status);
    widen_thresholds(fit, weights, to, theta, intercept);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        clv_free(fit->context, old[i]);
    weights->w = w;
    weights->half = half;
    weights->other_half = other;
    weights->intercept = intercept;
    weights->outputs = to->outputs;
    weights->capacity = count;
    for (size_t i = 0; i < count && half; i++)
        winnow_subtract(weights, i);
    return OK;
}
