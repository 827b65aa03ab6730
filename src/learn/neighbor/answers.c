/* Answers made of the nearest points: votes and means, and the same for every row of a block on several threads. */
#include "base/pool.h"
#include "learn/neighbor/points.h"

#define NUDGE 1e-9 /* what decides between tied votes: far below any difference that votes can make */

/* What the i-th of the sorted neighbours counts; alone: only points at distance 0 do. */
static double weigh(const Points *points, const Nearest *nearest, uint32_t i, bool alone)
{
    Metric metric = clv_neighbor_metric(&points->options);
    double d = clv_metric_distance(&metric, nearest->item[i].key);
    double own = points->weight ? (double)points->weight[nearest->item[i].row] : 1;

    if (alone)
        return d == 0 ? own : 0;
    switch (points->options.weight) {
    case WEIGHT_INVERSE:
        return own / d;
    case WEIGHT_SQUARE:
        return own / (d * d);
    case WEIGHT_GAUSSIAN:
        return own * exp(-(d / points->options.sigma) * (d / points->options.sigma));
    default:
        return own;
    }
}

static double total_weight(const Points *points, const Nearest *nearest, bool *alone)
{
    bool inverse = points->options.weight == WEIGHT_INVERSE || points->options.weight == WEIGHT_SQUARE;
    double sum = 0;

    *alone = inverse && nearest->item[0].key == 0;
    for (uint32_t i = 0; i < nearest->count; i++)
        sum += weigh(points, nearest, i, *alone);
    return sum;
}

static double mean_of(const Points *points, const Nearest *nearest)
{
    bool alone;
    double total = total_weight(points, nearest, &alone), sum = 0;

    if (!(total > 0) || !isfinite(total))
        return points->number[nearest->item[0].row]; /* they vanish, or one is beyond all others: the nearest decides */
    for (uint32_t i = 0; i < nearest->count; i++)
        sum += weigh(points, nearest, i, alone) * points->number[nearest->item[i].row];
    return sum / total;
}

static bool all_agree(const Points *points, const Nearest *nearest)
{
    for (uint32_t i = 1; i < nearest->count; i++)
        if (points->label[nearest->item[i].row] != points->label[nearest->item[0].row])
            return false;
    return true;
}

/* Of the classes with the most votes, the one whose neighbour is nearest. */
static uint32_t winner(const Points *points, const Nearest *nearest, const double *share)
{
    double most = 0;

    for (uint32_t c = 0; c < points->classes; c++)
        most = share[c] > most ? share[c] : most;
    for (uint32_t i = 0; i < nearest->count; i++)
        if (share[points->label[nearest->item[i].row]] >= most * (1 - 1e-12))
            return points->label[nearest->item[i].row];
    return points->label[nearest->item[0].row];
}

static void vote(const Points *points, const Nearest *nearest, double *share, double *scores)
{
    uint32_t classes = points->classes, positive = points->positive;
    bool alone;
    double total = total_weight(points, nearest, &alone);
    uint32_t best;

    memset(share, 0, classes * sizeof *share);
    if (points->options.vote == VOTE_AGREE && !all_agree(points, nearest)) {
        memset(scores, 0, outputs_of(classes) * sizeof *scores);
        return;
    }
    if (!(total > 0) || !isfinite(total))
        share[points->label[nearest->item[0].row]] = 1;
    else
        for (uint32_t i = 0; i < nearest->count; i++)
            share[points->label[nearest->item[i].row]] += weigh(points, nearest, i, alone) / total;
    best = winner(points, nearest, share);
    share[best] += NUDGE;
    if (classes > 2)
        memcpy(scores, share, classes * sizeof *scores);
    else
        scores[0] = classes == 2 ? share[positive] - share[1 - positive] : share[positive];
}

void clv_points_answer(const Points *points, const Nearest *nearest, double *share, double *scores)
{
    if (points->classes == 0)
        scores[0] = mean_of(points, nearest);
    else
        vote(points, nearest, share, scores);
}

void clv_points_weights(const Points *points, const Nearest *nearest, double *weight, double *share)
{
    bool alone, nearest_decides;
    double total;

    if (nearest->count == 0)
        return;
    total = total_weight(points, nearest, &alone);
    nearest_decides = !(total > 0) || !isfinite(total);
    for (uint32_t i = 0; i < nearest->count; i++) {
        weight[i] = weigh(points, nearest, i, alone);
        share[i] = nearest_decides ? i == 0 : weight[i] / total;
    }
}

/* ---- a block ------------------------------------------------------------------------------------------------------- */

/* Rows that are asked about together, by one worker: enough for a structure to make something of it, as far as memory allows. */
enum { MOST_AT_ONCE = 96, MOST_NEIGHBORS_AT_ONCE = 1 << 20 };

typedef struct {
    Query query[MOST_AT_ONCE];
    Nearest nearest[MOST_AT_ONCE];
    double *share;
    SearchRoom room;
    Status status;
    cleave_error error;
} Worker;

typedef struct {
    const Points *points;
    const Block *block;
    double *scores;
    uint32_t at_once;
    Worker *worker;
} Asked;

static Status begin_worker(Worker *worker, Context *context, const Points *points, uint32_t at_once,
                           cleave_error *error)
{
    uint32_t k = clv_neighbor_count(&points->options, points->vectors.count);

    worker->room.context = context;
    worker->share = clv_alloc(context, (size_t)points->classes + 1, sizeof *worker->share);
    if (!worker->share)
        return clv_fail_memory(error, "votes", points->classes * sizeof *worker->share);
    for (uint32_t i = 0; i < at_once; i++) {
        worker->query[i].context = context;
        TRY(clv_nearest_init(&worker->nearest[i], context, k, error));
    }
    return OK;
}

static void end_worker(Worker *worker, Context *context)
{
    for (uint32_t i = 0; i < MOST_AT_ONCE; i++) {
        clv_query_free(&worker->query[i]);
        clv_nearest_free(&worker->nearest[i]);
    }
    clv_free(context, worker->share);
    clv_search_room_free(&worker->room);
}

static Status answer_rows(const Asked *asked, Worker *worker, uint32_t first, uint32_t count)
{
    const Points *points = asked->points;
    size_t outputs = points->classes ? outputs_of(points->classes) : 1;

    for (uint32_t i = 0; i < count; i++)
        TRY(clv_query_set(&worker->query[i], asked->block, first + i, points->vectors.features, &worker->error));
    TRY(clv_index_search(points->index, worker->query, worker->nearest, count, &worker->room, &worker->error));
    for (uint32_t i = 0; i < count; i++)
        clv_points_answer(points, &worker->nearest[i], worker->share, asked->scores + (first + i) * outputs);
    return OK;
}

static void answer_piece(void *user, uint32_t piece, unsigned number)
{
    const Asked *asked = user;
    Worker *worker = &asked->worker[number];
    uint32_t first = piece * asked->at_once, left = asked->block->rows - first;

    if (worker->status == OK)
        worker->status = answer_rows(asked, worker, first, left < asked->at_once ? left : asked->at_once);
}

static uint32_t rows_at_once(const Points *points)
{
    uint32_t k = clv_neighbor_count(&points->options, points->vectors.count), rows = MOST_NEIGHBORS_AT_ONCE / (k + 1);

    return rows < 1 ? 1 : rows > MOST_AT_ONCE ? MOST_AT_ONCE : rows;
}

static Status first_failure(const Worker *worker, unsigned workers, cleave_error *error)
{
    for (unsigned i = 0; i < workers; i++)
        if (worker[i].status != OK) {
            if (error)
                *error = worker[i].error;
            return worker[i].status;
        }
    return OK;
}

Status clv_points_predict(Context *context, const Points *points, const Block *block, double *scores,
                          cleave_error *error)
{
    uint32_t at_once = rows_at_once(points), pieces = block->rows / at_once + (block->rows % at_once != 0);
    unsigned workers = clv_pool_workers(context, pieces);
    Asked asked = {.points = points, .block = block, .scores = scores, .at_once = at_once};
    Status status = OK;

    asked.worker = clv_alloc_zero(context, workers, sizeof *asked.worker);
    if (!asked.worker)
        return clv_fail_memory(error, "a search", workers * sizeof *asked.worker);
    for (unsigned i = 0; i < workers && status == OK; i++)
        status = begin_worker(&asked.worker[i], context, points, at_once, error);
    if (status == OK) {
        clv_pool_run(context, pieces, answer_piece, &asked);
        status = first_failure(asked.worker, workers, error);
    }
    for (unsigned i = 0; i < workers; i++)
        end_worker(&asked.worker[i], context);
    clv_free(context, asked.worker);
    return status;
}
