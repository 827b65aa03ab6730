#include "train/train_options.h"

static const char *const orders[] = {"auto", "file", "once", "each", "draws", "blocks", NULL};
static const char *const watches[] = {"errors", "loss", NULL};

const Param clv_run_params[] = {
    INTEGER_ALIAS(
        RunOptions, rounds, "passes", 0, WITHIN(0, 1e9),
        "sweeps over the data, trees of a forest or rounds of boosting, at the most; 0: as many as suit the method, 100 for most"),
    INTEGER(RunOptions, stable, 0, AT_LEAST(0),
            "stop when the mistakes of a sweep have not changed for so many sweeps; 0: do not"),
    INTEGER(RunOptions, patience, 0, AT_LEAST(0),
            "stop when held-out data has not got better for so many sweeps, and keep the best; 0: do not"),
    NAME(RunOptions, watch, WATCH_ERRORS, watches, "what of the held-out data must get better"),
    REAL(RunOptions, holdout, 0, WITHIN(0, 0.9), "share of the training data to hold out where --valid gives none"),
    INTEGER(RunOptions, sample, 0, AT_LEAST(0),
            "find the number of sweeps beforehand, on so many rows judged by as many others; 0: do not"),
    NAME(
        RunOptions, order, ORDER_AUTO, orders,
        "order of the rows: as in the file, shuffled once, each round, random draws, or whole blocks of the file in random order; auto: "
        "the file's up to 1000 rows or where they look shuffled, else each"),
    INTEGER(RunOptions, seed, 1, AT_LEAST(0), "seed of everything random"),
    TEXT(RunOptions, positive, NULL, "which of two classes is the positive one"),
    TEXT(RunOptions, class_weight, NULL,
         "what the rows of a class count: balanced (each class as much as any other), or as in spam=2,ham=1"),
    FLAG(RunOptions, calibrate, "learn probabilities for the scores from held-out rows, a tenth where none are given"),
    INTEGER(
        RunOptions, shards, 0, WITHIN(0, 100000),
        "pieces of the data that are learned apart, by as many threads as there are, and put together once a round; 0: 1, or "
        "more where that changes nothing"),
    FLAG(RunOptions, racy,
         "threads change the same weights with no locks: faster, and the model differs a little from run to run"),
    FLAG(RunOptions, skip_unlabelled, "leave out rows without a label"),
    TEXT(
        RunOptions, transform, "auto",
        "what makes features of what is read, as in scale,polynomial:degree=2 ('cleave transforms' lists them); auto: what suits "
        "the data, none: nothing"),
    TEXT(RunOptions, checkpoint, NULL,
         "a file the state is saved to after each round; the same command, started again, goes on from it"),
    INTEGER(RunOptions, checkpoint_every, 0, AT_LEAST(0), "save it every so many rounds only"),
    REAL(RunOptions, checkpoint_seconds, 0, AT_LEAST(0),
         "save it after the first round that ends so many seconds after the last was saved"),
    FLAG(RunOptions, refit, "With --from: fit other rows than those of the model, starting from its weights."),
    FLAG(RunOptions, stream, "one pass over the rows as they are read, keeping none of them"),
    END_OF_PARAMS,
};

const cleave_param *cleave_train_params(void)
{
    return clv_run_params;
}
