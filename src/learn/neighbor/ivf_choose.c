/*
 * Chooses the effort of inverted lists. Some points are the queries of a sample. They are hidden
 * from the searches, like new queries; the scan finds their true neighbors. With many compared
 * points, the reach grows until the recall suffices. Then fewer compared points are tried, with the
 * same or a slightly larger reach. The cheapest pair in visited blocks and compared points is
 * chosen, so the choice does not depend on the machine.
 */
#include "learn/neighbor/ivf.h"
#include "learn/neighbor/query.h"

extern const IndexKind clv_index_scan;

enum {
    QUERIES = 600,
    QUERY_CELLS = 1 << 22, /* number of values of all queries */
    STEPS = 8              /* maximum steps of the reach, for fewer compared points */
};
#define DEFAULT_RECALL 0.95
#define REACH_STEP 0.025F
#define ERRORS 3 /* standard errors between the recall of the trials and the target */
#define MOST_REACH 1.5F

typedef struct {
    const Index *index;
    uint32_t queries, most;
    float *values;       /* values of the queries */
    uint64_t *others;    /* a bit per point that is not a query */
    double *farthest;    /* per query: key of the last true neighbor */
    uint32_t *neighbors; /* per query: number of true neighbors */
    float *found;        /* per query: the fraction found */
    uint64_t *blocks;    /* per query: number of visited blocks */
    double recall, error, cost;
} Trials;

static uint32_t query_row(const Trials *trials, uint32_t query)
{
    return (uint32_t)((uint64_t)query * trials->index->vectors.count / trials->queries);
}

static Status take_truth(void *user, uint32_t query, Nearest *nearest, unsigned worker,
                         cleave_error *error)
{
    Trials *trials = user;

    (void)worker;
    (void)error;
    trials->neighbors[query] = nearest->count;
    trials->farthest[query] = nearest->count ? nearest->item[nearest->count - 1].key : 0;
    return OK;
}

static Status take_found(void *user, uint32_t query, Nearest *nearest, unsigned worker,
                         cleave_error *error)
{
    Trials *trials = user;
    uint32_t found = 0;

    (void)worker;
    (void)error;
    for (uint32_t i = 0; i < nearest->count; i++)
        found += nearest->item[i].key <= trials->farthest[query];
    trials->found[query] = trials->neighbors[query]
                               ? fminf(1, (float)found / (float)trials->neighbors[query])
                               : 1;
    trials->blocks[query] = nearest->leaves;
    return OK;
}

static Status search_all(Trials *trials, const Index *index, TakeNeighbors *take,
                         cleave_error *error)
{
    SearchLimits limits = {.most = trials->most, .limit = (double)INFINITY, .only = trials->others};
    QueryRows rows = {.values = trials->values, .count = trials->queries};
    Searcher *searcher;
    Status status;

    TRY(clv_searcher_new(index->context, index, &limits, rows.count, &searcher, error));
    status = clv_search_rows(searcher, &rows, take, trials, error);
    clv_searcher_free(searcher);
    return status;
}

/* Sets the recall, its standard error, and the cost in nanoseconds on a typical machine. */
static Status try_effort(Trials *trials, IvfEffort effort, cleave_error *error)
{
    Index index = *trials->index;
    Ivf ivf = *(const Ivf *)index.parts;
    double sum = 0, squares = 0, blocks = 0, n = trials->queries;

    ivf.effort = effort;
    index.parts = &ivf;
    TRY(search_all(trials, &index, take_found, error));
    for (uint32_t i = 0; i < trials->queries; i++) {
        double found = (double)trials->found[i];

        sum += found;
        squares += found * found;
        blocks += (double)trials->blocks[i];
    }
    trials->recall = sum / n;
    trials->error = sqrt(fmax(squares / n - trials->recall * trials->recall, 0) / n);
    trials->cost = blocks / n * (20 + 1.6 * (double)ivf.parts) +
                   (double)effort.share * trials->most * (150 + (double)ivf.features);
    return OK;
}

static bool suffices(const Trials *trials)
{
    double wanted = trials->index->options.recall;

    return trials->recall - ERRORS * trials->error >= (wanted > 0 ? wanted : DEFAULT_RECALL);
}

/* Increases *reach to the smallest value with the target recall. Returns in *enough whether one was
 * found within `steps` steps. */
static Status find_reach(Trials *trials, float share, int steps, float *reach, bool *enough,
                         cleave_error *error)
{
    for (*enough = false; steps > 0 && *reach <= MOST_REACH; steps--, *reach += REACH_STEP) {
        TRY(try_effort(trials, (IvfEffort){*reach, share}, error));
        *enough = suffices(trials);
        if (*enough)
            return OK;
    }
    return OK;
}

/* Chooses the effort by trials. Trials that compare all points have recall 1 for any reach, and do
 * not show which reach suffices for fewer neighbors or for more points. In this case the index
 * always compares all points. */
static Status find_effort(Trials *trials, IvfEffort *effort, cleave_error *error)
{
    static const float many[] = {8, 32, 128}, fewer[] = {6, 4.5F, 3.5F, 2.5F, 2, 1.5F, 1.2F};
    float least = REACH_STEP;
    double cost;
    bool enough = false;

    *effort = (IvfEffort){MOST_REACH, IVF_MOST_SHARE};
    for (size_t i = 0; i < sizeof many / sizeof *many && !enough; i++) {
        float reach = least;

        if (ivf_compares_all(many[i], trials->most, trials->index->built))
            return OK;
        TRY(find_reach(trials, many[i], INT32_MAX, &reach, &enough, error));
        if (enough) {
            *effort = (IvfEffort){reach, many[i]};
            least = reach;
        }
    }
    cost = trials->cost;
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer && enough; i++) {
        float reach = least;

        TRY(find_reach(trials, fewer[i], STEPS, &reach, &enough, error));
        if (enough && trials->cost < cost) {
            *effort = (IvfEffort){reach, fewer[i]};
            cost = trials->cost;
        }
    }
    return OK;
}

static Status find_truth(Trials *trials, cleave_error *error)
{
    const Vectors *vectors = &trials->index->vectors;
    Index scan = *trials->index;

    scan.kind = &clv_index_scan;
    scan.parts = NULL;
    memset(trials->others, 255, ((size_t)vectors->count / 64 + 1) * sizeof *trials->others);
    for (uint32_t i = 0; i < trials->queries; i++) {
        float *to = trials->values + (size_t)i * vectors->features;
        uint32_t row = query_row(trials, i);

        trials->others[row / 64] &= ~((uint64_t)1 << (row % 64));
        if (vectors->dense)
            memcpy(to, dense_row(vectors, row), vectors->features * sizeof *to);
        else
            spread_row(vectors, row, to);
    }
    return search_all(trials, &scan, take_truth, error);
}

Status clv_ivf_choose(const Index *index, IvfEffort *effort, cleave_error *error)
{
    Context *context = index->context;
    uint32_t count = index->vectors.count, features = index->vectors.features,
             fit = QUERY_CELLS / features + 1;
    Trials trials = {.index = index,
                     .queries = count / 4 < QUERIES ? count / 4 + 1 : QUERIES,
                     .most = count < IVF_NEIGHBORS ? count : IVF_NEIGHBORS};
    Status status;

    trials.queries = trials.queries < fit ? trials.queries : fit;
    status = ALLOC(context, trials.values, (size_t)trials.queries * features, "a sample", error);
    if (status == OK)
        status = ALLOC(context, trials.others, (size_t)count / 64 + 1, "a sample", error);
    if (status == OK)
        status = ALLOC(context, trials.farthest, trials.queries, "a sample", error);
    if (status == OK)
        status = ALLOC(context, trials.neighbors, trials.queries, "a sample", error);
    if (status == OK)
        status = ALLOC(context, trials.found, trials.queries, "a sample", error);
    if (status == OK)
        status = ALLOC(context, trials.blocks, trials.queries, "a sample", error);
    if (status == OK)
        status = find_truth(&trials, error);
    if (status == OK)
        status = find_effort(&trials, effort, error);
    FREE(context, trials.values, trials.others, trials.farthest, trials.neighbors, trials.found,
         trials.blocks);
    return status;
}
