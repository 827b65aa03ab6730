/*
 * Transforms that make data linearly separable (Leskovec, Rajaraman and Ullman 2014): the points of
 * Exercise 12.2.3 by squares, as in its part (c), and the day trips of Example 12.7 and Figure
 * 12.10 by polar coordinates or the radius alone. The original data is not separable, which the
 * hard margin reports. The transformed data is, and the saved model predicts like the trained one.
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

#include <cleave/expert.h>

#include "support/support.h"

enum { MOST = 64 };

typedef struct {
    size_t rows;
    float x[MOST][2];
    const char *label[MOST];
} Points;

/* (1,2) and (3,2) are -1, (2,3) and (2,1) are +1: the corners of a square, with opposite corners in
 * the same class. */
static const Points exercise = {
    .rows = 4, .x = {{1, 2}, {2, 3}, {2, 1}, {3, 2}}, .label = {"-1", "+1", "+1", "-1"}};

/* Places around home: some near enough for a day trip, and others farther away, both in all
 * directions. */
static Points trips(double home_x, double home_y)
{
    Points points = {.rows = 40};

    for (size_t i = 0; i < points.rows; i++) {
        bool near = i % 2 == 0;
        double angle = 2.4 * (double)i,
               distance = near ? 0.2 + 0.04 * (double)i : 2.2 + 0.05 * (double)i;

        points.x[i][0] = (float)(home_x + distance * cos(angle));
        points.x[i][1] = (float)(home_y + distance * sin(angle));
        points.label[i] = near ? "day trip" : "excursion";
    }
    return points;
}

/* ---- training -------------------------------------------------------------------------------- */

static void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s (%s)\n", error->message, error->hint);
    assert_int_equal(code, CLEAVE_OK);
}

static cleave_data *data_of(cleave_context *context, const Points *points)
{
    cleave_data *data;
    cleave_error error;

    check(cleave_data_new(context, &data, &error), &error);
    for (size_t i = 0; i < points->rows; i++)
        check(cleave_data_add(data, points->label[i], 2, (const uint32_t[]){0, 1}, points->x[i],
                              &error),
              &error);
    return data;
}

static cleave_code train(cleave_context *context, const Points *points, const char *method,
                         const char *transform, cleave_model **model, cleave_error *error)
{
    cleave_options *options = cleave_options_new(context);
    cleave_data *data = data_of(context, points);
    cleave_code code;

    *model = NULL;
    if (strcmp(method, "svm") == 0) {
        check(cleave_options_set(options, "C", "inf", error), error);
    } else {
        check(cleave_options_set(options, "learn_threshold", "true", error), error);
        check(cleave_options_set(options, "epochs", "20000", error), error);
    }
    check(cleave_options_set(options, "transform", transform, error), error);
    code = cleave_train(context, method, data, NULL, options, model, NULL, error);
    cleave_data_free(data);
    cleave_options_free(options);
    return code;
}

typedef struct {
    const Points *points;
    size_t rows, wrong;
    double score[MOST];
} Answers;

static cleave_code take(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Answers *answers = user;

    (void)error;
    if (strcmp(prediction->label, answers->points->label[answers->rows]) != 0)
        answers->wrong++;
    answers->score[answers->rows++] = prediction->score_count ? prediction->scores[0] : 0;
    return CLEAVE_OK;
}

static Answers answers_of(cleave_context *context, const cleave_model *model, const Points *points)
{
    Answers answers = {.points = points};
    cleave_data *data = data_of(context, points);
    cleave_error error;

    check(cleave_predict(model, data, NULL, take, &answers, &error), &error);
    assert_int_equal(answers.rows, points->rows);
    cleave_data_free(data);
    return answers;
}

static void is_not_separable(const Points *points)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_model *model;
    cleave_error error;

    assert_int_equal(train(context, points, "svm", "none", &model, &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "separa"));
    check(train(context, points, "perceptron", "none", &model, &error), &error);
    assert_true(answers_of(context, model, points).wrong > 0);
    cleave_model_free(model);
    cleave_context_free(context);
}

static void is_separable(const Points *points, const char *transform)
{
    static const char *const methods[] = {"svm", "perceptron"};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    test_folder_new(folder);
    test_join(path, folder, "saved.model");
    for (size_t i = 0; i < 2; i++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_model *model, *loaded;
        Answers before, after;
        cleave_error error;

        check(train(context, points, methods[i], transform, &model, &error), &error);
        before = answers_of(context, model, points);
        assert_int_equal(before.wrong, 0);
        check(cleave_save(model, path, &error), &error);
        check(cleave_load(context, path, &loaded, &error), &error);
        after = answers_of(context, loaded, points);
        assert_memory_equal(before.score, after.score, points->rows * sizeof *before.score);
        cleave_model_free(model);
        cleave_model_free(loaded);
        cleave_context_free(context);
    }
    test_folder_remove(folder);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void squares_separate_the_exercise(void **state)
{
    (void)state;
    is_not_separable(&exercise);
    is_separable(&exercise, "polynomial:terms=powers");
    is_separable(&exercise, "polynomial");
    is_separable(&exercise, "fourier:gamma=1");
}

static void polar_separates_day_trips(void **state)
{
    Points from_origin = trips(0, 0), from_home = trips(37.43, -122.17);

    (void)state;
    is_not_separable(&from_origin);
    is_separable(&from_origin, "polar");
    is_separable(&from_origin, "radius");
    is_separable(&from_origin, "polynomial");
    is_not_separable(&from_home);
    is_separable(&from_home, "polar:center=37.43/-122.17");
    is_separable(&from_home, "radius:center=37.43/-122.17");
    is_separable(&from_home, "radius:center=mean");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_separate_the_exercise),
        cmocka_unit_test(polar_separates_day_trips),
    };

    return cmocka_run_group_tests_name("golden transformations", tests, NULL, NULL);
}
