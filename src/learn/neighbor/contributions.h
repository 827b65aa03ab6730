/* Explanations of a neighbor model: MethodInspection.neighbors and .points. */
#ifndef LEARN_NEIGHBOR_CONTRIBUTIONS_H
#define LEARN_NEIGHBOR_CONTRIBUTIONS_H

#include "model/method.h"

Status clv_neighbors_of(const Model *model, const Block *block, uint32_t row,
                        cleave_neighbor **neighbors, size_t *count, cleave_error *error);
bool clv_points_facts(const Model *model, cleave_point_set *facts, uint64_t *per_class);

#endif
