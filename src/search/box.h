/*
 * Boxes in the space of the points. A box of d dimensions that is stored as a point is the point of
 * its 2d bounds, so a comparison of boxes is a search for the points in a box of 2d dimensions.
 */
#ifndef SEARCH_BOX_H
#define SEARCH_BOX_H

#include "learn/neighbor/points.h"

enum { MATCH_INTERSECTS, MATCH_WITHIN, MATCH_CONTAINS };
extern const char *const clv_box_matches[];

/* The bounds of each column; free low, which contains both. */
typedef struct {
    float *low, *high;
} Box;

/* The box of "x=1..3,y=0..2": columns of the points, or dimensions of boxes stored as points. */
Status clv_box_parse(const Model *model, const Points *points, const char *text, int match,
                     Box *box, cleave_error *error);

#endif
