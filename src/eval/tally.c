/* Counts and keeps evaluated rows, and computes the metrics at the end of the data. */
#include "eval/tally.h"

#include "base/machine.h"
#include "eval/interval.h"

/* maximum number of classes for a confusion matrix, which takes 32 MB */
enum { MOST_CONFUSED = 2000 };
enum { MOST_THRESHOLDS = 1000 };
/* in bytes: 50 million rows of two classes */
#define MOST_KEPT ((size_t)50000000 * sizeof(RankedRow))

static bool is_regression(const Tally *tally)
{
    return tally->model->task == CLEAVE_TASK_REGRESSION;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static Status begin_classes(Tally *tally, cleave_error *error)
{
    Context *context = tally->context;
    size_t classes = tally->model->labels.count;

    tally->rows = clv_alloc_zero(context, classes, sizeof *tally->rows);
    tally->answers = clv_alloc_zero(context, classes, sizeof *tally->answers);
    tally->right = clv_alloc_zero(context, classes, sizeof *tally->right);
    tally->classes = clv_alloc_zero(context, classes, sizeof *tally->classes);
    if (!tally->rows || !tally->answers || !tally->right || !tally->classes)
        return clv_fail_memory(error, "counts of classes", classes * sizeof *tally->classes);
    if (classes <= MOST_CONFUSED) {
        TRY(ALLOC_ZERO(context, tally->confusion, (classes + 1) * (classes + 1),
                       "a confusion matrix", error));
    }
    if (cleave_model_has_probabilities(tally->model)) {
        TRY(ALLOC(context, tally->probabilities, classes, "probabilities", error));
    }
    return OK;
}

/* Whether the predictions are preferences. */
static Status find_kind(Tally *tally, cleave_error *error)
{
    const Method *method = tally->model->method;
    Status status;
    void *options;

    if (!method->inference->ranks)
        return OK;
    TRY(clv_new(tally->context, &options, 1, method->options_size, true, "options", error));
    status = clv_model_options(tally->model, options, error);
    tally->ranks_items = status == OK && method_predicts_preferences(method, options);
    clv_free(tally->context, options);
    return status;
}

Status clv_tally_begin(Tally *tally, const Model *model, bool allow_none, bool weighted,
                       cleave_error *error)
{
    size_t share = clv_memory_limit() / 8;

    *tally = (Tally){
        .context = model->context,
        .model = model,
        .allow_none = allow_none,
        .weighted = weighted,
        .sums = {.without_loss = true},
        .most_bytes = share < MOST_KEPT ? share : MOST_KEPT,
    };
    TRY(find_kind(tally, error));
    return is_regression(tally) ? OK : begin_classes(tally, error);
}

static void let_go(Tally *tally)
{
    Context *context = tally->context;

    FREE(context, tally->ranked, tally->scores, tally->labels, tally->targets, tally->weights);
    tally->ranked = NULL;
    tally->scores = NULL;
    tally->labels = NULL;
    tally->targets = NULL;
    tally->weights = NULL;
}

void clv_tally_free(Tally *tally)
{
    Context *context = tally->context;

    if (!context)
        return;
    let_go(tally);
    FREE(context, tally->rows, tally->answers, tally->right, tally->confusion, tally->probabilities,
         tally->classes, tally->thresholds);
}

/* ---- kept rows ------------------------------------------------------------------------------- */

/* The number of bytes kept for one row. */
static size_t row_size(const Tally *tally)
{
    size_t classes = tally->model->labels.count, weight = tally->weighted ? sizeof(float) : 0;

    if (is_regression(tally))
        return 2 * sizeof(double) + weight;
    return weight +
           (classes <= 2 ? sizeof(RankedRow) : classes * sizeof(double) + sizeof(uint32_t));
}

/* Reserves memory for more rows. If it is not available, no more rows are kept. */
static Status make_room(Tally *tally, size_t more, cleave_error *error)
{
    Context *context = tally->context;
    size_t rows = tally->kept + more, classes = tally->model->labels.count;

    if (rows > tally->most_bytes / row_size(tally) || rows > UINT32_MAX) {
        let_go(tally);
        tally->left_out = true;
        return OK;
    }
    if (tally->weighted)
        TRY(GROW(context, tally->weights, tally->weights_capacity, rows, error));
    if (is_regression(tally)) {
        TRY(GROW(context, tally->targets, tally->targets_capacity, rows, error));
        return GROW(context, tally->scores, tally->scores_capacity, rows, error);
    }
    if (classes <= 2)
        return GROW(context, tally->ranked, tally->ranked_capacity, rows, error);
    TRY(GROW(context, tally->labels, tally->labels_capacity, rows, error));
    return GROW(context, tally->scores, tally->scores_capacity, rows * classes, error);
}

static void keep_class(Tally *tally, uint32_t label, const double *scores, float weight)
{
    size_t classes = tally->model->labels.count, at = tally->kept;

    if (tally->left_out)
        return;
    if (tally->weighted)
        tally->weights[at] = weight;
    if (classes <= 2) {
        tally->ranked[at] = (RankedRow){scores[0], (uint32_t)at, label == tally->model->positive};
    } else {
        tally->labels[at] = label;
        memcpy(tally->scores + at * classes, scores, classes * sizeof *scores);
    }
    tally->kept++;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void weigh_probabilities(Tally *tally, uint32_t label, const double *scores, double weight)
{
    if (!tally->probabilities ||
        !clv_model_probabilities(tally->model, scores, tally->probabilities))
        return;
    clv_moments_add(&tally->log_loss, clv_log_loss(tally->probabilities[label]), weight);
    clv_moments_add(&tally->brier,
                    clv_brier(tally->probabilities, tally->model->labels.count, label), weight);
}

static void count_class(Tally *tally, uint32_t label, const double *scores, float given_weight)
{
    uint32_t classes = tally->model->labels.count;
    uint32_t answer = clv_evaluate_class(tally->model, label, scores, tally->allow_none,
                                         &tally->sums);
    double weight = tally->weighted ? (double)given_weight : 1;

    if (label == UNLABELED || !(weight > 0))
        return;
    tally->weight += weight;
    tally->weight_squares += weight * weight;
    if (answer < classes)
        tally->answers[answer] += weight;
    if (tally->confusion)
        tally->confusion[(size_t)(label < classes ? label : classes) * (classes + 1) +
                         (answer < classes ? answer : classes)] += weight;
    if (label >= classes)
        return;
    tally->rows[label] += weight;
    if (answer == label) {
        tally->right[label] += weight;
        tally->right_weight += weight;
    }
    tally->measured++;
    weigh_probabilities(tally, label, scores, weight);
    keep_class(tally, label, scores, given_weight);
}

static void count_number(Tally *tally, double target, double answer, float weight)
{
    clv_evaluate_number(tally->model, target, answer, &tally->sums);
    if (isnan(target) || (tally->weighted && !(weight > 0)))
        return;
    tally->measured++;
    if (tally->left_out)
        return;
    if (tally->weighted)
        tally->weights[tally->kept] = weight;
    tally->targets[tally->kept] = target;
    tally->scores[tally->kept++] = answer;
}

/* A row without a count is a choice, and a count of 0 is none. */
static Status count_ranks(Tally *tally, const Block *block, const double *numbers,
                          cleave_error *error)
{
    const Model *model = tally->model;

    TRY(GROW(tally->context, tally->scores, tally->scores_capacity, block->rows, error));
    TRY(model->method->inference->ranks(model, block, tally->scores, error));
    for (uint32_t row = 0; row < block->rows; row++) {
        if (block_number(block, row, numbers) == 0)
            continue;
        if (isnan(tally->scores[row]))
            tally->unranked++;
        else
            clv_moments_add(&tally->ranks, tally->scores[row], 1);
    }
    return OK;
}

Status clv_tally_block(Tally *tally, const Block *block, const double *numbers,
                       const double *scores, cleave_error *error)
{
    size_t outputs = outputs_of(tally->model->labels.count);

    if (tally->ranks_items)
        return count_ranks(tally, block, numbers, error);
    if (!tally->left_out)
        TRY(make_room(tally, block->rows, error));
    for (uint32_t row = 0; row < block->rows; row++) {
        if (is_regression(tally))
            count_number(tally, block_number(block, row, numbers), scores[row],
                         block_weight(block, row));
        else
            count_class(tally, block_label(block, row), scores + (size_t)row * outputs,
                        block_weight(block, row));
    }
    return OK;
}

/* ---- result ---------------------------------------------------------------------------------- */

/* The number of rows outside of the most frequent class. */
static double others_of(const Tally *tally)
{
    double all = 0, most = 0;

    for (size_t k = 0; k < tally->model->labels.count; k++) {
        all += tally->rows[k];
        most = fmax(most, tally->rows[k]);
    }
    return all - most;
}

static void measure_counts(Tally *tally, cleave_evaluation *facts)
{
    double spread = tally->weight > 0 ? tally->weight_squares / tally->weight : 1,
           n = tally->weight / spread;
    ClassCounts counts = {tally->model->labels.count, tally->rows, tally->answers, tally->right,
                          tally->confusion,           spread};
    ClassMetrics macro = clv_class_average(&counts, false),
                 weighted = clv_class_average(&counts, true);

    facts->accuracy = clv_share(tally->right_weight, tally->weight, n);
    facts->error_rate = clv_share(tally->weight - tally->right_weight, tally->weight, n);
    facts->macro_precision = macro.precision;
    facts->macro_recall = macro.recall;
    facts->macro_f1 = macro.f1;
    facts->weighted_precision = weighted.precision;
    facts->weighted_recall = weighted.recall;
    facts->weighted_f1 = weighted.f1;
    facts->log_loss = clv_probability_loss(&tally->log_loss, others_of(tally) / spread,
                                           (double)INFINITY);
    facts->brier = clv_probability_loss(&tally->brier, others_of(tally) / spread,
                                        counts.classes == 2 ? 1 : 2);
    for (size_t k = 0; k < counts.classes; k++) {
        ClassMetrics of_class = clv_class_metrics(&counts, k);

        tally->classes[k] = (cleave_class_metrics){
            .label = tally->model->labels.list[k].text,
            .rows = tally->rows[k],
            .predicted = tally->answers[k],
            .correct = tally->right[k],
            .precision = of_class.precision,
            .recall = of_class.recall,
            .f1 = of_class.f1,
            .roc_auc = NO_MEASURE,
            .average_precision = NO_MEASURE,
        };
    }
}

static void measure_area(Ranking *ranking, cleave_class_metrics *of_class)
{
    of_class->roc_auc = clv_roc_measure(ranking);
    of_class->average_precision = clv_pr_measure(ranking);
}

/* Computes the ranking metrics of both classes from the single score of each row. */
static Status measure_two(Tally *tally, cleave_evaluation *facts, cleave_error *error)
{
    uint32_t positive = tally->model->positive;
    Ranking ranking;

    clv_rank(&ranking, tally->ranked, tally->kept, tally->weights);
    measure_area(&ranking, &tally->classes[positive]);
    facts->roc_auc = tally->classes[positive].roc_auc;
    facts->average_precision = tally->classes[positive].average_precision;
    if (ranking.positives > 0 && ranking.negatives > 0) {
        TRY(ALLOC(tally->context, tally->thresholds, MOST_THRESHOLDS + 4, "thresholds", error));
        tally->threshold_count = clv_rank_thresholds(&ranking, MOST_THRESHOLDS, 0,
                                                     tally->thresholds);
    }
    if (tally->model->labels.count == 2) {
        clv_rank_reversed(&ranking);
        tally->classes[1 - positive].roc_auc = facts->roc_auc;
        tally->classes[1 - positive].average_precision = clv_pr_measure(&ranking);
    }
    return OK;
}

/* The mean of an area over the classes that have one. A row changes the areas of all classes, so
 * its influence is summed over the classes first. */
typedef struct {
    double sum, count;
    double fewest;     /* number of rows of the smallest ranked class */
    double *influence; /* influence of each row on the sum */
} AreaMean;

static void add_area(AreaMean *mean, double area, size_t fewest)
{
    if (isnan(area))
        return;
    mean->sum += area;
    mean->count++;
    mean->fewest = fmin(mean->fewest, (double)fewest);
}

static cleave_interval mean_area(AreaKind kind, const AreaMean *mean, size_t rows)
{
    double variance = 0, freedom = mean->count * (mean->fewest - 1);
    Interval sure;

    if (mean->count == 0)
        return NO_MEASURE;
    for (size_t i = 0; i < rows; i++)
        variance += mean->influence[i] * mean->influence[i] / (mean->count * mean->count);
    sure = clv_area(kind, mean->sum / mean->count, variance, mean->fewest, freedom);
    return (cleave_interval){sure.middle, sure.low, sure.high};
}

static void add_class(AreaMean *roc, AreaMean *pr, const cleave_class_metrics *of_class,
                      const Ranking *ranking)
{
    size_t fewer = ranking->positives < ranking->negatives ? ranking->positives
                                                           : ranking->negatives;

    if (fewer > 1)
        clv_roc_influence(ranking, of_class->roc_auc.value, roc->influence);
    if (ranking->positives > 0)
        clv_pr_influence(ranking, of_class->average_precision.value, pr->influence);
    add_area(roc, of_class->roc_auc.value, fewer);
    add_area(pr, of_class->average_precision.value, ranking->positives);
}

static Status measure_many(Tally *tally, cleave_evaluation *facts, cleave_error *error)
{
    size_t classes = tally->model->labels.count;
    RankedRow *ranked = clv_alloc(tally->context, tally->kept, sizeof *ranked);
    double *influence = clv_alloc_zero(tally->context, 2 * tally->kept, sizeof *influence);
    AreaMean roc = {.fewest = (double)INFINITY, .influence = influence}, pr = roc;
    Status status = OK;

    if (influence)
        pr.influence += tally->kept;
    if (!ranked || !influence)
        status = clv_fail_memory(error, "the scores of a class", tally->kept * sizeof *ranked);
    for (size_t k = 0; status == OK && k < classes; k++) {
        Ranking ranking;

        if (clv_cancelled(tally->context))
            status = clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
        for (size_t i = 0; i < tally->kept; i++)
            ranked[i] = (RankedRow){tally->scores[i * classes + k], (uint32_t)i,
                                    tally->labels[i] == k};
        clv_rank(&ranking, ranked, tally->kept, tally->weights);
        measure_area(&ranking, &tally->classes[k]);
        add_class(&roc, &pr, &tally->classes[k], &ranking);
    }
    if (status == OK) {
        facts->roc_auc = mean_area(AREA_ROC, &roc, tally->kept);
        facts->average_precision = mean_area(AREA_PR, &pr, tally->kept);
    }
    FREE(tally->context, ranked, influence);
    return status;
}

static void describe_sums(const Evaluation *sums, bool regression, cleave_evaluation *facts)
{
    facts->rows = sums->n;
    facts->unlabeled = sums->unlabeled;
    facts->errors = sums->errors;
    facts->abstained = sums->none;
    facts->unseen_label = sums->unseen_label;
    facts->rmse = facts->mae = facts->baseline_rmse = facts->r2 = (double)NAN;
    if (!regression || sums->n == 0)
        return;
    facts->rmse = clv_evaluation_error(sums, true);
    facts->mae = sums->abs_error / (double)sums->n;
    facts->baseline_rmse = sqrt(sums->target_spread / (double)sums->n);
    if (sums->target_spread > 0)
        facts->r2 = 1 - sums->squared_error / sums->target_spread;
}

static void measure_numbers(Tally *tally, cleave_evaluation *facts)
{
    RegressionMetrics found = clv_regression_metrics(tally->targets, tally->scores, tally->weights,
                                                     tally->kept);

    facts->rmse_interval = found.rmse;
    facts->mae_interval = found.mae;
    facts->r2_interval = found.r2;
    if (found.rescaled && !tally->weighted) {
        facts->rmse = found.rmse.value;
        facts->baseline_rmse = found.mean_rmse;
        facts->r2 = found.r2.value;
    }
}

static void measure_ranks(const Tally *tally, cleave_evaluation *facts)
{
    const Moments *ranks = &tally->ranks;
    double variance = ranks->squares / ranks->weight / (ranks->weight - 1);

    facts->rows = ranks->rows;
    facts->unranked = tally->unranked;
    if (ranks->rows)
        facts->mean_rank = clv_share_by_variance(ranks->mean, variance, ranks->weight);
}

Status clv_tally_end(Tally *tally, cleave_evaluation *facts, cleave_error *error)
{
    describe_sums(&tally->sums, is_regression(tally), facts);
    facts->accuracy = facts->error_rate = NO_MEASURE;
    facts->macro_precision = facts->macro_recall = facts->macro_f1 = NO_MEASURE;
    facts->weighted_precision = facts->weighted_recall = facts->weighted_f1 = NO_MEASURE;
    facts->roc_auc = facts->average_precision = facts->log_loss = facts->brier = NO_MEASURE;
    facts->rmse_interval = facts->mae_interval = facts->r2_interval = NO_MEASURE;
    facts->mean_rank = NO_MEASURE;
    if (tally->ranks_items) {
        measure_ranks(tally, facts);
        return OK;
    }
    facts->scored_rows = tally->measured;
    facts->scores_omitted = tally->left_out;
    if (!is_regression(tally))
        measure_counts(tally, facts);
    if (tally->left_out || tally->kept == 0)
        return OK;
    if (is_regression(tally)) {
        measure_numbers(tally, facts);
        return OK;
    }
    return tally->model->labels.count <= 2 ? measure_two(tally, facts, error)
                                           : measure_many(tally, facts, error);
}
