#include "train/train_options.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

enum { USUAL_EPOCHS = 100, MOST_OPTIONS = 1024 };

static const char *const orders[] = {"auto",   "file", "shuffle-once", "shuffle", "random",
                                     "blocks", NULL};
static const char *const metrics[] = {"error", "loss", NULL};

const Param clv_run_params[] = {
    /* Options in the order of EpochKind. */
    INTEGER(RunOptions, epochs, 0, WITHIN(1, 1e9), "Maximum number of epochs.",
            DEFAULT("100 for most methods")),
    INTEGER(RunOptions, max_iterations, 0, WITHIN(1, 1e9),
            "Maximum number of iterations of a batch solver.", DEFAULT("by solver")),
    INTEGER(RunOptions, rounds, 0, WITHIN(1, 1e9), "Maximum number of boosting rounds.",
            DEFAULT("100")),
    INTEGER(RunOptions, trees, 0, WITHIN(1, 1e9), "Number of trees of a forest.", DEFAULT("100")),
    INTEGER(RunOptions, stable_epochs, 0, AT_LEAST(0),
            "Stop when the number of mistakes is unchanged for this many epochs.", DEFAULT("off")),
    INTEGER(RunOptions, patience, 0, AT_LEAST(0),
            "Stop after this many epochs without improvement on the validation set.\n"
            "The best model is kept. boost counts rounds instead of epochs.",
            DEFAULT("off")),
    NAME(RunOptions, validation_metric, VALIDATION_ERROR, metrics,
         "Validation metric that early stopping monitors."),
    REAL(RunOptions, validation_fraction, 0, WITHIN(0, 0.9),
         "Fraction of the training rows to hold out as a validation set.\n"
         "Not used with --validation.",
         DEFAULT("none")),
    INTEGER(RunOptions, epochs_from_sample, 0, AT_LEAST(0),
            "Choose the number of epochs on a sample with this number of rows.\n"
            "A second sample of the same size is the validation set.",
            DEFAULT("off")),
    NAME(RunOptions, order, ORDER_AUTO, orders,
         "Order in which the rows are visited.\n"
         "file: as read. shuffle-once, shuffle: shuffled once or before every epoch. random: "
         "drawn with replacement. blocks: blocks of the file in random order. auto: file "
         "order for up to 1,000 rows or data that is already shuffled, otherwise shuffle."),
    INTEGER(RunOptions, seed, 1, AT_LEAST(0), "Seed of all random choices."),
    TEXT(RunOptions, positive, NULL, "Positive class of a binary problem."),
    TEXT(RunOptions, class_weight, NULL, "Class weights, e.g. spam=2,ham=1, or 'balanced'."),
    FLAG(RunOptions, calibrate,
         "Calibrate probabilities on held-out rows.\n"
         "A tenth of the rows is held out unless a validation set is given."),
    INTEGER(RunOptions, shards, 0, WITHIN(0, 100000),
            "Number of shards that are trained separately and merged every epoch.\n"
            "auto: 1, or more if the result does not change.",
            DEFAULT("auto")),
    FLAG(RunOptions, racy,
         "Update shared weights without locks, which is faster but not deterministic."),
    FLAG(RunOptions, skip_unlabeled, "Skip rows without a label."),
    TEXT(RunOptions, transform, "auto",
         "Feature pipeline, e.g. scale,polynomial:degree=2; 'cleave transforms' lists all.\n"
         "auto: chosen from the data. none: no transforms."),
    TEXT(RunOptions, checkpoint, NULL,
         "Save a checkpoint to this file; the same command resumes from it."),
    INTEGER(RunOptions, checkpoint_every, 0, AT_LEAST(0), "Number of epochs between checkpoints.",
            DEFAULT("1, unless --checkpoint-seconds is given")),
    REAL(RunOptions, checkpoint_seconds, 0, AT_LEAST(0),
         "Minimum number of seconds between checkpoints.", DEFAULT("off")),
    FLAG(RunOptions, refit, "With --from: accept rows other than the training rows of the model."),
    FLAG(RunOptions, stream, "Train in one pass without storing the rows."),
    END_OF_PARAMS,
};

#define EPOCH_LIMITS(options)                                                                      \
    {                                                                                              \
        (options)->epochs, (options)->max_iterations, (options)->rounds, (options)->trees          \
    }

static bool trains_in_one_pass(const Method *method)
{
    return method_epoch_kind(method, NULL) == EPOCH_PASS && method->training->default_epochs &&
           method->training->default_epochs(NULL) == 1;
}

Status clv_epoch_limit_check(const Method *method, const void *method_options,
                             const RunOptions *options, cleave_error *error)
{
    const int64_t given[] = EPOCH_LIMITS(options);
    EpochKind kind = method_epoch_kind(method, method_options);

    for (EpochKind i = EPOCH_PASS; i < EPOCH_BY_SOLVER; i++) {
        bool of_solver = i <= EPOCH_ITERATION && kind <= EPOCH_ITERATION &&
                         clv_param_find(method->params, "solver");

        if (given[i] == 0 || i == kind || (kind == EPOCH_BY_SOLVER && i <= EPOCH_ITERATION))
            continue;
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s%s has no --%s", method->name,
                 of_solver ? " with this --solver" : "", clv_param_flag(&clv_run_params[i]).text);
        if (trains_in_one_pass(method))
            return clv_hint(error, CLEAVE_ERROR_USAGE, "omit it: %s is trained in one pass",
                            method->name);
        return clv_hint(
            error, CLEAVE_ERROR_USAGE, "use --%s",
            clv_param_flag(&clv_run_params[kind == EPOCH_BY_SOLVER ? EPOCH_PASS : kind]).text);
    }
    return OK;
}

uint32_t clv_default_epochs(const Method *method, const void *options)
{
    return method->training->default_epochs ? method->training->default_epochs(options)
                                            : USUAL_EPOCHS;
}

/* The kind of epochs with the default options. */
static EpochKind default_epoch_kind(const Method *method)
{
    _Alignas(max_align_t) unsigned char options[MOST_OPTIONS];

    assert(method->options_size <= sizeof options);
    memset(options, 0, sizeof options);
    clv_params_initial(method->params, options);
    return method_epoch_kind(method, options);
}

const char *const *clv_epoch_limits(const Method *method)
{
    /* Names of clv_run_params in the order of EpochKind. */
    static const char *const limits[][3] = {
        {"epochs"}, {"max_iterations"}, {"rounds"}, {"trees"}, {"epochs", "max_iterations"},
    };
    static const char *const none[] = {NULL}, *const iterations[] = {"max_iterations", "epochs",
                                                                     NULL};
    EpochKind kind = method_epoch_kind(method, NULL);

    if (trains_in_one_pass(method))
        return none;
    return kind == EPOCH_BY_SOLVER && default_epoch_kind(method) == EPOCH_ITERATION ? iterations
                                                                                    : limits[kind];
}

/* Appends the default of one solver, unless it equals that of the first solver. */
static void add_limit(char text[LIMIT_TEXT_SIZE], const char *solver, uint32_t limit)
{
    size_t used = strlen(text), digits;
    char number[16];

    if (limit < 1000)
        snprintf(number, sizeof number, "%u", limit);
    else
        snprintf(number, sizeof number, "%u,%03u", limit / 1000, limit % 1000);
    digits = strlen(number);
    if (used == 0)
        snprintf(text, LIMIT_TEXT_SIZE, "%s", number);
    else if (strncmp(text, number, digits) != 0 || (text[digits] && text[digits] != ';'))
        snprintf(text + used, LIMIT_TEXT_SIZE - used, "; %s: %s", solver, number);
}

void clv_epoch_limit_default(const Method *method, const char *limit, char text[LIMIT_TEXT_SIZE])
{
    static const char *const only[] = {"", NULL};
    const Param *solver = clv_param_find(method->params, "solver");
    const char *const *names = solver ? solver->values : only;
    _Alignas(max_align_t) unsigned char options[MOST_OPTIONS];

    text[0] = '\0';
    assert(method->options_size <= sizeof options);
    memset(options, 0, sizeof options);
    clv_params_initial(method->params, options);
    for (int i = 0; names[i]; i++) {
        EpochKind kind;

        if (solver)
            *(int *)(options + solver->offset) = i;
        kind = method_epoch_kind(method, options);
        if (kind < EPOCH_BY_SOLVER && strcmp(clv_run_params[kind].name, limit) == 0)
            add_limit(text, names[i], clv_default_epochs(method, options));
    }
}

bool clv_is_epoch_limit(const char *stopped_by)
{
    for (EpochKind i = EPOCH_PASS; i < EPOCH_BY_SOLVER; i++)
        if (strcmp(stopped_by, clv_run_params[i].name) == 0)
            return true;
    return false;
}

int64_t clv_epoch_limit(const Method *method, const void *method_options, const RunOptions *options)
{
    const int64_t given[] = EPOCH_LIMITS(options);
    EpochKind kind = method_epoch_kind(method, method_options);
    int64_t limit = kind < EPOCH_BY_SOLVER ? given[kind] : 0;

    for (EpochKind i = EPOCH_PASS; limit == 0 && i < EPOCH_BY_SOLVER; i++)
        limit = given[i];
    return limit;
}

void clv_set_epoch_limit(RunOptions *options, EpochKind kind, int64_t limit)
{
    options->limit = limit;
    options->epochs = kind == EPOCH_PASS ? limit : 0;
    options->max_iterations = kind == EPOCH_ITERATION ? limit : 0;
    options->rounds = kind == EPOCH_ROUND ? limit : 0;
    options->trees = kind == EPOCH_TREE ? limit : 0;
}

const cleave_param *cleave_train_params(void)
{
    return clv_run_params;
}
