/* All metrics of `test`, block by block: the evaluation and, by class, sums of weights. Areas under
 * curves need the scores of all rows, and intervals of a regression its predictions. They are kept
 * up to a memory limit. Beyond the limit they are freed, and the result has a flag for this. */
#ifndef EVAL_TALLY_H
#define EVAL_TALLY_H

#include "eval/evaluation.h"
#include "eval/metrics.h"
#include "eval/ranking.h"

typedef struct {
    Context *context;
    const Model *model;
    bool allow_none, weighted;
    /* limit of the bytes kept; clv_tally_begin sets it, and the caller may lower it */
    size_t most_bytes;

    Evaluation sums;                             /* sums without weights */
    double *rows, *answers, *right, *confusion;  /* arrays of ClassCounts */
    double weight, weight_squares, right_weight; /* sums over all labeled rows */
    /* probabilities of the current row; NULL: the model has none */
    double *probabilities;
    Moments log_loss, brier;
    /* preferences: ranks of the items of the rows, in place of all other sums */
    bool ranks_items;
    Moments ranks;
    uint64_t unranked;
    uint64_t measured;

    /* Rows that are kept. */
    size_t kept, ranked_capacity, scores_capacity, labels_capacity, targets_capacity,
        weights_capacity;
    RankedRow *ranked; /* binary classification */
    /* scores for more classes, kept * classes; in a regression, the predictions */
    double *scores;
    uint32_t *labels;
    double *targets;
    float *weights; /* sample weights, if rows are weighted */
    bool left_out;

    cleave_class_metrics *classes; /* results, computed at the end */
    cleave_threshold *thresholds;
    size_t threshold_count;
} Tally;

Status clv_tally_begin(Tally *tally, const Model *model, bool allow_none, bool weighted,
                       cleave_error *error);
/* Adds a block with the scores of its rows. */
Status clv_tally_block(Tally *tally, const Block *block, const double *numbers,
                       const double *scores, cleave_error *error);
/* Fills in the sums and the metrics of facts. The tally owns the metrics of each class and the
 * thresholds. */
Status clv_tally_end(Tally *tally, cleave_evaluation *facts, cleave_error *error);
void clv_tally_free(Tally *tally);

#endif
