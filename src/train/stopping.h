/*
 * When to stop. A run ends when a sweep was clean, when its rounds are used up, when the number of mistakes has settled,
 * when held-out data no longer gets better, or when the user interrupts. Rules are asked after each sweep.
 */
#ifndef TRAIN_STOPPING_H
#define TRAIN_STOPPING_H

#include "model/method.h"
#include "train/train_options.h"

typedef struct {
    int64_t epochs, stable, patience;
    const char *limit; /* the option behind epochs */
    /* What was seen. */
    uint64_t last_mistakes;
    int64_t unchanged; /* sweeps in a row with the same number of mistakes */
    double best;       /* of the held-out data; less is better */
    int64_t worse;     /* sweeps since the best */
    bool improved;     /* this sweep is the best */
} Stop;

void clv_stop_init(Stop *stop, const RunOptions *options);
/* Why to stop after this epoch ("converged", "plateau", the option that limits epochs, "stable_epochs", "early_stopping"), or NULL to go on. ending: fit_ending's.
 * held_out is NaN when nothing is held out. */
const char *clv_stop_after(Stop *stop, uint32_t traversals, uint64_t mistakes, const char *ending, double held_out);
/* Why a method that takes the dataset whole has stopped: its own reason, or else the rule that stopped it. */
const char *clv_stop_after_fit(const Fit *fit, const char *stopped_by);

#endif
