/* The pool of active learning: rows whose labels are asked for, with the features that a method
 * sees, computed once. The pipeline is fitted to all rows of the pool without their hidden labels.
 * A pool does not change after it is made, so that several runs may share it. */
#ifndef ACTIVE_ACTIVE_POOL_H
#define ACTIVE_ACTIVE_POOL_H

#include "eval/folds.h"
#include "input/input.h"
#include "train/batch_driver.h"

#define NO_ROW UINT32_MAX

typedef struct {
    Context *context;
    Dataset *source;    /* the rows as they were read; not owned */
    Dataset *rows;      /* the rows of the pool; owned unless it is `source` */
    Dataset *unlabeled; /* views of `rows` without labels; NULL: labels are visible */
    Dataset *made;      /* after the pipeline; NULL: the features are the columns */
    Pipeline *pipeline; /* NULL: none */
    Dataset *test;      /* test rows with the same features; NULL: none */
    bool owns_rows;
    uint32_t count;
    uint32_t *origin; /* row of the source; NULL: the same number */
    uint32_t *truth;  /* label in the data, by row, into source->labels; UNLABELED: none */
    uint32_t *twin;   /* next row with the same features, in a cycle */
    double *typical;  /* cosine of the row and the mean of all rows */
} ActivePool;

typedef struct {
    const Method *method;
    const void *method_options;
    const RunOptions *run;
    bool hide_labels;
    cleave_data *test;  /* NULL: none */
    const Folds *folds; /* part 1 is the test set; NULL: all rows are in the pool */
    const char *name;   /* name of the data, for messages */
} PoolPlan;

/* Free the pool also after a failure. */
Status clv_active_pool_make(Context *context, Dataset *source, const PoolPlan *plan,
                            ActivePool *pool, cleave_error *error);
void clv_active_pool_free(ActivePool *pool);

/* The rows with the features that the method sees. */
Dataset *clv_active_pool_features(const ActivePool *pool);
/* A block of a dataset and the position of a row in it. */
Status clv_active_row_at(Dataset *dataset, uint32_t row, Block *block, uint32_t *place,
                         cleave_error *error);
/* Raises similarity[i] to the cosine of row i and the given row, for all rows. */
Status clv_active_pool_similar(const ActivePool *pool, uint32_t row, float *probe,
                               double *similarity, cleave_error *error);

#endif
