/*
 * Imputation of missing numbers. Readers store a missing number as 0 and set `column=?`. This
 * transform replaces the 0 with the median of the column, which is robust against outliers.
 * `column=?` stays as an indicator, because absence can be informative.
 *
 * The median of every numeric column is learned, even if no training row has a missing value. It is
 * exact (for an even number of values, the lower of the middle two) up to 131,072 rows, or 2^24
 * values in all. Beyond that it is the median of every second, fourth, … row.
 */
#include "pipeline/transform.h"

#include <stddef.h>
#include <stdio.h>

enum { BY_MEDIAN, BY_CATEGORY, BY_REFUSAL };

typedef struct {
    int strategy;
} Options;

enum { MOST_ROWS = 1 << 17, LEAST_ROWS = 1 << 10, MOST_VALUES = 1 << 24 };

typedef struct {
    /* During learning: pairs of a number and its indicator `column=?`, by the input of the
     * indicator. */
    uint32_t pairs;
    uint32_t *number, *mark; /* inputs of each pair; number: NO_COLUMN for a categorical column */
    uint32_t *pair_of;       /* pair of each input, number or indicator; NO_COLUMN: neither */
    uint64_t *lacking;       /* number of rows with a missing value */
    double *sum, *weight; /* sum over the other values; weight of the rows with a missing value */
    double all_weight;
    float *sample; /* rows of values; NaN: missing */
    uint32_t sample_rows, most_rows;
    uint64_t stride;
    uint64_t filled; /* cells; a date is one cell */

    /* Arrays for transforming rows: the pair of each input that is an indicator; NO_COLUMN: none.
     * NULL: there are no indicators. */
    uint32_t *marks;
    const uint32_t *number_of;
    const float *fill;
    const char **title; /* column names, for errors */
    uint32_t *place;
    const uint32_t *kept;
    uint32_t plain; /* inputs below this number are not indicators, and are unchanged */
} State;

static const char *const ways[] = {"median", "mean", "error", NULL};

static const Param params[] = {
    NAME(Options, strategy, BY_MEDIAN, ways,
         "Imputed value: median, mean (of the column), or an error.\n"
         "With mean, only the indicator `column=?` distinguishes missing values."),
    END_OF_PARAMS,
};

/* ---- indicators ------------------------------------------------------------------------------ */

static Status add_mark(Step *step, Columns *inputs, Buffer *name, const char *title)
{
    name->size = 0;
    TRY(clv_buffer_add(step->context, name, title, strlen(title), step->error));
    TRY(clv_buffer_add(step->context, name, "=?", 2, step->error));
    if (clv_names_find(&inputs->names, name->data, name->size) != NO_COLUMN)
        return OK;
    return clv_columns_append(inputs, name->data, name->size, COLUMN_CATEGORY, step->error);
}

/* Copies each name, because adding a name can move the others in memory. */
static Status add_marks(Step *step, Columns *inputs, Buffer *name, Buffer *title)
{
    const Options *options = step->options;
    uint32_t count = inputs->count;

    for (uint32_t i = 0; i < count; i++) {
        char buffer[24];
        const char *own = clv_names_get(&inputs->names, i, buffer);

        if (inputs->kind[i] != COLUMN_NUMBER)
            continue;
        title->size = 0;
        TRY(clv_buffer_add(step->context, title, own, strlen(own) + 1, step->error));
        TRY(add_mark(step, inputs, name, title->data));
    }
    for (uint32_t i = 0; i < inputs->titles.count && options->strategy == BY_REFUSAL; i++)
        TRY(add_mark(step, inputs, name, inputs->titles.text.data + inputs->titles.offset[i]));
    return OK;
}

/* Requests indicators for tables only, because other data has numeric columns but no indicators of
 * missing values. */
static Status wants(Step *step, Columns *inputs)
{
    Buffer name = {0}, title = {0};
    Status status = inputs->table ? add_marks(step, inputs, &name, &title) : OK;

    FREE(step->context, name.data, title.data);
    return status;
}

/* Returns the column whose missing values this column indicates. */
static bool is_mark(const Step *step, uint32_t column, uint32_t *number)
{
    const Options *options = step->options;
    char buffer[24];
    const char *name = clv_names_get(&step->in->names, column, buffer);
    size_t length = strlen(name);

    if (length < 3 || memcmp(name + length - 2, "=?", 2) != 0 ||
        step->in->kind[column] != COLUMN_CATEGORY)
        return false;
    *number = clv_names_find(&step->in->names, name, length - 2);
    if (*number != NO_COLUMN && *number < step->inputs && step->in->kind[*number] == COLUMN_NUMBER)
        return true;
    *number = NO_COLUMN;
    return options->strategy == BY_REFUSAL && clv_columns_title(step->in, column) == length - 2;
}

static Status find_marks(Step *step)
{
    State *state = step->state;

    memset(state->pair_of, 0xFF, step->inputs * sizeof *state->pair_of);
    for (uint32_t i = 0; i < step->inputs && !step->in->names.implicit; i++) {
        uint32_t number;

        if (!is_mark(step, i, &number))
            continue;
        state->number[state->pairs] = number;
        state->mark[state->pairs] = i;
        state->pair_of[i] = state->pairs;
        if (number != NO_COLUMN)
            state->pair_of[number] = state->pairs;
        state->pairs++;
    }
    return OK;
}

/* ---- learning -------------------------------------------------------------------------------- */

static Status begin(Step *step)
{
    Context *context = step->context;
    const Options *options = step->options;
    State *state = step->state;
    size_t workspace = (size_t)step->inputs + 1, most;

    state->number = clv_alloc(context, workspace, sizeof *state->number);
    state->mark = clv_alloc(context, workspace, sizeof *state->mark);
    state->pair_of = clv_alloc(context, workspace, sizeof *state->pair_of);
    if (!state->number || !state->mark || !state->pair_of)
        return clv_fail_memory(step->error, "columns", 3 * workspace * sizeof *state->mark);
    TRY(find_marks(step));
    workspace = (size_t)state->pairs + 1;
    state->lacking = clv_alloc_zero(context, workspace, sizeof *state->lacking);
    state->sum = clv_alloc_zero(context, workspace, sizeof *state->sum);
    state->weight = clv_alloc_zero(context, workspace, sizeof *state->weight);
    if (!state->lacking || !state->sum || !state->weight)
        return clv_fail_memory(step->error, "columns", 3 * workspace * sizeof *state->sum);
    most = MOST_VALUES / workspace;
    state->most_rows = most > MOST_ROWS    ? MOST_ROWS
                       : most < LEAST_ROWS ? LEAST_ROWS
                                           : (uint32_t)(most & ~(size_t)1);
    state->stride = 1;
    if (options->strategy != BY_MEDIAN || state->pairs == 0)
        return OK;
    return ALLOC_ZERO(context, state->sample, (size_t)state->most_rows * state->pairs,
                      "a sample of values", step->error);
}

/* Drops every other row of the sample and doubles the stride. */
static void thin(State *state)
{
    for (uint32_t pair = 0; pair < state->pairs; pair++) {
        float *value = state->sample + (size_t)pair * state->most_rows;

        for (uint32_t row = 1; 2 * row < state->sample_rows; row++)
            value[row] = value[2 * (size_t)row];
        memset(value + state->most_rows / 2, 0, state->most_rows / 2 * sizeof *value);
    }
    state->sample_rows = state->most_rows / 2;
    state->stride *= 2;
}

/* Returns whether a row belongs to the sample. It is then appended as the last row. */
static bool is_sampled(State *state, uint64_t number)
{
    if (!state->sample || number % state->stride != 0)
        return false;
    if (state->sample_rows == state->most_rows)
        thin(state);
    if (number % state->stride != 0)
        return false;
    state->sample_rows++;
    return true;
}

static Status look_row(Step *step, const FeatureRow *row, float weight)
{
    State *state = step->state;
    bool sampled = state->pairs && is_sampled(state, step->rows);
    float *sample = sampled ? state->sample + state->sample_rows - 1 : NULL;

    state->all_weight += (double)weight;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t pair = state->pair_of[row->column[i]];
        bool mark;

        if (pair == NO_COLUMN)
            continue;
        mark = state->mark[pair] == row->column[i];
        if (mark) {
            state->lacking[pair]++;
            state->weight[pair] += (double)weight;
        } else {
            state->sum[pair] += (double)weight * (double)row->value[i];
        }
        if (sampled && (mark || !isnan(sample[(size_t)pair * state->most_rows])))
            sample[(size_t)pair * state->most_rows] = mark ? NAN : row->value[i];
    }
    return OK;
}

static void swap(float *a, float *b)
{
    float kept = *a;

    *a = *b;
    *b = kept;
}

/* Quickselect: finds the value at the position `place` in sorted order (Hoare 1961). */
static float select_value(float *value, ptrdiff_t count, ptrdiff_t place)
{
    ptrdiff_t low = 0, high = count - 1;

    while (low < high) {
        float pivot = value[place];
        ptrdiff_t i = low, j = high;

        while (i <= j) {
            while (value[i] < pivot)
                i++;
            while (pivot < value[j])
                j--;
            if (i <= j)
                swap(&value[i++], &value[j--]);
        }
        if (j < place)
            low = i;
        if (place < i)
            high = j;
    }
    return value[place];
}

/* Finds the median. If it is 0, as in most columns of counts, no selection is needed. */
static float median(const State *state, uint32_t pair, float *workspace)
{
    const float *value = state->sample + (size_t)pair * state->most_rows;
    ptrdiff_t count = 0, negative = 0, zeros = 0, place;

    for (uint32_t row = 0; row < state->sample_rows; row++) {
        workspace[count] = value[row];
        count += !isnan(value[row]);
        negative += value[row] < 0;
        zeros += value[row] == 0;
    }
    place = (count - 1) / 2;
    if (count == 0 || (negative <= place && place < negative + zeros))
        return 0;
    return select_value(workspace, count, place);
}

static float mean(const State *state, uint32_t pair)
{
    double there = state->all_weight - state->weight[pair];

    return there > 0 ? (float)(state->sum[pair] / there) : 0;
}

static Status learn_fill(Step *step)
{
    const Options *options = step->options;
    State *state = step->state;
    float *fill = clv_alloc_zero(step->context, (size_t)state->pairs + 1, sizeof *fill);
    float *workspace = clv_alloc(step->context, (size_t)state->sample_rows + 1, sizeof *workspace);
    Status status = fill && workspace ? OK
                                      : clv_fail_memory(step->error, "medians",
                                                        state->sample_rows * sizeof *workspace);

    for (uint32_t i = 0; i < state->pairs && status == OK; i++)
        fill[i] = options->strategy == BY_MEDIAN ? median(state, i, workspace) : mean(state, i);
    clv_free(step->context, workspace);
    if (status == OK)
        return clv_bundle_take(step->arrays, "fill", BUNDLE_F32, fill, state->pairs, step->error);
    clv_free(step->context, fill);
    return status;
}

/* Stores the column names for messages, because rows have no names. */
static Status keep_titles(Step *step)
{
    State *state = step->state;
    Buffer titles = {0};
    Status status = OK;

    for (uint32_t i = 0; i < state->pairs && status == OK; i++) {
        char buffer[24];
        const char *name = clv_names_get(&step->in->names, state->mark[i], buffer);

        status = clv_buffer_add(step->context, &titles, name, strlen(name) - 2, step->error);
        THEN(status, clv_buffer_add(step->context, &titles, "", 1, step->error));
    }
    THEN(status, clv_bundle_put(step->arrays, "titles", BUNDLE_BYTES, titles.data, titles.size,
                                step->error));
    clv_free(step->context, titles.data);
    return status;
}

/* Drops indicators that are 0 in all training rows, because they carry no information. */
static Status keep_columns(Step *step, Columns *out)
{
    State *state = step->state;
    uint32_t *kept = clv_alloc(step->context, (size_t)step->inputs + 1, sizeof *kept), count = 0;
    Status status;

    if (!kept)
        return clv_fail_memory(step->error, "columns", step->inputs * sizeof *kept);
    for (uint32_t i = 0; i < step->inputs; i++) {
        uint32_t pair = state->pair_of[i];

        if (pair == NO_COLUMN || state->mark[pair] != i || state->lacking[pair])
            kept[count++] = i;
    }
    status = clv_columns_select(step->in, kept, count, out, step->error);
    if (status == OK && count < step->inputs)
        status = clv_bundle_put(step->arrays, "kept", BUNDLE_U32, kept, count, step->error);
    clv_free(step->context, kept);
    return status;
}

/* Returns whether the pair is a part of a date whose days are an earlier pair: `column.month`. */
static bool is_later_part(const Step *step, uint32_t pair)
{
    const State *state = step->state;
    char buffer[24], other_buffer[24];
    const char *name = clv_names_get(&step->in->names, state->mark[pair], buffer);
    const char *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : 0;
    bool part = false;

    for (int i = DATE_DAYS + 1; dot && i < DATE_PARTS; i++) {
        size_t size = strlen(clv_date_parts[i]);

        part = part || (strncmp(dot + 1, clv_date_parts[i], size) == 0 &&
                        strcmp(dot + 1 + size, "=?") == 0);
    }
    for (uint32_t i = pair; part && i-- > 0 && pair - i < DATE_PARTS;) {
        const char *other = clv_names_get(&step->in->names, state->mark[i], other_buffer);

        if (strncmp(other, name, length) == 0 && strcmp(other + length, ".days=?") == 0)
            return true;
    }
    return false;
}

static Status columns(Step *step, Columns *out)
{
    const Options *options = step->options;
    State *state = step->state;

    for (uint32_t i = 0; i < state->pairs; i++)
        state->filled += is_later_part(step, i) ? 0 : state->lacking[i];
    TRY(keep_columns(step, out));
    TRY(clv_bundle_put(step->arrays, "mark", BUNDLE_U32, state->mark, state->pairs, step->error));
    if (options->strategy == BY_REFUSAL)
        return keep_titles(step);
    TRY(clv_bundle_put(step->arrays, "number", BUNDLE_U32, state->number, state->pairs,
                       step->error));
    return learn_fill(step);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void free_learning(Step *step)
{
    State *state = step->state;

    FREE(step->context, state->number, state->mark, state->pair_of, state->lacking, state->sum,
         state->weight, state->sample);
    state->number = state->mark = state->pair_of = NULL;
    state->lacking = NULL;
    state->sum = state->weight = NULL;
    state->sample = NULL;
}

static Status ready_titles(const Step *step, State *state, uint64_t pairs, cleave_error *error)
{
    const BundleItem *titles = clv_bundle_get(step->arrays, "titles", BUNDLE_BYTES);
    const char *at = titles ? titles->data : NULL, *end = titles ? at + titles->count : NULL;

    if (!titles)
        return CLEAVE_ERROR_FORMAT;
    TRY(ALLOC(step->context, state->title, pairs + 1, "names of columns", error));
    for (uint64_t i = 0; i < pairs; i++) {
        const char *stop = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;

        if (!stop)
            return CLEAVE_ERROR_FORMAT;
        state->title[i] = at;
        at = stop + 1;
    }
    return at == end ? OK : CLEAVE_ERROR_FORMAT;
}

static Status ready_fill(const Step *step, State *state, uint64_t pairs)
{
    const BundleItem *number = clv_bundle_get(step->arrays, "number", BUNDLE_U32);
    const BundleItem *fill = clv_bundle_get(step->arrays, "fill", BUNDLE_F32);

    if (!number || !fill || number->count != pairs || fill->count != pairs)
        return CLEAVE_ERROR_FORMAT;
    state->number_of = number->data;
    state->fill = fill->data;
    for (uint64_t i = 0; i < pairs; i++)
        if (state->number_of[i] >= step->inputs || !isfinite(state->fill[i]) ||
            (state->place && state->place[state->number_of[i]] == NO_COLUMN))
            return CLEAVE_ERROR_FORMAT;
    return OK;
}

static Status ready_marks(const Step *step, State *state, const BundleItem *mark,
                          cleave_error *error)
{
    const uint32_t *marks = mark->data;

    TRY(ALLOC(step->context, state->marks, (size_t)step->inputs + 1, "columns", error));
    memset(state->marks, 0xFF, step->inputs * sizeof *state->marks);
    for (uint64_t i = 0; i < mark->count; i++) {
        if (marks[i] >= step->inputs || state->marks[marks[i]] != NO_COLUMN)
            return CLEAVE_ERROR_FORMAT;
        state->marks[marks[i]] = (uint32_t)i;
    }
    return OK;
}

static Status ready(Step *step, cleave_error *error)
{
    const Options *options = step->options;
    State *state = step->state;
    const BundleItem *mark = clv_bundle_get(step->arrays, "mark", BUNDLE_U32);

    free_learning(step);
    FREE(step->context, state->marks, state->title);
    state->marks = NULL;
    state->title = NULL;
    state->plain = 0;
    TRY(clv_step_kept(step, &state->kept, &state->place, error));
    if (!mark)
        return CLEAVE_ERROR_FORMAT;
    TRY(ready_marks(step, state, mark, error));
    TRY(options->strategy == BY_REFUSAL ? ready_titles(step, state, mark->count, error)
                                        : ready_fill(step, state, mark->count));
    while (state->plain < step->inputs && state->marks[state->plain] == NO_COLUMN &&
           (!state->place || state->place[state->plain] == state->plain))
        state->plain++;
    return OK;
}

/* Inserts a value, unless the column has one already. */
static Status insert(RowWorkspace *workspace, uint32_t column, float value, cleave_error *error)
{
    FeatureRow *row = &workspace->row;
    size_t at = row->count;

    while (at > 0 && row->column[at - 1] > column)
        at--;
    if (value == 0 || (at > 0 && row->column[at - 1] == column))
        return OK;
    TRY(clv_row_add(workspace, row, column, value, error));
    memmove(row->column + at + 1, row->column + at, (row->count - 1 - at) * sizeof *row->column);
    memmove(row->value + at + 1, row->value + at, (row->count - 1 - at) * sizeof *row->value);
    row->column[at] = column;
    row->value[at] = value;
    return OK;
}

/* Maps the columns to outputs; returns the number of missing values, listed in workspace->spare. */
static Status renumber(const State *state, RowWorkspace *workspace, cleave_error *error)
{
    FeatureRow *row = &workspace->row;
    size_t count = 0;

    workspace->spare.count = 0;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = row->column[i], pair = state->marks[column];

        if (pair != NO_COLUMN && state->title) {
            char quoted[QUOTE_SIZE];

            clv_row_fail(workspace, error, "the value of column '%s' is missing",
                         clv_quote(quoted, state->title[pair], strlen(state->title[pair])));
            return clv_hint(error, CLEAVE_ERROR_DATA,
                            "use impute without strategy=error to impute the median of the column");
        }
        if (pair != NO_COLUMN)
            TRY(clv_row_add(workspace, &workspace->spare, pair, 0, error));
        if (state->place)
            column = state->place[column];
        if (column == NO_COLUMN)
            continue;
        row->column[count] = column;
        row->value[count++] = row->value[i];
    }
    row->count = count;
    return OK;
}

static Status fill_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    const FeatureRow *row = &workspace->row;

    if (row->count == 0 || row->column[row->count - 1] < state->plain)
        return OK;
    TRY(renumber(state, workspace, error));
    for (size_t i = 0; i < workspace->spare.count; i++) {
        uint32_t pair = workspace->spare.column[i], number = state->number_of[pair];

        TRY(insert(workspace, state->place ? state->place[number] : number, state->fill[pair],
                   error));
    }
    workspace->spare.count = 0;
    return OK;
}

static void free_state(Step *step)
{
    State *state = step->state;

    free_learning(step);
    FREE(step->context, state->marks, state->title, state->place);
}

static void summarize(const Step *step, char text[160])
{
    const Options *options = step->options;
    const State *state = step->state;

    if (state->filled && options->strategy != BY_REFUSAL)
        snprintf(text, 160, "%llu missing value%s imputed", (unsigned long long)state->filled,
                 state->filled == 1 ? "" : "s");
}

const Transform clv_transform_missing = {
    .name = "impute",
    .brief = "Impute missing numbers and add missing-value indicators.",
    .about = "Missing numbers of a table become the median or the mean of their column. The "
             "indicator column `column=?` is kept if training rows have missing values. With "
             "strategy=error, a missing number or category is an error.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .wants = wants,
    .begin = begin,
    .look_row = look_row,
    .columns = columns,
    .ready = ready,
    .row = fill_row,
    .free = free_state,
    .summarize = summarize,
};
