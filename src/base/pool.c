#include "base/pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 256, WAIT_NANOSECONDS = 10 * 1000 * 1000 };

struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t *thread;
    unsigned threads; /* number of threads without the caller */
    pid_t process;    /* process of the threads; a forked child has the memory but no threads */
    bool leaving;

    /* State of the current call. */
    Work *run;
    void *user;
    uint32_t next, tasks;
    uint32_t left; /* number of tasks that are not done */
};

typedef struct {
    struct Pool *pool;
    unsigned number;
} PoolThread;

/* Runs tasks until none are left. The lock is held before and after. The calling thread reports
 * progress between tasks. */
static void run_tasks(Context *context, struct Pool *pool, unsigned worker)
{
    while (pool->next < pool->tasks) {
        uint32_t task = pool->next++;

        pthread_mutex_unlock(&pool->lock);
        pool->run(pool->user, task, worker);
        if (worker == 0)
            clv_tick(context);
        pthread_mutex_lock(&pool->lock);
        if (--pool->left == 0)
            pthread_cond_signal(&pool->done);
    }
}

static void *serve(void *given)
{
    PoolThread *self = given;
    struct Pool *pool = self->pool;

    pthread_mutex_lock(&pool->lock);
    while (!pool->leaving) {
        run_tasks(NULL, pool, self->number);
        if (!pool->leaving)
            pthread_cond_wait(&pool->work, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Initializes a condition with waits by the monotonic clock. */
static void init_timed(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static struct Pool *open_pool(Context *context)
{
    unsigned wanted = context->config.threads - 1; /* at least 1, see clv_pool_workers */
    struct Pool *pool = clv_alloc_zero(context, 1, sizeof *pool);
    PoolThread *workers;

    if (!pool)
        return NULL;
    if (wanted > MOST_THREADS)
        wanted = MOST_THREADS;
    pool->thread = clv_alloc(context, wanted, sizeof *pool->thread + sizeof *workers);
    if (!pool->thread) {
        clv_free(context, pool);
        return NULL;
    }
    workers = (PoolThread *)(void *)(pool->thread + wanted);
    pool->process = getpid();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    init_timed(&pool->done);
    while (pool->threads < wanted) {
        PoolThread *worker = &workers[pool->threads];

        *worker = (PoolThread){.pool = pool, .number = pool->threads + 1};
        if (pthread_create(&pool->thread[pool->threads], NULL, serve, worker) != 0)
            break;
        pool->threads++;
    }
    return pool;
}

static void stop_threads(struct Pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->leaving = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->threads; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
}

/* In a forked child, only frees the memory: it has no threads, and a thread of the parent may have
 * held the lock. */
void clv_pool_free(Context *context)
{
    struct Pool *pool = context->pool;

    if (!pool)
        return;
    if (pool->process == getpid())
        stop_threads(pool);
    FREE(context, pool->thread, pool);
    context->pool = NULL;
}

unsigned clv_pool_workers(Context *context, uint32_t tasks)
{
    unsigned threads = context->config.threads;

    if (tasks < 2 || threads < 2)
        return 1;
    return threads < MOST_THREADS + 1 ? threads : MOST_THREADS + 1;
}

/* Reserves the pool, which only one call uses at a time. Returns false if another thread of this
 * process uses it. A reservation by the parent of a forked child is ignored. */
static bool claim_pool(Context *context)
{
    pid_t self = getpid(), user = atomic_load_explicit(&context->pool_user, memory_order_relaxed);

    while (user != self)
        if (atomic_compare_exchange_weak_explicit(&context->pool_user, &user, self,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

/* Returns the pool of this process, which is created if missing. NULL: no threads are available. */
static struct Pool *pool_here(Context *context)
{
    if (context->pool && context->pool->process != getpid())
        clv_pool_free(context);
    if (!context->pool)
        context->pool = open_pool(context);
    return context->pool && context->pool->threads > 0 ? context->pool : NULL;
}

/* Time of the next progress report of a waiting thread. */
static struct timespec soon(void)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

/* Waits until all tasks are done. The lock is held before and after. Reports progress and polls
 * cancellation, because tasks of other workers may be long. */
static void await_tasks(Context *context, struct Pool *pool)
{
    while (pool->left > 0) {
        struct timespec until = soon();

        if (pthread_cond_timedwait(&pool->done, &pool->lock, &until) == 0 || pool->left == 0)
            continue;
        pthread_mutex_unlock(&pool->lock);
        clv_tick(context);
        pthread_mutex_lock(&pool->lock);
    }
}

static void run_on_pool(Context *context, struct Pool *pool, uint32_t tasks, Work *work, void *user)
{
    pthread_mutex_lock(&pool->lock);
    pool->run = work;
    pool->user = user;
    pool->next = 0;
    pool->tasks = pool->left = tasks;
    pthread_cond_broadcast(&pool->work);
    run_tasks(context, pool, 0);
    await_tasks(context, pool);
    pool->tasks = 0;
    pthread_mutex_unlock(&pool->lock);
}

static void run_here(Context *context, uint32_t tasks, Work *work, void *user)
{
    for (uint32_t task = 0; task < tasks; task++) {
        work(user, task, 0);
        if (tasks > 1)
            clv_tick(context);
    }
}

void clv_pool_run(Context *context, uint32_t tasks, Work *work, void *user)
{
    struct Pool *pool;

    if (clv_pool_workers(context, tasks) < 2 || !claim_pool(context)) {
        run_here(context, tasks, work, user);
        return;
    }
    pool = pool_here(context);
    if (pool)
        run_on_pool(context, pool, tasks, work, user);
    else
        run_here(context, tasks, work, user);
    atomic_store_explicit(&context->pool_user, 0, memory_order_release);
}

void clv_pool_run_if(bool threads, Context *context, uint32_t tasks, Work *work, void *user)
{
    if (threads)
        clv_pool_run(context, tasks, work, user);
    for (uint32_t task = 0; !threads && task < tasks; task++)
        work(user, task, 0);
}

/* ---- calls that cannot poll ------------------------------------------------------------------ */

typedef struct {
    void (*call)(void *user);
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool finished;
} Beside;

static void *run_call(void *given)
{
    Beside *beside = given;

    beside->call(beside->user);
    pthread_mutex_lock(&beside->lock);
    beside->finished = true;
    pthread_cond_signal(&beside->done);
    pthread_mutex_unlock(&beside->lock);
    return NULL;
}

static void await_call(Context *context, Beside *beside)
{
    pthread_mutex_lock(&beside->lock);
    while (!beside->finished) {
        struct timespec until = soon();

        pthread_cond_timedwait(&beside->done, &beside->lock, &until);
        pthread_mutex_unlock(&beside->lock);
        clv_tick(context);
        pthread_mutex_lock(&beside->lock);
    }
    pthread_mutex_unlock(&beside->lock);
}

void clv_run_beside(Context *context, void (*call)(void *user), void *user)
{
    Beside beside = {.call = call, .user = user};
    pthread_t thread;

    if (!context->config.progress && !context->config.cancelled) {
        call(user);
        return;
    }
    pthread_mutex_init(&beside.lock, NULL);
    init_timed(&beside.done);
    if (pthread_create(&thread, NULL, run_call, &beside) == 0) {
        await_call(context, &beside);
        pthread_join(thread, NULL);
    } else {
        call(user);
    }
    pthread_cond_destroy(&beside.done);
    pthread_mutex_destroy(&beside.lock);
}
