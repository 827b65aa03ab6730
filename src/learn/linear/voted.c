#include "learn/linear/voted.h"

#include <math.h>

void clv_votes_init(Votes *votes, Context *context)
{
    *votes = (Votes){.context = context};
}

void clv_votes_free(Votes *votes)
{
    if (!votes->context)
        return;
    clv_free(votes->context, votes->column);
    clv_free(votes->context, votes->value);
    clv_free(votes->context, votes->end);
    clv_free(votes->context, votes->step);
    clv_free(votes->context, votes->output);
    clv_free(votes->context, votes->survived);
    *votes = (Votes){0};
}

Status clv_votes_mistake(Votes *votes, const Block *block, uint32_t row, size_t output, double step,
                         cleave_error *error)
{
    size_t at = votes->mistakes;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        TRY(GROW(votes->context, votes->column, votes->column_capacity, votes->entries + 1, error));
        TRY(GROW(votes->context, votes->value, votes->value_capacity, votes->entries + 1, error));
        votes->column[votes->entries] = walk.column;
        votes->value[votes->entries++] = walk.value;
    }
    TRY(GROW(votes->context, votes->end, votes->end_capacity, at + 1, error));
    TRY(GROW(votes->context, votes->step, votes->step_capacity, at + 1, error));
    TRY(GROW(votes->context, votes->output, votes->output_capacity, at + 1, error));
    TRY(GROW(votes->context, votes->survived, votes->survived_capacity, at + 1, error));
    votes->end[at] = votes->entries;
    votes->step[at] = (float)step;
    votes->output[at] = (uint32_t)output;
    votes->survived[at] = 0;
    votes->mistakes++;
    return OK;
}

void clv_votes_visited(Votes *votes)
{
    if (votes->mistakes)
        votes->survived[votes->mistakes - 1]++;
}

Status clv_votes_to_model(const Votes *votes, bool learned_threshold, Model *model, cleave_error *error)
{
    Bundle *bundle = model->bundle;

    TRY(clv_bundle_put(bundle, "vote_columns", BUNDLE_U32, votes->column, votes->entries, error));
    TRY(clv_bundle_put(bundle, "vote_values", BUNDLE_F32, votes->value, votes->entries, error));
    TRY(clv_bundle_put(bundle, "vote_ends", BUNDLE_U64, votes->end, votes->mistakes, error));
    TRY(clv_bundle_put(bundle, "vote_steps", BUNDLE_F32, votes->step, votes->mistakes, error));
    TRY(clv_bundle_put(bundle, "vote_outputs", BUNDLE_U32, votes->output, votes->mistakes, error));
    TRY(clv_bundle_put(bundle, "vote_survived", BUNDLE_U64, votes->survived, votes->mistakes, error));
    return clv_bundle_put_number(bundle, "vote_threshold", learned_threshold, error);
}

/* ---- a model's votes ---------------------------------------------------------------------------------------------- */

typedef struct {
    const uint32_t *column, *output;
    const float *value, *step;
    const uint64_t *end, *survived;
    uint64_t entries, mistakes;
    bool learned_threshold;
} View;

static bool take(const Bundle *bundle, const char *name, BundleType type, uint64_t count, const void *array)
{
    const BundleItem *item = clv_bundle_get(bundle, name, type);

    if (!item || item->count != count)
        return false;
    memcpy((void *)(uintptr_t)array, &item->data, sizeof item->data);
    return true;
}

static bool view_votes(const Model *model, View *view)
{
    const Bundle *bundle = model->bundle;
    const BundleItem *columns = clv_bundle_get(bundle, "vote_columns", BUNDLE_U32);
    const BundleItem *ends = clv_bundle_get(bundle, "vote_ends", BUNDLE_U64);
    uint64_t threshold;

    if (!columns || !ends || !clv_bundle_number(bundle, "vote_threshold", &threshold))
        return false;
    *view = (View){.entries = columns->count, .mistakes = ends->count, .learned_threshold = threshold != 0};
    return take(bundle, "vote_columns", BUNDLE_U32, view->entries, &view->column) &&
           take(bundle, "vote_values", BUNDLE_F32, view->entries, &view->value) &&
           take(bundle, "vote_ends", BUNDLE_U64, view->mistakes, &view->end) &&
           take(bundle, "vote_steps", BUNDLE_F32, view->mistakes, &view->step) &&
           take(bundle, "vote_outputs", BUNDLE_U32, view->mistakes, &view->output) &&
           take(bundle, "vote_survived", BUNDLE_U64, view->mistakes, &view->survived);
}

bool clv_votes_in_model(const Model *model)
{
    return clv_bundle_get(model->bundle, "vote_ends", BUNDLE_U64) != NULL;
}

bool clv_votes_check_model(const Model *model)
{
    uint64_t before = 0;
    View view;

    if (!view_votes(model, &view))
        return false;
    for (uint64_t i = 0; i < view.mistakes; i++) {
        if (view.end[i] < before || view.end[i] > view.entries || view.output[i] >= outputs_of(model->labels.count) ||
            !isfinite(view.step[i]))
            return false;
        before = view.end[i];
    }
    for (uint64_t i = 0; i < view.entries; i++)
        if (view.column[i] >= model->features || !isfinite(view.value[i]))
            return false;
    return before == view.entries;
}

bool clv_votes_with_threshold(const Model *model)
{
    View view;

    return view_votes(model, &view) && view.learned_threshold;
}

Status clv_votes_from_model(Votes *votes, const Model *model, double ratio, cleave_error *error)
{
    uint64_t start = 0;
    View view;

    if (!view_votes(model, &view))
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "a model without votes");
    TRY(GROW(votes->context, votes->column, votes->column_capacity, view.entries, error));
    TRY(GROW(votes->context, votes->value, votes->value_capacity, view.entries, error));
    TRY(GROW(votes->context, votes->end, votes->end_capacity, view.mistakes, error));
    TRY(GROW(votes->context, votes->step, votes->step_capacity, view.mistakes, error));
    TRY(GROW(votes->context, votes->output, votes->output_capacity, view.mistakes, error));
    TRY(GROW(votes->context, votes->survived, votes->survived_capacity, view.mistakes, error));
    for (uint64_t i = 0; i < view.mistakes; i++) {
        for (; start < view.end[i]; start++) {
            votes->column[start] = view.column[start];
            votes->value[start] = view.value[start];
        }
        votes->end[i] = view.end[i];
        votes->step[i] = (float)(ratio * (double)view.step[i]);
        votes->output[i] = view.output[i];
        votes->survived[i] = view.survived[i];
    }
    votes->entries = view.entries;
    votes->mistakes = view.mistakes;
    return OK;
}

static size_t winner(const double *score, size_t outputs)
{
    size_t best = 0;

    for (size_t i = 1; i < outputs; i++)
        if (score[i] > score[best])
            best = i;
    return best;
}

/* The vector after a mistake, which scores so, votes. */
static void cast(const double *score, size_t outputs, double weight, double *votes)
{
    if (outputs == 1)
        votes[0] += score[0] > 0 ? weight : -weight;
    else
        votes[winner(score, outputs)] += weight;
}

/* Lets every vector vote on the row that lies spread out in x. */
static void vote(const View *view, const float *x, size_t outputs, double *score, double *votes)
{
    uint64_t at = 0;
    double all = 0;

    memset(score, 0, outputs * sizeof *score);
    memset(votes, 0, outputs * sizeof *votes);
    for (uint64_t i = 0; i < view->mistakes; i++) {
        double dot = view->learned_threshold ? 1 : 0, weight = (double)view->survived[i];

        for (; at < view->end[i]; at++)
            dot += (double)x[view->column[at]] * (double)view->value[at];
        score[view->output[i]] += (double)view->step[i] * dot;
        if (view->survived[i] == 0)
            continue;
        all += weight;
        cast(score, outputs, weight, votes);
    }
    for (size_t i = 0; i < outputs && all > 0; i++)
        votes[i] /= all;
}

/* Of the row of a mistake and another, both in order of their columns. */
static double dot_with(const Votes *votes, size_t mistake, const Block *block, uint32_t row)
{
    uint64_t at = mistake ? votes->end[mistake - 1] : 0, end = votes->end[mistake];
    double dot = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk) && at < end;) {
        while (at < end && votes->column[at] < walk.column)
            at++;
        if (at < end && votes->column[at] == walk.column)
            dot += (double)walk.value * (double)votes->value[at];
    }
    return dot;
}

void clv_votes_scores(const Votes *votes, bool learned_threshold, size_t outputs, const Block *block, uint32_t row,
                      double *running, double *scores)
{
    double all = 0;

    memset(running, 0, outputs * sizeof *running);
    memset(scores, 0, outputs * sizeof *scores);
    for (size_t i = 0; i < votes->mistakes; i++) {
        double dot = dot_with(votes, i, block, row) + (learned_threshold ? 1 : 0);

        running[votes->output[i]] += (double)votes->step[i] * dot;
        if (votes->survived[i] == 0)
            continue;
        all += (double)votes->survived[i];
        cast(running, outputs, (double)votes->survived[i], scores);
    }
    for (size_t i = 0; i < outputs && all > 0; i++)
        scores[i] /= all;
}

Status clv_votes_predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count);
    float *x = clv_alloc_zero(model->context, model->features, sizeof *x);
    double *score = clv_alloc(model->context, outputs, sizeof *score);
    View view;

    if (!x || !score || !view_votes(model, &view)) {
        clv_free(model->context, x);
        clv_free(model->context, score);
        return clv_fail_memory(error, "a spread-out row", model->features * sizeof *x);
    }
    for (uint32_t row = 0; row < block->rows; row++) {
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            x[walk.column] = walk.value;
        vote(&view, x, outputs, score, scores + (size_t)row * outputs);
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            x[walk.column] = 0;
    }
    clv_free(model->context, x);
    clv_free(model->context, score);
    return OK;
}
