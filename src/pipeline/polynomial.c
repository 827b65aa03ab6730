/*
 * Polynomial features: products of columns up to a degree, so that a linear model becomes a
 * polynomial model:
 *
 *     x1 x2  ->  x1 x2 x1^2 x1*x2 x2^2
 *
 * Terms are ordered by degree, then lexicographically by their columns. The number of a term i1 <=
 * i2 <= … <= ik is a sum of binomial coefficients (combinatorial number system: Knuth, The Art of
 * Computer Programming 4A, 7.2.1.3). A row therefore computes the terms of its nonzeros in
 * ascending order without a table, and stays sparse.
 */
#include "pipeline/transform.h"

#include <stdio.h>

enum { TERMS_ALL, TERMS_INTERACTIONS, TERMS_POWERS };
enum { MOST_DEGREE = 8 };
#define MOST_TERMS 16777216.0

typedef struct {
    int64_t degree;
    int terms;
} Options;

typedef struct {
    /* ways[r * (inputs + 1) + n]: number of combinations of r of n columns. Columns may repeat,
     * unless only interactions are requested. */
    uint32_t *ways;
    uint32_t start[MOST_DEGREE + 1]; /* number of the first term of each degree */
} State;

static const char *const term_names[] = {"all", "interactions", "powers", NULL};

static const Param params[] = {
    INTEGER(Options, degree, 2, WITHIN(1, MOST_DEGREE), "Maximum degree.", TUNE_LINEAR(2, 3)),
    NAME(Options, terms, TERMS_ALL, term_names,
         "All terms, interactions of different columns, or powers of one column."),
    END_OF_PARAMS,
};

/* ---- numbers of terms ------------------------------------------------------------------------ */

/* The number of combinations of r of n, as a double to detect overflow. */
static double choices(int terms, double n, int r)
{
    double ways = 1;

    if (terms == TERMS_POWERS)
        return n;
    for (int i = 0; i < r; i++)
        ways = ways * (terms == TERMS_ALL ? n + i : fmax(n - i, 0)) / (i + 1);
    return ways;
}

static double all_terms(const Options *options, double inputs)
{
    double sum = 0;

    for (int r = 1; r <= options->degree; r++)
        sum += choices(options->terms, inputs, r);
    return sum;
}

static Status begin(Step *step)
{
    const Options *options = step->options;
    double terms = all_terms(options, step->inputs);

    if (terms <= MOST_TERMS)
        return OK;
    return clv_fail_hint(
        step->error, CLEAVE_ERROR_DATA,
        "lower the degree, reduce the number of columns first, or use --transform fourier or the "
        "method kernel-svm",
        "--transform: polynomial of degree %d makes %.4g columns of %u; the limit is %.0f",
        (int)options->degree, terms, step->inputs, MOST_TERMS);
}

static Status ready(Step *step, cleave_error *error)
{
    const Options *options = step->options;
    State *state = step->state;
    size_t width = (size_t)step->inputs + 1;
    double start = 0;

    if (all_terms(options, step->inputs) != (double)step->outputs || step->outputs > MOST_TERMS)
        return CLEAVE_ERROR_FORMAT;
    for (int r = 1; r <= options->degree; r++) {
        state->start[r] = (uint32_t)start;
        start += choices(options->terms, step->inputs, r);
    }
    if (options->terms == TERMS_POWERS)
        return OK;
    clv_free(step->context, state->ways);
    TRY(ALLOC(step->context, state->ways, width * ((size_t)options->degree + 1), "numbers of terms",
              error));
    for (int r = 0; r <= options->degree; r++)
        for (size_t n = 0; n < width; n++)
            state->ways[(size_t)r * width + n] = (uint32_t)choices(options->terms, (double)n, r);
    return OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

static Status add_text(Step *step, Buffer *name, const char *text)
{
    return clv_buffer_add(step->context, name, text, strlen(text), step->error);
}

/* Names a term: "x1^2*x3". */
static Status name_term(Step *step, const uint32_t *factor, int count, Buffer *name)
{
    const Names *names = &step->in->names;

    name->size = 0;
    for (int i = 0, next; i < count; i = next) {
        char buffer[24], power[16];

        for (next = i + 1; next < count && factor[next] == factor[i];)
            next++;
        if (i > 0)
            TRY(add_text(step, name, "*"));
        if (names->implicit)
            TRY(add_text(step, name, "x"));
        TRY(add_text(step, name, clv_names_get(names, factor[i], buffer)));
        snprintf(power, sizeof power, "^%d", next - i);
        if (next - i > 1)
            TRY(add_text(step, name, power));
    }
    return OK;
}

/* Advances to the next term of the same degree. Returns false after the last. */
static bool next_term(int terms, uint32_t inputs, uint32_t *factor, int count)
{
    if (terms == TERMS_POWERS) {
        for (int i = 0; i < count; i++)
            factor[i]++;
        return factor[0] < inputs;
    }
    for (int i = count; i-- > 0;) {
        uint32_t after = terms == TERMS_INTERACTIONS ? (uint32_t)(count - 1 - i) : 0;

        if (factor[i] + 1 + after >= inputs)
            continue;
        factor[i]++;
        for (int j = i + 1; j < count; j++)
            factor[j] = factor[j - 1] + (terms == TERMS_INTERACTIONS);
        return true;
    }
    return false;
}

static Status name_terms(Step *step, int degree, Buffer *name, Columns *out)
{
    const Options *options = step->options;
    uint32_t factor[MOST_DEGREE];

    if (choices(options->terms, step->inputs, degree) < 1)
        return OK;
    for (int i = 0; i < degree; i++)
        factor[i] = options->terms == TERMS_INTERACTIONS ? (uint32_t)i : 0;
    do {
        ColumnKind kind = degree == 1 ? (ColumnKind)step->in->kind[factor[0]] : COLUMN_NUMBER;

        TRY(name_term(step, factor, degree, name));
        TRY(clv_columns_append(out, name->data, name->size, kind, step->error));
    } while (next_term(options->terms, step->inputs, factor, degree));
    return OK;
}

static Status columns(Step *step, Columns *out)
{
    const Options *options = step->options;
    Buffer name = {0};
    Status status = OK;

    out->names.implicit = false;
    for (int degree = 1; degree <= options->degree && status == OK; degree++)
        status = name_terms(step, degree, &name, out);
    clv_free(step->context, name.data);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Position among the terms of one degree. `left` more factors follow, from entry `from` on. */
typedef struct {
    int left;
    size_t from;
    uint32_t least; /* the smallest column of the next factor */
    uint32_t number;
    double product;
} Prefix;

/* The first term of a prefix followed by v has the number + ways(n(least), left) - ways(n(v),
 * left); n(v) is the number of columns from v on. */
static Status add_terms(const Step *step, RowWorkspace *workspace, Prefix prefix,
                        cleave_error *error)
{
    const Options *options = step->options;
    const State *state = step->state;
    const FeatureRow *row = &workspace->row;
    const uint32_t *ways = state->ways + (size_t)prefix.left * ((size_t)step->inputs + 1);
    bool apart = options->terms == TERMS_INTERACTIONS;

    for (size_t i = prefix.from; i < row->count; i++) {
        uint32_t column = row->column[i];
        Prefix next = {.left = prefix.left - 1,
                       .from = i + apart,
                       .least = column + apart,
                       .number = prefix.number +
                                 (ways[step->inputs - prefix.least] - ways[step->inputs - column]),
                       .product = prefix.product * (double)row->value[i]};

        if (next.left > 0)
            TRY(add_terms(step, workspace, next, error));
        else if (next.product != 0)
            TRY(clv_row_add(workspace, &workspace->spare, next.number, (float)next.product, error));
    }
    return OK;
}

static Status add_powers(const Step *step, RowWorkspace *workspace, int degree, cleave_error *error)
{
    const State *state = step->state;

    for (size_t i = 0; i < workspace->row.count; i++) {
        double product = 1;

        for (int k = 0; k < degree; k++)
            product *= (double)workspace->row.value[i];
        TRY(clv_row_add(workspace, &workspace->spare,
                        state->start[degree] + workspace->row.column[i], (float)product, error));
    }
    return OK;
}

static Status multiply_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const Options *options = step->options;
    const State *state = step->state;

    for (int degree = 1; degree <= options->degree; degree++) {
        Prefix none = {.left = degree, .number = state->start[degree], .product = 1};

        TRY(options->terms == TERMS_POWERS ? add_powers(step, workspace, degree, error)
                                           : add_terms(step, workspace, none, error));
    }
    clv_row_swap(workspace);
    return OK;
}

static void free_state(Step *step)
{
    clv_free(step->context, ((State *)step->state)->ways);
}

static void summarize(const Step *step, char text[160])
{
    snprintf(text, 160, "%u terms of %u columns", step->outputs, step->inputs);
}

const Transform clv_transform_polynomial = {
    .name = "polynomial",
    .brief = "Polynomial features up to a degree.",
    .about = "Adds the products of columns up to a degree, named x1*x2 and x1^2. Sparse rows "
             "stay sparse. A linear model of the products is a polynomial model of the "
             "columns.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .begin = begin,
    .columns = columns,
    .ready = ready,
    .row = multiply_row,
    .free = free_state,
    .summarize = summarize,
};
