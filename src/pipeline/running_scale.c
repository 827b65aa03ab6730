/*
 * Standardization for streams. Means and variances are updated with each row, by Welford's
 * recurrence (Welford 1962) with sample weights, before the row is standardized:
 *
 *     W += w,   d = x - mean,   mean += w d / W,   S += w d (x - mean)
 *     z = (x - mean) / sqrt(S / W)
 *
 * Because a row is part of its own statistics, |z| < sqrt(n) after n rows of weight 1, so that the
 * first rows cannot be outliers. A missing number, which `column=?` indicates, becomes the mean, z
 * = 0. The statistics are stored in the model, and a resumed stream continues with them.
 */
#include "pipeline/transform.h"

#include <float.h>
#include <stdio.h>

/* A column is constant if its standard deviation is below this fraction of its mean: float32 values
 * have 24 bits. */
#define CONSTANT 1e-8

typedef struct {
    double clip;
} Options;

typedef struct {
    uint32_t count; /* number of numeric columns */
    uint32_t *column;
    double *weight, *mean, *squares; /* W, mean and S */
    double *factor;                  /* 1 / standard deviation */
    double *value;                   /* value of the current row of a stream */
    /* Columns `column=?` in ascending order, and the position of their numeric column. */
    uint32_t mark_count, *mark, *marked;
    size_t mark_capacity, marked_capacity;
    uint32_t named; /* number of columns whose names were searched for indicators */
} State;

static const Param params[] = {
    REAL_OR_INF(Options, clip, 100, ABOVE(0), "Clip scaled values to plus and minus this value."),
    END_OF_PARAMS,
};

/* ---- columns --------------------------------------------------------------------------------- */

static Status make_state(Step *step, uint32_t count, cleave_error *error)
{
    Context *context = step->context;
    State *state = step->state;
    size_t size = (size_t)count + 1;

    state->count = count;
    state->column = clv_alloc_zero(context, size, sizeof *state->column);
    state->weight = clv_alloc_zero(context, size, sizeof *state->weight);
    state->mean = clv_alloc_zero(context, size, sizeof *state->mean);
    state->squares = clv_alloc_zero(context, size, sizeof *state->squares);
    state->factor = clv_alloc_zero(context, size, sizeof *state->factor);
    state->value = clv_alloc_zero(context, size, sizeof *state->value);
    return state->column && state->weight && state->mean && state->squares && state->factor &&
                   state->value
               ? OK
               : clv_fail_memory(error, "means and variances", 5 * size * sizeof *state->mean);
}

static void free_state(Step *step)
{
    State *state = step->state;

    FREE(step->context, state->column, state->weight, state->mean, state->squares, state->factor,
         state->value, state->mark, state->marked);
    *state = (State){.count = 0};
}

static Status add_mark(Step *step, uint32_t mark, uint32_t place, cleave_error *error)
{
    State *state = step->state;
    size_t count = (size_t)state->mark_count + 1;

    TRY(GROW(step->context, state->mark, state->mark_capacity, count, error));
    TRY(GROW(step->context, state->marked, state->marked_capacity, count, error));
    state->mark[state->mark_count] = mark;
    state->marked[state->mark_count++] = place;
    return OK;
}

/* Finds the indicators of missing values among the columns with new names. */
static Status find_marks(Step *step, const Names *names, cleave_error *error)
{
    State *state = step->state;

    for (; !names->implicit && state->named < names->count; state->named++) {
        char buffer[24];
        const char *name = clv_names_get(names, state->named, buffer);
        size_t length = strlen(name);
        uint32_t column;

        if (length < 3 || memcmp(name + length - 2, "=?", 2) != 0)
            continue;
        column = clv_names_find(names, name, length - 2);
        for (uint32_t i = 0; i < state->count; i++)
            if (state->column[i] == column)
                TRY(add_mark(step, state->named, i, error));
    }
    return OK;
}

static Status begin(Step *step)
{
    const Columns *in = step->in;
    State *state = step->state;
    uint32_t count = 0;

    if (!in->table && in->count == 0)
        return clv_fail_hint(step->error, CLEAVE_ERROR_USAGE,
                             "use 'cleave train' with --transform scale",
                             "--transform: running-scale applies to tables only");
    for (uint32_t i = 0; i < in->count; i++)
        count += in->kind[i] == COLUMN_NUMBER;
    TRY(make_state(step, count, step->error));
    count = 0;
    for (uint32_t i = 0; i < in->count; i++)
        if (in->kind[i] == COLUMN_NUMBER)
            state->column[count++] = i;
    return find_marks(step, &in->names, step->error);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Gathers the numbers of a row; NaN: missing. */
static void gather(const State *state, const FeatureRow *row, double *value)
{
    uint32_t place = 0, mark = 0;

    for (uint32_t i = 0; i < state->count; i++)
        value[i] = 0;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = row->column[i];

        while (place < state->count && state->column[place] < column)
            place++;
        if (place < state->count && state->column[place] == column)
            value[place] = (double)row->value[i];
        while (mark < state->mark_count && state->mark[mark] < column)
            mark++;
        if (mark < state->mark_count && state->mark[mark] == column)
            value[state->marked[mark]] = NAN;
    }
}

static void set_factor(State *state, uint32_t i)
{
    double width = state->weight[i] > 0 ? sqrt(state->squares[i] / state->weight[i]) : 0;

    if (!(width > CONSTANT * fabs(state->mean[i])))
        width = fabs(state->mean[i]);
    state->factor[i] = width > 0 && isfinite(1 / width) ? 1 / width : 1;
}

static Status look_row(Step *step, const FeatureRow *row, float row_weight)
{
    State *state = step->state;
    double weight = (double)row_weight;

    gather(state, row, state->value);
    for (uint32_t i = 0; i < state->count && weight > 0; i++) {
        double difference = state->value[i] - state->mean[i];

        if (isnan(difference))
            continue;
        state->weight[i] += weight;
        state->mean[i] += difference * (weight / state->weight[i]);
        /* Rounding can move the mean beyond the value. */
        state->squares[i] += fmax(weight * difference * (state->value[i] - state->mean[i]), 0);
        set_factor(state, i);
    }
    return OK;
}

static Status observe(Step *step, const Names *names, const FeatureRow *row, float weight,
                      cleave_error *error)
{
    TRY(find_marks(step, names, error));
    return look_row(step, row, weight);
}

static Status record(const Step *step, Bundle *arrays, cleave_error *error)
{
    const State *state = step->state;

    TRY(clv_bundle_put(arrays, "column", BUNDLE_U32, state->column, state->count, error));
    TRY(clv_bundle_put(arrays, "weight", BUNDLE_F64, state->weight, state->count, error));
    TRY(clv_bundle_put(arrays, "mean", BUNDLE_F64, state->mean, state->count, error));
    TRY(clv_bundle_put(arrays, "squares", BUNDLE_F64, state->squares, state->count, error));
    if (state->mark_count == 0)
        return OK;
    TRY(clv_bundle_put(arrays, "mark", BUNDLE_U32, state->mark, state->mark_count, error));
    return clv_bundle_put(arrays, "marked", BUNDLE_U32, state->marked, state->mark_count, error);
}

static Status columns(Step *step, Columns *out)
{
    TRY(clv_columns_copy(out, step->in, step->error));
    return record(step, step->arrays, step->error);
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool ascend(const uint32_t *list, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (list[i] >= MOST_FEATURES || (i > 0 && list[i] <= list[i - 1]))
            return false;
    return true;
}

static Status load_marks(Step *step, const BundleItem *mark, const BundleItem *marked,
                         cleave_error *error)
{
    State *state = step->state;
    const uint32_t *marks = mark->data, *places = marked->data;

    for (uint64_t i = 0; i < mark->count; i++) {
        if (places[i] >= state->count)
            return CLEAVE_ERROR_FORMAT;
        TRY(add_mark(step, marks[i], places[i], error));
        state->named = marks[i] + 1;
    }
    return OK;
}

/* Whether rows of float32 values can have these statistics. Further rows keep them within these
 * limits, so that no update overflows. */
static bool possible(double weight, double mean, double squares)
{
    const double most = 2 * (double)FLT_MAX, most_weight = 1e60;

    return weight >= 0 && weight <= most_weight && fabs(mean) <= most && squares >= 0 &&
           squares <= weight * (4 * most * most);
}

/* Loads the state. A step that a stream has just begun has no arrays. */
static Status ready(Step *step, cleave_error *error)
{
    State *state = step->state;
    const BundleItem *column = clv_bundle_get(step->arrays, "column", BUNDLE_U32);
    const BundleItem *mark = clv_bundle_get(step->arrays, "mark", BUNDLE_U32);
    const BundleItem *marked = clv_bundle_get(step->arrays, "marked", BUNDLE_U32);

    if (!column && state->column)
        return OK;
    if (!column || column->count > MOST_FEATURES || !ascend(column->data, column->count) ||
        step->inputs != step->outputs || !mark != !marked ||
        (mark && (mark->count != marked->count || !ascend(mark->data, mark->count))))
        return CLEAVE_ERROR_FORMAT;
    free_state(step);
    TRY(make_state(step, (uint32_t)column->count, error));
    memcpy(state->column, column->data, state->count * sizeof *state->column);
    if (!clv_bundle_copy(step->arrays, "weight", BUNDLE_F64, state->weight, state->count) ||
        !clv_bundle_copy(step->arrays, "mean", BUNDLE_F64, state->mean, state->count) ||
        !clv_bundle_copy(step->arrays, "squares", BUNDLE_F64, state->squares, state->count))
        return CLEAVE_ERROR_FORMAT;
    for (uint32_t i = 0; i < state->count; i++) {
        if (!possible(state->weight[i], state->mean[i], state->squares[i]) ||
            (step->inputs > 0 && state->column[i] >= step->inputs))
            return CLEAVE_ERROR_FORMAT;
        set_factor(state, i);
    }
    return mark ? load_marks(step, mark, marked, error) : OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static float standardize(const Step *step, uint32_t place, double value)
{
    const State *state = step->state;
    double clip = ((const Options *)step->options)->clip,
           result = (value - state->mean[place]) * state->factor[place];

    return isnan(value) ? 0 : (float)(!(result <= clip) ? clip : result < -clip ? -clip : result);
}

static Status scale_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    const FeatureRow *row = &workspace->row;
    FeatureRow *made = &workspace->spare;
    size_t next = 0, most = row->count + state->count;

    TRY(GROW(workspace->context, made->column, made->column_capacity, most, error));
    TRY(GROW(workspace->context, made->value, made->value_capacity, most, error));
    TRY(clv_workspace_numbers(workspace, (size_t)state->count + 1, error));
    gather(state, row, workspace->numbers);
    made->count = 0;
    for (uint32_t place = 0; place <= state->count; place++) {
        bool last = place == state->count;
        uint32_t column = last ? NO_COLUMN : state->column[place];
        float value = last ? 0 : standardize(step, place, workspace->numbers[place]);

        for (; next < row->count && row->column[next] < column; next++) {
            made->column[made->count] = row->column[next];
            made->value[made->count++] = row->value[next];
        }
        next += next < row->count && row->column[next] == column;
        if (value == 0 || column >= step->limit)
            continue;
        made->column[made->count] = column;
        made->value[made->count++] = value;
    }
    clv_row_swap(workspace);
    return OK;
}

static void summarize(const Step *step, char text[160])
{
    uint32_t count = ((const State *)step->state)->count;

    snprintf(text, 160, "%u numeric column%s standardized by running means", count,
             count == 1 ? "" : "s");
}

const Transform clv_transform_running_scale = {
    .name = "running-scale",
    .brief = "Standardize the numeric columns of a stream by running means and variances.",
    .about = "Each row first updates the mean and the variance of its numeric columns, then (x - "
             "mean) / standard deviation replaces x. Missing numbers become the mean. The "
             "statistics are stored in the model. 'cleave stream' uses this transform by default "
             "for tables. 'cleave train' computes the statistics of all rows.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .begin = begin,
    .look_row = look_row,
    .observe = observe,
    .record = record,
    .columns = columns,
    .ready = ready,
    .row = scale_row,
    .free = free_state,
    .summarize = summarize,
};
