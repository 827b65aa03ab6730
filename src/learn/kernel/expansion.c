#include "learn/kernel/expansion.h"

#include "data/compact.h"

#include <float.h>
#include <stdlib.h>

/* ---- into a model ---------------------------------------------------------------------------- */

typedef struct {
    uint32_t *column;
    float *value, *weight;
    uint64_t *end, *row;
    double *alpha;
    uint64_t count, entries;
    Arena memory;
} Arrays;

static bool matters(const Expansion *expansion, uint32_t i)
{
    for (size_t output = 0; output < expansion->outputs; output++)
        if (expansion->alpha[output * expansion->points->count + i] != 0)
            return true;
    return false;
}

static Status allocate(const Expansion *expansion, Arrays *arrays, cleave_error *error)
{
    const KernelPoints *points = expansion->points;
    Arena *memory = &arrays->memory;

    for (uint32_t i = 0; i < points->count; i++)
        if (matters(expansion, i)) {
            arrays->count++;
            arrays->entries += point_row(points, i).count;
        }
    *memory = (Arena){.context = points->context, .error = error, .what = "support vectors"};
    arrays->column = clv_arena_alloc(memory, (size_t)arrays->entries, sizeof *arrays->column);
    arrays->value = clv_arena_alloc(memory, (size_t)arrays->entries, sizeof *arrays->value);
    arrays->end = clv_arena_alloc(memory, (size_t)arrays->count, sizeof *arrays->end);
    arrays->row = clv_arena_alloc(memory, (size_t)arrays->count, sizeof *arrays->row);
    arrays->alpha = clv_arena_alloc(memory, (size_t)arrays->count * expansion->outputs,
                                    sizeof *arrays->alpha);
    return memory->status;
}

static void fill(const Expansion *expansion, Arrays *arrays)
{
    const KernelPoints *points = expansion->points;
    uint64_t at = 0, entries = 0;

    for (uint32_t i = 0; i < points->count; i++) {
        KernelRow row = point_row(points, i);

        if (!matters(expansion, i))
            continue;
        for (size_t e = 0; e < row.count; e++, entries++) {
            arrays->column[entries] = row.column[e];
            arrays->value[entries] = row.value ? row.value[e] : 1;
        }
        arrays->end[at] = entries;
        arrays->row[at] = expansion->row ? expansion->row[i] : 0;
        for (size_t output = 0; output < expansion->outputs; output++)
            arrays->alpha[output * arrays->count + at] =
                expansion->scale * expansion->alpha[output * points->count + i];
        at++;
    }
}

/* weight[column * outputs + output], as in all linear models. */
static Status add_weights(Arrays *arrays, size_t outputs, Model *model, cleave_error *error)
{
    size_t count = (size_t)model->features * outputs;
    double one = 1, *sum = clv_arena_zero(&arrays->memory, count, sizeof *sum);

    arrays->weight = clv_arena_alloc(&arrays->memory, count, sizeof *arrays->weight);
    TRY(arrays->memory.status);
    for (size_t output = 0; output < outputs; output++)
        for (uint64_t i = 0, e = 0; i < arrays->count; i++)
            for (; e < arrays->end[i]; e++)
                sum[(size_t)arrays->column[e] * outputs + output] +=
                    arrays->alpha[output * arrays->count + i] * (double)arrays->value[e];
    for (size_t i = 0; i < count; i++)
        arrays->weight[i] = (float)fmax(fmin(sum[i], (double)FLT_MAX), -(double)FLT_MAX);
    TRY(clv_bundle_put(model->bundle, "weights", BUNDLE_F32, arrays->weight, count, error));
    return clv_bundle_put(model->bundle, "scale", BUNDLE_F64, &one, 1, error);
}

static Status put(const Expansion *expansion, Arrays *arrays, Model *model, cleave_error *error)
{
    const KernelPoints *points = expansion->points;
    Bundle *bundle = model->bundle;
    size_t outputs = expansion->outputs;

    TRY(clv_kernel_to_model(expansion->kernel, model, error));
    TRY(clv_bundle_put(bundle, "sv_columns", BUNDLE_U32, arrays->column, arrays->entries, error));
    if (!points->ones)
        TRY(clv_bundle_put(bundle, "sv_values", BUNDLE_F32, arrays->value, arrays->entries, error));
    TRY(clv_bundle_put(bundle, "sv_ends", BUNDLE_U64, arrays->end, arrays->count, error));
    if (expansion->row)
        TRY(clv_bundle_put(bundle, "sv_rows", BUNDLE_U64, arrays->row, arrays->count, error));
    TRY(clv_bundle_put(bundle, "alpha", BUNDLE_F64, arrays->alpha, arrays->count * outputs, error));
    TRY(clv_bundle_put(bundle, "bias", BUNDLE_F64, expansion->intercept, outputs, error));
    return expansion->kernel->kind == KERNEL_LINEAR ? add_weights(arrays, outputs, model, error)
                                                    : OK;
}

Status clv_expansion_to_model(const Expansion *expansion, Model *model, cleave_error *error)
{
    Arrays arrays = {0};
    Status status = allocate(expansion, &arrays, error);

    if (status == OK) {
        fill(expansion, &arrays);
        status = put(expansion, &arrays, model, error);
    }
    clv_arena_free(&arrays.memory);
    return status;
}

/* ---- out of a model -------------------------------------------------------------------------- */

typedef struct {
    Kernel kernel;
    const BundleItem *column, *value, *end, *row, *alpha, *intercept, *weight;
} Kept;

static bool find_arrays(const Model *model, Kept *kept)
{
    const Bundle *bundle = model->bundle;

    *kept = (Kept){
        .column = clv_bundle_get(bundle, "sv_columns", BUNDLE_U32),
        .value = clv_bundle_get(bundle, "sv_values", BUNDLE_F32),
        .end = clv_bundle_get(bundle, "sv_ends", BUNDLE_U64),
        .row = clv_bundle_get(bundle, "sv_rows", BUNDLE_U64),
        .alpha = clv_bundle_get(bundle, "alpha", BUNDLE_F64),
        .intercept = clv_bundle_get(bundle, "bias", BUNDLE_F64),
        .weight = clv_bundle_get(bundle, "weights", BUNDLE_F32),
    };
    return clv_kernel_from_model(model, &kept->kernel) && kept->column && kept->end &&
           kept->alpha && kept->intercept;
}

/* Whether the ends increase, and the columns of each row increase and are below `features`. */
static bool rows_are_sound(const Kept *kept, uint32_t features)
{
    const uint64_t *end = kept->end->data;
    const uint32_t *column = kept->column->data;
    uint64_t before = 0;

    for (uint64_t i = 0; i < kept->end->count; before = end[i++]) {
        if (end[i] < before || end[i] > kept->column->count)
            return false;
        for (uint64_t e = before; e < end[i]; e++)
            if (column[e] >= features || (e > before && column[e] <= column[e - 1]))
                return false;
    }
    return before == kept->column->count;
}

bool clv_expansion_check_model(const Model *model)
{
    size_t outputs = outputs_of(model->labels.count);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);
    Kept kept;

    if (!find_arrays(model, &kept) || kept.intercept->count != outputs ||
        kept.end->count > UINT32_MAX || kept.alpha->count != kept.end->count * outputs ||
        (kept.value && kept.value->count != kept.column->count) ||
        (kept.row && kept.row->count != kept.end->count))
        return false;
    if (kept.kernel.kind == KERNEL_LINEAR
            ? !kept.weight || kept.weight->count != (uint64_t)model->features * outputs || !scale ||
                  scale->count != 1
            : kept.weight != NULL)
        return false;
    return clv_bundle_finite(kept.alpha) && clv_bundle_finite(kept.intercept) &&
           (!kept.value || clv_bundle_finite(kept.value)) &&
           (!kept.weight || clv_bundle_finite(kept.weight)) &&
           rows_are_sound(&kept, model->features);
}

/* Sets points to the arrays of a model. norm2 is allocated. */
static Status borrow_points(const Model *model, const Kept *kept, KernelPoints *points,
                            cleave_error *error)
{
    size_t count = (size_t)kept->end->count;

    *points = (KernelPoints){.context = model->context,
                             .count = (uint32_t)count,
                             .features = model->features,
                             .entries = (size_t)kept->column->count,
                             .end = (uint64_t *)(uintptr_t)kept->end->data,
                             .column = (uint32_t *)(uintptr_t)kept->column->data,
                             .value = kept->value ? (float *)(uintptr_t)kept->value->data : NULL,
                             .ones = !kept->value};
    TRY(ALLOC_ZERO(model->context, points->norm2, count, "norms of support vectors", error));
    for (size_t i = 0, e = 0; i < count; i++)
        for (; e < points->end[i]; e++)
            points->norm2[i] += points->value ? (double)points->value[e] * (double)points->value[e]
                                              : 1;
    return OK;
}

Status clv_expansion_points(const Model *model, KernelPoints *points, cleave_error *error)
{
    KernelPoints borrowed;
    Kept kept;
    Status status;

    if (!find_arrays(model, &kept))
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "the kernel model has no support vectors");
    TRY(borrow_points(model, &kept, &borrowed, error));
    status = clv_points_copy(points, &borrowed, error);
    clv_free(model->context, borrowed.norm2);
    return status;
}

/* The points of a model, prepared for evaluating rows. If the model has far more columns than its
 * points use, the used columns are renumbered in ascending order. */
typedef struct {
    KernelPoints points;
    /* The used columns, and the points with the new numbers; NULL: columns are not renumbered. */
    uint32_t *known, *numbered;
    uint32_t known_count;
    View view;
    Evaluator evaluator;
    KernelPoints one; /* the current row */
    float *values;    /* kernel values of the row and each point */
} Against;

static int compare_columns(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

/* The number of a column; NO_COLUMN if no point has it. */
static uint32_t number_of(const Against *against, uint32_t column)
{
    const uint32_t *found = bsearch(&column, against->known, against->known_count, sizeof column,
                                    compare_columns);

    return found ? (uint32_t)(found - against->known) : NO_COLUMN;
}

static Status number_columns(Against *against, Context *context, cleave_error *error)
{
    KernelPoints *points = &against->points;
    size_t entries = points->entries, count = 0;

    against->known = clv_alloc(context, entries, sizeof *against->known);
    against->numbered = clv_alloc(context, entries, sizeof *against->numbered);
    if (!against->known || !against->numbered)
        return clv_fail_memory(error, "columns of support vectors",
                               2 * entries * sizeof *against->known);
    if (entries)
        memcpy(against->known, points->column, entries * sizeof *against->known);
    qsort(against->known, entries, sizeof *against->known, compare_columns);
    for (size_t i = 0; i < entries; i++)
        if (i == 0 || against->known[i] != against->known[count - 1])
            against->known[count++] = against->known[i];
    against->known_count = (uint32_t)count;
    for (size_t i = 0; i < entries; i++)
        against->numbered[i] = number_of(against, points->column[i]);
    points->column = against->numbered;
    points->features = against->known_count;
    return OK;
}

/* Removes the columns of the row that no point has. Its norm is still that of all columns, so that
 * they count in the distance of the Gaussian kernel, as in LIBSVM. */
static void number_row(const Against *against, KernelPoints *one)
{
    size_t kept = 0;

    for (size_t e = 0; e < one->entries; e++) {
        uint32_t column = one->column[e], number = against->known ? number_of(against, column)
                                                   : column < against->points.features ? column
                                                                                       : NO_COLUMN;

        if (number == NO_COLUMN)
            continue;
        one->value[kept] = one->value[e];
        one->column[kept++] = number;
    }
    one->entries = one->end[0] = kept;
}

static Status open_against(Against *against, const Model *model, const Kept *kept,
                           cleave_error *error)
{
    *against = (Against){0};
    clv_points_init(&against->one, model->context, 0);
    TRY(borrow_points(model, kept, &against->points, error));
    if (clv_has_gaps(model->features, kept->column->count))
        TRY(number_columns(against, model->context, error));
    TRY(clv_view_init(&against->view, &against->points, NULL, against->points.count, error));
    TRY(clv_evaluator_init(&against->evaluator, model->context, kept->kernel,
                           against->points.features, error));
    return ALLOC(model->context, against->values, against->points.count, "a kernel row", error);
}

static void close_against(Against *against, const Model *model)
{
    FREE(model->context, against->values, against->known, against->numbered);
    clv_points_free(&against->one);
    clv_evaluator_free(&against->evaluator);
    clv_view_free(&against->view);
    clv_free(model->context, against->points.norm2);
}

static Status evaluate_row(Against *against, const Block *block, uint32_t row, cleave_error *error)
{
    KernelPoints *one = &against->one;
    KernelRow x;

    one->count = 0;
    one->entries = 0;
    one->ones = true;
    TRY(clv_points_add(one, block, row, error));
    if (against->known || block->features > against->points.features)
        number_row(against, one);
    x = point_row(one, 0);
    if (one->ones)
        x.value = NULL;
    clv_evaluate(&against->evaluator, &against->view, x, against->values);
    return OK;
}

static Status predict_by_points(const Model *model, const Kept *kept, const Block *block,
                                double *scores, cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count);
    Against against;
    Status status = open_against(&against, model, kept, error);
    uint64_t done = 0;

    for (uint32_t row = 0; row < block->rows && status == OK; row++) {
        size_t count = against.view.count;

        if (clv_cancelled_after(model->context, &done,
                                kernel_row_units(&against.points) + count * outputs)) {
            status = clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
            break;
        }
        status = evaluate_row(&against, block, row, error);
        for (size_t output = 0; output < outputs && status == OK; output++)
            scores[row * outputs + output] = against.evaluator.loops->weigh(
                                                 against.values,
                                                 (const double *)kept->alpha->data + output * count,
                                                 count) +
                                             ((const double *)kept->intercept->data)[output];
    }
    close_against(&against, model);
    return status;
}

static void predict_by_weights(const Kept *kept, const Block *block, uint32_t features,
                               size_t outputs, double *scores)
{
    const float *weight = kept->weight->data;

    for (uint32_t row = 0; row < block->rows; row++) {
        double *out = scores + row * outputs;

        memcpy(out, kept->intercept->data, outputs * sizeof *out);
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            for (size_t output = 0; output < outputs && walk.column < features; output++)
                out[output] += (double)weight[walk.column * outputs + output] * (double)walk.value;
    }
}

Status clv_expansion_predict(const Model *model, const Block *block, double *scores,
                             cleave_error *error)
{
    Kept kept;

    if (!find_arrays(model, &kept))
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "the kernel model has no support vectors");
    if (!kept.weight)
        return predict_by_points(model, &kept, block, scores, error);
    predict_by_weights(&kept, block, model->features, outputs_of(model->labels.count), scores);
    return OK;
}

/* ---- support vectors ------------------------------------------------------------------------- */

static const char *label_of(const Model *model, uint32_t label)
{
    return label < model->labels.count ? model->labels.list[label].text : NULL;
}

/* Names the class that a point supports, by the sign of its coefficient in an output. */
static void name_side(const Model *model, size_t output, cleave_support_vector *support)
{
    if (outputs_of(model->labels.count) > 1) {
        support->label = label_of(model, (uint32_t)output);
        support->against = support->alpha < 0;
    } else {
        support->label = label_of(model,
                                  support->alpha > 0 ? model->positive : 1 - model->positive);
    }
}

/* The output with the largest coefficient, where positive coefficients are preferred. */
static size_t heaviest_output(const Kept *kept, size_t outputs, size_t point)
{
    const double *alpha = kept->alpha->data;
    size_t count = (size_t)kept->end->count, most = 0;

    for (size_t output = 1; output < outputs; output++)
        if (alpha[output * count + point] > alpha[most * count + point])
            most = output;
    for (size_t output = 0; output < outputs && !(alpha[most * count + point] > 0); output++)
        if (alpha[output * count + point] < alpha[most * count + point])
            most = output;
    return most;
}

static int heaviest_first(const void *a, const void *b)
{
    const cleave_support_vector *x = a, *y = b;
    double one = fabs(isnan(x->contribution) ? x->alpha : x->contribution),
           two = fabs(isnan(y->contribution) ? y->alpha : y->contribution);

    if (one != two)
        return one > two ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void list_supports(const Model *model, const Kept *kept, const float *values,
                          size_t predicted, cleave_support_vector *list)
{
    size_t count = (size_t)kept->end->count, outputs = outputs_of(model->labels.count);
    const uint64_t *rows = kept->row ? kept->row->data : NULL;

    for (size_t i = 0; i < count; i++) {
        size_t output = values ? predicted : heaviest_output(kept, outputs, i);
        double alpha = ((const double *)kept->alpha->data)[output * count + i];

        list[i] = (cleave_support_vector){.row = rows ? rows[i] + 1 : 0,
                                          .alpha = alpha,
                                          .kernel = values ? (double)values[i] : (double)NAN,
                                          .contribution = values ? alpha * (double)values[i]
                                                                 : (double)NAN};
        name_side(model, output, &list[i]);
    }
    qsort(list, count, sizeof *list, heaviest_first);
}

Status clv_expansion_supports(const Model *model, const Block *block, uint32_t row, size_t output,
                              cleave_support_vector **list, size_t *count, cleave_error *error)
{
    Against against;
    Kept kept;
    Status status = OK;

    *list = NULL;
    *count = 0;
    if (!find_arrays(model, &kept))
        return OK; /* a random-feature model has no support vectors */
    TRY(ALLOC(model->context, *list, (size_t)kept.end->count, "support vectors", error));
    *count = (size_t)kept.end->count;
    if (!block) {
        list_supports(model, &kept, NULL, 0, *list);
        return OK;
    }
    status = open_against(&against, model, &kept, error);
    THEN(status, evaluate_row(&against, block, row, error));
    if (status == OK)
        list_supports(model, &kept, against.values, output, *list);
    close_against(&against, model);
    return status;
}

double clv_expansion_loss(const Model *model, const double *scores, uint32_t label, double margin)
{
    size_t outputs = outputs_of(model->labels.count);
    double sum = 0;

    if (outputs == 1)
        return fmax(0, margin - (label == model->positive ? scores[0] : -scores[0]));
    for (size_t i = 0; i < outputs; i++)
        sum += fmax(0, margin - (i == label ? scores[i] : -scores[i]));
    return sum;
}
