/*
 * Nearest neighbours (Fix and Hodges 1951; Cover and Hart 1967): a row is what the k training points nearest to it are. The four
 * decisions are four options: the distance, how many neighbours, what each counts by its distance, and how their labels combine.
 *
 *     classes   score of a class = the share of the votes it has; the winner has the most, of tied ones the class of the nearest
 *     numbers   the mean of the neighbours', weighted: kernel regression (Nadaraya 1964; Watson 1964) where all points are neighbours
 *
 * Weights by distance: none, 1/d, 1/d² or e^(−d²/σ²). Where a weight is infinite, points that equal the row decide alone; where all of
 * them vanish, the nearest does.
 */
#include "learn/neighbor/index.h"
#include "model/method.h"

enum { WEIGHT_NONE, WEIGHT_INVERSE, WEIGHT_SQUARE, WEIGHT_GAUSSIAN };
enum { VOTE_MAJORITY, VOTE_AGREE };
enum { USUAL_K = 5 };
#define NUDGE 1e-9 /* what decides between tied votes: far below any difference that votes can make */

typedef struct {
    int64_t k;
    bool all;
    int distance, weight, vote;
    double r, sigma;
} Options;

typedef struct {
    const Options *options;
    Gathered points;
    uint32_t *label; /* of each point; regression: number instead */
    double *number;
    float *weight;
    size_t label_capacity, number_capacity, weight_capacity;
    bool weighted;
} State;

static const char *const weights[] = {"none", "1/d", "1/d2", "gaussian", NULL};
static const char *const votes[] = {"majority", "agree", NULL};

#define NEIGHBOR_PARAMS                                                                                                \
    INTEGER(Options, k, 0, AT_LEAST(0), "how many neighbours are asked; 0: 5, or all where there are fewer"),          \
        FLAG(Options, all, "every training point is a neighbour"),                                                     \
        NAME(Options, distance, EUCLIDEAN, clv_distances, "how far two rows are from each other"),                     \
        NAME(Options, weight, WEIGHT_NONE, weights,                                                                    \
             "what a neighbour at distance d counts: 1, 1/d, 1/d^2, or e^(-d^2/sigma^2)"),                             \
        REAL(Options, sigma, 1, ABOVE(0), "width of the gaussian weight"),                                             \
        REAL(Options, r, 3, AT_LEAST(1), "the power of --distance lr")

static const Param class_params[] = {
    NEIGHBOR_PARAMS,
    NAME(Options, vote, VOTE_MAJORITY, votes,
         "the class with most votes; or none, where the neighbours do not all agree"),
    END_OF_PARAMS,
};

static const Param number_params[] = {
    NEIGHBOR_PARAMS,
    END_OF_PARAMS,
};

static Status check(void *options, cleave_error *error)
{
    const Options *given = options;

    if (given->all && given->k > 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--all and --k are two ways to say one thing: give one");
    return OK;
}

static uint32_t one_round(const void *options)
{
    (void)options;
    return 1;
}

/* ---- learning is keeping ------------------------------------------------------------------------------------------ */

static Status begin(Fit *fit)
{
    State *state = fit->state;

    state->options = fit->options;
    state->points.context = fit->context;
    return OK;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_gathered_free(&state->points);
    clv_free(fit->context, state->label);
    clv_free(fit->context, state->number);
    clv_free(fit->context, state->weight);
}

static Status keep_target(Fit *fit, double number, uint32_t label, double weight)
{
    State *state = fit->state;
    size_t count = state->points.count;

    TRY(GROW(fit->context, state->weight, state->weight_capacity, count, fit->error));
    state->weight[count - 1] = (float)weight;
    state->weighted = state->weighted || weight != 1;
    if (fit->task == CLEAVE_TASK_REGRESSION) {
        TRY(GROW(fit->context, state->number, state->number_capacity, count, fit->error));
        state->number[count - 1] = number;
        return OK;
    }
    TRY(GROW(fit->context, state->label, state->label_capacity, count, fit->error));
    state->label[count - 1] = label;
    return OK;
}

static Status keep_row(Fit *fit, const Block *block, uint32_t row)
{
    State *state = fit->state;
    bool regression = fit->task == CLEAVE_TASK_REGRESSION;
    uint32_t label = block_label(block, row);
    double number = regression ? fit_target(fit, block, row) : 0;
    double weight;

    if (regression ? isnan(number) : label >= fit->classes)
        return OK;
    weight = fit_weight(fit, block, row, label);
    fit->seen++;
    if (weight <= 0)
        return OK;
    if (state->points.count == UINT32_MAX - 1)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA, "more than %u points", UINT32_MAX - 1);
    TRY(clv_gathered_add(&state->points, block, row, fit->error));
    return keep_target(fit, number, label, weight);
}

static Status step(Fit *fit, const Block *block)
{
    if (block->features > fit->features)
        fit->features = block->features;
    for (uint32_t row = 0; row < block->rows; row++)
        TRY(keep_row(fit, block, row));
    return OK;
}

static Status pass(Fit *fit, bool *clean)
{
    (void)fit;
    *clean = true;
    return OK;
}

static uint32_t neighbours_of(const Options *options, uint32_t count)
{
    uint64_t k = options->all ? count : options->k ? (uint64_t)options->k : USUAL_K;

    return k < count ? (uint32_t)k : count;
}

/* Rows in the order of the data: of equal distances the lower row is nearer. */
static Status fit_rows(Fit *fit, Dataset *dataset)
{
    const State *state = fit->state;
    Block block;

    for (uint32_t i = 0; i < dataset->blocks; i++) {
        if (clv_cancelled(fit->context))
            break;
        TRY(clv_dataset_block(dataset, i, &block, fit->error));
        TRY(step(fit, &block));
    }
    if (state->options->k > (int64_t)state->points.count) {
        clv_fail(fit->error, CLEAVE_ERROR_USAGE, "--k %lld: there are %u training points with a label",
                 (long long)state->options->k, state->points.count);
        return clv_hint(fit->error, CLEAVE_ERROR_USAGE, "--all asks every one of them");
    }
    fit->round_over(fit);
    fit->converged = true;
    clv_figure(fit, "points", (double)state->points.count);
    clv_figure(fit, "k", (double)neighbours_of(state->options, state->points.count));
    clv_verdict(fit, "%u points are kept, %u asked for each answer", state->points.count,
                neighbours_of(state->options, state->points.count));
    return OK;
}

static Status end(Fit *fit, Model *model)
{
    const State *state = fit->state;
    uint32_t count = state->points.count;

    TRY(clv_vectors_to_model(&state->points, fit->features, model, fit->error));
    if (state->weighted)
        TRY(clv_bundle_put(model->bundle, "point_weights", BUNDLE_F32, state->weight, count, fit->error));
    if (fit->task == CLEAVE_TASK_REGRESSION)
        return clv_bundle_put(model->bundle, "point_numbers", BUNDLE_F64, state->number, count, fit->error);
    return clv_bundle_put(model->bundle, "point_labels", BUNDLE_U32, state->label, count, fit->error);
}

/* ---- what a model holds ------------------------------------------------------------------------------------------- */

/* Points with what is known of each, wherever they lie. */
typedef struct {
    Search search;
    const uint32_t *label;
    const double *number;
    const float *weight; /* NULL: all 1 */
} Known;

static bool known_of_model(const Model *model, Known *known)
{
    const BundleItem *label = clv_bundle_get(model->bundle, "point_labels", BUNDLE_U32);
    const BundleItem *number = clv_bundle_get(model->bundle, "point_numbers", BUNDLE_F64);
    const BundleItem *weight = clv_bundle_get(model->bundle, "point_weights", BUNDLE_F32);
    bool regression = model->task == CLEAVE_TASK_REGRESSION;
    uint32_t count;

    *known = (Known){.search.context = model->context};
    if (!clv_vectors_of_model(model, &known->search.vectors))
        return false;
    count = known->search.vectors.count;
    known->label = label ? label->data : NULL;
    known->number = number ? number->data : NULL;
    known->weight = weight ? weight->data : NULL;
    return (regression ? number && number->count == count : label && label->count == count) &&
           (!weight || weight->count == count);
}

/* The method's options, as the model has them. */
static Status options_of(const Model *model, Options *options, cleave_error *error)
{
    clv_params_initial(model->method->params, options);
    for (size_t i = 0; i < model->param_count; i++) {
        const Param *param = clv_param_find(model->method->params, model->params[i].name);

        if (param)
            TRY(clv_param_set(param, options, model->params[i].value, error));
    }
    return OK;
}

static bool check_model(const Model *model)
{
    Options options;
    Known known;
    Vectors vectors;

    if (!clv_vectors_check(model, &vectors) || !known_of_model(model, &known) || vectors.count == 0 ||
        options_of(model, &options, NULL) != OK)
        return false;
    for (uint32_t i = 0; i < vectors.count; i++) {
        if (known.label && known.label[i] >= model->labels.count)
            return false;
        if (known.number && !isfinite(known.number[i]))
            return false;
        if (known.weight && !(known.weight[i] > 0 && isfinite(known.weight[i])))
            return false;
    }
    return true;
}

static Status resume(Fit *fit, const Model *model)
{
    State *state = fit->state;
    Known known;

    if (!known_of_model(model, &known))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no points");
    for (uint32_t i = 0; i < known.search.vectors.count; i++) {
        TRY(clv_gathered_add_vector(&state->points, &known.search.vectors, i, fit->error));
        TRY(keep_target(fit, known.number ? known.number[i] : 0, known.label ? known.label[i] : 0,
                        known.weight ? (double)known.weight[i] : 1));
    }
    return OK;
}

/* ---- answers ------------------------------------------------------------------------------------------------------ */

/* What the i-th of the sorted neighbours counts; *alone: only points at distance 0 count. */
static double weigh(const Options *options, const Known *known, const Nearest *nearest, uint32_t i, bool alone)
{
    double d = clv_metric_distance(&known->search.metric, nearest->item[i].key);
    double own = known->weight ? (double)known->weight[nearest->item[i].row] : 1;

    if (alone)
        return d == 0 ? own : 0;
    switch (options->weight) {
    case WEIGHT_INVERSE:
        return own / d;
    case WEIGHT_SQUARE:
        return own / (d * d);
    case WEIGHT_GAUSSIAN:
        return own * exp(-(d / options->sigma) * (d / options->sigma));
    default:
        return own;
    }
}

/* The weights, scaled by the nearest's where they are tiny or huge: only their proportions matter. */
static double total_weight(const Options *options, const Known *known, const Nearest *nearest, bool *alone)
{
    bool inverse = options->weight == WEIGHT_INVERSE || options->weight == WEIGHT_SQUARE;
    double sum = 0;

    *alone = inverse && nearest->item[0].key == 0;
    for (uint32_t i = 0; i < nearest->count; i++)
        sum += weigh(options, known, nearest, i, *alone);
    return sum;
}

static double mean_of(const Options *options, const Known *known, const Nearest *nearest)
{
    bool alone;
    double total = total_weight(options, known, nearest, &alone), sum = 0;

    if (!(total > 0) || !isfinite(total))
        return known
            ->number[nearest->item[0].row]; /* all weights vanish, or one is beyond all others: the nearest decides */
    for (uint32_t i = 0; i < nearest->count; i++)
        sum += weigh(options, known, nearest, i, alone) * known->number[nearest->item[i].row];
    return sum / total;
}

static bool all_agree(const Known *known, const Nearest *nearest)
{
    for (uint32_t i = 1; i < nearest->count; i++)
        if (known->label[nearest->item[i].row] != known->label[nearest->item[0].row])
            return false;
    return true;
}

/* Of the classes with the most votes, the one whose neighbour is nearest. */
static uint32_t winner(const Known *known, const Nearest *nearest, const double *share, uint32_t classes)
{
    double most = 0;

    for (uint32_t c = 0; c < classes; c++)
        most = share[c] > most ? share[c] : most;
    for (uint32_t i = 0; i < nearest->count; i++)
        if (share[known->label[nearest->item[i].row]] >= most * (1 - 1e-12))
            return known->label[nearest->item[i].row];
    return known->label[nearest->item[0].row];
}

/* share: room for the classes. */
static void vote(const Options *options, const Known *known, const Nearest *nearest, uint32_t classes,
                 uint32_t positive, double *share, double *scores)
{
    bool alone;
    double total = total_weight(options, known, nearest, &alone);
    uint32_t best;

    memset(share, 0, classes * sizeof *share);
    if (options->vote == VOTE_AGREE && !all_agree(known, nearest)) {
        memset(scores, 0, outputs_of(classes) * sizeof *scores);
        return;
    }
    if (!(total > 0) || !isfinite(total))
        share[known->label[nearest->item[0].row]] = 1;
    else
        for (uint32_t i = 0; i < nearest->count; i++)
            share[known->label[nearest->item[i].row]] += weigh(options, known, nearest, i, alone) / total;
    best = winner(known, nearest, share, classes);
    share[best] += NUDGE;
    if (classes > 2)
        memcpy(scores, share, classes * sizeof *scores);
    else
        scores[0] = classes == 2 ? share[positive] - share[1 - positive] : share[positive];
}

static Status answer(const Options *options, const Known *known, const Query *query, Nearest *nearest, uint32_t classes,
                     uint32_t positive, double *share, double *scores, cleave_error *error)
{
    nearest->count = 0;
    TRY(clv_index_scan.nearest(&known->search, query, nearest, error));
    clv_nearest_sort(nearest);
    if (classes == 0)
        scores[0] = mean_of(options, known, nearest);
    else
        vote(options, known, nearest, classes, positive, share, scores);
    return OK;
}

static Status predict_rows(const Model *model, const Options *options, const Known *known, const Block *block,
                           double *scores, cleave_error *error)
{
    uint32_t classes = model->labels.count;
    size_t outputs = outputs_of(classes);
    Query query = {.context = model->context};
    Nearest nearest;
    double *share = clv_alloc(model->context, (size_t)classes + 1, sizeof *share);
    Status status = share ? clv_nearest_init(&nearest, model->context,
                                             neighbours_of(options, known->search.vectors.count), error)
                          : clv_fail_memory(error, "votes", classes * sizeof *share);

    for (uint32_t row = 0; row < block->rows && status == OK; row++) {
        status = clv_query_set(&query, block, row, known->search.vectors.features, error);
        if (status == OK)
            status = answer(options, known, &query, &nearest, classes, model->positive, share, scores + row * outputs,
                            error);
    }
    if (share)
        clv_nearest_free(&nearest, model->context);
    clv_query_free(&query);
    clv_free(model->context, share);
    return status;
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    Options options;
    Known known;

    TRY(options_of(model, &options, error));
    if (!known_of_model(model, &known) || known.search.vectors.count == 0)
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no points");
    known.search.metric = (Metric){.distance = (Distance)options.distance, .r = options.r};
    return predict_rows(model, &options, &known, block, scores, error);
}

static bool slow_to_predict(const void *options)
{
    (void)options;
    return true;
}

/* Votes are shares already. */
static void probabilities(const Model *model, const double *scores, double *probabilities)
{
    uint32_t classes = model->labels.count;
    double sum = 0;

    if (classes <= 2) {
        double positive = (1 + scores[0]) / 2;

        positive = positive < 0 ? 0 : positive > 1 ? 1 : positive;
        probabilities[model->positive] = positive;
        if (classes == 2)
            probabilities[1 - model->positive] = 1 - positive;
        return;
    }
    for (uint32_t c = 0; c < classes; c++)
        sum += scores[c];
    for (uint32_t c = 0; c < classes; c++)
        probabilities[c] = sum > 0 ? scores[c] / sum : 1 / (double)classes;
}

static bool abstains(const Model *model, const double *scores)
{
    for (size_t i = 0; i < outputs_of(model->labels.count); i++)
        if (scores[i] != 0)
            return false;
    return true;
}

/* clang-format off */
#define NEIGHBOR_HOOKS                                                                                                 \
    .objective = "none: the training points are the model",                                                            \
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_DETERMINISTIC,                                                        \
    .options_size = sizeof(Options), .state_size = sizeof(State),                                                      \
    .check = check, .usual_rounds = one_round, .begin = begin, .resume = resume, .step = step, .pass = pass,           \
    .fit = fit_rows, .end = end, .check_model = check_model, .free = free_state, .predict = predict,                   \
    .slow_to_predict = slow_to_predict
/* clang-format on */

const Method clv_method_knn = {
    .name = "knn",
    .brief = "the class of the nearest training points",
    .reference = "Fix and Hodges 1951; Cover and Hart 1967",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = class_params,
    NEIGHBOR_HOOKS,
    .probabilities = probabilities,
    .abstains = abstains,
};

const Method clv_method_knn_regression = {
    .name = "knn-regression",
    .brief = "the mean of the nearest training points",
    .reference = "Nadaraya 1964; Watson 1964",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = number_params,
    NEIGHBOR_HOOKS,
};
