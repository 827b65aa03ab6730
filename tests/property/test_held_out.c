/*
 * Coverage of 95% confidence intervals on held-out generators. The constants of eval/interval.c
 * were chosen with tests/property/test_intervals.c. Class counts, imbalance, kinds of errors, score
 * distributions, residuals and numbers of rows differ here. True values are exact for shares and
 * classes, otherwise the value of 400,000 rows of the same generator (quick runs: 40,000).
 */
#include "property/coverage.h"

static const size_t sizes[] = {30, 45, 60, 100, 150, 400};

enum { MOST_ROWS = 400, TRUE_ROWS = 400000 };

/* A tenth of the rows is enough for the few data sets of a quick run. */
static size_t true_rows(void)
{
    return how_many(TRUE_ROWS / 10, TRUE_ROWS);
}

/* ---- shares: exact coverage, at each share --------------------------------------------------- */

static double share_coverage(const Interval *found, size_t rows, double share)
{
    double n = (double)rows, sum = 0;

    for (size_t i = 0; i <= rows; i++) {
        double x = (double)i;

        if (found[i].low <= share && share <= found[i].high)
            sum += exp(lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x * log(share) +
                       (n - x) * log1p(-share));
    }
    return sum;
}

/* Error rates of 0.5 to 50%. Coverage is above 98% only if 6 errors or fewer are expected. */
static void test_shares(void **state)
{
    const double steps = getenv("CLEAVE_LONG") ? 1000 : 50;

    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t rows = sizes[s];
        Interval intervals[MOST_ROWS + 1];

        for (size_t i = 0; i <= rows; i++)
            intervals[i] = clv_wilson((double)i, (double)rows);
        for (double i = 0; i <= steps; i++) {
            double share = 0.005 * pow(100, i / steps),
                   found = share_coverage(intervals, rows, share);

            if (getenv("CLEAVE_LONG"))
                printf("coverage\terror rate, each share\t%.4f\t%zu\t1\t%.4f\n", share, rows,
                       found);
            if (found < 0.93 || (found > 0.98 && share * (double)rows > 6))
                fail_msg("share %.4f, %zu rows: coverage %.4f", share, rows, found);
        }
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

typedef enum { TO_ALL, TO_NEXT, FROM_RAREST } Confused;

typedef struct {
    const char *name;
    size_t classes;
    double ratio; /* of the frequencies of one class and the one before it */
    double error;
    Confused confused;
} ClassSetting;

static void expect_cells(const ClassSetting *setting, double factor, Cells *cells)
{
    size_t classes = setting->classes, width = classes + 1;
    double share[MOST_CLASSES], sum = 0;

    *cells = (Cells){.classes = classes};
    for (size_t k = 0; k < classes; k++)
        sum += share[k] = pow(setting->ratio, (double)k);
    for (size_t i = 0; i < classes; i++) {
        double rows = EXPECTED * share[i] / sum, wrong = rows * fmin(0.9, factor * setting->error);

        if (setting->confused ==
            FROM_RAREST) /* half of all errors are in the rarest class, up to half of it */
            wrong = i + 1 == classes ? fmin(rows / 2, EXPECTED * factor * setting->error / 2)
                                     : wrong / 2;
        for (size_t j = 0; j < classes; j++)
            if (i == j)
                cells->cell[i * width + j] = rows - wrong;
            else if (setting->confused == TO_ALL)
                cells->cell[i * width + j] = wrong / (double)(classes - 1);
            else
                cells->cell[i * width + j] = j == (i + 1) % classes ? wrong : 0;
    }
    sum_cells(cells);
}

/* As in tests/property/test_intervals.c, error rates are 0.7 to 1.3 times that of the setting. */
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
        {"80/20, error 10%", 2, 0.25, 0.1, TO_ALL},
        {"3 classes, error 3%, from the rarest", 3, 0.5, 0.03, FROM_RAREST},
        {"7 classes, error 30%, to the next", 7, 0.8, 0.3, TO_NEXT},
        {"65/35, error 0.5%", 2, 0.54, 0.005, TO_ALL},
        {"65/35, error 50%", 2, 0.54, 0.5, TO_ALL},
        {"80/20, error 3%, from the rarest", 2, 0.25, 0.03, FROM_RAREST},
        {"95/5, error 3%, from the rarest", 2, 0.0526, 0.03, FROM_RAREST},
        {"95/5, error 10%", 2, 0.0526, 0.1, TO_ALL},
        {"3 classes, error 10%, to the next", 3, 0.5, 0.1, TO_NEXT},
        {"3 equal classes, error 0.5%", 3, 1, 0.005, TO_ALL},
        {"4 equal classes, error 50%, to the next", 4, 1, 0.5, TO_NEXT},
        {"7 classes, error 3%", 7, 0.8, 0.03, TO_ALL},
        {"12 equal classes, error 10%", 12, 1, 0.1, TO_ALL},
        {"12 classes, error 30%", 12, 0.85, 0.3, TO_ALL},
    };
    uint64_t seed = test_seed("classes"), times = how_many(150, 5000);

    (void)state;
    for (size_t i = 0; i < how_many(3, COUNT(settings)); i++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            cover_classes(&settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- regression ------------------------------------------------------------------------------ */

typedef enum { LAPLACE, UNIFORM, GAMMA, CONTAMINATED, BIASED, FAN, STUDENT } Residuals;

typedef struct {
    const char *name;
    Residuals residuals;
    double parameter;
    double signal; /* standard deviation of the prediction */
} NumberSetting;

static double draw_exponential(Random *random)
{
    return -log1p(-clv_random_unit(random));
}

static double draw_residual(const NumberSetting *setting, double x, Random *random)
{
    double parameter = setting->parameter;

    switch (setting->residuals) {
    case LAPLACE:
        return draw_exponential(random) - draw_exponential(random);
    case UNIFORM:
        return 2 * clv_random_unit(random) - 1;
    case GAMMA: /* shape 2 */
        return draw_exponential(random) + draw_exponential(random) - 2;
    case CONTAMINATED:
        return clv_random_normal(random) * (clv_random_unit(random) < 0.1 ? parameter : 1);
    case BIASED:
        return parameter + clv_random_normal(random);
    case FAN:
        return clv_random_normal(random) * (0.2 + fabs(x));
    default:
        return draw_student((int)parameter, random);
    }
}

static void draw_numbers(const NumberSetting *setting, size_t rows, Random *random, double *targets,
                         double *answers)
{
    for (size_t i = 0; i < rows; i++) {
        double x = clv_random_normal(random);

        answers[i] = setting->signal * x;
        targets[i] = answers[i] + draw_residual(setting, x, random);
    }
}

static void cover_numbers(const NumberSetting *setting, size_t rows, uint64_t times, uint64_t seed)
{
    static double targets[TRUE_ROWS], answers[TRUE_ROWS];
    Random random = clv_random(seed, rows);
    RegressionMetrics found;
    Coverage coverage[3];

    draw_numbers(setting, true_rows(), &random, targets, answers);
    found = clv_regression_metrics(targets, answers, NULL, true_rows());
    coverage[0] = (Coverage){.name = "RMSE", .truth = found.rmse.value};
    coverage[1] = (Coverage){.name = "MAE", .truth = found.mae.value};
    coverage[2] = (Coverage){.name = "R2", .truth = found.r2.value};
    for (uint64_t t = 0; t < times; t++) {
        draw_numbers(setting, rows, &random, targets, answers);
        found = clv_regression_metrics(targets, answers, NULL, rows);
        count(&coverage[0], found.rmse);
        count(&coverage[1], found.mae);
        count(&coverage[2], found.r2);
    }
    check(coverage, COUNT(coverage), setting->name, rows);
}

static void test_numbers(void **state)
{
    static const NumberSetting settings[] = {
        {"Laplace errors", LAPLACE, 0, 1},
        {"errors with a standard deviation of 0.2 + |x|", FAN, 0, 2},
        {"gamma errors", GAMMA, 0, 3},
        {"uniform errors", UNIFORM, 0, 1},
        {"biased normal errors", BIASED, 1, 1},
        {"10% of errors three times as large", CONTAMINATED, 3, 2},
        {"t errors, 6 degrees of freedom", STUDENT, 6, 0.5},
        {"normal errors without signal", BIASED, 0, 0.1},
    };
    uint64_t seed = test_seed("numbers"), times = how_many(150, 5000);

    (void)state;
    for (size_t i = 0; i < how_many(2, COUNT(settings)); i++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            cover_numbers(&settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- scores ---------------------------------------------------------------------------------- */

typedef enum { LATENT, EXPONENTIAL, VOTES, MIXED } Scores;

typedef struct {
    const char *name;
    Scores scores;
    double share;      /* of positive rows; LATENT, VOTES: the constant of their log odds */
    double slope;      /* distance between the classes */
    double confidence; /* factor on the log odds; 1 is calibrated for LATENT */
} ScoreSetting;

typedef struct {
    double score, probability;
    bool positive;
} Scored;

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static Scored draw_scored(const ScoreSetting *setting, Random *random)
{
    bool positive = clv_random_unit(random) < setting->share;
    double score = 0, odds = 0;

    switch (setting->scores) {
    case LATENT: /* logistic regression on a column of t with 4 degrees of freedom */
        odds = setting->share + setting->slope * draw_student(4, random);
        positive = clv_random_unit(random) < logistic(odds);
        score = odds *= setting->confidence;
        break;
    case EXPONENTIAL:
        score = draw_exponential(random) * (positive ? setting->slope : 1);
        odds = setting->confidence * (score - 1.5);
        break;
    case VOTES: /* 9 neighbors, with many equal scores */
        odds = setting->share + setting->slope * clv_random_normal(random);
        positive = clv_random_unit(random) < logistic(odds);
        for (int i = 0; i < 9; i++)
            score += clv_random_unit(random) < logistic(odds);
        odds = setting->confidence * log((score + 1) / (10 - score));
        break;
    case MIXED: /* a twentieth of the labels are noise */
        score = clv_random_normal(random) + (positive != (clv_random_unit(random) < 0.05)
                                                 ? setting->slope / 2
                                                 : -setting->slope / 2);
        odds = setting->confidence *
               (score * setting->slope + log(setting->share / (1 - setting->share)));
        break;
    }
    return (Scored){score, logistic(odds), positive};
}

static void row_losses(const Scored *row, double *log_loss, double *brier)
{
    double both[2] = {1 - row->probability, row->probability};

    *log_loss = clv_log_loss(both[row->positive]);
    *brier = clv_brier(both, 2, row->positive);
}

typedef struct {
    cleave_interval roc, pr, log_loss, brier;
} ScoreMeasures;

static ScoreMeasures measure_scores(const ScoreSetting *setting, size_t rows, Random *random)
{
    static RankedRow ranked[TRUE_ROWS];
    Moments log_losses = {0}, briers = {0};
    double others, log_loss, brier;
    Ranking ranking;

    for (size_t i = 0; i < rows; i++) {
        Scored row = draw_scored(setting, random);

        ranked[i] = (RankedRow){row.score, (uint32_t)i, row.positive};
        row_losses(&row, &log_loss, &brier);
        clv_moments_add(&log_losses, log_loss, 1);
        clv_moments_add(&briers, brier, 1);
    }
    clv_rank(&ranking, ranked, rows, NULL);
    others = (double)(ranking.positives < ranking.negatives ? ranking.positives
                                                            : ranking.negatives);
    return (ScoreMeasures){clv_roc_measure(&ranking), clv_pr_measure(&ranking),
                           clv_probability_loss(&log_losses, others, INFINITY),
                           clv_probability_loss(&briers, others, 1)};
}

static void cover_scores(const ScoreSetting *setting, size_t rows, uint64_t times, uint64_t seed)
{
    Random random = clv_random(seed, rows);
    ScoreMeasures truth = measure_scores(setting, true_rows(), &random);
    Coverage coverage[] = {{.name = "ROC area", .truth = truth.roc.value},
                           {.name = "PR area", .truth = truth.pr.value},
                           {.name = "log loss", .truth = truth.log_loss.value},
                           {.name = "Brier score", .truth = truth.brier.value}};

    for (uint64_t t = 0; t < times; t++) {
        ScoreMeasures found = measure_scores(setting, rows, &random);

        count(&coverage[0], found.roc);
        count(&coverage[1], found.pr);
        count(&coverage[2], found.log_loss);
        count(&coverage[3], found.brier);
    }
    check(coverage, COUNT(coverage), setting->name, rows);
}

static const ScoreSetting score_settings[] = {
    {"latent t, balanced", LATENT, 0, 2, 1},
    {"9 votes, a quarter positive", VOTES, -1.5, 1.5, 1},
    {"noisy labels, 40/60", MIXED, 0.4, 4, 0.5},
    {"exponential scores, 30/70", EXPONENTIAL, 0.3, 4, 1},
    {"exponential scores, 15/85", EXPONENTIAL, 0.15, 8, 0.5},
    {"latent t, a tenth positive", LATENT, -3, 1.5, 1},
    {"latent t, underconfident", LATENT, 0.5, 4, 0.5},
    {"latent t, weak", LATENT, -0.5, 0.4, 1},
    {"9 votes, balanced", VOTES, 0, 4, 1.2},
    {"noisy labels, 20/80", MIXED, 0.2, 3, 0.4},
};

static void test_scores(void **state)
{
    uint64_t seed = test_seed("scores"), times = how_many(150, 5000);

    (void)state;
    for (size_t i = 0; i < how_many(3, COUNT(score_settings)); i++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            cover_scores(&score_settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- values over 3 folds, with the same model in each ---------------------------------------- */

enum { FOLDS = 3 };

static void add_fold(const ScoreSetting *setting, size_t rows, Random *random, Context *context,
                     MetricPool pool[FOLD_METRICS])
{
    FoldPredictions predictions[FOLD_METRICS];
    MetricSums sums[FOLD_METRICS] = {0};
    static double losses[TRUE_ROWS];
    double positives = 0;
    cleave_error error;

    for (size_t k = 0; k < FOLD_METRICS; k++)
        predictions[k] = (FoldPredictions){
            .context = context, .metric = metric_of(k), .classes = 2, .positive = 1};
    for (size_t i = 0; i < rows; i++) {
        Scored row = draw_scored(setting, random);
        bool predicted = row.probability > 0.5;
        double log_loss, brier;

        row_losses(&row, &log_loss, &brier);
        clv_metric_add(&sums[0], predicted != row.positive);
        clv_metric_add(&sums[1], log_loss);
        positives += row.positive;
        for (size_t k = 2; k < FOLD_METRICS; k++)
            FINE(clv_fold_predictions_add(&predictions[k], i, row.positive, predicted, &row.score,
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
    static const char *const names[FOLD_METRICS] = {"error of folds", "log loss of folds",
                                                    "F1 of folds",    "macro F1 of folds",
                                                    "AUC of folds",   "average precision of folds"};
    Coverage coverage[FOLD_METRICS] = {0};
    Context *context = new_context(1);
    Random random = clv_random(seed, rows);
    MetricPool truth[FOLD_METRICS] = {0};

    add_fold(setting, true_rows(), &random, context, truth);
    for (size_t k = 0; k < FOLD_METRICS; k++)
        coverage[k] = (Coverage){.name = names[k],
                                 .truth = clv_metric_measure(metric_of(k), &truth[k], 1).value};
    for (uint64_t t = 0; t < times; t++) {
        MetricPool pool[FOLD_METRICS] = {0};

        for (size_t fold = 0; fold < FOLDS; fold++)
            add_fold(setting, rows / FOLDS, &random, context, pool);
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
    for (size_t i = 0; i < how_many(1, COUNT(score_settings)); i++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            cover_folds(&score_settings[i], sizes[s], times, seed + 100 * i);
}

/* ---- cross-validation of real methods -------------------------------------------------------- */

static void test_cv(void **state)
{
    static const CvSetting settings[] = {
        {"logistic, 3 classes, 3 columns", "logistic", "4", 45, 3, 1, 3, 0.5},
        {"least squares, 4 columns", "least-squares", "5", 45, 4, 1, 0, 0},
        {"knn, 80/20", "knn", "5", 60, 3, 1.2, 2, 0.8},
        {"tree, 3 classes", "tree", "5", 100, 4, 1, 3, 0.4},
        {"tree, 4 classes, 10 folds", "tree", "10", 150, 3, 1.5, 4, 0.25},
        {"svm, 10 columns", "svm", "3", 100, 10, 0.8, 2, 0.6},
        {"perceptron, 80/20", "perceptron", "10", 150, 4, 1, 2, 0.8},
        {"logistic, 8 columns", "logistic", "5", 400, 8, 0.5, 2, 0.7},
        {"least squares, 10 columns", "least-squares", "10", 60, 10, 0.5, 0, 0},
        {"tree regression", "tree-regression", "5", 100, 3, 1, 0, 0},
        {"least squares, 3 columns", "least-squares", "4", 400, 3, 1, 0, 0},
    };
    uint64_t seed = test_seed("cv"), times = how_many(60, 2000);

    (void)state;
    for (size_t i = 0; i < how_many(2, COUNT(settings)); i++)
        cover_cv(&settings[i], times, seed + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),  cmocka_unit_test(test_classes),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_scores),
        cmocka_unit_test(test_folds),   cmocka_unit_test(test_cv),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
