/*
 * For simulations of the coverage of 95% confidence intervals: counts how often an interval
 * contains the true value. Missing intervals ("too few rows") do not count. A setting without
 * intervals in most data sets is not checked.
 *
 * With CLEAVE_LONG=1, every coverage is printed. bench/intervals prints tables of these values.
 */
#ifndef TESTS_COVERAGE_H
#define TESTS_COVERAGE_H

#include "property/table.h"

#include "eval/interval.h"
#include "eval/metrics.h"
#include "eval/ranking.h"
#include "eval/row_loss.h"

#include <math.h>

enum { MOST_CLASSES = 20, MOST_METRICS = 16 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- counting -------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    double truth;
    uint64_t tests, printed, covered;
} Coverage;

static inline void count(Coverage *coverage, cleave_interval found)
{
    coverage->tests++;
    if (isnan(found.low))
        return;
    assert_true(found.low <= found.value && found.value <= found.high);
    coverage->printed++;
    coverage->covered += found.low <= coverage->truth && coverage->truth <= found.high;
}

/* Fails below 93% by more than five standard errors of the simulation. Few settings are above 98%:
 * those with fractions near 0 or 1. */
static inline void check(const Coverage *list, size_t metrics, const char *setting, size_t rows)
{
    for (size_t i = 0; i < metrics; i++) {
        const Coverage *one = &list[i];
        double printed = (double)one->printed, share = (double)one->covered / printed;

        if (getenv("CLEAVE_LONG"))
            printf("coverage\t%s\t%s\t%zu\t%.3f\t%.4f\n", one->name, setting, rows,
                   printed / (double)one->tests, share);
        if (2 * one->printed >= one->tests && share < 0.93 - 5 * sqrt(0.93 * 0.07 / printed))
            fail_msg("%s, %s, %zu rows: coverage %.3f", one->name, setting, rows, share);
    }
}

/* ---- confusion matrices */

typedef struct {
    size_t classes;
    double cell[(MOST_CLASSES + 1) * (MOST_CLASSES + 1)];
    double rows[MOST_CLASSES], answers[MOST_CLASSES], right[MOST_CLASSES];
} Cells;

static inline void sum_cells(Cells *cells)
{
    size_t width = cells->classes + 1;

    memset(cells->rows, 0, sizeof cells->rows);
    memset(cells->answers, 0, sizeof cells->answers);
    for (size_t i = 0; i < cells->classes; i++) {
        cells->right[i] = cells->cell[i * width + i];
        for (size_t j = 0; j < cells->classes; j++) {
            cells->rows[i] += cells->cell[i * width + j];
            cells->answers[j] += cells->cell[i * width + j];
        }
    }
}

#define EXPECTED 1e6 /* rows of expected cells */

static inline void draw_cells(const Cells *expected, size_t rows, Random *random, Cells *cells)
{
    size_t size = (expected->classes + 1) * (expected->classes + 1);

    *cells = (Cells){.classes = expected->classes};
    for (size_t row = 0; row < rows; row++) {
        double at = EXPECTED * clv_random_unit(random);
        size_t cell = 0;

        while (cell + 1 < size && at >= expected->cell[cell])
            at -= expected->cell[cell++];
        cells->cell[cell]++;
    }
    sum_cells(cells);
}

static const char *const class_metrics[] = {
    "error rate",       "macro precision", "macro recall",    "macro F1",     "weighted precision",
    "weighted recall",  "weighted F1",     "class precision", "class recall", "class F1",
    "rarest precision", "rarest recall",   "rarest F1"};

static inline void measure_classes(const Cells *cells, cleave_interval measures[MOST_METRICS])
{
    ClassCounts counts = {cells->classes, cells->rows, cells->answers,
                          cells->right,   cells->cell, 1};
    ClassMetrics groups[] = {clv_class_average(&counts, false), clv_class_average(&counts, true),
                             clv_class_metrics(&counts, 0),
                             clv_class_metrics(&counts, cells->classes - 1)};
    double right = 0, all = 0;

    for (size_t k = 0; k < cells->classes; k++) {
        right += cells->right[k];
        all += cells->rows[k];
    }
    measures[0] = clv_share(all - right, all, all);
    for (size_t i = 0; i < COUNT(groups); i++) {
        measures[3 * i + 1] = groups[i].precision;
        measures[3 * i + 2] = groups[i].recall;
        measures[3 * i + 3] = groups[i].f1;
    }
}

/* ---- metrics of folds */

enum { FOLD_METRICS = 6 };

static const MetricId fold_metrics[FOLD_METRICS] = {METRIC_ERROR, METRIC_LOG_LOSS,
                                                    METRIC_F1,    METRIC_MACRO_F1,
                                                    METRIC_AUC,   METRIC_AVERAGE_PRECISION};

static const RowMetric *metric_of(size_t number)
{
    const RowMetric *metric;

    assert_int_equal(clv_metric_choose(fold_metrics[number], false, 2, &metric, NULL), OK);
    return metric;
}

/* ---- cross-validation of real methods */

typedef struct {
    const char *name, *method, *folds;
    size_t rows;
    uint32_t columns;
    double apart; /* means of neighboring classes in two columns; regression: the coefficients */
    uint32_t classes; /* 0: regression with t errors, 5 degrees of freedom */
    double first;     /* fraction of the first class; the others are equally frequent */
} CvSetting;

static inline double draw_student(int freedom, Random *random)
{
    double z = clv_random_normal(random), chi_square = 0;

    for (int i = 0; i < freedom; i++) {
        double more = clv_random_normal(random);

        chi_square += more * more;
    }
    return z / sqrt(chi_square / freedom);
}

static inline cleave_data *draw_data(Context *context, const CvSetting *setting, Random *random)
{
    uint32_t last = setting->classes - 1;
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t row = 0; row < setting->rows; row++) {
        double unit = clv_random_unit(random), shift = 0, sum = 0;
        uint32_t indexes[32], label = 0;
        float values[32];
        char text[32];

        if (setting->classes) {
            if (unit >= setting->first)
                label = 1 + (uint32_t)((unit - setting->first) / (1 - setting->first) * last);
            shift = setting->apart * ((double)label - last / 2.0);
        }
        for (uint32_t j = 0; j < setting->columns; j++) {
            indexes[j] = j;
            values[j] = (float)(clv_random_normal(random) + (j < 2 ? shift : 0));
            sum += j < 2 ? setting->apart * (double)values[j] : 0;
        }
        if (setting->classes)
            snprintf(text, sizeof text, "%c", (char)('a' + label));
        else
            snprintf(text, sizeof text, "%.6f", sum + draw_student(5, random));
        FINE(cleave_data_add(data, text, setting->columns, indexes, values, &error));
    }
    return data;
}

/* The mean over folds. The true value is its expectation, the error of the method with that many
 * training rows, which is estimated by the mean over all data sets here. */
static inline void cover_cv(const CvSetting *setting, uint64_t times, uint64_t seed)
{
    Context *context = new_context(1);
    cleave_interval *found = calloc(times, sizeof *found);
    Coverage coverage = {.name = "mean over folds"};
    Random random = clv_random(seed, 0);

    assert_non_null(found);
    for (uint64_t t = 0; t < times; t++) {
        cleave_data *data = draw_data(context, setting, &random);
        cleave_options *options = cleave_options_new(context),
                       *training = cleave_options_new(context);
        cleave_cv_result *result;
        cleave_error error = {0};

        FINE(cleave_options_set(options, "folds", setting->folds, &error));
        FINE(cleave_cv(context, setting->method, data, options, training, &result, &error));
        found[t] = (cleave_interval){result->mean, result->mean_low, result->mean_high};
        coverage.truth += result->mean / (double)times;
        cleave_cv_free(result);
        cleave_options_free(options);
        cleave_options_free(training);
        cleave_data_free(data);
    }
    for (uint64_t t = 0; t < times; t++)
        count(&coverage, found[t]);
    check(&coverage, 1, setting->name, setting->rows);
    free(found);
    cleave_context_free(context);
}

#endif
