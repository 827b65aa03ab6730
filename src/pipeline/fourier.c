/*
 * Random Fourier features (Rahimi and Recht 2008). The Gaussian kernel K(x, q) = e^(-γ d(x, q)²) is
 * the expectation of cosines with random frequencies, so
 *
 *     z_k(x) = √(2/D) cos(ω_k · x + b_k),   k = 1 … D
 *
 * with ω_k normal with variance 2γ and b_k uniform in [0, 2π) satisfies z(x) · z(q) ≈ K(x, q), and
 * a linear classifier of z approximates a kernel classifier of x. Each column has its own random
 * stream of frequencies. The default γ is 1 over the variance of all columns together, as in
 * kernel-svm, or 1 over twice the median squared distance of a few hundred training rows.
 */
#include "pipeline/random_directions.h"

#include <stdio.h>
#include <stdlib.h>

enum { ESTIMATE_VARIANCE, ESTIMATE_MEDIAN };
enum { SAMPLE = 256 };

typedef struct {
    int64_t components, seed;
    double gamma;
    int estimate;
} Options;

typedef struct {
    /* State during learning. */
    double *sum;
    double squares;
    RowWorkspace *sample; /* SAMPLE rows, each with its own memory */
    uint32_t sampled;
    uint64_t seen;
    Random random;
    double gamma;
    /* Arrays for transforming rows. */
    const float *frequency, *phase;
} State;

static const char *const estimates[] = {"variance", "median", NULL};

static const Param params[] = {
    INTEGER(Options, components, 500, WITHIN(1, 1000000), "Number of features."),
    REAL(Options, gamma, 0, AT_LEAST(0), "Coefficient of the Gaussian kernel.",
         DEFAULT("estimated from the data")),
    NAME(Options, estimate, ESTIMATE_VARIANCE, estimates,
         "Estimate of gamma: from the variance or the median distance."),
    INTEGER(Options, seed, -1, AT_LEAST(-1), "Seed.", DEFAULT("the seed of the run")),
    END_OF_PARAMS,
};

/* ---- gamma ----------------------------------------------------------------------------------- */

static Status begin(Step *step)
{
    const Options *options = step->options;
    State *state = step->state;

    TRY(check_directions(step, (uint32_t)options->components));
    state->random = clv_random(draw_seed(step, options->seed), UINT64_MAX - 1);
    TRY(ALLOC_ZERO(step->context, state->sum, (size_t)step->inputs + 1, "means of columns",
                   step->error));
    if (options->gamma > 0 || options->estimate != ESTIMATE_MEDIAN)
        return OK;
    return ALLOC_ZERO(step->context, state->sample, SAMPLE, "a sample of rows", step->error);
}

/* Samples a row. Every row is in the sample with equal probability (Vitter 1985, algorithm R). */
static Status sample_row(Step *step, const Block *block, uint32_t row)
{
    State *state = step->state;
    uint64_t place = state->seen++;
    RowWorkspace *workspace;

    if (place >= SAMPLE)
        place = (uint64_t)(clv_random_unit(&state->random) * (double)state->seen);
    if (place >= SAMPLE)
        return OK;
    workspace = &state->sample[place];
    if (place >= state->sampled)
        state->sampled = (uint32_t)place + 1;
    workspace->context = step->context;
    workspace->row.count = 0;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        TRY(clv_row_add(workspace, &workspace->row, walk.column, walk.value, step->error));
    return OK;
}

static Status look(Step *step, const Block *block)
{
    State *state = step->state;

    for (uint32_t row = 0; row < block->rows; row++) {
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            state->sum[walk.column] += (double)walk.value;
            state->squares += (double)walk.value * (double)walk.value;
        }
        if (state->sample)
            TRY(sample_row(step, block, row));
    }
    return OK;
}

static double variance(const Step *step)
{
    const State *state = step->state;
    double rows = (double)step->rows, square = state->squares / rows, sum = square;

    for (uint32_t i = 0; i < step->inputs; i++)
        sum -= state->sum[i] / rows * (state->sum[i] / rows);
    return sum > 1e-12 * square ? sum : 0;
}

static double squared_distance(const FeatureRow *a, const FeatureRow *b)
{
    double sum = 0;

    for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
        uint32_t left = i < a->count ? a->column[i] : NO_COLUMN,
                 right = j < b->count ? b->column[j] : NO_COLUMN;
        double difference = 0;

        if (left <= right)
            difference += (double)a->value[i++];
        if (right <= left)
            difference -= (double)b->value[j++];
        sum += difference * difference;
    }
    return sum;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static Status median(const Step *step, double *answer)
{
    const State *state = step->state;
    size_t rows = state->sampled, count = 0;
    double *square;

    TRY(ALLOC(step->context, square, rows * rows / 2 + 1, "distances", step->error));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < i; j++)
            square[count++] = squared_distance(&state->sample[i].row, &state->sample[j].row);
    qsort(square, count, sizeof *square, by_size);
    *answer = count ? square[count / 2] : 0;
    clv_free(step->context, square);
    return OK;
}

static Status find_gamma(const Step *step, double *gamma)
{
    const Options *options = step->options;
    double spread = 0;

    *gamma = options->gamma;
    if (*gamma > 0)
        return OK;
    if (options->estimate == ESTIMATE_MEDIAN) {
        TRY(median(step, &spread));
        spread *= 2;
    }
    if (!(spread > 0)) /* more than half of the sampled rows are equal */
        spread = variance(step);
    *gamma = spread > 0 ? 1 / spread : 1;
    return OK;
}

/* ---- frequencies ----------------------------------------------------------------------------- */

static Status columns(Step *step, Columns *out)
{
    const Options *options = step->options;
    State *state = step->state;
    Context *context = step->context;
    size_t size = (size_t)options->components, all = size * step->inputs;
    uint64_t seed = draw_seed(step, options->seed);
    float *frequency, *phase;

    TRY(find_gamma(step, &state->gamma));
    TRY(clv_bundle_put(step->arrays, "gamma", BUNDLE_F64, &state->gamma, 1, step->error));
    frequency = clv_alloc(context, all, sizeof *frequency);
    phase = clv_alloc(context, size, sizeof *phase);
    if (!frequency || !phase) {
        FREE(context, frequency, phase);
        return clv_fail_memory(step->error, "frequencies", all * sizeof *frequency);
    }
    clv_fourier_phases(seed, size, phase);
    for (uint32_t column = 0; column < step->inputs; column++)
        clv_fourier_frequencies(seed, column, state->gamma, size, frequency + column * size);
    {
        Status one = clv_bundle_take(step->arrays, "frequencies", BUNDLE_F32, frequency, all,
                                     step->error);
        Status other = clv_bundle_take(step->arrays, "phases", BUNDLE_F32, phase, size,
                                       step->error);

        TRY(one);
        TRY(other);
    }
    return clv_number_columns(step, "cos", (uint32_t)size, out);
}

static void free_state(Step *step)
{
    State *state = step->state;

    for (uint32_t i = 0; state->sample && i < state->sampled; i++)
        clv_workspace_free(&state->sample[i]);
    FREE(step->context, state->sample, state->sum);
    state->sample = NULL;
    state->sum = NULL;
}

static Status ready(Step *step, cleave_error *error)
{
    const Options *options = step->options;
    State *state = step->state;

    (void)error;
    free_state(step);
    if (step->outputs != options->components)
        return CLEAVE_ERROR_FORMAT;
    state->frequency = clv_step_floats(step, "frequencies", (uint64_t)step->outputs * step->inputs);
    state->phase = clv_step_floats(step, "phases", step->outputs);
    return state->frequency && state->phase &&
                   clv_bundle_copy(step->arrays, "gamma", BUNDLE_F64, &state->gamma, 1)
               ? OK
               : CLEAVE_ERROR_FORMAT;
}

static Status map_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    double scale = sqrt(2 / (double)step->outputs);

    TRY(clv_workspace_numbers(workspace, step->outputs, error));
    for (uint32_t k = 0; k < step->outputs; k++)
        workspace->numbers[k] = (double)state->phase[k];
    clv_row_times(&workspace->row, state->frequency, step->outputs, workspace->numbers);
    for (uint32_t k = 0; k < step->outputs; k++)
        workspace->numbers[k] = scale * cos(workspace->numbers[k]);
    return clv_row_of_sums(workspace, workspace->numbers, step->outputs, error);
}

static void summarize(const Step *step, char text[160])
{
    snprintf(text, 160, "gamma %.4g", ((const State *)step->state)->gamma);
}

const Transform clv_transform_fourier = {
    .name = "fourier",
    .other_space = true,
    .brief = "Random Fourier features that approximate the Gaussian kernel.",
    .about = "A row becomes sqrt(2/D) cos(w.x + b) for D random w and b. The dot product of "
             "two rows approximates the Gaussian kernel e^(-gamma d^2). A linear method then "
             "approximates the kernel method, in time linear in the number of rows.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .begin = begin,
    .look = look,
    .columns = columns,
    .ready = ready,
    .row = map_row,
    .free = free_state,
    .summarize = summarize,
};
