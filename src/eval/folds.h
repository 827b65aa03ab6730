/*
 * Folds: the rows of a dataset dealt into parts, by chance from a seed, so that each part has its share of every class (stratified) and rows
 * of one group are never torn apart. Rows, or groups, come in random order, the largest groups first, and each goes to the part that keeps
 * the shares best: the one that least raises the sum, over parts p and classes c, of N_pc^2 / (w_p T_c^2), which is smallest where
 * each part p has its share w_p of the T_c rows of each class. Of single rows that is exact to a row. (For the greedy order see Graham 1969;
 * for stratified folds Kohavi 1995, "A study of cross-validation and bootstrap for accuracy estimation".)
 *
 * Where targets are numbers, ten ranges of equally many rows take the place of classes.
 *
 * By time, parts are consecutive blocks of rows in the order of a column; rows of equal time stay in one part. Forward-chaining
 * folds have one block more, the earliest rows, which is never a test set: part p is tested by a model of all earlier rows.
 */
#ifndef EVAL_FOLDS_H
#define EVAL_FOLDS_H

#include "data/dataset.h"

typedef struct {
    uint32_t count;    /* of parts, at least 2 */
    double last_share; /* of the rows, for the last part; the others have equal shares of the rest; 0: all are equal */
    uint64_t seed, stream; /* another stream deals the same rows anew */
    bool in_order;         /* parts follow each other in the data, with no chance at all */
    bool numbers;          /* targets are numbers to be learned */
    const char *by_group;  /* a column, or qid; NULL: each row is by itself */
    const char *by_time;   /* a column of dates or numbers: parts are blocks in its order; NULL: none */
    bool forward;          /* by_time: forward-chaining folds */
} FoldPlan;

typedef struct {
    Context *context;
    uint64_t rows, groups;
    uint32_t count;
    uint32_t
        apart; /* so many of the last parts are kept apart: no other part's training has their rows; 0, unless the caller says so */
    bool forward;   /* part p is tested by a model of the earlier parts and of part `count`, the earliest rows */
    uint16_t *of;   /* the part of each row */
    uint64_t *size; /* of each part; of part `count`, too, where folds are forward-chaining */
} Folds;

enum { MOST_FOLDS = 65535 };

/* No part is empty. Free it whether it fails or not. */
Status clv_folds_deal(Dataset *dataset, const FoldPlan *plan, Folds *folds, cleave_error *error);
void clv_folds_free(Folds *folds);

/* Whether a row is in some test set: the earliest rows of forward-chaining folds are in none. */
static inline bool folds_test(const Folds *folds, uint64_t row)
{
    return folds->of[row] < folds->count;
}

/* A part that is in the training set of a part. */
uint32_t clv_folds_training_part(const Folds *folds, uint32_t part);
/* Test rows of a fold per training row, on average over the folds (Nadeau and Bengio 2003). Parts kept apart are no folds. */
double clv_folds_test_ratio(const Folds *folds);
/* Rows that are in the training set of a part. */
uint64_t clv_folds_training_rows(const Folds *folds, uint32_t part);
/* An error where options for folds exclude each other; repeats: 1 where there is no such option. */
Status clv_folds_check_options(const char *by_time, const char *by_group, int64_t repeats, cleave_error *error);

/* Whether so many different labels look like numbers to be learned, and not like names of classes. */
bool clv_folds_look_like_numbers(const Dataset *dataset);

/* Rows of a dataset: those of one part, or of all others; or a share of them, drawn by chance, so that a smaller share is part of a
 * larger. Dealt by an equal seed, the rows are the same. */
typedef struct {
    const Folds *folds;
    uint32_t part;
    bool others;
    double share; /* 0: all */
    uint64_t seed;
    uint32_t block_rows; /* a block has no more than these and those of one block of the dataset; 0: as many as suit */
} FoldRows;

bool clv_fold_has(const FoldRows *rows, uint64_t row);

/* In the order of the data, made in a context that may be another thread's. Labels count the rows given out, once all have been.
 * Dataset and folds must outlive it. */
Status clv_fold_source(Context *context, Dataset *dataset, const FoldRows *rows, Source **source, cleave_error *error);

#endif
