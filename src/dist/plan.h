/*
 * Estimates the time of training on many nodes by a model with few terms, each measured on this
 * machine with rows of the given shape.
 *
 *     read       rows / nodes · (time to parse a row, or to read its bytes, the larger), once
 *     learn      rows / nodes · time of a step + chunks · weights · time per weight of a chunk
 *     message    up a binomial tree: for each of log2(nodes) levels the latency, the time of the
 *                bytes on a link, and the time to write, read and add the numbers; then the sum
 *                down the same tree
 *
 * A node sends d (1 − e^(−entries / d)) numbers: the features that its rows touch if all are
 * equally likely. Real features are not equally likely, so that real messages are shorter and the
 * estimate is conservative.
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

/* Seconds of one core per row, per weight of a chunk, and per number of a message. */
typedef struct {
    double read, learn, chunk;
    double encode, decode, sum;
    double number_bytes, row_bytes;
} PlanCosts;

Status clv_plan_measure(Context *context, const PlanOptions *options, PlanCosts *costs,
                        cleave_error *error);
void clv_plan_line(const PlanOptions *options, const PlanCosts *costs, double nodes,
                   cleave_plan_line *line);

#endif
