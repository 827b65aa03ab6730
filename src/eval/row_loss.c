/* The table of metrics, their values over rows and folds, and the losses of rows. */
#include "eval/row_loss.h"

#include "data/block.h"
#include "eval/interval.h"
#include "eval/metrics.h"
#include "eval/ranking.h"

#include <stdio.h>
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

/* X(id, name, title, further fields) */
#define METRICS(X)                                                                                 \
    X(ACCURACY, "accuracy", "accuracy", .facts.higher_is_better = true, .facts.percent = true)     \
    X(ERROR, "error", "error", .facts.percent = true)                                              \
    X(F1, "f1", "F1", .facts.higher_is_better = true, .binary = true, .of_folds = true,            \
      .of_positive = true)                                                                         \
    X(MACRO_F1, "macro-f1", "macro F1", .facts.higher_is_better = true, .of_folds = true)          \
    X(AUC, "auc", "AUC", .facts.higher_is_better = true, .of_folds = true, .ranks = true)          \
    X(AVERAGE_PRECISION, "average-precision", "average precision", .facts.higher_is_better = true, \
      .binary = true, .of_folds = true, .of_positive = true, .ranks = true)                        \
    X(LOG_LOSS, "log-loss", "log loss", .probabilities = true)                                     \
    X(RMSE, "rmse", "RMSE", .regression = true)                                                    \
    X(MAE, "mae", "MAE", .regression = true)

#define ENTRY(number, text, heading, ...)                                                          \
    [METRIC_##number] = {                                                                          \
        .facts.name = (text), .facts.title = (heading), .id = METRIC_##number, __VA_ARGS__},
#define ONLY_NAME(number, text, ...) [METRIC_##number] = (text),

static const RowMetric metrics[METRIC_COUNT] = {METRICS(ENTRY)};

const char *const clv_metric_names[METRIC_COUNT + 1] = {[METRIC_AUTO] = "auto", METRICS(ONLY_NAME)};

static bool suits(const RowMetric *metric, bool regression, uint64_t classes)
{
    return metric->regression == regression && (!metric->binary || classes <= 2);
}

Status clv_metric_choose(int id, bool regression, uint64_t classes, const RowMetric **metric,
                         cleave_error *error)
{
    char list[200] = "";
    size_t used = 0;

    if (id == METRIC_AUTO)
        id = regression ? METRIC_RMSE : METRIC_ERROR;
    *metric = &metrics[id];
    if (suits(*metric, regression, classes))
        return OK;
    if ((*metric)->regression != regression)
        clv_fail(error, CLEAVE_ERROR_USAGE, "--metric %s is a metric for %s, and the task is %s",
                 (*metric)->facts.name, regression ? "classification" : "regression",
                 regression ? "regression" : "classification");
    else
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--metric %s requires two classes, and the data has %llu", (*metric)->facts.name,
                 (unsigned long long)classes);
    for (int i = METRIC_AUTO + 1; i < METRIC_COUNT; i++)
        if (suits(&metrics[i], regression, classes))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     metrics[i].facts.name);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "use one of these metrics: %s", list);
}

Status clv_metric_undefined(const RowMetric *metric, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "use fewer --folds, or another --metric",
                         "--metric %s is undefined in every fold: no fold has rows of all classes",
                         metric->facts.name);
}

/* ---- sums ------------------------------------------------------------------------------------ */

void clv_metric_add(MetricSums *sums, double loss)
{
    sums->n++;
    sums->loss += loss;
    sums->squares += loss * loss;
    sums->worth++;
}

void clv_metric_pool(MetricPool *pool, const MetricSums *fold)
{
    double n = (double)fold->n, mean = fold->loss / n;

    if (fold->n == 0)
        return;
    pool->fewest = pool->folds ? fmin(pool->fewest, fold->worth) : fold->worth;
    pool->folds++;
    pool->all.n += fold->n;
    pool->all.loss += fold->loss;
    pool->all.squares += fold->squares;
    pool->all.worth += fold->worth;
    pool->mean += mean;
    pool->variance += fmax(fold->squares / n - mean * mean, 0) / n;
}

double clv_metric_loss(const RowMetric *metric, const MetricPool *pool)
{
    double mean = metric->of_folds ? pool->mean / pool->folds
                                   : pool->all.loss / (double)pool->all.n;

    return pool->folds == 0 ? (double)NAN : metric->id == METRIC_RMSE ? sqrt(mean) : mean;
}

double clv_metric_fold_loss(const RowMetric *metric, const MetricSums *fold)
{
    MetricPool pool = {0};

    clv_metric_pool(&pool, fold);
    return clv_metric_loss(metric, &pool);
}

double clv_metric_value(const RowMetric *metric, double loss)
{
    return metric->facts.higher_is_better ? 1 - loss : loss;
}

cleave_interval clv_metric_within(const RowMetric *metric, double loss, double low, double high)
{
    bool share = metric->of_folds || metric->facts.percent;

    low = isnan(low) ? low : fmax(low, 0);
    high = share && high > 1 ? 1 : high;
    if (metric->facts.higher_is_better)
        return (cleave_interval){1 - loss, 1 - high, 1 - low};
    return (cleave_interval){loss, low, high};
}

/* The interval of F1: Wilson's for the effective number of rows, after four pseudo-rows (Agresti
 * and Coull 1998). */
static Interval share_interval(double share, double variance, double worth)
{
    double smoothed = (share * worth + 2) / (worth + 4), spread = smoothed * (1 - smoothed);
    double n = spread / (variance + (spread - share * (1 - share)) / worth);

    return clv_wilson(share * n, n);
}

/* The interval of the mean over folds of a value per fold. */
static Interval fold_interval(const RowMetric *metric, const MetricPool *pool, double repeats)
{
    double folds = pool->folds, loss = pool->mean / folds,
           variance = repeats * pool->variance / (folds * folds);
    double worth = pool->all.worth / repeats;
    Interval area;

    if (pool->fewest <
        (metric->id == METRIC_AVERAGE_PRECISION ? INTERVAL_ROWS : INTERVAL_RANKED_ROWS))
        return (Interval){loss, (double)NAN, (double)NAN};
    if (!metric->ranks)
        return share_interval(loss, variance, worth);
    area = clv_area(metric->id == METRIC_AUC ? AREA_ROC : AREA_PR, 1 - loss, variance, worth,
                    worth - folds);
    return (Interval){loss, 1 - area.high, 1 - area.low};
}

static Interval loss_interval(const RowMetric *metric, const MetricPool *pool, double repeats)
{
    double loss = pool->all.loss / repeats, squares = pool->all.squares / repeats,
           n = (double)pool->all.n / repeats;

    if (metric->of_folds)
        return fold_interval(metric, pool, repeats);
    if (metric->facts.percent)
        return clv_wilson(loss, n);
    if (metric->id == METRIC_RMSE)
        return clv_root_mean(loss, squares, n);
    if (metric->probabilities &&
        (pool->all.worth / repeats < INTERVAL_CLASS_ROWS || n < INTERVAL_LOG_LOSS_ROWS))
        return (Interval){loss / n, (double)NAN, (double)NAN};
    return clv_positive_mean(loss / n, (squares / n - loss / n * (loss / n)) / (n - 1), n);
}

cleave_interval clv_metric_measure(const RowMetric *metric, const MetricPool *pool, double repeats)
{
    Interval sure;

    if (pool->folds == 0)
        return NO_MEASURE;
    sure = loss_interval(metric, pool, repeats);
    return clv_metric_within(metric, sure.middle, sure.low, sure.high);
}

cleave_interval clv_metric_fold_measure(const RowMetric *metric, const MetricSums *fold)
{
    MetricPool pool = {0};

    clv_metric_pool(&pool, fold);
    return clv_metric_measure(metric, &pool, 1);
}

void clv_metric_moments(const RowMetric *metric, const MetricPool *pool, double *mean,
                        double *variance)
{
    double n = (double)pool->all.n, folds = pool->folds, worth = fmax(pool->all.worth, 1);

    *mean = metric->of_folds ? pool->mean / folds : pool->all.loss / n;
    *variance = metric->of_folds ? pool->variance / (folds * folds)
                                 : fmax(pool->all.squares / n - *mean * *mean, 0) / n;
    if (metric->facts.percent || (metric->of_folds && !(*variance > 0))) {
        *mean = (*mean * worth + 1) / (worth + 2);
        *variance = *mean * (1 - *mean) / worth;
    }
}

/* ---- values of a fold ------------------------------------------------------------------------ */

static size_t scores_of(const FoldPredictions *predictions)
{
    return predictions->classes <= 2 ? 1 : predictions->classes;
}

Status clv_fold_predictions_add(FoldPredictions *predictions, uint64_t row, uint32_t truth,
                                uint32_t answer, const double *scores, cleave_error *error)
{
    Context *context = predictions->context;
    size_t at = predictions->count, each = scores_of(predictions);

    TRY(GROW(context, predictions->truth, predictions->truth_capacity, at + 1, error));
    TRY(GROW(context, predictions->answer, predictions->answer_capacity, at + 1, error));
    TRY(GROW(context, predictions->row, predictions->row_capacity, at + 1, error));
    predictions->truth[at] = truth;
    predictions->answer[at] = answer;
    predictions->row[at] = row;
    if (predictions->metric->ranks) {
        TRY(GROW(context, predictions->scores, predictions->score_capacity, (at + 1) * each,
                 error));
        memcpy(predictions->scores + at * each, scores, each * sizeof *scores);
    }
    predictions->count++;
    return OK;
}

void clv_fold_predictions_free(FoldPredictions *predictions)
{
    if (!predictions->context)
        return;
    FREE(predictions->context, predictions->truth, predictions->answer, predictions->row,
         predictions->scores);
    *predictions = (FoldPredictions){0};
}

/* A value, the influence of each row on it, and the effective number of rows. */
typedef struct {
    double value, worth;
    double *influence;
} FoldValue;

/* ---- F1 */

static Status count_classes(const FoldPredictions *predictions, ClassCounts *counts,
                            double **numbers, cleave_error *error)
{
    size_t classes = predictions->classes;

    for (size_t i = 0; i < predictions->count; i++)
        if (predictions->truth[i] >= classes)
            classes = (size_t)predictions->truth[i] + 1;
    TRY(ALLOC_ZERO(predictions->context, *numbers, 3 * classes, "counts of classes", error));
    for (size_t i = 0; i < predictions->count; i++) {
        uint32_t truth = predictions->truth[i], answer = predictions->answer[i];

        (*numbers)[truth]++;
        if (answer < classes)
            (*numbers)[classes + answer]++;
        if (answer == truth)
            (*numbers)[2 * classes + truth]++;
    }
    *counts = (ClassCounts){.classes = classes,
                            .rows = *numbers,
                            .answers = *numbers + classes,
                            .right = *numbers + 2 * classes,
                            .spread = 1};
    return OK;
}

static void f1_of_positive(const FoldPredictions *predictions, const ClassCounts *counts,
                           FoldValue *value)
{
    uint32_t positive = predictions->positive;

    value->value = clv_class_metrics(counts, positive).f1.value;
    value->worth = counts->rows[positive] + counts->answers[positive] - counts->right[positive];
    for (size_t i = 0; i < predictions->count; i++)
        value->influence[i] = clv_f1_influence(counts, positive, predictions->truth[i],
                                               predictions->answer[i]);
}

static void f1_of_all(const FoldPredictions *predictions, const ClassCounts *counts,
                      FoldValue *value)
{
    double there = 0, thinness = 0;
    bool few = false;

    for (size_t k = 0; k < counts->classes; k++) {
        double rows = counts->rows[k] > 0 ? counts->rows[k] : counts->answers[k];

        there += rows > 0;
        thinness += rows > 0 ? 1 / rows : 0;
        few = few || fmin(counts->rows[k], counts->answers[k]) < INTERVAL_RANKED_ROWS;
    }
    value->value = clv_class_average(counts, false).f1.value;
    value->worth = few ? 0 : there * there / thinness;
    for (size_t i = 0; i < predictions->count; i++) {
        uint32_t truth = predictions->truth[i], answer = predictions->answer[i];
        double sum = clv_f1_influence(counts, truth, truth, answer);

        if (answer != truth && answer < counts->classes)
            sum += clv_f1_influence(counts, answer, truth, answer);
        value->influence[i] = sum / there;
    }
}

static Status find_f1(const FoldPredictions *predictions, FoldValue *value, cleave_error *error)
{
    ClassCounts counts;
    double *numbers;

    TRY(count_classes(predictions, &counts, &numbers, error));
    if (predictions->metric->id == METRIC_F1)
        f1_of_positive(predictions, &counts, value);
    else
        f1_of_all(predictions, &counts, value);
    clv_free(predictions->context, numbers);
    return OK;
}

/* ---- areas below curves */

/* Adds the area of a class against all others to the value; *areas counts the areas that are
 * defined. */
static void add_area(const FoldPredictions *predictions, uint32_t number, RankedRow *rows,
                     FoldValue *value, double *areas)
{
    size_t each = scores_of(predictions);
    bool precision = predictions->metric->id == METRIC_AVERAGE_PRECISION;
    double area, worth;
    Ranking ranking;

    for (size_t i = 0; i < predictions->count; i++)
        rows[i] = (RankedRow){predictions->scores[i * each + (each > 1 ? number : 0)], (uint32_t)i,
                              predictions->truth[i] == number};
    clv_rank(&ranking, rows, predictions->count, NULL);
    if (ranking.positives == 0 || (!precision && ranking.negatives == 0))
        return;
    area = precision ? clv_pr_area(&ranking) : clv_roc_area(&ranking);
    worth = (double)(precision || ranking.positives < ranking.negatives ? ranking.positives
                                                                        : ranking.negatives);
    if (precision)
        clv_pr_influence(&ranking, area, value->influence);
    else if (ranking.positives > 1 && ranking.negatives > 1)
        clv_roc_influence(&ranking, area, value->influence);
    value->value += area;
    value->worth = *areas > 0 ? fmin(value->worth, worth) : worth;
    ++*areas;
}

static Status find_area(const FoldPredictions *predictions, FoldValue *value, cleave_error *error)
{
    RankedRow *rows;
    uint32_t classes = predictions->classes;
    double areas = 0;

    TRY(ALLOC(predictions->context, rows, predictions->count, "the scores of a class", error));
    if (classes <= 2)
        add_area(predictions, predictions->positive, rows, value, &areas);
    for (uint32_t k = 0; classes > 2 && k < classes; k++)
        add_area(predictions, k, rows, value, &areas);
    clv_free(predictions->context, rows);
    value->value = areas > 0 ? value->value / areas : (double)NAN;
    for (size_t i = 0; areas > 1 && i < predictions->count; i++)
        value->influence[i] /= areas;
    return OK;
}

/* ---- losses */

Status clv_fold_predictions_end(FoldPredictions *predictions, double *losses, MetricSums *sums,
                                cleave_error *error)
{
    double n = (double)predictions->count;
    FoldValue value = {.influence = losses};

    *sums = (MetricSums){0};
    if (predictions->count == 0)
        return OK;
    if (predictions->count > UINT32_MAX)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "a fold has more rows than a ranking metric supports (%u)", UINT32_MAX);
    memset(losses, 0, predictions->count * sizeof *losses);
    TRY(predictions->metric->ranks ? find_area(predictions, &value, error)
                                   : find_f1(predictions, &value, error));
    for (size_t i = 0; i < predictions->count; i++) {
        losses[i] = 1 - value.value - n * losses[i];
        if (!isnan(value.value))
            clv_metric_add(sums, losses[i]);
    }
    if (sums->n) {
        sums->loss = n * (1 - value.value); /* the loss is as precise as the value */
        sums->worth = value.worth;
    }
    return OK;
}
