/*
 * The threads of a context, started by the first call that can use them: numbered tasks, run by as many workers as the context
 * has threads, the calling thread being one of them. Which worker runs a task, and when, is not determined; what a task
 * computes must not depend on it. Results are a function of the tasks alone, bit-identical for any number of threads.
 *
 * Any thread may call. While one call has the pool, tasks of another run one after the other on its own thread. A forked child
 * has no threads of its parent: the pool starts new ones there.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/context.h"

/* worker: from 0, below clv_pool_workers. No two tasks of a call run on one worker at a time: each may have its own scratch. */
typedef void Work(void *user, uint32_t task, unsigned worker);

/* The largest number of workers that a call with so many tasks may have; 1 where the context has one thread. */
unsigned clv_pool_workers(Context *context, uint32_t tasks);

/* Runs tasks 0 … tasks - 1, begun in that order, and returns when all are done. */
void clv_pool_run(Context *context, uint32_t tasks, Work *work, void *user);

/* The same on the calling thread alone, as worker 0, unless `threads`. */
void clv_pool_run_if(bool threads, Context *context, uint32_t tasks, Work *work, void *user);

/* Runs a call that cannot poll, such as one of LAPACK, on a thread of its own. The calling thread reports progress and polls
 * cancellation until the call returns. Where no thread can be had, it runs here. */
void clv_run_beside(Context *context, void (*call)(void *user), void *user);

void clv_pool_free(Context *context); /* by the context, when it ends */

#endif
