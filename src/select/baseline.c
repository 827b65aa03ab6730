#include "select/baseline.h"

#include "data/unseen.h"
#include "eval/interval.h"
#include "eval/metrics.h"

#include <float.h>

typedef struct {
    const Experiment *experiment;
    uint32_t *label; /* label of each row (classification) */
    double *number;  /* target of each row (regression) */
    double *label_number;
    uint32_t majority, positive;
    uint64_t labeled; /* number of rows of the dataset with a label */
    double mean;
} BaselineTargets;

static Status read_targets(const BaselineTargets *targets, cleave_error *error)
{
    Dataset *dataset = targets->experiment->dataset;
    const Folds *folds = &targets->experiment->folds[0];
    Traversal traversal = {0};
    UnseenGroups unseen = {0};
    Status status = clv_traversal_init(&traversal, dataset, ORDER_FILE, 0, 0, 1, error);

    THEN(status, clv_unseen_groups_begin(&unseen, dataset, folds->forward, error));
    THEN(status, clv_traversal_begin(&traversal, 0, error));
    while (status == OK) {
        const Block *block;

        status = clv_traversal_next(&traversal, &block, error);
        if (status != OK || !block)
            break;
        for (uint32_t i = 0; i < block->rows; i++) {
            uint64_t row = block_row_number(block, i);
            uint32_t part = folds->of[row];

            clv_unseen_groups_add(&unseen, block, i,
                                  !folds->forward        ? part
                                  : part == folds->count ? 0
                                                         : part + 1);
            if (targets->number)
                targets->number[row] = block_number(block, i, targets->label_number);
            else
                targets->label[row] = block_label(block, i);
        }
    }
    if (status == OK)
        clv_unseen_groups_end(&unseen);
    clv_unseen_groups_free(&unseen);
    clv_traversal_free(&traversal);
    return status;
}

static bool has_label(const BaselineTargets *targets, uint64_t row)
{
    return targets->number ? !isnan(targets->number[row]) : targets->label[row] != UNLABELED;
}

/* Computes the mean of all targets, and evaluates it on the rows of test sets. */
static void evaluate_targets(BaselineTargets *targets, Evaluation *sums)
{
    const Experiment *experiment = targets->experiment;
    Moments moments = {0};

    for (uint64_t row = 0; targets->number && row < experiment->dataset->rows; row++)
        if (has_label(targets, row))
            clv_moments_add(&moments, targets->number[row], 1);
    targets->mean = moments.mean;
    for (uint64_t row = 0; row < experiment->dataset->rows; row++) {
        double off = targets->number ? targets->number[row] - moments.mean : 0;

        if (!has_label(targets, row) || !folds_test(experiment->folds, row))
            continue;
        sums->n++;
        sums->errors += targets->label && targets->label[row] != targets->majority;
        sums->squared_error += off * off;
        sums->fourth_error += off * off * off * off + clv_underflow(off, off * off * off * off);
    }
}

static double loss_of(const BaselineTargets *targets, uint64_t row)
{
    const Experiment *experiment = targets->experiment;
    double off = targets->number ? targets->number[row] - targets->mean : 0;

    switch (experiment->metric->id) {
    case METRIC_RMSE:
        return off * off;
    case METRIC_MAE:
        return fabs(off);
    case METRIC_LOG_LOSS:
        return clv_log_loss((double)experiment->dataset->labels.list[targets->label[row]].count /
                            (double)targets->labeled);
    default:
        return targets->label[row] != targets->majority;
    }
}

/* Whether two labels differ by more than rounding. */
static bool differ(const BaselineTargets *targets, uint64_t row)
{
    double mean = targets->mean;

    return targets->number && fabs(targets->number[row] - mean) > 1e-12 * fabs(mean);
}

static Status fail_range(const BaselineTargets *targets, bool large, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: the targets are too %s: squared errors are %s",
             targets->experiment->name, large ? "far apart" : "close together",
             large ? "above 3.4e38" : "below 1.2e-38");
    return clv_hint(error, CLEAVE_ERROR_DATA, "%s the targets by a power of ten",
                    large ? "divide" : "multiply");
}

/* Computes metrics that are means over rows. */
static Status find_losses(const BaselineTargets *targets, const Folds *folds, float *loss,
                          MetricSums *sums, cleave_error *error)
{
    float largest = 0;
    bool varied = false;

    for (uint64_t row = 0; row < folds->rows; row++) {
        bool there = folds_test(folds, row) && has_label(targets, row);
        double own = there ? loss_of(targets, row) : (double)NAN;

        loss[row] = (float)own;
        if (isinf(loss[row])) /* losses are kept as floats */
            return fail_range(targets, true, error);
        if (!there)
            continue;
        clv_metric_add(&sums[folds->of[row]], own);
        largest = fmaxf(largest, loss[row]);
        varied = varied || differ(targets, row);
    }
    return varied && largest < FLT_MIN ? fail_range(targets, false, error) : OK;
}

/* Computes metrics of a whole fold. A constant score ranks all rows as equal, so one number per row
 * is enough for any number of classes. */
static Status find_fold(const BaselineTargets *targets, const Folds *folds, uint32_t part,
                        float *loss, MetricSums *sums, cleave_error *error)
{
    const Experiment *experiment = targets->experiment;
    Context *context = experiment->context;
    FoldPredictions predictions = {
        .context = context,
        .metric = experiment->metric,
        .classes = experiment->metric->ranks ? 2 : experiment->dataset->labels.count,
        .positive = targets->positive};
    double score = 0, *losses = clv_alloc(context, folds->size[part], sizeof *losses);
    Status status = losses ? OK
                           : clv_fail_memory(error, "losses", folds->size[part] * sizeof *losses);

    for (uint64_t row = 0; status == OK && row < folds->rows; row++)
        if (folds->of[row] == part && has_label(targets, row))
            status = clv_fold_predictions_add(&predictions, row, targets->label[row],
                                              targets->majority, &score, error);
    THEN(status, clv_fold_predictions_end(&predictions, losses, sums, error));
    for (size_t i = 0; status == OK && i < predictions.count; i++)
        loss[predictions.row[i]] = (float)losses[i];
    clv_fold_predictions_free(&predictions);
    clv_free(context, losses);
    return status;
}

static Status find_all(BaselineTargets *targets, Baseline *baseline, cleave_error *error)
{
    const Experiment *experiment = targets->experiment;
    const Labels *labels = &experiment->dataset->labels;

    for (uint32_t i = 0; i < labels->count; i++) {
        targets->label_number[i] = labels->list[i].number;
        targets->labeled += labels->list[i].count;
    }
    TRY(read_targets(targets, error));
    if (targets->label) {
        targets->majority = clv_most_frequent(labels);
        TRY(clv_labels_positive(labels, experiment->run.positive, &targets->positive, error));
    }
    evaluate_targets(targets, &baseline->sums);
    for (uint32_t repeat = 0; repeat < experiment->repeats; repeat++) {
        const Folds *folds = &experiment->folds[repeat];
        float *loss = baseline->loss + (size_t)repeat * folds->rows;
        MetricSums *sums = baseline->folds + (size_t)repeat * folds->count;

        if (!experiment->metric->of_folds)
            TRY(find_losses(targets, folds, loss, sums, error));
        for (uint64_t row = 0; experiment->metric->of_folds && row < folds->rows; row++)
            loss[row] = NAN;
        for (uint32_t part = 0; experiment->metric->of_folds && part < folds->count; part++)
            TRY(find_fold(targets, folds, part, loss, &sums[part], error));
    }
    return OK;
}

Status clv_baseline_find(const Experiment *experiment, Baseline *baseline, cleave_error *error)
{
    uint64_t rows = experiment->dataset->rows;
    Context *context = experiment->context;
    BaselineTargets targets = {.experiment = experiment};
    Status status = OK;

    baseline->loss = clv_alloc(context, rows * experiment->repeats, sizeof *baseline->loss);
    baseline->folds = clv_alloc_zero(context, experiment->trials, sizeof *baseline->folds);
    if (experiment->regression)
        targets.number = clv_alloc(context, rows, sizeof *targets.number);
    else
        targets.label = clv_alloc(context, rows, sizeof *targets.label);
    targets.label_number = clv_alloc(context, (size_t)experiment->dataset->labels.count + 1,
                                     sizeof *targets.label_number);
    if (!targets.label_number || !baseline->loss || !baseline->folds ||
        (!targets.number && !targets.label))
        status = clv_fail_memory(error, "targets", rows * sizeof *targets.number);
    THEN(status, find_all(&targets, baseline, error));
    FREE(context, targets.label_number, targets.number, targets.label);
    return status;
}

void clv_baseline_free(Context *context, Baseline *baseline)
{
    FREE(context, baseline->loss, baseline->folds);
    *baseline = (Baseline){0};
}
