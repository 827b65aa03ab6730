/*
 * The results of transforms, against sums in this file: polar, radius, polynomial, fourier, pca,
 * project, tfidf, running-scale; and the eigenvectors on which pca is based (base/dense.h).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/dense.h"
#include "base/random.h"
#include "pipeline/pipeline.h"
#include "read/reader.h"

static Context *context;

static int set_up(void **state)
{
    (void)state;
    context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    cleave_context_free(context);
    return 0;
}

static void assert_fine(Status status, const cleave_error *error)
{
    if (status != OK)
        print_error("%s (%s)\n", error->message, error->hint);
    assert_int_equal(status, OK);
}

#define FINE(expression) assert_fine((expression), &error)

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        print_error("%.12g is not %.12g\n", a, b);
    assert_true(fabs(a - b) <= tolerance);
}

/* ---- running one ----------------------------------------------------------------------------- */

/* A fitted pipeline, and its output as dense rows. */
typedef struct {
    Pipeline *pipeline;
    uint32_t rows, columns;
    double *made;
} Transformed;

static Transformed transform_text(const char *text, const Format *format, const char *data)
{
    ReadOptions options = {.format = "auto"};
    Transformed transformed = {0};
    RowWorkspace workspace = {.context = context};
    const Block *block;
    cleave_error error;
    Source *source;

    clv_params_initial(clv_read_params, &options);
    FINE(clv_read_memory(context, "rows", data, strlen(data), format, &options, NULL, &source,
                         &error));
    FINE(clv_pipeline_parse(context, text, &transformed.pipeline, &error));
    FINE(clv_pipeline_learn(transformed.pipeline, source, 1, &error));
    transformed.columns = clv_pipeline_output_count(transformed.pipeline);
    FINE(clv_source_rewind(source, &error));
    for (;;) {
        FINE(source_next(source, &block, &error));
        if (!block)
            break;
        transformed.made = realloc(transformed.made, sizeof(double) *
                                                         (transformed.rows + block->rows) *
                                                         transformed.columns);
        assert_non_null(transformed.made);
        for (uint32_t row = 0; row < block->rows; row++, transformed.rows++) {
            double *to = transformed.made + (size_t)transformed.rows * transformed.columns;

            memset(to, 0, transformed.columns * sizeof *to);
            FINE(clv_pipeline_row(transformed.pipeline, &workspace, block, row, &error));
            for (size_t i = 0; i < workspace.row.count; i++) {
                assert_true(i == 0 || workspace.row.column[i] > workspace.row.column[i - 1]);
                to[workspace.row.column[i]] = (double)workspace.row.value[i];
            }
        }
    }
    clv_workspace_free(&workspace);
    clv_source_close(source);
    return transformed;
}

static void done(Transformed *transformed)
{
    clv_pipeline_release(transformed->pipeline);
    free(transformed->made);
}

static double at(const Transformed *transformed, uint32_t row, uint32_t column)
{
    return transformed->made[(size_t)row * transformed->columns + column];
}

static void assert_names(const Transformed *transformed, const char *expected)
{
    char all[1024] = "", buffer[24];

    for (uint32_t i = 0; i < transformed->columns; i++) {
        strncat(all, i ? " " : "", 2);
        strncat(all, clv_names_get(clv_pipeline_outputs(transformed->pipeline), i, buffer), 64);
    }
    assert_string_equal(all, expected);
}

static const double *learned(const Transformed *transformed, const char *name, uint64_t count)
{
    const BundleItem *item = clv_bundle_get(clv_pipeline_step(transformed->pipeline, 0)->arrays,
                                            name, BUNDLE_F64);

    assert_non_null(item);
    assert_int_equal(item->count, count);
    return item->data;
}

/* The pipeline, written to a bundle and read from it. */
static Status load_again(const Transformed *transformed, cleave_error *error)
{
    const Names *names = clv_pipeline_outputs(transformed->pipeline);
    Pipeline *loaded = NULL;
    Bundle *bundle;
    Status status;

    assert_int_equal(clv_bundle_new(context, &bundle, error), OK);
    assert_int_equal(clv_pipeline_put(transformed->pipeline, bundle, error), OK);
    status = clv_pipeline_get(context, bundle, clv_pipeline_in(bundle), "model", names,
                              transformed->columns, &loaded, error);
    clv_pipeline_release(loaded);
    clv_bundle_free(bundle);
    return status;
}

/* ---- places ---------------------------------------------------------------------------------- */

#define PI 3.14159265358979323846

static void turns_to_polar(void **state)
{
    static const char places[] = "label,a,b,c\n0,3,4,7\n1,-1,0,0\n0,0,0,2\n1,0,-2,1\n";
    Transformed transformed = transform_text("polar", &clv_format_csv, places);

    (void)state;
    assert_names(&transformed, "r phi c");
    assert_near(at(&transformed, 0, 0), 5, 0);
    assert_near(at(&transformed, 0, 1), atan2(4, 3), 1e-7);
    assert_near(at(&transformed, 0, 2), 7, 0);
    assert_near(at(&transformed, 1, 0), 1, 0);
    assert_near(at(&transformed, 1, 1), PI, 1e-6); /* arctan(0 / -1) would be 0 */
    assert_near(at(&transformed, 2, 0), 0, 0);
    assert_near(at(&transformed, 2, 1), 0, 0);
    assert_near(at(&transformed, 3, 1), -PI / 2, 1e-6);
    done(&transformed);
    /* In another order and around a point: c is x, and a is y; both keep their positions. */
    transformed = transform_text("polar:x=c:y=a:center=1/-1", &clv_format_csv, places);
    assert_names(&transformed, "phi b r");
    assert_near(at(&transformed, 0, 2), hypot(6, 4), 1e-6);
    assert_near(at(&transformed, 0, 0), atan2(4, 6), 1e-7);
    assert_near(at(&transformed, 0, 1), 4, 0);
    assert_near(at(&transformed, 1, 2), 1, 0);
    assert_near(at(&transformed, 1, 0), PI, 1e-6);
    done(&transformed);
    transformed = transform_text("polar:center=mean", &clv_format_csv, places); /* (1/2, 1/2) */
    assert_near(at(&transformed, 1, 0), hypot(1.5, 0.5), 1e-6);
    done(&transformed);
    transformed = transform_text("polar", &clv_format_csv, "label,x,y,r\n0,3,4,7\n1,1,1,1\n");
    assert_names(&transformed, "r(x,y) phi(x,y) r");
    done(&transformed);
    transformed = transform_text("polar:x=x3", &clv_format_libsvm, "1 2:4 3:3\n2 1:1\n");
    assert_near(at(&transformed, 0, 2), 3, 0); /* x is column 3, y the one after it: the first */
    done(&transformed);
    /* y is the first column, so x is the second. */
    transformed = transform_text("polar:y=a", &clv_format_csv, places);
    assert_names(&transformed, "phi r c");
    assert_near(at(&transformed, 0, 1), 5, 0);
    assert_near(at(&transformed, 0, 0), atan2(3, 4), 1e-7);
    done(&transformed);
}

static void measures_the_radius(void **state)
{
    static const char places[] = "label,a,b,c\n0,3,4,0\n1,-1,0,0\n0,0,0,0\n1,1,2,2\n";
    Transformed transformed = transform_text("radius", &clv_format_csv, places);

    (void)state;
    assert_names(&transformed, "r");
    assert_near(at(&transformed, 0, 0), 5, 0);
    assert_near(at(&transformed, 1, 0), 1, 0);
    assert_near(at(&transformed, 2, 0), 0, 0);
    assert_near(at(&transformed, 3, 0), 3, 0);
    done(&transformed);
    transformed = transform_text("radius:center=1/2/2:keep", &clv_format_csv, places);
    assert_names(&transformed, "a b c r");
    assert_near(at(&transformed, 0, 3), sqrt(4 + 4 + 4), 1e-6);
    assert_near(at(&transformed, 0, 1), 4, 0);
    assert_near(at(&transformed, 2, 3), 3, 1e-6);
    assert_near(at(&transformed, 3, 3), 0, 0);
    done(&transformed);
    /* Values of a category have no distance, and are unchanged. */
    transformed = transform_text("radius:center=mean", &clv_format_csv,
                                 "label,a,kind\n0,3,red\n1,1,blue\n0,2,red\n1,2,blue\n");
    assert_names(&transformed, "kind=red kind=blue r");
    assert_near(at(&transformed, 0, 2), 1, 1e-6);
    assert_near(at(&transformed, 0, 0), 1, 0);
    assert_near(at(&transformed, 3, 2), 0, 0);
    done(&transformed);
}

/* ---- products -------------------------------------------------------------------------------- */

static void multiplies(void **state)
{
    Transformed transformed = transform_text("polynomial", &clv_format_libsvm,
                                             "1 1:2 2:3\n2 2:5\n");

    (void)state;
    assert_names(&transformed, "x1 x2 x1^2 x1*x2 x2^2");
    assert_near(at(&transformed, 0, 0), 2, 0);
    assert_near(at(&transformed, 0, 2), 4, 0);
    assert_near(at(&transformed, 0, 3), 6, 0);
    assert_near(at(&transformed, 0, 4), 9, 0);
    assert_near(at(&transformed, 1, 0), 0, 0);
    assert_near(at(&transformed, 1, 4), 25, 0);
    done(&transformed);
    transformed = transform_text("polynomial:degree=3", &clv_format_libsvm, "1 1:2 2:3\n2 1:1\n");
    assert_names(&transformed, "x1 x2 x1^2 x1*x2 x2^2 x1^3 x1^2*x2 x1*x2^2 x2^3");
    done(&transformed);
    transformed = transform_text("polynomial:degree=3:terms=interactions", &clv_format_csv,
                                 "label,a,b,c\n0,2,3,5\n1,1,1,1\n");
    assert_names(&transformed, "a b c a*b a*c b*c a*b*c");
    assert_near(at(&transformed, 0, 4), 10, 0);
    assert_near(at(&transformed, 0, 6), 30, 0);
    done(&transformed);
    transformed = transform_text("polynomial:degree=3:terms=powers", &clv_format_csv,
                                 "label,a,b\n0,2,3\n1,1,1\n");
    assert_names(&transformed, "a b a^2 b^2 a^3 b^3");
    assert_near(at(&transformed, 0, 5), 27, 0);
    done(&transformed);
    transformed = transform_text("polynomial:degree=4:terms=interactions", &clv_format_csv,
                                 "label,a,b\n0,2,3\n1,1,1\n");
    assert_names(&transformed, "a b a*b");
    done(&transformed);
}

/* Exercise 12.2.3(c): the weights (4, -4, -1, 1) of (x1, x2, x1^2, x2^2) separate the classes, with
 * a score of at least 1 on both sides. */
static void squares_of_the_exercise(void **state)
{
    static const double weights[] = {4, -4, -1, 1}, expected[] = {-1, 1, 1, -1};
    Transformed transformed = transform_text("polynomial:terms=powers", &clv_format_libsvm,
                                             "-1 1:1 2:2\n1 1:2 2:3\n1 1:2 2:1\n-1 1:3 2:2\n");

    (void)state;
    assert_names(&transformed, "x1 x2 x1^2 x2^2");
    for (uint32_t i = 0; i < 4; i++) {
        double sum = 0;

        for (uint32_t j = 0; j < 4; j++)
            sum += weights[j] * at(&transformed, i, j);
        assert_near(sum, expected[i], 0);
    }
    done(&transformed);
}

/* The value of a term, from its name: "x3^2*x7". */
static double value_of_term(const char *name, const double *x)
{
    double product = 1;

    while (*name) {
        char *end;
        long column = strtol(name + 1, &end, 10), power = 1;

        if (*end == '^')
            power = strtol(end + 1, &end, 10);
        for (; power > 0; power--)
            product *= x[column - 1];
        name = *end ? end + 1 : end;
    }
    return product;
}

/* Every number of every row is the product that its column's name describes, whichever values of
 * the row are 0. */
static void names_and_numbers_agree(void **state)
{
    static const char *const pipelines[] = {"polynomial:degree=4",
                                            "polynomial:degree=4:terms=interactions",
                                            "polynomial:degree=5:terms=powers"};
    static const uint32_t counts[] = {7 + 28 + 84 + 210, 7 + 21 + 35 + 35, 35};
    enum { WIDTH = 7, HEIGHT = 30 };
    Random random = clv_random(1, 2);
    double x[HEIGHT][WIDTH] = {{0}};
    char text[4096];
    size_t length = 0;

    (void)state;
    for (int i = 0; i < HEIGHT; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%d", i % 2);
        for (int j = 0; j < WIDTH; j++) {
            x[i][j] = clv_random_below(&random, 2) || i == 0
                          ? (double)clv_random_below(&random, 7) - 3
                          : 0;
            if (i == 0)
                x[i][j] = j + 1;
            if (x[i][j] != 0)
                length += (size_t)snprintf(text + length, sizeof text - length, " %d:%g", j + 1,
                                           x[i][j]);
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "\n");
    }
    for (size_t r = 0; r < 3; r++) {
        Transformed transformed = transform_text(pipelines[r], &clv_format_libsvm, text);

        assert_int_equal(transformed.columns, counts[r]);
        for (uint32_t i = 0; i < HEIGHT; i++)
            for (uint32_t j = 0; j < transformed.columns; j++) {
                char buffer[24];

                assert_near(
                    at(&transformed, i, j),
                    value_of_term(
                        clv_names_get(clv_pipeline_outputs(transformed.pipeline), j, buffer), x[i]),
                    1e-9);
            }
        done(&transformed);
    }
}

/* ---- random directions ----------------------------------------------------------------------- */

enum { POINTS = 60, WIDTH = 20 };

/* Normal numbers, of which two in five are 0. */
static void random_points(double x[POINTS][WIDTH], char *text, size_t size)
{
    Random random = clv_random(11, 3);
    size_t length = 0;

    for (int i = 0; i < POINTS; i++) {
        length += (size_t)snprintf(text + length, size - length, "%d", i % 2);
        for (int j = 0; j < WIDTH; j++) {
            x[i][j] = clv_random_below(&random, 5) > 1
                          ? (double)(float)(clv_random_normal(&random) * (1 + j % 4))
                          : 0;
            if (x[i][j] != 0)
                length += (size_t)snprintf(text + length, size - length, " %d:%.9g", j + 1,
                                           x[i][j]);
        }
        length += (size_t)snprintf(text + length, size - length, "\n");
    }
    assert_true(length + 1 < size);
}

static double distance2(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static double product(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static double usual_gamma(double x[POINTS][WIDTH])
{
    double variance = 0;

    for (int j = 0; j < WIDTH; j++) {
        double sum = 0, squares = 0;

        for (int i = 0; i < POINTS; i++) {
            sum += x[i][j];
            squares += x[i][j] * x[i][j];
        }
        variance += squares / POINTS - sum / POINTS * (sum / POINTS);
    }
    return 1 / variance;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static void cosines_are_the_kernel(void **state)
{
    static const char *const pipelines[] = {"fourier:components=8000:gamma=0.05",
                                            "fourier:components=8000",
                                            "fourier:components=8000:estimate=median"};
    static char text[65536];
    double x[POINTS][WIDTH], square[POINTS * POINTS], gamma[3];
    size_t pairs = 0;

    (void)state;
    random_points(x, text, sizeof text);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < i; j++)
            square[pairs++] = distance2(x[i], x[j], WIDTH);
    qsort(square, pairs, sizeof *square, by_size);
    gamma[0] = 0.05;
    gamma[1] = usual_gamma(x);
    gamma[2] = 1 / (2 * square[pairs / 2]);
    for (int r = 0; r < 3; r++) {
        Transformed transformed = transform_text(pipelines[r], &clv_format_libsvm, text);
        double worst = 0, sum = 0;

        assert_near(*learned(&transformed, "gamma", 1), gamma[r], 1e-9 * gamma[r]);
        for (uint32_t i = 0; i < POINTS; i++)
            for (uint32_t j = 0; j <= i; j++) {
                double kernel = exp(-gamma[r] * distance2(x[i], x[j], WIDTH));
                double off = product(transformed.made + (size_t)i * transformed.columns,
                                     transformed.made + (size_t)j * transformed.columns,
                                     transformed.columns) -
                             kernel;

                worst = fmax(worst, fabs(off));
                sum += off;
            }
        assert_true(worst < 0.06); /* five deviations of the mean of 8000 products */
        assert_true(fabs(sum / (POINTS * POINTS / 2)) < 0.02);
        done(&transformed);
    }
}

static void projections_keep_distances(void **state)
{
    static const char *const pipelines[] = {"project:eps=0.3", "project:eps=0.3:kind=gaussian"};
    static char text[65536];
    double x[POINTS][WIDTH];

    (void)state;
    random_points(x, text, sizeof text);
    for (int r = 0; r < 2; r++) {
        Transformed transformed = transform_text(pipelines[r], &clv_format_libsvm, text);
        double mean = 0;

        assert_int_equal(transformed.columns,
                         (uint32_t)ceil(4 * log(POINTS) / (0.09 / 2 - 0.027 / 3)));
        for (uint32_t i = 0; i < POINTS; i++)
            for (uint32_t j = 0; j < i; j++) {
                double before = distance2(x[i], x[j], WIDTH);
                double after = distance2(transformed.made + (size_t)i * transformed.columns,
                                         transformed.made + (size_t)j * transformed.columns,
                                         transformed.columns);

                assert_true(after >= 0.7 * before && after <= 1.3 * before);
                mean += after / before / (POINTS * (POINTS - 1) / 2.0);
            }
        assert_near(mean, 1, 0.05);
        done(&transformed);
    }
}

static void seeds_are_kept_apart(void **state)
{
    static const char *const pairs[][3] = {
        {"fourier:components=5:seed=1", "fourier:components=5:seed=2", "fourier:components=5"},
        {"project:components=5:seed=1", "project:components=5:seed=2", "project:components=5"},
        {"project:kind=gaussian:components=5:seed=1", "project:kind=gaussian:components=5:seed=2",
         "project:kind=gaussian:components=5"}};
    static char text[65536];
    double x[POINTS][WIDTH];

    (void)state;
    random_points(x, text, sizeof text);
    for (int r = 0; r < 3; r++) {
        Transformed one = transform_text(pairs[r][0], &clv_format_libsvm, text),
                    other = transform_text(pairs[r][1], &clv_format_libsvm, text),
                    run = transform_text(pairs[r][2], &clv_format_libsvm, text);

        assert_true(memcmp(one.made, other.made, POINTS * 5 * sizeof(double)) != 0);
        assert_memory_equal(one.made, run.made,
                            POINTS * 5 * sizeof(double)); /* the run's seed is 1 */
        done(&one);
        done(&other);
        done(&run);
    }
}

/* ---- principal components -------------------------------------------------------------------- */

/* (1,2) (2,1) (3,4) (4,3): MᵀM has the eigenvalues 58 and 2, along (1,1)/√2 and (-1,1)/√2
 * (Mining of Massive Datasets, Example 11.5). */
static void components_of_the_book(void **state)
{
    Transformed transformed = transform_text("pca:no-center", &clv_format_libsvm,
                                             "1 1:1 2:2\n2 1:2 2:1\n1 1:3 2:4\n2 1:4 2:3\n");
    const double *variance = learned(&transformed, "variance", 2);

    (void)state;
    assert_names(&transformed, "pc1 pc2");
    assert_near(variance[0], 58.0 / 4, 1e-12);
    assert_near(variance[1], 2.0 / 4, 1e-12);
    assert_near(*learned(&transformed, "total_variance", 1), 15, 1e-12);
    assert_near(at(&transformed, 0, 0), 3 / sqrt(2), 1e-6);
    assert_near(fabs(at(&transformed, 0, 1)), 1 / sqrt(2), 1e-6);
    assert_near(at(&transformed, 2, 0), 7 / sqrt(2), 1e-6);
    done(&transformed);
    /* Centered, half of the spread is along (1,1). */
    transformed = transform_text("pca:components=1", &clv_format_libsvm,
                                 "1 1:1 2:2\n2 1:2 2:1\n1 1:3 2:4\n2 1:4 2:3\n");
    assert_names(&transformed, "pc1");
    assert_near(*learned(&transformed, "variance", 1), 8.0 / 3, 1e-12);
    assert_near(*learned(&transformed, "total_variance", 1), 10.0 / 3, 1e-12);
    assert_near(at(&transformed, 0, 0), -2 / sqrt(2), 1e-6);
    done(&transformed);
}

/* The components have the reported variances and are uncorrelated. Both solvers find the same ones.
 * All components together preserve distances. */
static void components_are_what_they_should_be(void **state)
{
    static const char *const pipelines[] = {"pca", "pca:solver=randomized:iterations=100",
                                            "pca:whiten"};
    static char text[65536];
    double x[POINTS][WIDTH], first[WIDTH] = {0};

    (void)state;
    random_points(x, text, sizeof text);
    for (int r = 0; r < 3; r++) {
        Transformed transformed = transform_text(pipelines[r], &clv_format_libsvm, text);
        const double *variance = learned(&transformed, "variance", WIDTH);

        assert_int_equal(transformed.columns, WIDTH);
        for (uint32_t j = 0; j < WIDTH; j++) {
            for (uint32_t k = 0; k <= j; k++) {
                double sum = 0, expected = j != k ? 0 : r == 2 ? 1 : variance[j];

                for (uint32_t i = 0; i < POINTS; i++)
                    sum += at(&transformed, i, j) * at(&transformed, i, k);
                assert_near(sum / (POINTS - 1), expected, 1e-5 * (r == 2 ? 1 : variance[0]));
            }
            assert_true(j == 0 || variance[j] <= variance[j - 1]);
            if (r == 0)
                first[j] = variance[j];
            assert_near(variance[j], first[j], 1e-9 * first[0]);
        }
        for (uint32_t i = 1; i < POINTS && r < 2; i++)
            assert_near(distance2(transformed.made, transformed.made + (size_t)i * WIDTH, WIDTH),
                        distance2(x[0], x[i], WIDTH), 1e-3);
        done(&transformed);
    }
}

static void threads_change_nothing(void **state)
{
    static char text[65536];
    double x[POINTS][WIDTH];
    Context *one = context;
    Transformed alone, shared;

    (void)state;
    random_points(x, text, sizeof text);
    alone = transform_text("pca:solver=randomized", &clv_format_libsvm, text);
    context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config), .threads = 3});
    assert_non_null(context);
    shared = transform_text("pca:solver=randomized", &clv_format_libsvm, text);
    assert_int_equal(alone.columns, shared.columns);
    assert_memory_equal(alone.made, shared.made, sizeof(double) * alone.rows * alone.columns);
    done(&shared);
    cleave_context_free(context);
    context = one;
    done(&alone);
}

/* Two rows span one direction, and linearly dependent columns add none. Rounding errors are not
 * reported as components. */
static void there_are_no_more_than_there_are(void **state)
{
    Transformed transformed = transform_text("pca", &clv_format_libsvm,
                                             "1 1:1 2:2 3:3 4:1\n2 1:2 2:4 3:1 4:1\n");

    (void)state;
    assert_int_equal(transformed.columns, 1);
    done(&transformed);
    transformed = transform_text("pca:solver=randomized", &clv_format_libsvm,
                                 "1 1:1 2:2 3:3 4:1\n2 1:2 2:4 3:1 4:1\n1 1:3 2:6\n");
    assert_int_equal(transformed.columns, 2);
    done(&transformed);
}

/* Few directions of many columns: low rank with some noise, sparse. */
static void finds_components_of_wide_rows(void **state)
{
    enum { ROWS = 150, COLUMNS = 1500, RANK = 5 };
    char *text = malloc(4 << 20);
    size_t length = 0;
    Transformed random, exact;
    const double *a, *b;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < ROWS; i++) {
        Random draw = clv_random(17, (uint64_t)i);
        double weight[RANK];

        for (int k = 0; k < RANK; k++)
            weight[k] = clv_random_normal(&draw) * (RANK - k);
        length += (size_t)snprintf(text + length, (4 << 20) - length, "%d", i % 2);
        for (int j = 0; j < COLUMNS; j++) {
            Random of_column = clv_random(19, (uint64_t)j);
            double value = 0.1 * clv_random_normal(&draw);

            for (int k = 0; k < RANK; k++)
                value += weight[k] * clv_random_normal(&of_column);
            if (clv_random_below(&draw, 4) == 0)
                length += (size_t)snprintf(text + length, (4 << 20) - length, " %d:%.6g", j + 1,
                                           value);
        }
        length += (size_t)snprintf(text + length, (4 << 20) - length, "\n");
    }
    random = transform_text("pca:components=5", &clv_format_libsvm,
                            text); /* chosen by default, because there are more than 1024 columns */
    exact = transform_text("pca:components=5:solver=exact", &clv_format_libsvm, text);
    a = learned(&random, "variance", 5);
    b = learned(&exact, "variance", 5);
    for (int k = 0; k < 5; k++)
        assert_near(a[k], b[k], 1e-4 * b[k]);
    assert_near(*learned(&random, "total_variance", 1), *learned(&exact, "total_variance", 1),
                1e-6 * b[0]);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_near(at(&random, i, 0), at(&exact, i, 0), 1e-2 * sqrt(b[0]));
    done(&random);
    done(&exact);
    free(text);
}

/* ---- eigenvectors ---------------------------------------------------------------------------- */

static void eigenvectors_are(size_t size, bool of_few,
                             Status (*find)(Context *, double *, size_t, size_t, double *, double *,
                                            cleave_error *))
{
    double *matrix = malloc(size * size * sizeof *matrix),
           *kept = malloc(size * size * sizeof *kept);
    double *values = malloc(size * sizeof *values),
           *vectors = malloc(size * size * sizeof *vectors), trace = 0, sum = 0;
    size_t count = of_few ? (size + 2) / 3 : size;
    Random random = clv_random(size, 7);
    cleave_error error;

    assert_true(matrix && kept && values && vectors);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++)
            kept[i * size + j] = kept[j * size + i] = clv_random_below(&random, 3)
                                                          ? clv_random_normal(&random)
                                                          : 0;
    memcpy(matrix, kept, size * size * sizeof *kept);
    FINE(find(context, matrix, size, count, values, vectors, &error));
    for (size_t k = 0; k < count; k++) {
        const double *vector = vectors + k * size;

        assert_true(k == 0 || values[k] <= values[k - 1]);
        sum += values[k];
        for (size_t i = 0; i < size; i++)
            assert_near(product(kept + i * size, vector, size), values[k] * vector[i],
                        1e-11 * (double)size);
        for (size_t l = 0; l <= k; l++)
            assert_near(product(vector, vectors + l * size, size), l == k, 1e-12 * (double)size);
    }
    for (size_t i = 0; i < size; i++)
        trace += kept[i * size + i];
    if (!of_few)
        assert_near(sum, trace, 1e-11 * (double)size);
    free(matrix);
    free(kept);
    free(values);
    free(vectors);
}

static void finds_eigenvectors(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 10, 95, 96, 150};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int few = 0; few < 2; few++) {
            eigenvectors_are(sizes[i], few, clv_eigen);
            eigenvectors_are(sizes[i], few, clv_eigen_plain);
        }
}

static void refuses_what_is_no_number(void **state)
{
    double matrix[4] = {1, 0, (double)NAN, 1}, values[2], vectors[4];
    cleave_error error;

    (void)state;
    assert_int_equal(clv_eigen(context, matrix, 2, 2, values, vectors, &error), CLEAVE_ERROR_DATA);
}

static void sums_of_squares(void **state)
{
    static const size_t sizes[] = {5, 130};

    (void)state;
    for (size_t s = 0; s < 2; s++) {
        size_t size = sizes[s], count = 11;
        double *matrix = calloc(size * size, sizeof *matrix),
               *rows = malloc(size * count * sizeof *rows);
        Random random = clv_random(3, s);

        assert_true(matrix && rows);
        for (size_t i = 0; i < size * count; i++)
            rows[i] = clv_random_normal(&random);
        clv_add_squares(matrix, size, rows, count);
        for (size_t j = 0; j < size; j++)
            for (size_t i = 0; i <= j; i++) {
                double sum = 0;

                for (size_t r = 0; r < count; r++)
                    sum += rows[r * size + j] * rows[r * size + i];
                assert_near(matrix[j * size + i], sum, 1e-12);
            }
        free(matrix);
        free(rows);
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Small integer counts, with large counts and fractions before, among and after them: the values of
 * a row are those of the formula, and its length is 1. */
static void weighs_words(void **state)
{
    enum { ROWS = 4, COLUMNS = 6 };
    static const double count[ROWS][COLUMNS] = {
        {2, 1, 255, 3, 1, 7}, {256, 1, 0, 0, 2, 1}, {1, 2.5, 4, 0, 0, 300}, {0, 0, 3, 1, 1.25, 1}};
    char data[400] = "";
    double df[COLUMNS] = {0};
    Transformed transformed;

    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        size_t used = strlen(data);

        used += (size_t)snprintf(data + used, sizeof data - used, "a");
        for (size_t i = 0; i < COLUMNS; i++) {
            df[i] += count[row][i] > 0;
            if (count[row][i] > 0)
                used += (size_t)snprintf(data + used, sizeof data - used, " %zu:%g", i + 1,
                                         count[row][i]);
        }
        snprintf(data + used, sizeof data - used, "\n");
    }
    transformed = transform_text("tfidf", &clv_format_libsvm, data);
    assert_int_equal(transformed.rows, ROWS);
    assert_int_equal(transformed.columns, COLUMNS);
    for (uint32_t row = 0; row < ROWS; row++) {
        double value[COLUMNS] = {0}, sum = 0;

        for (uint32_t i = 0; i < COLUMNS; i++) {
            if (count[row][i] > 0)
                value[i] = (1 + log(count[row][i])) * (log((1 + (double)ROWS) / (1 + df[i])) + 1);
            sum += value[i] * value[i];
        }
        for (uint32_t i = 0; i < COLUMNS; i++)
            assert_near(at(&transformed, row, i), value[i] / sqrt(sum), 2e-7);
    }
    done(&transformed);
}

static void refuses_what_is_no_count(void **state)
{
    static const char *const rows[] = {"a 1:0.5 2:1\n", "a 1:3 2:-1\n", "a 1:3 2:0.25 3:7\n",
                                       "a 1:300 2:0.25\n"};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ReadOptions options = {.format = "auto"};
        RowWorkspace workspace = {.context = context};
        const Block *block;
        cleave_error error;
        Pipeline *pipeline;
        Source *source;

        clv_params_initial(clv_read_params, &options);
        FINE(clv_read_memory(context, "rows", rows[i], strlen(rows[i]), &clv_format_libsvm,
                             &options, NULL, &source, &error));
        FINE(clv_pipeline_parse(context, "tfidf", &pipeline, &error));
        FINE(clv_pipeline_learn(pipeline, source, 1, &error));
        FINE(clv_source_rewind(source, &error));
        FINE(source_next(source, &block, &error));
        assert_int_equal(clv_pipeline_row(pipeline, &workspace, block, 0, &error),
                         CLEAVE_ERROR_DATA);
        assert_non_null(strstr(error.message, "expected word counts"));
        clv_workspace_free(&workspace);
        clv_source_close(source);
        clv_pipeline_release(pipeline);
    }
}

/* ---- standardization ------------------------------------------------------------------------- */

static void standardizes_by_running_means(void **state)
{
    Transformed transformed = transform_text("running-scale", &clv_format_csv,
                                             "label,a,b\n0,1,5\n1,2,5\n0,6,5\n1,3,5\n");
    double width = sqrt((4. + 1 + 9 + 0) / 4); /* a: mean 3 */

    (void)state;
    assert_near(*learned(&transformed, "weight", 2), 4, 0);
    assert_near(*learned(&transformed, "mean", 2), 3, 1e-15);
    assert_near(*learned(&transformed, "squares", 2), 14, 1e-14);
    assert_near(at(&transformed, 0, 0), (1 - 3) / width, 1e-6);
    assert_near(at(&transformed, 2, 0), (6 - 3) / width, 1e-6);
    assert_near(at(&transformed, 3, 0), 0, 1e-7);
    assert_near(at(&transformed, 1, 1), 0, 0); /* constant */
    done(&transformed);
}

/* Statistics that are impossible for rows of float32 values, which a later row could make
 * infinite. */
static void refuses_impossible_statistics(void **state)
{
    static const struct {
        const char *name;
        double value;
    } bad[] = {{"weight", -1},   {"weight", 1e61},   {"weight", NAN},    {"mean", 1e39},
               {"mean", -1e300}, {"squares", -1e-9}, {"squares", 1e300}, {"squares", INFINITY}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Transformed transformed = transform_text("running-scale", &clv_format_csv,
                                                 "label,a,b\n0,1,5\n1,2,7\n0,6,5\n");
        double *value = (double *)learned(&transformed, bad[i].name, 2);
        Pipeline *copy;
        cleave_error error = {0};

        FINE(clv_pipeline_copy(transformed.pipeline, NO_COLUMN, &copy, &error));
        clv_pipeline_release(copy);
        *value = bad[i].value;
        assert_int_equal(load_again(&transformed, &error), CLEAVE_ERROR_FORMAT);
        assert_non_null(strstr(error.message, "its pipeline is invalid"));
        done(&transformed);
    }
}

static void refuses_columns_beyond_the_data(void **state)
{
    Transformed transformed = transform_text("running-scale", &clv_format_csv,
                                             "label,a,b\n0,1,5\n1,2,7\n0,6,5\n");
    const BundleItem *column = clv_bundle_get(clv_pipeline_step(transformed.pipeline, 0)->arrays,
                                              "column", BUNDLE_U32);
    cleave_error error = {0};

    (void)state;
    FINE(load_again(&transformed, &error));
    ((uint32_t *)column->data)[1] = 2;
    assert_int_equal(load_again(&transformed, &error), CLEAVE_ERROR_FORMAT);
    done(&transformed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_to_polar),
        cmocka_unit_test(measures_the_radius),
        cmocka_unit_test(multiplies),
        cmocka_unit_test(squares_of_the_exercise),
        cmocka_unit_test(names_and_numbers_agree),
        cmocka_unit_test(cosines_are_the_kernel),
        cmocka_unit_test(projections_keep_distances),
        cmocka_unit_test(seeds_are_kept_apart),
        cmocka_unit_test(components_of_the_book),
        cmocka_unit_test(components_are_what_they_should_be),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(there_are_no_more_than_there_are),
        cmocka_unit_test(finds_components_of_wide_rows),
        cmocka_unit_test(finds_eigenvectors),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(sums_of_squares),
        cmocka_unit_test(weighs_words),
        cmocka_unit_test(refuses_what_is_no_count),
        cmocka_unit_test(standardizes_by_running_means),
        cmocka_unit_test(refuses_impossible_statistics),
        cmocka_unit_test(refuses_columns_beyond_the_data),
    };

    return cmocka_run_group_tests_name("transformations", tests, set_up, tear_down);
}
