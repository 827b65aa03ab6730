/*
 * Boxes in the space of the points. A box of d dimensions can be stored as a point whose 2d values
 * are its bounds. A comparison of such boxes is a search for the points in a box of 2d dimensions.
 */
#ifndef SEARCH_BOX_H
#define SEARCH_BOX_H

#include "learn/neighbor/points.h"

enum { MATCH_INTERSECTS, MATCH_WITHIN, MATCH_CONTAINS };
extern const char *const clv_box_matches[];

/* The bounds of each column. The memory of low contains both arrays. */
typedef struct {
    float *low, *high;
} Box;

/* Parses a box such as "x=1..3,y=0..2", by columns of the points or dimensions of boxes stored as
 * points. */
Status clv_box_parse(const Model *model, const Points *points, const char *text, int match,
                     Box *box, cleave_error *error);

#endif
