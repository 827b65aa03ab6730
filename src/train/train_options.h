/* The options common to all training runs, with their table. */
#ifndef TRAIN_TRAIN_OPTIONS_H
#define TRAIN_TRAIN_OPTIONS_H

#include "base/param.h"
#include "data/traversal.h"
#include "model/method.h"

enum { VALIDATION_ERROR, VALIDATION_LOSS };

typedef struct {
    int64_t epochs, max_iterations, rounds, trees; /* the limit of each EpochKind; 0: the default */
    int64_t limit; /* the limit that applies to the run, or its default; not an option itself */
    /* stop after this number of epochs with the same number of mistakes; 0: off */
    int64_t stable_epochs;
    /* stop after this number of epochs without an improvement of the validation metric; 0: off */
    int64_t patience;
    int validation_metric; /* metric on the held-out data: error or loss */
    /* fraction of the training data that is held out if no validation data is given */
    double validation_fraction;
    /* choose the number of epochs on this number of rows, validated on the same number of other
     * rows; 0: off */
    int64_t epochs_from_sample;
    int order;
    int64_t seed;
    /* the positive class of two classes; NULL: chosen by the rule of clv_labels_positive */
    const char *positive;
    const char *class_weight; /* "balanced", or a list such as spam=2,ham=1; NULL: all 1 */
    bool calibrate;           /* calibrate probabilities on the held-out rows */
    bool skip_unlabeled;
    /* number of shards that are trained separately and merged in every epoch; 0: chosen by the
     * method */
    int64_t shards;
    bool racy; /* threads change the same weights without locks */
    /* checkpoint file, written after epochs and resumed from; NULL: none */
    const char *checkpoint;
    int64_t checkpoint_every; /* epochs or rounds between checkpoints; 0: see seconds */
    /* seconds between checkpoints, which are saved at the end of a round; both 0: after each
     * round */
    double checkpoint_seconds;
    const char *transform; /* feature pipeline: "auto", "none" or a list of transforms */
    bool refit;            /* a warm start may have other rows than the model */
    bool stream;           /* one pass over the data, without storing it */
} RunOptions;

/* the table begins with the limits, in the order of EpochKind */
extern const Param clv_run_params[];

/* Fails for a limit that the method does not have. With --solver auto, epochs and max_iterations
 * are accepted. */
Status clv_epoch_limit_check(const Method *method, const void *method_options,
                             const RunOptions *options, cleave_error *error);
/* The names of the limits that the method has, ended by NULL. */
const char *const *clv_epoch_limits(const Method *method);
/* The default maximum number of epochs, in the method's kind. */
uint32_t clv_default_epochs(const Method *method, const void *options);
/* The default of a limit in words: "100", or "1,000; dcd: 32,000" if solvers differ. */
#define LIMIT_TEXT_SIZE 64
void clv_epoch_limit_default(const Method *method, const char *limit, char text[LIMIT_TEXT_SIZE]);
/* Whether cleave_report.stopped_by names a limit of epochs. */
bool clv_is_epoch_limit(const char *stopped_by);
/* The limit that the user gave; 0: none. The solver must have been chosen. */
int64_t clv_epoch_limit(const Method *method, const void *method_options,
                        const RunOptions *options);

/* Sets the limit of a run, and the option of that kind to it. */
void clv_set_epoch_limit(RunOptions *options, EpochKind kind, int64_t limit);

#endif
