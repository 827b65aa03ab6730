/*
 * How sure a measured number is: 95 % intervals. A share of wrong answers has Wilson's (1927), which keeps its coverage where errors are few; the
 * mean of a few numbers Student's t (1908). Folds share most of their training rows, so that their results vary less among themselves
 * than results on new data would: Nadeau and Bengio (2003, "Inference for the generalization error") widen the variance of the
 * mean from 1/m to 1/m + n_test / n_train.
 */
#ifndef RUN_INTERVAL_H
#define RUN_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double middle, low, high;
} Interval;

/* n may be 0: nothing is known then. errors need not be whole, as the mean of several counts. */
Interval clv_wilson(double errors, double n);
/* The root of the mean of squares, from the sums of squares and of their squares over n rows. */
Interval clv_root_mean(double squares, double fourths, double n);
/* Of m numbers; test_to_train is 0 where they are independent. NaN bounds where m is 1. */
Interval clv_mean_of_folds(const double *numbers, size_t count, double test_to_train);
/* What Student's t with so many degrees of freedom exceeds, either way, once in twenty times. */
double clv_student(uint64_t freedom);
/* The chance that |T| is below t, which is not negative. */
double clv_student_within(double t, uint64_t freedom);

#endif
