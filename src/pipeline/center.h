/*
 * A centre that distances are measured from: the origin, a point that is given ("37.4/-122.2"), or the mean of the training rows.
 * For the stages that turn places into distances.
 */
#ifndef PIPELINE_CENTER_H
#define PIPELINE_CENTER_H

#include "pipeline/transform.h"

/* Whether the text is "origin", "mean", or numbers with '/' between them. */
Status clv_centre_check(const char *stage, const char *text, cleave_error *error);
bool clv_centre_is_mean(const char *text);
/* The centre of `count` columns, from the text and, for the mean, the sums of the training rows. */
Status clv_centre(const Stage *stage, const char *text, const double *sums, size_t count, double *centre);
/* The column of that name ("x3", too, where columns have numbers). */
Status clv_find_column(const Stage *stage, const char *parameter, const char *name, uint32_t *column);

#endif
