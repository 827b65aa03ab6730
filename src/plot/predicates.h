/*
 * Geometric predicates: signs of determinants of 32-bit coordinates. They are computed in double
 * precision if the result exceeds the rounding error (bounds of Shewchuk 1997, "Adaptive precision
 * floating-point arithmetic and fast robust geometric predicates"), otherwise exactly. Products of
 * two coordinates are exact in a double, of four in two doubles, and base/exact.h sums them without
 * rounding.
 */
#ifndef PLOT_PREDICATES_H
#define PLOT_PREDICATES_H

/* The orientation of three points, which are pairs x, y. Positive: a, b, c are counter-clockwise;
 * 0: collinear. The value is about twice the area of the triangle. */
double clv_turn(const float *a, const float *b, const float *c);
/* Positive if d is inside the circle through a, b, c, which are counter-clockwise; 0 if it is on
 * the circle. */
double clv_in_circle(const float *a, const float *b, const float *c, const float *d);

#endif
