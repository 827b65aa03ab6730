/* Folds (src/eval/folds.c): every row is in one part, which has its fraction of each class; groups
 * are in one part; another seed gives another split. */
#include "property/table.h"

#include "base/param.h"
#include "eval/folds.h"
#include "read/reader.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 997, CLASSES = 3 };

typedef struct {
    Context *context;
    Dataset *dataset;
} Rows;

static Rows read_rows(const Format *format, const char *text)
{
    Rows rows = {.context = cleave_context_new(NULL)};
    cleave_error error = {0};
    ReadOptions options = {0};
    Source *source;

    assert_non_null(rows.context);
    clv_params_initial(clv_read_params, &options);
    FINE(clv_read_memory(rows.context, "test", text, strlen(text), format, &options, NULL, &source,
                         &error));
    FINE(clv_dataset_load(source, &rows.dataset, &error));
    clv_source_close(source);
    return rows;
}

static void drop(Rows *rows)
{
    clv_dataset_free(rows->dataset);
    cleave_context_free(rows->context);
}

static unsigned class_of(unsigned row)
{
    return row % 10 < 6 ? 0 : row % 10 < 9 ? 1 : 2;
}

/* ROWS rows of three classes; the value of column 1 is the row, from 1; groups of the size given
 * as qid. */
static Rows make_rows(unsigned group_rows)
{
    size_t workspace = (size_t)ROWS * 40, used = 0;
    char *text = malloc(workspace);
    Rows rows;

    assert_non_null(text);
    for (unsigned i = 0; i < ROWS; i++)
        used += (size_t)snprintf(text + used, workspace - used, "%u qid:%u 1:%u\n", class_of(i) + 1,
                                 i / group_rows, i + 1);
    rows = read_rows(&clv_format_libsvm, text);
    free(text);
    return rows;
}

/* A table whose column t has every number below ROWS once, or each number `each` times. */
static Rows make_timed(unsigned each)
{
    size_t workspace = (size_t)ROWS * 40, used = 0;
    char *text = malloc(workspace);
    Rows rows;

    assert_non_null(text);
    used += (size_t)snprintf(text, workspace, "t,x,class\n");
    for (unsigned i = 0; i < ROWS; i++)
        used += (size_t)snprintf(text + used, workspace - used, "%u,%u,%c\n",
                                 each ? i / each : i * 7 % ROWS, i % 5, "ab"[i % 2]);
    rows = read_rows(&clv_format_csv, text);
    free(text);
    return rows;
}

static uint64_t row_of_part(const Folds *folds, uint32_t part)
{
    uint64_t row = 0;

    while (row < folds->rows && folds->of[row] != part)
        row++;
    assert_true(row < folds->rows);
    return row;
}

static Folds deal(const Rows *rows, FoldPlan plan)
{
    cleave_error error = {0};
    Folds folds;

    FINE(clv_folds_make(rows->dataset, &plan, &folds, &error));
    assert_int_equal(folds.rows, rows->dataset->rows);
    return folds;
}

static void test_strata(void **state)
{
    Rows rows = make_rows(1);
    Folds folds = deal(&rows, (FoldPlan){.count = 10, .seed = 7});
    uint64_t total[CLASSES] = {0}, there[10][CLASSES] = {{0}}, all = 0;

    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        assert_true(folds.of[i] < 10);
        there[folds.of[i]][class_of(i)]++;
        total[class_of(i)]++;
    }
    for (unsigned part = 0; part < 10; part++) {
        for (unsigned c = 0; c < CLASSES; c++)
            assert_true(fabs((double)there[part][c] - (double)total[c] / 10) < 1);
        assert_true(fabs((double)folds.size[part] - ROWS / 10.0) < 2);
        all += folds.size[part];
    }
    assert_int_equal(all, ROWS);
    clv_folds_free(&folds);
    drop(&rows);
}

static void test_share(void **state)
{
    Rows rows = make_rows(1);
    Folds folds = deal(&rows, (FoldPlan){.count = 2, .last_share = 0.2, .seed = 7});
    uint64_t total[CLASSES] = {0}, tested[CLASSES] = {0};

    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        total[class_of(i)]++;
        tested[class_of(i)] += folds.of[i] == 1;
    }
    for (unsigned c = 0; c < CLASSES; c++)
        assert_true(fabs((double)tested[c] - 0.2 * (double)total[c]) < 1);
    clv_folds_free(&folds);
    drop(&rows);
}

/* The same seed gives the same split, another seed or stream a different one. Adjacent rows are not
 * kept together. */
static void test_seeds(void **state)
{
    Rows rows = make_rows(1);
    Folds one = deal(&rows, (FoldPlan){.count = 5, .seed = 7}),
          same = deal(&rows, (FoldPlan){.count = 5, .seed = 7});
    Folds other = deal(&rows, (FoldPlan){.count = 5, .seed = 8});
    Folds next = deal(&rows, (FoldPlan){.count = 5, .seed = 7, .stream = 1});
    unsigned moved = 0, again = 0, neighbors = 0;

    (void)state;
    assert_memory_equal(one.of, same.of, ROWS * sizeof *one.of);
    for (unsigned i = 0; i < ROWS; i++) {
        moved += one.of[i] != other.of[i];
        again += one.of[i] != next.of[i];
        neighbors += i && one.of[i] == one.of[i - 1];
    }
    assert_in_range(moved, ROWS * 7 / 10, ROWS * 9 / 10);
    assert_in_range(again, ROWS * 7 / 10, ROWS * 9 / 10);
    assert_in_range(neighbors, ROWS / 10, ROWS * 3 / 10);
    clv_folds_free(&one);
    clv_folds_free(&same);
    clv_folds_free(&other);
    clv_folds_free(&next);
    drop(&rows);
}

static void test_groups(void **state)
{
    Rows rows = make_rows(7);
    Folds folds = deal(&rows, (FoldPlan){.count = 4, .seed = 3, .by_group = "qid"});

    (void)state;
    assert_int_equal(folds.groups, (ROWS + 6) / 7);
    for (unsigned i = 1; i < ROWS; i++)
        if (i / 7 == (i - 1) / 7)
            assert_int_equal(folds.of[i], folds.of[i - 1]);
    for (unsigned part = 0; part < 4; part++)
        assert_true(fabs((double)folds.size[part] - ROWS / 4.0) < 14);
    clv_folds_free(&folds);
    drop(&rows);
}

/* Groups by a category. Rows with an empty cell are separate groups. */
static void test_columns(void **state)
{
    static const char text[] =
        "who,age,label\nann,1,a\nbob,2,b\nann,3,a\n,4,b\nbob,1,a\n,6,b\nann,1,b\n";
    Rows rows = read_rows(&clv_format_csv, text);
    Folds folds = deal(&rows, (FoldPlan){.count = 2, .seed = 3, .by_group = "who"});

    (void)state;
    assert_int_equal(folds.groups, 4);
    assert_int_equal(folds.of[0], folds.of[2]);
    assert_int_equal(folds.of[0], folds.of[6]);
    assert_int_equal(folds.of[1], folds.of[4]);
    clv_folds_free(&folds);
    folds = deal(&rows, (FoldPlan){.count = 2, .seed = 3, .by_group = "age"});
    assert_int_equal(folds.groups, 5);
    assert_int_equal(folds.of[0], folds.of[4]);
    assert_int_equal(folds.of[0], folds.of[6]);
    clv_folds_free(&folds);
    drop(&rows);
}

static void test_order(void **state)
{
    Rows rows = make_rows(1);
    Folds folds = deal(&rows, (FoldPlan){.count = 2, .last_share = 0.25, .in_order = true});

    (void)state;
    for (unsigned i = 0; i < ROWS; i++)
        assert_int_equal(folds.of[i], i >= 748);
    clv_folds_free(&folds);
    drop(&rows);
}

/* Numeric targets: each part has as many low as high ones. */
static void test_numbers(void **state)
{
    char text[200 * 16];
    size_t used = 0;
    uint64_t there[5][10] = {{0}};
    Rows rows;
    Folds folds;

    (void)state;
    for (unsigned i = 0; i < 200; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%u.5 1:1\n", i * 37 % 200);
    rows = read_rows(&clv_format_libsvm, text);
    assert_true(clv_folds_look_like_numbers(rows.dataset));
    folds = deal(&rows, (FoldPlan){.count = 5, .seed = 1, .numbers = true});
    for (unsigned i = 0; i < 200; i++)
        there[folds.of[i]][i * 37 % 200 / 20]++;
    for (unsigned part = 0; part < 5; part++)
        for (unsigned range = 0; range < 10; range++)
            assert_int_equal(there[part][range], 4);
    clv_folds_free(&folds);
    drop(&rows);
}

/* Both sides of a part together have every row once, in order, and count its labels. */
static void test_sources(void **state)
{
    Rows rows = make_rows(1);
    Folds folds = deal(&rows, (FoldPlan){.count = 3, .seed = 5});
    cleave_error error = {0};
    bool seen[ROWS] = {false};

    (void)state;
    for (int others = 0; others < 2; others++) {
        Source *source;
        Dataset *side;
        float before = 0;
        uint64_t counted = 0;

        FINE(clv_fold_source(rows.context, rows.dataset,
                             &(FoldRows){.folds = &folds, .part = 1, .others = others}, &source,
                             &error));
        FINE(clv_dataset_load(source, &side, &error));
        assert_int_equal(side->rows, others ? ROWS - folds.size[1] : folds.size[1]);
        for (uint32_t b = 0; b < side->blocks; b++) {
            Block block;

            FINE(clv_dataset_block(side, b, &block, &error));
            for (uint32_t row = 0; row < block.rows; row++) {
                RowWalk walk = clv_walk(&block, row);
                unsigned number;

                assert_true(clv_walk_next(&walk));
                assert_true(walk.value > before);
                before = walk.value;
                number = (unsigned)walk.value - 1;
                assert_false(seen[number]);
                seen[number] = true;
                assert_int_equal(folds.of[number] == 1, !others);
                assert_int_equal(block_label(&block, row), class_of(number));
            }
        }
        for (uint32_t c = 0; c < CLASSES; c++)
            counted += side->labels.list[c].count;
        assert_int_equal(counted, side->rows);
        clv_dataset_free(side);
        clv_source_close(source);
    }
    for (unsigned i = 0; i < ROWS; i++)
        assert_true(seen[i]);
    clv_folds_free(&folds);
    drop(&rows);
}

/* A fraction has about that number of rows, and a smaller one is a subset of a larger one. */
static void test_shares(void **state)
{
    Rows rows = make_rows(1);
    Folds folds = deal(&rows, (FoldPlan){.count = 3, .seed = 5});
    double there = (double)(ROWS - folds.size[1]);
    unsigned half = 0, quarter = 0;

    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        FoldRows of = {.folds = &folds, .part = 1, .others = true, .share = 0.5, .seed = 7};
        bool in_half = clv_fold_has(&of, i);

        of.share = 0.25;
        assert_false(in_half && folds.of[i] == 1);
        assert_false(!in_half && clv_fold_has(&of, i));
        half += in_half;
        quarter += clv_fold_has(&of, i);
    }
    assert_true(fabs(half - there / 2) < 3 * sqrt(there));
    assert_true(fabs(quarter - there / 4) < 3 * sqrt(there));
    assert_true(quarter > 0);
    clv_folds_free(&folds);
    drop(&rows);
}

static void assert_refused(const Rows *rows, FoldPlan plan, const char *why)
{
    cleave_error error = {0};
    Folds folds;

    assert_int_not_equal(clv_folds_make(rows->dataset, &plan, &folds, &error), OK);
    assert_non_null(strstr(error.message, why));
    clv_folds_free(&folds);
}

static void test_refusals(void **state)
{
    Rows rows = read_rows(&clv_format_libsvm, "1 1:1\n2 1:33554432\n1 2:1\n");

    (void)state;
    assert_refused(&rows, (FoldPlan){.count = 4}, "3 rows cannot be split into 4 parts");
    assert_refused(&rows, (FoldPlan){.count = 2, .by_group = "qid"}, "no query numbers");
    assert_refused(&rows, (FoldPlan){.count = 2, .by_group = "who"}, "no column 'who'");
    assert_refused(&rows, (FoldPlan){.count = 2, .by_group = "1"}, "too large to be exact");
    drop(&rows);
}

/* Whichever allocation fails, both files exist or neither, and all memory is freed. */
static void test_split_memory(void **state)
{
    char folder[TEST_PATH_SIZE], train[TEST_PATH_SIZE], test[TEST_PATH_SIZE];
    long long refused = 0;

    (void)state;
    test_folder_new(folder);
    test_join(train, folder, "train.csv");
    test_join(test, folder, "test.cleave");
    for (long long fail_at = 1;; fail_at++) {
        TestMemory memory = {.fail_at = 0};
        cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                                      .allocate = test_allocate,
                                                                      .user = &memory,
                                                                      .threads = 1});
        cleave_error error = {0};
        cleave_data *data;
        cleave_code code;

        assert_non_null(context);
        FINE(cleave_open(context, "@dogs", NULL, &data, &error));
        memory.fail_at = atomic_load(&memory.calls) + fail_at;
        code = cleave_split(data, train, test, NULL, NULL, &error);
        refused += code != CLEAVE_OK;
        assert_true(code == CLEAVE_OK || code == CLEAVE_ERROR_MEMORY);
        assert_int_equal(test_folder_count(folder), code == CLEAVE_OK ? 2 : 0);
        memory.fail_at = 0;
        cleave_data_free(data);
        cleave_context_free(context);
        assert_int_equal(atomic_load(&memory.live), 0);
        if (!atomic_load(&memory.failures))
            break;
        remove(train);
        remove(test);
    }
    assert_true(refused > 20);
    test_folder_remove(folder);
}

/* Times are (i * 7) % ROWS: parts are in their order, and training rows are earlier than test
 * rows. */
static void test_forward(void **state)
{
    enum { FOLDS = 4 };
    Rows rows = make_timed(0);
    Folds folds = deal(&rows, (FoldPlan){.count = FOLDS, .by_time = "t", .forward = true});
    uint64_t last_train, first_test;

    (void)state;
    assert_true(folds.forward);
    for (uint32_t part = 0; part < FOLDS; part++) {
        FoldRows train = {.folds = &folds, .part = part, .others = true},
                 test = {.folds = &folds, .part = part};
        uint64_t trained = 0, tested = 0;

        last_train = 0;
        first_test = UINT64_MAX;
        for (uint64_t row = 0; row < ROWS; row++) {
            uint64_t time = row * 7 % ROWS;

            assert_false(clv_fold_has(&train, row) && clv_fold_has(&test, row));
            trained += clv_fold_has(&train, row);
            tested += clv_fold_has(&test, row);
            if (clv_fold_has(&train, row) && time > last_train)
                last_train = time;
            if (clv_fold_has(&test, row) && time < first_test)
                first_test = time;
        }
        assert_int_equal(last_train + 1, first_test);
        assert_int_equal(trained, clv_folds_training_rows(&folds, part));
        assert_int_equal(trained, first_test); /* all earlier rows */
        assert_int_equal(tested, folds.size[part]);
        assert_in_range(tested, ROWS / (FOLDS + 1), ROWS / (FOLDS + 1) + 1);
        assert_true(folds.of[row_of_part(&folds, clv_folds_training_part(&folds, part))] != part);
    }
    clv_folds_free(&folds);
    drop(&rows);
}

/* Rows with the same time are in one part, for any number of parts. */
static void test_equal_times(void **state)
{
    Rows rows = make_timed(50);
    Folds folds;

    (void)state;
    for (uint32_t count = 2; count <= 9; count++) {
        folds = deal(&rows, (FoldPlan){.count = count, .by_time = "t", .forward = count % 2});
        for (unsigned i = 1; i < ROWS; i++)
            if (i / 50 == (i - 1) / 50)
                assert_int_equal(folds.of[i], folds.of[i - 1]);
        clv_folds_free(&folds);
    }
    drop(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strata),       cmocka_unit_test(test_share),
        cmocka_unit_test(test_seeds),        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_columns),      cmocka_unit_test(test_order),
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_sources),
        cmocka_unit_test(test_shares),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_split_memory), cmocka_unit_test(test_forward),
        cmocka_unit_test(test_equal_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
