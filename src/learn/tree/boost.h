/* Shared declarations of gradient boosting and AdaBoost: options, state, and the rows of a tree. */
#ifndef LEARN_TREE_BOOST_H
#define LEARN_TREE_BOOST_H

#include "learn/tree/defaults.h"
#include "learn/tree/leaves.h"
#include "learn/tree/losses.h"

typedef struct {
    int loss; /* classification: LOG_LOSS or EXPONENTIAL_LOSS */
    double learning_rate;
    int64_t max_leaves, max_depth, min_leaf_rows, max_bins;
    double min_leaf_hessian, l2, max_leaf_value, row_fraction, column_fraction, category_l2,
        category_smooth;
    const char *monotone;
} BoostOptions;

enum { LOG_LOSS, EXPONENTIAL };

typedef struct {
    Bins bins;
    Targets targets;
    Grower grower;
    TreesBuilder before; /* trees of the warm-start model */
    TreesBuilder trees;
    Losses losses;
    double *start; /* start of the scores per output, for the model */
    int8_t *monotone;
    uint32_t *rows; /* rows sampled for this round; NULL: all */
    uint8_t *is_drawn;
    uint32_t row_count;
    double *values; /* AdaBoost: leaf values per node */
    float *weight;  /* AdaBoost: weight of each row */
    size_t value_capacity;
    uint64_t train_errors;
    double update_share; /* fraction of new rows in an update; 0: training */
} Boost;

/* Draws the rows of a round with --row-fraction: sets boost->rows and row_count. */
Status clv_boost_draw(Fit *fit);
/* Whether rounds sample rows or columns. A round without a split then does not end training. */
bool clv_boost_draws(const Fit *fit);
/* AdaBoost with the bins of the state; boost.c does the rest. */
Status clv_adaboost_fit(Fit *fit, Dataset *dataset);
/* Adds the votes of a tree for all rows, and raises the weight of misclassified rows. */
Status clv_adaboost_move(Fit *fit, const uint32_t *answer, double alpha);
/* Sets the scores of the rows to those of the warm-start model. See boost_resume.c. */
Status clv_boost_restore_scores(Fit *fit, Dataset *dataset);
Status clv_adaboost_go_on(Fit *fit, Dataset *dataset);
/* Computes leaf values for the old and the new rows together; see boost_update.c. The state has
 * bins, losses of the new rows, and the start. */
Status clv_boost_refit(Fit *fit, Dataset *dataset, LeafUpdate *leaves);
/* Parses NAME=+,NAME=- into a direction per feature. The array is allocated by clv_alloc, and NULL
 * for an empty text. */
Status clv_monotone_read(const Fit *fit, const char *text, int8_t **directions);

#endif
