/*
 * Principal components of 60,000 handwritten digits against LAPACK's: the largest 50 eigenvalues of
 * their covariance matrix, by numpy.cov and numpy.linalg.eigh in double precision. Both of our
 * solvers must find them with a relative error of at most 1e-4.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/dataset.h"
#include "pipeline/pipeline.h"
#include "read/reader.h"
#include "support/support.h"

static const double variances[] = {
    332724.6674, 243283.9391, 211507.3671, 184776.3859, 166926.8313, 147844.9617, 112178.2027,
    98874.42963, 94696.24905, 80809.82453, 72313.62026, 69358.30133, 58826.87115, 58014.08402,
    54123.75695, 50843.06853, 45412.60631, 43778.45913, 40705.34045, 39519.79038, 36553.53586,
    34515.19388, 32693.28606, 31286.58582, 30287.5526,  28776.07835, 27859.2854,  26960.58144,
    25533.19359, 23686.12298, 22562.76194, 22221.76641, 20660.67182, 20110.98541, 19543.20092,
    18638.29212, 17340.90031, 16726.24479, 16505.81737, 16191.66316, 15659.57994, 15251.21412,
    14348.32885, 13652.82314, 13198.86433, 12860.42928, 12411.4828,  12054.31598, 11658.90432,
    11035.47439,
};
static const double total = 3428502.5747802025;

static void assert_fine(Status status, const cleave_error *error)
{
    if (status != OK)
        print_error("%s (%s)\n", error->message, error->hint);
    assert_int_equal(status, OK);
}

#define FINE(expression) assert_fine((expression), &error)

static void assert_share(double found, double expected, double share)
{
    if (!(fabs(found - expected) <= share * expected))
        print_error("%.10g is not %.10g\n", found, expected);
    assert_true(fabs(found - expected) <= share * expected);
}

static void find(const char *text, double share)
{
    char path[TEST_PATH_SIZE];
    const char *paths[] = {test_data_path(path, "mnist-train-images-idx3-ubyte.gz")};
    Context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    const BundleItem *found, *all;
    ReadOptions options;
    Source *source, *rows;
    Dataset *dataset;
    Pipeline *pipeline;
    cleave_error error;

    assert_non_null(context);
    memset(&options, 0, sizeof options);
    clv_params_initial(clv_read_params, &options);
    FINE(clv_read_files(context, paths, 1, &options, NULL, &source, &error));
    FINE(clv_dataset_load(source, &dataset, &error));
    clv_source_close(source);
    FINE(clv_dataset_source(dataset, false, &rows, &error));
    FINE(clv_pipeline_parse(context, text, &pipeline, &error));
    FINE(clv_pipeline_learn(pipeline, rows, 1, &error));
    found = clv_bundle_get(clv_pipeline_step(pipeline, 0)->arrays, "variance", BUNDLE_F64);
    all = clv_bundle_get(clv_pipeline_step(pipeline, 0)->arrays, "total_variance", BUNDLE_F64);
    assert_true(found && all && found->count == 50);
    for (size_t i = 0; i < 50; i++)
        assert_share(((const double *)found->data)[i], variances[i], share);
    assert_share(*(const double *)all->data, total, 1e-8);
    clv_pipeline_release(pipeline);
    clv_source_close(rows);
    clv_dataset_free(dataset);
    cleave_context_free(context);
}

static void exactly(void **state)
{
    (void)state;
    find("pca", 1e-8);
}

/* Six passes over the digits take half a minute with sanitizers, so `make test-all` skips them. */
static void by_random_directions(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    print_message("SKIPPED: under sanitizers; 'make test-all' runs it\n");
    skip();
#endif
    find("pca:solver=randomized", 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exactly),
                                       cmocka_unit_test(by_random_directions)};

    return cmocka_run_group_tests_name("golden pca on digits", tests, NULL, NULL);
}
