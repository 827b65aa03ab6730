/*
 * What pictures of a judgement are drawn of, made from the rows that a tally has kept: curves thinned until a picture would show it, how far probabilities
 * are to be believed (the reliability diagram; DeGroot and Fienberg 1983), and bars of a histogram. Columns end where half a per cent of the rows is left on
 * either side, and the outermost hold those too: one row far away would otherwise take the picture.
 */
#ifndef EVAL_CURVES_H
#define EVAL_CURVES_H

#include "eval/tally.h"

typedef struct {
    cleave_evaluation_plots facts; /* first: the caller has its address */
    Context *context;
    cleave_curve *curves;
    cleave_threshold *thresholds;
    cleave_calibration_bin *calibration;
    cleave_histogram_bar *bars;
    cleave_prediction_pair *answers;
} Pictures;

/* After the last block and before clv_tally_end, which lets the scores change their signs. Free it in any case. */
Status clv_pictures_make(Pictures *pictures, Tally *tally, cleave_error *error);
void clv_pictures_free(Pictures *pictures); /* zeroed is fine */

#endif
