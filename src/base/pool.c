#include "base/pool.h"

#include "base/memory.h"

#include <pthread.h>

enum { MOST_THREADS = 256 };

struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t *thread;
    unsigned threads; /* beside the caller */
    bool leaving;

    /* The work at hand. */
    Work *run;
    void *user;
    uint32_t next, tasks;
    uint32_t left; /* tasks not yet done */
};

typedef struct {
    struct Pool *pool;
    unsigned number;
} Worker;

/* Takes tasks until there are none; the lock is held before and after. */
static void run_tasks(struct Pool *pool, unsigned worker)
{
    while (pool->next < pool->tasks) {
        uint32_t task = pool->next++;

        pthread_mutex_unlock(&pool->lock);
        pool->run(pool->user, task, worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->left == 0)
            pthread_cond_signal(&pool->done);
    }
}

static void *serve(void *given)
{
    Worker *self = given;
    struct Pool *pool = self->pool;

    pthread_mutex_lock(&pool->lock);
    while (!pool->leaving) {
        run_tasks(pool, self->number);
        if (!pool->leaving)
            pthread_cond_wait(&pool->work, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static struct Pool *open_pool(Context *context)
{
    unsigned wanted = context->config.threads - 1;
    struct Pool *pool = clv_alloc_zero(context, 1, sizeof *pool);
    Worker *workers;

    if (!pool)
        return NULL;
    if (wanted > MOST_THREADS)
        wanted = MOST_THREADS;
    pool->thread = clv_alloc(context, wanted, sizeof *pool->thread + sizeof *workers);
    if (!pool->thread) {
        clv_free(context, pool);
        return NULL;
    }
    workers = (Worker *)(void *)(pool->thread + wanted);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    while (pool->threads < wanted) {
        Worker *worker = &workers[pool->threads];

        *worker = (Worker){.pool = pool, .number = pool->threads + 1};
        if (pthread_create(&pool->thread[pool->threads], NULL, serve, worker) != 0)
            break;
        pool->threads++;
    }
    return pool;
}

void clv_pool_free(Context *context)
{
    struct Pool *pool = context->pool;

    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->leaving = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->threads; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    clv_free(context, pool->thread);
    clv_free(context, pool);
    context->pool = NULL;
}

unsigned clv_pool_workers(Context *context, uint32_t tasks)
{
    unsigned workers;

    if (tasks < 2 || context->config.threads < 2)
        return 1;
    if (!context->pool)
        context->pool = open_pool(context);
    workers = context->pool ? context->pool->threads + 1 : 1;
    return workers; /* any of them may get any task, however few there are */
}

void clv_pool_run(Context *context, uint32_t tasks, Work *work, void *user)
{
    struct Pool *pool;

    if (clv_pool_workers(context, tasks) < 2) {
        for (uint32_t task = 0; task < tasks; task++)
            work(user, task, 0);
        return;
    }
    pool = context->pool;
    pthread_mutex_lock(&pool->lock);
    pool->run = work;
    pool->user = user;
    pool->next = 0;
    pool->tasks = pool->left = tasks;
    pthread_cond_broadcast(&pool->work);
    run_tasks(pool, 0);
    while (pool->left > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pool->tasks = 0;
    pthread_mutex_unlock(&pool->lock);
}
