/* The largest weights of a linear model. */
#ifndef CLI_REPORT_LARGEST_WEIGHTS_H
#define CLI_REPORT_LARGEST_WEIGHTS_H

#include <cleave/expert.h>

typedef struct {
    double weight; /* the weight, with its sign relative to the class */
    size_t column;
} HeavyWeight;

/* Lists the weights of one class, sorted by magnitude. sign: -1 for the other class of a binary
 * model. side: 1 for positive weights only, -1 for negative weights only; weights of 0 are omitted.
 * list has space for every feature. Returns the number of weights. */
size_t cli_heaviest(const cleave_model *model, size_t output, double sign, double side,
                    HeavyWeight *list);
/* The largest magnitude among the weights of all outputs. */
double cli_heaviest_of_all(const cleave_model *model);

#endif
