/*
 * Merges rare categories. A category with few rows has an unreliable weight. All rare categories of
 * a column become `column=(other)`, and so do unseen categories: after learning, the inputs have
 * the names of the outputs, and a reader maps an unknown value to `column=(other)`
 * (docs/decisions/0008). The missing value `column=?` is never merged.
 */
#include "pipeline/transform.h"

#include <stdio.h>

typedef struct {
    int64_t min_count;
} Options;

typedef struct {
    uint64_t *seen; /* during learning: number of rows with each input */
    uint32_t merged;
    /* Arrays for transforming rows; NULL: the columns are unchanged. */
    const uint32_t *place; /* output of each input */
    const uint32_t *kept;  /* one of the inputs of each output */
} State;

static const Param params[] = {
    INTEGER(Options, min_count, 2, AT_LEAST(1),
            "Merge categories with fewer training rows than this.", TUNE_LOG(1, 100)),
    END_OF_PARAMS,
};

/* ---- learning -------------------------------------------------------------------------------- */

static Status begin(Step *step)
{
    State *state = step->state;

    return ALLOC_ZERO(step->context, state->seen, (size_t)step->inputs + 1, "counts of values",
                      step->error);
}

static Status look_row(Step *step, const FeatureRow *row, float weight)
{
    State *state = step->state;

    (void)weight;
    for (size_t i = 0; i < row->count; i++)
        state->seen[row->column[i]]++;
    return OK;
}

static Status look(Step *step, const Block *block)
{
    State *state = step->state;

    if (block->features <= step->inputs) {
        clv_block_count(block, state->seen);
        return OK;
    }
    for (uint32_t row = 0; row < block->rows; row++)
        for (RowWalk walk = clv_walk(block, row);
             clv_walk_next(&walk) && walk.column < step->inputs;)
            state->seen[walk.column]++;
    return OK;
}

/* Returns the length of the column's name if the value can be merged; otherwise 0. */
static size_t title_of_rare(const Step *step, uint32_t column)
{
    const Options *options = step->options;
    const State *state = step->state;
    size_t title;
    const char *value;
    char buffer[24];

    if (state->seen[column] >= (uint64_t)options->min_count)
        return 0;
    title = clv_columns_title(step->in, column);
    value = clv_names_get(&step->in->names, column, buffer) + title + 1;
    return title && strcmp(value, "?") != 0 && strcmp(value, VALUE_OTHER) != 0 ? title : 0;
}

/* Lists the kept values in order. If the data has a value named (other), it is one of them. */
static Status keep_columns(Step *step, Columns *out, uint32_t *place, uint32_t *kept)
{
    State *state = step->state;

    out->names.implicit = false;
    for (uint32_t i = 0; i < step->inputs; i++) {
        char buffer[24];
        const char *name = clv_names_get(&step->in->names, i, buffer);

        place[i] = NO_COLUMN;
        if (title_of_rare(step, i)) {
            state->merged++;
            continue;
        }
        place[i] = out->count;
        kept[out->count] = i;
        TRY(clv_columns_append(out, name, strlen(name), (ColumnKind)step->in->kind[i],
                               step->error));
    }
    return OK;
}

static Status add_to_bucket(Step *step, Columns *out, Buffer *name, uint32_t column,
                            uint32_t *place, uint32_t *kept)
{
    char buffer[24];
    const char *value = clv_names_get(&step->in->names, column, buffer);

    name->size = 0;
    TRY(clv_buffer_add(step->context, name, value, title_of_rare(step, column), step->error));
    TRY(clv_buffer_add(step->context, name, "=" VALUE_OTHER, strlen("=" VALUE_OTHER), step->error));
    place[column] = clv_names_find(&out->names, name->data, name->size);
    if (place[column] != NO_COLUMN)
        return OK;
    place[column] = out->count;
    kept[out->count] = column;
    return clv_columns_append(out, name->data, name->size, COLUMN_CATEGORY, step->error);
}

static Status merge(Step *step, Columns *out, uint32_t *place, uint32_t *kept)
{
    const State *state = step->state;
    Buffer name = {0};
    Status status = OK;

    TRY(keep_columns(step, out, place, kept));
    if (state->merged == 0)
        return OK;
    for (uint32_t i = 0; i < step->inputs && status == OK; i++)
        if (place[i] == NO_COLUMN)
            status = add_to_bucket(step, out, &name, i, place, kept);
    clv_free(step->context, name.data);
    TRY(status);
    TRY(clv_bundle_put(step->arrays, "place", BUNDLE_U32, place, step->inputs, step->error));
    return clv_bundle_put(step->arrays, "kept", BUNDLE_U32, kept, out->count, step->error);
}

static Status columns(Step *step, Columns *out)
{
    Context *context = step->context;
    uint32_t *place, *kept;
    Status status;

    if (step->in->names.implicit) /* numbered features are not categories */
        return clv_columns_copy(out, step->in, step->error);
    place = clv_alloc(context, (size_t)step->inputs + 1, sizeof *place);
    kept = clv_alloc(context, (size_t)step->inputs + 1, sizeof *kept);
    status = place && kept ? merge(step, out, place, kept)
                           : clv_fail_memory(step->error, "values", step->inputs * sizeof *place);
    FREE(context, place, kept);
    return status;
}

static const uint32_t *kept_of(const Step *step)
{
    return ((const State *)step->state)->kept;
}

/* After narrowing, the inputs have the names of the outputs, and the reader merges the values. */
static Status narrow(Step *step, const uint32_t *wanted, uint32_t count)
{
    (void)wanted;
    (void)count;
    TRY(clv_bundle_put(step->arrays, "place", BUNDLE_U32, NULL, 0, step->error));
    return clv_bundle_put(step->arrays, "kept", BUNDLE_U32, NULL, 0, step->error);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status ready(Step *step, cleave_error *error)
{
    State *state = step->state;
    const BundleItem *place = clv_bundle_get(step->arrays, "place", BUNDLE_U32);
    const BundleItem *kept = clv_bundle_get(step->arrays, "kept", BUNDLE_U32);

    (void)error;
    clv_free(step->context, state->seen);
    state->seen = NULL;
    state->place = state->kept = NULL;
    if (!place || place->count == 0)
        return step->inputs == step->outputs ? OK : CLEAVE_ERROR_FORMAT;
    if (place->count != step->inputs || !kept || kept->count != step->outputs)
        return CLEAVE_ERROR_FORMAT;
    state->place = place->data;
    state->kept = kept->data;
    for (uint32_t i = 0; i < step->outputs; i++)
        if (state->kept[i] >= step->inputs)
            return CLEAVE_ERROR_FORMAT;
    for (uint32_t i = 0; i < step->inputs; i++)
        if (state->place[i] >= step->outputs)
            return CLEAVE_ERROR_FORMAT;
    return OK;
}

/* Merges a row and keeps it sorted: entries that move to (other) are inserted in order. */
static Status merge_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    FeatureRow *row = &workspace->row;
    size_t count = 0;

    (void)error;
    if (!state->place)
        return OK;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t column = state->place[row->column[i]];
        float value = row->value[i];
        size_t at = count;

        if (count == 0 || row->column[count - 1] < column) {
            row->column[count] = column;
            row->value[count++] = value;
            continue;
        }
        while (at > 0 && row->column[at - 1] > column)
            at--;
        if (at > 0 && row->column[at - 1] == column)
            /* the row has two values of one categorical column, which is impossible in a table */
            continue;
        memmove(row->column + at + 1, row->column + at, (count - at) * sizeof *row->column);
        memmove(row->value + at + 1, row->value + at, (count - at) * sizeof *row->value);
        row->column[at] = column;
        row->value[at] = value;
        count++;
    }
    row->count = count;
    return OK;
}

static const uint32_t *moved(const Step *step)
{
    return ((const State *)step->state)->place;
}

static void free_state(Step *step)
{
    clv_free(step->context, ((State *)step->state)->seen);
}

static void summarize(const Step *step, char text[160])
{
    const Options *options = step->options;
    const State *state = step->state;

    if (state->merged)
        snprintf(text, 160, "%u categor%s in fewer than %lld rows merged into (other)",
                 state->merged, state->merged == 1 ? "y" : "ies", (long long)options->min_count);
}

const Transform clv_transform_rare = {
    .name = "rare",
    .brief = "Merge rare and unseen categories into one category per column.",
    .about = "Categories with fewer than `min_count` training rows are merged into "
             "`column=(other)`. In prediction, unseen categories become `column=(other)`, too. "
             "Missing values, `column=?`, are not merged.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .begin = begin,
    .look = look,
    .look_row = look_row,
    .columns = columns,
    .kept = kept_of,
    .whole = true,
    .narrow = narrow,
    .ready = ready,
    .row = merge_row,
    .moved = moved,
    .free = free_state,
    .summarize = summarize,
};
