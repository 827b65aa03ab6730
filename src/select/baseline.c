/* Losses of the majority class, or of the mean, on every fold. */
#include "select/baseline.h"

#include "data/traversal.h"
#include "data/unseen.h"
#include "eval/metrics.h"
#include "select/trial.h"

typedef struct {
    Baseline *baseline;
    uint32_t *label; /* of each row; … */
    double *number;  /* … or its target */
    double *label_number;
    uint32_t majority, positive;
    double mean;
} Targets;

/* Warns of categories that only test sets have, too. */
static Status read_targets(const Targets *targets, cleave_error *error)
{
    const Folds *folds = &targets->baseline->folds[0];
    Traversal traversal = {0};
    UnseenGroups unseen = {0};
    Status status = clv_traversal_init(&traversal, targets->baseline->dataset, ORDER_FILE, 0, 0, 1, error);

    if (status == OK)
        status = clv_unseen_groups_begin(&unseen, targets->baseline->dataset, folds->forward, error);
    if (status == OK)
        status = clv_traversal_begin(&traversal, 0, error);
    while (status == OK) {
        const Block *block;

        status = clv_traversal_next(&traversal, &block, error);
        if (status != OK || !block)
            break;
        for (uint32_t i = 0; i < block->rows; i++) {
            uint64_t row = block_row_number(block, i);
            uint32_t part = folds->of[row];

            clv_unseen_groups_add(&unseen, block, i, !folds->forward ? part : part == folds->count ? 0 : part + 1);
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

/* The counts of labels and errors, and for regression the mean of the targets and the sums of their deviations. */
static void describe_targets(Targets *targets)
{
    Baseline *baseline = targets->baseline;
    Moments moments = {0};

    for (uint64_t row = 0; row < baseline->dataset->rows; row++) {
        bool there = targets->number ? !isnan(targets->number[row]) : targets->label[row] != UNLABELED;

        baseline->labelled += there && folds_test(baseline->folds, row);
        baseline->errors += there && targets->label && targets->label[row] != targets->majority &&
                            folds_test(baseline->folds, row);
        if (there && targets->number)
            clv_moments_add(&moments, targets->number[row], 1);
    }
    targets->mean = moments.mean;
    for (uint64_t row = 0; targets->number && row < baseline->dataset->rows; row++)
        if (!isnan(targets->number[row]) && folds_test(baseline->folds, row)) {
            double off = targets->number[row] - moments.mean;

            baseline->squares += off * off;
            baseline->fourths += off * off * off * off;
        }
}

static double loss_of(const Targets *targets, uint64_t row, uint64_t labels)
{
    const Baseline *baseline = targets->baseline;
    double off;

    switch (baseline->metric->id) {
    case METRIC_RMSE:
        off = targets->number[row] - targets->mean;
        return off * off;
    case METRIC_MAE:
        return fabs(targets->number[row] - targets->mean);
    case METRIC_LOG_LOSS:
        return clv_log_loss((double)baseline->dataset->labels.list[targets->label[row]].count / (double)labels);
    default:
        return targets->label[row] != targets->majority;
    }
}

/* Metrics that are means over rows. */
static Status find_losses(const Targets *targets, const Folds *folds, float *loss, MetricSums *sums,
                          cleave_error *error)
{
    const Labels *labels = &targets->baseline->dataset->labels;
    uint64_t all = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        all += labels->list[i].count;
    for (uint64_t row = 0; row < folds->rows; row++) {
        bool there = folds_test(folds, row) &&
                     (targets->number ? !isnan(targets->number[row]) : targets->label[row] != UNLABELED);
        double own = there ? loss_of(targets, row, all) : (double)NAN;

        loss[row] = (float)own;
        if (isinf(loss[row])) { /* losses are kept as floats */
            clv_fail(error, CLEAVE_ERROR_DATA,
                     "%s: labels lie so far apart that a squared error is beyond 3.4e38, and cannot be compared",
                     targets->baseline->name);
            return clv_hint(error, CLEAVE_ERROR_DATA, "divide the labels by a power of ten");
        }
        if (there)
            clv_metric_add(&sums[folds->of[row]], own);
    }
    return OK;
}

/* Metrics of a whole fold. A constant score ranks all rows as equal, so one number per row is enough for any number of classes. */
static Status find_fold(const Targets *targets, const Folds *folds, uint32_t part, float *loss, MetricSums *sums,
                        cleave_error *error)
{
    const Baseline *baseline = targets->baseline;
    FoldPredictions predictions = {.context = baseline->context,
                                   .metric = baseline->metric,
                                   .classes = baseline->dataset->labels.count,
                                   .positive = targets->positive};
    double score = 0, *losses = clv_alloc(baseline->context, folds->size[part], sizeof *losses);
    Status status = losses ? OK : clv_fail_memory(error, "losses", folds->size[part] * sizeof *losses);

    if (baseline->metric->ranks)
        predictions.classes = 2;
    for (uint64_t row = 0; status == OK && row < folds->rows; row++)
        if (folds->of[row] == part && targets->label[row] != UNLABELED)
            status = clv_fold_predictions_add(&predictions, row, targets->label[row], targets->majority, &score, error);
    if (status == OK)
        status = clv_fold_predictions_end(&predictions, losses, sums, error);
    for (size_t i = 0; status == OK && i < predictions.count; i++)
        loss[predictions.row[i]] = (float)losses[i];
    clv_fold_predictions_free(&predictions);
    clv_free(baseline->context, losses);
    return status;
}

static Status find_repeat(const Targets *targets, uint32_t repeat, cleave_error *error)
{
    const Baseline *baseline = targets->baseline;
    const Folds *folds = &baseline->folds[repeat];
    float *loss = baseline->loss + (size_t)repeat * folds->rows;
    MetricSums *sums = baseline->sums + (size_t)repeat * folds->count;

    if (!baseline->metric->of_folds)
        return find_losses(targets, folds, loss, sums, error);
    for (uint64_t row = 0; row < folds->rows; row++)
        loss[row] = NAN;
    for (uint32_t part = 0; part < folds->count; part++)
        TRY(find_fold(targets, folds, part, loss, &sums[part], error));
    return OK;
}

static Status find_all(Targets *targets, cleave_error *error)
{
    const Baseline *baseline = targets->baseline;
    const Labels *labels = &baseline->dataset->labels;

    for (uint32_t i = 0; i < labels->count; i++)
        targets->label_number[i] = labels->list[i].number;
    TRY(read_targets(targets, error));
    if (targets->label) {
        targets->majority = clv_most_frequent(labels);
        TRY(clv_labels_positive(labels, baseline->positive, &targets->positive, error));
    }
    describe_targets(targets);
    for (uint32_t repeat = 0; repeat < baseline->repeats; repeat++)
        TRY(find_repeat(targets, repeat, error));
    return OK;
}

Status clv_baseline_find(Baseline *baseline, cleave_error *error)
{
    uint64_t rows = baseline->dataset->rows;
    Context *context = baseline->context;
    Targets targets = {.baseline = baseline};
    size_t labels = (size_t)baseline->dataset->labels.count + 1;
    size_t folds = (size_t)baseline->repeats * baseline->folds[0].count;
    Status status = OK;

    baseline->loss = clv_alloc(context, rows * baseline->repeats, sizeof *baseline->loss);
    baseline->sums = clv_alloc_zero(context, folds, sizeof *baseline->sums);
    if (baseline->metric->regression)
        targets.number = clv_alloc(context, rows, sizeof *targets.number);
    else
        targets.label = clv_alloc(context, rows, sizeof *targets.label);
    targets.label_number = clv_alloc(context, labels, sizeof *targets.label_number);
    if (!targets.label_number || !baseline->loss || !baseline->sums || (!targets.number && !targets.label))
        status = clv_fail_memory(error, "targets", rows * sizeof *targets.number);
    if (status == OK)
        status = find_all(&targets, error);
    clv_free(context, targets.label_number);
    clv_free(context, targets.number);
    clv_free(context, targets.label);
    return status;
}

void clv_baseline_free(Baseline *baseline)
{
    if (!baseline->context)
        return;
    clv_free(baseline->context, baseline->loss);
    clv_free(baseline->context, baseline->sums);
    baseline->loss = NULL;
    baseline->sums = NULL;
}
