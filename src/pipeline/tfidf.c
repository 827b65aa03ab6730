/*
 * TF-IDF weighting (Salton and Buckley 1988): rare words have a larger weight, and the weight of a
 * repeated word grows less than proportionally. Rows are normalized, so that the length of a
 * document has no effect.
 *
 *     value = tf · idf
 *     tf    = 1 + ln(count), count or 1
 *     idf   = ln((1 + n) / (1 + df)) + 1, ln(n / df) or 1
 *
 * divided by the norm of the row. Columns other than words (in a table with a column of text) are
 * unchanged. Words of too low or too high document frequency are dropped.
 */
#include "pipeline/transform.h"

#include <stdio.h>

enum { TF_LOG, TF_COUNT, TF_PRESENCE };
enum { IDF_SMOOTH, IDF_PLAIN, IDF_NONE };
enum { NORM_L2, NORM_L1, NORM_NONE };

typedef struct {
    int tf, idf, norm;
    int64_t min_df;
    double max_df;
} Options;

enum { LOGS = 256 };

typedef struct {
    uint64_t *df; /* during learning */
    uint32_t words;
    /* Arrays for transforming rows. */
    const uint32_t *kept; /* input of each output; NULL: the same */
    uint32_t *place;      /* output of each input; NO_COLUMN: none; NULL: the same */
    const float *weight;  /* per output: its idf, or NOT_A_WORD; NULL: all 1 */
    bool others;          /* whether some columns are not words */
    float log[LOGS];      /* 1 + ln(count) for small counts */
} State;

#define NOT_A_WORD (-1.0F)

static const char *const tfs[] = {"log", "count", "presence", NULL};
static const char *const idfs[] = {"smooth", "plain", "none", NULL};
static const char *const norms[] = {"l2", "l1", "none", NULL};

static const Param params[] = {
    NAME(Options, tf, TF_LOG, tfs, "Term frequency: 1 + ln(count), count, or presence.", TUNE_ALL),
    NAME(Options, idf, IDF_SMOOTH, idfs,
         "Inverse document frequency: smooth, plain, or none.\n"
         "smooth: ln((1 + n) / (1 + df)) + 1. plain: ln(n / df). none: 1.",
         TUNE_SOME("smooth,none")),
    NAME(Options, norm, NORM_L2, norms, "Row normalization: l2, l1, or none."),
    INTEGER(Options, min_df, 1, AT_LEAST(1), "Minimum document frequency of a word.",
            TUNE_LOG(1, 10)),
    REAL(Options, max_df, 1, WITHIN(0, 1),
         "Maximum document frequency of a word, as a fraction of the documents."),
    END_OF_PARAMS,
};

/* ---- learning -------------------------------------------------------------------------------- */

static bool looks(const void *options)
{
    const Options *given = options;

    return given->idf != IDF_NONE || given->min_df > 1 || given->max_df < 1;
}

static Status begin(Step *step)
{
    State *state = step->state;

    return ALLOC_ZERO(step->context, state->df, (size_t)step->inputs + 1, "counts of words",
                      step->error);
}

static Status look(Step *step, const Block *block)
{
    State *state = step->state;

    clv_block_count(block, state->df);
    return OK;
}

/* Whether some columns are not words. If no column is known to contain words, all columns are
 * words. */
static bool mixed(const Columns *columns)
{
    bool words = false, others = false;

    for (uint32_t i = 0; i < columns->count; i++) {
        words = words || columns->kind[i] == COLUMN_TEXT;
        others = others || columns->kind[i] != COLUMN_TEXT;
    }
    return words && others;
}

static bool is_wanted(const Step *step, const State *state, uint32_t column)
{
    const Options *options = step->options;
    double df = (double)state->df[column];

    return !looks(options) ||
           (df >= (double)options->min_df && df <= options->max_df * (double)step->rows);
}

static float idf_of(const Step *step, uint64_t df)
{
    const Options *options = step->options;
    double n = (double)step->rows;

    if (options->idf == IDF_NONE)
        return 1;
    if (options->idf == IDF_PLAIN)
        return (float)log(n / (df ? (double)df : 1));
    return (float)(log((1 + n) / (1 + (double)df)) + 1);
}

static Status choose(Step *step, bool others, uint32_t *kept, float *weight, uint32_t *count)
{
    State *state = step->state;

    *count = 0;
    for (uint32_t i = 0; i < step->inputs; i++) {
        bool word = !others || step->in->kind[i] == COLUMN_TEXT;

        if (word && !is_wanted(step, state, i))
            continue;
        kept[*count] = i;
        weight[(*count)++] = word ? idf_of(step, state->df[i]) : NOT_A_WORD;
    }
    return OK;
}

static Status refuse_nothing(const Step *step)
{
    const Options *options = step->options;

    return clv_fail_hint(
        step->error, CLEAVE_ERROR_USAGE,
        "lower min-df, or raise max-df, a fraction of the documents",
        "--transform: tfidf: none of the %u words occurs in at least %lld of the %llu documents "
        "and in at most a fraction of %g",
        step->inputs, (long long)options->min_df, (unsigned long long)step->rows, options->max_df);
}

static Status columns(Step *step, Columns *out)
{
    Context *context = step->context;
    const Options *options = step->options;
    uint32_t *kept = clv_alloc(context, (size_t)step->inputs + 1, sizeof *kept), count = 0;
    float *weight = clv_alloc(context, (size_t)step->inputs + 1, sizeof *weight);
    bool others = mixed(step->in);
    Status status = kept && weight
                        ? choose(step, others, kept, weight, &count)
                        : clv_fail_memory(step->error, "words", step->inputs * sizeof *kept);

    if (status == OK && count == 0 && step->inputs > 0)
        status = refuse_nothing(step);
    THEN(status, clv_columns_select(step->in, kept, count, out, step->error));
    if (status == OK && count < step->inputs)
        status = clv_bundle_put(step->arrays, "kept", BUNDLE_U32, kept, count, step->error);
    if (status == OK && (options->idf != IDF_NONE || others))
        status = clv_bundle_put(step->arrays, "weight", BUNDLE_F32, weight, count, step->error);
    FREE(context, kept, weight);
    return status;
}

static const uint32_t *kept_of(const Step *step)
{
    return ((const State *)step->state)->kept;
}

static Status narrow(Step *step, const uint32_t *wanted, uint32_t count)
{
    const State *state = step->state;
    float *weight;

    if (state->weight) {
        TRY(ALLOC(step->context, weight, (size_t)count + 1, "words", step->error));
        for (uint32_t i = 0; i < count; i++)
            weight[i] = state->weight[wanted[i]];
        TRY(clv_bundle_take(step->arrays, "weight", BUNDLE_F32, weight, count, step->error));
    }
    return clv_bundle_put(step->arrays, "kept", BUNDLE_U32, NULL, 0, step->error);
}

/* ---- words that appear after learning -------------------------------------------------------- */

static bool admits(const Step *step, uint64_t df)
{
    const Options *options = step->options;
    const State *state = step->state;

    return !state->kept && !state->others && df >= (uint64_t)options->min_df;
}

/* Adds the weights of new words. The weights of known words are unchanged. */
static Status grow(const Step *step, const Growth *growth, Step *grown)
{
    const State *state = step->state;
    Step of_growth = {.options = step->options, .rows = growth->rows};
    float *weight;

    if (!state->weight)
        return OK;
    TRY(ALLOC(step->context, weight, (size_t)grown->outputs + 1, "words", grown->error));
    memcpy(weight, state->weight, step->outputs * sizeof *weight);
    for (uint32_t i = 0; i < growth->count; i++)
        weight[step->outputs + i] = idf_of(&of_growth, growth->df[i]);
    return clv_bundle_take(grown->arrays, "weight", BUNDLE_F32, weight, grown->outputs,
                           grown->error);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status ready(Step *step, cleave_error *error)
{
    State *state = step->state;
    const BundleItem *weight = clv_bundle_get(step->arrays, "weight", BUNDLE_F32);

    clv_free(step->context, state->df);
    state->df = NULL;
    for (int i = 1; i < LOGS; i++)
        state->log[i] = (float)(1 + log((double)i));
    state->weight = weight ? weight->data : NULL;
    if (weight && weight->count != step->outputs)
        return CLEAVE_ERROR_FORMAT;
    for (uint32_t i = 0; weight && i < step->outputs; i++)
        if (!isfinite(state->weight[i]))
            return CLEAVE_ERROR_FORMAT;
    state->others = false;
    for (uint32_t i = 0; weight && i < step->outputs; i++)
        state->others = state->others || state->weight[i] < 0;
    return clv_step_kept(step, &state->kept, &state->place, error);
}

static float term(const Options *options, const State *state, float count)
{
    if (options->tf == TF_COUNT)
        return count;
    if (options->tf == TF_PRESENCE)
        return 1;
    if (count < LOGS && count == (float)(int)count)
        return state->log[(int)count];
    return (float)(1 + log((double)count));
}

static void divide(const Options *options, const State *state, double size, FeatureRow *row)
{
    float factor = (float)(1 / (options->norm == NORM_L2 ? sqrt(size) : size));

    if (!state->others)
        for (size_t i = 0; i < row->count; i++)
            row->value[i] *= factor;
    for (size_t i = 0; i < row->count && state->others; i++)
        if (state->weight[row->column[i]] >= 0)
            row->value[i] *= factor;
}

/* Fast path for rows of words without dropped columns, with tf=log and norm=l2: weights entries
 * from the first on while their counts are small integers. Returns the number of these entries and
 * the sum of squares. Equivalent to weigh_row. */
static double weigh_words(const State *state, FeatureRow *row, size_t *done)
{
    const uint32_t *column = row->column;
    float *value = row->value;
    double size = 0;
    size_t i = 0;

    for (; i < row->count; i++) {
        int count = value[i] >= 1 && value[i] < LOGS ? (int)value[i] : 0;
        float weighed = state->log[count] * state->weight[column[i]];

        if (count == 0 || (float)count != value[i])
            break;
        value[i] = weighed;
        size += (double)weighed * (double)weighed;
    }
    *done = i;
    return size;
}

static Status weigh_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const Options *options = step->options;
    const State *state = step->state;
    FeatureRow *row = &workspace->row;
    size_t count = 0;
    double size = 0;

    if (options->tf == TF_LOG && options->norm == NORM_L2 && state->weight && !state->place &&
        !state->others)
        size = weigh_words(state, row, &count);
    for (size_t i = count; i < row->count; i++) {
        uint32_t column = state->place ? state->place[row->column[i]] : row->column[i];
        float value = row->value[i], weight;

        if (column == NO_COLUMN)
            continue;
        weight = state->weight ? state->weight[column] : 1;
        if (weight >= 0) {
            if (value < 0 || (options->tf == TF_LOG && value < 1)) {
                char number[32];

                clv_row_fail(workspace, error, "tfidf: expected word counts, found %s",
                             cleave_number_text((double)value, number));
                return clv_hint(error, CLEAVE_ERROR_DATA,
                                "use tfidf for words, and --transform scale for other numbers");
            }
            value = term(options, state, value) * weight;
            /* The contribution of a value to the norm of its row. */
            size += options->norm == NORM_L2 ? (double)value * (double)value : fabs((double)value);
        }
        row->column[count] = column;
        row->value[count++] = value;
    }
    row->count = count;
    if (options->norm != NORM_NONE && size > 0)
        divide(options, state, size, row);
    return OK;
}

static void free_state(Step *step)
{
    State *state = step->state;

    FREE(step->context, state->df, state->place);
}

static void summarize(const Step *step, char text[160])
{
    const State *state = step->state;
    uint32_t words = 0;

    for (uint32_t i = 0; i < step->outputs; i++)
        words += !state->weight || state->weight[i] >= 0;
    if (looks(step->options))
        snprintf(text, 160, "%u words", words);
}

const Transform clv_transform_tfidf = {
    .name = "tfidf",
    .brief = "TF-IDF weighting and row normalization of word counts.",
    .about = "Word counts become tf times idf, and each row is normalized. Other columns of a "
             "table are unchanged.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .looks = looks,
    .begin = begin,
    .look = look,
    .columns = columns,
    .kept = kept_of,
    .narrow = narrow,
    .admits = admits,
    .grow = grow,
    .ready = ready,
    .row = weigh_row,
    .free = free_state,
    .summarize = summarize,
};
