/* Searching a model's points from a program: values, data, filters, rows that keep their numbers,
 * and errors. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/model.h"

#include <cleave/expert.h>
#include <math.h>
#include <unistd.h>

enum { COLUMNS = 5, POINTS = 400, QUERIES = 150 };

typedef struct {
    cleave_context *context;
    cleave_model *model;
    float point[POINTS][COLUMNS], query[QUERIES][COLUMNS];
    uint64_t row[POINTS]; /* of each point in the data */
} Fixture;

static _Atomic size_t allocations;
static size_t fail_at; /* fail_at: the one that fails; 0: none */

static void *count_and_allocate(void *user, void *old, size_t size)
{
    (void)user;
    allocations += size > 0;
    if (size > 0 && allocations == fail_at)
        return NULL;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        cleave_error error_ = {.message = ""}, *error = &error_;                                   \
        if ((call) != CLEAVE_OK)                                                                   \
            fail_msg("%s", error_.message);                                                        \
    } while (0)

static void assert_refused(cleave_code code, const cleave_error *error, const char *message)
{
    assert_int_not_equal(code, CLEAVE_OK);
    if (!strstr(error->message, message))
        fail_msg("'%s' is not in '%s'", message, error->message);
    assert_true(strlen(error->hint) > 0);
}

static cleave_options *options_of(cleave_context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);

    assert_non_null(options);
    for (; pairs && pairs[0]; pairs += 2)
        MUST(cleave_options_set(options, pairs[0], pairs[1], error));
    return options;
}

static void add_row(cleave_data *data, const char *label, const float *values)
{
    uint32_t index[COLUMNS];
    float value[COLUMNS];
    size_t count = 0;

    for (uint32_t i = 0; i < COLUMNS; i++)
        if (values[i] != 0) {
            index[count] = i;
            value[count++] = values[i];
        }
    MUST(cleave_data_add(data, label, count, index, value, error));
}

/* sparse: few values are not 0. Small integers, so that many distances are equal. */
static void fill(Fixture *fixture, bool sparse)
{
    Random random = clv_random(sparse ? 2 : 1, 0);

    for (size_t i = 0; i < POINTS + QUERIES; i++) {
        float *values = i < POINTS ? fixture->point[i] : fixture->query[i - POINTS];

        for (size_t j = 0; j < COLUMNS; j++)
            values[j] = sparse && clv_random_below(&random, 5)
                            ? 0
                            : (float)clv_random_below(&random, 6) - 2;
        values[COLUMNS - 1] = 1;
    }
}

static const char *label_of(size_t i)
{
    static const char *const labels[] = {"red", "green", NULL};

    return labels[i % 3];
}

static Fixture *make(unsigned threads, bool sparse, const char *const *pairs)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    cleave_options *options;
    cleave_data *data;

    assert_non_null(fixture);
    fixture->context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .threads = threads, .allocate = count_and_allocate});
    assert_non_null(fixture->context);
    fill(fixture, sparse);
    MUST(cleave_data_new(fixture->context, &data, error));
    for (size_t i = 0; i < POINTS; i++) {
        fixture->row[i] = i;
        add_row(data, label_of(i), fixture->point[i]);
    }
    options = options_of(fixture->context, pairs);
    MUST(cleave_options_set(options, "keep_unlabeled", "true", error));
    MUST(cleave_train(fixture->context, "knn", data, NULL, options, &fixture->model, NULL, error));
    cleave_options_free(options);
    cleave_data_free(data);
    return fixture;
}

static void drop(Fixture *fixture)
{
    cleave_model_free(fixture->model);
    cleave_context_free(fixture->context);
    free(fixture);
}

static cleave_searcher *open_searcher(Fixture *fixture, const char *const *pairs)
{
    cleave_options *options = options_of(fixture->context, pairs);
    cleave_searcher *searcher;

    MUST(cleave_searcher_open(fixture->model, options, &searcher, error));
    cleave_options_free(options);
    return searcher;
}

/* ---- the reference --------------------------------------------------------------------------- */

typedef struct {
    double distance;
    uint64_t row;
} Found;

static int by_distance(const void *a, const void *b)
{
    const Found *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

typedef bool May(size_t point);

static size_t look(const Fixture *fixture, const float *query, May *may, double radius,
                   Found found[POINTS])
{
    size_t count = 0;

    for (size_t i = 0; i < POINTS; i++) {
        double sum = 0;

        for (size_t j = 0; j < COLUMNS; j++)
            sum += ((double)fixture->point[i][j] - (double)query[j]) *
                   ((double)fixture->point[i][j] - (double)query[j]);
        if ((!may || may(i)) && sqrt(sum) <= radius)
            found[count++] = (Found){sqrt(sum), fixture->row[i]};
    }
    qsort(found, count, sizeof *found, by_distance);
    return count;
}

static void check_vectors(Fixture *fixture, const char *const *pairs, May *may, double radius)
{
    cleave_searcher *searcher = open_searcher(fixture, pairs);
    size_t k = cleave_searcher_k(searcher);
    int64_t *rows = calloc(QUERIES * k, sizeof *rows);
    double *distances = calloc(QUERIES * k, sizeof *distances);

    assert_non_null(rows);
    assert_non_null(distances);
    assert_int_equal(cleave_searcher_features(searcher), COLUMNS);
    MUST(cleave_search_vectors(searcher, fixture->query[0], QUERIES, rows, distances, error));
    for (size_t q = 0; q < QUERIES; q++) {
        Found found[POINTS];
        size_t count = look(fixture, fixture->query[q], may, radius, found);

        for (size_t i = 0; i < k; i++) {
            assert_int_equal(rows[q * k + i], i < count ? (int64_t)found[i].row : -1);
            assert_true(distances[q * k + i] == (i < count ? found[i].distance : (double)INFINITY));
        }
    }
    free(rows);
    free(distances);
    cleave_searcher_free(searcher);
}

typedef struct {
    Fixture *fixture;
    May *may;
    double radius;
    size_t k, seen;
} Expected;

static cleave_code check_found(void *user, const cleave_found *got, cleave_error *error)
{
    Expected *expected = user;
    Found found[POINTS];
    size_t count = look(expected->fixture, expected->fixture->query[expected->seen], expected->may,
                        expected->radius, found);

    (void)error;
    assert_int_equal(got->row, expected->seen++);
    assert_int_equal(got->count, count < expected->k ? count : expected->k);
    for (size_t i = 0; i < got->count; i++) {
        const char *label = label_of(found[i].row);

        assert_int_equal(got->points[i].row, found[i].row);
        assert_true(got->points[i].distance == found[i].distance);
        if (label)
            assert_string_equal(got->points[i].label, label);
        else
            assert_null(got->points[i].label);
    }
    return CLEAVE_OK;
}

static void check_data(Fixture *fixture, const char *const *pairs, May *may, double radius)
{
    cleave_searcher *searcher = open_searcher(fixture, pairs);
    size_t k = cleave_searcher_k(searcher);
    Expected expected = {.fixture = fixture, .may = may, .radius = radius, .k = k ? k : POINTS};
    cleave_data *data;

    MUST(cleave_data_new(fixture->context, &data, error));
    for (size_t q = 0; q < QUERIES; q++)
        add_row(data, NULL, fixture->query[q]);
    MUST(cleave_search(searcher, data, check_found, &expected, error));
    assert_int_equal(expected.seen, QUERIES);
    cleave_data_free(data);
    cleave_searcher_free(searcher);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static bool is_red(size_t i)
{
    return i % 3 == 0;
}

static bool is_named(size_t i)
{
    return i == 2 || (i >= 6 && i <= 8) || i == 399;
}

static void finds_what_is_nearest(void **state)
{
    static const char *const nearest[] = {"k", "7", NULL}, *const all[] = {"k", "400", NULL},
                             *const red[] = {"k", "9", "only_labels", "red", NULL},
                             *const named[] = {"k", "9", "only_rows", "6-8,2,399", NULL},
                             *const near[] = {"k", "5", "radius", "2", NULL},
                             *const within[] = {"radius", "2", NULL};

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        Fixture *fixture = make(1 + i % 3, i >= 3, NULL);

        check_vectors(fixture, nearest, NULL, (double)INFINITY);
        check_vectors(fixture, all, NULL, (double)INFINITY);
        check_vectors(fixture, red, is_red, (double)INFINITY);
        check_vectors(fixture, named, is_named, (double)INFINITY);
        check_vectors(fixture, near, NULL, 2);
        check_data(fixture, nearest, NULL, (double)INFINITY);
        check_data(fixture, NULL, NULL, (double)INFINITY);
        check_data(fixture, red, is_red, (double)INFINITY);
        check_data(fixture, near, NULL, 2);
        check_data(fixture, within, NULL, 2);
        drop(fixture);
    }
}

/* sqrt(2) as text is the computed distance: a point at the radius is within it. */
static void edge_of_the_radius(void **state)
{
    static const char *const on[] = {"radius", "1.4142135623730951", NULL}, *const below[] = {
                                                                                "radius",
                                                                                "1.414213562373095",
                                                                                NULL};
    Fixture *fixture = make(1, false, NULL);

    (void)state;
    check_data(fixture, on, NULL, 1.4142135623730951);
    check_data(fixture, below, NULL, 1.414213562373095);
    drop(fixture);
}

static bool stays(size_t i)
{
    return i % 2 == 1 || i > 300;
}

static void check_counts(const Fixture *fixture, May *may)
{
    cleave_point_set points;
    uint64_t per_class[2] = {0}, expected[3] = {0};

    for (size_t i = 0; i < POINTS; i++)
        expected[i % 3] += may(i);
    assert_true(cleave_model_points(fixture->model, &points, per_class));
    assert_int_equal(points.count, expected[0] + expected[1] + expected[2]);
    assert_int_equal(per_class[0], expected[0]);
    assert_int_equal(per_class[1], expected[1]);
}

static void removed_points_are_found_no_more(void **state)
{
    static const char *const nearest[] = {"k", "7", NULL};
    char path[] = "/tmp/cleave-search-XXXXXX";
    int file = mkstemp(path);
    Fixture *fixture = make(2, false, NULL);
    uint64_t gone[POINTS], again;
    size_t count = 0;
    cleave_model *loaded;
    cleave_error error = {.message = ""};

    (void)state;
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < POINTS; i++)
        if (!stays(i))
            gone[count++] = i;
    MUST(cleave_model_remove(fixture->model, gone, count / 2, error));
    MUST(cleave_model_remove(fixture->model, gone + count / 2, count - count / 2, error));
    check_vectors(fixture, nearest, stays, (double)INFINITY);
    check_counts(fixture, stays);
    again = 400;
    assert_refused(cleave_model_remove(fixture->model, &again, 1, &error), &error,
                   "row 400: the model does not contain");
    assert_refused(cleave_model_remove(fixture->model, gone, 1, &error), &error,
                   "row 0: the model does not contain this row");
    MUST(cleave_save(fixture->model, path, error));
    MUST(cleave_load(fixture->context, path, &loaded, error));
    cleave_model_free(fixture->model);
    fixture->model = loaded;
    check_vectors(fixture, nearest, stays, (double)INFINITY);
    check_data(fixture, nearest, stays, (double)INFINITY);
    unlink(path);
    drop(fixture);
}

/* ---- changes during searches */

typedef struct {
    const Fixture *fixture;
    cleave_searcher *searcher;
    atomic_bool *end;
    size_t searches;
    bool same;
} Seeking;

enum { SOUGHT = 3 };

static void *seek(void *user)
{
    Seeking *seeking = user;
    int64_t first[QUERIES * SOUGHT], row[QUERIES * SOUGHT];

    seeking->same = cleave_search_vectors(seeking->searcher, *seeking->fixture->query, QUERIES,
                                          first, NULL, NULL) == CLEAVE_OK;
    do {
        seeking->same = seeking->same &&
                        cleave_search_vectors(seeking->searcher, *seeking->fixture->query, QUERIES,
                                              row, NULL, NULL) == CLEAVE_OK &&
                        memcmp(row, first, sizeof row) == 0;
        seeking->searches++;
    } while (!atomic_load(seeking->end));
    return NULL;
}

/* Points are removed and added while two threads search. Each search finds the points that its
 * searcher was opened for. */
static void threads_search_during_changes(void **state)
{
    static const char *const kinds[] = {"scan", "rtree", "kdtree", "ivf", "vafile"},
                             *const nearest[] = {"k", "3", NULL};

    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        Fixture *fixture = make(1, false, (const char *const[]){"index", kinds[kind], NULL});
        cleave_searcher *before = open_searcher(fixture, nearest);
        int64_t truth[QUERIES * SOUGHT], row[QUERIES * SOUGHT];
        atomic_bool end = false;
        Seeking seeking[2];
        pthread_t thread[2];

        MUST(cleave_search_vectors(before, *fixture->query, QUERIES, truth, NULL, error));
        for (int i = 0; i < 2; i++) {
            seeking[i] = (Seeking){.fixture = fixture, .end = &end};
            seeking[i].searcher = open_searcher(fixture, nearest);
            assert_int_equal(pthread_create(&thread[i], NULL, seek, &seeking[i]), 0);
        }
        for (uint64_t gone = 0; gone < 30; gone += 3) {
            cleave_options *options = options_of(fixture->context, NULL);
            cleave_model *more;
            cleave_data *data;

            MUST(cleave_model_remove(fixture->model, (uint64_t[]){gone, gone + 1}, 2, error));
            MUST(cleave_data_new(fixture->context, &data, error));
            add_row(data, "red", fixture->point[gone]);
            MUST(cleave_options_set(options, "refit", "true", error));
            MUST(cleave_train_from(fixture->model, data, NULL, options, &more, NULL, error));
            cleave_model_free(more);
            cleave_options_free(options);
            cleave_data_free(data);
        }
        atomic_store(&end, true);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(thread[i], NULL), 0);
            assert_true(seeking[i].same && seeking[i].searches > 0);
            cleave_searcher_free(seeking[i].searcher);
        }
        MUST(cleave_search_vectors(before, *fixture->query, QUERIES, row, NULL, error));
        assert_memory_equal(row, truth, sizeof row);
        cleave_searcher_free(before);
        drop(fixture);
    }
}

/* Predictions after a removal do not use the removed points. */
static void removed_points_predict_no_more(void **state)
{
    static const char *const labels[] = {"red", "green", "red", "green"};
    static const char *const kinds[] = {"scan", "rtree", "kdtree", "vafile"};

    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        cleave_context *context = cleave_context_new(NULL);
        cleave_options *options = options_of(
            context, (const char *const[]){"index", kinds[kind], "k", "1", NULL});
        cleave_prediction prediction;
        cleave_model *model;
        cleave_data *data;

        MUST(cleave_data_new(context, &data, error));
        for (int i = 0; i < 4; i++)
            add_row(data, labels[i], (const float[COLUMNS]){(float)i, 1, 2, 1, 1});
        MUST(cleave_train(context, "knn", data, NULL, options, &model, NULL, error));
        for (size_t removed = 0; removed < 3; removed++) {
            MUST(cleave_predict_row(model, 3, (uint32_t[]){1, 2, 3}, (float[]){1, 2, 1},
                                    &prediction, error));
            assert_string_equal(prediction.label, labels[removed]);
            MUST(cleave_model_remove(model, (uint64_t[]){removed}, 1, error));
        }
        cleave_model_free(model);
        cleave_data_free(data);
        cleave_options_free(options);
        cleave_context_free(context);
    }
}

/* Rows that are added get subsequent numbers, whatever was removed before. */
static void added_rows_are_counted_on(void **state)
{
    static const char *const nearest[] = {"k", "2", NULL};
    Fixture *fixture = make(1, false, NULL);
    float far[COLUMNS] = {100, 100, 100, 100, 1};
    int64_t rows[2];
    cleave_options *options = cleave_options_new(fixture->context);
    cleave_model *more;
    cleave_data *data;
    cleave_searcher *searcher;

    (void)state;
    MUST(cleave_options_set(options, "refit", "true", error));
    MUST(cleave_model_remove_list(fixture->model, "0-9, 399", NULL, error));
    MUST(cleave_data_new(fixture->context, &data, error));
    add_row(data, "red", fixture->point[0]);
    add_row(data, NULL, far);
    MUST(cleave_train_from(fixture->model, data, NULL, options, &more, NULL, error));
    cleave_options_free(options);
    cleave_model_free(fixture->model);
    fixture->model = more;
    searcher = open_searcher(fixture, nearest);
    assert_int_equal(cleave_searcher_points(searcher), POINTS - 11 + 2);
    MUST(cleave_search_vectors(searcher, far, 1, rows, NULL, error));
    assert_int_equal(rows[0], POINTS + 1);
    cleave_searcher_free(searcher);
    cleave_data_free(data);
    drop(fixture);
}

static void asks_for_memory_once(void **state)
{
    static const char *const nearest[] = {"k", "7", NULL};

    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        Fixture *fixture = make(1, sparse, NULL);
        cleave_searcher *searcher = open_searcher(fixture, nearest);
        int64_t rows[QUERIES * 7];
        double distances[QUERIES * 7];
        size_t before;

        MUST(cleave_search_vectors(searcher, fixture->query[0], QUERIES, rows, distances, error));
        before = allocations;
        MUST(cleave_search_vectors(searcher, fixture->query[0], QUERIES, rows, distances, error));
        for (size_t q = 0; q < QUERIES; q++)
            MUST(cleave_search_vectors(searcher, fixture->query[q], 1, rows, NULL, error));
        assert_int_equal(allocations, before);
        cleave_searcher_free(searcher);
        drop(fixture);
    }
}

/* ---- filters and boxes ----------------------------------------------------------------------- */

static bool is_third(size_t i)
{
    return i % 3 == 1 && i < 200;
}

/* The bits of a filter select among the rows of the options; NULL selects all of these. */
static void a_filter_selects_rows(void **state)
{
    static const char *const nearest[] = {"k", "7", NULL}, *const green[] = {"k", "7", "where",
                                                                             "label=green", NULL};
    uint64_t bits[POINTS / 64 + 1] = {0};

    (void)state;
    for (size_t i = 0; i < POINTS; i++)
        bits[i / 64] |= (uint64_t)(i % 3 == 1) << (i % 64);
    for (int labels = 0; labels < 2; labels++) {
        Fixture *fixture = make(2, false, NULL);
        cleave_searcher *searcher = open_searcher(fixture, labels ? green : nearest);
        int64_t rows[QUERIES * 7];
        double distances[QUERIES * 7];

        MUST(cleave_searcher_filter(searcher, bits, 200, error));
        for (int again = 0; again < 2; again++) {
            MUST(cleave_search_vectors(searcher, fixture->query[0], QUERIES, rows, distances,
                                       error));
            for (size_t q = 0; q < QUERIES; q++) {
                Found found[POINTS];
                size_t count = look(fixture, fixture->query[q], is_third, (double)INFINITY, found);

                assert_true(count >= 7);
                for (size_t i = 0; i < 7; i++)
                    assert_int_equal(rows[q * 7 + i], found[i].row);
            }
        }
        MUST(cleave_searcher_filter(searcher, NULL, 0, error));
        MUST(cleave_search_vectors(searcher, fixture->query[0], 1, rows, NULL, error));
        if (!labels) {
            Found found[POINTS];

            look(fixture, fixture->query[0], NULL, (double)INFINITY, found);
            assert_int_equal(rows[0], found[0].row);
        }
        cleave_searcher_free(searcher);
        drop(fixture);
    }
}

/* A box, or a stored box of the bounds of columns 0 and 1, and the query. */
typedef struct {
    const Fixture *fixture;
    const char *match; /* NULL: points */
    double low, high;
    size_t count;
} Boxed;

static bool in_box(const Boxed *boxed, const float *point)
{
    double a = (double)point[0], b = (double)point[1];

    if (!boxed->match)
        return a >= boxed->low && a <= boxed->high && b >= boxed->low;
    if (strcmp(boxed->match, "intersects") == 0)
        return a <= boxed->high && b >= boxed->low;
    if (strcmp(boxed->match, "within") == 0)
        return a >= boxed->low && b <= boxed->high;
    return a <= boxed->low && b >= boxed->high;
}

static cleave_code check_box(void *user, const cleave_found *found, cleave_error *error)
{
    Boxed *boxed = user;
    size_t at = 0;

    (void)error;
    for (size_t i = 0; i < POINTS; i++)
        if (in_box(boxed, boxed->fixture->point[i])) {
            assert_true(at < found->count);
            assert_int_equal(found->points[at].row, i);
            assert_true(found->points[at++].distance == 0);
        }
    assert_int_equal(at, found->count);
    boxed->count += at;
    return CLEAVE_OK;
}

static void search_box(Fixture *fixture, const char *text, const char *match, double low,
                       double high, size_t *count)
{
    const char *const pairs[] = {"box", text, match ? "match" : NULL, match, NULL};
    cleave_searcher *searcher = open_searcher(fixture, pairs);
    Boxed boxed = {.fixture = fixture, .match = match, .low = low, .high = high};

    MUST(cleave_search_box(searcher, check_box, &boxed, error));
    *count += boxed.count;
    cleave_searcher_free(searcher);
}

/* The columns of a box: the lower bound first. */
static void order_bounds(Fixture *fixture)
{
    for (size_t i = 0; i < POINTS; i++)
        if (fixture->point[i][0] > fixture->point[i][1]) {
            float low = fixture->point[i][1];

            fixture->point[i][1] = fixture->point[i][0];
            fixture->point[i][0] = low;
        }
}

static cleave_model *model_of_points(Fixture *fixture, const char *const *pairs)
{
    cleave_options *options = options_of(fixture->context, pairs);
    cleave_data *data;
    cleave_model *model;

    MUST(cleave_options_set(options, "keep_unlabeled", "true", error));
    MUST(cleave_data_new(fixture->context, &data, error));
    for (size_t i = 0; i < POINTS; i++)
        add_row(data, label_of(i), fixture->point[i]);
    MUST(cleave_train(fixture->context, "knn", data, NULL, options, &model, NULL, error));
    cleave_options_free(options);
    cleave_data_free(data);
    return model;
}

/* Every index finds the points in a box, and the boxes that match one, like a test of all rows. */
static void boxes_find_what_is_in_them(void **state)
{
    static const char *const indexes[] = {"scan", "kdtree", "rtree", "vafile"}, *const matches[] = {
                                                                                    "intersects",
                                                                                    "within",
                                                                                    "contains"};
    static const double bounds[][2] = {{-1, 1}, {0, 2}, {0.5, 0.5}, {-100, 100}, {50, 60}};

    (void)state;
    for (size_t k = 0; k < sizeof indexes / sizeof *indexes; k++) {
        Fixture *fixture = make(1, false, (const char *const[]){"index", "scan", NULL});
        size_t found[4] = {0};

        cleave_model_free(fixture->model);
        order_bounds(fixture);
        fixture->model = model_of_points(fixture, (const char *const[]){"index", indexes[k], NULL});
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
            char text[80];

            snprintf(text, sizeof text, "0=%g..%g,1=%g..", bounds[i][0], bounds[i][1],
                     bounds[i][0]);
            search_box(fixture, text, NULL, bounds[i][0], bounds[i][1], &found[3]);
        }
        MUST(cleave_model_set_boxes(fixture->model, "d=0..1", error));
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
            for (size_t m = 0; m < 3; m++) {
                char text[80];

                snprintf(text, sizeof text, "d=%g..%g", bounds[i][0], bounds[i][1]);
                search_box(fixture, text, matches[m], bounds[i][0], bounds[i][1], &found[m]);
            }
        for (size_t m = 0; m < 4; m++)
            assert_true(found[m] > 10);
        drop(fixture);
    }
}

static cleave_code count_found(void *user, const cleave_found *found, cleave_error *error)
{
    (void)error;
    *(size_t *)user += found->count;
    return CLEAVE_OK;
}

/* After a failed allocation, the next call allocates the memory again. */
static void goes_on_when_there_is_memory(void **state)
{
    static const char *const nearest[] = {"k", "7", NULL};
    Fixture *fixture = make(1, false, NULL);
    cleave_data *data;
    size_t failures = 0;

    (void)state;
    MUST(cleave_data_new(fixture->context, &data, error));
    for (size_t i = 0; i < QUERIES; i++)
        add_row(data, NULL, fixture->query[i]);
    for (size_t nth = 1; nth < 400; nth++) {
        cleave_searcher *searcher = open_searcher(fixture, nearest);
        cleave_error error_ = {.message = ""};
        size_t found = 0;

        fail_at = allocations + nth;
        failures += cleave_search(searcher, data, count_found, &found, &error_) ==
                    CLEAVE_ERROR_MEMORY;
        fail_at = 0;
        found = 0;
        MUST(cleave_search(searcher, data, count_found, &found, error));
        assert_int_equal(found, QUERIES * 7);
        cleave_searcher_free(searcher);
    }
    assert_true(failures > 10);
    cleave_data_free(data);
    drop(fixture);
}

static void refuse(Fixture *fixture, const char *const *pairs, const char *message)
{
    cleave_options *options = options_of(fixture->context, pairs);
    cleave_error error = {.message = ""};
    cleave_searcher *searcher;

    assert_refused(cleave_searcher_open(fixture->model, options, &searcher, &error), &error,
                   message);
    assert_null(searcher);
    cleave_options_free(options);
}

static void says_what_was_expected(void **state)
{
    static const char *const many[] = {"k", "401", NULL},
                             *const other[] = {"only_labels", "red,blue", NULL},
                             *const list[] = {"only_rows", "3,-1", NULL},
                             *const backwards[] = {"only_rows", "9-7", NULL},
                             *const radius[] = {"radius", "1", NULL},
                             *const one[] = {"k", "1", NULL};
    Fixture *fixture = make(1, false, NULL);
    float query[2][COLUMNS] = {{0}, {0, 0, NAN, 0, 0}};
    cleave_searcher *searcher;
    cleave_error error = {.message = ""};
    cleave_model *linear;
    cleave_data *data;
    int64_t row[2];

    (void)state;
    refuse(fixture, many, "--k 401: the value must be at most the number of points, 400");
    refuse(fixture, other, "no point of the model has the label 'blue'");
    refuse(fixture, list, "expected rows such as 3,7-9, counted from 0, found '-1'");
    refuse(fixture, backwards, "found '9-7'");
    searcher = open_searcher(fixture, radius);
    assert_refused(cleave_search_vectors(searcher, query[0], 1, row, NULL, &error), &error,
                   "requires the option 'k'");
    cleave_searcher_free(searcher);
    searcher = open_searcher(fixture, one);
    assert_refused(cleave_search_vectors(searcher, query[0], 2, row, NULL, &error), &error,
                   "query 1, column 2: expected a finite number, found nan");
    cleave_searcher_free(searcher);
    MUST(cleave_open(fixture->context, "@dogs", NULL, &data, error));
    MUST(cleave_train(fixture->context, "perceptron", data, NULL, NULL, &linear, NULL, error));
    assert_refused(cleave_searcher_open(linear, NULL, &searcher, &error), &error,
                   "expected a model with stored training points, found a model of 'perceptron'");
    cleave_model_free(linear);
    cleave_data_free(data);
    drop(fixture);
}

/* The distances of the three nearest points. */
static void three_nearest(Fixture *fixture, double distances[3])
{
    cleave_searcher *searcher = open_searcher(fixture, (const char *const[]){"k", "3", NULL});
    int64_t rows[3];

    MUST(cleave_search_vectors(searcher, fixture->query[0], 1, rows, distances, error));
    cleave_searcher_free(searcher);
}

/* In models written before `angle` had a name, `cosine` is the angle. */
static void cosine_of_older_models_is_the_angle(void **state)
{
    static const char *const pairs[] = {"distance", "cosine", NULL};
    Fixture *fixture = make(1, false, pairs);
    double cosine[3], angle[3];

    (void)state;
    three_nearest(fixture, cosine);
    for (size_t i = 0; i < fixture->model->bundle->count; i++)
        if (strcmp(fixture->model->bundle->item[i].name, "point_cosine") == 0)
            fixture->model->bundle->item[i].name[0] = '-';
    three_nearest(fixture, angle);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(angle[i] - acos(1 - cosine[i]) / acos(-1.0)) < 1e-7);
    assert_true(angle[2] > 1e-3);
    drop(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_nearest),
        cmocka_unit_test(edge_of_the_radius),
        cmocka_unit_test(removed_points_are_found_no_more),
        cmocka_unit_test(threads_search_during_changes),
        cmocka_unit_test(removed_points_predict_no_more),
        cmocka_unit_test(added_rows_are_counted_on),
        cmocka_unit_test(a_filter_selects_rows),
        cmocka_unit_test(boxes_find_what_is_in_them),
        cmocka_unit_test(asks_for_memory_once),
        cmocka_unit_test(goes_on_when_there_is_memory),
        cmocka_unit_test(says_what_was_expected),
        cmocka_unit_test(cosine_of_older_models_is_the_angle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
