/*
 * A center for distances: the origin, a given point ("37.4/-122.2"), or the mean of the training
 * rows. Used by the steps polar and radius.
 */
#ifndef PIPELINE_CENTER_H
#define PIPELINE_CENTER_H

#include "pipeline/transform.h"

/* Returns whether the text is "origin", "mean", or numbers separated by '/'. */
Status clv_center_check(const char *step, const char *text, cleave_error *error);
/* Computes the center of `count` columns, from the text and, for the mean, the sums of the training
 * rows. */
Status clv_center_point(const Step *step, const char *text, const double *sums, size_t count,
                        double *center);
/* Finds the column of that name ("x3" also if columns have numbers). */
Status clv_find_column(const Step *step, const char *parameter, const char *name, uint32_t *column);

#endif
