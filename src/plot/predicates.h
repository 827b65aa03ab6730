/*
 * On which side? Signs of determinants of coordinates of 32 bits: in double precision where the result is beyond what rounding can do (the error bounds
 * of Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates"), otherwise exactly. Products
 * of two such coordinates are exact in a double, of four in two doubles, and base/exact.h sums them without rounding.
 */
#ifndef PLOT_PREDICATES_H
#define PLOT_PREDICATES_H

/* Places are pairs: x, y. Above 0: a, b, c go round counter-clockwise; 0: they are on a line. About twice the area of the triangle. */
double clv_turn(const float *a, const float *b, const float *c);
/* Above 0: d is inside of the circle through a, b, c, which go round counter-clockwise; 0: on it. */
double clv_in_circle(const float *a, const float *b, const float *c, const float *d);

#endif
