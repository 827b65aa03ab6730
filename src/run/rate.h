/*
 * The calibrated rate: every so many examples several rates are tried on a small sample, and the one that lowers the loss
 * most is kept until the next time. A method asks for it by setting fit->calibrate_every in begin, and offers copy and set_rate.
 */
#ifndef RUN_RATE_H
#define RUN_RATE_H

#include "run/run.h"

static inline bool clv_rate_is_due(const Fit *fit)
{
    return fit->calibrate_every > 0 && fit->seen >= fit->calibrate_next;
}

/* Tries rates on the rows of sample, which is not learned from here. */
Status clv_rate_calibrate(Run *run, const Block *sample);

#endif
