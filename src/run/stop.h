/*
 * When to stop. A run ends when a sweep was clean, when its rounds are used up, when the number of mistakes has settled,
 * when held-out data no longer gets better, or when the user interrupts. Rules are asked after each sweep.
 */
#ifndef RUN_STOP_H
#define RUN_STOP_H

#include "run/options.h"

typedef struct {
    int64_t rounds, stable, patience;
    /* What was seen. */
    uint64_t last_mistakes;
    int64_t unchanged; /* sweeps in a row with the same number of mistakes */
    double best;       /* of the held-out data; less is better */
    int64_t worse;     /* sweeps since the best */
    bool improved;     /* this sweep is the best */
} Stop;

void clv_stop_init(Stop *stop, const RunOptions *options);
/* Why to stop after this sweep ("converged", "rounds", "stable", "held-out"), or NULL to go on. held_out is NaN when
 * nothing is held out. */
const char *clv_stop_after(Stop *stop, uint32_t sweeps, uint64_t mistakes, bool clean, double held_out);

#endif
