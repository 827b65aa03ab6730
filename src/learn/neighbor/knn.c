/*
 * k nearest neighbors (Fix and Hodges 1951; Cover and Hart 1967). Four options define a prediction:
 * the distance, the number of neighbors, their weights by distance, and the combination of their
 * labels.
 *
 *     classification   score = fraction of votes; ties go to the class of the nearest neighbor
 *     regression       weighted mean; with all points as neighbors, kernel regression (Nadaraya
 *                      1964; Watson 1964)
 *
 * Weights by distance d: none, 1/d, 1/d² or e^(−d²/σ²). If a weight is infinite, only points equal
 * to the row count. If all weights are 0, only the nearest point counts.
 */
#include "learn/neighbor/auto.h"
#include "learn/neighbor/contributions.h"
#include "learn/neighbor/edit.h"
#include "learn/neighbor/gower.h"
#include "learn/neighbor/index_options.h"
#include "learn/neighbor/live_search.h"
#include "learn/neighbor/points.h"

typedef NeighborOptions Options;

typedef struct {
    const Options *options;
    Gathered points;
    Index *index;  /* index of the points, built after the last point */
    double *scale; /* scale of Gower's distance, set with the index */
    /* number of columns with a scale, and number of points it was computed from */
    uint32_t scales, scaled;
    AutoChoice choice; /* index chosen by auto */
    uint32_t *label;   /* per point; in a regression, `number` is used instead */
    double *number;
    float *weight;
    uint64_t *row; /* row of each point in the data; NULL while it equals the position */
    size_t label_capacity, number_capacity, weight_capacity, row_capacity;
    uint64_t rows_before, next_row; /* rows of the warm-start model; number of rows read in total */
    IndexBefore before;             /* index of the warm-start model; arrays NULL: not used */
    uint32_t *position;             /* memory of before.position */
    Bundle *metadata;               /* ids and metadata of the warm-start model; NULL: none */
    uint32_t unlabeled;             /* points without a label */
    LiveSearch live;                /* search structure of a stream */
} State;

static const char *const weights[] = {"none", "1/d", "1/d2", "gaussian", "auto", NULL};
static const char *const votes[] = {"majority", "agree", NULL};

#define SIGMA 1
#define EXPONENT 3

#define NEIGHBOR_PARAMS                                                                            \
    INTEGER(Options, k, 0, AT_LEAST(0), "Number of neighbors.",                                    \
            DEFAULT("5, or all if there are fewer"), TUNE_LOG(1, 50), WHEN("all=false")),          \
        FLAG(Options, all, "Use every training point as a neighbor."),                             \
        NAME(Options, distance, DISTANCE_AUTO, clv_distances,                                      \
             "Distance between two rows; auto is angle for text, else euclidean.",                 \
             TUNE_SOME("euclidean,manhattan,cosine")),                                             \
        NAME(Options, weight, WEIGHT_AUTO, weights,                                                \
             "Weight of a neighbor at distance d; auto is 1/d2 for text, else none.",              \
             TUNE_SOME("none,1/d,1/d2,gaussian")),                                                 \
        REAL(Options, sigma, SIGMA, ABOVE(0), "Width of the Gaussian weight.", TUNE_LOG(0.1, 10),  \
             WHEN("weight=gaussian")),                                                             \
        REAL(Options, r, EXPONENT, AT_LEAST(1),                                                    \
             "Exponent of --distance lr (Minkowski; p of scikit-learn)."),                         \
        INDEX_PARAMS(Options, search),                                                             \
        INTEGER(Options, max_points, 0, WITHIN(0, 1 << 30),                                        \
                "Maximum number of stored points; the newest are kept.", DEFAULT("no limit")),     \
        INTEGER(Options, shard, 0, WITHIN(0, INT32_MAX),                                           \
                "For cleave map: number of this shard, which resolves equal distances."),          \
        TEXT(Options, feature_weights, NULL,                                                       \
             "Feature weights, e.g. age=2,size=0.5; 0 excludes a column.")

static const Param class_params[] = {
    NEIGHBOR_PARAMS,
    NAME(Options, vote, VOTE_MAJORITY, votes,
         "Predict by majority vote, or abstain unless all neighbors agree."),
    FLAG(Options, keep_unlabeled,
         "Also store rows without a label; such a model can only be searched."),
    END_OF_PARAMS,
};

static const Param number_params[] = {
    NEIGHBOR_PARAMS,
    END_OF_PARAMS,
};

/* Whether the distance depends on the scale of values. */
static bool weighs(int distance)
{
    return distance == EUCLIDEAN || distance == MANHATTAN || distance == LR ||
           distance == MAXIMUM || distance == COSINE || distance == ANGLE ||
           distance == INNER_PRODUCT || distance == DISTANCE_AUTO;
}

/* Checks the options of tree indexes. */
static Status check_pages(const IndexOptions *search, cleave_error *error)
{
    enum { FEWEST_BRANCHES = 3 };
    const char *index = clv_index_names[search->index];
    bool rtree = strcmp(index, "rtree") == 0,
         tree = rtree || strcmp(index, "kdtree") == 0 || strcmp(index, "quadtree") == 0;

    if (search->leaf > 0 && !tree) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--leaf requires a tree index, found --index %s",
                 index);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "add --index kdtree, quadtree or rtree, or omit --leaf");
    }
    if (search->fanout > 0 && !rtree) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--fanout requires --index rtree, found --index %s",
                 index);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "add --index rtree, or omit --fanout");
    }
    if (search->fanout > 0 && search->fanout < FEWEST_BRANCHES)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--fanout %lld: expected at least %d children per node",
                        (long long)search->fanout, FEWEST_BRANCHES);
    return OK;
}

/* Checks the options of codes. */
static Status check_codes(const IndexOptions *search, cleave_error *error)
{
    if ((search->parts > 0 || search->bits > 0) && search->index != clv_index_number("vafile")) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s requires --index vafile, found --index %s",
                 search->parts > 0 ? "--parts" : "--bits", clv_index_names[search->index]);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "add --index vafile, or omit the option");
    }
    if (search->bits != 0 && search->bits != 4 && search->bits != 8) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--bits %lld: expected 4 or 8 bits per component, or 0",
                 (long long)search->bits);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "0 (the default) chooses the number of bits on a sample of the points");
    }
    return OK;
}

/* Checks the options of approximate indexes. */
static Status check_approximate(const IndexOptions *search, cleave_error *error)
{
    bool lsh = search->index == clv_index_number("lsh"),
         ivf = search->index == clv_index_number("ivf");

    if ((search->recall <= 0 || lsh || ivf) && (search->radii <= 0 || lsh))
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "%s requires --index %s, found --index %s",
             search->recall > 0 ? "--recall" : "--radii", search->recall > 0 ? "ivf or lsh" : "lsh",
             clv_index_names[search->index]);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "add --index %s, or omit the option; every other index is exact",
                    search->recall > 0 ? "ivf" : "lsh");
}

static Status check(void *options, cleave_error *error)
{
    const Options *given = options;

    TRY(check_pages(&given->search, error));
    TRY(check_codes(&given->search, error));
    if (given->all && given->k > 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--all and --k cannot be combined: both set the number of neighbors");
    TRY(check_approximate(&given->search, error));
    if (given->max_points > 0 && given->k > given->max_points)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--k %lld exceeds --max-points %lld",
                        (long long)given->k, (long long)given->max_points);
    if (given->sigma != SIGMA && given->weight != WEIGHT_GAUSSIAN)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "leave it out, or add --weight gaussian",
                             "--sigma applies to --weight gaussian");
    if (given->r != EXPONENT && given->distance != LR)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "leave it out, or add --distance lr",
                             "--r applies to --distance lr");
    if (given->distance == INNER_PRODUCT && given->weight != WEIGHT_NONE &&
        given->weight != WEIGHT_AUTO) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--weight %s and --distance inner-product cannot be combined",
                 weights[given->weight]);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "use --weight none; an inner product is not a distance that can be "
                        "weighted");
    }
    if (given->feature_weights && *given->feature_weights && !weighs(given->distance)) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--feature-weights and --distance %s cannot be combined",
                 clv_distances[given->distance]);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "use a distance of numeric columns, such as euclidean or manhattan");
    }
    return OK;
}

static bool finds_angles(int index)
{
    return index == INDEX_AUTO || index == INDEX_SCAN || index == clv_index_number("vafile") ||
           index == clv_index_number("lsh") || index == clv_index_number("ivf");
}

static Status choose(Fit *fit, void *options)
{
    Options *given = options;
    bool text = fit->problem->schema && clv_schema_is_text(fit->problem->schema) &&
                !clv_schema_is_sequence(fit->problem->schema);
    Metric metric;

    if (given->distance == DISTANCE_AUTO)
        given->distance = text && finds_angles(given->search.index) ? ANGLE : EUCLIDEAN;
    metric = clv_neighbor_metric(given);
    if (given->weight == WEIGHT_AUTO)
        given->weight = text && metric_of_directions(&metric) ? WEIGHT_SQUARE : WEIGHT_NONE;
    return OK;
}

static uint32_t one_epoch(const void *options)
{
    (void)options;
    return 1;
}

/* ---- storing points -------------------------------------------------------------------------- */

/* Fails if rows of a file are not sequences. For rows from memory, the caller decides. */
static Status check_sequences(const Fit *fit)
{
    const Schema *schema = fit->problem->schema;

    if (!schema || !*schema->format || clv_schema_is_sequence(schema))
        return OK;
    clv_fail(fit->error, CLEAVE_ERROR_USAGE,
             "--distance edit requires sequences, and these rows are %s of %s data",
             clv_schema_is_text(schema) ? "words" : "features", schema->format);
    return clv_hint(fit->error, CLEAVE_ERROR_USAGE,
                    "read lines of label<TAB>text with --format text --sequence");
}

static GatherForm form_of(const Options *options)
{
    const IndexKind *kind = clv_index_kind(options->search.index);

    return options->distance == EDIT ? GATHER_SPARSE
           : kind && kind->dense     ? GATHER_DENSE
                                     : GATHER_AS_SUITS;
}

static Status begin(Fit *fit)
{
    State *state = fit->state;

    state->options = fit->options;
    state->points.context = fit->context;
    state->points.form = form_of(state->options);
    if (state->options->distance == EDIT)
        return check_sequences(fit);
    if (fit->problem->schema && clv_schema_is_sequence(fit->problem->schema)) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                 "--distance %s does not support sequences (--sequence)",
                 clv_distances[state->options->distance]);
        return clv_hint(fit->error, CLEAVE_ERROR_USAGE,
                        "add --distance edit, or omit --sequence to split the text into words");
    }
    return OK;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_index_free(state->index);
    clv_live_search_free(&state->live, fit->context);
    clv_free(fit->context, state->scale);
    clv_gathered_free(&state->points);
    clv_bundle_free(state->metadata);
    FREE(fit->context, state->label, state->number, state->weight, state->row, state->position);
}

/* Stores the attributes of the newest point. */
static Status keep_number(Fit *fit, uint64_t row)
{
    State *state = fit->state;
    size_t count = state->points.count;

    if (!state->row && row == count - 1 && state->options->max_points == 0)
        return OK;
    if (!state->row) {
        TRY(GROW(fit->context, state->row, state->row_capacity, count, fit->error));
        for (size_t i = 0; i + 1 < count; i++)
            state->row[i] = i;
    }
    TRY(GROW(fit->context, state->row, state->row_capacity, count, fit->error));
    state->row[count - 1] = row;
    return OK;
}

static Status keep_target(Fit *fit, double number, uint32_t label, double weight, uint64_t row)
{
    State *state = fit->state;
    size_t count = state->points.count;

    TRY(keep_number(fit, row));
    TRY(GROW(fit->context, state->weight, state->weight_capacity, count, fit->error));
    state->weight[count - 1] = (float)weight;
    if (fit->task == CLEAVE_TASK_REGRESSION) {
        TRY(GROW(fit->context, state->number, state->number_capacity, count, fit->error));
        state->number[count - 1] = number;
        return OK;
    }
    TRY(GROW(fit->context, state->label, state->label_capacity, count, fit->error));
    state->label[count - 1] = label;
    state->unlabeled += label == UNLABELED;
    return OK;
}

/* The number of points above the limit: the oldest ones. */
static uint32_t surplus(const State *state)
{
    int64_t most = state->options->max_points, count = state->points.count;

    return most > 0 && count > most ? (uint32_t)(count - most) : 0;
}

static void forget_oldest(State *state)
{
    uint32_t gone = surplus(state), left = state->points.count - gone;

    if (gone == 0)
        return;
    clv_live_search_forget(&state->live);
    state->scaled = 0;
    state->before.arrays = NULL; /* the positions of points change */
    clv_gathered_drop(&state->points, gone);
    memmove(state->weight, state->weight + gone, left * sizeof *state->weight);
    memmove(state->row, state->row + gone, left * sizeof *state->row);
    if (state->number)
        memmove(state->number, state->number + gone, left * sizeof *state->number);
    for (uint32_t i = 0; state->label && i < gone; i++)
        state->unlabeled -= state->label[i] == UNLABELED;
    if (state->label)
        memmove(state->label, state->label + gone, left * sizeof *state->label);
}

/* Converts the points to the form of a model. A stream and a training run over the same rows have
 * identical points. */
static Status settle(Fit *fit)
{
    State *state = fit->state;

    forget_oldest(state);
    return clv_gathered_settle(&state->points, fit->features, fit->error);
}

static bool any_weighs(const State *state)
{
    for (uint32_t i = 0; i < state->points.count; i++)
        if (state->weight[i] != 1)
            return true;
    return false;
}

static Status keep_row(Fit *fit, const Block *block, uint32_t row, uint64_t number_in_data)
{
    State *state = fit->state;
    bool regression = fit->task == CLEAVE_TASK_REGRESSION;
    uint32_t label = block_label(block, row);
    double number = regression ? fit_target(fit, block, row) : 0;
    double weight;

    if (regression ? isnan(number) : label >= fit->classes && !state->options->keep_unlabeled)
        return OK;
    if (!regression && label >= fit->classes)
        label = UNLABELED;
    weight = fit_weight(fit, block, row, label);
    if (weight <= 0)
        return OK;
    fit->counters.seen++;
    if (state->points.count == UINT32_MAX - 1)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA, "the data has more than %u points",
                        UINT32_MAX - 1);
    TRY(clv_gathered_add(&state->points, block, row, fit->error));
    TRY(keep_target(fit, number, label, weight, number_in_data));
    if (state->options->max_points > 0 && state->points.count >= 2 * state->options->max_points)
        forget_oldest(state);
    return OK;
}

static Status keep_block(Fit *fit, const Block *block, bool counted)
{
    State *state = fit->state;

    clv_index_free(state->index); /* the index belongs to the former points */
    state->index = NULL;
    if (block->features > fit->features)
        fit->features = block->features;
    for (uint32_t row = 0; row < block->rows; row++) {
        uint64_t number = counted ? state->next_row
                                  : state->rows_before + block_row_number(block, row);

        if (number >= state->next_row)
            state->next_row = number + 1;
        TRY(keep_row(fit, block, row, number));
    }
    return OK;
}

/* Stream: counts rows in the order of learning. */
static Status step(Fit *fit, const Block *block)
{
    return keep_block(fit, block, true);
}

static Status check_lengths(const Fit *fit, const Vectors *vectors)
{
    const State *state = fit->state;
    uint32_t longest;

    if (state->options->distance != EDIT || clv_edit_check(vectors, &longest))
        return OK;
    return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                    "--distance edit: expected at most %u symbols per row, found %u",
                    MOST_CHARACTERS, longest);
}

/* Computes the scale of Gower's distance from the current points. */
static Status learn_scale(const Fit *fit, const Vectors *vectors)
{
    State *state = fit->state;

    if (state->options->distance != GOWER || vectors->count == 0 ||
        (state->scale && state->scaled == vectors->count && state->scales == vectors->features))
        return OK;
    clv_free(fit->context, state->scale);
    state->scale = NULL;
    TRY(clv_gower_learn(fit->context, vectors, fit->problem->names, fit->problem->schema,
                        &state->scale, fit->error));
    state->scales = vectors->features;
    state->scaled = vectors->count;
    return OK;
}

/* Builds the index over the current points. */
static Status build_index(Fit *fit, const IndexBefore *before)
{
    State *state = fit->state;
    IndexOptions options = state->options->search;
    Metric metric = clv_neighbor_metric(state->options);
    Vectors vectors = clv_gathered_vectors(&state->points);

    options.seed = fit->problem->seed;
    options.before = before && before->arrays ? before : NULL;
    if (vectors.count == 0)
        return OK;
    TRY(check_lengths(fit, &vectors));
    TRY(learn_scale(fit, &vectors));
    metric.scale = state->scale;
    if (options.index == INDEX_AUTO) {
        TRY(clv_auto_index(fit->context, &options, &metric, &vectors,
                           clv_neighbor_count(state->options, vectors.count), &state->choice,
                           fit->error));
        options.index = state->choice.index;
    }
    if (clv_index_packs(&options, metric.distance)) {
        clv_gathered_pack(&state->points);
        vectors = clv_gathered_vectors(&state->points);
    }
    return clv_index_build(fit->context, &options, &metric, &vectors, &state->index, fit->error);
}

/* Appends the size of the codes of a VA-file to the summary. */
static void append_codes(Fit *fit, const Index *index)
{
    char before[sizeof fit->result.summary];
    uint32_t parts = 0, bits = 0;

    if (index && index->kind->codes)
        index->kind->codes(index, &parts, &bits);
    if (bits == 0)
        return;
    memcpy(before, fit->result.summary, sizeof before);
    clv_summarize(fit, "%s, codes of %u components with %u bits each", before, parts, bits);
}

/* Names the index if auto chose another one than a scan, and the times that auto compared. */
static void summarize(Fit *fit)
{
    const State *state = fit->state;
    const AutoChoice *choice = &state->choice;
    uint32_t points = state->points.count, k = clv_neighbor_count(state->options, points);
    const char *use = state->options->keep_unlabeled ? "query" : "prediction";
    double us = 1e6 * choice->seconds, against = 1e6 * choice->against_seconds;

    if (choice->against != INDEX_AUTO)
        clv_summarize(fit,
                      "%u points, %u neighbor%s per %s, index %s (%.*f us per query, %s %.*f us)",
                      points, k, k == 1 ? "" : "s", use, clv_index_names[choice->index], us < 10,
                      us, clv_index_names[choice->against], against < 10, against);
    else if (choice->index > INDEX_SCAN)
        clv_summarize(fit, "%u points, %u neighbor%s per %s, index %s", points, k,
                      k == 1 ? "" : "s", use, clv_index_names[choice->index]);
    else
        clv_summarize(fit, "%u points, %u neighbor%s per %s", points, k, k == 1 ? "" : "s", use);
    append_codes(fit, state->index);
}

/* Called when all points are added. before: the index of the warm-start model, if it still
 * exists. */
static Status finish(Fit *fit, const IndexBefore *before)
{
    const State *state = fit->state;

    fit->result.complete = true;
    TRY(settle(fit));
    if (state->options->k > (int64_t)state->points.count) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE,
                 "--k %lld exceeds the number of training points%s (%u)",
                 (long long)state->options->k,
                 state->options->keep_unlabeled ? "" : " with a label", state->points.count);
        return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "lower --k, or use --all for every point");
    }
    TRY(build_index(fit, before));
    clv_figure(fit, "points", (double)state->points.count);
    clv_figure(fit, "k", (double)clv_neighbor_count(state->options, state->points.count));
    summarize(fit);
    return OK;
}

static Status end_epoch(Fit *fit, bool *clean)
{
    *clean = true;
    return finish(fit, NULL);
}

/* Adds the rows in the order of the data: of two points at the same distance, the lower row is
 * nearer. */
static Status fit_rows(Fit *fit, Dataset *dataset)
{
    State *state = fit->state;
    Block block;

    for (uint32_t i = 0; i < dataset->blocks; i++) {
        TRY(fit_check(fit));
        TRY(clv_dataset_block(dataset, i, &block, fit->error));
        TRY(keep_block(fit, &block, false));
    }
    if (state->next_row < state->rows_before + dataset->rows)
        state->next_row = state->rows_before + dataset->rows;
    TRY(finish(fit, &state->before));
    fit->epoch_done(fit);
    return OK;
}

/* Stores the model. The points of a worker are not searched. The points of a stream are searched
 * when it resumes. */
static Status end(Fit *fit, Model *model)
{
    State *state = fit->state;
    uint32_t count;

    TRY(settle(fit));
    if (!state->index && !fit->problem->shared)
        TRY(build_index(fit, NULL));
    count = state->points.count;
    if (any_weighs(state))
        TRY(clv_bundle_put(model->bundle, "point_weights", BUNDLE_F32, state->weight, count,
                           fit->error));
    if (count > 0) {
        Vectors vectors = clv_gathered_vectors(&state->points);

        TRY(learn_scale(fit, &vectors));
    }
    if (state->scale)
        TRY(clv_gower_put(model, state->scale, state->scales, fit->features, fit->error));
    if (state->row)
        TRY(clv_bundle_put(model->bundle, "point_rows", BUNDLE_U64, state->row, count, fit->error));
    if (state->next_row != count)
        TRY(clv_bundle_put_number(model->bundle, "point_next_row", state->next_row, fit->error));
    if (state->metadata)
        TRY(clv_metadata_copy(state->metadata, model->bundle, fit->error));
    if (state->options->distance == COSINE)
        TRY(clv_bundle_put_number(model->bundle, "point_cosine", 1, fit->error));
    if (state->unlabeled)
        TRY(clv_bundle_put_number(model->bundle, "points_unlabelled", state->unlabeled,
                                  fit->error));
    if (fit->task == CLEAVE_TASK_REGRESSION)
        TRY(clv_bundle_put(model->bundle, "point_numbers", BUNDLE_F64, state->number, count,
                           fit->error));
    else
        TRY(clv_bundle_put(model->bundle, "point_labels", BUNDLE_U32, state->label, count,
                           fit->error));
    if (state->index)
        TRY(clv_index_save(state->index, fit->last, model->bundle, fit->error));
    if (!fit->last)
        return clv_vectors_to_model(&state->points, fit->features, model, fit->error);
    clv_index_free(state->index);
    state->index = NULL;
    return clv_vectors_move_to_model(&state->points, fit->features, model, fit->error);
}

/* Fails if the feature weights differ from those in the pipeline of the model. */
static Status check_same_weights(const Fit *fit, const char *before)
{
    const State *state = fit->state;
    const char *now = state->options->feature_weights;

    if (strcmp(before ? before : "", now ? now : "") == 0)
        return OK;
    clv_fail(fit->error, CLEAVE_ERROR_USAGE,
             "--feature-weights cannot be combined with --from: the warm-start model has its own");
    return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "omit --feature-weights, or train a new model");
}

/* Appends the points of a model. Their rows follow those read so far. */
static Status add_points(Fit *fit, const Model *model)
{
    State *state = fit->state;
    const BundleItem *gone = clv_bundle_get(model->bundle, "index_gone", BUNDLE_U64);
    uint64_t before = state->next_row;
    Points points;

    if (!clv_points_of_model(model, &points))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no points");
    if (before == 0) {
        clv_bundle_free(state->metadata);
        TRY(clv_bundle_new(fit->context, &state->metadata, fit->error));
        TRY(clv_metadata_copy(model->bundle, state->metadata, fit->error));
    }
    clv_index_free(state->index); /* the index does not contain the new points */
    state->index = NULL;
    if (points.vectors.count > UINT32_MAX - 1 - state->points.count)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA, "the data has more than %u points",
                        UINT32_MAX - 1);
    TRY(check_same_weights(fit, points.options.feature_weights));
    for (uint32_t i = 0; i < points.vectors.count; i++) {
        if (gone && row_bit(gone->data, i))
            continue; /* a removed point; the other rows keep their numbers */
        TRY(clv_gathered_add_vector(&state->points, &points.vectors, i, fit->error));
        TRY(keep_target(
            fit, points.number ? points.number[i] : 0, points.label ? points.label[i] : 0,
            points.weight ? (double)points.weight[i] : 1, before + point_row(&points, i)));
    }
    state->next_row = before + points.next_row;
    return OK;
}

/* Keeps the index of the model, and notes the rows of its points, which are the first ones. */
static Status keep_index(Fit *fit, const Model *model)
{
    State *state = fit->state;
    const IndexOptions *now = &state->options->search;
    const BundleItem *gone = clv_bundle_get(model->bundle, "index_gone", BUNDLE_U64);
    Points points;

    if (!clv_points_of_model(model, &points) || !clv_index_kind(now->index) ||
        !clv_index_kind(now->index)->extends || points.options.search.index != now->index ||
        points.options.search.recall != now->recall ||
        points.options.distance != state->options->distance)
        return OK;
    TRY(ALLOC(fit->context, state->position, points.vectors.count, "points", fit->error));
    for (uint32_t i = 0, row = 0; i < points.vectors.count; i++)
        state->position[i] = gone && row_bit(gone->data, i) ? UINT32_MAX : row++;
    state->before = (IndexBefore){
        .arrays = model->bundle, .position = state->position, .count = points.vectors.count};
    return OK;
}

static Status resume(Fit *fit, const Model *model)
{
    State *state = fit->state;

    TRY(add_points(fit, model));
    TRY(keep_index(fit, model));
    state->rows_before = state->next_row;
    return OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

static Status points_so_far(const Fit *fit, Points *points)
{
    State *state = fit->state;

    *points = (Points){
        .options = *state->options, .classes = fit->classes, .positive = fit->positive};
    points->options.search.seed = fit->problem->seed;
    if (state->options->distance == GOWER)
        forget_oldest(state); /* the ranges are those of the remaining points */
    points->vectors = clv_gathered_vectors(&state->points);
    points->label = state->label;
    points->number = state->number;
    points->weight = state->weight;
    TRY(learn_scale(fit, &points->vectors));
    points->scale = state->scale;
    return OK;
}

static Status votes_to_win(const Fit *fit, const Block *block, uint32_t row, uint32_t *votes)
{
    State *state = fit->state;
    Points points;

    TRY(points_so_far(fit, &points));
    return clv_live_search_votes(&state->live, fit->context, &points, surplus(state), block, row,
                                 votes, fit->error);
}

static Status score(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    State *state = fit->state;
    Points points;

    TRY(points_so_far(fit, &points));
    return clv_live_search_scores(&state->live, fit->context, &points, surplus(state), block, row,
                                  scores, fit->error);
}

static Status widen(Fit *fit, uint32_t classes, uint32_t positive)
{
    fit->classes = classes;
    fit->positive = positive;
    fit->outputs = outputs_of(classes);
    fit->task = fit->outputs > 1 ? CLEAVE_TASK_MULTICLASS : CLEAVE_TASK_BINARY;
    return OK;
}

/* ---- shards ---------------------------------------------------------------------------------- */

/* Appends the points of a model for subsequent rows. */
static Status join(Fit *fit, const Model *model)
{
    if (fit->features < model->features)
        fit->features = model->features;
    TRY(add_points(fit, model));
    forget_oldest(fit->state);
    return OK;
}

/* ---- predictions ----------------------------------------------------------------------------- */

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    Points points;
    Status status;

    TRY(clv_points_open(model, &points, error));
    status = clv_points_can_predict(&points, error);
    if (status == OK)
        status = clv_points_predict(model->context, &points, block, scores, error);
    clv_points_close(&points);
    return status;
}

/* The default pipeline for columns of a table. */
static const char *default_pipeline(const void *options, const Schema *schema)
{
    const Options *given = options;

    return given && given->distance == GOWER && clv_schema_is_table(schema) ? "ordinal:mark-missing"
                                                                            : NULL;
}

static const char *feature_weights(const void *options)
{
    const Options *given = options;

    return given->feature_weights && *given->feature_weights ? given->feature_weights : NULL;
}

static bool slow_to_predict(const void *options)
{
    (void)options;
    return true;
}

static bool abstains(const double *scores, size_t outputs)
{
    for (size_t i = 0; i < outputs; i++)
        if (scores[i] != 0)
            return false;
    return true;
}

static bool accepts_unlabeled(const void *options)
{
    return ((const Options *)options)->keep_unlabeled;
}

/* clang-format off */
#define KNN_TRAINING                                                                               \
    .choose = choose, .default_pipeline = default_pipeline, .feature_weights = feature_weights,    \
    .default_epochs = one_epoch, .begin = begin, .resume = resume, .step = step,                   \
    .end_epoch = end_epoch, .fit = fit_rows, .end = end, .free = free_state
#define KNN_INFERENCE                                                                              \
    .predict = predict, .session = &clv_points_session, .check_model = clv_points_check,           \
    .slow_to_predict = slow_to_predict, .recall = clv_points_recall

static const MethodTraining training = {KNN_TRAINING};
static const MethodTraining class_training = {KNN_TRAINING, .accepts_unlabeled = accepts_unlabeled};
static const MethodInference inference = {KNN_INFERENCE};
static const MethodInference class_inference = {
    KNN_INFERENCE, .probabilities = clv_class_shares_as_probabilities, .abstains = abstains};
static const MethodOnline online = {.score = score};
static const MethodOnline class_online = {
    .score = score, .votes_to_win = votes_to_win, .widen = widen};

static const MethodDistributed distributed = {
    .join = join,
    .neighbors_used = clv_points_neighbors_used,
    .find_neighbors = clv_points_find_neighbors,
    .score_neighbors = clv_points_score_neighbors,
};

static const MethodInspection inspection = {
    .neighbors = clv_neighbors_of,
    .points = clv_points_facts,
};

#define KNN_METHOD                                                                                 \
    .objective = "none: the training points are the model",                                        \
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_MERGEABLE |                 \
              CLEAVE_TRAIT_READABLE | CLEAVE_TRAIT_DETERMINISTIC,                                  \
    .behavior = METHOD_WIDER_ROWS | METHOD_STEPS_LIKE_FIT | METHOD_USES_DISTANCES,                 \
    .options_size = sizeof(Options), .state_size = sizeof(State), .check_options = check,          \
    .distributed = &distributed, .inspection = &inspection
/* clang-format on */

const Method clv_method_knn = {
    .name = "knn",
    .title = "k-nearest-neighbors classification.",
    .reference = "Fix and Hodges 1951; Cover and Hart 1967",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = class_params,
    .training = &class_training,
    .inference = &class_inference,
    .online = &class_online,
    KNN_METHOD,
};

const Method clv_method_knn_regression = {
    .name = "knn-regression",
    .title = "k-nearest-neighbors regression.",
    .reference = "Nadaraya 1964; Watson 1964",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = number_params,
    .training = &training,
    .inference = &inference,
    .online = &online,
    KNN_METHOD,
};
