/* The options common to all training runs, with their table. */
#ifndef TRAIN_TRAIN_OPTIONS_H
#define TRAIN_TRAIN_OPTIONS_H

#include "base/param.h"
#include "data/traversal.h"
#include "model/method.h"

enum { VALIDATION_ERROR, VALIDATION_LOSS };

typedef struct {
    int64_t epochs, max_iterations, rounds, trees; /* see EpochKind; 0: the default */
    int64_t limit; /* of a run: the one of these that applies, or its default. Not an option */
    /* stop when the mistakes of a sweep have not changed for so many sweeps; 0: off */
    int64_t stable_epochs;
    int64_t
        patience; /* stop when the held-out data has not got better for so many sweeps; 0: off */
    int validation_metric; /* what of the held-out data: errors or loss */
    /* share of the training data held out where no held-out data is given */
    double validation_fraction;
    /* find the number of rounds beforehand on so many rows against as many others; 0: off */
    int64_t epochs_from_sample;
    int order;
    int64_t seed;
    const char *positive;     /* the positive class of two; NULL: by the rule */
    const char *class_weight; /* "balanced", or as in spam=2,ham=1; NULL: all 1 */
    bool calibrate;           /* turn scores into probabilities by what the held-out rows say */
    bool skip_unlabeled;
    int64_t shards; /* pieces that are learned apart and put together once a round; 0: by method */
    bool racy;      /* threads change the same weights with no locks */
    /* a file that the state is saved to after rounds, and gone on from; NULL: none */
    const char *checkpoint;
    int64_t checkpoint_every; /* so many rounds; 0: see seconds */
    /* after the first round that ends so long after the last; both 0: after each round */
    double checkpoint_seconds;
    const char *transform; /* what makes features of what is read: "auto", "none" or a pipeline */
    bool refit;            /* a warm start may be on other rows than the model's */
    bool stream;           /* one pass over the data as it is read, keeping none of it */
} RunOptions;

extern const Param clv_run_params[]; /* begins with the limits, in the order of EpochKind */

/* Refuses a limit that the method does not have. With --solver auto, epochs and max_iterations
 * are accepted. */
Status clv_epoch_limit_check(const Method *method, const void *method_options,
                             const RunOptions *options, cleave_error *error);
/* Whether cleave_report.stopped_by names a limit of epochs. */
bool clv_is_epoch_limit(const char *stopped_by);
/* The limit that was given; 0: none. The solver must be chosen. */
int64_t clv_epoch_limit(const Method *method, const void *method_options,
                        const RunOptions *options);

/* Sets the limit of a run, and the option of that kind to it. */
void clv_set_epoch_limit(RunOptions *options, EpochKind kind, int64_t limit);

#endif
