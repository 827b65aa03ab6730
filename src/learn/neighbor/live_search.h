/*
 * Searches between insertions, for streams. The index follows the points as they are added, and the
 * memory of a search is reused.
 */
#ifndef LEARN_NEIGHBOR_LIVE_SEARCH_H
#define LEARN_NEIGHBOR_LIVE_SEARCH_H

#include "learn/neighbor/points.h"

typedef struct {
    Index *index;
    uint32_t gone; /* number of oldest points removed */
    Query query;
    Nearest nearest;
    SearchWorkspace workspace;
    double *share;
    size_t share_capacity;
} LiveSearch;

/* Computes the scores of a row from the current points without the oldest `gone`; without points,
 * the scores are 0. Ignores points->index. Points may only have been appended since the last call.
 * Call clv_live_search_forget after any other change. */
Status clv_live_search_scores(LiveSearch *live, Context *context, const Points *points,
                              uint32_t gone, const Block *block, uint32_t row, double *scores,
                              cleave_error *error);
/* Computes clv_points_votes_to_win for the label of the row with the same points; the result is 1
 * without points. */
Status clv_live_search_votes(LiveSearch *live, Context *context, const Points *points,
                             uint32_t gone, const Block *block, uint32_t row, uint32_t *votes,
                             cleave_error *error);
/* Drops the index; the next query builds another. */
void clv_live_search_forget(LiveSearch *live);
void clv_live_search_free(LiveSearch *live, Context *context);

#endif
