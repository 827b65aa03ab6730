/* Permutation importance (Breiman 2001, Machine Learning 45, section 10): the increase of the loss
 * on labeled rows when the values of one feature are permuted among the rows. A sample of the rows,
 * and the features that occur in most of them, limit the time. */
#include "base/random.h"
#include "input/input.h"
#include "model/method.h"

#include <stdlib.h>

enum { SAMPLE_ROWS = 1000, SAMPLE_FEATURES = 200, REPEATS = 3, BATCH_ROWS = 250 };

typedef struct {
    uint32_t column, rows; /* rows: number of rows in which the column is not 0 */
    double importance;
} Feature;

typedef struct {
    Context *context;
    const Model *model;
    cleave_error *error;
    DecisionRule rule;
    Builder builder;
    double *scores; /* scores of a batch of rows */
    /* The sampled rows: entries up to end[i], and the number of the label, or the target. */
    uint32_t *columns, count;
    float *values;
    size_t entries, column_capacity, value_capacity;
    size_t end[SAMPLE_ROWS];
    double truth[SAMPLE_ROWS];
    uint32_t order[SAMPLE_ROWS];
    Feature *features;
    size_t feature_count;
} Sample;

static Status take_row(Sample *sample, const Block *block, uint32_t row, const Labels *labels)
{
    uint32_t label = block_label(block, row);
    double truth = block->target_form == TARGETS_NUMBERS ? ((const double *)block->target)[row]
                                                         : label;

    if (block->target_form != TARGETS_NUMBERS && label == UNLABELED)
        return OK;
    if (sample->rule.regression && block->target_form == TARGETS_LABELS)
        truth = labels->list[label].number;
    if (isnan(truth))
        return OK;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        size_t at = sample->entries;

        if (walk.column >= sample->model->features)
            continue;
        TRY(GROW(sample->context, sample->columns, sample->column_capacity, at + 1, sample->error));
        TRY(GROW(sample->context, sample->values, sample->value_capacity, at + 1, sample->error));
        sample->columns[at] = walk.column;
        sample->values[at] = walk.value;
        sample->entries++;
    }
    sample->truth[sample->count] = truth;
    sample->end[sample->count++] = sample->entries;
    return OK;
}

static Status take_rows(Sample *sample, Dataset *dataset)
{
    uint64_t step = dataset->rows / SAMPLE_ROWS + 1, seen = 0;

    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, sample->error));
        for (uint32_t row = 0; row < block.rows; row++)
            if (seen++ % step == 0)
                TRY(take_row(sample, &block, row, &dataset->labels));
    }
    return OK;
}

static int most_rows_first(const void *left, const void *right)
{
    const Feature *a = left, *b = right;

    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

static Status choose_features(Sample *sample)
{
    uint32_t all = sample->model->features;

    TRY(ALLOC_ZERO(sample->context, sample->features, (size_t)all + 1, "features", sample->error));
    for (uint32_t i = 0; i < all; i++)
        sample->features[i].column = i;
    for (size_t i = 0; i < sample->entries; i++)
        sample->features[sample->columns[i]].rows++;
    qsort(sample->features, all, sizeof *sample->features, most_rows_first);
    while (sample->feature_count < all && sample->feature_count < SAMPLE_FEATURES &&
           sample->features[sample->feature_count].rows > 0)
        sample->feature_count++;
    return OK;
}

static float value_of(const Sample *sample, uint32_t row, uint32_t column)
{
    for (size_t i = row ? sample->end[row - 1] : 0; i < sample->end[row]; i++)
        if (sample->columns[i] == column)
            return sample->values[i];
    return 0;
}

/* Adds a row with a different value of the column. */
static Status add_row(Sample *sample, uint32_t row, uint32_t column, float value)
{
    size_t to = sample->end[row];
    bool placed = value == 0;

    clv_builder_begin_row(&sample->builder);
    for (size_t i = row ? sample->end[row - 1] : 0; i <= to; i++) {
        if (!placed && (i == to || sample->columns[i] >= column)) {
            TRY(clv_builder_add(&sample->builder, column, value, sample->error));
            placed = true;
        }
        if (i < to && sample->columns[i] != column)
            TRY(clv_builder_add(&sample->builder, sample->columns[i], sample->values[i],
                                sample->error));
    }
    return clv_builder_end_row(&sample->builder, UNLABELED, sample->error);
}

/* Computes the error rate or mean squared error when row i has the value of the column in row
 * order[i]. */
static Status find_loss(Sample *sample, uint32_t column, double *loss)
{
    *loss = 0;
    for (uint32_t first = 0; first < sample->count; first += BATCH_ROWS) {
        uint32_t last = first + BATCH_ROWS < sample->count ? first + BATCH_ROWS : sample->count;
        cleave_prediction prediction;
        Block block;

        clv_builder_clear(&sample->builder);
        for (uint32_t i = first; i < last; i++)
            TRY(add_row(sample, i, column, value_of(sample, sample->order[i], column)));
        TRY(clv_builder_finish(&sample->builder, &block, sample->error));
        TRY(sample->model->method->inference->predict(sample->model, &block, sample->scores,
                                                      sample->error));
        for (uint32_t i = first; i < last; i++) {
            clv_prediction_decide(&sample->rule,
                                  sample->scores + (i - first) * sample->rule.outputs, NULL,
                                  &prediction);
            *loss += sample->rule.regression ? (prediction.value - sample->truth[i]) *
                                                   (prediction.value - sample->truth[i])
                                             : (double)prediction.label_number != sample->truth[i];
        }
    }
    *loss /= sample->count;
    return clv_cancelled(sample->context)
               ? clv_fail(sample->error, CLEAVE_ERROR_CANCELLED, "interrupted")
               : OK;
}

static int most_important_first(const void *left, const void *right)
{
    const Feature *a = left, *b = right;

    if (a->importance != b->importance)
        return a->importance > b->importance ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

static Status find_importance(Sample *sample, cleave_data *data)
{
    Dataset *dataset;
    double before, after;

    TRY(clv_data_dataset(data, &dataset, sample->error));
    TRY(take_rows(sample, dataset));
    if (sample->count == 0)
        return clv_fail(sample->error, CLEAVE_ERROR_DATA, "%s: no row has a label",
                        clv_data_name(data));
    TRY(choose_features(sample));
    TRY(ALLOC(sample->context, sample->scores, BATCH_ROWS * sample->rule.outputs, "scores",
              sample->error));
    for (uint32_t i = 0; i < sample->count; i++)
        sample->order[i] = i;
    TRY(find_loss(sample, 0, &before));
    for (size_t i = 0; i < sample->feature_count; i++) {
        Feature *feature = &sample->features[i];
        Random random = clv_random(sample->model->seed, feature->column);

        for (int repeat = 0; repeat < REPEATS; repeat++) {
            clv_shuffle(&random, sample->order, sample->count);
            TRY(find_loss(sample, feature->column, &after));
            feature->importance += (after - before) / REPEATS;
        }
    }
    qsort(sample->features, sample->feature_count, sizeof *sample->features, most_important_first);
    return OK;
}

cleave_code cleave_permutation_importance(const cleave_model *model, cleave_data *data, size_t most,
                                          size_t *columns, double *importance, size_t *count,
                                          cleave_error *error)
{
    REQUIRE(model && data && columns && importance && count);
    Context *context = model->context;
    Sample *sample;
    Status status;

    *count = 0;
    TRY(ALLOC_ZERO(context, sample, 1, "a sample of rows", error));
    sample->context = context;
    sample->model = model;
    sample->error = error;
    sample->rule = clv_model_rule(model, false);
    clv_builder_init(&sample->builder, context);
    sample->builder.passing_by = true;
    status = find_importance(sample, data);
    for (; status == OK && *count < most && *count < sample->feature_count; ++*count) {
        columns[*count] = sample->features[*count].column;
        importance[*count] = sample->features[*count].importance;
    }
    clv_builder_free(&sample->builder);
    FREE(context, sample->scores, sample->columns, sample->values, sample->features, sample);
    return status;
}
