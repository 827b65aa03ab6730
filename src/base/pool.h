/*
 * The thread pool of a context, started by the first call that can use it. Numbered tasks run on as
 * many workers as the context has threads, one of them the calling thread. The assignment of tasks
 * to workers is not deterministic, and tasks must not depend on it. Results are bit-identical for
 * any number of threads.
 *
 * Any thread may call. While one call uses the pool, the tasks of another call run sequentially on
 * its own thread. A forked child does not inherit threads: the pool starts new ones.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/context.h"

/* worker: from 0, below clv_pool_workers. A worker runs one task at a time, so that each worker can
 * have its own scratch space. */
typedef void Work(void *user, uint32_t task, unsigned worker);

/* The maximum number of workers of a call with `tasks` tasks; 1 if the context has one thread. */
unsigned clv_pool_workers(Context *context, uint32_t tasks);

/* Runs tasks 0 … tasks - 1, started in that order, and returns when all are done. */
void clv_pool_run(Context *context, uint32_t tasks, Work *work, void *user);

/* Runs the tasks on the calling thread, as worker 0, unless `threads` is true. */
void clv_pool_run_if(bool threads, Context *context, uint32_t tasks, Work *work, void *user);

/* Runs a call that cannot poll, such as one of LAPACK, on its own thread. The calling thread
 * reports progress and polls cancellation until the call returns. If no thread can be created, the
 * call runs on the calling thread. */
void clv_run_beside(Context *context, void (*call)(void *user), void *user);

void clv_pool_free(Context *context); /* called when the context ends */

#endif
