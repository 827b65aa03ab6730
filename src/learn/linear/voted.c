#include "learn/linear/voted.h"

#include <math.h>

/* The arrays in their order in a model: arrays per entry, then arrays per mistake. */
enum { PARTS = VOTE_ARRAYS, ENTRY_PARTS = 2 };

typedef struct {
    const char *name;
    BundleType type;
    size_t size;
    void *address; /* address of the pointer to the array */
} Part;

static void list_parts(const Votes *votes, Part parts[PARTS])
{
    Votes *own = (Votes *)(uintptr_t)votes;
    const Part list[PARTS] = {
        {"vote_columns", BUNDLE_U32, sizeof *votes->column, &own->column},
        {"vote_values", BUNDLE_F32, sizeof *votes->value, &own->value},
        {"vote_ends", BUNDLE_U64, sizeof *votes->end, &own->end},
        {"vote_steps", BUNDLE_F32, sizeof *votes->step, &own->step},
        {"vote_outputs", BUNDLE_U32, sizeof *votes->output, &own->output},
        {"vote_survived", BUNDLE_U64, sizeof *votes->survived, &own->survived},
    };

    memcpy(parts, list, sizeof list);
}

static void *array_of(const Part *part)
{
    void *array;

    memcpy(&array, part->address, sizeof array);
    return array;
}

static size_t count_of(const Votes *votes, size_t part)
{
    return part < ENTRY_PARTS ? votes->entries : votes->mistakes;
}

void clv_votes_init(Votes *votes, Context *context)
{
    *votes = (Votes){.context = context};
}

void clv_votes_free(Votes *votes)
{
    Part parts[PARTS];

    list_parts(votes, parts);
    for (size_t i = 0; i < PARTS && votes->context; i++)
        clv_free(votes->context, array_of(&parts[i]));
    *votes = (Votes){0};
}

static Status reserve(Votes *votes, size_t entries, size_t mistakes, cleave_error *error)
{
    Part parts[PARTS];

    list_parts(votes, parts);
    for (size_t i = 0; i < PARTS; i++)
        TRY(clv_grow(votes->context, parts[i].address, &votes->capacity[i],
                     i < ENTRY_PARTS ? entries : mistakes, parts[i].size, error));
    return OK;
}

Status clv_votes_mistake(Votes *votes, const Block *block, uint32_t row, size_t output, double step,
                         cleave_error *error)
{
    size_t at = votes->mistakes;

    TRY(reserve(votes, votes->entries + block_row_entries(block, row), at + 1, error));
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        votes->column[votes->entries] = walk.column;
        votes->value[votes->entries++] = walk.value;
    }
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

/* ---- in a model ------------------------------------------------------------------------------ */

Status clv_votes_to_model(const Votes *votes, bool learned_threshold, Model *model,
                          cleave_error *error)
{
    Part parts[PARTS];

    list_parts(votes, parts);
    for (size_t i = 0; i < PARTS; i++)
        TRY(clv_bundle_put(model->bundle, parts[i].name, parts[i].type, array_of(&parts[i]),
                           count_of(votes, i), error));
    return clv_bundle_put_number(model->bundle, "vote_threshold", learned_threshold, error);
}

/* Votes that reference the arrays of a model, read-only. */
static bool view_votes(const Model *model, Votes *view, bool *learned_threshold)
{
    const BundleItem *columns = clv_bundle_get(model->bundle, "vote_columns", BUNDLE_U32);
    const BundleItem *ends = clv_bundle_get(model->bundle, "vote_ends", BUNDLE_U64);
    uint64_t threshold;
    Part parts[PARTS];

    if (!columns || !ends || !clv_bundle_number(model->bundle, "vote_threshold", &threshold))
        return false;
    *view = (Votes){.entries = (size_t)columns->count, .mistakes = (size_t)ends->count};
    *learned_threshold = threshold != 0;
    list_parts(view, parts);
    for (size_t i = 0; i < PARTS; i++) {
        const BundleItem *item = clv_bundle_get(model->bundle, parts[i].name, parts[i].type);

        if (!item || item->count != count_of(view, i))
            return false;
        memcpy(parts[i].address, &item->data, sizeof item->data);
    }
    return true;
}

bool clv_votes_in_model(const Model *model)
{
    return clv_bundle_get(model->bundle, "vote_ends", BUNDLE_U64) != NULL;
}

bool clv_votes_check_model(const Model *model)
{
    uint64_t before = 0;
    bool threshold;
    Votes view;

    if (!view_votes(model, &view, &threshold))
        return false;
    for (size_t i = 0; i < view.mistakes; i++) {
        if (view.end[i] < before || view.end[i] > view.entries ||
            view.output[i] >= outputs_of(model->labels.count) || !isfinite(view.step[i]))
            return false;
        before = view.end[i];
    }
    for (size_t i = 0; i < view.entries; i++)
        if (view.column[i] >= model->features || !isfinite(view.value[i]))
            return false;
    return before == view.entries;
}

bool clv_votes_with_threshold(const Model *model)
{
    bool threshold;
    Votes view;

    return view_votes(model, &view, &threshold) && threshold;
}

Status clv_votes_from_model(Votes *votes, const Model *model, double ratio, cleave_error *error)
{
    Part from[PARTS], to[PARTS];
    bool threshold;
    Votes view;

    if (!view_votes(model, &view, &threshold))
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "the model has no votes");
    TRY(reserve(votes, view.entries, view.mistakes, error));
    list_parts(&view, from);
    list_parts(votes, to);
    for (size_t i = 0; i < PARTS; i++)
        if (count_of(&view, i))
            memcpy(array_of(&to[i]), array_of(&from[i]), count_of(&view, i) * from[i].size);
    for (size_t i = 0; i < view.mistakes; i++)
        votes->step[i] = (float)(ratio * (double)view.step[i]);
    votes->entries = view.entries;
    votes->mistakes = view.mistakes;
    return OK;
}

/* ---- the vote -------------------------------------------------------------------------------- */

/* Adds the votes of the vector after a mistake, given its scores. */
static void cast(const double *score, size_t outputs, double weight, double *votes)
{
    size_t best = 0;

    for (size_t i = 1; i < outputs; i++)
        if (score[i] > score[best])
            best = i;
    votes[best] += outputs == 1 && !(score[0] > 0) ? -weight : weight;
}

/* The product of the row of a mistake and another row, both sorted by column. */
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

/* All vectors vote on a row; x (may be NULL) is the row as a dense vector. */
static void vote(const Votes *votes, bool learned_threshold, size_t outputs, const float *x,
                 const Block *block, uint32_t row, double *running, double *scores)
{
    uint64_t at = 0;
    double all = 0, constant = learned_threshold ? 1 : 0;

    memset(running, 0, outputs * sizeof *running);
    memset(scores, 0, outputs * sizeof *scores);
    for (size_t i = 0; i < votes->mistakes; i++) {
        double dot = x ? constant : dot_with(votes, i, block, row) + constant,
               weight = (double)votes->survived[i];

        for (; x && at < votes->end[i]; at++)
            dot += (double)x[votes->column[at]] * (double)votes->value[at];
        running[votes->output[i]] += (double)votes->step[i] * dot;
        if (votes->survived[i] == 0)
            continue;
        all += weight;
        cast(running, outputs, weight, scores);
    }
    for (size_t i = 0; i < outputs && all > 0; i++)
        scores[i] /= all;
}

void clv_votes_scores(const Votes *votes, bool learned_threshold, size_t outputs,
                      const Block *block, uint32_t row, double *running, double *scores)
{
    vote(votes, learned_threshold, outputs, NULL, block, row, running, scores);
}

Status clv_votes_predict(const Model *model, const Block *block, double *scores,
                         cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count);
    Arena memory = {.context = model->context, .error = error, .what = "a dense row"};
    float *x = clv_arena_zero(&memory, model->features, sizeof *x);
    double *running = clv_arena_alloc(&memory, outputs, sizeof *running);
    Status status = memory.status;
    bool threshold;
    Votes view;

    if (status == OK && !view_votes(model, &view, &threshold))
        status = clv_fail(error, CLEAVE_ERROR_INTERNAL, "the model has no votes");
    for (uint32_t row = 0; row < block->rows && status == OK; row++) {
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            x[walk.column] = walk.value;
        vote(&view, threshold, outputs, x, block, row, running, scores + (size_t)row * outputs);
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            x[walk.column] = 0;
    }
    clv_arena_free(&memory);
    return status;
}
