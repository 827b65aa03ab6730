#include "eval/paired_test.h"

#include "eval/interval.h"

#include <math.h>
#include <stdbool.h>

double clv_normal_tails(double z)
{
    return erfc(fabs(z) / sqrt(2.0));
}

double clv_student_tails(double t, uint64_t freedom)
{
    return isinf(t) ? 0 : fmax(0, 1 - clv_student_within(fabs(t), freedom));
}

void clv_pair_add(PairSums *sums, const float *loss, const float *other, const uint16_t *of,
                  uint64_t rows)
{
    for (uint64_t row = 0; row < rows; row++) {
        PairSums *fold = &sums[of[row]];
        double off = (double)loss[row] - (double)other[row];

        if (isnan(off))
            continue;
        fold->n++;
        fold->sum += off;
        fold->squares += off * off;
    }
}

/* The mean divided by its standard error. */
static double ratio(double mean, double variance)
{
    return variance > 0 ? mean / sqrt(variance) : mean == 0 ? 0 : (double)INFINITY;
}

static double p_of_folds(const PairSums *sums, size_t count, size_t folds, double test_to_train)
{
    double m = (double)folds, mean = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        if (sums[i].n)
            mean += sums[i].sum / (double)sums[i].n / m;
    for (size_t i = 0; i < count; i++) {
        double off = sums[i].n ? sums[i].sum / (double)sums[i].n - mean : 0;

        squares += off * off;
    }
    return clv_student_tails(ratio(mean, (1 / m + test_to_train) * squares / (m - 1)), folds - 1);
}

Paired clv_paired(const PairSums *sums, size_t count, double test_to_train, double repeats)
{
    Paired found = {.difference = (double)NAN, .p = (double)NAN};
    PairSums all = {0};

    for (size_t i = 0; i < count; i++) {
        found.folds += sums[i].n > 0;
        all.n += sums[i].n;
        all.sum += sums[i].sum;
        all.squares += sums[i].squares;
    }
    found.rows = all.n;
    if (all.n)
        found.difference = all.sum / (double)all.n;
    /* Under the null hypothesis the mean is 0, so the mean square is the variance. Around the
     * observed mean, a few equal rows would have no variance. */
    if (found.folds >= 2)
        found.p = fmax(clv_normal_tails(ratio(all.sum, all.squares * repeats)),
                       p_of_folds(sums, count, found.folds, test_to_train));
    return found;
}

/* Whether p-value j is before p-value i: in ascending order, ties by index. */
static bool comes_before(const double *p, size_t j, size_t i)
{
    return p[j] < p[i] || (p[j] == p[i] && j < i);
}

/* The j-th smallest of m p-values, multiplied by m - j. */
static double stepped(const double *p, size_t count, size_t j)
{
    size_t not_before = 0;

    for (size_t i = 0; i < count; i++)
        not_before += !isnan(p[i]) && !comes_before(p, i, j);
    return fmin(1, (double)not_before * p[j]);
}

void clv_holm(const double *p, double *adjusted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = p[i];
        for (size_t j = 0; j < count; j++)
            if (!isnan(p[j]) && (j == i || comes_before(p, j, i)))
                adjusted[i] = fmax(adjusted[i], stepped(p, count, j));
    }
}
