/*
 * Least mean squares: a linear function that moves a little towards each example (Widrow and Hoff
 * 1960).
 *
 *     score(x) = w·x + b            w += α c (y − score(x)) x       b += α c (y − score(x))
 *
 * with the learning rate α and the weight c of the row. It is stochastic gradient descent on the
 * squared error. With a constant rate the weights end in a neighborhood of the least-squares
 * solution, whose size decreases with the rate. With a decaying rate they converge to it, and their
 * mean (late_mean.h) is close to it; forms of the model: online_learner.h. The weights diverge
 * where α (‖x‖² + 1) exceeds 2, which is detected. --normalize divides each step by ‖x‖² + 1
 * (Nagumo and Noda 1967) and converges for rates below 2, whatever the scale of the features.
 * --solver adaptive and ftrl have a learning rate per weight (adaptive.h), and no mean.
 */
#include "learn/linear/adaptive.h"
#include "learn/linear/late_mean.h"
#include "learn/linear/linear_update.h"
#include "learn/linear/online_learner.h"

static const char *const forms[] = {"auto", "plain", "averaged", NULL};

enum { LMS_AUTO, LMS_SGD, LMS_ADAPTIVE, LMS_FTRL };
static const char *const solvers[] = {"auto", "sgd", "adaptive", "ftrl", NULL};

typedef struct {
    double learning_rate;
    double learning_rate_decay;
    int solver;
    int form;
    bool normalize;
    bool no_intercept;
    int64_t calibrate_every;
    double tolerance;
    double C;
    double l1_ratio;
} Options;

static const Param params[] = {
    REAL(Options, learning_rate, 0, AT_LEAST(0), "Learning rate.", TUNE_LOG(1e-4, 1),
         DEFAULT("0.1; adaptive: " RATE_TEXT(ADAPTIVE_RATE) "; ftrl: " RATE_TEXT(FTRL_RATE))),
    NAME(Options, solver, LMS_AUTO, solvers,
         "One learning rate (sgd) or one per weight (adaptive, ftrl).\n"
         "auto: adaptive for streams, unless an option of sgd is given; otherwise sgd."),
    REAL(Options, learning_rate_decay, 0, AT_LEAST(0),
         "sgd: decay c; the learning rate of epoch t is learning_rate / (1 + c t).",
         TUNE_LOG(1e-2, 10), WHEN("solver!=adaptive|ftrl")),
    NAME(Options, form, FORM_AUTO, forms,
         "sgd: weights used for prediction, last (plain) or averaged.\n"
         "auto: averaged for more than 1,000 rows, unless the last weights make no mistake.",
         TUNE_SOME("plain,averaged"), WHEN("solver!=adaptive|ftrl")),
    FLAG(Options, normalize, "sgd: divide each step by the squared norm of the row.", TUNE_ALL,
         WHEN("solver!=adaptive|ftrl")),
    FLAG(Options, no_intercept, "Do not fit an intercept."),
    INTEGER(Options, calibrate_every, 0, AT_LEAST(0),
            "sgd: number of examples between calibrations of the learning rate.", DEFAULT("never")),
    REAL(Options, tolerance, 1e-4, AT_LEAST(0),
         "Stop when the relative change of the squared error falls below this value."),
    REAL(Options, C, 1, ABOVE(0), "ftrl: inverse regularization strength."),
    REAL(Options, l1_ratio, 0, WITHIN(0, 1),
         "ftrl: fraction of the penalty that is L1; the rest is L2."),
    END_OF_PARAMS,
};

typedef struct {
    OnlineLearner learner; /* the mean of the learner is not used */
    LateMean mean;
    Linear w;          /* the weights times learner.grown */
    double rate;       /* learning rate of this block */
    double factor;     /* factor of the learning rate, found by the calibration */
    double last_error; /* squared error of the previous epoch; NaN before the second epoch */
    double folded;     /* part of learner.grown divided out since begin or resume: see average.h */
    bool averages;
    Adaptive adaptive;
} State;

static bool has_rates(const Fit *fit)
{
    return ((const Options *)fit->options)->solver >= LMS_ADAPTIVE;
}

/* Whether an option of the solver sgd differs from its default. */
static bool has_sgd_options(const Options *options)
{
    return options->learning_rate_decay > 0 || options->form != FORM_AUTO || options->normalize ||
           options->calibrate_every > 0;
}

static Status check(void *given, cleave_error *error)
{
    const Options *options = given;

    if (options->solver >= LMS_ADAPTIVE && has_sgd_options(options))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--learning-rate-decay, --form, --normalize and --calibrate-every apply to "
                        "--solver sgd");
    if (options->solver != LMS_FTRL && (options->C != 1 || options->l1_ratio > 0))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--C and --l1-ratio apply to --solver ftrl");
    return OK;
}

static Status choose(Fit *fit, void *given)
{
    Options *options = given;
    static const double rates[] = {
        [LMS_SGD] = 0.1, [LMS_ADAPTIVE] = ADAPTIVE_RATE, [LMS_FTRL] = FTRL_RATE};

    if (options->solver == LMS_AUTO)
        options->solver = fit->problem->rows == 0 && fit->problem->rows_before == 0 &&
                                  !has_sgd_options(options) && options->learning_rate == 0
                              ? LMS_ADAPTIVE
                              : LMS_SGD;
    if (options->learning_rate == 0)
        options->learning_rate = rates[options->solver];
    return OK;
}

/* A mean is kept for streams, because they may have any number of rows. */
static bool keeps_mean(const Fit *fit)
{
    const Options *options = fit->options;

    return !has_rates(fit) && (options->form == FORM_AVERAGED ||
                               (options->form == FORM_AUTO &&
                                (fit->problem->rows > FEW_ROWS || fit->problem->rows == 0)));
}

static bool uses_mean(const Fit *fit)
{
    const State *state = fit->state;

    return state->averages && state->mean.steps > 0 &&
           (((const Options *)fit->options)->form == FORM_AVERAGED ||
            (fit->counters.seen > FEW_ROWS && !state->learner.clean));
}

static LocalWeights now(const State *state)
{
    return (LocalWeights){&state->w, 1 / state->learner.grown, &state->folded};
}

static Status reserve(Fit *fit, uint32_t features)
{
    State *state = fit->state;

    if (features > fit->features)
        fit->features = features;
    TRY(clv_linear_reserve(&state->w, features, fit->error));
    if (has_rates(fit))
        return clv_adaptive_reserve(&state->adaptive, &state->w, NULL, fit->error);
    return state->averages ? clv_late_mean_reserve(&state->mean, &state->w, fit->error) : OK;
}

static Status begin(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;

    state->factor = state->folded = 1;
    state->last_error = NAN;
    fit->calibration.every = (uint64_t)options->calibrate_every;
    TRY(clv_learner_begin(fit, &state->learner, FORM_PLAIN, 1));
    TRY(clv_linear_init(&state->w, fit->context, fit->features, 1, fit->error));
    if (has_rates(fit)) {
        const AdaptiveRule rule = {
            .loss = {.kind = LOSS_SQUARED},
            .proximal = options->solver == LMS_FTRL,
            .learn_intercept = !options->no_intercept,
            .regression = true,
            .learning_rate = options->learning_rate,
            .beta = 1,
            .l1 = options->l1_ratio / options->C,
            .l2 = (1 - options->l1_ratio) / options->C,
        };

        TRY(clv_adaptive_begin(&state->adaptive, fit->context, &rule, 1, fit->error));
        return reserve(fit, fit->features);
    }
    state->averages = keeps_mean(fit);
    return state->averages ? clv_late_mean_init(&state->mean, &state->w, fit->error) : OK;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    clv_learner_free(fit, &state->learner);
    clv_linear_free(&state->w);
    clv_late_mean_free(&state->mean);
    clv_adaptive_free(&state->adaptive);
}

/* ---- one example ----------------------------------------------------------------------------- */

static double length2(const Options *options, const Block *block, uint32_t row)
{
    return clv_block_norm2(block, row) + (options->no_intercept ? 0 : 1);
}

/* Fails at a row, or at the end of an epoch if block is NULL. */
static Status fail_diverged(const Fit *fit, const Block *block, uint32_t row)
{
    const Options *options = fit->options;
    double most = block ? 2 / length2(options, block, row) : 0;

    if (block)
        clv_fail(fit->error, CLEAVE_ERROR_DATA,
                 "lms diverged: the prediction for row %llu in epoch %u overflows float32",
                 (unsigned long long)block_row_number(block, row) + 1, fit->counters.epoch + 1);
    else
        clv_fail(fit->error, CLEAVE_ERROR_DATA,
                 "lms diverged: the weights after epoch %u overflow float32",
                 fit->counters.epoch + 1);
    if (has_rates(fit))
        return clv_hint(fit->error, CLEAVE_ERROR_DATA,
                        "standardize the features and the target, or lower --learning-rate");
    if (options->normalize)
        return clv_hint(fit->error, CLEAVE_ERROR_DATA,
                        "lower --learning-rate; with --normalize it must be below 2");
    if (most > 0)
        return clv_hint(fit->error, CLEAVE_ERROR_DATA,
                        "add --normalize, standardize the features, or lower --learning-rate "
                        "(below %.2g for this row)",
                        most);
    return clv_hint(fit->error, CLEAVE_ERROR_DATA,
                    "add --normalize, standardize the features, or lower --learning-rate");
}

static double rate_of(const Fit *fit)
{
    const Options *options = fit->options;
    const State *state = fit->state;

    return state->factor * options->learning_rate /
           (1 + options->learning_rate_decay * fit->counters.epoch);
}

static void score_row(Fit *fit, const Block *block, uint32_t row)
{
    State *state = fit->state;

    state->learner.scores[0] = state->w.kernels->dot(state->w.w, block, row) /
                                   state->learner.grown +
                               state->w.intercept[0];
}

/* Moves w, and the mean with it, along the row by a fraction of the error. */
static Status change(Fit *fit, size_t output, double error, const Block *block, uint32_t row)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double score = state->learner.scores[0],
           share = state->averages ? late_mean_share(&state->mean) : 0;
    double rate = state->rate, by;

    (void)output;
    if (!isfinite(score) || fabs(score) > 3e38)
        return fail_diverged(fit, block, row);
    if (options->normalize) {
        double length = length2(options, block, row);

        rate = length > 0 ? rate / length : 0;
    }
    by = rate * fit_weight(fit, block, row, block_label(block, row)) * error;
    if (by != 0) {
        clv_linear_add(&state->w, 0, state->learner.grown * by, block, row, false);
        state->w.intercept[0] += options->no_intercept ? 0 : by;
        if (share != 0)
            state->w.kernels->add(state->mean.sum, share * state->learner.grown * by, block, row);
    }
    if (!state->averages)
        return OK;
    clv_late_mean_step(&state->mean, now(state));
    if (late_mean_needs_flush(&state->mean, 1))
        clv_late_mean_flush(&state->mean, &state->w);
    return OK;
}

static Status change_at_rates(Fit *fit, size_t output, double error, const Block *block,
                              uint32_t row)
{
    State *state = fit->state;
    double target = fit_target(fit, block, row);

    (void)output;
    (void)error;
    if (!isfinite(state->learner.scores[0]) || fabs(state->learner.scores[0]) > 3e38)
        return fail_diverged(fit, block, row);
    clv_adaptive_learn(&state->adaptive, &state->w, 1 / state->learner.grown, block, row,
                       fit_weight(fit, block, row, block_label(block, row)), &target,
                       state->learner.scores);
    return OK;
}

static Status step(Fit *fit, const Block *block)
{
    const LearningRule rule = {.score = score_row,
                               .update = has_rates(fit) ? change_at_rates : change};
    State *state = fit->state;

    state->rate = rate_of(fit);
    TRY(reserve(fit, block->features));
    if (has_rates(fit))
        TRY(clv_adaptive_reserve(&state->adaptive, &state->w, block, fit->error));
    if (state->averages)
        clv_late_mean_begin_epoch(&state->mean, fit);
    return clv_learner_step(fit, &state->learner, &rule, block);
}

/* ---- the end of an epoch --------------------------------------------------------------------- */

static void summarize(Fit *fit, double before, double after, bool settled)
{
    const char *trend = settled && after > 0       ? ", no longer decreasing"
                        : settled || isnan(before) ? ""
                        : after > before           ? ", still increasing; lower --learning-rate"
                                         : ", still decreasing; raise --epochs or --learning-rate";

    clv_summarize(fit, "squared error of the last epoch %.6g%s", after, trend);
}

/* Ends the run when the squared error no longer changes. */
static Status pass(Fit *fit, bool *clean)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double before = state->last_error, after = fit->counters.epoch_loss;

    state->last_error = after;
    state->learner.clean = fit->counters.epoch_mistakes == 0;
    fit->result.plateau = fit->counters.epoch_mistakes > 0 &&
                          fabs(before - after) <= options->tolerance * before;
    *clean = fit->counters.epoch_mistakes == 0 || fit->result.plateau;
    summarize(fit, before, after, *clean);
    return clv_linear_finite(&state->w) ? OK : fail_diverged(fit, NULL, 0);
}

/* Weights of several workers are averaged by their numbers of examples. */
static const DeltaShape shapes[] = {
    {.name = "keep", .kind = SHAPE_OUTPUTS},
    {.name = "bias", .kind = SHAPE_OUTPUTS},
    {.name = "w", .kind = SHAPE_WEIGHTS},
    {.name = "mean", .kind = SHAPE_WEIGHTS},
    {.name = "mean_keep", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = "mean_gain", .kind = SHAPE_OUTPUTS},
    {.name = "mean_steps", .kind = SHAPE_NUMBERS, .numbers = 1},
    {.name = "mean_bias", .kind = SHAPE_OUTPUTS},
    {.name = "bias_squares", .kind = SHAPE_OUTPUTS},
    ADAPTIVE_SHAPES,
    {.name = NULL},
};

static Status give(const Fit *fit, const Fit *start, Delta *delta)
{
    const State *state = fit->state, *before = start->state;
    double rows = (double)(fit->counters.seen - start->counters.seen);

    if (has_rates(fit))
        return clv_adaptive_give(&state->adaptive, &state->w, &before->adaptive, &before->w, rows,
                                 delta, fit->error);
    TRY(clv_average_give(now(state), (LocalWeights){&before->w, 1 / before->learner.grown, NULL},
                         rows, delta, fit->error));
    return state->averages ? clv_late_mean_give(&state->mean, &state->w, &before->mean, &before->w,
                                                rows, delta, fit->error)
                           : OK;
}

static Status take(Fit *fit, const Delta *sum)
{
    State *state = fit->state;
    uint32_t features = fit->features;
    /* a constant, so that each worker keeps all its examples */
    double scale = 1 / state->learner.grown;
    double rows = clv_delta_number(sum, DELTA_ROUND, ROUND_ROWS);

    TRY(clv_average_features(sum, "w", 1, &features, fit->error));
    TRY(clv_average_features(sum, "squares", 1, &features, fit->error));
    TRY(reserve(fit, features));
    if (has_rates(fit))
        return clv_adaptive_take(&state->adaptive, &state->w, scale, rows, sum, fit->error);
    if (state->averages && rows > 0)
        TRY(clv_late_mean_take(&state->mean, fit, &state->w, rows, sum));
    clv_average_take(&state->w, &scale, rows, sum);
    return OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

static Status score(const Fit *fit, const Block *block, uint32_t row, double *scores)
{
    const State *state = fit->state;
    double workspace;

    if (uses_mean(fit) &&
        clv_late_mean_scores(&state->mean, &state->w, block, row, &workspace, scores))
        return OK;
    clv_linear_known_scores(&state->w, state->w.w, 1 / state->learner.grown, block, row, scores);
    scores[0] += state->w.intercept[0];
    return OK;
}

/* The leaky form (Widrow et al. 1976) multiplies the weights by keep. Here the steps grow instead,
 * until a power of 2 is divided out without rounding. The intercept does not shrink, so that a
 * model that has forgotten everything predicts the mean. */
static Status forget(Fit *fit, double keep)
{
    State *state = fit->state;

    if (has_rates(fit))
        clv_adaptive_forget(&state->adaptive, keep);
    if (state->averages)
        clv_late_mean_forget(&state->mean, keep);
    state->learner.grown /= keep;
    if (state->learner.grown >= FORGET_FOLD) {
        if (state->averages)
            clv_late_mean_flush(&state->mean, &state->w);
        for (uint32_t i = 0; i < state->w.features; i++)
            state->w.w[i] = (float)((double)state->w.w[i] / FORGET_FOLD);
        state->learner.grown /= FORGET_FOLD;
        state->folded /= FORGET_FOLD;
    }
    return OK;
}

/* ---- calibrated learning rate ---------------------------------------------------------------- */

static Status copy(Fit *to, const Fit *from)
{
    State *state = to->state;
    const State *other = from->state;

    TRY(reserve(to, other->w.features));
    memcpy(state->w.w, other->w.w, other->w.features * sizeof *state->w.w);
    state->w.intercept[0] = other->w.intercept[0];
    state->factor = other->factor;
    state->learner.grown = other->learner.grown;
    state->averages = false; /* a trial of a learning rate evaluates the last weights */
    return OK;
}

static void set_rate(Fit *fit, double factor)
{
    ((State *)fit->state)->factor = factor;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Stores values in addition to the average: its intercept if the last weights predict, and whether
 * these made no error. */
static Status save_mean(const Fit *fit, Model *model)
{
    const State *state = fit->state;
    double clean = state->learner.clean;

    if (!uses_mean(fit)) {
        TRY(clv_bundle_put(model->bundle, "last_answers", BUNDLE_F64, &clean, 1, fit->error));
        TRY(clv_bundle_put(model->bundle, "mean_bias", BUNDLE_F64, state->mean.intercept, 1,
                           fit->error));
    }
    return clv_late_mean_save(&state->mean, &state->w, 1 / state->learner.grown, model, fit->error);
}

static Status end(Fit *fit, Model *model)
{
    State *state = fit->state;
    double saved[] = {state->last_error, state->factor, (double)fit->calibration.next};

    if (uses_mean(fit)) {
        Linear mean;
        Status status;

        TRY(clv_linear_init(&mean, fit->context, state->w.features, 1, fit->error));
        clv_late_mean_get(&state->mean, &state->w, &mean);
        status = clv_linear_to_model(&mean, 1, 1, model, fit->error);
        clv_linear_free(&mean);
        TRY(status);
    } else
        TRY(clv_linear_to_model(&state->w, 1 / state->learner.grown, 1, model, fit->error));
    if (state->averages)
        TRY(save_mean(fit, model));
    if (has_rates(fit))
        TRY(clv_adaptive_save(&state->adaptive, &state->w, false, model, fit->error));
    if (state->learner.grown != 1)
        TRY(clv_bundle_put(model->bundle, "grown", BUNDLE_F64, &state->learner.grown, 1,
                           fit->error));
    return clv_bundle_put(model->bundle, "sweep", BUNDLE_F64, saved, sizeof saved / sizeof *saved,
                          fit->error);
}

static bool arrays_fit(const Model *model)
{
    const BundleItem *saved = clv_bundle_get(model->bundle, "sweep", BUNDLE_F64);
    const double *values = saved ? saved->data : NULL;

    return clv_linear_check_model(model, BUNDLE_F32) && saved && saved->count == 3 &&
           !isinf(values[0]) && values[1] > 0 && isfinite(values[1]) && values[2] >= 0 &&
           values[2] < 9e15 && clv_adaptive_check_model(model);
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(arrays_fit(model));
}

/* Training continues from the last weights. A model with a mean continues with it, except for
 * --form plain. */
static Status resume_mean(Fit *fit, const Model *model)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double scale, clean = 0; /* the scale is the growth, which the model also stores more exactly */

    if (!clv_bundle_get(model->bundle, "mean", BUNDLE_F64))
        return OK;
    if (!state->averages)
        TRY(clv_late_mean_init(&state->mean, &state->w, fit->error));
    state->averages = options->form != FORM_PLAIN;
    TRY(clv_late_mean_resume(&state->mean, &state->w, &scale, model, fit->error));
    if (clv_bundle_copy(model->bundle, "last_answers", BUNDLE_F64, &clean, 1) &&
        (!clv_bundle_copy(model->bundle, "mean_bias", BUNDLE_F64, state->mean.intercept, 1) ||
         !isfinite(state->mean.intercept[0])))
        return clv_state_nonsense(fit->error);
    state->learner.clean = clean == 1;
    return OK;
}

static Status resume(Fit *fit, const Model *model)
{
    State *state = fit->state;
    const double *saved = clv_bundle_get(model->bundle, "sweep", BUNDLE_F64)->data;

    TRY(reserve(fit, model->features));
    if (clv_bundle_copy(model->bundle, "grown", BUNDLE_F64, &state->learner.grown, 1) &&
        !forget_factor_fits(state->learner.grown))
        return clv_state_nonsense(fit->error);
    TRY(clv_linear_from_model(&state->w, model, 1 / state->learner.grown, fit->error));
    clv_bundle_copy(model->bundle, "bias", BUNDLE_F64, state->w.intercept, 1);
    TRY(has_rates(fit) ? clv_adaptive_resume(&state->adaptive, &state->w, 1 / state->learner.grown,
                                             model, fit->error)
                       : resume_mean(fit, model));
    state->last_error = saved[0];
    state->factor = saved[1];
    fit->calibration.factor = saved[1];
    fit->calibration.next = (uint64_t)saved[2];
    return OK;
}

/* An update changes the weights used for prediction. A mean restarts from them. */
static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const Options *options = fit->options;
    LinearUpdate how = {.loss = {.kind = LOSS_SQUARED},
                        .learn_intercept = !options->no_intercept,
                        .C = INFINITY,
                        .unit = 1};
    const BundleItem *saved = clv_bundle_get(from->bundle, "sweep", BUNDLE_F64);
    Linear w = {0};
    Status status = clv_linear_update(fit, from, dataset, &how, &w);

    THEN(status, clv_linear_move_to_model(&w, 1, 1, model, fit->error));
    THEN(status,
         clv_bundle_put(model->bundle, "sweep", BUNDLE_F64, saved->data, saved->count, fit->error));
    clv_linear_free(&w);
    return status;
}

static double loss(const Model *model, const double *scores, uint32_t label, double target)
{
    (void)model;
    (void)label;
    return (target - scores[0]) * (target - scores[0]);
}

static void look(const Fit *fit, double *weights, double *thresholds)
{
    const State *state = fit->state;

    clv_linear_look(&state->w, 1 / state->learner.grown, weights, thresholds);
    thresholds[0] = state->w.intercept[0] == 0 ? 0 : -state->w.intercept[0];
}

static bool learns_threshold(const void *options)
{
    return !((const Options *)options)->no_intercept;
}

static const MethodTraining training = {
    .choose = choose,
    .begin = begin,
    .resume = resume,
    .step = step,
    .end_epoch = pass,
    .copy_state = copy,
    .set_rate_factor = set_rate,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {
    .predict = clv_linear_predict,
    .check_model = check_model,
    .loss = loss,
};

static const MethodOnline online = {
    .score = score,
    .forget = forget,
    .learning_rate = rate_of,
    .update = update,
};

static const MethodDistributed distributed = {
    .give = give,
    .shapes = shapes,
    .take = take,
};

static const MethodInspection inspection = {
    .contributions = clv_weight_contributions,
    .weights = look,
    .learns_threshold = learns_threshold,
};

const Method clv_method_lms = {
    .name = "lms",
    .title = "Least mean squares (Widrow-Hoff): online linear regression.",
    .objective = "sum over examples of (y - w.x - b)^2",
    .reference = "Widrow and Hoff 1960",
    .tasks = CLEAVE_TASK_REGRESSION,
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_MERGEABLE |
              CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_DETERMINISTIC,
    .behavior = METHOD_LINEAR | METHOD_RECORDS_MOMENTS,
    .params = params,
    .check_options = check,
    .options_size = sizeof(Options),
    .state_size = sizeof(State),
    .training = &training,
    .inference = &inference,
    .online = &online,
    .distributed = &distributed,
    .inspection = &inspection,
};
