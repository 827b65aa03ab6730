/*
 * Coverage of 95% confidence intervals by simulation. Each test draws data sets from a known
 * distribution, calls the functions that the verbs call, and counts how often the interval contains
 * the true value. Missing intervals ("too few rows") do not count. A setting without intervals in
 * most data sets is not checked. Shares are discrete, so their coverage oscillates with the share.
 * Each data set therefore has its own error rate, 0.7 to 1.3 times that of the setting, and the
 * coverage is the mean over them.
 *
 * CLEAVE_LONG=1 draws more data sets from all settings and prints every coverage. bench/intervals
 * makes the table of docs/guide/evaluation.md from it.
 */
#include "property/coverage.h"

static const size_t sizes[] = {30, 60, 100, 200, 1000};

/* ---- classes --------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    size_t classes;
    double first; /* share of the first of two classes; 0: Zipf */
    double error;
    bool uneven; /* errors are three times as frequent in the rarer half of the classes */
} ClassSetting;

static void expect_cells(const ClassSetting *setting, double factor, Cells *cells)
{
    size_t classes = setting->classes, width = classes + 1;
    double share[MOST_CLASSES], sum = 0, wrong = 0;

    *cells = (Cells){.classes = classes};
    for (size_t k = 0; k < classes; k++)
        sum += share[k] = setting->first > 0 ? (k == 0 ? setting->first : 1 - setting->first)
                                             : 1 / (double)(k + 1);
    for (size_t k = 0; k < classes; k++)
        wrong += (share[k] /= sum) * (setting->uneven && 2 * k >= classes ? 3 : 1);
    for (size_t i = 0; i < classes; i++) {
        double times = setting->uneven && 2 * i >= classes ? 3 : 1;
        double error = fmin(0.9, factor * setting->error / wrong * times);

        for (size_t j = 0; j < classes; j++)
            cells->cell[i * width + j] = EXPECTED * share[i] *
                                         (i == j ? 1 - error : error * share[j] / (1 - share[i]));
    }
    sum_cells(cells);
}

static void cover_classes(const ClassSetting *setting, size_t rows, uint64_t times, uint64_t seed)
{
    Coverage coverage[COUNT(class_metrics)] = {0};
    Random random = clv_random(seed, rows);

    for (uint64_t t = 0; t < times; t++) {
        cleave_interval truth[MOST_METRICS], found[MOST_METRICS];
        Cells expected, cells;

        expect_cells(setting, 0.7 + 0.6 * clv_random_unit(&random), &expected);
        measure_classes(&expected, truth);
        draw_cells(&expected, rows, &random, &cells);
        measure_classes(&cells, found);
        for (size_t i = 0; i < COUNT(class_metrics); i++) {
            coverage[i].name = class_metrics[i];
            coverage[i].truth = truth[i].value;
            count(&coverage[i], found[i]);
        }
    }
    check(coverage, COUNT(class_metrics), setting->name, rows);
}

static void test_classes(void **state)
{
    static const ClassSetting settings[] = {
        {"50/50, error 5%", 2, 0.5, 0.05, false},     {"90/10, error 20%", 2, 0.9, 0.2, true},
        {"5 classes, error 5%", 5, 0, 0.05, true},    {"20 classes, error 20%", 20, 0, 0.2, true},
        {"50/50, error 1%", 2, 0.5, 0.01, false},     {"50/50, error 20%", 2, 0.5, 0.2, false},
        {"50/50, error 40%", 2, 0.5, 0.4, false},     {"90/10, error 1%", 2, 0.9, 0.01, true},
        {"90/10, error 5%", 2, 0.9, 0.05, true},      {"97/3, error 1%", 2, 0.97, 0.01, true},
        {"97/3, error 5%", 2, 0.97, 0.05, true},      {"5 classes, error 1%", 5, 0, 0.01, true},
        {"5 classes, error 20%", 5, 0, 0.2, true},    {"5 classes, error 40%", 5, 0, 0.4, false},
        {"20 classes, error 1%", 20, 0, 0.01, true},  {"20 classes, error 5%", 20, 0, 0.05, true},
        {"20 classes, error 40%", 20, 0, 0.4, false},
    };
    uint64_t seed = test_seed("classes"), times = how_many(150, 5000);

    (void)state;
    for (size_t i = 0; i < how_many(4, COUNT(settings)); i++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            cover_classes(&settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- regression ------------------------------------------------------------------------------ */

typedef enum { NORMAL, STUDENT5, LOGNORMAL, UNEQUAL } Errors;

typedef struct {
    const char *name;
    Errors errors;
    double square, absolute; /* their expectations */
    double signal;           /* standard deviation of the prediction */
} NumberSetting;

static double draw_error(Errors errors, double x, Random *random)
{
    double z;

    if (errors == STUDENT5)
        return draw_student(5, random);
    z = clv_random_normal(random);
    if (errors == LOGNORMAL)
        return exp(z / 2) - exp(0.125);
    return errors == UNEQUAL ? exp(x / 2) * z : z;
}

static void cover_numbers(const NumberSetting *setting, size_t rows, uint64_t times, uint64_t seed)
{
    double all = setting->square + setting->signal * setting->signal;
    Coverage coverage[] = {{.name = "RMSE", .truth = sqrt(setting->square)},
                           {.name = "MAE", .truth = setting->absolute},
                           {.name = "R2", .truth = 1 - setting->square / all},
                           {.name = "RMSE of cv", .truth = sqrt(setting->square)}};
    Random random = clv_random(seed, rows);
    double targets[1000], answers[1000];

    for (uint64_t t = 0; t < times; t++) {
        double squares = 0, fourths = 0;
        RegressionMetrics found;
        Interval sure;

        for (size_t i = 0; i < rows; i++) {
            double x = clv_random_normal(&random), off = draw_error(setting->errors, x, &random);

            answers[i] = setting->signal * x;
            targets[i] = answers[i] + off;
            squares += off * off;
            fourths += off * off * off * off;
        }
        found = clv_regression_metrics(targets, answers, NULL, rows);
        sure = clv_root_mean(squares, fourths, (double)rows);
        count(&coverage[0], found.rmse);
        count(&coverage[1], found.mae);
        count(&coverage[2], found.r2);
        count(&coverage[3], (cleave_interval){sure.middle, sure.low, sure.high});
    }
    check(coverage, COUNT(coverage), setting->name, rows);
}

static void test_numbers(void **state)
{
    static const NumberSetting settings[] = {
        {"normal errors", NORMAL, 1, 0.7978845608, 2},
        {"t errors, 5 degrees of freedom", STUDENT5, 5 / 3.0, 0.9490, 2},
        {"lognormal errors", LOGNORMAL, 0.36469590, 0.44757, 1},
        {"heteroscedastic errors", UNEQUAL, 1.6487212707, 0.9041205, 1},
    };
    uint64_t seed = test_seed("numbers"), times = how_many(200, 5000);

    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t s = 0; s < how_many(4, COUNT(sizes)); s++)
            cover_numbers(&settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Scores of negative rows are normal with standard deviation 1. */
typedef struct {
    const char *name;
    double share;         /* of positive rows */
    double apart, spread; /* mean and standard deviation of their scores */
    double confidence;    /* factor on the log odds: above 1 the probabilities are overconfident */
} ScoreSetting;

static double upper_tail(double x)
{
    return erfc(x / sqrt(2.0)) / 2;
}

static double log_odds(const ScoreSetting *setting, double x)
{
    double z = (x - setting->apart) / setting->spread;

    return setting->confidence * (log(setting->share / (1 - setting->share)) -
                                  log(setting->spread) - z * z / 2 + x * x / 2);
}

static void row_losses(const ScoreSetting *setting, double x, bool positive, double *log_loss,
                       double *brier)
{
    double p = 1 / (1 + exp(-log_odds(setting, x))), both[2] = {1 - p, p};

    *log_loss = clv_log_loss(both[positive]);
    *brier = clv_brier(both, 2, positive);
}

typedef struct {
    double threshold; /* where the probabilities are equal */
    double error, f1, macro_f1, roc_area, pr_area, log_loss, brier;
} Truth;

static Truth truth_of(const ScoreSetting *setting)
{
    const double step = 1e-3, density = 1 / sqrt(2 * acos(-1));
    Truth truth = {
        .roc_area = upper_tail(-setting->apart / sqrt(1 + setting->spread * setting->spread))};
    double share = setting->share, missed, wrong;

    for (double x = -12; x < 12; x += step) {
        double z = (x - setting->apart) / setting->spread, right = share * upper_tail(z), log_loss,
               brier;
        double positive = share * step * density * exp(-z * z / 2) / setting->spread;
        double negative = (1 - share) * step * density * exp(-x * x / 2);

        truth.pr_area += positive / share * right / (right + (1 - share) * upper_tail(x));
        row_losses(setting, x, true, &log_loss, &brier);
        truth.log_loss += positive * log_loss;
        truth.brier += positive * brier;
        row_losses(setting, x, false, &log_loss, &brier);
        truth.log_loss += negative * log_loss;
        truth.brier += negative * brier;
        if (x < setting->apart && log_odds(setting, x) <= 0)
            truth.threshold = x;
    }
    missed = share * (1 - upper_tail((truth.threshold - setting->apart) / setting->spread));
    wrong = (1 - share) * upper_tail(truth.threshold);
    truth.error = missed + wrong;
    truth.f1 = 2 * (share - missed) / (2 * (share - missed) + truth.error);
    truth.macro_f1 = truth.f1 / 2 + (1 - share - wrong) / (2 * (1 - share - wrong) + truth.error);
    return truth;
}

static double draw_score(const ScoreSetting *setting, Random *random, bool *positive)
{
    double z = clv_random_normal(random);

    *positive = clv_random_unit(random) < setting->share;
    return *positive ? setting->apart + setting->spread * z : z;
}

static void cover_scores(const ScoreSetting *setting, size_t rows, uint64_t times, uint64_t seed)
{
    Truth truth = truth_of(setting);
    Coverage coverage[] = {{.name = "ROC area", .truth = truth.roc_area},
                           {.name = "PR area", .truth = truth.pr_area},
                           {.name = "log loss", .truth = truth.log_loss},
                           {.name = "Brier score", .truth = truth.brier}};
    Random random = clv_random(seed, rows);
    RankedRow ranked[1000];

    for (uint64_t t = 0; t < times; t++) {
        Moments log_losses = {0}, briers = {0};
        double others, log_loss, brier;
        Ranking ranking;

        for (size_t i = 0; i < rows; i++) {
            bool positive;
            double score = draw_score(setting, &random, &positive);

            ranked[i] = (RankedRow){score, (uint32_t)i, positive};
            row_losses(setting, score, positive, &log_loss, &brier);
            clv_moments_add(&log_losses, log_loss, 1);
            clv_moments_add(&briers, brier, 1);
        }
        clv_rank(&ranking, ranked, rows, NULL);
        others = (double)(ranking.positives < ranking.negatives ? ranking.positives
                                                                : ranking.negatives);
        count(&coverage[0], clv_roc_measure(&ranking));
        count(&coverage[1], clv_pr_measure(&ranking));
        count(&coverage[2], clv_probability_loss(&log_losses, others, INFINITY));
        count(&coverage[3], clv_probability_loss(&briers, others, 1));
    }
    check(coverage, COUNT(coverage), setting->name, rows);
}

static const ScoreSetting score_settings[] = {
    {"50/50, AUC 0.92", 0.5, 2, 1, 1},        {"90/10, AUC 0.76", 0.1, 1, 1, 1},
    {"50/50, AUC 0.99", 0.5, 3.3, 1, 1},      {"97/3, AUC 0.92", 0.03, 2, 1, 1},
    {"50/50, AUC 0.76", 0.5, 1, 1, 1},        {"90/10, AUC 0.92", 0.1, 2, 1, 1},
    {"90/10, AUC 0.99", 0.1, 3.3, 1, 1},      {"97/3, AUC 0.76", 0.03, 1, 1, 1},
    {"97/3, AUC 0.99", 0.03, 3.3, 1, 1},      {"50/50, unequal, overconfident", 0.5, 2, 2, 2},
    {"90/10, overconfident", 0.1, 2, 1, 1.5},
};

static void test_scores(void **state)
{
    uint64_t seed = test_seed("scores"), times = how_many(150, 5000);

    (void)state;
    for (size_t i = 0; i < how_many(4, COUNT(score_settings)); i++)
        for (size_t s = 0; s < how_many(4, COUNT(sizes)); s++)
            cover_scores(&score_settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- values over folds, with the same model in each ------------------------------------------ */

enum { FOLDS = 5 };

/* Draws the rows of a fold and adds it to the pool of each metric. */
static void add_fold(const ScoreSetting *setting, double threshold, size_t rows, Random *random,
                     Context *context, MetricPool pool[FOLD_METRICS])
{
    FoldPredictions predictions[FOLD_METRICS];
    MetricSums sums[FOLD_METRICS] = {0};
    double losses[1000], positives = 0;
    cleave_error error;

    for (size_t k = 0; k < FOLD_METRICS; k++)
        predictions[k] = (FoldPredictions){
            .context = context, .metric = metric_of(k), .classes = 2, .positive = 1};
    for (size_t i = 0; i < rows; i++) {
        bool positive;
        double score = draw_score(setting, random, &positive), log_loss, brier;

        row_losses(setting, score, positive, &log_loss, &brier);
        clv_metric_add(&sums[0], (score > threshold) != positive);
        clv_metric_add(&sums[1], log_loss);
        positives += positive;
        for (size_t k = 2; k < FOLD_METRICS; k++)
            FINE(clv_fold_predictions_add(&predictions[k], i, positive, score > threshold, &score,
                                          &error));
    }
    sums[1].worth = fmin(positives, (double)rows - positives);
    for (size_t k = 0; k < FOLD_METRICS; k++) {
        if (k >= 2)
            FINE(clv_fold_predictions_end(&predictions[k], losses, &sums[k], &error));
        clv_fold_predictions_free(&predictions[k]);
        clv_metric_pool(&pool[k], &sums[k]);
    }
}

static void cover_folds(const ScoreSetting *setting, size_t rows, uint64_t times, uint64_t seed)
{
    Truth truth = truth_of(setting);
    Coverage coverage[FOLD_METRICS] = {
        {.name = "error of folds", .truth = truth.error},
        {.name = "log loss of folds", .truth = truth.log_loss},
        {.name = "F1 of folds", .truth = truth.f1},
        {.name = "macro F1 of folds", .truth = truth.macro_f1},
        {.name = "AUC of folds", .truth = truth.roc_area},
        {.name = "average precision of folds", .truth = truth.pr_area}};
    Context *context = new_context(1);
    Random random = clv_random(seed, rows);

    for (uint64_t t = 0; t < times; t++) {
        MetricPool pool[FOLD_METRICS] = {0};

        for (size_t fold = 0; fold < FOLDS; fold++)
            add_fold(setting, truth.threshold, rows / FOLDS, &random, context, pool);
        for (size_t k = 0; k < FOLD_METRICS; k++)
            count(&coverage[k], clv_metric_measure(metric_of(k), &pool[k], 1));
    }
    check(coverage, FOLD_METRICS, setting->name, rows);
    cleave_context_free(context);
}

static void test_folds(void **state)
{
    uint64_t seed = test_seed("folds"), times = how_many(80, 3000);

    (void)state;
    for (size_t i = 0; i < how_many(3, COUNT(score_settings)); i++)
        for (size_t s = 0; s < how_many(4, COUNT(sizes)); s++)
            cover_folds(&score_settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- cross-validation of real methods -------------------------------------------------------- */

static void test_cv(void **state)
{
    static const CvSetting settings[] = {
        {"logistic, 2 columns, ties", "logistic", "5", 30, 2, 1.5, 2, 0.5},
        {"tree, 5 columns", "tree", "5", 60, 5, 1.5, 2, 0.5},
        {"logistic, 2 columns", "logistic", "5", 60, 2, 1.5, 2, 0.5},
        {"logistic, 20 columns", "logistic", "5", 60, 20, 1.5, 2, 0.5},
        {"logistic, 20 columns", "logistic", "5", 200, 20, 1.5, 2, 0.5},
        {"knn, 2 columns", "knn", "5", 30, 2, 1.5, 2, 0.5},
        {"tree, 5 columns", "tree", "5", 200, 5, 1.5, 2, 0.5},
        {"perceptron, 5 columns", "perceptron", "5", 60, 5, 1.5, 2, 0.5},
        {"logistic, no signal", "logistic", "5", 60, 2, 0, 2, 0.5},
        {"logistic, 10 folds", "logistic", "10", 100, 5, 3, 2, 0.5},
        {"tree, 10 folds", "tree", "10", 200, 5, 1.5, 2, 0.5},
    };
    uint64_t seed = test_seed("cv"), times = how_many(60, 2000);

    (void)state;
    for (size_t i = 0; i < how_many(2, COUNT(settings)); i++)
        cover_cv(&settings[i], times, seed + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_scores),  cmocka_unit_test(test_folds),
        cmocka_unit_test(test_cv),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
