/*
 * Standardization removes the effect of units. Gradient methods also need far fewer steps when
 * columns have similar scales (LeCun, Bottou, Orr, Müller 1998).
 *
 *     standard  (x - mean) / standard deviation
 *     range     (x - min) / (max - min)
 *     max       x / max |x|
 *
 * Applies to the numeric columns of tables, and to all columns of other data. Centering makes
 * sparse rows dense, so data is centered only if at least a tenth of the values are nonzero. A
 * constant column becomes 0 (1 or -1 without centering). Results are clipped to ±clip, so that a
 * value of 1e30 in a stream is only an outlier. A row of weight 2 counts as two rows.
 */
#include "pipeline/transform.h"

#include <stdio.h>

enum { BY_STANDARD, BY_RANGE, BY_MAX, BY_NONE };
enum { CENTER_AUTO, CENTER_YES, CENTER_NO };

typedef struct {
    int by, center;
    double clip;
} Options;

typedef struct {
    double first; /* the first nonzero value; sums of differences from it keep their precision */
    double sum, squares, least, most;
    double weight;  /* sums over the rows with a nonzero value */
    uint64_t count; /* number of these rows */
} ColumnMoments;

typedef struct {
    ColumnMoments *moments; /* per input, during learning */
    double weight;          /* total weight of all rows */
    uint32_t scaled;
    bool centered;
    /* Arrays for transforming rows; all NULL: rows are unchanged. */
    const double *factor; /* per column; NaN: unchanged */
    const double *offset; /* NULL: no centering */
    uint32_t *shifted;    /* columns whose 0 becomes nonzero, in ascending order */
    float *zero;          /* values that replace the zeros of these columns */
    uint32_t *shift_of;   /* per column: its position in `shifted`; NO_COLUMN: none */
    uint32_t shifted_count;
} State;

static const char *const ways[] = {"standard", "range", "max", "none", NULL};
static const char *const center_choices[] = {"auto", "yes", "no", NULL};

static const Param params[] = {
    NAME(Options, by, BY_STANDARD, ways,
         "Divisor: the standard deviation, the range, the maximum, or none.",
         TUNE_SOME("standard,range")),
    NAME(Options, center, CENTER_AUTO, center_choices,
         "Subtract the mean (range: the minimum); auto: unless the data is sparse."),
    REAL_OR_INF(Options, clip, 100, ABOVE(0), "Clip scaled values to plus and minus this value."),
    END_OF_PARAMS,
};

/* ---- learning -------------------------------------------------------------------------------- */

static Status begin(Step *step)
{
    State *state = step->state;

    return ALLOC_ZERO(step->context, state->moments, (size_t)step->inputs + 1, "moments",
                      step->error);
}

static Status look_row(Step *step, const FeatureRow *row, float row_weight)
{
    State *state = step->state;
    double weight = (double)row_weight;

    state->weight += weight;
    for (size_t i = 0; i < row->count; i++) {
        ColumnMoments *moments = &state->moments[row->column[i]];
        double value = (double)row->value[i], difference;

        if (moments->count++ == 0)
            moments->first = moments->least = moments->most = value;
        difference = value - moments->first;
        moments->sum += weight * difference;
        moments->squares += weight * difference * difference;
        moments->weight += weight;
        moments->least = value < moments->least ? value : moments->least;
        moments->most = value > moments->most ? value : moments->most;
    }
    return OK;
}

/* Whether a column is scaled: numeric columns if the data also has categories or words, otherwise
 * all columns. */
static bool is_wanted(const Columns *columns, uint32_t column, bool all)
{
    return all || columns->kind[column] == COLUMN_NUMBER;
}

static bool all_alike(const Columns *columns)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (columns->kind[i] == COLUMN_NUMBER || columns->kind[i] == COLUMN_CATEGORY)
            return false;
    return true;
}

/* Adds the zeros, which look() does not count. */
static void add_zeros(ColumnMoments *moments, const Step *step)
{
    double zeros = fmax(((const State *)step->state)->weight - moments->weight, 0);

    if (moments->count == step->rows)
        return;
    moments->sum -= zeros * moments->first;
    moments->squares += zeros * moments->first * moments->first;
    moments->least = moments->least < 0 ? moments->least : 0;
    moments->most = moments->most > 0 ? moments->most : 0;
}

static bool needs_centering(const Step *step, bool all)
{
    const Options *options = step->options;
    const State *state = step->state;
    double there = 0, columns = 0;

    if (options->center != CENTER_AUTO || options->by == BY_MAX || options->by == BY_NONE)
        return options->center == CENTER_YES;
    for (uint32_t i = 0; i < step->inputs; i++) {
        if (!is_wanted(step->in, i, all))
            continue;
        there += (double)state->moments[i].count;
        columns++;
    }
    return there >= 0.1 * columns * (double)step->rows;
}

static double largest(const ColumnMoments *moments)
{
    return fmax(fabs(moments->least), fabs(moments->most));
}

static void settle_column(const Step *step, const ColumnMoments *moments, bool centered,
                          double *factor, double *offset)
{
    const Options *options = step->options;
    double rows = ((const State *)step->state)->weight, shift = rows > 0 ? moments->sum / rows : 0,
           width = 1;

    *offset = options->by == BY_RANGE ? moments->least : moments->first + shift;
    if (options->by == BY_STANDARD)
        width = sqrt(fmax(rows > 0 ? moments->squares / rows - shift * shift : 0, 0));
    else if (options->by == BY_RANGE)
        width = moments->most - moments->least;
    else if (options->by == BY_MAX)
        width = largest(moments);
    if (moments->least == moments->most && options->by != BY_NONE) {
        *offset = moments->least;
        width = largest(moments);
    }
    *offset = centered ? *offset : 0;
    *factor = width > 0 && isfinite(1 / width) ? 1 / width : 1;
}

static void settle_columns(Step *step, double *factor, double *offset)
{
    State *state = step->state;
    bool all = all_alike(step->in);

    state->centered = needs_centering(step, all);
    for (uint32_t i = 0; i < step->inputs; i++) {
        factor[i] = NAN;
        offset[i] = 0;
        if (!is_wanted(step->in, i, all))
            continue;
        add_zeros(&state->moments[i], step);
        settle_column(step, &state->moments[i], state->centered, &factor[i], &offset[i]);
        state->scaled++;
    }
}

static Status columns(Step *step, Columns *out)
{
    Context *context = step->context;
    State *state = step->state;
    double *factor = clv_alloc(context, (size_t)step->inputs + 1, sizeof *factor);
    double *offset = clv_alloc(context, (size_t)step->inputs + 1, sizeof *offset);
    Status status = factor && offset
                        ? clv_columns_copy(out, step->in, step->error)
                        : clv_fail_memory(step->error, "scales", step->inputs * sizeof *factor);

    if (status == OK) {
        settle_columns(step, factor, offset);
        status = clv_bundle_put(step->arrays, "factor", BUNDLE_F64, factor, step->inputs,
                                step->error);
    }
    if (status == OK && state->centered)
        status = clv_bundle_put(step->arrays, "offset", BUNDLE_F64, offset, step->inputs,
                                step->error);
    FREE(context, factor, offset);
    return status;
}

static const uint32_t *kept_of(const Step *step)
{
    (void)step;
    return NULL;
}

static Status narrow_array(Step *step, const char *name, const double *from, const uint32_t *wanted,
                           uint32_t count)
{
    double *to;

    if (!from)
        return OK;
    TRY(ALLOC(step->context, to, (size_t)count + 1, "scales", step->error));
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[wanted[i]];
    return clv_bundle_take(step->arrays, name, BUNDLE_F64, to, count, step->error);
}

static Status narrow(Step *step, const uint32_t *wanted, uint32_t count)
{
    const State *state = step->state;

    TRY(narrow_array(step, "factor", state->factor, wanted, count));
    return narrow_array(step, "offset", state->offset, wanted, count);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static float scaled(const Options *options, double value, double offset, double factor)
{
    double result = (value - offset) * factor, clip = options->clip;

    return (float)(!(result <= clip) ? clip : result < -clip ? -clip : result);
}

static Status check_arrays(const State *state, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isnan(state->factor[i]) && (!isfinite(state->factor[i]) || state->factor[i] <= 0))
            return CLEAVE_ERROR_FORMAT;
        if (state->offset && !isfinite(state->offset[i]))
            return CLEAVE_ERROR_FORMAT;
    }
    return OK;
}

static Status ready_zeros(const Step *step, State *state, cleave_error *error)
{
    size_t workspace = (size_t)step->inputs + 1;

    state->shifted = clv_alloc(step->context, workspace, sizeof *state->shifted);
    state->zero = clv_alloc(step->context, workspace, sizeof *state->zero);
    state->shift_of = clv_alloc(step->context, workspace, sizeof *state->shift_of);
    if (!state->shifted || !state->zero || !state->shift_of)
        return clv_fail_memory(error, "scales", 3 * workspace * sizeof *state->zero);
    for (uint32_t i = 0; i < step->inputs; i++) {
        float zero = isnan(state->factor[i])
                         ? 0
                         : scaled(step->options, 0, state->offset[i], state->factor[i]);

        state->shift_of[i] = NO_COLUMN;
        if (zero == 0)
            continue;
        state->shift_of[i] = state->shifted_count;
        state->shifted[state->shifted_count] = i;
        state->zero[state->shifted_count++] = zero;
    }
    return OK;
}

static void free_zeros(Step *step)
{
    State *state = step->state;

    FREE(step->context, state->shifted, state->zero, state->shift_of);
    state->shifted = state->shift_of = NULL;
    state->zero = NULL;
    state->shifted_count = 0;
}

static Status ready(Step *step, cleave_error *error)
{
    State *state = step->state;
    const BundleItem *factor = clv_bundle_get(step->arrays, "factor", BUNDLE_F64);
    const BundleItem *offset = clv_bundle_get(step->arrays, "offset", BUNDLE_F64);

    clv_free(step->context, state->moments);
    state->moments = NULL;
    free_zeros(step);
    if (step->inputs != step->outputs || !factor || factor->count != step->inputs ||
        (offset && offset->count != step->inputs))
        return CLEAVE_ERROR_FORMAT;
    state->factor = factor->data;
    state->offset = offset ? offset->data : NULL;
    TRY(check_arrays(state, step->inputs));
    return state->offset ? ready_zeros(step, state, error) : OK;
}

static void divide_row(const Step *step, FeatureRow *row)
{
    const State *state = step->state;
    size_t count = 0;

    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = row->column[i];
        float value = row->value[i];

        if (!isnan(state->factor[column]))
            value = scaled(step->options, (double)value, 0, state->factor[column]);
        row->column[count] = column;
        row->value[count] = value;
        count += value != 0;
    }
    row->count = count;
}

/* Fast path for most rows of tables: copies the transformed row of zeros, overwrites the nonzeros,
 * and appends categories. Returns false if the row has other entries between them, or a value that
 * becomes 0. */
static bool shift_over_zeros(const Step *step, const FeatureRow *row, FeatureRow *made)
{
    const State *state = step->state;
    uint32_t last = state->shifted_count ? state->shifted[state->shifted_count - 1] : 0;
    size_t count = state->shifted_count, i = 0;

    if (count == 0)
        return false;
    memcpy(made->column, state->shifted, count * sizeof *made->column);
    memcpy(made->value, state->zero, count * sizeof *made->value);
    for (; i < row->count && row->column[i] <= last; i++) {
        uint32_t column = row->column[i], place = state->shift_of[column];
        float value;

        if (place == NO_COLUMN)
            return false;
        value = scaled(step->options, (double)row->value[i], state->offset[column],
                       state->factor[column]);
        if (value == 0)
            return false;
        made->value[place] = value;
    }
    for (; i < row->count; i++) {
        uint32_t column = row->column[i];

        if (!isnan(state->factor[column]))
            return false;
        made->column[count] = column;
        made->value[count++] = row->value[i];
    }
    made->count = count;
    return true;
}

/* Merges the row's columns with the columns whose 0 becomes nonzero. Both are ascending. */
static void merge_zeros(const Step *step, const FeatureRow *row, FeatureRow *made)
{
    const State *state = step->state;
    size_t count = 0;
    uint32_t next = 0;

    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = row->column[i];
        float value = row->value[i];

        for (; next < state->shifted_count && state->shifted[next] < column; next++) {
            made->column[count] = state->shifted[next];
            made->value[count++] = state->zero[next];
        }
        next += next < state->shifted_count && state->shifted[next] == column;
        if (!isnan(state->factor[column]))
            value = scaled(step->options, (double)value, state->offset[column],
                           state->factor[column]);
        made->column[count] = column;
        made->value[count] = value;
        count += value != 0;
    }
    for (; next < state->shifted_count; next++) {
        made->column[count] = state->shifted[next];
        made->value[count++] = state->zero[next];
    }
    made->count = count;
}

static Status shift_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    FeatureRow *made = &workspace->spare;
    size_t most = workspace->row.count + state->shifted_count;

    TRY(GROW(workspace->context, made->column, made->column_capacity, most, error));
    TRY(GROW(workspace->context, made->value, made->value_capacity, most, error));
    if (!shift_over_zeros(step, &workspace->row, made))
        merge_zeros(step, &workspace->row, made);
    clv_row_swap(workspace);
    return OK;
}

static Status scale_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;

    if (state->shifted_count || state->offset)
        return shift_row(step, workspace, error);
    divide_row(step, &workspace->row);
    return OK;
}

static void free_state(Step *step)
{
    free_zeros(step);
    clv_free(step->context, ((State *)step->state)->moments);
}

static void summarize(const Step *step, char text[160])
{
    const State *state = step->state;

    if (state->scaled)
        snprintf(text, 160, "%u numeric column%s %s", state->scaled, state->scaled == 1 ? "" : "s",
                 state->centered ? "centered and scaled" : "scaled");
}

const Transform clv_transform_scale = {
    .name = "scale",
    .brief = "Standardize numeric columns, or scale them to a range.",
    .about = "Each numeric column is divided by its standard deviation, its range or its "
             "largest absolute value. If the data is not sparse, the mean or the minimum is "
             "subtracted first. Results are clipped to plus and minus `clip`. Constant columns "
             "become 0. Categories and words of a table are unchanged.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .begin = begin,
    .look_row = look_row,
    .columns = columns,
    .kept = kept_of,
    .narrow = narrow,
    .ready = ready,
    .row = scale_row,
    .free = free_state,
    .summarize = summarize,
};
