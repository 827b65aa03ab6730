/* Contour lines of numbers on a grid: marching squares (Lorensen and Cline 1987, in the plane). */
#ifndef PLOT_CONTOUR_H
#define PLOT_CONTOUR_H

#include "plot/polygon.h"

/* Values at the centers of across * up cells of a box (left, bottom, right, top), row by row from
 * the lower left. */
typedef struct {
    double box[4];
    size_t across, up;
    const double *values; /* NaN: none; no line passes there */
} ContourGrid;

typedef struct {
    Context *context;
    Spot *ends; /* pairs: the two ends of each piece */
    size_t count, capacity;
} Contour;

/* Adds the pieces of the lines where the values pass the level; each line is a sequence of pieces
 * whose ends coincide. The caller frees contour->ends, also
 * on failure. */
Status clv_contour(Contour *contour, const ContourGrid *grid, double level, cleave_error *error);

#endif
