/* Predictions from the nearest points: votes and means, for one row or a block. */
#include "learn/neighbor/points.h"
#include "learn/neighbor/query.h"

#define TIE_BREAK 1e-9 /* resolves ties; far smaller than any difference of votes */

/* ALONE: only points at distance 0 have a weight. EQUALLY: the distance is ignored. */
typedef enum { BY_DISTANCE, ALONE, EQUALLY } Weighing;

/* The weight of the i-th of the sorted neighbors. Tied neighbors share their places. */
static double weigh(const Points *points, const Nearest *nearest, uint32_t i, Weighing weighing)
{
    Metric metric = clv_neighbor_metric(&points->options);
    double d = clv_metric_distance(&metric, nearest->item[i].key);
    double own = points->weight ? (double)points->weight[nearest->item[i].row] : 1;

    if (i >= nearest->count - nearest->tied)
        own *= (double)nearest->places / nearest->tied;
    if (weighing != BY_DISTANCE)
        return weighing == EQUALLY || d == 0 ? own : 0;
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

static bool weighs_inversely(const Points *points)
{
    return points->options.weight == WEIGHT_INVERSE || points->options.weight == WEIGHT_SQUARE;
}

static double sum_weights(const Points *points, const Nearest *nearest, Weighing weighing)
{
    double sum = 0;

    for (uint32_t i = 0; i < nearest->count; i++)
        sum += weigh(points, nearest, i, weighing);
    return sum;
}

/* The sum of the weights. If it is 0 or not finite, only the nearest neighbor counts. */
static double total_weight(const Points *points, const Nearest *nearest, Weighing *weighing)
{
    double sum;

    *weighing = weighs_inversely(points) && nearest->item[0].key == 0 ? ALONE : BY_DISTANCE;
    sum = sum_weights(points, nearest, *weighing);
    if (sum > 0 || nearest->tied < nearest->count)
        return sum;
    *weighing = EQUALLY; /* all weights are 0, and all neighbors are equally near */
    return sum_weights(points, nearest, *weighing);
}

/* The running mean, which stays within the range of the numbers. It is used for sums that overflow
 * a double. */
static double running_mean(const Points *points, const Nearest *nearest, Weighing weighing)
{
    double mean = 0, so_far = 0;

    for (uint32_t i = 0; i < nearest->count; i++) {
        double weight = weigh(points, nearest, i, weighing), share;

        if (!(weight > 0))
            continue;
        so_far += weight;
        share = weight / so_far;
        mean = mean * (1 - share) + points->number[nearest->item[i].row] * share;
    }
    return mean;
}

static double mean_of(const Points *points, const Nearest *nearest)
{
    Weighing weighing;
    double total = total_weight(points, nearest, &weighing), sum = 0;

    if (!(total > 0) || !isfinite(total))
        /* all weights underflow, or one dominates; the nearest point determines the result */
        return points->number[nearest->item[0].row];
    for (uint32_t i = 0; i < nearest->count; i++)
        sum += weigh(points, nearest, i, weighing) * points->number[nearest->item[i].row];
    return isfinite(sum) ? sum / total : running_mean(points, nearest, weighing);
}

static bool all_agree(const Points *points, const Nearest *nearest)
{
    for (uint32_t i = 1; i < nearest->count; i++)
        if (points->label[nearest->item[i].row] != points->label[nearest->item[0].row])
            return false;
    return true;
}

/* Whether several classes have the most votes; *first is the class of the nearest neighbor. */
static bool tied(const Points *points, const Nearest *nearest, const double *share, uint32_t *first)
{
    double most = 0;
    uint32_t with_most = 0;

    for (uint32_t c = 0; c < points->classes; c++)
        most = share[c] > most ? share[c] : most;
    for (uint32_t c = 0; c < points->classes; c++)
        with_most += share[c] >= most * (1 - 1e-12);
    for (uint32_t i = 0; i < nearest->count; i++) {
        *first = points->label[nearest->item[i].row];
        if (share[*first] >= most * (1 - 1e-12))
            break;
    }
    return with_most > 1;
}

static void vote(const Points *points, const Nearest *nearest, double *share, double *scores)
{
    uint32_t classes = points->classes, positive = points->positive;
    Weighing weighing;
    double total = total_weight(points, nearest, &weighing);
    uint32_t best = 0;

    memset(share, 0, classes * sizeof *share);
    if (points->options.vote == VOTE_AGREE && !all_agree(points, nearest)) {
        memset(scores, 0, outputs_of(classes) * sizeof *scores);
        return;
    }
    if (!(total > 0) || !isfinite(total))
        share[points->label[nearest->item[0].row]] = 1;
    else
        for (uint32_t i = 0; i < nearest->count; i++)
            share[points->label[nearest->item[i].row]] += weigh(points, nearest, i, weighing) /
                                                          total;
    if (tied(points, nearest, share, &best))
        share[best] += TIE_BREAK;
    if (classes > 2)
        memcpy(scores, share, classes * sizeof *scores);
    else
        scores[0] = classes == 2 ? share[positive] - share[1 - positive] : share[positive];
}

void clv_points_row_scores(const Points *points, const Nearest *nearest, double *share,
                           double *scores)
{
    if (points->classes == 0)
        scores[0] = mean_of(points, nearest);
    else
        vote(points, nearest, share, scores);
}

uint32_t clv_points_votes_to_win(const Points *points, const Nearest *nearest, uint32_t label,
                                 double *share)
{
    /* The row is at distance 0, and takes the position of the farthest neighbor. */
    Weighing weighing = weighs_inversely(points) ? ALONE : BY_DISTANCE;
    uint32_t others = nearest->count < nearest->most ? nearest->count : nearest->most - 1;
    double most = 0, votes;

    memset(share, 0, points->classes * sizeof *share);
    for (uint32_t i = 0; i < others; i++)
        share[points->label[nearest->item[i].row]] += weigh(points, nearest, i, weighing);
    for (uint32_t c = 0; c < points->classes; c++)
        most = c != label && share[c] > most ? share[c] : most;
    votes = floor(most - share[label]) + 1;
    return votes > nearest->most ? nearest->most : votes > 1 ? (uint32_t)votes : 1;
}

void clv_points_weights(const Points *points, const Nearest *nearest, double *weight, double *share)
{
    Weighing weighing;
    bool nearest_decides;
    double total;

    if (nearest->count == 0)
        return;
    total = total_weight(points, nearest, &weighing);
    nearest_decides = !(total > 0) || !isfinite(total);
    for (uint32_t i = 0; i < nearest->count; i++) {
        weight[i] = weigh(points, nearest, i, weighing);
        share[i] = nearest_decides ? i == 0 : weight[i] / total;
    }
}

/* ---- a block --------------------------------------------------------------------------------- */

typedef struct {
    const Points *points;
    double *scores;
    double *share; /* scratch space for the classes, per worker */
} Predictions;

static Status predict_row(void *user, uint32_t row, Nearest *nearest, unsigned worker,
                          cleave_error *error)
{
    const Predictions *predictions = user;
    const Points *points = predictions->points;

    /* a model has points, so this file is corrupt although its checksum is valid */
    if (nearest->count == 0) {
        clv_fail(error, CLEAVE_ERROR_FORMAT,
                 "the model is corrupt: its index contains none of its points");
        return clv_hint(error, CLEAVE_ERROR_FORMAT,
                        "train the model again, or restore an intact copy of the file");
    }
    clv_points_row_scores(points, nearest, predictions->share + (size_t)worker * points->classes,
                          predictions->scores + row * outputs_of(points->classes));
    return OK;
}

/* Votes of the classes, per worker. */
static Status new_votes(const Points *points, const Searcher *searcher, double **votes,
                        cleave_error *error)
{
    size_t count = (size_t)clv_searcher_workers(searcher) * points->classes + 1;

    return ALLOC(points->index->context, *votes, count, "votes", error);
}

static Status predict_block(const Points *points, Searcher *searcher, const Block *block,
                            double *scores, cleave_error *error)
{
    Predictions predictions = {.points = points, .scores = scores};
    Status status;

    TRY(new_votes(points, searcher, &predictions.share, error));
    status = clv_search_rows(searcher, &(QueryRows){.block = block, .count = block->rows},
                             predict_row, &predictions, error);
    clv_free(points->index->context, predictions.share);
    return status;
}

static Status new_searcher(Context *context, const Points *points, uint32_t rows, bool share_places,
                           Searcher **searcher, cleave_error *error)
{
    SearchLimits wanted = {.most = clv_neighbor_count(&points->options, points->vectors.count),
                           .limit = (double)INFINITY,
                           .share_places = share_places};

    return clv_searcher_new(context, points->index, &wanted, rows, searcher, error);
}

Status clv_points_predict(Context *context, const Points *points, const Block *block,
                          double *scores, cleave_error *error)
{
    Searcher *searcher;
    Status status;

    TRY(new_searcher(context, points, block->rows, true, &searcher, error));
    status = predict_block(points, searcher, block, scores, error);
    clv_searcher_free(searcher);
    return status;
}

/* ---- repeated calls on one thread ------------------------------------------------------------ */

typedef struct {
    Context *context;
    Points points;
    Searcher *searcher;
    double *votes;
} Session;

static void close_session(void *user)
{
    Session *session = user;

    if (!session)
        return;
    clv_searcher_free(session->searcher);
    clv_points_close(&session->points);
    clv_free(session->context, session->votes);
    clv_free(session->context, session);
}

static Status open_session(const Model *model, void **result, cleave_error *error)
{
    Session *session = clv_alloc_zero(model->context, 1, sizeof *session);
    Status status;

    *result = NULL;
    if (!session)
        return clv_fail_memory(error, "a search", sizeof *session);
    session->context = model->context;
    status = clv_points_open(model, &session->points, error);
    if (status != OK) {
        clv_free(model->context, session);
        return status;
    }
    status = clv_points_can_predict(&session->points, error);
    if (status == OK)
        status = new_searcher(model->context, &session->points, 1, true, &session->searcher, error);
    if (status == OK)
        status = new_votes(&session->points, session->searcher, &session->votes, error);
    if (status != OK) {
        close_session(session);
        return status;
    }
    *result = session;
    return OK;
}

static Status predict_in_session(void *user, const Block *block, double *scores,
                                 cleave_error *error)
{
    Session *session = user;
    Predictions predictions = {
        .points = &session->points, .scores = scores, .share = session->votes};

    return clv_search_rows(session->searcher, &(QueryRows){.block = block, .count = block->rows},
                           predict_row, &predictions, error);
}

const PredictSession clv_points_session = {
    .open = open_session, .predict = predict_in_session, .close = close_session};

/* ---- shards ---------------------------------------------------------------------------------- */

typedef struct {
    const Points *points;
    Found *found; /* `most` elements per row */
    uint32_t *counts;
    uint32_t most;
} Parts;

static Status list_row(void *user, uint32_t row, Nearest *nearest, unsigned worker,
                       cleave_error *error)
{
    const Parts *parts = user;

    (void)worker;
    (void)error;
    clv_points_found(parts->points, nearest, parts->found + (size_t)row * parts->most);
    parts->counts[row] = nearest->count;
    return OK;
}

Status clv_points_find_neighbors(const Model *model, const Block *block, uint32_t most,
                                 Found *found, uint32_t *counts, cleave_error *error)
{
    Points points;
    Parts parts = {.points = &points, .found = found, .counts = counts, .most = most};
    Searcher *searcher = NULL;
    Status status;

    TRY(clv_points_open(model, &points, error));
    status = clv_points_can_predict(&points, error);
    if (status == OK)
        status = new_searcher(model->context, &points, block->rows, false, &searcher, error);
    if (status == OK)
        status = clv_search_rows(searcher, &(QueryRows){.block = block, .count = block->rows},
                                 list_row, &parts, error);
    clv_searcher_free(searcher);
    clv_points_close(&points);
    return status;
}
