/* The data of the charts of an evaluation, from the rows that a tally has kept: thinned curves,
 * calibration (the reliability diagram; DeGroot and Fienberg 1983) and histograms. A histogram ends
 * where 0.5% of the rows remain on either side; its outermost bins contain them, so that an outlier
 * does not stretch the chart. */
#ifndef EVAL_CURVES_H
#define EVAL_CURVES_H

#include "eval/tally.h"

typedef struct {
    cleave_evaluation_plots facts; /* first member, because the caller has its address */
    Context *context;
    cleave_curve *curves;
    cleave_threshold *thresholds;
    cleave_calibration_bin *calibration;
    cleave_histogram_bar *bars;
    cleave_prediction_pair *answers;
} Pictures;

/* Called after the last block, and before clv_tally_end, which changes the signs of scores. The
 * result must be freed also after a failure. */
Status clv_pictures_make(Pictures *pictures, Tally *tally, cleave_error *error);
void clv_pictures_free(Pictures *pictures); /* accepts a zeroed structure */

#endif
