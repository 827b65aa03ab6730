/*
 * Factorization of a matrix of ratings, M = U V (UV-decomposition): each user and each item has a
 * vector of `rank` factors and a bias, and the rating of a pair is predicted as
 *
 *     r = mean + b_user + b_item + p_user . q_item
 *
 * The objective over the known ratings, with sample weights w:
 *
 *     sum of w ((rating - r)^2 + lambda (|p|^2 + |q|^2 + b_user^2 + b_item^2))
 *
 * With --no-biases r = p . q. With --implicit the values are counts that express confidence in a
 * preference; see alternate.h. During training, ratings are divided by their standard deviation.
 */
#include "base/number.h"
#include "base/random.h"
#include "learn/factor/alternate.h"
#include "learn/factor/descent.h"

#include <math.h>

enum { SOLVER_AUTO, SOLVER_SGD, SOLVER_ALS, SOLVER_ELEMENTS };
static const char *const solvers[] = {"auto", "sgd", "als", "elements", NULL};

enum { STEP_GRADIENT, STEP_AGREE };
static const char *const steps[] = {"gradient", "agree", NULL};

typedef struct {
    int solver, step;
    int64_t rank;
    double lambda, learning_rate, learning_rate_decay, tolerance, initial_value, alpha;
    bool implicit, no_biases;
    const char *clip;
} Options;

#define LEARNING_RATE 0.02
#define LEARNING_RATE_DECAY 0.05

static const Param params[] = {
    INTEGER(Options, rank, 32, WITHIN(1, MOST_RANK), "Number of factors of a user or an item.",
            TUNE_LOG(4, 128)),
    NAME(Options, solver, SOLVER_AUTO, solvers,
         "Optimization algorithm.\n"
         "sgd: stochastic gradient descent. als: alternating least squares (the default with "
         "--implicit). elements: minimize over one element of U or V at a time."),
    REAL(Options, lambda, 0.08, AT_LEAST(0), "L2 penalty of factors and biases, per rating.",
         TUNE_LOG(0.005, 0.5)),
    REAL(Options, learning_rate, LEARNING_RATE, ABOVE(0), "sgd: learning rate of the first epoch.",
         TUNE_LOG(0.002, 0.1), WHEN("implicit=false,solver!=als|elements")),
    REAL(Options, learning_rate_decay, LEARNING_RATE_DECAY, AT_LEAST(0),
         "sgd: decay c; the learning rate of epoch t is learning_rate / (1 + c t)."),
    NAME(Options, step, STEP_GRADIENT, steps,
         "sgd: how a rating changes the factors.\n"
         "gradient: one gradient step. agree: change each factor by a fraction (the learning rate) "
         "of the change that would remove the error."),
    FLAG(Options, no_biases, "Predict the product of the factors alone."),
    FLAG(Options, implicit, "Treat values as counts (implicit feedback) and predict a preference."),
    REAL(Options, alpha, 1, AT_LEAST(0), "--implicit: the confidence of a count r is 1 + alpha r."),
    TEXT(Options, clip, "auto", "Range of predictions: auto, none, or LOW,HIGH.",
         DEFAULT("range of the training ratings")),
    REAL(Options, initial_value, 0, AT_LEAST(0), "Initial value of every factor; 0: random."),
    REAL(Options, tolerance, 1e-4, AT_LEAST(0),
         "Stop when an epoch decreases the training error by less than this fraction."),
    END_OF_PARAMS,
};

typedef struct {
    Arena memory;
    Ratings ratings;
    Factors factors;
    Blocks blocks;
    double *residual;    /* residuals of solver elements */
    uint64_t *from_item; /* solver elements: see clv_elements */
    FactorModel from;    /* factors of the warm-start model; rank 0: none */
    double last_loss;
} State;

/* ---- options --------------------------------------------------------------------------------- */

/* Returns false if the text is not a range. */
static bool parse_clip(const char *text, double *low, double *high)
{
    const char *comma = strchr(text, ','), *end = text + strlen(text), *stop;

    *low = -INFINITY;
    *high = INFINITY;
    if (strcmp(text, "none") == 0 || strcmp(text, "auto") == 0)
        return true;
    return comma && clv_parse_double(text, comma, low, &stop) && stop == comma &&
           clv_parse_double(comma + 1, end, high, &stop) && stop == end && isfinite(*low) &&
           isfinite(*high) && *low <= *high;
}

static Status check(void *given, cleave_error *error)
{
    const Options *options = given;
    double low, high;
    char quoted[QUOTE_SIZE];

    if (!parse_clip(options->clip, &low, &high))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "use auto, none, or two numbers such as 1,5",
                             "--clip: '%s' is not a range of ratings",
                             clv_quote(quoted, options->clip, strlen(options->clip)));
    if (options->implicit && (options->solver == SOLVER_SGD || options->solver == SOLVER_ELEMENTS))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use --solver als",
                             "--implicit cannot be combined with --solver %s: every pair is an "
                             "example",
                             solvers[options->solver]);
    if ((options->implicit || options->solver == SOLVER_ALS ||
         options->solver == SOLVER_ELEMENTS) &&
        (options->learning_rate != LEARNING_RATE ||
         options->learning_rate_decay != LEARNING_RATE_DECAY || options->step != STEP_GRADIENT))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "omit them, or use --solver sgd",
                             "--learning-rate, --learning-rate-decay and --step apply to --solver "
                             "sgd");
    if (!options->implicit && options->alpha != 1)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "omit it, or add --implicit",
                             "--alpha applies to --implicit");
    return OK;
}

static Status choose(Fit *fit, void *given)
{
    Options *options = given;

    (void)fit;
    if (options->solver == SOLVER_AUTO)
        options->solver = options->implicit ? SOLVER_ALS : SOLVER_SGD;
    return OK;
}

static bool accepts_unlabeled(const void *options)
{
    return ((const Options *)options)->implicit;
}

static const char *default_pipeline(const void *options, const Schema *schema)
{
    (void)options, (void)schema;
    return "";
}

static uint32_t default_epochs(const void *given)
{
    const Options *options = given;

    return options && (options->solver == SOLVER_ALS || options->implicit) ? 15 : 60;
}

/* ---- the start ------------------------------------------------------------------------------- */

static Status begin(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;

    state->last_loss = INFINITY;
    clv_solver(fit, solvers[options->solver]);
    if (options->implicit)
        clv_objective(fit, "sum over all pairs of confidence (preference - p.q)^2, plus lambda "
                           "times the squares of the factors of each count");
    return OK;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_arena_free(&state->memory);
    clv_ratings_free(&state->ratings);
}

static RatingScale scale_of(const Options *options, const State *state)
{
    const Ratings *ratings = &state->ratings;
    RatingScale scale = {.spread = 1};

    if (state->from.rank)
        scale = state->from.scale;
    else if (!options->implicit) {
        scale.mean = options->no_biases ? 0 : ratings->mean;
        /* SOLVER_ELEMENTS follows the textbook, which does not scale ratings */
        if (options->solver != SOLVER_ELEMENTS)
            scale.spread = sqrt(ratings->variance + pow(ratings->mean - scale.mean, 2));
    }
    if (!(scale.spread > 0))
        scale.spread = 1;
    parse_clip(options->clip, &scale.low, &scale.high);
    if (strcmp(options->clip, "auto") == 0 && !options->implicit) {
        scale.low = state->from.rank ? fmin(ratings->low, state->from.scale.low) : ratings->low;
        scale.high = state->from.rank ? fmax(ratings->high, state->from.scale.high) : ratings->high;
    }
    return scale;
}

/* Initializes the factors of a side. Without biases, products of the initial factors are near the
 * mean rating. */
static void start_side(const Fit *fit, const RatingSide *side, float *vectors, float *biases)
{
    const Options *options = fit->options;
    const State *state = fit->state;
    const Factors *factors = &state->factors;
    double rank = factors->rank, mean = state->ratings.mean / factors->scale.spread;
    double base = options->no_biases && !options->implicit && mean > 0 ? sqrt(mean / rank) : 0;

    for (uint32_t n = 0; n < side->count; n++) {
        float *vector = vectors + (size_t)n * factors->stride;
        uint32_t feature = side->feature[n];
        Random random = clv_random(fit->problem->seed, ((uint64_t)1 << 41) + feature);

        if (feature < state->from.features) {
            memcpy(vector, state->from.vectors + (size_t)feature * factors->rank,
                   factors->rank * sizeof *vector);
            biases[n] = state->from.biases[feature];
            continue;
        }
        for (uint32_t i = 0; i < factors->rank; i++)
            vector[i] = options->initial_value > 0 ? (float)options->initial_value
                        : options->implicit
                            ? (float)(clv_random_unit(&random) * .01)
                            : (float)(base + (clv_random_unit(&random) - .5) * .2 / sqrt(rank));
    }
}

static Status start_elements(State *state)
{
    const Ratings *ratings = &state->ratings;
    const RatingSide *users = &ratings->users, *items = &ratings->items;
    uint64_t *next = clv_arena_alloc(&state->memory, items->count, sizeof *next);

    state->residual = clv_arena_alloc(&state->memory, ratings->count, sizeof *state->residual);
    state->from_item = clv_arena_alloc(&state->memory, ratings->count, sizeof *state->from_item);
    TRY(state->memory.status);
    memcpy(next, items->start, items->count * sizeof *next);
    for (uint64_t i = 0; i < ratings->count; i++)
        state->from_item[next[users->other[i]]++] = i;
    return OK;
}

static Status start(Fit *fit, Dataset *dataset)
{
    const Options *options = fit->options;
    State *state = fit->state;
    Ratings *ratings = &state->ratings;
    Factors *factors = &state->factors;
    bool shuffled = options->solver == SOLVER_SGD;

    state->memory = (Arena){.context = fit->context, .error = fit->error, .what = "factors"};
    TRY(clv_ratings_read(fit, dataset, options->implicit, shuffled ? fit->problem->seed + 1 : 0,
                         ratings));
    TRY(clv_factors_new(&state->memory, ratings, (uint32_t)options->rank, factors));
    factors->scale = scale_of(options, state);
    start_side(fit, &ratings->users, factors->users, factors->user_bias);
    start_side(fit, &ratings->items, factors->items, factors->item_bias);
    if (shuffled)
        return clv_blocks_new(fit, &state->memory, ratings, factors, &state->blocks);
    TRY(clv_ratings_by_item(ratings));
    return options->solver == SOLVER_ELEMENTS ? start_elements(state) : OK;
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static Status run_epoch(Fit *fit, double *loss)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double rate = options->learning_rate / (1 + options->learning_rate_decay * fit->counters.epoch);
    LeastSquares problem = {.biases = !options->no_biases && !options->implicit,
                            .implicit = options->implicit,
                            .lambda = options->lambda,
                            .alpha = options->alpha};
    DescentStep step = {.rate = rate,
                        .bias_rate = problem.biases ? rate : 0,
                        .penalty = options->lambda,
                        .to_agree = options->step == STEP_AGREE};

    if (options->solver == SOLVER_SGD)
        return clv_blocks_descend(fit, &state->ratings, &state->blocks, &step, &state->factors,
                                  loss);
    if (options->solver == SOLVER_ALS)
        return clv_alternate(fit, &state->ratings, &problem, &state->factors, loss);
    return clv_elements(fit, &state->ratings, &problem, &state->factors, state->residual,
                        state->from_item, loss);
}

static Status fail_diverged(const Fit *fit, uint32_t epoch)
{
    const Options *options = fit->options;

    return clv_fail_hint(fit->error, CLEAVE_ERROR_DATA,
                         options->initial_value > 0 ? "lower --initial-value"
                                                    : "lower --learning-rate",
                         "training diverged in epoch %u: the error is not finite", epoch);
}

static Status run_epochs(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double unit = state->factors.scale.spread * state->factors.scale.spread, rmse = 0;
    bool more = true, settled = false;
    uint32_t epoch = 0;

    while (more && !settled) {
        double loss;

        epoch = fit->counters.epoch + 1;
        TRY(run_epoch(fit, &loss));
        if (!isfinite(loss))
            return fail_diverged(fit, epoch);
        if (fit->trace && options->solver != SOLVER_ELEMENTS)
            fit->trace(fit, NULL, 0, NULL, true);
        settled = state->last_loss - loss <= options->tolerance * state->last_loss &&
                  isfinite(state->last_loss);
        state->last_loss = loss;
        rmse = sqrt(unit * loss / state->ratings.weight);
        fit->counters.seen += state->ratings.count;
        fit->counters.epoch_loss = unit * loss;
        more = fit->epoch_done(fit);
    }
    if (!clv_factors_finite(&state->factors, &state->ratings))
        return fail_diverged(fit, epoch);
    fit->result.plateau = settled;
    if (options->implicit)
        clv_summarize(fit, "objective %.6g%s", unit * state->last_loss,
                      settled ? ", no longer decreasing" : "");
    else
        clv_summarize(fit, "RMSE %.4g during the last epoch%s", rmse,
                      settled ? ", no longer decreasing" : "");
    return OK;
}

static Status train(Fit *fit, Dataset *dataset)
{
    State *state = fit->state;

    TRY(start(fit, dataset));
    if (fit->trace)
        fit->trace(fit, NULL, 0, NULL, true);
    TRY(run_epochs(fit));
    clv_figure(fit, "users", state->ratings.users.count);
    clv_figure(fit, "items", state->ratings.items.count);
    clv_figure(fit, "rank", state->factors.rank);
    return OK;
}

/* ---- models ---------------------------------------------------------------------------------- */

static Status resume(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;

    if (!clv_factors_of(model, &state->from))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no factors");
    if (state->from.rank != (uint32_t)options->rank)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE, "a warm start keeps the rank",
                             "the warm-start model has rank %u, not %lld", state->from.rank,
                             (long long)options->rank);
    clv_bundle_copy(model->bundle, "last_loss", BUNDLE_F64, &state->last_loss, 1);
    return OK;
}

static Status end(Fit *fit, Model *model)
{
    const State *state = fit->state;

    if (!state->factors.users)
        return clv_fail(fit->error, CLEAVE_ERROR_CANCELLED,
                        "training was interrupted before the first epoch");
    TRY(clv_factors_put(&state->factors, &state->ratings, model, fit->error));
    return clv_bundle_put(model->bundle, "last_loss", BUNDLE_F64, &state->last_loss, 1, fit->error);
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    double loss = 0;

    (void)options, (void)error;
    clv_bundle_copy(model->bundle, "last_loss", BUNDLE_F64, &loss, 1);
    return model_is_sound(clv_factors_check(model) && isfinite(loss));
}

static double loss(const Model *model, const double *scores, uint32_t label, double target)
{
    (void)model, (void)label;
    return (target - scores[0]) * (target - scores[0]);
}

static bool predicts_preferences(const void *options)
{
    return ((const Options *)options)->implicit;
}

static uint32_t weights_per_feature(const void *options)
{
    return (uint32_t)((const Options *)options)->rank;
}

/* Computes elements for a trace. Elements of features without a rating are 0. */
static void look(const Fit *fit, double *weights, double *thresholds)
{
    const State *state = fit->state;
    const Factors *factors = &state->factors;
    const RatingSide *sides[] = {&state->ratings.users, &state->ratings.items};
    const float *vectors[] = {factors->users, factors->items};

    memset(weights, 0, (size_t)fit->features * weights_per_feature(fit->options) * sizeof *weights);
    for (int s = 0; s < 2; s++)
        for (uint32_t n = 0; n < sides[s]->count; n++)
            for (uint32_t j = 0; j < factors->rank; j++)
                weights[(size_t)sides[s]->feature[n] * factors->rank + j] = (double)
                    vectors[s][(size_t)n * factors->stride + j];
    thresholds[0] = 0;
}

static const MethodTraining training = {
    .choose = choose,
    .accepts_unlabeled = accepts_unlabeled,
    .default_pipeline = default_pipeline,
    .default_epochs = default_epochs,
    .begin = begin,
    .resume = resume,
    .fit = train,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {
    .predict = clv_factors_scores,
    .check_model = check_model,
    .loss = loss,
    .predicts_preferences = predicts_preferences,
    .ranks = clv_factors_ranks,
};

static const MethodInspection inspection = {.weights = look,
                                            .weights_per_feature = weights_per_feature};

const Method clv_method_uv = {
    .name = "uv",
    .title = "Matrix factorization of ratings (UV-decomposition).",
    .objective = "sum over ratings of (r - mean - b_user - b_item - p.q)^2, plus lambda times the "
                 "squares of the factors and biases",
    .reference = "Koren, Bell and Volinsky 2009; implicit: Hu, Koren and Volinsky 2008",
    .tasks = CLEAVE_TASK_REGRESSION,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_DETERMINISTIC | CLEAVE_TRAIT_RATINGS,
    .params = params,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .check_options = check,
    .overfitting_hint = "raise --lambda, or lower --rank",
    .training = &training,
    .inference = &inference,
    .inspection = &inspection,
};
