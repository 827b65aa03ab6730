/* The options every training run has, whatever the method, with their table. */
#ifndef TRAIN_TRAIN_OPTIONS_H
#define TRAIN_TRAIN_OPTIONS_H

#include "base/param.h"
#include "data/traversal.h"

enum { WATCH_ERRORS, WATCH_LOSS };

typedef struct {
    int64_t rounds;   /* 0: as many as the method thinks right */
    int64_t stable;   /* stop when the mistakes of a sweep have not changed for so many sweeps; 0: off */
    int64_t patience; /* stop when the held-out data has not got better for so many sweeps; 0: off */
    int watch;        /* what of the held-out data: errors or loss */
    double holdout;   /* share of the training data held out where no held-out data is given */
    int64_t sample;   /* find the number of rounds beforehand on so many rows against as many others; 0: off */
    int order;
    int64_t seed;
    const char *positive;     /* the positive class of two; NULL: by the rule */
    const char *class_weight; /* "balanced", or as in spam=2,ham=1; NULL: all 1 */
    bool calibrate;           /* turn scores into probabilities by what the held-out rows say */
    bool skip_unlabelled;
    int64_t shards;            /* pieces that are learned apart and put together once a round; 0: by method */
    bool racy;                 /* threads change the same weights with no locks */
    const char *checkpoint;    /* a file that the state is saved to after rounds, and gone on from; NULL: none */
    int64_t checkpoint_every;  /* so many rounds; 0: see seconds */
    double checkpoint_seconds; /* after the first round that ends so long after the last; both 0: after each round */
    const char *transform;     /* what makes features of what is read: "auto", "none" or a pipeline */
    bool refit;                /* a warm start may be on other rows than the model's */
    bool stream;               /* one pass over the data as it is read, keeping none of it */
} RunOptions;

extern const Param clv_run_params[];

#endif
