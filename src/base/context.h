/*
 * The context of all objects: allocator, log, cancellation, progress, number of threads. It is the
 * only state that outlives a call, and the caller owns it.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

typedef struct cleave_context Context;

/* The last report to the progress callback, so that clv_cancelled can repeat it from inner
 * loops. */
typedef struct {
    /* guards the members below; held for a copy, never during a callback */
    atomic_bool taken;
    pthread_t caller;         /* the thread that reported last; only this thread repeats reports */
    bool any;                 /* a report to repeat exists */
    cleave_progress progress; /* its strings point to the copies below */
    char phase[256], detail[256];
} LastProgress;

/* Key of the hashes of tables: see base/hash_table.h. */
typedef struct {
    uint64_t a, b;
} HashKey;

/* Thread-safe: members that change are atomic, or are guarded by an atomic. */
struct cleave_context {
    cleave_config config;
    HashKey hash_key;           /* random; no result depends on it */
    atomic_llong last_progress; /* monotonic nanoseconds of the last progress call */
    LastProgress last;
    struct Pool *pool; /* base/pool.h: NULL until a call can use it; guarded by pool_user */
    atomic_bool
        end_wanted; /* clv_tick observed a cancellation that clv_cancelled has not returned yet */
    _Atomic(pid_t) pool_user; /* the process of the thread that uses the pool; 0: none */
};

void clv_note(Context *context, const char *format, ...) CLEAVE_PRINTF(2, 3);
/* Logs a warning; hint may be NULL. */
void clv_warn(Context *context, const char *hint, const char *format, ...) CLEAVE_PRINTF(3, 4);

/* Returns whether the caller cancels the call. Long computations call it every few milliseconds,
 * from any thread, and end if it returns true. On the thread that reported progress last, a due
 * report is repeated. */
bool clv_cancelled(Context *context);

/* Does the same for computations that cannot end at once: a cancellation is kept for the next
 * clv_cancelled. Returns whether one is pending, so that work may be skipped. */
bool clv_tick(Context *context);

/* Two checks for inner loops. They poll once per ~2^20 units of work. `done` starts at 0; a unit is
 * about a nanosecond. */
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

/* Returns CLEAVE_ERROR_CANCELLED, with a message, if the caller cancels the call. */
Status clv_poll(Context *context, cleave_error *error);

/* Returns whether clv_progress would call the callback now, so that expensive reports are computed
 * only if needed. */
bool clv_progress_due(Context *context);

/* Calls the progress callback, at most about 30 times a second. Called only from the thread that
 * called the library. */
void clv_progress(Context *context, const cleave_progress *progress);

/* Seconds of a monotonic clock; seconds of processor time of this process. */
double clv_now(void);
double clv_cpu_now(void);

#endif
