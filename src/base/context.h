/*
 * The context every object is made from: allocator, log, cancellation, progress, number of threads. It is the only
 * thing resembling state that outlives a call, and the caller owns it.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

typedef struct cleave_context Context;

/* What the progress callback was told last, so that clv_cancelled can repeat it from deep inside a computation. */
typedef struct {
    atomic_bool taken;        /* guards the rest: held for a copy, never during a callback */
    pthread_t caller;         /* the thread that reported last: only this one repeats */
    bool any;                 /* there is something to repeat */
    cleave_progress progress; /* its texts are copies, below */
    char phase[256], detail[256];
} LastProgress;

/* Key of the hashes of tables: see base/hash_table.h. */
typedef struct {
    uint64_t a, b;
} HashKey;

/* Used by any number of threads at once: members that change are atomic, or guarded by one that is. */
struct cleave_context {
    cleave_config config;
    HashKey hash_key;           /* random; no result depends on it */
    atomic_llong last_progress; /* monotonic nanoseconds of the last progress call */
    LastProgress last;
    struct Pool *pool;        /* base/pool.h: NULL until a call can use it; guarded by pool_user */
    atomic_bool end_wanted;   /* clv_tick was told so, and clv_cancelled has not passed it on yet */
    _Atomic(pid_t) pool_user; /* the process with a thread that uses the pool; 0: none */
};

void clv_note(Context *context, const char *format, ...) CLEAVE_PRINTF(2, 3);
/* hint may be NULL */
void clv_warn(Context *context, const char *hint, const char *format, ...) CLEAVE_PRINTF(3, 4);

/* Whether the caller wants the call to end. Long computations ask every few milliseconds, from any thread, and end when the answer
 * is true. On the thread that reported progress last, the report is repeated when it is due. */
bool clv_cancelled(Context *context);

/* The same where the computation cannot end at once: what the caller wants is kept for the next clv_cancelled. Returns whether
 * there is such a wish, for shortcuts. */
bool clv_tick(Context *context);

/* Both for inner loops: they look once per ~2^20 units of work. `done` starts at 0; a unit is about a nanosecond. */
static inline bool clv_work_is_due(uint64_t *done, uint64_t units)
{
    *done += units;
    if (*done < 1 << 20)
        return false;
    *done = 0;
    return true;
}

static inline bool clv_cancelled_after(Context *context, uint64_t *done, uint64_t units)
{
    return clv_work_is_due(done, units) && clv_cancelled(context);
}

static inline bool clv_tick_after(Context *context, uint64_t *done, uint64_t units)
{
    return clv_work_is_due(done, units) && clv_tick(context);
}

/* CLEAVE_ERROR_CANCELLED, with a message, where the caller wants the call to end. */
Status clv_poll(Context *context, cleave_error *error);

/* Whether clv_progress would call the callback now: for reports that are costly to make. */
bool clv_progress_due(Context *context);

/* Calls the progress callback, at most about 30 times a second. From the calling thread of the library only. */
void clv_progress(Context *context, const cleave_progress *progress);

/* Seconds of a clock that never goes back; of processor time of this process. */
double clv_now(void);
double clv_cpu_now(void);

#endif
