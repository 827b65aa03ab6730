/* POST /learn reads rows with labels, and passes them to the thread that learns (learner.c). */
#include "serve/server_parts.h"

#include "read/bytes.h"

#include <stdio.h>
#include <unistd.h>

void clv_learn_begin(Exchange *exchange)
{
    ServeRows *rows = &exchange->rows;
    cleave_error error;

    if (!clv_rows_find_model(exchange))
        return;
    if (!rows->served->journal) {
        char message[128];

        snprintf(message, sizeof message,
                 "a model of '%s' cannot learn: the method has no incremental form",
                 cleave_model_method(rows->model));
        clv_answer_error(exchange, 400, message, "");
        return;
    }
    if (rows->format != clv_rows_format(rows->model)) {
        clv_answer_error(exchange, 415, "the model learns only from rows of its own format",
                         "use the format that the model was trained on, or application/x-ndjson");
        return;
    }
    rows->labeled = true;
    if (clv_scorer_borrow(exchange->worker, rows->model, rows->format, &rows->scorer, &error) != OK)
        clv_answer_failure(exchange, &error);
}

/* The rows as text of the model's format, complete with the last newline. */
static Status take_rows(Exchange *exchange, Buffer *rows, cleave_error *error)
{
    Buffer *from = &exchange->body;

    if (exchange->rows.json_rows) {
        TRY(clv_rows_convert(exchange, exchange->body.data, exchange->body.size, error));
        from = &exchange->worker->scratch;
    }
    *rows = *from;
    *from = (Buffer){0};
    if (rows->size == 0 || rows->data[rows->size - 1] == '\n')
        return OK;
    return clv_buffer_add(exchange->worker->server->context, rows, "\n", 1, error);
}

static Status refuse_packed(const Buffer *rows, Context *context, cleave_error *error)
{
    Bytes *bytes;
    bool packed;

    TRY(clv_bytes_from_memory(context, "request", rows->data, rows->size, &bytes, error));
    packed = clv_bytes_compressed(bytes);
    clv_bytes_close(bytes);
    return packed ? clv_fail_hint(error, CLEAVE_ERROR_DATA, "send the rows as text",
                                  "the rows of the request are compressed")
                  : OK;
}

/* The request must be sound alone, so that it can be learned with others. */
static Status check_rows(Exchange *exchange, LearnJob *job, cleave_error *error)
{
    RowScorer *scorer = exchange->rows.scorer;
    uint64_t unlabeled;
    size_t rows;

    if (job->rows.size == 0)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "send at least one row",
                             "the request has no rows");
    TRY(refuse_packed(&job->rows, exchange->worker->server->context, error));
    clv_row_scorer_begin(scorer);
    TRY(clv_row_scorer_check(scorer, job->rows.data, job->rows.size, &rows, &unlabeled,
                             &job->header, error));
    if (rows == 0)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "send at least one row",
                             "the request has no rows");
    if (clv_row_scorer_cut(scorer, job->rows.data, job->rows.size) != job->rows.size)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the last row of the request is incomplete");
    if (unlabeled)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "send only rows with labels",
                             "row %llu has no label", (unsigned long long)unlabeled);
    job->count = exchange->row_count = rows;
    return OK;
}

void clv_learn_end(Exchange *exchange)
{
    ServeWorker *worker = exchange->worker;
    Server *server = worker->server;
    cleave_error error = {.hint = ""};
    LearnJob *job;
    Status status;

    if (ALLOC_ZERO(server->context, job, 1, "a request", &error) != OK) {
        clv_answer_failure(exchange, &error);
        return;
    }
    job->worker = worker;
    job->served = exchange->rows.served;
    status = take_rows(exchange, &job->rows, &error);
    THEN(status, check_rows(exchange, job, &error));
    clv_rows_free(exchange); /* others use the scorer while this request waits */
    if (status == OK && clv_learner_submit(server, job)) {
        exchange->job = job;
        return;
    }
    clv_learn_job_free(server, job);
    if (status == OK)
        clv_answer_error(exchange, 503, "too many rows wait to be learned", "try again later");
    else
        clv_answer_failure(exchange, &error);
}

static void answer(Exchange *exchange, const LearnJob *job)
{
    exchange->job = NULL;
    if (job->status != OK) {
        exchange->row_count = 0;
        if (job->code)
            clv_answer_error(exchange, job->code, job->error.message, job->error.hint);
        else
            clv_answer_failure(exchange, &job->error);
        return;
    }
    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"learned\":");
    clv_put_count(exchange, job->count);
    clv_put_text(exchange, ",\"version\":");
    clv_put_count(exchange, job->version);
    clv_put_text(exchange, "}\n");
    clv_answer_end(exchange);
}

void clv_learn_answer(ServeWorker *worker)
{
    Server *server = worker->server;
    LearnJob *jobs;
    uint64_t count;

    if (read(worker->learned_event, &count, sizeof count) < 0)
        return; /* another event has read it */
    pthread_mutex_lock(&server->learner.lock);
    jobs = worker->learned;
    worker->learned = NULL;
    pthread_mutex_unlock(&server->learner.lock);
    for (LearnJob *job = jobs, *next; job; job = next) {
        Connection *connection = job->connection;

        next = job->next;
        if (connection) {
            answer(&connection->exchange, job);
            clv_connection_answered(worker, connection);
        }
        clv_learn_job_free(server, job);
    }
}
