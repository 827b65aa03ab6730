/* What gradient boosting and AdaBoost share: the options, the state, and the rows a tree is grown from. */
#ifndef LEARN_TREE_BOOST_H
#define LEARN_TREE_BOOST_H

#include "learn/tree/leaves.h"
#include "learn/tree/losses.h"
#include "learn/tree/usual.h"

typedef struct {
    int loss; /* classes: LOG_LOSS … */
    double learning_rate;
    int64_t max_leaves, max_depth, min_leaf_rows, max_bins;
    double min_leaf_hessian, l2, max_leaf_value, row_fraction, column_fraction, category_l2, category_smooth;
    const char *monotone;
} BoostOptions;

enum { LOG_LOSS, EXPONENTIAL };

typedef struct {
    Bins bins;
    Targets targets;
    Grower grower;
    TreesBuilder before; /* those of the model gone on from */
    TreesBuilder trees;
    Losses losses;
    double *start; /* of each output, for the model */
    int8_t *monotone;
    uint32_t *rows; /* drawn for this round; NULL: all */
    uint8_t *is_drawn;
    uint32_t row_count;
    double *values; /* AdaBoost: of leaves, by node */
    float *weight;  /* AdaBoost: of rows */
    size_t value_capacity;
    uint64_t train_errors;
    double update_share; /* of the new rows, in an update; 0: training */
} Boost;

/* Draws the rows of a round where --row-fraction asks for it: boost->rows, row_count. */
Status clv_boost_draw(Fit *fit);
/* Whether rounds draw rows or columns: what one finds nothing in, another may. */
bool clv_boost_draws(const Fit *fit);
/* AdaBoost over the state's bins; boost.c has the rest. */
Status clv_adaboost_fit(Fit *fit, Dataset *dataset);
/* A tree's answers for all rows: votes for them, and more weight for those that are wrong. */
Status clv_adaboost_move(Fit *fit, const uint32_t *answer, double alpha);
/* Rows stand where the model's trees have brought them; boost_resume.c. */
Status clv_boost_go_on(Fit *fit, Dataset *dataset);
Status clv_adaboost_go_on(Fit *fit, Dataset *dataset);
/* Leaf values for the old and the new rows together; boost_update.c. The state has bins and losses of the new rows, and start. */
Status clv_boost_refit(Fit *fit, Dataset *dataset, LeafUpdate *leaves);
/* NAME=+,NAME=-: a direction for each feature; clv_alloc'd, NULL where text is. */
Status clv_monotone_read(const Fit *fit, const char *text, int8_t **directions);

#endif
