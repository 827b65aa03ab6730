/*
 * Ordinal codes of the columns of a table. Readers create one feature per category of a column, and
 * one feature `column=?` per column with missing values. This transform makes each column one
 * feature again:
 *
 *     a number          unchanged
 *     a category        the number of its value, from 1
 *     an unseen value   0
 *     a missing value   MISSING_VALUE, or an error
 *
 * Codes can only be compared for equality. They serve methods that compare categorical columns,
 * such as Gower's distance.
 */
#include "pipeline/random_directions.h"
#include "pipeline/transform.h"

#include <stdio.h>

/* For each input: its output, and its code there. Codes of categories are above CODE_NUMBER. */
#define CODE_NUMBER 0u
#define CODE_MISSING UINT32_MAX
#define MOST_CODES (1u << 24) /* codes below this number are exact in float32 */

typedef struct {
    const uint32_t *output, *code;
} State;

typedef struct {
    bool mark_missing;
} Options;

static const Param params[] = {
    FLAG(Options, mark_missing,
         "Encode missing values for --distance gower instead of refusing them."),
    END_OF_PARAMS,
};

/* ---- columns --------------------------------------------------------------------------------- */

static Status add_mark(Step *step, Columns *inputs, Buffer *name, const char *title, size_t length)
{
    name->size = 0;
    TRY(clv_buffer_add(step->context, name, title, length,
                       step->error)); /* a copy, because adding to the names moves them */
    TRY(clv_buffer_add(step->context, name, "=?", 2, step->error));
    if (clv_names_find(&inputs->names, name->data, name->size) != NO_COLUMN)
        return OK;
    return clv_columns_append(inputs, name->data, name->size, COLUMN_CATEGORY, step->error);
}

/* Requests an indicator for each column of a table: any column may have missing values, even if no
 * training row has one. */
static Status wants(Step *step, Columns *inputs)
{
    uint32_t count = inputs->count;
    Status status = OK;
    Buffer name = {0};

    for (uint32_t i = 0; inputs->table && i < count && status == OK; i++) {
        char buffer[24];
        const char *own = clv_names_get(&inputs->names, i, buffer);

        if (inputs->kind[i] == COLUMN_NUMBER)
            status = add_mark(step, inputs, &name, own, strlen(own));
    }
    for (uint32_t i = 0; inputs->table && i < inputs->titles.count && status == OK; i++)
        status = add_mark(step, inputs, &name, inputs->titles.text.data + inputs->titles.offset[i],
                          clv_names_length(&inputs->titles, i));
    clv_free(step->context, name.data);
    return status;
}

/* Returns the number whose missing values a column indicates; NO_COLUMN: none. */
static uint32_t marked_number(const Step *step, const char *name, size_t length)
{
    uint32_t number = length > 2 && memcmp(name + length - 2, "=?", 2) == 0
                          ? clv_names_find(&step->in->names, name, length - 2)
                          : NO_COLUMN;

    return number < step->inputs && step->in->kind[number] == COLUMN_NUMBER ? number : NO_COLUMN;
}

/* Places the numbers first, in their order; categorical columns follow. */
static Status place_numbers(Step *step, uint32_t *output, uint32_t *code, Columns *out)
{
    for (uint32_t i = 0; i < step->inputs; i++) {
        char buffer[24];
        const char *name = clv_names_get(&step->in->names, i, buffer);

        output[i] = NO_COLUMN;
        if (step->in->kind[i] == COLUMN_TEXT) {
            char buffer[24], quoted[QUOTE_SIZE];
            const char *name = clv_names_get(&step->in->names, i, buffer);

            return clv_fail_hint(
                step->error, CLEAVE_ERROR_USAGE,
                "ignore columns of text with --columns NAME=ignore",
                "--transform: codes: expected numbers and categories, but '%s' is a word",
                clv_quote(quoted, name, strlen(name)));
        }
        if (step->in->kind[i] != COLUMN_NUMBER)
            continue;
        output[i] = out->count;
        code[i] = CODE_NUMBER;
        TRY(clv_columns_append(out, name, strlen(name), COLUMN_NUMBER, step->error));
    }
    return OK;
}

static Status place_categories(Step *step, uint32_t *output, uint32_t *code, Columns *out)
{
    const Names *titles = &step->in->titles;
    uint32_t numbers = out->count,
             *used = clv_alloc_zero(step->context, (size_t)titles->count + 1, sizeof *used);
    Status status = used ? OK
                         : clv_fail_memory(step->error, "columns", titles->count * sizeof *used);

    for (uint32_t i = 0; i < titles->count && status == OK; i++)
        status = clv_columns_append(out, titles->text.data + titles->offset[i],
                                    clv_names_length(titles, i), COLUMN_CATEGORY, step->error);
    for (uint32_t i = 0; i < step->inputs && status == OK; i++) {
        char buffer[24];
        const char *name = clv_names_get(&step->in->names, i, buffer);
        size_t length = strlen(name), title = clv_columns_title(step->in, i);
        uint32_t number = title ? NO_COLUMN : marked_number(step, name, length);

        if (output[i] != NO_COLUMN)
            continue;
        if (number != NO_COLUMN) {
            output[i] = output[number];
            code[i] = CODE_MISSING;
        } else if (title) {
            uint32_t column = clv_names_find(titles, name, title);

            output[i] = numbers + column;
            code[i] = length == title + 2 && name[title + 1] == '?' ? CODE_MISSING : ++used[column];
            if (used[column] > MOST_CODES)
                status = clv_fail(step->error, CLEAVE_ERROR_DATA,
                                  "--transform: codes: a column has more than %u values",
                                  MOST_CODES);
        } else {
            output[i] = out->count; /* an indicator of 0 or 1 from an earlier step */
            code[i] = CODE_NUMBER;
            status = clv_columns_append(out, name, length, COLUMN_NUMBER, step->error);
        }
    }
    clv_free(step->context, used);
    return status;
}

/* Encodes a table or named columns; other columns are unchanged. */
static Status columns(Step *step, Columns *out)
{
    uint32_t *output, *code;
    size_t workspace = (size_t)step->inputs + 1;
    Status status;

    if (!step->in->table)
        return clv_columns_copy(out, step->in, step->error);
    output = clv_alloc(step->context, workspace, sizeof *output);
    code = clv_alloc(step->context, workspace, sizeof *code);
    status = output && code ? OK
                            : clv_fail_memory(step->error, "columns", 2 * workspace * sizeof *code);
    out->table = true;
    out->names.implicit = false;
    THEN(status, place_numbers(step, output, code, out));
    THEN(status, place_categories(step, output, code, out));
    THEN(status,
         clv_bundle_put(step->arrays, "output", BUNDLE_U32, output, step->inputs, step->error));
    THEN(status, clv_bundle_put(step->arrays, "code", BUNDLE_U32, code, step->inputs, step->error));
    FREE(step->context, output, code);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status ready(Step *step, cleave_error *error)
{
    const BundleItem *output = clv_bundle_get(step->arrays, "output", BUNDLE_U32);
    const BundleItem *code = clv_bundle_get(step->arrays, "code", BUNDLE_U32);
    State *state = step->state;

    (void)error;
    *state = (State){.output = output ? output->data : NULL, .code = code ? code->data : NULL};
    if (!output && !code)
        return step->inputs == step->outputs ? OK : CLEAVE_ERROR_FORMAT;
    if (!output || !code || output->count != step->inputs || code->count != step->inputs)
        return CLEAVE_ERROR_FORMAT;
    for (uint32_t i = 0; i < step->inputs; i++)
        if (state->output[i] >= step->outputs)
            return CLEAVE_ERROR_FORMAT;
    return OK;
}

static Status code_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const Options *options = step->options;
    const State *state = step->state;
    const FeatureRow *row = &workspace->row;

    if (!state->output)
        return OK;
    TRY(clv_workspace_numbers(workspace, step->outputs, error));
    memset(workspace->numbers, 0, step->outputs * sizeof *workspace->numbers);
    for (size_t i = 0; i < row->count; i++) {
        uint32_t code = state->code[row->column[i]];
        double *number = &workspace->numbers[state->output[row->column[i]]];

        if (code == CODE_MISSING && !options->mark_missing) {
            clv_row_fail(
                workspace, error,
                "a value is missing, and --transform ordinal does not encode missing values");
            return clv_hint(error, CLEAVE_ERROR_DATA,
                            "use ordinal:mark-missing, as --distance gower does");
        }
        if (code == CODE_MISSING)
            *number = (double)MISSING_VALUE;
        else if (*number != (double)MISSING_VALUE)
            *number = code == CODE_NUMBER ? (double)row->value[i] : (double)code;
    }
    return clv_row_of_sums(workspace, workspace->numbers, step->outputs, error);
}

static void summarize(const Step *step, char text[160])
{
    const State *state = step->state;
    uint32_t categories = 0, values = 0;

    if (!state->output)
        return;
    for (uint32_t i = 0; i < step->inputs; i++) {
        categories += state->code[i] == 1;
        values += state->code[i] != CODE_NUMBER && state->code[i] != CODE_MISSING;
    }
    if (categories)
        snprintf(text, 160, "%u value%s of %u categorical column%s", values, values == 1 ? "" : "s",
                 categories, categories == 1 ? "" : "s");
}

const Transform clv_transform_codes = {
    .name = "ordinal",
    .brief = "Encode each categorical column as one feature (ordinal encoding).",
    .about = "Each categorical column becomes one feature: the number of the category. Numeric "
             "columns are unchanged. Missing values have a code of their own. The codes have "
             "no order: use them with --distance gower, which compares categories for "
             "equality.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .wants = wants,
    .columns = columns,
    .ready = ready,
    .row = code_row,
    .summarize = summarize,
};
