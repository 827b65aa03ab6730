#include "active/uncertainty.h"

#include "active/row_selection.h"
#include "base/pool.h"

typedef struct {
    const UncertaintyPlan *plan;
    Dataset *rows;
    double *utility;
    _Atomic int failure;
} Scoring;

double clv_margin(const double *scores, size_t outputs)
{
    double best = -INFINITY, second = -INFINITY;

    if (outputs == 1)
        return fabs(scores[0]);
    for (size_t i = 0; i < outputs; i++) {
        if (scores[i] > best) {
            second = best;
            best = scores[i];
        } else if (scores[i] > second) {
            second = scores[i];
        }
    }
    return best - second;
}

static double entropy_of(const double *shares, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (shares[i] > 0)
            sum -= shares[i] * log(shares[i]);
    return sum;
}

/* Without probabilities, the logistic or softmax function of the scores takes their place. */
static void probabilities_of(const Model *model, const double *scores, double *probabilities)
{
    uint32_t classes = model->labels.count;
    double sum = 0, highest = -INFINITY;

    if (clv_model_probabilities(model, scores, probabilities))
        return;
    if (classes == 2) {
        probabilities[1] = 1 / (1 + exp(-scores[0]));
        probabilities[0] = 1 - probabilities[1];
        return;
    }
    for (uint32_t i = 0; i < classes; i++)
        highest = fmax(highest, scores[i]);
    for (uint32_t i = 0; i < classes; i++)
        sum += probabilities[i] = exp(scores[i] - highest);
    for (uint32_t i = 0; i < classes; i++)
        probabilities[i] /= sum;
}

/* ---- one model ------------------------------------------------------------------------------- */

static Status score_rows(const Scoring *scoring, const Block *block, uint64_t first)
{
    const UncertaintyPlan *plan = scoring->plan;
    const Model *model = plan->models[0];
    Context *context = model->context;
    size_t outputs = outputs_of(model->labels.count);
    bool entropy = plan->strategy == STRATEGY_ENTROPY;
    double *scores = NULL, *probabilities = NULL;
    Status status = ALLOC(context, scores, block->rows * outputs, "scores", NULL);

    THEN(status, ALLOC(context, probabilities, model->labels.count, "probabilities", NULL));
    THEN(status, model->method->inference->predict(model, block, scores, NULL));
    for (uint32_t row = 0; status == OK && row < block->rows; row++) {
        const double *own = scores + row * outputs;

        if (entropy)
            probabilities_of(model, own, probabilities);
        scoring->utility[first + row] = entropy ? entropy_of(probabilities, model->labels.count)
                                                : -clv_margin(own, outputs);
    }
    FREE(context, scores, probabilities);
    return status;
}

/* ---- committee ------------------------------------------------------------------------------- */

/* Adds the votes of a member, by class of the first model, whose classes include its own. */
static Status add_votes(const Model *first, const Model *member, const Block *block, double *scores,
                        double *votes)
{
    size_t outputs = outputs_of(member->labels.count), classes = first->labels.count;

    TRY(member->method->inference->predict(member, block, scores, NULL));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = clv_model_decide(member, scores + row * outputs, false);
        const char *text = label == UNLABELED ? NULL : member->labels.list[label].text;

        label = text ? clv_labels_find(&first->labels, text, strlen(text)) : UNLABELED;
        if (label != UNLABELED)
            votes[row * classes + label]++;
    }
    return OK;
}

/* Entropy of the votes; the margin of the model of all labels decides between equal ones. */
static Status vote_rows(const Scoring *scoring, const Block *block, uint64_t first)
{
    const UncertaintyPlan *plan = scoring->plan;
    const Model *model = plan->models[0];
    Context *context = model->context;
    size_t classes = model->labels.count, outputs = outputs_of(model->labels.count), members = 0;
    double *scores = NULL, *votes = NULL;
    Status status = ALLOC(context, scores, block->rows * classes, "scores", NULL);

    THEN(status, ALLOC_ZERO(context, votes, block->rows * classes, "votes", NULL));
    for (size_t i = 1; i < plan->model_count; i++)
        if (plan->models[i]) {
            members++;
            THEN(status, add_votes(model, plan->models[i], block, scores, votes));
        }
    THEN(status, model->method->inference->predict(model, block, scores, NULL));
    for (uint32_t row = 0; status == OK && row < block->rows; row++) {
        double margin = clv_margin(scores + row * outputs, outputs), *own = votes + row * classes;

        for (size_t i = 0; i < classes && members; i++)
            own[i] /= (double)members;
        scoring->utility[first + row] = entropy_of(own, classes) - 1e-3 * margin / (1 + margin);
    }
    FREE(context, scores, votes);
    return status;
}

/* ---- all rows -------------------------------------------------------------------------------- */

static void score_block(void *user, uint32_t task, unsigned worker)
{
    Scoring *scoring = user;
    uint64_t first = scoring->rows->block[task].first_row;
    Block block;
    Status status = clv_dataset_block(scoring->rows, task, &block, NULL);

    (void)worker;
    if (scoring->plan->strategy == STRATEGY_COMMITTEE)
        THEN(status, vote_rows(scoring, &block, first));
    else
        THEN(status, score_rows(scoring, &block, first));
    if (status != OK)
        scoring->failure = status;
}

/* u sqrt(t) (1 - s) with the uncertainty u = 1 / (1 + margin / mean margin). */
static void weigh_by_density(const UncertaintyPlan *plan, double *utility)
{
    uint32_t count = plan->pool->count;
    double mean = 0;

    for (uint32_t row = 0; row < count; row++)
        mean -= utility[row] / (double)count;
    for (uint32_t row = 0; row < count; row++) {
        double margin = mean > 0 ? -utility[row] / mean : 0;

        utility[row] = sqrt(fmax(0, plan->pool->typical[row])) *
                       fmax(0, 1 - plan->similarity[row]) / (1 + margin);
    }
}

Status clv_uncertainty(Context *context, const UncertaintyPlan *plan, double *utility,
                       cleave_error *error)
{
    Scoring scoring = {
        .plan = plan, .rows = clv_active_pool_features(plan->pool), .utility = utility};

    clv_pool_run(context, scoring.rows->blocks, score_block, &scoring);
    if (scoring.failure != OK)
        return clv_fail(error, (cleave_code)scoring.failure, "the pool cannot be predicted");
    if (plan->strategy == STRATEGY_DENSITY)
        weigh_by_density(plan, utility);
    return OK;
}
