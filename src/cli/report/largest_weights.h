/* The weights of a linear model that count most. */
#ifndef CLI_REPORT_LARGEST_WEIGHTS_H
#define CLI_REPORT_LARGEST_WEIGHTS_H

#include <cleave/expert.h>

typedef struct {
    double weight; /* as the class sees it */
    size_t column;
} HeavyWeight;

/* One class as an output sees it: sign -1 where the output speaks for the other one of two. side
 * 1: what speaks for it, -1: what against; 0 is left out. The heaviest first; list has room for
 * every feature. How many there are. */
size_t cli_heaviest(const cleave_model *model, size_t output, double sign, double side,
                    HeavyWeight *list);
/* The largest of an output, whatever its sign; and of all outputs. */
double cli_heaviest_weight(const cleave_model *model, size_t output);
double cli_heaviest_of_all(const cleave_model *model);
/* The length of a weight's bar where the largest weight of its output has 1. A weight that is 0
 * to the rounding of a float beside the largest of all has none. */
double cli_weight_part(double weight, double largest, double largest_of_all);

#endif
