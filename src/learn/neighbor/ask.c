#include "learn/neighbor/ask.h"

#include "base/pool.h"

#include <float.h>

/* Rows that are asked about together, by one worker: enough for a structure to make something of it, as far as memory allows. */
enum { MOST_AT_ONCE = 96, MOST_NEIGHBORS_AT_ONCE = 1 << 20, MOST_CELLS_AT_ONCE = 1 << 25 };

typedef struct {
    Query query[MOST_AT_ONCE];
    Nearest nearest[MOST_AT_ONCE];
    SearchWorkspace workspace;
    Status status;
    cleave_error error;
} Worker;

struct Asker {
    Context *context;
    const Index *index;
    Wanted wanted;
    uint32_t at_once;        /* rows of a piece, at the most */
    uint32_t piece;          /* … of the call under way */
    unsigned workers, ready; /* those that may be; those that have been made */
    Worker **worker;
    /* Of the call under way. */
    const Asked *asked;
    AskTake *take;
    void *user;
};

static uint32_t rows_at_once(const Index *index, uint32_t most)
{
    uint32_t found = most < index->vectors.count ? most : index->vectors.count;
    uint32_t rows = MOST_NEIGHBORS_AT_ONCE / (found + 1), spread = MOST_CELLS_AT_ONCE / (index->vectors.features + 1);

    rows = rows < spread ? rows : spread; /* each row lies there with all its values */
    return rows < 1 ? 1 : rows > MOST_AT_ONCE ? MOST_AT_ONCE : rows;
}

/* The distance grows with the key, and keys are not below 0: found by halving, over the bits of the number. */
double clv_key_limit(const Metric *metric, double distance)
{
    double most = DBL_MAX, key;
    uint64_t low = 0, high;

    if (clv_metric_distance(metric, most) <= distance)
        return (double)INFINITY;
    memcpy(&high, &most, sizeof high);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        memcpy(&key, &middle, sizeof key);
        if (clv_metric_distance(metric, key) <= distance)
            low = middle;
        else
            high = middle;
    }
    memcpy(&key, &low, sizeof key);
    return key;
}

Status clv_asker_new(Context *context, const Index *index, const Wanted *wanted, uint32_t rows, Asker **result,
                     cleave_error *error)
{
    Asker *asker = clv_alloc_zero(context, 1, sizeof *asker);

    *result = asker;
    if (!asker)
        return clv_fail_memory(error, "a search", sizeof *asker);
    asker->context = context;
    asker->index = index;
    asker->wanted = *wanted;
    asker->at_once = rows_at_once(index, wanted->most);
    asker->workers = clv_pool_workers(context, rows);
    asker->worker = clv_alloc_zero(context, asker->workers, sizeof *asker->worker);
    if (!asker->worker) {
        clv_fail_memory(error, "a search", asker->workers * sizeof *asker->worker);
        clv_asker_free(asker);
        *result = NULL;
        return CLEAVE_ERROR_MEMORY;
    }
    return OK;
}

static void free_worker(Context *context, Worker *worker)
{
    for (uint32_t i = 0; i < MOST_AT_ONCE; i++) {
        clv_query_free(&worker->query[i]);
        clv_nearest_free(&worker->nearest[i]);
    }
    clv_search_workspace_free(&worker->workspace);
    clv_free(context, worker);
}

void clv_asker_free(Asker *asker)
{
    if (!asker)
        return;
    for (unsigned i = 0; i < asker->ready; i++)
        free_worker(asker->context, asker->worker[i]);
    FREE(asker->context, asker->worker, asker);
}

uint32_t clv_asker_rows(const Asker *asker)
{
    return asker->at_once * asker->workers;
}

unsigned clv_asker_workers(const Asker *asker)
{
    return asker->workers;
}

Status clv_asker_place(const Asker *asker, Nearest *nearest, cleave_error *error)
{
    uint32_t count = asker->index->vectors.count, most = asker->wanted.most;

    TRY(clv_nearest_init(nearest, asker->context, most == EVERY_POINT || most < count ? most : count, error));
    nearest->limit = asker->wanted.limit;
    nearest->only = asker->wanted.only;
    return OK;
}

/* Places are made for as many rows as there have ever been at once. */
static Status make_places(Asker *asker, Worker *worker, uint32_t rows, cleave_error *error)
{
    for (uint32_t i = 0; i < rows; i++) {
        worker->query[i].context = asker->context;
        worker->query[i].sparse = !asker->index->vectors.dense;
        if (!worker->nearest[i].context)
            TRY(clv_asker_place(asker, &worker->nearest[i], error));
    }
    return OK;
}

static Status make_workers(Asker *asker, unsigned workers, uint32_t rows, cleave_error *error)
{
    for (unsigned i = 0; i < workers; i++) {
        if (i == asker->ready) {
            TRY(ALLOC_ZERO(asker->context, asker->worker[i], 1, "a search", error));
            asker->worker[i]->workspace.context = asker->context;
            asker->ready++;
        }
        if (!asker->worker[i]->nearest[rows - 1].context)
            TRY(make_places(asker, asker->worker[i], rows, error));
    }
    return OK;
}

/* Dense vectors are held against the caller's values where they are. */
static Status set_query(const Asker *asker, Query *query, uint32_t row, cleave_error *error)
{
    const Vectors *vectors = &asker->index->vectors;
    const Asked *asked = asker->asked;

    if (asked->block)
        return clv_query_set(query, asked->block, asked->first + row, vectors->features, error);
    return clv_query_set_values(query, asked->values + (size_t)row * vectors->features, vectors, error);
}

/* A list of tied points may be long: its memory is freed after use. */
static Status take_row(const Asker *asker, unsigned number, uint32_t row, uint32_t i)
{
    Worker *worker = asker->worker[number];
    Nearest *nearest = &worker->nearest[i];

    if (asker->wanted.share_places)
        TRY(clv_index_share_places(asker->index, &worker->query[i], nearest, &worker->error));
    TRY(asker->take(asker->user, row, nearest, number, &worker->error));
    if (nearest->tied == 0)
        return OK;
    clv_nearest_free(nearest);
    return clv_asker_place(asker, nearest, &worker->error);
}

static Status ask_rows(const Asker *asker, unsigned number, uint32_t first, uint32_t count)
{
    Worker *worker = asker->worker[number];

    for (uint32_t i = 0; i < count; i++)
        TRY(set_query(asker, &worker->query[i], first + i, &worker->error));
    TRY(clv_index_search(asker->index, worker->query, worker->nearest, count, &worker->workspace, &worker->error));
    for (uint32_t i = 0; i < count; i++)
        TRY(take_row(asker, number, first + i, i));
    return OK;
}

static void ask_piece(void *user, uint32_t piece, unsigned number)
{
    const Asker *asker = user;
    Worker *worker = asker->worker[number];
    uint32_t first = piece * asker->piece, left = asker->asked->count - first;

    if (worker->status == OK)
        worker->status = ask_rows(asker, number, first, left < asker->piece ? left : asker->piece);
}

static Status first_failure(Asker *asker, unsigned workers, cleave_error *error)
{
    Status status = OK;

    for (unsigned i = 0; i < workers; i++) {
        Worker *worker = asker->worker[i];

        if (worker->status != OK && status == OK) {
            status = worker->status;
            if (error)
                *error = worker->error;
        }
        worker->status = OK;
    }
    return status;
}

/* As large as they may be, but none without work where there is some for all. */
static uint32_t piece_of(const Asker *asker, uint32_t rows)
{
    uint32_t fair = rows / asker->workers + (rows % asker->workers != 0);

    return fair < 1 ? 1 : fair < asker->at_once ? fair : asker->at_once;
}

Status clv_ask(Asker *asker, const Asked *asked, AskTake *take, void *user, cleave_error *error)
{
    uint32_t piece = piece_of(asker, asked->count), pieces = asked->count / piece + (asked->count % piece != 0);
    unsigned workers = pieces > 1 ? asker->workers : 1;
    Status polled = OK, status;

    TRY(make_workers(asker, workers, piece, error));
    asker->piece = piece;
    asker->asked = asked;
    asker->take = take;
    asker->user = user;
    if (workers > 1)
        clv_pool_run(asker->context, pieces, ask_piece, asker);
    else
        for (uint32_t i = 0; i < pieces && polled == OK; i++) {
            ask_piece(asker, i, 0);
            if (i + 1 < pieces)
                polled = clv_poll(asker->context, error);
        }
    status = first_failure(asker, workers, error);
    return status == OK ? polled : status;
}
