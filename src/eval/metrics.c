/* Metrics over counts and arrays, with their intervals. Sums are Welford's or compensated: results
 * agree with references to 1e-12. */
#include "eval/metrics.h"
#include "eval/interval.h"

#include <math.h>

/* ---- shares ---------------------------------------------------------------------------------- */

static cleave_interval wilson(double share, double n)
{
    Interval sure = clv_wilson(share * n, n);

    return n > 0 ? (cleave_interval){share, sure.low, sure.high}
                 : (cleave_interval){share, (double)NAN, (double)NAN};
}

static cleave_interval without_interval(double value)
{
    return (cleave_interval){value, (double)NAN, (double)NAN};
}

cleave_interval clv_share(double right, double count, double n)
{
    return count > 0 ? wilson(right / count, n) : NO_MEASURE;
}

cleave_interval clv_share_by_variance(double value, double variance, double n)
{
    bool inside = variance > 0 && value > 0 && value < 1;

    return isnan(value) ? NO_MEASURE : wilson(value, inside ? value * (1 - value) / variance : n);
}

/* ---- means ----------------------------------------------------------------------------------- */

void clv_moments_add(Moments *moments, double value, double weight)
{
    double off = value - moments->mean;

    if (!(weight > 0))
        return;
    moments->rows++;
    moments->weight += weight;
    moments->weight_squares += weight * weight;
    moments->mean += off * weight / moments->weight;
    moments->squares += weight * off * (value - moments->mean);
}

/* The effective number of rows: the number of rows of equal weight with the same variance. */
static double worth_of(const Moments *moments)
{
    return moments->weight * moments->weight / moments->weight_squares;
}

cleave_interval clv_moments_mean(const Moments *moments)
{
    double worth = worth_of(moments), variance = moments->squares / moments->weight / (worth - 1);
    Interval sure = clv_positive_mean(moments->mean, variance, worth);

    return moments->rows == 0 ? NO_MEASURE : (cleave_interval){sure.middle, sure.low, sure.high};
}

cleave_interval clv_probability_loss(const Moments *losses, double others, double most)
{
    cleave_interval found = clv_moments_mean(losses);

    return others < INTERVAL_CLASS_ROWS ||
                   (isinf(most) && worth_of(losses) < INTERVAL_LOG_LOSS_ROWS)
               ? without_interval(found.value)
               : (cleave_interval){found.value, found.low, found.high > most ? most : found.high};
}

double clv_log_loss(double of_truth)
{
    const double least = 0x1p-52;

    return -log(fmin(fmax(of_truth, least), 1 - least));
}

double clv_brier(const double *probabilities, size_t classes, size_t truth)
{
    double sum = 0;

    for (size_t i = 0; i < classes; i++) {
        double off = probabilities[i] - (i == truth);

        sum += off * off;
    }
    return classes == 2 ? sum / 2 : sum;
}

/* ---- classes --------------------------------------------------------------------------------- */

static bool is_there(const ClassCounts *counts, size_t number)
{
    return counts->rows[number] > 0 || counts->answers[number] > 0;
}

/* A ratio of counts; 0 if one of them is 0. */
static cleave_interval ratio(double right, double count, double spread)
{
    return count / spread >= INTERVAL_CLASS_ROWS ? clv_share(right, count, count / spread)
                                                 : without_interval(count > 0 ? right / count : 0);
}

/* F1 = 2J / (1 + J), where J is the fraction of correct predictions among the rows that are in the
 * class or predicted as the class. The interval of J gives that of F1. */
static cleave_interval f1_of(double right, double rows, double answers, double spread)
{
    cleave_interval share = ratio(right, rows + answers - right, spread);

    return (cleave_interval){2 * right / (rows + answers), 2 * share.low / (1 + share.low),
                             2 * share.high / (1 + share.high)};
}

ClassMetrics clv_class_metrics(const ClassCounts *counts, size_t number)
{
    double rows = counts->rows[number], answers = counts->answers[number],
           right = counts->right[number];

    if (!is_there(counts, number))
        return (ClassMetrics){NO_MEASURE, NO_MEASURE, NO_MEASURE};
    return (ClassMetrics){
        .precision = ratio(right, answers, counts->spread),
        .recall = ratio(right, rows, counts->spread),
        .f1 = f1_of(right, rows, answers, counts->spread),
    };
}

typedef enum { PRECISION, RECALL, F1 } Averaged;

/* A metric of one class: times * right / denominator. */
typedef struct {
    double value, times, denominator;
    /* whether the denominator contains the rows, and the predictions, of the class */
    bool of_rows, of_answers;
} Part;

static Part part_of(const ClassCounts *counts, size_t number, Averaged which)
{
    double rows = counts->rows[number], answers = counts->answers[number];
    Part part = {
        .times = which == F1 ? 2 : 1, .of_rows = which != PRECISION, .of_answers = which != RECALL};

    part.denominator = (part.of_rows ? rows : 0) + (part.of_answers ? answers : 0);
    part.value = part.denominator > 0 ? part.times * counts->right[number] / part.denominator : 0;
    return part;
}

typedef struct {
    double value, there, rows; /* the average, the number of classes, and their total weight */
} Average;

static double share_of(const ClassCounts *counts, size_t number, const Average *average,
                       bool by_rows)
{
    return by_rows ? counts->rows[number] / average->rows : 1 / average->there;
}

static Average average_of(const ClassCounts *counts, Averaged which, bool by_rows)
{
    Average average = {0};

    for (size_t k = 0; k < counts->classes; k++) {
        if (!is_there(counts, k))
            continue;
        average.there++;
        average.rows += counts->rows[k];
    }
    if (average.there == 0 || (by_rows && !(average.rows > 0)))
        return (Average){.value = (double)NAN};
    for (size_t k = 0; k < counts->classes; k++)
        if (is_there(counts, k))
            average.value += (by_rows ? counts->rows[k] : 1) * part_of(counts, k, which).value;
    average.value /= by_rows ? average.rows : average.there;
    return average;
}

/* The derivative of the term of a class by the cell of the confusion matrix for true class i and
 * predicted class j. */
static double part_influence(const Part *part, size_t number, size_t i, size_t j)
{
    double in_denominator = (number == i && part->of_rows) + (number == j && part->of_answers);

    return part->denominator > 0
               ? ((i == j ? part->times : 0) - part->value * in_denominator) / part->denominator
               : 0;
}

double clv_f1_influence(const ClassCounts *counts, size_t number, size_t truth, size_t answer)
{
    Part part = part_of(counts, number, F1);

    return number == truth || number == answer ? part_influence(&part, number, truth, answer) : 0;
}

/* The derivative of the average by the cell for true class i and predicted class j. In the average
 * weighted by rows, the weight of a class changes too. Unknown labels and abstentions have numbers
 * after those of the classes, and never match. */
static double influence(const ClassCounts *counts, size_t i, size_t j, Averaged which, bool by_rows,
                        const Average *average)
{
    const size_t sides[2] = {i, j};
    double moved = 0;

    for (size_t side = 0; side < (i == j ? 1u : 2u); side++) {
        size_t k = sides[side];
        Part part;

        if (k >= counts->classes)
            continue;
        part = part_of(counts, k, which);
        moved += share_of(counts, k, average, by_rows) * part_influence(&part, k, i, j);
        if (by_rows && k == i)
            moved += (part.value - average->value) / average->rows;
    }
    return moved;
}

/* The variance by the delta method. */
static double average_variance(const ClassCounts *counts, Averaged which, bool by_rows,
                               const Average *average)
{
    size_t width = counts->classes + 1;
    double variance = 0;

    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < width; j++)
            if (counts->confusion[i * width + j] > 0) {
                double moved = influence(counts, i, j, which, by_rows, average);

                variance += counts->confusion[i * width + j] * counts->spread * moved * moved;
            }
    return variance;
}

static bool has_few(const ClassCounts *counts, Averaged which)
{
    double least = INTERVAL_CLASS_ROWS * counts->spread;

    for (size_t k = 0; k < counts->classes; k++)
        if ((which != PRECISION && counts->rows[k] < least) ||
            (which != RECALL && counts->answers[k] < least))
            return true;
    return false;
}

static double share_variance(Averaged which, double share)
{
    return share * (1 - share) * (which == F1 ? 4 / pow(1 + share, 4) : 1);
}

/* Fractions of classes with pseudo-rows, as in the interval of Agresti and Coull (1998). By the
 * delta method, a class with few rows that are all correct would have a variance of 0. */
typedef struct {
    double value;    /* the average of the smoothed fractions */
    double variance; /* added by smoothing */
} Smoothed;

/* Four pseudo-rows over all classes, half of them correct, and one for each class, correct at
 * the overall rate. */
#define PSEUDO_ROWS 4.0
#define PSEUDO_OF_CLASS 1.0

static Smoothed smooth(const ClassCounts *counts, Averaged which, bool by_rows,
                       const Average *average)
{
    double few = PSEUDO_ROWS / (double)counts->classes, right = 0, rows = 0, own, sum = 0,
           squares = 0;
    Smoothed smoothed = {0};

    for (size_t k = 0; k < counts->classes; k++) {
        right += counts->right[k];
        rows += which == F1 ? counts->rows[k] + counts->answers[k] - counts->right[k]
                            : counts->rows[k];
    }
    own = fmin(right / rows, 1);
    for (size_t k = 0; k < counts->classes; k++) {
        Part part = part_of(counts, k, which);
        double n = (part.denominator - (which == F1 ? counts->right[k] : 0)) / counts->spread;
        double found = counts->right[k] / counts->spread / n,
               by = share_of(counts, k, average, by_rows);
        double share = (found * n + PSEUDO_OF_CLASS * own + few / 2) / (n + PSEUDO_OF_CLASS + few);
        double slope = by * part.value / part.denominator;

        /* F1 = 2J / (1 + J). J is the fraction of correct predictions among the rows that are in
         * the class or predicted as the class. */
        smoothed.value += by * (which == F1 ? 2 * share / (1 + share) : share);
        smoothed.variance += by * by *
                             (share_variance(which, share) - share_variance(which, found)) / n;
        sum += slope;
        squares += slope * slope;
    }
    if (which == F1 && counts->classes > 1) /* a pseudo-error is an error of two classes */
        smoothed.variance += 2 * counts->spread * (PSEUDO_OF_CLASS * (1 - own) + few / 2) *
                             (sum * sum - squares) / (double)(counts->classes - 1);
    return smoothed;
}

/* The bias of a variance. Rows and predictions of a class vary together, so that in each class the
 * precision weighted by rows is p (1 - p) / n too high. */
static double weighted_bias(const ClassCounts *counts, const Average *average)
{
    double bias = 0;

    for (size_t k = 0; k < counts->classes; k++) {
        double value = part_of(counts, k, PRECISION).value;

        bias += value * (1 - value) * counts->spread / average->rows;
    }
    return bias;
}

static cleave_interval measure_average(const ClassCounts *counts, Averaged which, bool by_rows)
{
    Average average = average_of(counts, which, by_rows);
    bool plain = by_rows && which != PRECISION;
    cleave_interval found;
    double variance, value;
    Smoothed smoothed;

    if (isnan(average.value) || !counts->confusion || (!plain && has_few(counts, which)))
        return without_interval(average.value);
    variance = average_variance(counts, which, by_rows, &average);
    if (plain)
        return clv_share_by_variance(average.value, variance, average.rows / counts->spread);
    smoothed = smooth(counts, which, by_rows, &average);
    value = average.value - (by_rows ? weighted_bias(counts, &average) : 0);
    found = wilson(value, smoothed.value * (1 - smoothed.value) / (variance + smoothed.variance));
    return (cleave_interval){average.value, found.low, fmax(found.high, average.value)};
}

ClassMetrics clv_class_average(const ClassCounts *counts, bool by_rows)
{
    return (ClassMetrics){
        .precision = measure_average(counts, PRECISION, by_rows),
        .recall = measure_average(counts, RECALL, by_rows),
        .f1 = measure_average(counts, F1, by_rows),
    };
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double weight_of(const float *weights, size_t row)
{
    return weights ? (double)weights[row] : 1;
}

/* Fourth powers of numbers with exponents of 2 up to this magnitude are in the range of doubles. */
enum { MOST_EXPONENT = 200 };

/* A power of 2 that scales numbers of this size into range; 1 if scaling is unnecessary. */
static double unit_of(double largest)
{
    int exponent = largest > 0 && isfinite(largest) ? ilogb(largest) : 0;

    return exponent >= -MOST_EXPONENT && exponent <= MOST_EXPONENT ? 1 : ldexp(1, exponent);
}

/* Converts the value and the bounds to the unit of the errors. */
static cleave_interval in_unit(cleave_interval measure, double unit)
{
    return (cleave_interval){unit * measure.value, unit * measure.low, unit * measure.high};
}

/* R^2 = 1 - Q, where Q is the ratio of two means, with its variance by the delta method. The mean
 * squared error is in squares of error_unit, the moments of the targets are in target_unit. */
static cleave_interval r2_of(const double *targets, const double *answers, const float *weights,
                             size_t count, const Moments *truth, double mean_square,
                             double error_unit, double target_unit)
{
    double spread = truth->squares / truth->weight, ratio = mean_square / spread, sum = 0,
           worth = worth_of(truth);
    double unit = error_unit / target_unit * (error_unit / target_unit);
    Interval sure;

    if (!(truth->squares > 0))
        return NO_MEASURE;
    for (size_t i = 0; i < count; i++) {
        double off = (answers[i] - targets[i]) / error_unit,
               from_mean = targets[i] / target_unit - truth->mean;
        double moved = weight_of(weights, i) * (off * off - ratio * from_mean * from_mean);

        sum += moved * moved;
    }
    sure = clv_ratio(ratio, sum * worth / (worth - 1) / truth->squares / truth->squares, worth);
    ratio *= unit;
    if (isnan(sure.low)) /* the upper bound is the value, infinite or NaN: see eval/interval.h */
        return (cleave_interval){1 - ratio, sure.low, 1 - unit * sure.high};
    return (cleave_interval){1 - ratio, 1 - unit * sure.high, 1 - unit * sure.low};
}

RegressionMetrics clv_regression_metrics(const double *targets, const double *answers,
                                         const float *weights, size_t count)
{
    Moments squared = {0}, absolute = {0}, truth = {0};
    double largest_error = 0, largest_target = 0, error_unit, target_unit;
    RegressionMetrics metrics;

    for (size_t i = 0; i < count; i++) {
        largest_error = fmax(largest_error, fabs(answers[i] - targets[i]));
        largest_target = fmax(largest_target, fabs(targets[i]));
    }
    error_unit = unit_of(largest_error);
    target_unit = unit_of(largest_target);
    for (size_t i = 0; i < count; i++) {
        double off = (answers[i] - targets[i]) / error_unit, weight = weight_of(weights, i);

        clv_moments_add(&squared, off * off, weight);
        clv_moments_add(&absolute, fabs(off), weight);
        clv_moments_add(&truth, targets[i] / target_unit, weight);
    }
    metrics.rmse = clv_moments_mean(&squared);
    metrics.rmse = (cleave_interval){sqrt(metrics.rmse.value), sqrt(metrics.rmse.low),
                                     sqrt(metrics.rmse.high)};
    metrics.rmse = in_unit(metrics.rmse, error_unit);
    metrics.mae = in_unit(clv_moments_mean(&absolute), error_unit);
    metrics.r2 = r2_of(targets, answers, weights, count, &truth, squared.mean, error_unit,
                       target_unit);
    metrics.mean_rmse = target_unit * sqrt(truth.squares / truth.weight);
    metrics.rescaled = error_unit != 1 || target_unit != 1;
    return metrics;
}
