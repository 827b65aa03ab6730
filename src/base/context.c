#define _GNU_SOURCE
#include "base/context.h"

#include "base/escape.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static void *c_library_allocate(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

/* Draws random bytes from the system. If they are unavailable, uses the time and an address, which
 * differ between processes. */
static HashKey draw_key(const Context *context)
{
    HashKey key;
    uint64_t seed;

    if (getentropy(&key, sizeof key) == 0)
        return key;
    seed = clv_mix((uint64_t)(1e9 * clv_now())) ^ (uint64_t)(uintptr_t)context;
    return (HashKey){clv_mix(seed), clv_mix(seed + 1)};
}

cleave_context *cleave_context_new(const cleave_config *config)
{
    cleave_config own = {.threads = 1};
    Context *context;

    if (config && clv_take_sized(&own, sizeof own, config, "cleave_config", NULL) != OK)
        return NULL;
    if (!own.allocate)
        own.allocate = c_library_allocate;
    if (own.threads == 0)
        own.threads = clv_core_count();
    context = own.allocate(own.user, NULL, sizeof *context);
    if (context) {
        memset(context, 0, sizeof *context);
        context->config = own;
        context->hash_key = draw_key(context);
    }
    return context;
}

void cleave_context_free(cleave_context *context)
{
    if (!context)
        return;
    clv_pool_free(context);
    clv_free(context, context);
}

static void log_message(Context *context, cleave_log_level level, const char *hint,
                        const char *format, va_list args)
{
    cleave_error text;

    if (!context->config.log)
        return;
    clv_vprint_line(text.message, sizeof text.message, format, args);
    cleave_escape(hint ? hint : "", hint ? strlen(hint) : 0, CLEAVE_ESCAPE_LINE, text.hint,
                  sizeof text.hint);
    context->config.log(context->config.user, level, text.message, text.hint);
}

void clv_note(Context *context, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_message(context, CLEAVE_LOG_NOTE, NULL, format, args);
    va_end(args);
}

void clv_warn(Context *context, const char *hint, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_message(context, CLEAVE_LOG_WARNING, hint, format, args);
    va_end(args);
}

/* ---- progress and cancellation --------------------------------------------------------------- */

/* Reports are due every 30 ms of processor time, estimated as if all threads were busy. */
enum { REPORT_EVERY = 30 * 1000 * 1000, REPORT_LEAST = 10 * 1000 * 1000 }; /* in nanoseconds */

/* The time of the clock, in nanoseconds, if a report is due; otherwise 0. */
static long long when_due(Context *context)
{
    long long now = (long long)(1e9 * clv_now()),
              every = REPORT_EVERY / (long long)context->config.threads;

    every = every > REPORT_LEAST ? every : REPORT_LEAST;
    return now - atomic_load_explicit(&context->last_progress, memory_order_relaxed) < every ? 0
                                                                                             : now;
}

static void report(Context *context, long long now, const cleave_progress *progress)
{
    atomic_store_explicit(&context->last_progress, now, memory_order_relaxed);
    context->config.progress(context->config.user, progress);
}

/* Locks the last report without waiting. If the lock is taken, the report is skipped, which is
 * harmless. */
static bool take_last(LastProgress *last)
{
    return !atomic_exchange_explicit(&last->taken, true, memory_order_acquire);
}

static void give_last(LastProgress *last)
{
    atomic_store_explicit(&last->taken, false, memory_order_release);
}

static void remember(LastProgress *last, const cleave_progress *progress)
{
    if (!take_last(last))
        return;
    last->caller = pthread_self();
    last->any = true;
    last->progress = *progress;
    snprintf(last->phase, sizeof last->phase, "%s", progress->phase);
    snprintf(last->detail, sizeof last->detail, "%s", progress->detail ? progress->detail : "");
    give_last(last);
}

static void repeat_progress(Context *context)
{
    LastProgress *last = &context->last;
    long long now = when_due(context);
    char phase[sizeof last->phase], detail[sizeof last->detail];
    cleave_progress progress;
    bool mine;

    if (!now || !take_last(last))
        return;
    mine = last->any && pthread_equal(last->caller, pthread_self());
    progress = last->progress;
    memcpy(phase, last->phase, sizeof phase);
    memcpy(detail, last->detail, sizeof detail);
    give_last(last);
    if (!mine)
        return;
    progress.phase = phase;
    progress.detail = progress.detail ? detail : NULL;
    report(context, now, &progress);
}

bool clv_progress_due(Context *context)
{
    return context->config.progress && when_due(context);
}

void clv_progress(Context *context, const cleave_progress *progress)
{
    long long now;

    if (!context->config.progress)
        return;
    remember(&context->last, progress);
    now = when_due(context);
    if (now)
        report(context, now, progress);
}

static bool ask(Context *context)
{
    if (context->config.progress)
        repeat_progress(context);
    return context->config.cancelled && context->config.cancelled(context->config.user);
}

bool clv_cancelled(Context *context)
{
    bool now = ask(context);

    if (!atomic_load_explicit(&context->end_wanted, memory_order_relaxed))
        return now;
    atomic_store_explicit(&context->end_wanted, false, memory_order_relaxed);
    return true;
}

bool clv_tick(Context *context)
{
    if (ask(context))
        atomic_store_explicit(&context->end_wanted, true, memory_order_relaxed);
    return atomic_load_explicit(&context->end_wanted, memory_order_relaxed);
}

Status clv_poll(Context *context, cleave_error *error)
{
    return clv_cancelled(context) ? clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static double read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double clv_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clv_cpu_now(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
