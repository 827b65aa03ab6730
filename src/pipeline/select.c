/*
 * Feature selection (Yang and Pedersen 1997 compare the scores for text). The score of a column is
 * one of
 *
 *     df       n(t): the number of rows with the column
 *     chi2     Σ_c (O_c − E_c)² / E_c, where O_c is the sum of its values over the rows of class
 *              c, and E_c = P(c) Σ_c O_c (as scikit-learn's chi2)
 *     gain     Σ_p Σ_c P(p, c) log2(P(p, c) / (P(p) P(c))), the mutual information of the class and
 *              the presence p in the row
 *     tfidf    the sum of its TF-IDF weights over the rows; with per-document, only columns that
 *              are among the best in at least one row
 *     weights  the largest |weight| in a trained model (Guyon et al. 2002)
 *
 * chi2 and gain skip rows without a label. Numeric columns of a table are always kept, because the
 * scores are for counts and presence; only weights scores every column.
 */
#include "pipeline/transform.h"

#include <stdio.h>
#include <stdlib.h>

enum { BY_DF, BY_CHI2, BY_GAIN, BY_TFIDF, BY_WEIGHTS };

typedef struct {
    int by;
    int64_t top, per_document;
    double min_score;
    const char *model;
} Options;

typedef struct {
    double score;
    uint32_t column;
} Scored;

typedef struct {
    /* State during learning. */
    uint32_t classes, traversal;
    uint32_t *df; /* for df and tfidf */
    /* chi2, gain: [column * classes + class], sums of values or of rows; tfidf, weights:
     * [column] */
    double *sum;
    double *class_row; /* chi2, gain: number of rows per class */
    double documents;  /* tfidf: number of rows */
    bool mixed;        /* the data has only numeric columns, or numeric columns beside others */
    bool *best_of_row; /* tfidf, per-document: columns among the best in at least one row */
    Scored *row;
    size_t row_capacity;
    bool given; /* weights: they were given; sum has `classes` of them, by these names */
    Names names;
    /* Arrays for transforming rows. */
    const uint32_t *kept;
    uint32_t *place;
    const double *score;
} State;

#define NOT_SCORED (-1.0)

static const char *const bys[] = {"df", "chi2", "gain", "tfidf", "weights", NULL};

static const Param params[] = {
    NAME(Options, by, BY_CHI2, bys, "Score of a column."),
    INTEGER(Options, top, 0, AT_LEAST(0), "Number of columns to keep, by score.",
            DEFAULT("no limit")),
    INTEGER(Options, per_document, 0, AT_LEAST(0),
            "tfidf: columns to keep per row; the result is their union.", DEFAULT("off")),
    REAL(Options, min_score, 0, AT_LEAST(0), "Minimum score of a column."),
    TEXT(Options, model, NULL, "weights: model file that supplies the weights."),
    END_OF_PARAMS,
};

static Status check(const void *given, cleave_error *error)
{
    const Options *options = given;
    bool of = options->model && *options->model;

    if (of != (options->by == BY_WEIGHTS))
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "for example: select:by=weights:model=first.model:top=1000",
            of ? "--transform: select: model= requires by=weights"
               : "--transform: select: by=weights needs model=, the file of a trained model");
    if (options->per_document && options->by != BY_TFIDF)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "for example: select:by=tfidf:per-document=20,tfidf",
                             "--transform: select: per-document= requires by=tfidf");
    if (options->top || options->min_score > 0 || options->per_document)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "--transform: select needs top=, the number of columns to keep, or min-score=, the "
             "minimum score");
    return clv_hint(error, CLEAVE_ERROR_USAGE, "for example: select:by=%s:top=1000",
                    bys[options->by]);
}

static const char *wants_model(const void *options)
{
    return ((const Options *)options)->model;
}

/* ---- start ----------------------------------------------------------------------------------- */

enum { MOST_CLASSES = 65535, FEW_CLASSES = 20 };

static bool by_class(const Options *options)
{
    return options->by == BY_CHI2 || options->by == BY_GAIN;
}

static Status refuse_labels(const Step *step, const char *found)
{
    const Options *options = step->options;

    return clv_fail_hint(
        step->error, CLEAVE_ERROR_DATA,
        "check --label, or use by=df, by=tfidf or by=weights, which need no classes",
        "select by=%s: expected classes, found %s", bys[options->by], found);
}

/* Whether there are columns other than numbers. Numbers beside words and categories have no
 * score. */
static bool any_but_numbers(const Columns *columns)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (columns->kind[i] != COLUMN_NUMBER)
            return true;
    return false;
}

static bool is_scored(const Step *step, uint32_t column)
{
    const Options *options = step->options;
    const State *state = step->state;

    return options->by == BY_WEIGHTS || !state->mixed || step->in->kind[column] != COLUMN_NUMBER;
}

static Status begin(Step *step)
{
    const Options *options = step->options;
    State *state = step->state;
    Context *context = step->context;
    size_t inputs = (size_t)step->inputs + 1, classes = by_class(options) ? step->labels : 1;
    char found[64];

    state->mixed = any_but_numbers(step->in);
    if (options->by == BY_WEIGHTS)
        return state->given ? OK
                            : clv_fail(step->error, CLEAVE_ERROR_USAGE,
                                       "select by=weights: the model is missing");
    if (by_class(options) && step->labels < 2)
        return refuse_labels(step, step->labels ? "only one label" : "no labels");
    if (by_class(options) && step->labels > MOST_CLASSES) {
        snprintf(found, sizeof found, "%u different labels", step->labels);
        return refuse_labels(step, found);
    }
    state->classes = (uint32_t)classes;
    if (options->by == BY_DF || options->by == BY_TFIDF)
        state->df = clv_alloc_zero(context, inputs, sizeof *state->df);
    if (options->by != BY_DF)
        state->sum = clv_alloc_zero(context, inputs * classes, sizeof *state->sum);
    if (by_class(options))
        state->class_row = clv_alloc_zero(context, classes, sizeof *state->class_row);
    if (options->per_document)
        state->best_of_row = clv_alloc_zero(context, inputs, sizeof *state->best_of_row);
    if (((options->by == BY_DF || options->by == BY_TFIDF) && !state->df) ||
        (options->by != BY_DF && !state->sum) || (by_class(options) && !state->class_row) ||
        (options->per_document && !state->best_of_row))
        return clv_fail_memory(step->error, "scores of columns",
                               inputs * classes * sizeof *state->sum);
    return OK;
}

static Status give_weights(Step *step, const Names *names, const double *weight, uint32_t count,
                           cleave_error *error)
{
    State *state = step->state;

    clv_names_init(&state->names, step->context, true);
    TRY(ALLOC(step->context, state->sum, (size_t)count + 1, "weights", error));
    memcpy(state->sum, weight, count * sizeof *weight);
    state->given = true;
    state->classes = count;
    return clv_names_copy(&state->names, names, error);
}

/* ---- passes over the rows -------------------------------------------------------------------- */

static Status refuse_value(const Step *step, const Block *block, uint32_t row, const RowWalk *at)
{
    const Options *options = step->options;
    RowWorkspace workspace = {.context = step->context, .block = block, .index = row};
    char name[24], quoted[QUOTE_SIZE], number[32];
    const char *column = clv_names_get(&step->in->names, at->column, name);

    clv_row_fail(
        &workspace, step->error, "select by=%s: expected %s in column '%s', found %s",
        bys[options->by],
        options->by == BY_CHI2 ? "counts or other non-negative numbers" : "counts of words",
        clv_quote(quoted, column, strlen(column)), cleave_number_text((double)at->value, number));
    return clv_hint(
        step->error, CLEAVE_ERROR_DATA,
        options->by == BY_CHI2
            ? "put select before scale, or use select by=gain, which needs only presence"
            : "put select before tfidf, for example select:by=tfidf:top=1000,tfidf");
}

static Status look_by_class(const Step *step, const Block *block)
{
    const Options *options = step->options;
    State *state = step->state;

    if (block->target_form == TARGETS_NUMBERS)
        return refuse_labels(step, "regression targets");
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);

        if (label >= state->classes)
            continue;
        state->class_row[label]++;
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            if (!is_scored(step, walk.column))
                continue;
            if (options->by == BY_CHI2 && walk.value < 0)
                return refuse_value(step, block, row, &walk);
            state->sum[(size_t)walk.column * state->classes + label] += options->by == BY_CHI2
                                                                            ? (double)walk.value
                                                                            : 1;
        }
    }
    return OK;
}

static int best_first(const void *a, const void *b)
{
    const Scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Weights one row with the defaults of tfidf: 1 + ln(count), times ln((1 + n) / (1 + df)) + 1,
 * divided by the norm. */
static Status add_row(const Step *step, const Block *block, uint32_t row)
{
    const Options *options = step->options;
    State *state = step->state;
    double length2 = 0, factor;
    size_t count = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        double value;

        if (!is_scored(step, walk.column))
            continue;
        if (walk.value < 1)
            return refuse_value(step, block, row, &walk);
        value = (1 + log((double)walk.value)) *
                (log((1 + state->documents) / (1 + (double)state->df[walk.column])) + 1);
        length2 += value * value;
        TRY(GROW(step->context, state->row, state->row_capacity, count + 1, step->error));
        state->row[count++] = (Scored){.score = value, .column = walk.column};
    }
    factor = length2 > 0 ? 1 / sqrt(length2) : 0;
    for (size_t i = 0; i < count; i++)
        state->sum[state->row[i].column] += state->row[i].score * factor;
    if (!options->per_document)
        return OK;
    if (count > (size_t)options->per_document) {
        qsort(state->row, count, sizeof *state->row, best_first);
        count = (size_t)options->per_document;
    }
    for (size_t i = 0; i < count; i++)
        state->best_of_row[state->row[i].column] = true;
    return OK;
}

static Status look(Step *step, const Block *block)
{
    const Options *options = step->options;
    State *state = step->state;

    if (options->by == BY_WEIGHTS)
        return OK;
    if (by_class(options))
        return look_by_class(step, block);
    if (options->by == BY_DF || state->traversal == 0) {
        for (uint32_t row = 0; row < block->rows; row++)
            for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
                state->df[walk.column]++;
        return OK;
    }
    for (uint32_t row = 0; row < block->rows; row++)
        TRY(add_row(step, block, row));
    return OK;
}

static double labeled_rows(const State *state)
{
    double rows = 0;

    for (uint32_t c = 0; c < state->classes; c++)
        rows += state->class_row[c];
    return rows;
}

/* Fails if labels are nearly unique: they are not classes, but numbers or names. */
static Status check_classes(const Step *step)
{
    const State *state = step->state;
    double rows = labeled_rows(state);
    char found[96];

    if (state->classes <= FEW_CLASSES || rows >= 2 * (double)state->classes)
        return OK;
    snprintf(found, sizeof found, "%u different labels in %.0f rows", state->classes, rows);
    return refuse_labels(step, found);
}

/* Begins another pass for TF-IDF, which requires the document frequencies of all rows before the
 * first sum. */
static Status end_pass(Step *step, bool *again)
{
    const Options *options = step->options;
    State *state = step->state;

    *again = options->by == BY_TFIDF && state->traversal++ == 0;
    if (*again)
        state->documents = (double)step->rows;
    return *again || !by_class(options) ? OK : check_classes(step);
}

/* ---- scores ---------------------------------------------------------------------------------- */

static double chi2_of(const State *state, const double *observed, double rows)
{
    double total = 0, sum = 0;

    for (uint32_t c = 0; c < state->classes; c++)
        total += observed[c];
    for (uint32_t c = 0; c < state->classes; c++) {
        double expected = rows > 0 ? state->class_row[c] * total / rows : 0;

        if (expected > 0)
            sum += (observed[c] - expected) * (observed[c] - expected) / expected;
    }
    return sum;
}

/* A term of the mutual information: n rows in the intersection of sets of n_p and n_c rows. */
static double information(double both, double one, double other, double rows)
{
    return both > 0 ? both / rows * log2(both * rows / (one * other)) : 0;
}

static double gain_of(const State *state, const double *present, double rows)
{
    double total = 0, sum = 0;

    for (uint32_t c = 0; c < state->classes; c++)
        total += present[c];
    for (uint32_t c = 0; c < state->classes; c++)
        sum += information(present[c], total, state->class_row[c], rows) +
               information(state->class_row[c] - present[c], rows - total, state->class_row[c],
                           rows);
    return sum > 0 ? sum : 0; /* rounding may give a value slightly below 0 */
}

static double weight_of(const Step *step, uint32_t column)
{
    const State *state = step->state;
    char name[24];
    const char *text = clv_names_get(&step->in->names, column, name);
    uint32_t of = clv_names_find(&state->names, text, strlen(text));

    return of < state->classes ? fabs(state->sum[of]) : NOT_SCORED;
}

static double score_of(const Step *step, uint32_t column, double rows)
{
    const Options *options = step->options;
    const State *state = step->state;
    const double *sums = state->sum ? state->sum + (size_t)column * state->classes : NULL;

    switch (options->by) {
    case BY_DF:
        return (double)state->df[column];
    case BY_CHI2:
        return chi2_of(state, sums, rows);
    case BY_GAIN:
        return gain_of(state, sums, rows);
    case BY_TFIDF:
        return state->sum[column];
    default:
        return weight_of(step, column);
    }
}

/* ---- choice ---------------------------------------------------------------------------------- */

/* Fails if there are no common names: the model was trained on other data. */
static Status refuse_names(const Step *step)
{
    const Options *options = step->options;
    const State *state = step->state;
    char one[24], other[24], quoted[QUOTE_SIZE], quoted_other[QUOTE_SIZE];
    const char *mine = step->inputs ? clv_names_get(&step->in->names, 0, one) : "";
    const char *theirs = state->classes ? clv_names_get(&state->names, 0, other) : "";

    return clv_fail_hint(
        step->error, CLEAVE_ERROR_DATA,
        "pass a model of the same data; the input columns of select must be the features of the "
        "model",
        "select by=weights: the features of %s differ from the columns: '%s' in the model, '%s' "
        "in the data",
        options->model, clv_quote(quoted, theirs, strlen(theirs)),
        clv_quote(quoted_other, mine, strlen(mine)));
}

static Status refuse_all(const Step *step, const Scored *list, uint32_t count)
{
    const Options *options = step->options;
    char one[32], name[24], quoted[QUOTE_SIZE];
    const char *best = count ? clv_names_get(&step->in->names, list[0].column, name) : "";

    if (count == 0)
        return clv_fail(step->error, CLEAVE_ERROR_DATA,
                        "select by=%s: the data has no columns to select from", bys[options->by]);
    return clv_fail_hint(
        step->error, CLEAVE_ERROR_DATA, "use a smaller min-score=, or top=N for the best N",
        "select by=%s: no column has a score of at least %s; the best is '%s', %.6g",
        bys[options->by], cleave_number_text(options->min_score, one),
        clv_quote(quoted, best, strlen(best)), list[0].score);
}

/* Sorts the scored columns, best first, and returns the number of selected columns. Columns without
 * a score are always kept. */
static uint32_t rank_columns(const Step *step, Scored *list, double *score, uint32_t *count)
{
    const Options *options = step->options;
    const State *state = step->state;
    double rows = by_class(options) ? labeled_rows(state) : 0;
    uint32_t wanted = 0;

    *count = 0;
    for (uint32_t i = 0; i < step->inputs; i++) {
        score[i] = is_scored(step, i) ? score_of(step, i, rows) : NOT_SCORED;
        if (score[i] >= 0 && (!state->best_of_row || state->best_of_row[i]))
            list[(*count)++] = (Scored){.score = score[i], .column = i};
    }
    qsort(list, *count, sizeof *list, best_first);
    while (wanted < *count && list[wanted].score >= options->min_score)
        wanted++;
    return options->top && (uint64_t)wanted > (uint64_t)options->top ? (uint32_t)options->top
                                                                     : wanted;
}

static int by_column(const void *a, const void *b)
{
    uint32_t x = ((const Scored *)a)->column, y = ((const Scored *)b)->column;

    return x < y ? -1 : x > y;
}

/* Sorts `kept` in ascending order, together with the scores. */
static uint32_t merge(const Step *step, Scored *list, uint32_t wanted, uint32_t *kept,
                      double *score)
{
    const Options *options = step->options;
    uint32_t count = 0, at = 0;

    qsort(list, wanted, sizeof *list, by_column);
    for (uint32_t i = 0; i < step->inputs; i++) {
        bool chosen = at < wanted && list[at].column == i;

        at += chosen;
        if (!chosen && (options->by == BY_WEIGHTS || is_scored(step, i)))
            continue;
        score[count] = score[i];
        kept[count++] = i;
    }
    return count;
}

static Status choose(Step *step, Scored *list, uint32_t *kept, double *score, uint32_t *kept_count)
{
    const Options *options = step->options;
    uint32_t count, wanted = rank_columns(step, list, score, &count);

    if (count == 0 && options->by == BY_WEIGHTS)
        return refuse_names(step);
    if (wanted == 0)
        return refuse_all(step, list, count);
    *kept_count = merge(step, list, wanted, kept, score);
    return OK;
}

static Status columns(Step *step, Columns *out)
{
    Context *context = step->context;
    size_t workspace = (size_t)step->inputs + 1;
    Scored *list = clv_alloc(context, workspace, sizeof *list);
    uint32_t *kept = clv_alloc(context, workspace, sizeof *kept), count = 0;
    double *score = clv_alloc(context, workspace, sizeof *score);
    Status status = list && kept && score ? choose(step, list, kept, score, &count)
                                          : clv_fail_memory(step->error, "scores of columns",
                                                            workspace * sizeof *list);

    THEN(status, clv_columns_select(step->in, kept, count, out, step->error));
    THEN(status, clv_bundle_put(step->arrays, "kept", BUNDLE_U32, kept,
                                count < step->inputs ? count : 0, step->error));
    THEN(status, clv_bundle_put(step->arrays, "score", BUNDLE_F64, score, count, step->error));
    THEN(status, clv_bundle_put_number(step->arrays, "of", step->inputs, step->error));
    FREE(context, list, kept, score);
    return status;
}

static const uint32_t *kept_of(const Step *step)
{
    return ((const State *)step->state)->kept;
}

static Status narrow(Step *step, const uint32_t *wanted, uint32_t count)
{
    const State *state = step->state;
    double *score;

    TRY(ALLOC(step->context, score, (size_t)count + 1, "scores of columns", step->error));
    for (uint32_t i = 0; i < count; i++)
        score[i] = state->score[wanted[i]];
    TRY(clv_bundle_take(step->arrays, "score", BUNDLE_F64, score, count, step->error));
    return clv_bundle_put(step->arrays, "kept", BUNDLE_U32, NULL, 0, step->error);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void forget_learning(Step *step)
{
    State *state = step->state;
    Context *context = step->context;

    FREE(context, state->df, state->sum, state->class_row, state->best_of_row, state->row);
    if (state->given)
        clv_names_free(&state->names);
    *state = (State){.place = state->place};
}

static Status ready(Step *step, cleave_error *error)
{
    State *state = step->state;
    const BundleItem *score = clv_bundle_get(step->arrays, "score", BUNDLE_F64);

    forget_learning(step);
    if (!score || score->count != step->outputs)
        return CLEAVE_ERROR_FORMAT;
    state->score = score->data;
    for (uint32_t i = 0; i < step->outputs; i++)
        if (!isfinite(state->score[i]))
            return CLEAVE_ERROR_FORMAT;
    return clv_step_kept(step, &state->kept, &state->place, error);
}

static Status select_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    FeatureRow *row = &workspace->row;
    size_t count = 0;

    (void)error;
    if (!state->place)
        return OK;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = state->place[row->column[i]];

        row->column[count] = column;
        row->value[count] = row->value[i];
        count += column != NO_COLUMN;
    }
    row->count = count;
    return OK;
}

static void free_state(Step *step)
{
    forget_learning(step);
    clv_free(step->context, ((State *)step->state)->place);
}

static void summarize(const Step *step, char text[160])
{
    const Options *options = step->options;
    const State *state = step->state;
    uint64_t of = step->outputs;
    uint32_t scored = 0;

    clv_bundle_number(step->arrays, "of", &of);
    for (uint32_t i = 0; i < step->outputs; i++)
        scored += state->score[i] >= 0;
    if (scored == step->outputs)
        snprintf(text, 160, "%u of %llu columns kept by %s", scored, (unsigned long long)of,
                 bys[options->by]);
    else
        snprintf(text, 160, "%u of %llu columns kept by %s, and %u numeric columns", scored,
                 (unsigned long long)of - (step->outputs - scored), bys[options->by],
                 step->outputs - scored);
}

const Transform clv_transform_select = {
    .name = "select",
    .brief = "Feature selection by chi-squared, information gain, frequency or weights.",
    .about = "Columns are scored, and the best are kept: top=N columns, or all with at least "
             "min_score. Removed columns are not read again. chi2, gain and df require counts "
             "or presence. tfidf requires word counts and precedes the transform tfidf. "
             "weights uses the weights of a trained model, model=FILE.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .check = check,
    .wants_model = wants_model,
    .give_weights = give_weights,
    .begin = begin,
    .look = look,
    .end_pass = end_pass,
    .columns = columns,
    .kept = kept_of,
    .narrow = narrow,
    .ready = ready,
    .row = select_row,
    .free = free_state,
    .summarize = summarize,
};
