/* Predicts the time of a method on more rows from its time on fewer rows. Times are powers of the
 * number of rows, fitted to the two largest trials so far (the empirical order of growth; Sedgewick
 * and Wayne, "Algorithms", 1.4). Training time grows at most with the cube of the rows. If it grew
 * less than the rows, it is the sum of a fixed cost and a cost per row, where the fixed cost is at
 * most half of the later trial. The time of a prediction grows at most in proportion to the
 * training rows. This file also shares time among methods: equally, except that time that one
 * method does not need goes to the others (max-min fairness; Bertsekas and Gallager 1987). */
#ifndef SELECT_PACE_H
#define SELECT_PACE_H

#include <stdbool.h>
#include <stddef.h>

/* One trial: its number of training rows, its seconds without predictions, and seconds per
 * prediction. */
typedef struct {
    double rows, train, predict;
    bool guess; /* the trial was cancelled, because training takes longer than its time limit */
} PaceSample;

/* The two trials with the most rows; the one with fewer rows first. */
typedef struct {
    size_t count;
    PaceSample sample[2];
} Pace;

/* Adds a trial. A measured time replaces a guess, and a trial with less than 1.5 times the rows of
 * the last one replaces the last one. */
void clv_pace_add(Pace *pace, PaceSample sample);

/* Seconds to train on this number of rows, and seconds of one prediction afterwards; 0 without any
 * sample. */
double clv_pace_train(const Pace *pace, double rows);
double clv_pace_predict(const Pace *pace, double rows);

/* Chooses the numbers of training and test rows of a trial with this time limit in seconds: all
 * rows if the time allows. Otherwise, the most training rows that leave time to predict `least`
 * test rows, or as many as a tenth of the time allows, or all. Returns false if the time is too
 * short even for `fewest` training rows, which are then the result. */
typedef struct {
    double train, test;
} RowCounts;
bool clv_pace_afford(const Pace *pace, RowCounts all, double fewest, double least, double seconds,
                     RowCounts *rows);

/* The time limit per candidate with which all candidates take at most `total`. A candidate takes
 * the minimum of its need and this limit. */
double clv_fair_share(const double *needs, size_t count, double total);
/* The limit of the cheapest candidate: its need, if that is at most half of the total. */
double clv_cheapest_share(const double *needs, size_t count, double total, double need);

/* Seconds of a budget to reserve for the test of a winner and of the defaults on all rows, if the
 * longest trial on the folds took `longest` seconds; 0: unknown. */
double clv_test_reserve(double budget, double longest);

#endif
