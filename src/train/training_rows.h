/*
 * The record in a model of the rows it was trained on (docs/formats/model.md):
 *
 *     training_rows      the fingerprint of the rows: their number and the sum of a hash of each,
 *                        in three parts. It serves to refuse a warm start on other rows.
 *     training_moments   linear methods: the mean squared length of a row and the mean squared
 *                        inner product of two rows, over the 48 rows with the smallest hashes. An
 *                        update is smaller if the rows of the model overlap more
 *                        (learn/linear/linear_update.h).
 *
 * Both depend neither on the order of the rows nor on their storage.
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

/* numbers: in a regression, the numeric value of each label; otherwise NULL. */
Status clv_training_rows_add(TrainingRows *rows, Context *context, const Block *block,
                             const double *numbers, bool sample, cleave_error *error);
/* Frees the memory and resets the record to empty. */
void clv_training_rows_free(TrainingRows *rows, Context *context);

/* Stores the record, if any rows were added. */
Status clv_training_rows_put(const TrainingRows *rows, Model *model, cleave_error *error);

/* Fails with a hint to `update` if the rows are not those of the model. Warns if the model has no
 * fingerprint. */
Status clv_training_rows_check(const Model *from, const TrainingRows *rows, const char *name,
                               cleave_error *error);

/* An updated model has the moments of the previous model and a fingerprint that matches no rows. */
Status clv_training_rows_updated(const Model *from, Model *model, cleave_error *error);

#endif
