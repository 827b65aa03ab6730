/*
 * Euclidean distance from a center; replaces many columns by one (Leskovec, Rajaraman and Ullman
 * 2014, Example 12.7).
 *
 *     r = √(Σ (x_i - c_i)²)   over the numeric columns;
 *
 * Categories and words are unchanged. The cost is proportional to the nonzeros of a row: zeros
 * contribute Σ c_i², minus the terms of the nonzeros.
 */
#include "pipeline/center.h"

#include <stdio.h>

typedef struct {
    const char *center;
    bool keep;
} Options;

typedef struct {
    double *sum;          /* sum of each column, during learning */
    const double *center; /* center per input; NaN: the column is not a number */
    double around;        /* Σ c_i² */
    uint32_t *place;      /* output of each input; NO_COLUMN: none */
    uint32_t numbers;
} State;

static const Param params[] = {
    TEXT(Options, center, "origin", "Center: origin, mean, or a point such as 3/-4.5."),
    FLAG(Options, keep, "Keep the columns and add the distance."),
    END_OF_PARAMS,
};

static Status check(const void *options, cleave_error *error)
{
    return clv_center_check("radius", ((const Options *)options)->center, error);
}

static Status begin(Step *step)
{
    State *state = step->state;

    for (uint32_t i = 0; i < step->inputs; i++)
        state->numbers += step->in->kind[i] == COLUMN_NUMBER;
    if (state->numbers == 0)
        return clv_fail_hint(step->error, CLEAVE_ERROR_DATA,
                             "omit radius: words and categories have no center",
                             "--transform: radius needs numeric columns; the data has none");
    return ALLOC_ZERO(step->context, state->sum, step->inputs, "a center", step->error);
}

static Status look(Step *step, const Block *block)
{
    State *state = step->state;

    for (uint32_t row = 0; row < block->rows; row++)
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            state->sum[walk.column] += (double)walk.value;
    return OK;
}

/* Stores the center. Only numeric columns have one, so it is compacted first and expanded
 * afterwards. */
static Status put_center(Step *step, double *center)
{
    const Options *options = step->options;
    State *state = step->state;
    uint32_t count = 0;

    for (uint32_t i = 0; i < step->inputs; i++)
        if (step->in->kind[i] == COLUMN_NUMBER)
            state->sum[count++] = state->sum[i];
    TRY(clv_center_point(step, options->center, state->sum, count, center));
    for (uint32_t i = step->inputs; i-- > 0;)
        center[i] = step->in->kind[i] == COLUMN_NUMBER ? center[--count] : (double)NAN;
    return OK;
}

static Status name_columns(const Step *step, Columns *out)
{
    const Options *options = step->options;
    const char *name = "r";
    char buffer[24];

    for (uint32_t i = 0; i < step->inputs; i++) {
        const char *own = clv_names_get(&step->in->names, i, buffer);

        if (step->in->kind[i] == COLUMN_NUMBER && !options->keep)
            continue;
        if (strcmp(own, "r") == 0)
            name = "radius";
        TRY(clv_columns_append(out, own, strlen(own), (ColumnKind)step->in->kind[i], step->error));
    }
    return clv_columns_append(out, name, strlen(name), COLUMN_NUMBER, step->error);
}

static Status columns(Step *step, Columns *out)
{
    double *center = clv_alloc(step->context, step->inputs, sizeof *center);
    Status status = center
                        ? put_center(step, center)
                        : clv_fail_memory(step->error, "a center", step->inputs * sizeof *center);

    if (status != OK) {
        clv_free(step->context, center);
        return status;
    }
    TRY(clv_bundle_take(step->arrays, "centre", BUNDLE_F64, center, step->inputs, step->error));
    return name_columns(step, out);
}

static Status ready(Step *step, cleave_error *error)
{
    const Options *options = step->options;
    const BundleItem *item = clv_bundle_get(step->arrays, "centre", BUNDLE_F64);
    State *state = step->state;
    uint32_t count = 0;

    FREE(step->context, state->sum, state->place);
    state->sum = NULL;
    state->place = NULL;
    if (!item || item->count != step->inputs)
        return CLEAVE_ERROR_FORMAT;
    TRY(ALLOC(step->context, state->place, (size_t)step->inputs + 1, "columns", error));
    state->center = item->data;
    state->around = 0;
    state->numbers = 0;
    for (uint32_t i = 0; i < step->inputs; i++) {
        bool number = !isnan(state->center[i]);

        if (isinf(state->center[i]))
            return CLEAVE_ERROR_FORMAT;
        if (number) {
            state->around += state->center[i] * state->center[i];
            state->numbers++;
        }
        state->place[i] = number && !options->keep ? NO_COLUMN : count++;
    }
    return count + 1 == step->outputs ? OK : CLEAVE_ERROR_FORMAT;
}

static Status measure_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    FeatureRow *row = &workspace->row;
    double square = 0, rest = state->around;
    uint32_t numbers = 0;
    size_t kept = 0;

    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = row->column[i];
        double value = (double)row->value[i], center = state->center[column];

        if (!isnan(center)) {
            square += (value - center) * (value - center);
            rest -= center * center;
            numbers++;
        }
        if (state->place[column] == NO_COLUMN)
            continue;
        row->value[kept] = row->value[i];
        row->column[kept++] = state->place[column];
    }
    row->count = kept;
    if (numbers < state->numbers && rest > 0)
        square += rest;
    return square > 0 ? clv_row_add(workspace, row, step->outputs - 1, (float)sqrt(square), error)
                      : OK;
}

static void free_state(Step *step)
{
    State *state = step->state;

    FREE(step->context, state->sum, state->place);
}

const Transform clv_transform_radius = {
    .name = "radius",
    .brief = "Distance of the numeric columns from a center.",
    .about = "The numeric columns become one column, r: the Euclidean distance from the "
             "center. Words and categories are unchanged.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .check = check,
    .begin = begin,
    .look = look,
    .columns = columns,
    .ready = ready,
    .row = measure_row,
    .free = free_state,
};
