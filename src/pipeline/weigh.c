/*
 * Feature weights: multiplies columns by a weight each. In a distance, a column of weight w
 * contributes w times its difference; weight 0 removes it.
 */
#include "base/number.h"
#include "pipeline/transform.h"

#include <stddef.h>
#include <stdio.h>

typedef struct {
    const char *by;
} Options;

typedef struct {
    const float *weight;
} State;

static const Param params[] = {
    TEXT(Options, by, NULL, "Column weights, e.g. age=2;size=0.5."),
    END_OF_PARAMS,
};

static Status refuse(cleave_error *error, const char *what, const char *piece, size_t length)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "for example: --feature-weights age=2,size=0.5; the default weight of a column is 1",
        "--feature-weights: %s, found '%s'", what, clv_quote(quoted, piece, length));
}

/* Parses one piece, NAME=WEIGHT, and returns the end of the name and the weight. A name may contain
 * an equals sign. */
static Status take(const char *piece, size_t length, size_t *name, double *weight,
                   cleave_error *error)
{
    const char *end = piece;
    size_t at = length;

    while (at > 0 && piece[at - 1] != '=')
        at--;
    if (at < 2 || !clv_parse_double(piece + at, piece + length, weight, &end) ||
        end != piece + length)
        return refuse(error, "expected NAME=WEIGHT", piece, length);
    if (!(*weight >= 0) || !isfinite((float)*weight))
        return refuse(error, "expected a non-negative weight", piece, length);
    *name = at - 1;
    return OK;
}

/* Returns whether the column is the named one or is derived from it: `column=value`,
 * `column:word`. */
static bool is_of(const char *feature, bool table, const char *name, size_t length)
{
    size_t own = strlen(feature);

    if (own < length || memcmp(feature, name, length) != 0)
        return false;
    return own == length || (table && (feature[length] == '=' || feature[length] == ':'));
}

static Status weigh_columns(const Step *step, const char *piece, size_t length, float *weight,
                            bool *given)
{
    bool any = false;
    double value = 1;
    size_t name = 0;

    TRY(take(piece, length, &name, &value, step->error));
    for (uint32_t i = 0; i < step->inputs; i++) {
        char buffer[24];

        if (!is_of(clv_names_get(&step->in->names, i, buffer), step->in->table, piece, name))
            continue;
        if (given[i])
            return refuse(step->error, "expected one weight per column", piece, length);
        given[i] = any = true;
        weight[i] = (float)value;
    }
    return any ? OK : refuse(step->error, "expected a column of the data", piece, length);
}

static Status read_weights(const Step *step, float *weight, bool *given)
{
    const Options *options = step->options;

    for (uint32_t i = 0; i < step->inputs; i++)
        weight[i] = 1;
    if (!options->by || !*options->by)
        return OK;
    for (const char *at = options->by;; at++) {
        size_t length = strcspn(at, ";");

        TRY(weigh_columns(step, at, length, weight, given));
        at += length;
        if (!*at)
            return OK;
    }
}

static Status columns(Step *step, Columns *out)
{
    size_t workspace = (size_t)step->inputs + 1;
    float *weight = clv_alloc(step->context, workspace, sizeof *weight);
    bool *given = clv_alloc_zero(step->context, workspace, sizeof *given);
    Status status = weight && given
                        ? read_weights(step, weight, given)
                        : clv_fail_memory(step->error, "weights", workspace * sizeof *weight);

    THEN(status,
         clv_bundle_put(step->arrays, "weight", BUNDLE_F32, weight, step->inputs, step->error));
    FREE(step->context, weight, given);
    return status == OK ? clv_columns_copy(out, step->in, step->error) : status;
}

static Status ready(Step *step, cleave_error *error)
{
    const BundleItem *weight = clv_bundle_get(step->arrays, "weight", BUNDLE_F32);
    State *state = step->state;

    (void)error;
    if (!weight || weight->count != step->inputs || step->inputs != step->outputs)
        return CLEAVE_ERROR_FORMAT;
    state->weight = weight->data;
    for (uint32_t i = 0; i < step->inputs; i++)
        if (!(state->weight[i] >= 0 && isfinite(state->weight[i])))
            return CLEAVE_ERROR_FORMAT;
    return OK;
}

static Status weigh_row(const Step *step, RowWorkspace *workspace, cleave_error *error)
{
    const State *state = step->state;
    FeatureRow *row = &workspace->row;
    size_t kept = 0;

    for (size_t i = 0; i < row->count; i++) {
        float value = row->value[i] * state->weight[row->column[i]];

        if (!isfinite(value))
            return clv_row_fail(workspace, error, "a value multiplied by its weight is too large");
        row->column[kept] = row->column[i];
        row->value[kept] = value;
        kept += value != 0;
    }
    row->count = kept;
    return OK;
}

static void summarize(const Step *step, char text[160])
{
    const State *state = step->state;
    uint32_t others = 0;

    for (uint32_t i = 0; i < step->inputs; i++)
        others += state->weight[i] != 1;
    snprintf(text, 160, "%u of %u columns have a weight other than 1", others, step->inputs);
}

const Transform clv_transform_weigh = {
    .name = "weigh",
    .brief = "Multiply columns by weights.",
    .about = "Each column is multiplied by its weight, which weights its differences in a "
             "distance. Weight 0 removes the column. The name of a categorical or text column "
             "selects all of its features.",
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .columns = columns,
    .ready = ready,
    .row = weigh_row,
    .summarize = summarize,
};
