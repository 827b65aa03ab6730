/*
 * Everything that `test` measures, block by block: the evaluation and, by class, sums of weights.
 * The areas below curves need the scores of all rows, the intervals of a regression its
 * predictions. They are kept up to a limit of memory; beyond it they are freed, and the result says
 * so.
 */
#ifndef EVAL_TALLY_H
#define EVAL_TALLY_H

#include "eval/evaluation.h"
#include "eval/metrics.h"
#include "eval/ranking.h"

typedef struct {
    Context *context;
    const Model *model;
    bool allow_none, weighted;
    size_t most_bytes; /* that are kept; clv_tally_begin sets it, and it may be lowered then */

    Evaluation sums;                             /* every row counts once */
    double *rows, *answers, *right, *confusion;  /* see ClassCounts */
    double weight, weight_squares, right_weight; /* of all rows with a label */
    double *probabilities;                       /* of the row under way; NULL: the model has none */
    Moments log_loss, brier;
    uint64_t measured;

    /* Kept rows. */
    size_t kept, ranked_capacity, scores_capacity, labels_capacity, targets_capacity, weights_capacity;
    RankedRow *ranked; /* two classes */
    double *scores;    /* more: kept * classes; a regression: the answers */
    uint32_t *labels;
    double *targets;
    float *weights; /* where they count */
    bool left_out;

    cleave_class_metrics *classes; /* made at the end */
    cleave_threshold *thresholds;
    size_t threshold_count;
} Tally;

Status clv_tally_begin(Tally *tally, const Model *model, bool allow_none, bool weighted, cleave_error *error);
/* With the scores of its rows. */
Status clv_tally_block(Tally *tally, const Block *block, const double *numbers, const double *scores,
                       cleave_error *error);
/* Fills in the sums and the metrics of facts; metrics of each class, and thresholds, are in the
 * tally. */
Status clv_tally_end(Tally *tally, cleave_evaluation *facts, cleave_error *error);
void clv_tally_free(Tally *tally);

#endif
