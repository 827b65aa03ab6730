/* The options common to all training runs, with their table. */
#ifndef TRAIN_TRAIN_OPTIONS_H
#define TRAIN_TRAIN_OPTIONS_H

#include "base/param.h"
#include "data/traversal.h"
#include "model/method.h"

enum { VALIDATION_ERROR, VALIDATION_LOSS };

typedef struct {
    int64_t epochs, max_iterations, rounds, trees; /* see EpochKind; 0: the default */
    int64_t limit; /* limit of the run: the option that applies, or its default; not an option
                    * itself */
    /* stop when the mistakes per epoch have not changed for this number of epochs; 0: off */
    int64_t stable_epochs;
    /* stop when the validation metric has not improved for this number of epochs; 0: off */
    int64_t patience;
    int validation_metric; /* metric of the held-out data: error or loss */
    /* share of the training data held out where no held-out data is given */
    double validation_fraction;
    /* choose the number of epochs on this number of rows, validated on the same number of other
     * rows; 0: off */
    int64_t epochs_from_sample;
    int order;
    int64_t seed;
    const char *positive;     /* the positive class of two; NULL: by the rule */
    const char *class_weight; /* "balanced", or as in spam=2,ham=1; NULL: all 1 */
    bool calibrate;           /* calibrate probabilities on the held-out rows */
    bool skip_unlabeled;
    int64_t shards; /* shards that are trained separately and merged every epoch; 0: by method */
    bool racy;      /* threads change the same weights with no locks */
    /* checkpoint file, written after epochs and resumed from; NULL: none */
    const char *checkpoint;
    int64_t checkpoint_every; /* epochs or rounds between checkpoints; 0: see seconds */
    /* after the first round that ends so long after the last; both 0: after each round */
    double checkpoint_seconds;
    const char *transform; /* feature pipeline: "auto", "none" or a list of transforms */
    bool refit;            /* a warm start may be on other rows than the model's */
    bool stream;           /* one pass over the data, without storing it */
} RunOptions;

extern const Param clv_run_params[]; /* begins with the limits, in the order of EpochKind */

/* Refuses a limit that the method does not have. With --solver auto, epochs and max_iterations
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
/* The limit that was given; 0: none. The solver must be chosen. */
int64_t clv_epoch_limit(const Method *method, const void *method_options,
                        const RunOptions *options);

/* Sets the limit of a run, and the option of that kind to it. */
void clv_set_epoch_limit(RunOptions *options, EpochKind kind, int64_t limit);

#endif
