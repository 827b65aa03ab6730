/*
 * What a model records of the rows it was trained on (docs/formats/model.md):
 *
 *     training_rows      their fingerprint: the number of rows and the sum of a hash of each, in three parts. A warm start on other rows is
 *                        refused by it.
 *     training_moments   of linear methods: the mean squared length of a row and the mean squared inner product of two rows, of the 48 rows
 *                        with the least hashes. An update is the smaller the more the rows of the model overlap (learn/linear/linear_update.h).
 *
 * Both depend neither on the order of the rows nor on how they are stored.
 */
#ifndef TRAIN_TRAINING_ROWS_H
#define TRAIN_TRAINING_ROWS_H

#include "data/dataset.h"
#include "model/model.h"

enum { ROW_HASH_PARTS = 3, SAMPLED_ROWS = 48 };

struct SampledRow {
    uint64_t hash;
    size_t count, column_capacity, value_capacity;
    uint32_t *column;
    float *value;
};

typedef struct {
    struct {
        uint64_t rows, part[ROW_HASH_PARTS];
    } sum;
    uint32_t sampled;
    struct SampledRow sample[SAMPLED_ROWS];
} TrainingRows;

/* numbers: regression, the number of each label; NULL otherwise. */
Status clv_training_rows_add(TrainingRows *rows, Context *context, const Block *block, const double *numbers,
                             bool sample, cleave_error *error);
/* Empty afterwards. */
void clv_training_rows_free(TrainingRows *rows, Context *context);

/* Nothing is put where no rows were added. */
Status clv_training_rows_put(const TrainingRows *rows, Model *model, cleave_error *error);

/* An error with a hint to `update` where the rows are not those of the model; a warning where the model has no fingerprint. */
Status clv_training_rows_check(const Model *from, const TrainingRows *rows, const char *name, cleave_error *error);

/* An updated model has the moments of the one before, and a fingerprint that no rows have. */
Status clv_training_rows_updated(const Model *from, Model *model, cleave_error *error);

#endif
