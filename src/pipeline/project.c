/*
 * Random projection: a sufficient number of random directions preserves distances approximately for
 * any data (Johnson and Lindenstrauss 1984; Achlioptas 2003):
 *
 *     gaussian   each element of a direction is normal with variance 1/k
 *     sparse     each element is √(3/k) times +1, 0, 0, 0, 0 or -1, at a third of the cost per row
 *
 * For n rows, k ≥ 4 ln n / (ε²/2 - ε³/3) directions preserve all squared distances up to a factor
 * of 1 ± ε (Dasgupta and Gupta 2003). Each column has its own random stream. The sparse kind stores
 * only the seed.
 */
#include "pipeline/random_directions.h"

#include <stdio.h>

enum { KIND_SPARSE, KIND_GAUSSIAN };

typedef struct {
    int64_t components, seed;
    double eps;
    int kind;
} Options;

typedef struct {
    /* gaussian */
    const float *table;
    /* sparse: entries end[c - 1] … end[c] - 1 are those of column c. An entry is twice the
     * direction, plus 1 if its sign is negative. */
    uint32_t *entry;
    size_t *end;
    float scale;
} State;

static const char *const kinds[] = {"sparse", "gaussian", NULL};

static const Param params[] = {
    INTEGER(Options, components, 100, WITHIN(1, 1000000), "Number of directions."),
    REAL(Options, eps, 0, WITHIN(0, 0.99),
         "Maximum relative error of squared distances; determines components.", DEFAULT("off")),
    NAME(Options, kind, KIND_SPARSE, kinds, "Sparse (+1, 0, -1) or Gaussian directions."),
    INTEGER(Options, seed, -1, AT_LEAST(-1), "Seed.", DEFAULT("the seed of the run")),
    END_OF_PARAMS,
};

/* ---- learning -------------------------------------------------------------------------------- */

static Status look(Step *step, const Block *block)
{
    (void)step;
    (void)block;
    return OK; /* only the number of rows is required */
}

static Status count_directions(const Step *step, uint32_t *count)
{
    const Options *options = step->options;
    double eps = options->eps, needed = (double)options->components;

    if (eps > 0)
        needed = ceil(4 * log(fmax((double)step->rows, 2)) / (eps * eps / 2 - eps * eps * eps / 3));
    if (needed > 1000000)
        return clv_fail_hint(step->error, CLEAVE_ERROR_USAGE,
                             "pass a larger eps, for example eps=0.2",
                             "--transform: project: eps=%g for %llu rows requires %.3g dimensions; "
                             "the limit is 1,000,000",
                             eps, (unsigned long long)step->rows, needed);
    *count = (uint32_t)needed;
    return check_directions(step, *count);
}

static Status put_table(Step *step, uint64_t seed, uint32_t count)
{
    size_t all = (size_t)count * step->inputs;
    float *table;
    double deviation = sqrt(1 / (double)count);

    TRY(ALLOC(step->context, table, all, "directions", step->error));
    for (uint32_t column = 0; column < step->inputs; column++) {
        Random random = clv_random(seed, column);

        for (uint32_t k = 0; k < count; k++)
            table[(size_t)column * count + k] = (float)(deviation * clv_random_normal(&random));
    }
    return clv_bundle_take(step->arrays, "directions", BUNDLE_F32, table, all, step->error);
}

static Status columns(Step *step, Columns *out)
{
    const Options *options = step->options;
    uint64_t seed = draw_seed(step, options->seed);
    uint32_t count = 0;

    TRY(count_directions(step, &count));
    if (options->kind == KIND_GAUSSIAN)
        TRY(put_table(step, seed, count));
    else
        TRY(clv_bundle_put_number(step->arrays, "seed", seed, step->error));
    return clv_number_columns(step, "p", count, out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Writes the entries of a column in ascending order of direction and returns their number. to NULL:
 * only counts them. */
static size_t draw_column(uint64_t seed, uint32_t column, uint32_t directions, uint32_t *to)
{
    Random random = clv_random(seed, column);
    size_t count = 0;

    for (uint32_t k = 0; k < directions; k++) {
        uint32_t side = clv_random_below(&random, 6);

        if (side > 1)
            continue;
        if (to)
            to[count] = 2 * k + side;
        count++;
    }
    return count;
}

static void free_state(Step *step)
{
    State *state = step->state;

    FREE(step->context, state->entry, state->end);
    state->entry = NULL;
    state->end = NULL;
}

static Status draw_entries(Step *step, uint64_t seed, cleave_error *error)
{
    State *state = step->state;
    size_t all = 0;

    TRY(ALLOC(step->context, state->end, (size_t)step->inputs + 1, "directions", error));
    for (uint32_t column = 0; column < step->inputs; column++)
        state->end[column] = all += draw_column(seed, column, step->outputs, NULL);
    TRY(ALLOC(step->context, state->entry, all + 1, "directions", error));
    for (uint32_t column = 0; column < step->inputs; column++)
        draw_column(seed, column, step->outputs,
                    state->entry + (column ? state->end[column - 1] : 0));
    state->scale = (float)sqrt(3 / (double)step->outputs);
    return OK;
}

static Status ready(Step *step, cleave_error *error)
{
    const Options *options = step->options;
    State *state = step->state;
    uint64_t seed;

    free_state(step);
    if (step->outputs == 0 || (double)step->outputs * (double)step->inputs > MOST_DIRECTIONS ||
        (options->eps == 0 && step->outputs != options->components))
        return CLEAVE_ERROR_FORMAT;
    if (options->kind == KIND_SPARSE)
        return clv_bundle_number(step->arrays, "seed", &seed) ? draw_entries(step, seed, error)
                                                              : CLEAVE_ERROR_FORMAT;
    state->table = clv_step_floats(step, "directions", (uint64_t)step->outputs * step->inputs);
    return state->table ? OK : CLEAVE_ERROR_FORMAT;
}

static void add_entries(const State *state, const FeatureRow *row, double *sums)
{
    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = row->column[i];
        double value[2] = {(double)row->value[i], -(double)row->value[i]};

        for (size_t e = column ? state->end[column - 1] : 0; e < state->end[column]; e++)
            sums[state->entry[e] >> 1] += value[state->entry[e] & 1];
    }
}

static Status project_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;

    TRY(clv_workspace_numbers(workspace, step->outputs, error));
    memset(workspace->numbers, 0, step->outputs * sizeof *workspace->numbers);
    if (state->table) {
        clv_row_times(&workspace->row, state->table, step->outputs, workspace->numbers);
    } else {
        add_entries(state, &workspace->row, workspace->numbers);
        for (uint32_t k = 0; k < step->outputs; k++)
            workspace->numbers[k] *= (double)state->scale;
    }
    return clv_row_of_sums(workspace, workspace->numbers, step->outputs, error);
}

static void summarize(const Step *step, char text[160])
{
    snprintf(text, 160, "%u random directions", step->outputs);
}

const Transform clv_transform_project = {
    .name = "project",
    .other_space = true,
    .brief = "Random projection.",
    .about = "Each row is projected onto random directions, scaled so that distances are "
             "approximately preserved. Only the number of rows is learned. The number of "
             "columns is not limited.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .look = look,
    .columns = columns,
    .ready = ready,
    .row = project_row,
    .free = free_state,
    .summarize = summarize,
};
