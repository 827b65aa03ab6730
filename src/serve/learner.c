/*
 * The thread that learns. Requests of POST /learn wait in a queue. The thread takes all requests of
 * a model at once, makes a new model from their rows by one cleave_update, appends the rows to the
 * journal of the model, and replaces the model. Only then the requests are answered: their rows are
 * on disk, and the model of later requests contains them. While one group is learned, the next one
 * gathers, so that the cost of the disk is shared (group commit). Predictions never wait.
 *
 * A model file and its journal give the same model as the running server: the updates of the
 * journal are repeated in the same order. The thread writes the model to its file from time to time
 * and at the end, so that the journal stays short.
 */
#define _GNU_SOURCE
#include "serve/server_parts.h"

#include "base/lock.h"
#include "input/input.h"

#include <sys/eventfd.h>
#include <unistd.h>

enum { MOST_GROUP = 16 << 20 /* bytes of rows in one update */ };
static const size_t most_waiting = (size_t)256 << 20; /* bytes of rows in the queue */
static const uint64_t most_journal = (uint64_t)64 << 20;

/* ---- updates --------------------------------------------------------------------------------- */

static Status open_rows(const Model *model, const char *rows, size_t size, const ReadOptions *read,
                        cleave_data **data, cleave_error *error)
{
    RowsFormat format = clv_rows_format(model);
    bool grows = format != ROWS_CSV;
    ReadGuide guide = {.schema = &model->schema,
                       .names = clv_model_inputs(model),
                       .features = grows ? 0 : clv_model_input_count(model),
                       .grows = grows};
    Source *source;

    TRY(clv_read_memory(model->context, "request", rows, size, clv_rows_reader(format), read,
                        &guide, &source, error));
    return clv_open_source(model->context, source, data, error);
}

/* Makes a model that has also learned the rows, like `cleave update` with a file of them. */
static Status learn(const Model *from, const char *rows, size_t size, cleave_model **model,
                    cleave_update_result *result, cleave_error *error)
{
    cleave_data *data;
    ReadOptions read = {0};
    Status status;

    *model = NULL;
    TRY(clv_rows_read_options(from->context, clv_rows_format(from), &read, error));
    TRY(open_rows(from, rows, size, &read, &data, error));
    result->size = sizeof *result;
    status = cleave_update(from, data, NULL, NULL, model, result, error);
    cleave_data_free(data);
    return status;
}

static Status learn_again(void *user, const char *rows, size_t size, cleave_error *error)
{
    cleave_model **model = user, *after;
    cleave_update_result result;

    TRY(learn(*model, rows, size, &after, &result, error));
    cleave_model_free(*model);
    *model = after;
    return OK;
}

Status clv_model_load_learned(Context *context, const char *path, cleave_model **model,
                              uint64_t *updates, cleave_error *error)
{
    Status status;

    TRY(cleave_load(context, path, model, error));
    status = clv_learn_journal_replay(context, path, learn_again, model, updates, error);
    if (status != OK) {
        cleave_model_free(*model);
        *model = NULL;
    }
    return status;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static Status save(Server *server, Served *served, cleave_error *error)
{
    Learner *learner = &server->learner;
    Status status;

    pthread_mutex_lock(&learner->saving);
    status = clv_learn_journal_save(served->journal, served->model, error);
    pthread_mutex_unlock(&learner->saving);
    atomic_fetch_add(status == OK ? &learner->saves : &learner->failed_saves, 1);
    return status;
}

static void save_if_due(Server *server, Served *served)
{
    uint64_t updates = clv_learn_journal_updates(served->journal);
    cleave_error error;

    if (updates < served->next_save && clv_learn_journal_size(served->journal) < most_journal)
        return;
    served->next_save = server->config.save_every;
    if (save(server, served, &error) == OK)
        return;
    served->next_save += clv_learn_journal_updates(served->journal);
    clv_warn(server->context, error.hint, "%s", error.message);
}

Status clv_learner_check_file(Server *server, const Served *served, cleave_error *error)
{
    Status status;

    pthread_mutex_lock(&server->learner.saving);
    status = clv_learn_journal_check(served->journal, error);
    pthread_mutex_unlock(&server->learner.saving);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static Status join(const LearnJob *group, Context *context, Buffer *rows, cleave_error *error)
{
    for (const LearnJob *job = group; job; job = job->next) {
        size_t skip = job == group ? 0 : job->header;

        TRY(clv_buffer_add(context, rows, job->rows.data + skip, job->rows.size - skip, error));
    }
    return OK;
}

static void answer(LearnJob *group, Status status, unsigned code, const cleave_error *error)
{
    for (LearnJob *job = group, *next; job; job = next) {
        ServeWorker *worker = job->worker;
        uint64_t one = 1;

        next = job->next;
        job->status = status;
        job->code = code;
        if (status == OK)
            job->version = atomic_load(&job->served->version);
        else
            job->error = *error;
        pthread_mutex_lock(&worker->server->learner.lock);
        job->next = worker->learned;
        worker->learned = job;
        pthread_mutex_unlock(&worker->server->learner.lock);
        if (write(worker->learned_event, &one, sizeof one) < 0)
            continue; /* the counter is at its limit, so that the worker wakes */
    }
}

/* The update must contain every row that was counted. */
static Status check_rows(const LearnJob *group, const cleave_update_result *result,
                         cleave_error *error)
{
    uint64_t count = 0;

    for (const LearnJob *job = group; job; job = job->next)
        count += job->count;
    if (result->rows == count && result->unlabeled == 0)
        return OK;
    return clv_fail(error, CLEAVE_ERROR_DATA,
                    "the request has %llu rows, but %llu could be learned",
                    (unsigned long long)count, (unsigned long long)result->rows);
}

static void learn_group(Server *server, LearnJob *group);

/* Learns each request alone, because one of them is the cause of an error. */
static void learn_each(Server *server, LearnJob *group)
{
    for (LearnJob *job = group, *next; job; job = next) {
        next = job->next;
        job->next = NULL;
        learn_group(server, job);
    }
}

static void learn_group(Server *server, LearnJob *group)
{
    Served *served = group->served;
    cleave_update_result result = {.size = 0};
    cleave_model *model = NULL;
    cleave_error error = {.hint = ""};
    Buffer joined = {0};
    const Buffer *rows = group->next ? &joined : &group->rows;
    Status status = group->next ? join(group, server->context, &joined, &error) : OK;
    unsigned code = 0;

    THEN(status, learn(served->model, rows->data, rows->size, &model, &result, &error));
    THEN(status, check_rows(group, &result, &error));
    if (status == OK) {
        status = clv_learn_journal_add(served->journal, rows->data, rows->size, result.rows,
                                       &error);
        code = status == CLEAVE_ERROR_MEMORY ? 507 : 503;
    } else if (group->next && status != CLEAVE_ERROR_MEMORY) {
        cleave_model_free(model);
        clv_free(server->context, joined.data);
        learn_each(server, group);
        return;
    }
    if (status == OK) {
        clv_model_publish(server, served, model);
        atomic_fetch_add_explicit(&served->learned, result.rows, memory_order_relaxed);
        atomic_fetch_add_explicit(&served->updates, 1, memory_order_relaxed);
    } else {
        cleave_model_free(model);
    }
    clv_free(server->context, joined.data);
    answer(group, status, code, &error);
    if (status == OK)
        save_if_due(server, served);
}

static bool fits(const LearnJob *first, const LearnJob *job, size_t size)
{
    return job->served == first->served && job->header == first->header &&
           size + job->rows.size <= MOST_GROUP &&
           (job->header == 0 || memcmp(job->rows.data, first->rows.data, job->header) == 0);
}

/* Takes the first request and all that can be learned with it. Returns the others, in order. */
static LearnJob *take_group(LearnJob *jobs)
{
    LearnJob *first = jobs, *others = NULL, **group_end = &first->next, **others_end = &others;
    size_t size = first->rows.size;

    jobs = jobs->next;
    for (LearnJob *next; jobs; jobs = next) {
        next = jobs->next;
        if (fits(first, jobs, size)) {
            size += jobs->rows.size;
            *group_end = jobs;
            group_end = &jobs->next;
        } else {
            *others_end = jobs;
            others_end = &jobs->next;
        }
    }
    *group_end = *others_end = NULL;
    return others;
}

/* ---- the thread ------------------------------------------------------------------------------ */

bool clv_learner_submit(Server *server, LearnJob *job)
{
    Learner *learner = &server->learner;
    bool fits_queue;

    pthread_mutex_lock(&learner->lock);
    fits_queue = learner->waiting == 0 || learner->waiting + job->rows.size <= most_waiting;
    if (fits_queue) {
        learner->waiting += job->rows.size;
        *learner->last = job;
        learner->last = &job->next;
        pthread_cond_signal(&learner->work);
    }
    pthread_mutex_unlock(&learner->lock);
    return fits_queue;
}

/* Waits for requests and takes them. Returns NULL at the end. */
static LearnJob *take_jobs(Learner *learner)
{
    LearnJob *jobs;

    pthread_mutex_lock(&learner->lock);
    while (!learner->first && !learner->stops)
        pthread_cond_wait(&learner->work, &learner->lock);
    jobs = learner->first;
    learner->first = NULL;
    learner->last = &learner->first;
    learner->waiting = 0;
    pthread_mutex_unlock(&learner->lock);
    return jobs;
}

static void *run(void *user)
{
    Server *server = user;
    LearnJob *jobs;

    while ((jobs = take_jobs(&server->learner)))
        while (jobs) {
            LearnJob *others = take_group(jobs);

            learn_group(server, jobs);
            jobs = others;
        }
    return NULL;
}

/* Loads the model with its journal. The model file is locked: no other process may replace it. */
static Status open_served(Server *server, Served *served, cleave_error *error)
{
    Context *context = server->learner.context;
    cleave_method_info method;
    cleave_model *model;
    uint64_t updates;

    TRY(clv_lock_open(context, served->path, &served->lock, error));
    TRY(clv_model_load_learned(context, served->path, &model, &updates, error));
    served->model = model;
    TRY(cleave_method_find(cleave_model_method(model), &method, error));
    if (!(method.traits & CLEAVE_TRAIT_UPDATABLE)) {
        clv_lock_free(served->lock);
        served->lock = NULL;
        return OK;
    }
    served->next_save = server->config.save_every;
    TRY(clv_learn_journal_open(context, served->path, &served->journal, error));
    return updates ? save(server, served, error) : OK;
}

Status clv_learner_load(Server *server, Served *served, cleave_error *error)
{
    if (!server->learner.context) {
        cleave_model *model;
        uint64_t updates;

        TRY(clv_model_load_learned(server->context, served->path, &model, &updates, error));
        served->model = model;
        return OK;
    }
    return open_served(server, served, error);
}

Status clv_learner_init(Server *server, cleave_error *error)
{
    Learner *learner = &server->learner;

    learner->last = &learner->first;
    pthread_mutex_init(&learner->lock, NULL);
    pthread_mutex_init(&learner->saving, NULL);
    pthread_cond_init(&learner->work, NULL);
    if (!server->config.learn_token)
        return OK;
    /* Its own context: one thread, so that predictions have the others, and no warnings. */
    learner->context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    return learner->context ? OK : clv_fail_memory(error, "a context", 1);
}

Status clv_learner_start(Server *server, cleave_error *error)
{
    Learner *learner = &server->learner;

    if (!learner->context)
        return OK;
    learner->started = pthread_create(&learner->thread, NULL, run, server) == 0;
    return learner->started ? OK : clv_fail(error, CLEAVE_ERROR_IO, "cannot start a thread");
}

void clv_learn_job_free(Server *server, LearnJob *job)
{
    FREE(server->context, job->rows.data, job);
}

static void close_served(Server *server, Served *served)
{
    cleave_error error;

    if (served->journal && clv_learn_journal_updates(served->journal) &&
        save(server, served, &error) != OK)
        clv_warn(server->context, error.hint, "%s", error.message);
    clv_learn_journal_close(served->journal);
    clv_lock_free(served->lock);
}

void clv_learner_close(Server *server)
{
    Learner *learner = &server->learner;

    pthread_mutex_lock(&learner->lock);
    learner->stops = true;
    pthread_cond_signal(&learner->work);
    pthread_mutex_unlock(&learner->lock);
    if (learner->started)
        pthread_join(learner->thread, NULL);
    for (size_t i = 0; i < server->served_count; i++)
        close_served(server, &server->served[i]);
    pthread_mutex_destroy(&learner->lock);
    pthread_mutex_destroy(&learner->saving);
    pthread_cond_destroy(&learner->work);
}
