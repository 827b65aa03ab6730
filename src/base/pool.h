/*
 * A few threads that wait for work, kept by the context from the first call that can use them: numbered tasks, run by as many
 * workers as the context has threads, the caller being one of them. Which worker runs a task, and when, is chance; what a task
 * computes must not depend on it. So a result is a function of the tasks alone, and the same for any number of threads.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/context.h"

/* worker: from 0, below clv_pool_workers; no two tasks run on one worker at a time, so that each may have room of its own. */
typedef void Work(void *user, uint32_t task, unsigned worker);

/* Workers there are for so many tasks: 1 where the context has one thread, or where threads cannot be had. */
unsigned clv_pool_workers(Context *context, uint32_t tasks);

/* Runs tasks 0 … tasks - 1, begun in that order, and returns when all are done. Not from within a task. */
void clv_pool_run(Context *context, uint32_t tasks, Work *work, void *user);

void clv_pool_free(Context *context); /* by the context, when it ends */

#endif
