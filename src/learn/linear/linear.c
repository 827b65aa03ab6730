#include "learn/linear/linear.h"

#include "learn/linear/kernel_tables.h"

#include "base/machine.h"

#include <float.h>
#include <math.h>

Status clv_linear_init(Linear *linear, Context *context, uint32_t features, size_t outputs,
                       cleave_error *error)
{
    *linear = (Linear){.context = context, .kernels = clv_kernels(), .outputs = outputs};
    TRY(ALLOC_ZERO(context, linear->intercept, outputs, "thresholds", error));
    return clv_linear_reserve(linear, features, error);
}

void clv_linear_free(Linear *linear)
{
    if (!linear->context)
        return;
    if (!linear->shared)
        clv_free(linear->context, linear->w);
    clv_free(linear->context, linear->intercept);
    *linear = (Linear){0};
}

void clv_linear_share(Linear *linear, const Linear *other)
{
    if (!linear->shared)
        clv_free(linear->context, linear->w);
    linear->w = other->w;
    linear->features = other->features;
    linear->capacity = other->capacity;
    linear->kernels = &clv_kernels_racy;
    linear->shared = true;
}

/* The weights, the model and its serialized bytes must fit into memory together. */
Status clv_linear_affordable(uint32_t features, size_t outputs, cleave_error *error)
{
    enum { COPIES = 4 };
    double bytes = COPIES * sizeof(float) * (double)features * (double)outputs;

    if (clv_affordable(bytes, error, "the weights of %u features for %zu output%s", features,
                       outputs, outputs == 1 ? "" : "s") == OK)
        return OK;
    return clv_hint(error, CLEAVE_ERROR_MEMORY,
                    "the largest feature index sets the size; check that no column of IDs is read "
                    "as a feature index");
}

Status clv_linear_reserve(Linear *linear, uint32_t features, cleave_error *error)
{
    size_t used = (size_t)linear->features * linear->outputs,
           need = (size_t)features * linear->outputs;

    if (features <= linear->features && linear->w)
        return OK;
    if (need > linear->capacity || !linear->w) {
        size_t capacity = linear->w ? (need > 2 * linear->capacity ? need : 2 * linear->capacity)
                                    : need;
        float *grown;

        TRY(clv_linear_affordable(features, linear->outputs, error));
        grown = clv_resize(linear->context, linear->w, capacity, sizeof *grown);
        if (!grown)
            return clv_fail_memory(error, "weights", need * sizeof *grown);
        linear->w = grown;
        linear->capacity = capacity;
    }
    if (need > used)
        memset(linear->w + used, 0, (need - used) * sizeof *linear->w);
    linear->features = features;
    return OK;
}

void clv_linear_known_scores(const Linear *linear, const float *w, double scale, const Block *block,
                             uint32_t row, double *scores)
{
    size_t outputs = linear->outputs;

    memset(scores, 0, outputs * sizeof *scores);
    if (block->features > linear->features) {
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            for (size_t i = 0; i < outputs && walk.column < linear->features; i++)
                scores[i] += (double)w[(size_t)walk.column * outputs + i] * (double)walk.value;
    } else if (outputs == 1) {
        scores[0] = linear->kernels->dot(w, block, row);
    } else {
        linear->kernels->dot_many(w, outputs, block, row, scores);
    }
    for (size_t i = 0; i < outputs; i++)
        scores[i] *= scale;
}

void clv_linear_known_wide_scores(const double *w, uint32_t features, size_t outputs,
                                  const Block *block, uint32_t row, double *scores)
{
    memset(scores, 0, outputs * sizeof *scores);
    if (block->features > features) {
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            for (size_t i = 0; i < outputs && walk.column < features; i++)
                scores[i] += w[(size_t)walk.column * outputs + i] * (double)walk.value;
    } else {
        wide_scores(clv_kernels(), w, outputs, block, row, scores);
    }
}

void clv_linear_add(Linear *linear, size_t output, double step, const Block *block, uint32_t row,
                    bool learn_intercept)
{
    if (learn_intercept)
        linear->intercept[output] += step;
    if (linear->outputs == 1) {
        linear->kernels->add(linear->w, step, block, row);
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        float *weight = linear->w + (size_t)walk.column * linear->outputs + output;

        *weight = (float)((double)*weight + step * (double)walk.value);
    }
}

bool clv_linear_finite(const Linear *linear)
{
    size_t count = (size_t)linear->features * linear->outputs;
    float sum = 0; /* the sum is NaN if a weight is infinite or NaN */

    for (size_t i = 0, end; i < count;)
        for (end = next_weights(linear->context, i, count); i < end; i++)
            sum += 0 * linear->w[i];
    for (size_t i = 0; i < linear->outputs; i++)
        sum += 0 * (float)linear->intercept[i];
    return sum == 0;
}

Status clv_linear_overflow(cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "standardize the features, or lower --learning-rate",
                         "training diverged: the weights overflow float32");
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Sets scale, thresholds and size; the weights are set already. */
static Status put_rest(Model *model, uint32_t features, size_t outputs, double scale,
                       const double *intercept, cleave_error *error)
{
    TRY(clv_bundle_put(model->bundle, "scale", BUNDLE_F64, &scale, 1, error));
    TRY(clv_bundle_put(model->bundle, "bias", BUNDLE_F64, intercept, outputs, error));
    model->features = features;
    return OK;
}

static Status put_arrays(Model *model, BundleType type, const void *w, uint32_t features,
                         size_t outputs, double scale, const double *intercept, cleave_error *error)
{
    TRY(clv_bundle_put(model->bundle, "weights", type, w, (uint64_t)features * outputs, error));
    return put_rest(model, features, outputs, scale, intercept, error);
}

/* Returns the scaled thresholds if all are in range; the caller frees them. */
static Status scaled_intercepts(const Linear *linear, double scale, double intercept_scale,
                                double **intercepts, cleave_error *error)
{
    double *intercept;
    float largest = 0;

    TRY(ALLOC(linear->context, intercept, linear->outputs, "thresholds", error));
    for (size_t i = 0, end, count = (size_t)linear->features * linear->outputs; i < count;)
        for (end = next_weights(linear->context, i, count); i < end; i++)
            largest = fabsf(linear->w[i]) > largest ? fabsf(linear->w[i]) : largest;
    for (size_t i = 0; i < linear->outputs; i++) {
        intercept[i] = intercept_scale * linear->intercept[i];
        if (!isfinite(intercept[i]))
            largest = INFINITY;
    }
    if (!(scale * (double)largest <= FLT_MAX)) {
        clv_free(linear->context, intercept);
        return clv_linear_overflow(error);
    }
    *intercepts = intercept;
    return OK;
}

Status clv_linear_to_model(const Linear *linear, double scale, double intercept_scale, Model *model,
                           cleave_error *error)
{
    double *intercept;
    Status status;

    TRY(scaled_intercepts(linear, scale, intercept_scale, &intercept, error));
    status = put_arrays(model, BUNDLE_F32, linear->w, linear->features, linear->outputs, scale,
                        intercept, error);
    clv_free(linear->context, intercept);
    return status;
}

Status clv_linear_move_to_model(Linear *linear, double scale, double intercept_scale, Model *model,
                                cleave_error *error)
{
    float *w = linear->w;
    double *intercept;
    Status status;

    TRY(scaled_intercepts(linear, scale, intercept_scale, &intercept, error));
    linear->w = NULL;
    linear->capacity = 0;
    status = clv_bundle_take(model->bundle, "weights", BUNDLE_F32, w,
                             (uint64_t)linear->features * linear->outputs, error);
    THEN(status, put_rest(model, linear->features, linear->outputs, scale, intercept, error));
    clv_free(linear->context, intercept);
    return status;
}

Status clv_linear_wide_to_model(const double *w, const double *intercept, uint32_t features,
                                size_t outputs, Model *model, cleave_error *error)
{
    return put_arrays(model, BUNDLE_F64, w, features, outputs, 1, intercept, error);
}

Status clv_linear_check_outputs(const Model *model, size_t outputs, cleave_error *error)
{
    if (outputs_of(model->labels.count) == outputs)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "open the data with the warm-start model, which fixes the classes",
                         "the warm-start model has %u classes and the data has a different number",
                         model->labels.count);
}

static const BundleItem *weights_of(const Model *model)
{
    const BundleItem *weights = clv_bundle_get(model->bundle, "weights", BUNDLE_F32);

    return weights ? weights : clv_bundle_get(model->bundle, "weights", BUNDLE_F64);
}

Status clv_linear_from_model(Linear *linear, const Model *model, double scale, cleave_error *error)
{
    const BundleItem *weights = weights_of(model);
    const BundleItem *intercept = clv_bundle_get(model->bundle, "bias", BUNDLE_F64);
    const BundleItem *its_scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    double ratio;

    TRY(clv_linear_check_outputs(model, linear->outputs, error));
    if (!weights || !intercept || !its_scale)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "the linear model has no weights");
    TRY(clv_linear_reserve(linear, model->features, error));
    ratio = *(const double *)its_scale->data / scale;
    for (uint64_t i = 0; i < weights->count; i++)
        linear->w[i] = (float)(ratio * (weights->type == BUNDLE_F64
                                            ? ((const double *)weights->data)[i]
                                            : (double)((const float *)weights->data)[i]));
    for (size_t i = 0; i < linear->outputs; i++)
        linear->intercept[i] = ((const double *)intercept->data)[i] / scale;
    return OK;
}

bool clv_linear_has_item(const Model *model, const char *name, BundleType type, size_t rows)
{
    const BundleItem *item = clv_bundle_get(model->bundle, name, type);

    return item && item->count == (uint64_t)rows * outputs_of(model->labels.count) &&
           clv_bundle_finite(item);
}

bool clv_linear_allows_item(const Model *model, const char *name, BundleType type, size_t rows)
{
    return !clv_bundle_get(model->bundle, name, type) ||
           clv_linear_has_item(model, name, type, rows);
}

bool clv_linear_check_model(const Model *model, BundleType type)
{
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);

    return scale && scale->count == 1 && clv_bundle_finite(scale) &&
           clv_linear_has_item(model, "weights", type, model->features) &&
           clv_linear_has_item(model, "bias", BUNDLE_F64, 1);
}

static bool is_plain(const Block *block, uint32_t row)
{
    uint32_t zeros = 0;

    if (block->form != ROWS_DENSE)
        return block->value_form != VALUES_PER_ROW && !block->has_fillers;
    for (uint32_t i = 0; i < block->features; i++)
        zeros += block->value[(size_t)row * block->features + i] == 0;
    return zeros == 0;
}

/* Allocates memory only if a row must be copied. */
Status clv_linear_dot_init(LinearDot *dot, Context *context, const Block *block,
                           cleave_error *error)
{
    uint32_t most = 0;

    *dot = (LinearDot){.context = context, .kernels = clv_kernels()};
    for (uint32_t row = 0; row < block->rows; row++)
        if (block_row_entries(block, row) > most && !is_plain(block, row))
            most = block_row_entries(block, row);
    if (most == 0)
        return OK;
    TRY(ALLOC(context, dot->column, most, "a row", error));
    TRY(ALLOC(context, dot->value, most, "a row", error));
    dot->row = (Block){.rows = 1,
                       .features = block->features,
                       .form = ROWS_COLUMNS,
                       .value_form = VALUES_EACH,
                       .column = dot->column,
                       .value = dot->value};
    return OK;
}

void clv_linear_dot_free(LinearDot *dot)
{
    if (dot->context)
        FREE(dot->context, dot->column, dot->value);
}

double clv_linear_dot(LinearDot *dot, const BundleItem *weights, const Block *block, uint32_t row)
{
    if (dot->column && !is_plain(block, row)) {
        dot->end = 0;
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            dot->column[dot->end] = walk.column;
            dot->value[dot->end++] = walk.value;
        }
        dot->row.end = &dot->end;
        block = &dot->row;
        row = 0;
    }
    return weights->type == BUNDLE_F64 ? dot->kernels->dot_wide(weights->data, block, row)
                                       : dot->kernels->dot(weights->data, block, row);
}

Status clv_linear_predict(const Model *model, const Block *block, double *scores,
                          cleave_error *error)
{
    const BundleItem *weights = weights_of(model);
    const BundleItem *intercept = clv_bundle_get(model->bundle, "bias", BUNDLE_F64);
    const BundleItem *scale_item = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    size_t outputs = outputs_of(model->labels.count);
    const Kernels *kernels = clv_kernels();
    Status status = OK;
    LinearDot dot = {0};
    double scale;

    if (!weights || !intercept || !scale_item)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "the linear model has no weights");
    memcpy(&scale, scale_item->data, sizeof scale);
    if (outputs == 1)
        status = clv_linear_dot_init(&dot, model->context, block, error);
    for (uint32_t row = 0; status == OK && row < block->rows; row++) {
        double *out = scores + (size_t)row * outputs;

        memset(out, 0, outputs * sizeof *out);
        if (outputs == 1)
            out[0] = clv_linear_dot(&dot, weights, block, row);
        else if (weights->type == BUNDLE_F64)
            wide_scores(kernels, weights->data, outputs, block, row, out);
        else
            kernels->dot_many(weights->data, outputs, block, row, out);
        for (size_t i = 0; i < outputs; i++)
            out[i] = scale * out[i] + ((const double *)intercept->data)[i];
    }
    clv_linear_dot_free(&dot);
    return status;
}

double clv_separator_loss(const Model *model, const double *scores, uint32_t label, double target)
{
    size_t outputs = outputs_of(model->labels.count);
    double sum = 0;

    (void)target;
    if (outputs == 1)
        return fmax(0, label == model->positive ? -scores[0] : scores[0]);
    for (size_t i = 0; i < outputs; i++)
        sum += fmax(0, i == label ? -scores[i] : scores[i]);
    return sum;
}

void clv_linear_look(const Linear *linear, double scale, double *weights, double *thresholds)
{
    for (size_t output = 0; output < linear->outputs; output++) {
        for (uint32_t column = 0; column < linear->features; column++)
            weights[output * linear->features + column] =
                scale * (double)linear->w[column * linear->outputs + output];
        thresholds[output] = linear->intercept[output] == 0 ? 0
                                                            : -scale * linear->intercept[output];
    }
}

/* ---- new classes ----------------------------------------------------------------------------- */

double clv_widen_sign(const Fit *fit, const Widening *to, size_t output, size_t *from)
{
    *from = fit->outputs == 1 ? 0 : output;
    if (to->outputs == 1)
        return fit->positive == to->positive ? 1 : -1;
    if (fit->outputs > 1)
        return output < fit->outputs ? 1 : 0;
    return output >= fit->classes ? 0 : output == fit->positive ? 1 : -1;
}

static Status fail_no_memory(const Fit *fit, size_t count, size_t size)
{
    return clv_fail_memory(fit->error, "the weights of new classes", count * size);
}

Status clv_widen_floats(const Fit *fit, const Widening *to, float **vector, size_t rows)
{
    float *wide = clv_alloc_zero(fit->context, rows * to->outputs, sizeof *wide);

    if (!wide)
        return fail_no_memory(fit, rows * to->outputs, sizeof *wide);
    for (size_t output = 0; output < to->outputs; output++) {
        size_t from;
        float sign = (float)clv_widen_sign(fit, to, output, &from);

        for (size_t i = 0; i < rows && sign != 0; i++)
            wide[i * to->outputs + output] = sign * (*vector)[i * fit->outputs + from];
    }
    clv_free(fit->context, *vector);
    *vector = wide;
    return OK;
}

static Status widen_doubles(const Fit *fit, const Widening *to, double **vector, size_t rows,
                            bool sizes)
{
    double *wide = clv_alloc_zero(fit->context, rows * to->outputs, sizeof *wide);

    if (!wide)
        return fail_no_memory(fit, rows * to->outputs, sizeof *wide);
    for (size_t output = 0; output < to->outputs; output++) {
        size_t from;
        double sign = clv_widen_sign(fit, to, output, &from);

        for (size_t i = 0; i < rows && sign != 0; i++)
            wide[i * to->outputs + output] = (sizes ? 1 : sign) *
                                             (*vector)[i * fit->outputs + from];
    }
    clv_free(fit->context, *vector);
    *vector = wide;
    return OK;
}

Status clv_widen_doubles(const Fit *fit, const Widening *to, double **vector, size_t rows)
{
    return widen_doubles(fit, to, vector, rows, false);
}

Status clv_widen_sizes(const Fit *fit, const Widening *to, double **vector, size_t rows)
{
    return widen_doubles(fit, to, vector, rows, true);
}

Status clv_widen_linear(const Fit *fit, const Widening *to, Linear *linear)
{
    TRY(clv_linear_affordable(linear->features, to->outputs, fit->error));
    TRY(clv_widen_doubles(fit, to, &linear->intercept, 1));
    TRY(clv_widen_floats(fit, to, &linear->w, linear->features));
    linear->outputs = to->outputs;
    linear->capacity = (size_t)linear->features * to->outputs;
    return OK;
}

void clv_widened(Fit *fit, const Widening *to)
{
    fit->classes = to->classes;
    fit->outputs = to->outputs;
    fit->positive = to->positive;
    fit->task = to->outputs > 1 ? CLEAVE_TASK_MULTICLASS : CLEAVE_TASK_BINARY;
}

/* ---- the margin ------------------------------------------------------------------------------ */

void clv_margin_add(Margin *margin, const Linear *linear, const Block *block, uint32_t positive,
                    bool learned_threshold)
{
    if (!margin->begun) {
        *margin = (Margin){
            .begun = true, .least_margin = INFINITY, .intercept = linear->intercept[0]};
        for (uint32_t i = 0; i < linear->features; i++)
            margin->weight_length2 += (double)linear->w[i] * (double)linear->w[i];
    }
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        double length2 = clv_block_norm2(block, row) + (learned_threshold ? 1 : 0);
        double score;

        if (label == UNLABELED)
            continue;
        linear_scores(linear, block, row, &score);
        margin->least_margin = fmin(margin->least_margin, label == positive ? score : -score);
        margin->largest_length2 = fmax(margin->largest_length2, length2);
    }
}

/* With a learned threshold, the bound applies to weights that include the threshold. */
void clv_margin_report(const Margin *margin, double scale, bool learned_threshold, Fit *fit)
{
    double length2 = margin->weight_length2 +
                     (learned_threshold ? margin->intercept * margin->intercept : 0);
    double gamma2 = margin->least_margin * margin->least_margin / length2;

    if (!margin->begun || margin->weight_length2 == 0 || margin->least_margin <= 0)
        return;
    clv_figure(fit, "mistake_bound", margin->largest_length2 / gamma2);
    clv_figure(fit, "bound_radius2", margin->largest_length2);
    clv_figure(fit, "bound_gamma2", gamma2);
    clv_figure(fit, "margin", margin->least_margin / sqrt(margin->weight_length2));
    clv_figure(fit, "origin_distance", fabs(margin->intercept) / sqrt(margin->weight_length2));
    clv_figure(fit, "weight_length", scale * sqrt(margin->weight_length2));
}
