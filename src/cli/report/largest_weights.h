/* The largest weights of a linear model. */
#ifndef CLI_REPORT_LARGEST_WEIGHTS_H
#define CLI_REPORT_LARGEST_WEIGHTS_H

#include <cleave/expert.h>

typedef struct {
    double weight; /* sign relative to the class */
    size_t column;
} HeavyWeight;

/* The weights of one class: sign -1 for the other class of a binary model. side 1: positive weights
 * only, -1: negative ones; 0 is left out. Sorted by magnitude; list has space for every feature.
 * Returns their number. */
size_t cli_heaviest(const cleave_model *model, size_t output, double sign, double side,
                    HeavyWeight *list);
/* The largest magnitude among the weights of all outputs. */
double cli_heaviest_of_all(const cleave_model *model);

#endif
