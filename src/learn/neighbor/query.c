#include "learn/neighbor/query.h"

#include "base/pool.h"

#include <float.h>

/* Number of rows that a worker searches together. An index benefits from this many; memory may
 * limit it. */
enum { MOST_AT_ONCE = 252, MOST_NEIGHBORS_AT_ONCE = 1 << 20, MOST_CELLS_AT_ONCE = 1 << 25 };

typedef struct {
    Query query[MOST_AT_ONCE];
    Nearest nearest[MOST_AT_ONCE];
    SearchWorkspace workspace;
    Status status;
    cleave_error error;
} Worker;

struct Searcher {
    Context *context;
    const Index *index;
    SearchLimits wanted;
    uint32_t at_once;        /* maximum rows per piece */
    uint32_t piece;          /* rows per piece in the current call */
    unsigned workers, ready; /* maximum number; number initialized so far */
    Worker **worker;
    /* State of the current call. */
    const QueryRows *queries;
    TakeNeighbors *take;
    void *user;
};

static uint32_t rows_at_once(const Index *index, uint32_t most)
{
    uint32_t found = most < index->vectors.count ? most : index->vectors.count;
    uint32_t rows = MOST_NEIGHBORS_AT_ONCE / (found + 1),
             spread = MOST_CELLS_AT_ONCE / (index->vectors.features + 1);

    rows = rows < spread ? rows : spread; /* because each row is unpacked to all columns */
    return rows < 1 ? 1 : rows > MOST_AT_ONCE ? MOST_AT_ONCE : rows;
}

/* An inner product is its own key. Otherwise keys are at least 0 and the distance is monotone in
 * the key: bisection over the bits of the
 * number. */
double clv_key_limit(const Metric *metric, double distance)
{
    double most = DBL_MAX, key;
    uint64_t low = 0, high;

    if (metric->distance == INNER_PRODUCT)
        return distance;
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

Status clv_searcher_new(Context *context, const Index *index, const SearchLimits *wanted,
                        uint32_t rows, Searcher **result, cleave_error *error)
{
    Searcher *searcher = clv_alloc_zero(context, 1, sizeof *searcher);

    *result = searcher;
    if (!searcher)
        return clv_fail_memory(error, "a search", sizeof *searcher);
    searcher->context = context;
    searcher->index = index;
    searcher->wanted = *wanted;
    searcher->at_once = rows_at_once(index, wanted->most);
    searcher->workers = clv_pool_workers(context, rows);
    searcher->worker = clv_alloc_zero(context, searcher->workers, sizeof *searcher->worker);
    if (!searcher->worker) {
        clv_fail_memory(error, "a search", searcher->workers * sizeof *searcher->worker);
        clv_searcher_free(searcher);
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

void clv_searcher_free(Searcher *searcher)
{
    if (!searcher)
        return;
    for (unsigned i = 0; i < searcher->ready; i++)
        free_worker(searcher->context, searcher->worker[i]);
    FREE(searcher->context, searcher->worker, searcher);
}

uint32_t clv_searcher_rows(const Searcher *searcher)
{
    return searcher->at_once * searcher->workers;
}

unsigned clv_searcher_workers(const Searcher *searcher)
{
    return searcher->workers;
}

Status clv_searcher_result(const Searcher *searcher, Nearest *nearest, cleave_error *error)
{
    uint32_t count = searcher->index->vectors.count, most = searcher->wanted.most;

    TRY(clv_nearest_init(nearest, searcher->context,
                         most == EVERY_POINT || most < count ? most : count, error));
    nearest->limit = searcher->wanted.limit;
    nearest->only = searcher->wanted.only;
    return OK;
}

/* Allocates the results, for the largest number of rows so far. */
static Status make_places(Searcher *searcher, Worker *worker, uint32_t rows, cleave_error *error)
{
    for (uint32_t i = 0; i < rows; i++) {
        worker->query[i].context = searcher->context;
        worker->query[i].sparse = !vectors_are_dense(&searcher->index->vectors);
        if (!worker->nearest[i].context)
            TRY(clv_searcher_result(searcher, &worker->nearest[i], error));
    }
    return OK;
}

static Status make_workers(Searcher *searcher, unsigned workers, uint32_t rows, cleave_error *error)
{
    for (unsigned i = 0; i < workers; i++) {
        if (i == searcher->ready) {
            TRY(ALLOC_ZERO(searcher->context, searcher->worker[i], 1, "a search", error));
            searcher->worker[i]->workspace.context = searcher->context;
            searcher->ready++;
        }
        if (!searcher->worker[i]->nearest[rows - 1].context)
            TRY(make_places(searcher, searcher->worker[i], rows, error));
    }
    return OK;
}

/* Sets a query. Dense vectors are compared with the caller's values in place. */
static Status set_query(const Searcher *searcher, Query *query, uint32_t row, cleave_error *error)
{
    const Vectors *vectors = &searcher->index->vectors;
    const QueryRows *queries = searcher->queries;

    if (queries->block)
        return clv_query_set(query, queries->block, queries->first + row, vectors->features, error);
    return clv_query_set_values(query, queries->values + (size_t)row * vectors->features, vectors,
                                error);
}

/* Passes the result of a row to the caller. A list of tied points can be long, so its memory is
 * freed after use. */
static Status take_row(const Searcher *searcher, unsigned number, uint32_t row, uint32_t i)
{
    Worker *worker = searcher->worker[number];
    Nearest *nearest = &worker->nearest[i];

    if (searcher->wanted.share_places)
        TRY(clv_index_share_places(searcher->index, &worker->query[i], nearest, &worker->error));
    TRY(searcher->take(searcher->user, row, nearest, number, &worker->error));
    if (nearest->tied == 0)
        return OK;
    clv_nearest_free(nearest);
    return clv_searcher_result(searcher, nearest, &worker->error);
}

static Status search_rows(const Searcher *searcher, unsigned number, uint32_t first, uint32_t count)
{
    Worker *worker = searcher->worker[number];

    for (uint32_t i = 0; i < count; i++)
        TRY(set_query(searcher, &worker->query[i], first + i, &worker->error));
    TRY(clv_index_search(searcher->index, worker->query, worker->nearest, count, &worker->workspace,
                         &worker->error));
    for (uint32_t i = 0; i < count; i++)
        TRY(take_row(searcher, number, first + i, i));
    return OK;
}

static void search_piece(void *user, uint32_t piece, unsigned number)
{
    const Searcher *searcher = user;
    Worker *worker = searcher->worker[number];
    uint32_t first = piece * searcher->piece, left = searcher->queries->count - first;

    if (piece > 0)
        THEN(worker->status, clv_poll(searcher->context, &worker->error));
    THEN(worker->status,
         search_rows(searcher, number, first, left < searcher->piece ? left : searcher->piece));
}

static Status first_failure(Searcher *searcher, unsigned workers, cleave_error *error)
{
    Status status = OK;

    for (unsigned i = 0; i < workers; i++) {
        Worker *worker = searcher->worker[i];

        if (worker->status != OK && status == OK) {
            status = worker->status;
            if (error)
                *error = worker->error;
        }
        worker->status = OK;
    }
    return status;
}

/* The largest size of a piece with which every worker has a piece. */
static uint32_t piece_of(const Searcher *searcher, uint32_t rows)
{
    uint32_t fair = rows / searcher->workers + (rows % searcher->workers != 0);

    return fair < 1 ? 1 : fair < searcher->at_once ? fair : searcher->at_once;
}

Status clv_search_rows(Searcher *searcher, const QueryRows *queries, TakeNeighbors *take,
                       void *user, cleave_error *error)
{
    uint32_t piece = piece_of(searcher, queries->count),
             pieces = queries->count / piece + (queries->count % piece != 0);
    unsigned workers = pieces > 1 ? searcher->workers : 1;
    Status status, kept;

    TRY(make_workers(searcher, workers, piece, error));
    searcher->piece = piece;
    searcher->queries = queries;
    searcher->take = take;
    searcher->user = user;
    if (workers > 1)
        clv_pool_run(searcher->context, pieces, search_piece, searcher);
    else
        for (uint32_t i = 0; i < pieces && searcher->worker[0]->status == OK; i++)
            search_piece(searcher, i, 0);
    status = first_failure(searcher, workers, error);
    kept = workers > 1 ? clv_poll(searcher->context, status == OK ? error : NULL)
                       : OK; /* several workers: the pool has polled already */
    return status == OK ? kept : status;
}
