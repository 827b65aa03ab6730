#include "train/train_options.h"

static const char *const orders[] = {"auto",   "file", "shuffle-once", "shuffle", "random",
                                     "blocks", NULL};
static const char *const metrics[] = {"error", "loss", NULL};

const Param clv_run_params[] = {
    /* In the order of EpochKind. */
    INTEGER(RunOptions, epochs, 0, WITHIN(1, 1e9),
            "Maximum number of epochs.\n"
            "Default: 100 for most methods."),
    INTEGER(RunOptions, max_iterations, 0, WITHIN(1, 1e9),
            "Maximum number of iterations of a batch solver.\n"
            "The default depends on the solver."),
    INTEGER(RunOptions, rounds, 0, WITHIN(1, 1e9),
            "boost: maximum number of boosting rounds.\n"
            "Default: 100."),
    INTEGER(RunOptions, trees, 0, WITHIN(1, 1e9),
            "forest: number of trees.\n"
            "Default: 100."),
    INTEGER(RunOptions, stable_epochs, 0, AT_LEAST(0),
            "Stop when the number of mistakes is unchanged for this many epochs.\n"
            "0 disables the rule."),
    INTEGER(RunOptions, patience, 0, AT_LEAST(0),
            "Stop after this many epochs without improvement on the validation set.\n"
            "The best model is kept. 0 disables early stopping. For boost: rounds."),
    NAME(RunOptions, validation_metric, VALIDATION_ERROR, metrics,
         "Metric of the validation set that early stopping monitors."),
    REAL(RunOptions, validation_fraction, 0, WITHIN(0, 0.9),
         "Fraction of the training rows to hold out as validation set.\n"
         "Not used with --validation."),
    INTEGER(RunOptions, epochs_from_sample, 0, AT_LEAST(0),
            "Choose the number of epochs on a sample of this many rows.\n"
            "As many other rows validate it. 0: not used."),
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
            "0: 1, or more where the result does not change."),
    FLAG(RunOptions, racy, "Update shared weights without locks: faster, but not deterministic."),
    FLAG(RunOptions, skip_unlabeled, "Skip rows without a label."),
    TEXT(RunOptions, transform, "auto",
         "Feature pipeline, e.g. scale,polynomial:degree=2; 'cleave transforms' lists all.\n"
         "auto: default for the data. none: no transforms."),
    TEXT(RunOptions, checkpoint, NULL,
         "Save a checkpoint to this file; the same command resumes from it."),
    INTEGER(RunOptions, checkpoint_every, 0, AT_LEAST(0), "Number of epochs between checkpoints."),
    REAL(RunOptions, checkpoint_seconds, 0, AT_LEAST(0),
         "Minimum number of seconds between checkpoints."),
    FLAG(RunOptions, refit, "With --from: train on rows other than those of the model."),
    FLAG(RunOptions, stream, "Train in one pass without storing the rows."),
    END_OF_PARAMS,
};

#define EPOCH_LIMITS(options)                                                                      \
    {                                                                                              \
        (options)->epochs, (options)->max_iterations, (options)->rounds, (options)->trees          \
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
        return clv_hint(
            error, CLEAVE_ERROR_USAGE, "use --%s",
            clv_param_flag(&clv_run_params[kind == EPOCH_BY_SOLVER ? EPOCH_PASS : kind]).text);
    }
    return OK;
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
