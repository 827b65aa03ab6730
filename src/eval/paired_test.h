/*
 * Whether two methods differ beyond chance, from the losses of both on the same rows. Two tests, and the larger of their p-values: over
 * folds, Student's t of the mean difference of each fold, its variance widened from 1/m to 1/m + n_test / n_train since folds share
 * training rows (Nadeau and Bengio 2003, "Inference for the generalization error"); over rows, the normal test of the mean
 * difference of a row, which for wrong and right answers is McNemar's (1947). A few folds may agree by chance where rows do not, and
 * rows may agree on models that other training rows would not have made. Of many such tests, Holm (1979) keeps the chance that
 * any of them errs.
 */
#ifndef EVAL_PAIRED_TEST_H
#define EVAL_PAIRED_TEST_H

#include <stddef.h>
#include <stdint.h>

/* Of the rows of one fold that both have answered: loss less the other's loss. */
typedef struct {
    uint64_t n;
    double sum, squares;
} PairSums;

typedef struct {
    double difference; /* of the mean losses; NaN where no row is common */
    double p;          /* that chance alone makes it as large, either way; NaN where fewer than two folds are common */
    size_t folds;
    uint64_t rows;
} Paired;

/* Losses of as many rows; where either is NaN, the row is not counted. of: the fold of each row, below the length of sums. */
void clv_pair_add(PairSums *sums, const float *loss, const float *other, const uint16_t *of, uint64_t rows);

/* Folds that have no common row do not count. repeats: how often each row is in sums. */
Paired clv_paired(const PairSums *sums, size_t count, double test_to_train, double repeats);

/* What each p-value is among all of them; NaN stays, and does not count. */
void clv_holm(const double *p, double *adjusted, size_t count);

/* The chance that |T| is above |t|, by Student's distribution; that |Z| is above |z|, by the normal one. */
double clv_student_tails(double t, uint64_t freedom);
double clv_normal_tails(double z);

#endif
