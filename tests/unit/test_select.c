/* Selection of columns (src/pipeline/select.c): every score against values computed by hand,
 * what is kept, and what is refused. */
#include "property/table.h"

#include "base/param.h"
#include "pipeline/pipeline.h"
#include "read/reader.h"
#include "support/support.h"

#include <math.h>

/* Two rows of a, three of b, one of neither: P(a) = 0.4, P(b) = 0.6. */
static const char counts[] = "a 1:2 2:1\na 1:1\nb 2:3 3:1\nb 2:1\nb 3:2\n? 1:9 3:9\n";

typedef struct {
    Context *context;
    Source *source;
    Pipeline *pipeline;
    cleave_error error;
    Status status;
} Learned;

static const Names *given_names;
static const double *given_weights;
static uint32_t given_count;

static Learned learn(const Format *format, const char *text, const char *how)
{
    Learned learned = {.context = cleave_context_new(NULL)};
    cleave_error error = {0};
    ReadOptions options = {0};

    assert_non_null(learned.context);
    clv_params_initial(clv_read_params, &options);
    FINE(clv_read_memory(learned.context, "test", text, strlen(text), format, &options, NULL,
                         &learned.source, &error));
    learned.status = clv_pipeline_parse(learned.context, how, &learned.pipeline, &learned.error);
    if (learned.status == OK && clv_pipeline_wants_model(learned.pipeline, 0))
        FINE(clv_pipeline_give_weights(learned.pipeline, 0, given_names, given_weights, given_count,
                                       &error));
    if (learned.status == OK)
        learned.status = clv_pipeline_learn(learned.pipeline, learned.source, 1, &learned.error);
    return learned;
}

static void unlearn(Learned *learned)
{
    clv_pipeline_release(learned->pipeline);
    clv_source_close(learned->source);
    cleave_context_free(learned->context);
}

/* The names and scores kept by the last step. */
static void assert_kept(const Format *format, const char *text, const char *how, size_t count,
                        const char *const *names, const double *scores)
{
    Learned learned = learn(format, text, how);
    const BundleItem *item;
    size_t last;

    assert_fine(learned.status, &learned.error);
    last = clv_pipeline_steps(learned.pipeline) - 1;
    item = clv_bundle_get(clv_pipeline_step(learned.pipeline, last)->arrays, "score", BUNDLE_F64);
    assert_non_null(item);
    assert_int_equal(item->count, count);
    assert_int_equal(clv_pipeline_output_count(learned.pipeline), count);
    for (int narrowed = 0; narrowed < 2; narrowed++) {
        for (uint32_t i = 0; i < count; i++) {
            char buffer[24];
            double found = ((const double *)item->data)[i];

            assert_string_equal(clv_names_get(clv_pipeline_outputs(learned.pipeline), i, buffer),
                                names[i]);
            assert_string_equal(clv_pipeline_name(learned.pipeline, last, i, buffer), names[i]);
            if (fabs(found - scores[i]) > 1e-12)
                print_error("%s: %s is %.17g\n", how, names[i], found);
            assert_true(fabs(found - scores[i]) <= 1e-12);
        }
        assert_fine(clv_pipeline_narrow(learned.pipeline, &learned.error), &learned.error);
        item = clv_bundle_get(clv_pipeline_step(learned.pipeline, last)->arrays, "score",
                              BUNDLE_F64);
    }
    unlearn(&learned);
}

static void assert_refused(const Format *format, const char *text, const char *how,
                           const char *message)
{
    Learned learned = learn(format, text, how);

    assert_int_not_equal(learned.status, OK);
    if (!strstr(learned.error.message, message))
        print_error("expected '%s' in '%s'\n", message, learned.error.message);
    assert_non_null(strstr(learned.error.message, message));
    assert_true(learned.error.hint[0] != '\0');
    unlearn(&learned);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__})
#define SCORES(...) ((const double[]){__VA_ARGS__})

static void document_frequency_counts_every_row(void **state)
{
    (void)state;
    assert_kept(&clv_format_libsvm, counts, "select:by=df:top=9", 3, NAMES("1", "2", "3"),
                SCORES(3, 3, 3));
    assert_kept(&clv_format_libsvm, "a 1:1 2:1\nb 2:4\n", "select:by=df:min-score=2", 1, NAMES("2"),
                SCORES(2));
    /* Of equal scores, the first column. */
    assert_kept(&clv_format_libsvm, counts, "select:by=df:top=1", 1, NAMES("1"), SCORES(3));
}

/* Column 1: O = (3, 0), E = (1.2, 1.8), 2.7 + 1.8; column 2: O = (1, 4), E = (2, 3); column 3: O
 * = (0, 3). */
static void chi_squared(void **state)
{
    (void)state;
    assert_kept(&clv_format_libsvm, counts, "select:by=chi2:top=3", 3, NAMES("1", "2", "3"),
                SCORES(4.5, 5.0 / 6, 2));
    assert_kept(&clv_format_libsvm, counts, "select:top=2", 2, NAMES("1", "3"), SCORES(4.5, 2));
    assert_kept(&clv_format_libsvm, counts, "select:min-score=2", 2, NAMES("1", "3"),
                SCORES(4.5, 2));
    assert_refused(&clv_format_libsvm, "a 1:1 2:-3\nb 1:2\n", "select:top=1",
                   "column '2', found -3");
    assert_refused(&clv_format_libsvm, counts, "select:min-score=5", "the best is '1', 4.5");
}

/* H(class) = H(0.4). Column 1 is the class itself; given column 2, 0.6 H(1/3) + 0.4; given
 * column 3, 0.6 H(1/3). */
static void information_gain(void **state)
{
    double class = -(0.4 * log2(0.4) + 0.6 * log2(0.6)),
           third = -(log2(1.0 / 3) + 2 * log2(2.0 / 3)) / 3;

    (void)state;
    assert_kept(&clv_format_libsvm, counts, "select:by=gain:top=3", 3, NAMES("1", "2", "3"),
                SCORES(class, class - 0.6 * third - 0.4, class - 0.6 * third));
    /* Only presence counts. */
    assert_kept(&clv_format_libsvm, "a 1:-7\nb 2:1\nb 1:1 2:1\na 1:1\n", "select:by=gain:top=1", 1,
                NAMES("2"), SCORES(1));
}

/* idf of x: 1; of y and z: ln(3/2) + 1. */
static void summed_tfidf(void **state)
{
    const char *text = "a\tx\nb\tx y z\n";
    double rare = log(1.5) + 1, length = sqrt(1 + 2 * rare * rare);

    (void)state;
    assert_kept(&clv_format_text, text, "select:by=tfidf:top=2", 2, NAMES("x", "y"),
                SCORES(1 + 1 / length, rare / length));
    /* x is the best of the first row, y (before z) of the second; of those, the best. */
    assert_kept(&clv_format_text, text, "select:by=tfidf:per-document=1", 2, NAMES("x", "y"),
                SCORES(1 + 1 / length, rare / length));
    assert_kept(&clv_format_text, text, "select:by=tfidf:per-document=1:top=1", 1, NAMES("x"),
                SCORES(1 + 1 / length));
    assert_kept(&clv_format_libsvm, "a 1:1\nb 1:1 2:3\n", "select:by=tfidf:min-score=0.9", 2,
                NAMES("1", "2"),
                SCORES(1 + 1 / sqrt(1 + pow((1 + log(3)) * rare, 2)),
                       (1 + log(3)) * rare / sqrt(1 + pow((1 + log(3)) * rare, 2))));
    assert_refused(&clv_format_text, text, "tfidf,select:by=tfidf:top=1",
                   "expected counts of words in column 'x'");
}

static void weights_of_a_model(void **state)
{
    Context *context = cleave_context_new(NULL);
    cleave_error error = {0};
    uint32_t column;
    Names names;

    (void)state;
    clv_names_init(&names, context, false);
    FINE(clv_names_add(&names, "z", 1, &column, &error));
    FINE(clv_names_add(&names, "other", 5, &column, &error));
    FINE(clv_names_add(&names, "x", 1, &column, &error));
    given_names = &names;
    given_weights = (const double[]){0.5, 9, 2};
    given_count = 3;
    assert_kept(&clv_format_text, "a\tx\nb\tx y z\n", "select:by=weights:model=m:top=9", 2,
                NAMES("x", "z"), SCORES(2, 0.5));
    assert_kept(&clv_format_text, "a\tx\nb\tx y z\n", "select:by=weights:model=m:min-score=1", 1,
                NAMES("x"), SCORES(2));
    assert_refused(&clv_format_libsvm, counts, "select:by=weights:model=m:top=1",
                   "the features of m differ from the columns: 'z' in the model, '1' in the data");
    clv_names_free(&names);
    cleave_context_free(context);
}

/* age is kept without a score; the values of color are scored. */
static void numbers_of_a_table_stay(void **state)
{
    (void)state;
    assert_kept(&clv_format_csv, "age,color,class\n30,red,a\n-40,blue,b\n50,red,a\n60,green,b\n",
                "select:top=1", 2, NAMES("age", "color=red"), SCORES(-1, 2));
}

static void rows_lose_what_is_not_kept(void **state)
{
    Learned learned = learn(&clv_format_libsvm, counts, "select:top=2");
    const Block *block;
    RowWorkspace workspace = {.context = learned.context};

    (void)state;
    assert_fine(learned.status, &learned.error);
    assert_fine(clv_source_rewind(learned.source, &learned.error), &learned.error);
    assert_fine(source_next(learned.source, &block, &learned.error), &learned.error);
    assert_fine(clv_pipeline_row(learned.pipeline, &workspace, block, 2, &learned.error),
                &learned.error);
    assert_int_equal(workspace.row.count, 1);
    assert_int_equal(workspace.row.column[0], 1);
    assert_true(workspace.row.value[0] == 1);
    clv_workspace_free(&workspace);
    unlearn(&learned);
}

static void what_makes_no_sense_is_refused(void **state)
{
    char many[64 * 40];
    size_t size = 0;

    (void)state;
    assert_refused(&clv_format_libsvm, counts, "select", "needs top=");
    assert_refused(&clv_format_libsvm, counts, "select:by=weights:top=1", "needs model=");
    assert_refused(&clv_format_libsvm, counts, "select:top=1:model=m",
                   "model= requires by=weights");
    assert_refused(&clv_format_libsvm, counts, "select:per-document=1", "by=tfidf");
    assert_refused(&clv_format_libsvm, "? 1:1\n? 1:2\n", "select:top=1",
                   "expected classes, found no labels");
    assert_refused(&clv_format_libsvm, "a 1:1\na 1:2\n", "select:by=gain:top=1",
                   "found only one label");
    for (int i = 0; i < 40; i++)
        size += (size_t)snprintf(many + size, sizeof many - size, "%d.5 1:1\n", i);
    assert_refused(&clv_format_libsvm, many, "select:top=1",
                   "found 40 different labels in 40 rows");
}

/* Every allocation fails in turn. */
static void memory_may_be_short(void **state)
{
    static const char *const hows[] = {"select:top=2", "select:by=gain:top=1", "select:by=df:top=1",
                                       "select:by=tfidf:per-document=1,select:top=1"};

    (void)state;
    for (size_t h = 0; h < sizeof hows / sizeof *hows; h++)
        for (long long fail_at = 1;; fail_at++) {
            TestMemory memory = {.fail_at = 0};
            cleave_config config = {
                .size = sizeof config, .allocate = test_allocate, .user = &memory, .threads = 1};
            Context *context = cleave_context_new(&config);
            cleave_error error = {0};
            ReadOptions options = {0};
            Source *source;
            Pipeline *pipeline = NULL;
            Status status;

            clv_params_initial(clv_read_params, &options);
            FINE(clv_read_memory(context, "test", counts, strlen(counts), &clv_format_libsvm,
                                 &options, NULL, &source, &error));
            memory.fail_at = memory.calls + fail_at;
            status = clv_pipeline_parse(context, hows[h], &pipeline, &error);
            if (status == OK)
                status = clv_pipeline_learn(pipeline, source, 1, &error);
            if (status == OK)
                status = clv_pipeline_narrow(pipeline, &error);
            clv_pipeline_release(pipeline);
            clv_source_close(source);
            cleave_context_free(context);
            assert_true(memory.live == 0);
            if (memory.failures == 0) {
                assert_fine(status, &error);
                break;
            }
            assert_int_equal(status, CLEAVE_ERROR_MEMORY);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_frequency_counts_every_row),
        cmocka_unit_test(chi_squared),
        cmocka_unit_test(information_gain),
        cmocka_unit_test(summed_tfidf),
        cmocka_unit_test(weights_of_a_model),
        cmocka_unit_test(numbers_of_a_table_stay),
        cmocka_unit_test(rows_lose_what_is_not_kept),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(memory_may_be_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
