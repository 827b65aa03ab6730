#include "base/context.h"

#include "base/machine.h"
#include "base/memory.h"
#include "base/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

cleave_context *cleave_context_new(const cleave_config *config)
{
    cleave_config own = config ? *config : (cleave_config){.threads = 1};
    Context *context;

    if (!own.allocate)
        own.allocate = c_library_allocate;
    if (own.threads == 0)
        own.threads = clv_core_count();
    context = own.allocate(own.user, NULL, sizeof *context);
    if (context)
        *context = (Context){.config = own};
    return context;
}

void cleave_context_free(cleave_context *context)
{
    if (!context)
        return;
    clv_pool_free(context);
    clv_free(context, context);
}

static void log_message(Context *context, cleave_log_level level, const char *hint, const char *format, va_list args)
{
    char message[768];

    if (!context->config.log)
        return;
    vsnprintf(message, sizeof message, format, args);
    context->config.log(context->config.user, level, message, hint ? hint : "");
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

bool clv_cancelled(Context *context)
{
    return context->config.cancelled && context->config.cancelled(context->config.user);
}

void clv_progress(Context *context, const cleave_progress *progress)
{
    double now;

    if (!context->config.progress)
        return;
    now = clv_now();
    if (now - context->last_progress < 0.1)
        return;
    context->last_progress = now;
    context->config.progress(context->config.user, progress);
}

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
