/*
 * Folds: random, stratified parts of the rows of a dataset. Rows of one group stay in one part.
 * Rows, or groups, are visited in random order, the largest groups first. Each goes to the part for
 * which the sum, over parts p and classes c, of N_pc^2 / (w_p T_c^2) increases least. The sum is
 * smallest if each part p has the fraction w_p of the T_c rows of each class. For single rows the
 * fractions are exact to one row. (For the greedy order see Graham 1969; for stratified folds
 * Kohavi 1995, "A study of cross-validation and bootstrap for accuracy estimation".)
 *
 * For regression, ten ranges with equal numbers of rows are used instead of classes.
 *
 * By time, parts are consecutive blocks of rows in the order of a column; rows of equal time stay
 * in one part. Forward-chaining folds have one more block, the earliest rows, which is never a test
 * set: the model of part p is trained on all earlier rows.
 */
#ifndef EVAL_FOLDS_H
#define EVAL_FOLDS_H

#include "data/dataset.h"

typedef struct {
    uint32_t count; /* number of parts, at least 2 */
    /* fraction of the last part, where the others are equal; 0: all are equal */
    double last_share;
    uint64_t seed, stream; /* another stream gives another random split */
    bool in_order;         /* parts are consecutive in the data, without randomness */
    bool numbers;          /* targets of a regression instead of classes */
    const char *by_group;  /* name of a column, or qid; NULL: no groups */
    /* a column of dates or numbers whose order defines the parts; NULL: none */
    const char *by_time;
    bool forward; /* by_time: forward-chaining folds */
} FoldPlan;

typedef struct {
    Context *context;
    uint64_t rows, groups;
    uint32_t count;
    uint32_t apart; /* number of last parts that no training set contains; 0 by default */
    /* the model of part p is trained on the earlier parts and on part `count`, the earliest rows */
    bool forward;
    uint16_t *of;   /* the part of each row */
    uint64_t *size; /* size of each part; forward-chaining folds include part `count` */
} Folds;

/* Splits the rows. Fails if a part would be empty. The result must be freed also after a
 * failure. */
Status clv_folds_make(Dataset *dataset, const FoldPlan *plan, Folds *folds, cleave_error *error);
void clv_folds_free(Folds *folds);

/* Whether a row is in a test set: the earliest rows of forward-chaining folds are in none. */
static inline bool folds_test(const Folds *folds, uint64_t row)
{
    return folds->of[row] < folds->count;
}

/* Whether a part is in the training set of another part. */
uint32_t clv_folds_training_part(const Folds *folds, uint32_t part);
/* Mean ratio of test rows to training rows over the folds (Nadeau and Bengio 2003). Parts that are
 * never in a training set are not folds. */
double clv_folds_test_ratio(const Folds *folds);
/* The number of rows in the training set of a part. */
uint64_t clv_folds_training_rows(const Folds *folds, uint32_t part);
/* Fails if options of folds cannot be combined. `repeats` is 1 without such an option. */
Status clv_folds_check_options(const char *by_time, const char *by_group, int64_t repeats,
                               cleave_error *error);

/* Whether there are enough different numbers among the labels that the task is regression. */
bool clv_folds_look_like_numbers(const Dataset *dataset);

/* Selects rows of a dataset: those of one part, those of all others, or a random fraction of them.
 * A smaller fraction is a subset of a larger one. Equal seeds select equal rows. */
typedef struct {
    const Folds *folds;
    uint32_t part;
    bool others;
    double share; /* fraction of the rows; 0: all */
    uint64_t seed;
    /* limit of rows per block, if it is below the rows of a block of the dataset; 0: default */
    uint32_t block_rows;
} FoldRows;

bool clv_fold_has(const FoldRows *rows, uint64_t row);

/* A source in the order of the data, created in a context that may belong to another thread. After
 * the last row, its labels have the counts of the rows. Dataset and folds must outlive it. */
Status clv_fold_source(Context *context, Dataset *dataset, const FoldRows *rows, Source **source,
                       cleave_error *error);

#endif
