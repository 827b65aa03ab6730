/*
 * The context every object is made from: allocator, log, cancellation, progress, number of threads. It is the only
 * thing resembling state that outlives a call, and the caller owns it.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "base/status.h"

typedef struct cleave_context Context;

struct cleave_context {
    cleave_config config;
    double last_progress; /* monotonic seconds of the last progress call */
    struct Pool *pool;    /* base/pool.h: NULL until it is first of use */
};

void clv_note(Context *context, const char *format, ...) CLEAVE_PRINTF(2, 3);
/* hint may be NULL */
void clv_warn(Context *context, const char *hint, const char *format, ...) CLEAVE_PRINTF(3, 4);

bool clv_cancelled(Context *context);

/* Tells the watcher, at most every tenth of a second; cheap enough to be called per block. */
void clv_progress(Context *context, const cleave_progress *progress);

/* Seconds of a clock that never goes back; of processor time of this process. */
double clv_now(void);
double clv_cpu_now(void);

#endif
