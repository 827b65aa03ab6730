/*
 * Points asked while they are still being gathered, as a stream does: between any two of them. The structure is kept up with the points as
 * they come, and what a search needs is kept from one to the next.
 */
#ifndef LEARN_NEIGHBOR_LISTENER_H
#define LEARN_NEIGHBOR_LISTENER_H

#include "learn/neighbor/points.h"

typedef struct {
    Index *index;
    uint32_t gone; /* the oldest points that it has let go */
    Query query;
    Nearest nearest;
    SearchWorkspace workspace;
    double *share;
    size_t share_capacity;
} Listener;

/* The scores of a row by the points as they are now but the oldest `gone`, 0 where there are none. points->index is not looked at. Since
 * the last time points may have been added at the end; clv_listener_forget where anything else was done to them. */
Status clv_listener_answer(Listener *listener, Context *context, const Points *points, uint32_t gone,
                           const Block *block, uint32_t row, double *scores, cleave_error *error);
/* clv_points_votes_to_win for the label of the row, by the same points; 1 without points. */
Status clv_listener_votes(Listener *listener, Context *context, const Points *points, uint32_t gone, const Block *block,
                          uint32_t row, uint32_t *votes, cleave_error *error);
/* Drops the structure: the next question makes another. */
void clv_listener_forget(Listener *listener);
void clv_listener_free(Listener *listener, Context *context);

#endif
