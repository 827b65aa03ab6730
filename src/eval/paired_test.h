/* Tests whether two methods differ significantly, from the losses of both on the same rows. The
 * p-value is the larger one of two tests. Over folds: Student's t of the mean difference of each
 * fold, with the variance widened from 1/m to 1/m + n_test / n_train because folds share training
 * rows (Nadeau and Bengio 2003, "Inference for the generalization error"). Over rows: the normal
 * test of the mean difference of a row, which for classification errors is McNemar's (1947). Few
 * folds may agree by chance where rows do not, and the test over rows ignores the variance between
 * training sets. Holm's method (1979) corrects several tests. */
#ifndef EVAL_PAIRED_TEST_H
#define EVAL_PAIRED_TEST_H

#include <stddef.h>
#include <stdint.h>

/* Sums over the rows of one fold that both methods predicted: loss of one method minus loss of the
 * other. */
typedef struct {
    uint64_t n;
    double sum, squares;
} PairSums;

typedef struct {
    double difference; /* difference of the mean losses; NaN without common rows */
    double p;          /* two-sided p-value; NaN with fewer than two common folds */
    size_t folds;
    uint64_t rows;
} Paired;

/* Adds the losses of both methods for the same rows. A row with a NaN is skipped. of: the fold of
 * each row, below the length of sums. */
void clv_pair_add(PairSums *sums, const float *loss, const float *other, const uint16_t *of,
                  uint64_t rows);

/* Tests the difference. Folds without common rows are skipped. repeats: number of times that each
 * row is in the sums. */
Paired clv_paired(const PairSums *sums, size_t count, double test_to_train, double repeats);

/* Computes Holm-corrected p-values. NaN stays NaN and is not counted. */
void clv_holm(const double *p, double *adjusted, size_t count);

/* P(|T| > |t|) of Student's distribution; P(|Z| > |z|) of the normal distribution. */
double clv_student_tails(double t, uint64_t freedom);
double clv_normal_tails(double z);

#endif
