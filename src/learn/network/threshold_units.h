/*
 * Networks of threshold units that a file defines. Each line defines a unit:
 *
 *     # exclusive or
 *     or:   x1=1  x2=1  > 0.5
 *     and:  x1=1  x2=1  > 1.5
 *     xor:  or=1 and=-1 > 0.5
 *
 * The unit is 1 if the weighted sum of its inputs is above the threshold, otherwise 0. Inputs are
 * features, or units of earlier lines. The last unit is the output: 1 is the positive class. All
 * paths from a unit to the output need not have the same length: a unit that is used by a later
 * layer is passed on by a unit with the weight 1 and the threshold 0.5. Features are inputs of
 * units that have no other inputs.
 */
#ifndef LEARN_NETWORK_THRESHOLD_UNITS_H
#define LEARN_NETWORK_THRESHOLD_UNITS_H

#include "learn/network/network.h"

/* Sets the shape and the weights of the network, which are allocated. */
Status clv_threshold_network(const char *text, const Names *names, uint32_t features, Arena *memory,
                             Network *network, cleave_error *error);

#endif
