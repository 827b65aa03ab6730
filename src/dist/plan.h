/*
 * What a training run would cost on many nodes: a model with few terms, each of them measured here, on rows of the shape asked about.
 *
 *     read       rows / nodes · (parsing a row, or its bytes over the disk, whichever is slower), once
 *     learn      rows / nodes · a step over a row + chunks · weights · what a chunk costs beside its rows
 *     message    up a binomial tree: at each of log2(nodes) levels a latency, the bytes over a link, and writing, reading and adding
 *                the numbers; then the sum down the same tree
 *
 * How many numbers a node has to send is d (1 − e^(−entries / d)): features its rows have touched if all are equally likely. Real features are
 * not, so that real messages are shorter: the model errs on the side of the slower network.
 */
#ifndef DIST_PLAN_H
#define DIST_PLAN_H

#include "base/memory.h"
#include "base/param.h"

enum { PLAN_AVERAGE, PLAN_GRADIENT };

typedef struct {
    double rows, features, nonzeros;
    int form;
    double nodes, slots, chunks;
    double bandwidth, latency, disk; /* MB/s, microseconds, MB/s */
    double rounds;
    double row_bytes;
} PlanOptions;

extern const Param clv_plan_params[];

/* Seconds: of one core and one row; of one weight and one chunk; of one number of a message. */
typedef struct {
    double read, learn, chunk;
    double encode, decode, sum;
    double number_bytes, row_bytes;
} PlanCosts;

Status clv_plan_measure(Context *context, const PlanOptions *options, PlanCosts *costs, cleave_error *error);
void clv_plan_line(const PlanOptions *options, const PlanCosts *costs, double nodes, cleave_plan_line *line);

#endif
