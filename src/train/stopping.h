/* Stopping rules. A run ends after an epoch without mistakes, at the maximum number of epochs, when
 * the number of mistakes is constant, when held-out data no longer improves (early stopping), or
 * when the user interrupts it. Rules are applied after each epoch. */
#ifndef TRAIN_STOPPING_H
#define TRAIN_STOPPING_H

#include "model/method.h"
#include "train/train_options.h"

typedef struct {
    int64_t epochs, stable, patience;
    const char *limit; /* the option that limits the epochs */
    /* Errors observed so far. */
    uint64_t last_mistakes;
    int64_t unchanged; /* consecutive epochs with the same number of mistakes */
    double best;       /* best value on held-out data; less is better */
    int64_t worse;     /* epochs since the best */
    bool improved;     /* this epoch is the best so far */
} Stop;

void clv_stop_init(Stop *stop, const RunOptions *options);
/* The reason to stop after this epoch ("converged", "plateau", the option that limits epochs,
 * "stable_epochs", "early_stopping"), or NULL to continue. ending: the value of fit_ending.
 * held_out is NaN if no data is held out. */
const char *clv_stop_after(Stop *stop, uint32_t traversals, uint64_t mistakes, const char *ending,
                           double held_out);
/* The reason why a method with its own solver has stopped: its own reason, or the rule that stopped
 * it. */
const char *clv_stop_after_fit(const Fit *fit, const char *stopped_by);

#endif
