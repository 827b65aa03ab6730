/* The options common to all training runs, with their table. */
#ifndef TRAIN_TRAIN_OPTIONS_H
#define TRAIN_TRAIN_OPTIONS_H

#include "base/param.h"
#include "data/traversal.h"

enum { WATCH_ERRORS, WATCH_LOSS };

typedef struct {
    int64_t rounds; /* 0: the default of the method */
    /* stop after this number of epochs with an equal number of mistakes; 0: off */
    int64_t stable;
    /* stop after this number of epochs without improvement on held-out data; 0: off */
    int64_t patience;
    int watch;      /* the criterion on held-out data: errors or loss */
    double holdout; /* held-out share of the training data if no validation set is given */
    int64_t sample; /* size of two samples that determine the number of epochs; 0: off */
    int order;
    int64_t seed;
    const char *positive;     /* the positive class of two; NULL: by the rule */
    const char *class_weight; /* "balanced", or e.g. spam=2,ham=1; NULL: all 1 */
    bool calibrate;           /* fit probabilities to the scores of held-out rows */
    bool skip_unlabelled;
    /* shards that are learned separately and combined after each epoch; 0: by method */
    int64_t shards;
    bool racy;                 /* threads update shared weights without locks */
    const char *checkpoint;    /* file of the state, for resuming; NULL: none */
    int64_t checkpoint_every;  /* number of epochs between checkpoints; 0: see seconds */
    double checkpoint_seconds; /* seconds between checkpoints; both 0: after each epoch */
    const char *transform;     /* "auto", "none" or a pipeline */
    bool refit;                /* allows a warm start on other rows than those of the model */
    bool stream;               /* one pass over the data as it is read, without keeping it */
} RunOptions;

extern const Param clv_run_params[];

#endif
