/* The uncertainty of every row of a pool, by the scores of one or more models. */
#ifndef ACTIVE_UNCERTAINTY_H
#define ACTIVE_UNCERTAINTY_H

#include "active/active_pool.h"

enum { MOST_MEMBERS = 64 };

typedef struct {
    int strategy;
    const ActivePool *pool;
    const double *similarity; /* density: by row */
    /* The model of all labels, then the members of the committee; NULL: a member of one class. */
    Model *const *models;
    size_t model_count;
} UncertaintyPlan;

/* The difference between the two highest scores; for a binary model, the distance from 0. */
double clv_margin(const double *scores, size_t outputs);

/* Fills utility by row; higher means more useful. Blocks are scored in parallel. */
Status clv_uncertainty(Context *context, const UncertaintyPlan *plan, double *utility,
                       cleave_error *error);

#endif
