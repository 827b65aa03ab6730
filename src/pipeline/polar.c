/*
 * Polar coordinates: the columns x and y become the distance from a center and the angle,
 *
 *     r = √((x - a)² + (y - b)²),   phi = atan2(y - b, x - a), in (-π, π],
 *
 * so that a circle becomes a straight line (Leskovec, Rajaraman and Ullman 2014, Example 12.7,
 * which uses arctan and loses half of the angles). r and phi replace x and y; other columns are
 * unchanged.
 */
#include "pipeline/center.h"

#include <stdio.h>

typedef struct {
    const char *x, *y, *center;
} Options;

typedef struct {
    uint32_t column[2];
    double sum[2];
    double center[2];
} State;

static const Param params[] = {
    TEXT(Options, x, "", "Column of x.", DEFAULT("the first")),
    TEXT(Options, y, "", "Column of y.", DEFAULT("the column after x")),
    TEXT(Options, center, "origin", "Center: origin, mean, or a point such as 3/-4.5."),
    END_OF_PARAMS,
};

static Status check(const void *options, cleave_error *error)
{
    return clv_center_check("polar", ((const Options *)options)->center, error);
}

static Status begin(Step *step)
{
    const Options *options = step->options;
    State *state = step->state;
    uint32_t *column = state->column;

    if (step->inputs < 2)
        return clv_fail_hint(step->error, CLEAVE_ERROR_DATA,
                             "use --transform radius for any number of columns",
                             "--transform: polar needs two columns, but there %s %u",
                             step->inputs == 1 ? "is" : "are", step->inputs);
    column[0] = 0;
    if (*options->x)
        TRY(clv_find_column(step, "x", options->x, &column[0]));
    column[1] = column[0] + 1 < step->inputs ? column[0] + 1 : 0;
    if (*options->y)
        TRY(clv_find_column(step, "y", options->y, &column[1]));
    if (!*options->x && column[1] == 0)
        column[0] = 1;
    if (column[0] == column[1])
        return clv_fail(step->error, CLEAVE_ERROR_USAGE,
                        "--transform: polar: x and y are the same column, '%s'", options->y);
    return OK;
}

static Status look(Step *step, const Block *block)
{
    State *state = step->state;

    for (uint32_t row = 0; row < block->rows; row++)
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            for (int i = 0; i < 2; i++)
                if (walk.column == state->column[i])
                    state->sum[i] += (double)walk.value;
    return OK;
}

static bool is_taken(const Step *step, const char *name)
{
    const State *state = step->state;
    uint32_t column = step->in->names.implicit
                          ? NO_COLUMN
                          : clv_names_find(&step->in->names, name, strlen(name));

    return column < step->inputs && column != state->column[0] && column != state->column[1];
}

/* Adds the name r or phi; r(x,y) or phi(x,y) if that name is taken. */
static Status add_name(const Step *step, int which, bool with_columns, Columns *out)
{
    static const char *const names[] = {"r", "phi"};
    const State *state = step->state;
    char one[24], other[24], name[256];

    if (!with_columns)
        return clv_columns_append(out, names[which], strlen(names[which]), COLUMN_NUMBER,
                                  step->error);
    snprintf(name, sizeof name, "%s(%.100s,%.100s)", names[which],
             clv_names_get(&step->in->names, state->column[0], one),
             clv_names_get(&step->in->names, state->column[1], other));
    return clv_columns_append(out, name, strlen(name), COLUMN_NUMBER, step->error);
}

static Status columns(Step *step, Columns *out)
{
    const Options *options = step->options;
    State *state = step->state;
    bool with_columns = is_taken(step, "r") || is_taken(step, "phi");

    TRY(clv_center_point(step, options->center, state->sum, 2, state->center));
    TRY(clv_bundle_put(step->arrays, "columns", BUNDLE_U32, state->column, 2, step->error));
    TRY(clv_bundle_put(step->arrays, "centre", BUNDLE_F64, state->center, 2, step->error));
    for (uint32_t i = 0; i < step->inputs; i++) {
        char buffer[24];
        const char *name = clv_names_get(&step->in->names, i, buffer);

        if (i == state->column[0] || i == state->column[1])
            TRY(add_name(step, i == state->column[1], with_columns, out));
        else
            TRY(clv_columns_append(out, name, strlen(name), (ColumnKind)step->in->kind[i],
                                   step->error));
    }
    return OK;
}

static Status ready(Step *step, cleave_error *error)
{
    State *state = step->state;

    (void)error;
    if (!clv_bundle_copy(step->arrays, "columns", BUNDLE_U32, state->column, 2) ||
        !clv_bundle_copy(step->arrays, "centre", BUNDLE_F64, state->center, 2) ||
        step->inputs != step->outputs)
        return CLEAVE_ERROR_FORMAT;
    return state->column[0] < step->inputs && state->column[1] < step->inputs &&
                   state->column[0] != state->column[1] && isfinite(state->center[0]) &&
                   isfinite(state->center[1])
               ? OK
               : CLEAVE_ERROR_FORMAT;
}

/* Copies the columns before `until` to the spare row, then adds the new value unless it is 0. */
static Status copy_until(const State *state, RowWorkspace *workspace, size_t *at, uint32_t until,
                         double made, cleave_error *error)
{
    for (; *at < workspace->row.count && workspace->row.column[*at] <= until; ++*at)
        if (workspace->row.column[*at] != state->column[0] &&
            workspace->row.column[*at] != state->column[1])
            TRY(clv_row_add(workspace, &workspace->spare, workspace->row.column[*at],
                            workspace->row.value[*at], error));
    return made != 0 ? clv_row_add(workspace, &workspace->spare, until, (float)made, error) : OK;
}

static Status turn_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    double x = -state->center[0], y = -state->center[1], made[2];
    int first = state->column[0] > state->column[1];
    size_t at = 0;

    for (size_t i = 0; i < workspace->row.count; i++) {
        if (workspace->row.column[i] == state->column[0])
            x += (double)workspace->row.value[i];
        else if (workspace->row.column[i] == state->column[1])
            y += (double)workspace->row.value[i];
    }
    made[0] = hypot(x, y);
    made[1] = atan2(y + 0.0,
                    /* adding 0 avoids -0: the angle of (-1, 0) is π, and the angle of (0, 0) is
                     * 0 */
                    x + 0.0);
    TRY(copy_until(state, workspace, &at, state->column[first], made[first], error));
    TRY(copy_until(state, workspace, &at, state->column[!first], made[!first], error));
    TRY(copy_until(state, workspace, &at, UINT32_MAX, 0, error));
    clv_row_swap(workspace);
    return OK;
}

static void summarize(const Step *step, char text[160])
{
    const State *state = step->state;

    snprintf(text, 160, "around (%g, %g)", state->center[0], state->center[1]);
}

const Transform clv_transform_polar = {
    .name = "polar",
    .brief = "Polar coordinates of two columns.",
    .about = "Two columns become r, the distance from the center, and phi, the angle in "
             "radians by atan2, between -pi and pi. Other columns are unchanged.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .check = check,
    .begin = begin,
    .look = look,
    .columns = columns,
    .ready = ready,
    .row = turn_row,
    .summarize = summarize,
};
