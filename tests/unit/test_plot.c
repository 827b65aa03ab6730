/* Plots: their numbers against the book and against counts by hand; every kind as a complete
 * picture that is not blank; extreme numbers; failing allocations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cleave/expert.h>
#include <cmocka.h>

#include "model/model.h"
#include "plot/contour.h"
#include "support/support.h"

#define FINE(expression) assert_int_equal((expression), CLEAVE_OK)

typedef struct {
    unsigned char *bytes;
    size_t size;
    bool refuses, cancels;
} Sheet;

static bool has_begun(void *user)
{
    const Sheet *sheet = user;

    return sheet->cancels && sheet->size > 0;
}

static cleave_code keep(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Sheet *sheet = user;

    if (sheet->refuses) {
        error->code = CLEAVE_ERROR_IO;
        memcpy(error->message, "no space", 9);
        return CLEAVE_ERROR_IO;
    }
    sheet->bytes = realloc(sheet->bytes, sheet->size + size + 1);
    assert_non_null(sheet->bytes);
    memcpy(sheet->bytes + sheet->size, bytes, size);
    sheet->size += size;
    sheet->bytes[sheet->size] = '\0';
    return CLEAVE_OK;
}

static bool draws(void)
{
    return !strstr(cleave_features(), "no cairo");
}

/* ---- pictures -------------------------------------------------------------------------------- */

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Every chunk has the right checksum, and some hundred bytes of the picture differ from a white
 * sheet. */
static void check_png(const Sheet *sheet, size_t width, size_t height)
{
    unsigned char *packed = malloc(sheet->size), *raw = malloc(height * (3 * width + 1) + 1);
    uLongf raw_size = height * (3 * width + 1);
    size_t packed_size = 0, at = 8, coloured = 0;
    bool ended = false;

    assert_memory_equal(sheet->bytes, "\x89PNG\r\n\x1a\n", 8);
    while (at + 12 <= sheet->size) {
        size_t size = big_endian(sheet->bytes + at);
        const unsigned char *name = sheet->bytes + at + 4;

        assert_true(size <= sheet->size - at - 12);
        assert_int_equal(crc32(0, name, (uInt)size + 4), big_endian(name + 4 + size));
        if (memcmp(name, "IHDR", 4) == 0) {
            assert_int_equal(big_endian(name + 4), width);
            assert_int_equal(big_endian(name + 8), height);
        }
        if (memcmp(name, "IDAT", 4) == 0) {
            memcpy(packed + packed_size, name + 4, size);
            packed_size += size;
        }
        ended = memcmp(name, "IEND", 4) == 0;
        at += size + 12;
    }
    assert_true(ended && at == sheet->size);
    assert_int_equal(uncompress(raw, &raw_size, packed, packed_size), Z_OK);
    assert_int_equal(raw_size, height * (3 * width + 1));
    for (size_t i = 0; i < raw_size; i++)
        coloured += raw[i] != 0 && raw[i] != 255;
    assert_true(coloured > 500);
    free(packed);
    free(raw);
}

/* Elements are closed in reverse order: the part of XML that cairo writes. */
static void check_svg(const Sheet *sheet)
{
    const char *at = (const char *)sheet->bytes;
    size_t depth = 0, elements = 0;

    assert_int_equal(strncmp(at, "<?xml", 5), 0);
    assert_int_equal(strlen(at), sheet->size);
    assert_null(strstr(at, "nan"));
    while ((at = strchr(at, '<'))) {
        const char *end = strchr(at, '>');

        assert_non_null(end);
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
        } else if (at[1] != '?' && at[1] != '!') {
            depth += end[-1] != '/';
            elements++;
        }
        at = end;
    }
    assert_int_equal(depth, 0);
    assert_true(elements > 20);
}

/* Complete from the first to the last line, and without a date: the same plot gives the same
 * bytes. */
static void check_pdf(const Sheet *sheet)
{
    static const char end[] = "%%EOF\n";

    assert_true(sheet->size > 1000);
    assert_memory_equal(sheet->bytes, "%PDF-1.", 7);
    assert_memory_equal(sheet->bytes + sheet->size - strlen(end), end, strlen(end));
}

static void draw(cleave_context *context, const cleave_plot *plot)
{
    cleave_error error;

    if (!draws())
        return;
    for (int i = 0; i < 3; i++) {
        static const char *const formats[] = {"svg", "png", "pdf"};
        Sheet sheet = {0};

        if (cleave_plot_draw(context, plot, formats[i], keep, &sheet, &error) != CLEAVE_OK)
            fail_msg("%s", error.message);
        if (i == 0)
            check_svg(&sheet);
        else if (i == 1)
            check_png(&sheet, plot->width, plot->height);
        else
            check_pdf(&sheet);
        free(sheet.bytes);
    }
}

/* Panels side by side: in the middle, below the titles, the numbers of each axis are in its half of
 * the picture. */
static void check_halves(cleave_context *context, const cleave_plot *plot)
{
    Sheet sheet = {0};
    cleave_error error;
    size_t digits[2] = {0};

    if (!draws())
        return;
    FINE(cleave_plot_draw(context, plot, "svg", keep, &sheet, &error));
    for (const char *at = (const char *)sheet.bytes; (at = strstr(at, "<use ")); at++) {
        const char *x = strstr(at, " x=\""), *y = strstr(at, " y=\"");
        double across = x ? strtod(x + 4, NULL) : -1, down = y ? strtod(y + 4, NULL) : -1;

        assert_true(across >= 0 && across <= (double)plot->width && down >= 0 &&
                    down <= (double)plot->height);
        if (down > 0.3 * (double)plot->height && down < 0.7 * (double)plot->height)
            digits[across > (double)plot->width / 2]++;
    }
    assert_true(digits[0] > 1 && digits[1] > 1);
    free(sheet.bytes);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static cleave_options *options_of(cleave_context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error;

    for (; options && *pairs; pairs += 2)
        if (cleave_options_set(options, pairs[0], pairs[1], &error) !=
            CLEAVE_OK) { /* short memory */
            cleave_options_free(options);
            return NULL;
        }
    return options;
}

/* Small pictures, so that the tests are fast. */
static const char *const SMALL[] = {"width", "400",     "height", "300", "cells",
                                    "40",    "repeats", "2",      NULL};

static cleave_code plot_model(cleave_context *context, const char *kind, const char *method,
                              const char *path, const char *const *training, cleave_plot **plot,
                              cleave_model **model)
{
    cleave_options *options = options_of(context, SMALL), *train = options_of(context, training);
    cleave_data *data = NULL, *asked = NULL;
    cleave_error error;
    cleave_code code;

    *plot = NULL;
    *model = NULL;
    code = options && train ? cleave_open(context, path, NULL, &data, &error) : CLEAVE_ERROR_MEMORY;
    if (code == CLEAVE_OK)
        code = cleave_train(context, method, data, NULL, train, model, NULL, &error);
    if (code == CLEAVE_OK)
        code = cleave_open_raw_for(*model, &path, 1, NULL, &asked, &error);
    if (code == CLEAVE_OK)
        code = cleave_plot_of_model(kind, *model, asked, options, plot, &error);
    cleave_data_free(asked);
    cleave_data_free(data);
    cleave_options_free(train);
    cleave_options_free(options);
    return code;
}

static cleave_code plot_training(cleave_context *context, const char *kind, const char *method,
                                 const char *path, const char *const *training, cleave_plot **plot,
                                 cleave_error *error)
{
    cleave_options *options = options_of(context, SMALL), *train = options_of(context, training);
    cleave_data *data = NULL;
    cleave_code code = options && train ? cleave_open(context, path, NULL, &data, error)
                                        : CLEAVE_ERROR_MEMORY;

    *plot = NULL;
    if (code == CLEAVE_OK)
        code = cleave_plot_of_training(kind, context, method, data, NULL, options, train, plot,
                                       error);
    cleave_data_free(data);
    cleave_options_free(train);
    cleave_options_free(options);
    return code;
}

static cleave_code plot_data(cleave_context *context, const char *kind, const char *path,
                             cleave_plot **plot)
{
    cleave_options *options = options_of(context, SMALL);
    cleave_data *data = NULL;
    cleave_error error;
    cleave_code code = options ? cleave_open(context, path, NULL, &data, &error)
                               : CLEAVE_ERROR_MEMORY;

    *plot = NULL;
    if (code == CLEAVE_OK)
        code = cleave_plot_of_data(kind, data, options, plot, &error);
    cleave_data_free(data);
    cleave_options_free(options);
    return code;
}

static double value_near(const cleave_plot_series *series, double x)
{
    size_t best = 0;

    for (size_t i = 1; i < series->count; i++)
        if (fabs(series->x[i] - x) < fabs(series->x[best] - x))
            best = i;
    return series->y[best];
}

/* Example 12.12 at q = 3.2: the results of the six rules. */
static void rules(void **state)
{
    static const double expected[] = {4, 6, 4.8, 14.0 / 3, 4.135093, 4.908788};
    cleave_context *context = cleave_context_new(NULL);
    cleave_plot *plot;

    (void)state;
    FINE(plot_data(context, "rules", "@peak7", &plot));
    assert_int_equal(plot->panel_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(plot->panels[i].series[1].count, 7);
        assert_true(fabs(value_near(&plot->panels[i].series[0], 3.2) - expected[i]) < 0.05);
    }
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_context_free(context);
}

static void voronoi(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_plot *plot;

    (void)state;
    FINE(plot_data(context, "voronoi", "@dogs", &plot));
    assert_int_equal(plot->panels[0].regions->region_count, 10);
    assert_int_equal(plot->panels[0].series_count, 5); /* three classes, two kinds of borders */
    assert_string_equal(plot->panels[0].series[3].name, "border between classes");
    assert_string_equal(plot->panels[0].x.title, "height");
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_context_free(context);
}

static void confusion(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    const cleave_plot_matrix *matrix;
    cleave_model *model;
    cleave_plot *plot;
    double all = 0;

    (void)state;
    FINE(plot_model(context, "confusion", "knn", "@dogs", (const char *const[]){"k", "9", NULL},
                    &plot, &model));
    matrix = plot->panels[0].matrix;
    assert_int_equal(matrix->rows, 3);
    assert_int_equal(matrix->columns, 3);
    assert_string_equal(matrix->row_names[0], "Beagle"); /* in the order of a dictionary */
    assert_string_equal(matrix->column_names[2], "Dachshund");
    for (size_t i = 0; i < 9; i++)
        all += matrix->counts[i];
    assert_true(all == 10);
    assert_true(matrix->counts[0] == 4); /* nine of ten: most of them are in the largest class */
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    cleave_context_free(context);
}

/* Two classes that are separated: the curve passes the corner, and that of chance does not. */
static void curves(void **state)
{
    static const char *const kinds[] = {"roc", "pr"};
    cleave_context *context = cleave_context_new(NULL);
    cleave_model *model;
    cleave_plot *plot;

    (void)state;
    for (int i = 0; i < 2; i++) {
        const cleave_plot_series *curve;

        FINE(plot_model(context, kinds[i], "perceptron", "@spam6", (const char *const[]){NULL},
                        &plot, &model));
        assert_int_equal(plot->panels[0].series_count, 3);
        curve = &plot->panels[0].series[1];
        assert_non_null(strstr(curve->name, "(1.000"));
        for (size_t j = 0; j < curve->count; j++) {
            assert_true(curve->x[j] >= 0 && curve->x[j] <= 1 && curve->y[j] >= 0 &&
                        curve->y[j] <= 1);
            assert_true(j == 0 || curve->x[j] >= curve->x[j - 1]);
        }
        draw(context, plot);
        cleave_plot_free(plot);
        cleave_model_free(model);
        FINE(plot_model(context, kinds[i], "knn", "@dogs", (const char *const[]){"k", "3", NULL},
                        &plot, &model));
        assert_int_equal(plot->panels[0].series_count, i == 0 ? 4 : 3);
        draw(context, plot);
        cleave_plot_free(plot);
        cleave_model_free(model);
    }
    cleave_context_free(context);
}

/* The cell of a point has the model's prediction for the point, also through a pipeline. */
static void regions(void **state)
{
    static const char *const pipelines[] = {"none", "scale,polynomial:degree=2"};
    cleave_context *context = cleave_context_new(NULL);
    cleave_model *model;
    cleave_plot *plot;

    (void)state;
    for (int i = 0; i < 2; i++) {
        const cleave_plot_panel *panel;
        const cleave_plot_field *field;

        FINE(plot_model(context, "regions", "knn", "@dogs",
                        (const char *const[]){"k", "1", "transform", pipelines[i], NULL}, &plot,
                        &model));
        panel = &plot->panels[0];
        field = panel->field;
        assert_int_equal(field->across, 40);
        assert_int_equal(field->up, 30);
        assert_int_equal(plot->class_count, 3);
        for (size_t s = 0; s < 3; s++)
            for (size_t j = 0; j < panel->series[s].count; j++) {
                double x = (panel->series[s].x[j] - field->box[0]) /
                           (field->box[2] - field->box[0]);
                double y = (panel->series[s].y[j] - field->box[1]) /
                           (field->box[3] - field->box[1]);
                size_t cell = (size_t)(y * 30) * 40 + (size_t)(x * 40);

                assert_true(field->cells[cell] == (double)s);
                assert_false(panel->series[s].wrong[j]);
            }
        draw(context, plot);
        cleave_plot_free(plot);
        cleave_model_free(model);
    }
    assert_int_equal(plot_model(context, "regions", "perceptron", "@spam6",
                                (const char *const[]){NULL}, &plot, &model),
                     CLEAVE_ERROR_USAGE);
    cleave_model_free(model);
    cleave_context_free(context);
}

static const cleave_plot_series *series_of(const cleave_plot *plot, const char *name)
{
    const cleave_plot_panel *panel = &plot->panels[0];

    for (size_t i = 0; i < panel->series_count; i++)
        if (panel->series[i].name && strcmp(panel->series[i].name, name) == 0)
            return &panel->series[i];
    return NULL;
}

/* Every point of the line has this value of a x + b y. */
static void assert_on_line(const cleave_plot_series *line, double a, double b, double value)
{
    assert_non_null(line);
    assert_true(line->count >= 2);
    for (size_t i = 0; i < line->count; i++)
        assert_true(fabs(a * line->x[i] + b * line->y[i] - value) < 1e-4);
}

/* The book's six points: with the hard margin w = (0, 2), b = -3; with C = 0.1 w = (0, 2/3),
 * b = -5/3, where the point (2, 2) has slack 4/3 and is reached from (2, 4). */
static void margins(void **state)
{
    static const char *const names[] = {"margin: score -1 and +1", "decision boundary"};
    cleave_context *context = cleave_context_new(NULL);
    cleave_model *model;
    cleave_plot *plot;
    const cleave_plot_series *slack, *rings;

    (void)state;
    FINE(plot_model(context, "regions", "svm", "@points6", (const char *const[]){"C", "inf", NULL},
                    &plot, &model));
    assert_on_line(series_of(plot, names[1]), 0, 1, 1.5);
    assert_on_line(series_of(plot, names[0]), 0, 1, 2);
    assert_int_equal(plot->panels[0].regions->region_count, 2);
    assert_null(plot->panels[0].field);
    assert_true(plot->panels[0].same_unit);
    rings = series_of(plot, "support vector");
    assert_int_equal(rings->count, 4);
    assert_null(series_of(plot, "slack"));
    assert_non_null(strstr(plot->remark, "margin 0.5, 4 support vectors, slack 0"));
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    FINE(plot_model(context, "regions", "svm", "@points6", (const char *const[]){"C", "0.1", NULL},
                    &plot, &model));
    assert_on_line(series_of(plot, names[1]), 0, 1, 2.5);
    slack = series_of(plot, "slack");
    assert_int_equal(slack->count, 2);
    assert_true(fabs(slack->x[0] - 2) < 1e-4 && fabs(slack->y[0] - 4) < 1e-4);
    assert_true(slack->x[1] == 2 && slack->y[1] == 2);
    assert_int_equal(series_of(plot, "support vector")->count, 6);
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    cleave_context_free(context);
}

/* Three classes have a region each, whose corners the model predicts; a perceptron that separates
 * has its margin through the nearest point; a model that is not affine keeps its cells. */
static void exact_regions(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    const cleave_voronoi *regions;
    cleave_model *model;
    cleave_plot *plot;

    (void)state;
    FINE(plot_model(context, "regions", "logistic", "@dogs",
                    (const char *const[]){"transform", "scale", NULL}, &plot, &model));
    regions = plot->panels[0].regions;
    assert_int_equal(regions->region_count, 3);
    for (size_t i = 0; i < regions->region_count; i++) {
        cleave_prediction prediction;
        cleave_error error;

        FINE(cleave_predict_row(
            model, 2, (uint32_t[]){0, 1},
            (float[]){(float)regions->regions[i].x, (float)regions->regions[i].y}, &prediction,
            &error));
        assert_int_equal(prediction.label_number, regions->regions[i].label);
    }
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    FINE(plot_model(context, "regions", "perceptron", "@points5",
                    (const char *const[]){"learn_threshold", "true", "learning_rate", "1/3", NULL},
                    &plot, &model)); /* w = (2/3, 1/3), threshold 10/3 */
    assert_on_line(series_of(plot, "decision boundary"), 2, 1, 10);
    assert_on_line(series_of(plot, "margin: through the nearest point"), 2, 1, 11);
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    FINE(plot_model(context, "regions", "kernel-svm", "@points5", (const char *const[]){NULL},
                    &plot, &model));
    assert_true(plot->panels[0].field->smooth);
    assert_non_null(series_of(plot, "decision boundary"));
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    FINE(plot_model(context, "regions", "knn", "@dogs",
                    (const char *const[]){"k", "2", "vote", "agree", NULL}, &plot, &model));
    assert_int_equal(series_of(plot, "no class (the model abstains)")->style, CLEAVE_PLOT_AREA);
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    cleave_context_free(context);
}

/* Figure 12.2: the least-squares line y = 3/5 x + 1. A classifier of one feature has a strip for
 * each class, whose end is exact. */
static void one_feature(void **state)
{
    static const char table[] = "x,label\n1,no\n2,no\n4,yes\n5,yes\n", path[] = "one-feature.csv";
    cleave_context *context = cleave_context_new(NULL);
    const cleave_plot_series *line;
    cleave_model *model;
    cleave_plot *plot;

    (void)state;
    FINE(plot_model(context, "regions", "least-squares", "@line4", (const char *const[]){NULL},
                    &plot, &model));
    line = series_of(plot, "prediction");
    assert_int_equal(line->count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(fabs(line->y[i] - 0.6 * line->x[i] - 1) < 1e-5);
    assert_int_equal(series_of(plot, "rows of the data")->count, 4);
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    test_write_file(path, table, sizeof table - 1);
    FINE(plot_model(context, "regions", "svm", path,
                    (const char *const[]){"C", "inf", "transform", "none", NULL}, &plot, &model));
    assert_int_equal(plot->panels[0].regions->region_count, 2);
    assert_on_line(series_of(plot, "decision boundary"), 1, 0, 3);
    assert_non_null(strstr(plot->remark, "margin 1, 2 support vectors"));
    remove(path);
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    cleave_context_free(context);
}

/* Figure 12.20: the path of w under gradient descent, a frame for each update, and an SVG in which
 * each frame is visible for its share of the time. */
static void updates(void **state)
{
    static const double u[] = {0, 0.04, -0.048, -0.1184}, v[] = {1, 0.84, 0.652, 0.5016};
    cleave_context *context = cleave_context_new(NULL);
    const cleave_plot_series *path;
    Sheet sheet = {0};
    cleave_error error;
    cleave_plot *plot;
    size_t frames = 0;

    (void)state;
    FINE(plot_training(context, "trace", "svm", "@points6",
                       (const char *const[]){"solver", "gd", "C", "0.1", "learning_rate", "0.2",
                                             "initial_weights", "0,1,-2", "max_iterations", "3",
                                             NULL},
                       &plot, &error));
    assert_int_equal(plot->frame_count, 4);
    assert_int_equal(plot->panel_count, 2);
    path = &plot->panels[1].series[1];
    assert_int_equal(path->count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs(path->x[i] - u[i]) < 1e-6 && fabs(path->y[i] - v[i]) < 1e-6);
    assert_int_equal(plot->frames[1].panels[1].series[1].count, 2);
    if (draws()) {
        FINE(cleave_plot_draw(context, plot, "svg", keep, &sheet, &error));
        for (const char *at = (const char *)sheet.bytes; (at = strstr(at, "<animate ")); at++)
            frames++;
        assert_int_equal(frames, 4);
        free(sheet.bytes);
    }
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_context_free(context);
}

/* The contour of a distance is a circle: one closed line, whose pieces follow each other. */
static void contours(void **state)
{
    enum { SIDE = 60 };
    static double values[SIDE * SIDE];
    cleave_context *context = cleave_context_new(NULL);
    ContourGrid grid = {.box = {-3, -3, 3, 3}, .across = SIDE, .up = SIDE, .values = values};
    Contour contour = {.context = context};
    cleave_error error;
    size_t breaks = 0;

    (void)state;
    for (size_t i = 0; i < SIDE * SIDE; i++)
        values[i] = hypot(((double)(i % SIDE) + 0.5) / 10 - 3, ((double)(i / SIDE) + 0.5) / 10 - 3);
    FINE(clv_contour(&contour, &grid, 2, &error));
    assert_true(contour.count > 100);
    for (size_t i = 0; i < contour.count; i++)
        assert_true(fabs(hypot(contour.ends[i].x, contour.ends[i].y) - 2) < 0.01);
    for (size_t i = 1; i + 1 < contour.count; i += 2)
        breaks += contour.ends[i].x != contour.ends[i + 1].x ||
                  contour.ends[i].y != contour.ends[i + 1].y;
    assert_int_equal(breaks, 0);
    clv_free(context, contour.ends);
    cleave_context_free(context);
}

/* The largest number of lines in one path of the picture. */
static size_t lines_of_a_path(const char *svg)
{
    size_t most = 0;

    for (const char *path = svg; (path = strstr(path, " d=\"")); path++) {
        const char *end = strchr(path + 4, '"');
        size_t lines = 0;

        for (const char *at = path; (at = strstr(at, "M ")) && at < end; at++)
            lines++;
        most = lines > most ? lines : most;
    }
    return most;
}

/* A checkerboard of 5 by 4 cells has a border between all adjacent cells: 4 * 4 + 5 * 3. */
static void borders_between_classes(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    double cells[20];
    cleave_plot_field field = {.title = "field",
                               .box = {0, 0, 5, 4},
                               .across = 5,
                               .up = 4,
                               .cells = cells,
                               .of_classes = true};
    cleave_plot_panel panel = {.title = "panel",
                               .x = {.title = "x", .low = 0, .high = 5},
                               .y = {.title = "y", .low = 0, .high = 4},
                               .field = &field};
    const char *const names[] = {"a", "b"};
    cleave_plot plot = {.kind = "test",
                        .title = "title",
                        .remark = "",
                        .width = 400,
                        .height = 300,
                        .panel_count = 1,
                        .panels = &panel,
                        .class_count = 2,
                        .classes = names};
    Sheet sheet = {0};
    cleave_error error;

    (void)state;
    for (size_t i = 0; i < 20; i++)
        cells[i] = (double)((i % 5 + i / 5) % 2);
    if (draws()) {
        FINE(cleave_plot_draw(context, &plot, "svg", keep, &sheet, &error));
        assert_int_equal(lines_of_a_path((const char *)sheet.bytes), 31);
        free(sheet.bytes);
    }
    cleave_context_free(context);
}

/* Without limits, the axes include the points of all series: every point is within the picture. */
static void axes_hold_all_points(void **state)
{
    static const double x[] = {1, 2, 300}, y[] = {5, -40, 6}, low[] = {4, -900, 5},
                        high[] = {6, -30, 7000};
    cleave_context *context = cleave_context_new(NULL);
    cleave_plot_series series[] = {
        {.name = "a",
         .style = CLEAVE_PLOT_LINE,
         .count = 3,
         .x = x,
         .y = y,
         .low = low,
         .high = high},
        {.name = "b", .style = CLEAVE_PLOT_LINE, .count = 3, .x = y, .y = x}};
    cleave_plot_panel panel = {.title = "panel",
                               .x = {.title = "x", .low = NAN, .high = NAN},
                               .y = {.title = "y", .low = NAN, .high = NAN},
                               .series_count = 2,
                               .series = series};
    cleave_plot plot = {.kind = "test",
                        .title = "title",
                        .remark = "",
                        .width = 400,
                        .height = 300,
                        .panel_count = 1,
                        .panels = &panel};
    Sheet sheet = {0};
    cleave_error error;
    size_t places = 0;

    (void)state;
    if (draws()) {
        FINE(cleave_plot_draw(context, &plot, "svg", keep, &sheet, &error));
        for (const char *path = (const char *)sheet.bytes; (path = strstr(path, "stroke-width"));
             path++) {
            const char *at = strstr(path, " d=\""), *end = at ? strchr(at + 4, '"') : NULL;

            for (; at && at < end; at++)
                if ((*at == 'M' || *at == 'L') && at[1] == ' ') {
                    char *rest;
                    double across = strtod(at + 1, &rest), down = strtod(rest, NULL);

                    assert_true(across >= 0 && across <= 400 && down >= 0 && down <= 300);
                    places++;
                }
        }
        assert_true(places > 6);
        free(sheet.bytes);
    }
    cleave_context_free(context);
}

/* The tree of the page on trees, split by split; its upper levels; and the importance of a forest's
 * columns, which other models do not have. */
static void trees(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    const cleave_plot_tree *tree;
    cleave_model *model;
    cleave_plot *plot;
    cleave_error error;

    (void)state;
    FINE(plot_model(context, "tree", "tree", "@dogs", (const char *const[]){NULL}, &plot, &model));
    tree = plot->panels[0].tree;
    assert_int_equal(tree->node_count, 5);
    assert_string_equal(tree->nodes[0].text, "height <= 7");
    assert_string_equal(tree->nodes[tree->nodes[0].yes].text, "weight < 3");
    assert_string_equal(tree->nodes[tree->nodes[0].no].text, "Beagle");
    assert_true(tree->nodes[0].class_weight[2] == 4 && tree->nodes[tree->nodes[0].no].weight == 4);
    draw(context, plot);
    cleave_plot_free(plot);
    for (int i = 0; i < 2; i++) {
        cleave_options *options = options_of(
            context, (const char *const[]){i ? "tree" : "levels", i ? "2" : "1", NULL});
        cleave_code code = cleave_plot_of_model("tree", model, NULL, options, &plot, &error);

        assert_int_equal(code, i ? CLEAVE_ERROR_USAGE : CLEAVE_OK);
        if (code == CLEAVE_OK) {
            assert_int_equal(plot->panels[0].tree->node_count, 3);
            assert_int_equal(plot->panels[0].tree->nodes[1].left_out, 2);
            draw(context, plot);
        }
        cleave_plot_free(plot);
        cleave_options_free(options);
    }
    cleave_model_free(model);
    FINE(plot_model(context, "importance", "forest", "@dogs",
                    (const char *const[]){"trees", "5", "importance", "permutation", NULL}, &plot,
                    &model));
    assert_int_equal(plot->panel_count, 2);
    assert_true(fabs(plot->panels[1].bars->values[0] + plot->panels[1].bars->values[1] - 1) < 1e-9);
    draw(context, plot);
    cleave_plot_free(plot);
    cleave_model_free(model);
    assert_int_equal(
        plot_model(context, "tree", "knn", "@dogs", (const char *const[]){NULL}, &plot, &model),
        CLEAVE_ERROR_USAGE);
    cleave_model_free(model);
    cleave_context_free(context);
}

static bool patience_is_over(void *user)
{
    int *patience = user;

    return (*patience)-- <= 0;
}

/* Training that is interrupted at any time leaves a model with at least one tree, which can be
 * drawn, or none. */
static void ended_early(void **state)
{
    size_t without = 0, with = 0;

    (void)state;
    for (int patience = 0; patience < 40; patience++) {
        int left = patience;
        cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                                      .cancelled = patience_is_over,
                                                                      .user = &left,
                                                                      .threads = 1});
        cleave_model *model = NULL;
        cleave_data *data = NULL;
        cleave_plot *plot = NULL;
        cleave_error error;

        if (cleave_open(context, "@dogs", NULL, &data, &error) == CLEAVE_OK &&
            cleave_train(context, "boost", data, NULL, NULL, &model, NULL, &error) == CLEAVE_OK) {
            assert_true(cleave_model_tree_count(model) > 0);
            assert_int_equal(cleave_plot_of_model("tree", model, NULL, NULL, &plot, &error),
                             CLEAVE_OK);
            with++;
        } else {
            without++;
        }
        cleave_plot_free(plot);
        cleave_model_free(model);
        cleave_data_free(data);
        cleave_context_free(context);
    }
    assert_true(without > 0 && with > 0);
}

/* Every node of a boosted tree has the number of its rows. Models of earlier versions have none,
 * and show the fraction of the weight; trees added to them have 0 for the older ones. */
static void boosted_rows(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_tree_node node, left, right;
    cleave_model *model, *updated;
    cleave_plot *plot;
    cleave_data *data;
    cleave_error error;
    uint32_t *rows;

    (void)state;
    FINE(cleave_options_set(options, "rounds", "2", &error));
    FINE(cleave_options_set(options, "min_leaf_rows", "1", &error));
    FINE(cleave_open(context, "@dogs", NULL, &data, &error));
    FINE(cleave_train(context, "boost", data, NULL, options, &model, NULL, &error));
    for (size_t tree = 0; tree < cleave_model_tree_count(model); tree++)
        for (size_t i = 0; cleave_model_tree_node(model, tree, i, &node); i++) {
            assert_true(i > 0 || node.rows == 10);
            if (node.leaf)
                continue;
            assert_true(cleave_model_tree_node(model, tree, node.left, &left));
            assert_true(cleave_model_tree_node(model, tree, node.right, &right));
            assert_true(left.rows + right.rows == node.rows);
        }
    FINE(cleave_plot_of_model("tree", model, NULL, NULL, &plot, &error));
    assert_true(plot->panels[0].tree->nodes[0].rows == 10);
    draw(context, plot);
    cleave_plot_free(plot);
    rows = (uint32_t *)clv_bundle_get(model->bundle, "tree_rows", BUNDLE_U32)->data;
    rows[0] = 0;
    assert_true(cleave_model_tree_node(model, 0, 0, &node) && isnan(node.rows));
    assert_true(cleave_model_tree_node(model, 1, 0, &node) && node.rows == 10);
    FINE(cleave_plot_of_model("tree", model, NULL, NULL, &plot, &error));
    assert_true(isnan(plot->panels[0].tree->nodes[0].rows) &&
                plot->panels[0].tree->nodes[0].weight > 0);
    draw(context, plot);
    cleave_plot_free(plot);
    FINE(cleave_update(model, data, NULL, NULL, &updated, NULL, &error));
    assert_true(cleave_model_tree_node(updated, 0, 0, &node) && isnan(node.rows));
    assert_true(cleave_model_tree_node(updated, 1, 0, &node) && node.rows == 20);
    cleave_model_free(updated);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

static void training(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_error error;
    cleave_plot *plot;

    (void)state;
    FINE(plot_training(
        context, "curve", "lms", "@line4",
        (const char *const[]){"epochs", "5", "validation_fraction", "0.5", "seed", "3", NULL},
        &plot, &error));
    assert_int_equal(plot->panel_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(plot->panels[i].series_count, 2);
        assert_int_equal(plot->panels[i].series[0].count, 5);
        assert_true(plot->panels[i].series[0].x[4] == 5);
    }
    /* Of squares, one is the other's root. */
    assert_true(fabs(plot->panels[0].series[1].y[4] - sqrt(plot->panels[1].series[1].y[4])) < 1e-9);
    draw(context, plot);
    check_halves(context, plot);
    cleave_plot_free(plot);
    FINE(plot_training(context, "size", "knn", "@dogs", (const char *const[]){"k", "1", NULL},
                       &plot, &error));
    assert_true(plot->panels[0].series[1].count >= 1);
    assert_true(plot->panels[0].x.logarithmic);
    draw(context, plot);
    cleave_plot_free(plot);
    assert_int_equal(
        plot_training(context, "curve", "knn", "@dogs", (const char *const[]){NULL}, &plot, &error),
        CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.hint, "plot size knn"));
    cleave_context_free(context);
}

/* ---- strange numbers ------------------------------------------------------------------------- */

static void strange_numbers(void **state)
{
    static const double sets[][4] = {
        {NAN, NAN, NAN, NAN},
        {INFINITY, -INFINITY, 0, 1},
        {1e308, -1e308, 1, NAN},
        {5, 5, 5, 5},
        {0, 0, 0, 0},
        {1e-320, 2e-320, 0, -1e-320},
        {1, 2, 3, 4},
        {-1e17, 1e17, 3, 1e-17},
        {1e15, 1e15 + 1, 1e15, 1e15 + 1},
    };
    enum { SETS = sizeof sets / sizeof *sets };
    static const char bad[] = "\xff\xfe broken \x01 \xE2\x82 <&> \"name\" \xF4\x90\x80\x80";
    static const bool wrong[4] = {true, false, true, false};
    const char *const names[] = {bad, "b"};
    cleave_context *context = cleave_context_new(NULL);

    (void)state;
    for (size_t i = 0; i < SETS; i++)
        for (size_t j = i; j < SETS; j += 4) {
            cleave_plot_series series[5];
            cleave_plot_field field = {
                .title = bad, .box = {sets[i][0], 0, sets[i][1], 1}, .across = 2, .up = 2};
            cleave_plot_matrix matrix = {
                .rows = 2, .columns = 2, .counts = sets[j], .row_names = names};
            cleave_plot_panel panels[4];
            cleave_plot plot = {.kind = "test",
                                .title = bad,
                                .remark = "remark",
                                .width = 500,
                                .height = 300,
                                .panel_count = 4,
                                .panels = panels};

            matrix.column_names = names;
            field.cells = sets[j];
            field.of_classes = false;
            for (size_t s = 0; s < 5; s++)
                series[s] = (cleave_plot_series){.name = s ? bad : NULL,
                                                 .style = (cleave_plot_style)s,
                                                 .look = 3 * s,
                                                 .count = 4,
                                                 .x = sets[i],
                                                 .y = sets[j],
                                                 .low = sets[i],
                                                 .high = sets[j],
                                                 .value = s == 2 ? sets[j] : NULL,
                                                 .wrong = wrong};
            for (size_t p = 0; p < 4; p++)
                panels[p] = (cleave_plot_panel){
                    .title = bad,
                    .x = {.title = bad, .logarithmic = p == 1, .low = NAN, .high = 1},
                    .y = {.title = "y", .logarithmic = p == 1, .low = NAN, .high = NAN},
                    .same_unit = p == 2,
                    .series_count = p == 3 ? 0 : 5,
                    .series = series,
                    .field = p == 2 ? &field : NULL,
                    .matrix = p == 3 ? &matrix : NULL};
            draw(context, &plot);
        }
    cleave_context_free(context);
}

static void strange_trees(void **state)
{
    static const char bad[] = "\xff\xfe broken \x01 \xE2\x82 <&> is one of a very long name of "
                              "very many letters or words";
    static const double numbers[] = {NAN, INFINITY, -1e308, 0, 1e308, 1e-320};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    const char *const names[NUMBERS] = {bad, bad, "", "c", "d", "e"};
    cleave_context *context = cleave_context_new(NULL);

    (void)state;
    for (size_t i = 0; i < NUMBERS; i++) {
        cleave_plot_node nodes[3];
        cleave_plot_tree tree = {
            .node_count = i % 2 ? 3 : 1, .class_count = NUMBERS, .nodes = nodes, .classes = names};
        cleave_plot_bars bars = {.count = NUMBERS - i, .names = names + i, .values = numbers + i};
        cleave_plot_panel panels[2] = {{.title = bad,
                                        .x = {.title = bad, .low = NAN, .high = NAN},
                                        .y = {.title = ""},
                                        .tree = &tree},
                                       {.title = bad,
                                        .x = {.title = bad, .low = NAN, .high = NAN},
                                        .y = {.title = ""},
                                        .bars = &bars}};
        cleave_plot plot = {.kind = "test",
                            .title = bad,
                            .remark = bad,
                            .width = 200 + 200 * i,
                            .height = 300,
                            .panel_count = 2,
                            .panels = panels};

        for (size_t j = 0; j < 3; j++)
            nodes[j] = (cleave_plot_node){.text = j ? "" : bad,
                                          .yes = j || i % 2 == 0 ? SIZE_MAX : 1,
                                          .no = j || i % 2 == 0 ? SIZE_MAX : 2,
                                          .missing = (int)j - 1,
                                          .label = j == 1 ? i : SIZE_MAX,
                                          .value = numbers[(i + j) % NUMBERS],
                                          .weight = numbers[i],
                                          .class_weight = j == 1 ? numbers : NULL};
        draw(context, &plot);
    }
    cleave_context_free(context);
}

static void what_cannot_be_drawn(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    Sheet refusing = {.refuses = true};
    cleave_plot *plot, small;
    cleave_error error;

    (void)state;
    FINE(plot_data(context, "voronoi", "@dogs", &plot));
    assert_int_equal(cleave_plot_draw(context, plot, "gif", keep, &refusing, &error),
                     CLEAVE_ERROR_USAGE);
    small = *plot;
    small.width = 10;
    assert_int_equal(cleave_plot_draw(context, &small, "svg", keep, &refusing, &error),
                     CLEAVE_ERROR_USAGE);
    for (int png = 0; draws() && png < 2; png++) {
        assert_int_equal(
            cleave_plot_draw(context, plot, png ? "png" : "svg", keep, &refusing, &error),
            CLEAVE_ERROR_IO);
        assert_string_equal(error.message, "no space");
    }
    if (!draws()) {
        assert_int_equal(cleave_plot_draw(context, plot, "svg", keep, &refusing, &error),
                         CLEAVE_ERROR_USAGE);
        assert_non_null(strstr(error.message, "cairo"));
    }
    cleave_plot_free(plot);
    cleave_context_free(context);
}

/* ---- short memory ---------------------------------------------------------------------------- */

static cleave_code make(cleave_context *context, int kind, cleave_plot **plot, cleave_model **model)
{
    static const char *const of_models[] = {"roc", "pr", "confusion", "regions"};
    cleave_error error;

    *model = NULL;
    if (kind == 13)
        return plot_training(context, "trace", "perceptron", "@points5",
                             (const char *const[]){"epochs", "1", NULL}, plot, &error);
    if (kind == 14)
        return plot_data(context, "data", "@dogs", plot);
    if (kind == 15)
        return plot_model(context, "index", "knn", "@dogs",
                          (const char *const[]){"index", "kdtree", "leaf", "2", NULL}, plot, model);
    if (kind < 4)
        return plot_model(context, of_models[kind], "knn", "@dogs",
                          (const char *const[]){"k", "3", "transform", "scale", NULL}, plot, model);
    if (kind >= 10)
        return plot_model(context, "regions", kind == 11 ? "kernel-svm" : "svm",
                          kind == 12 ? "@line4" : "@points6",
                          (const char *const[]){"C", "0.1", NULL}, plot, model);
    if (kind >= 8)
        return plot_model(context, kind == 8 ? "tree" : "importance", "tree", "@dogs",
                          (const char *const[]){NULL}, plot, model);
    if (kind < 6)
        return plot_training(context, kind == 4 ? "curve" : "size", "perceptron", "@dogs",
                             (const char *const[]){"epochs", "2", NULL}, plot, &error);
    return plot_data(context, kind == 6 ? "voronoi" : "rules", kind == 6 ? "@dogs" : "@peak7",
                     plot);
}

/* Compressing a picture can be cancelled. */
static void cancelled_while_written(void **state)
{
    Sheet sheet = {.cancels = true};
    cleave_context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .cancelled = has_begun, .user = &sheet});
    cleave_error error = {0};
    cleave_plot *plot;

    (void)state;
    FINE(plot_data(context, "rules", "@peak7", &plot));
    if (draws()) {
        assert_int_equal(cleave_plot_draw(context, plot, "png", keep, &sheet, &error),
                         CLEAVE_ERROR_CANCELLED);
        assert_string_equal(error.message, "interrupted");
    }
    free(sheet.bytes);
    cleave_plot_free(plot);
    cleave_context_free(context);
}

static void short_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < 16; kind++)
        for (long long fail_at = 1;; fail_at += fail_at / 6 + 1) {
            TestMemory memory = {.fail_at = 0};
            cleave_context *context = cleave_context_new(
                &(cleave_config){.size = sizeof(cleave_config),
                                 .allocate = test_allocate,
                                 .user = &memory,
                                 .threads = 1});
            Sheet sheet = {0};
            cleave_model *model;
            cleave_plot *plot;
            cleave_error error;
            cleave_code code;
            bool failed;

            memory.fail_at = atomic_load(&memory.calls) + fail_at;
            code = make(context, kind, &plot, &model);
            if (code == CLEAVE_OK && draws())
                code = cleave_plot_draw(context, plot, "svg", keep, &sheet, &error);
            failed = atomic_load(&memory.failures) > 0;
            assert_true(code == CLEAVE_OK || (failed && code == CLEAVE_ERROR_MEMORY));
            free(sheet.bytes);
            cleave_plot_free(plot);
            cleave_model_free(model);
            cleave_context_free(context);
            assert_int_equal(atomic_load(&memory.live), 0);
            if (!failed)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(strange_trees),
        cmocka_unit_test(boosted_rows),
        cmocka_unit_test(ended_early),
        cmocka_unit_test(rules),
        cmocka_unit_test(voronoi),
        cmocka_unit_test(confusion),
        cmocka_unit_test(curves),
        cmocka_unit_test(regions),
        cmocka_unit_test(margins),
        cmocka_unit_test(exact_regions),
        cmocka_unit_test(one_feature),
        cmocka_unit_test(updates),
        cmocka_unit_test(contours),
        cmocka_unit_test(borders_between_classes),
        cmocka_unit_test(axes_hold_all_points),
        cmocka_unit_test(training),
        cmocka_unit_test(strange_numbers),
        cmocka_unit_test(what_cannot_be_drawn),
        cmocka_unit_test(short_memory),
        cmocka_unit_test(cancelled_while_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
