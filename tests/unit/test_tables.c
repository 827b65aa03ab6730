/* The steps for tables, each fitted to a small table, applied to it and to another one, stored and
 * loaded again. */
#include "read_all.h"

#include "base/context.h"
#include "data/dataset.h"
#include "data/remap.h"
#include "pipeline/pipeline.h"
#include "support/support.h"

static Context *context;

static int set_up(void **state)
{
    (void)state;
    context = cleave_context_new(NULL);
    return context ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    cleave_context_free(context);
    return 0;
}

static Source *open_table(const char *table, const ReadGuide *guide)
{
    ReadOptions options = {0};
    Source *source;
    cleave_error error;

    clv_params_initial(clv_read_params, &options);
    if (clv_read_memory(context, "t.csv", table, strlen(table), &clv_format_csv, &options, guide,
                        &source, &error) != OK)
        fail_msg("%s", error.message);
    return source;
}

static Status write_rows(Source *source, Text *text, cleave_error *error)
{
    const Block *block;

    for (;;) {
        Status status = source_next(source, &block, error);

        if (status != OK || !block)
            return status;
        for (uint32_t row = 0; row < block->rows; row++)
            text_put_row(text, source, block, row);
    }
}

/* The rows of a source after a pipeline, or the message of an expected error. */
static void expect(const Pipeline *pipeline, Source *source, const char *expected)
{
    Text text = {0};
    Source *made;
    cleave_error error = {.code = OK};

    assert_int_equal(clv_pipeline_source(pipeline, source, true, &made, &error), OK);
    text_put(&text, "");
    if (write_rows(made, &text, &error) != OK)
        text_put(&text, error.message);
    assert_string_equal(text.data, expected);
    text_free(&text);
    clv_source_close(made);
}

/* From a file and back, with each array shortened, emptied, and filled with arbitrary bytes: an
 * error, or a pipeline that can be used. */
static void damage(Bundle *bundle, const Names *names, uint32_t features, const char *table,
                   const Schema *schema)
{
    for (size_t i = 0; i < bundle->count; i++) {
        BundleItem kept = bundle->item[i];
        size_t width = kept.type == BUNDLE_BYTES                            ? 1
                       : kept.type == BUNDLE_U32 || kept.type == BUNDLE_F32 ? 4
                                                                            : 8;
        unsigned char *bytes;

        if (strncmp(kept.name, "t.", 2) != 0 || strcmp(kept.name, "t.recipe") == 0)
            continue;
        for (int how = 0; how < 5; how++) {
            Pipeline *pipeline = NULL;
            cleave_error error;

            bytes = malloc(kept.count * width + 1);
            assert_non_null(bytes);
            memcpy(bytes, kept.data, kept.count * width);
            if (how >= 2)
                memset(bytes, how == 2 ? 0xFF : how == 3 ? 0x00 : 0x07, kept.count * width);
            bundle->item[i].data = bytes;
            bundle->item[i].owned = false;
            bundle->item[i].count = how == 0 ? kept.count / 2 : how == 1 ? 0 : kept.count;
            if (clv_pipeline_get(context, bundle, clv_pipeline_in(bundle), "m", names, features,
                                 &pipeline, &error) == OK) {
                ReadGuide guide = {.schema = schema,
                                   .names = clv_pipeline_inputs(pipeline),
                                   .features = clv_pipeline_input_count(pipeline)};
                Source *made;
                Text text = {0};

                assert_int_equal(
                    clv_pipeline_source(pipeline, open_table(table, &guide), true, &made, &error),
                    OK);
                write_rows(made, &text, &error);
                clv_source_close(made);
                text_free(&text);
                clv_pipeline_release(pipeline);
            }
            free(bytes);
        }
        bundle->item[i] = kept;
    }
}

/* Fitted to one table, whose rows become `same`. Rows of another table become `others`, with the
 * pipeline as fitted and as loaded. */
static void check(const char *text, const char *training, const char *same, const char *other,
                  const char *others)
{
    Pipeline *pipeline, *loaded;
    Source *source = open_table(training, NULL), *rows;
    Dataset *dataset;
    Bundle *bundle;
    ReadGuide guide;
    cleave_error error;

    if (clv_pipeline_parse(context, text, &pipeline, &error) != OK)
        fail_msg("%s", error.message);
    assert_int_equal(clv_dataset_load(source, &dataset, &error), OK);
    assert_int_equal(clv_dataset_source(dataset, false, &rows, &error), OK);
    if (clv_pipeline_learn(pipeline, rows, 1, &error) != OK)
        fail_msg("%s", error.message);
    assert_int_equal(clv_source_rewind(rows, &error), OK);
    expect(pipeline, rows, same);
    assert_int_equal(clv_pipeline_narrow(pipeline, &error), OK);

    guide = (ReadGuide){.schema = &dataset->schema,
                        .names = clv_pipeline_inputs(pipeline),
                        .features = clv_pipeline_input_count(pipeline)};
    expect(pipeline, open_table(training, &guide), same); /* narrow changes nothing */
    expect(pipeline, open_table(other, &guide), others);

    assert_int_equal(clv_bundle_new(context, &bundle, &error), OK);
    assert_int_equal(clv_pipeline_put(pipeline, bundle, &error), OK);
    assert_int_equal(clv_pipeline_get(context, bundle, clv_pipeline_in(bundle), "m",
                                      clv_pipeline_outputs(pipeline),
                                      clv_pipeline_output_count(pipeline), &loaded, &error),
                     OK);
    expect(loaded, open_table(other, &guide), others);
    clv_pipeline_release(loaded);
    damage(bundle, clv_pipeline_outputs(pipeline), clv_pipeline_output_count(pipeline), other,
           &dataset->schema);
    clv_bundle_free(bundle);
    clv_pipeline_release(pipeline);
    clv_dataset_free(dataset);
    clv_source_close(source);
}

static void rare_values_are_one(void **unused)
{
    (void)unused;
    check("rare", "c,d,class\nu,p,x\nu,q,y\nv,p,x\n?,p,x\nw,q,y\n",
          "x c=u:1 d=p:1\ny c=u:1 d=q:1\nx d=p:1 c=(other):1\nx d=p:1 c=?:1\ny d=q:1 c=(other):1\n",
          "d,c\np,v\nnew,new\n,\n", "? d=p:1 c=(other):1\n? c=(other):1\n? c=?:1\n");
    /* Three rows for each, a value with the name (other), and a column whose name contains an
     * equals sign. */
    check("rare:min-count=3", "a=b,class\nu,x\nu,x\nu,x\n(other),y\nw,y\n",
          "x a=b=u:1\nx a=b=u:1\nx a=b=u:1\ny a=b=(other):1\ny a=b=(other):1\n", "a=b\nnew\nu=1\n",
          "? a=b=(other):1\n? a=b=(other):1\n");
    /* Beside numbers, in order and not; alone, and before another step. */
    check("rare", "n,c,d,class\n2,u,p,x\n0,u,q,y\n4,v,p,x\n5,?,p,x\n0.5,w,q,y\n",
          "x n:2 c=u:1 d=p:1\ny c=u:1 d=q:1\nx n:4 d=p:1 c=(other):1\nx n:5 d=p:1 c=?:1\ny n:0.5 "
          "d=q:1 c=(other):1\n",
          "d,c,n\np,v,3\nnew,new,0\n", "? n:3 d=p:1 c=(other):1\n? c=(other):1\n");
    check("rare,scale:by=range:center=yes",
          "n,c,d,class\n2,u,p,x\n0,u,q,y\n4,v,p,x\n-4,u,p,x\n1,w,q,y\n",
          "x n:0.75 c=u:1 d=p:1\ny n:0.5 c=u:1 d=q:1\nx n:1 d=p:1 c=(other):1\nx c=u:1 d=p:1\ny "
          "n:0.625 d=q:1 c=(other):1\n",
          "d,c,n\np,v,4\nnew,u,0\n", "? n:1 d=p:1 c=(other):1\n? n:0.5 c=u:1\n");
    /* A rare value that was before others is moved behind them. */
    check("rare", "n,c,d,class\n7,z,p,x\n2,u,p,x\n0,u,q,y\n4,v,p,x\n",
          "x n:7 d=p:1 c=(other):1\nx n:2 d=p:1 c=u:1\ny c=u:1 d=(other):1\nx n:4 d=p:1 "
          "c=(other):1\n",
          "n,c,d\n3,z,p\n", "? n:3 d=p:1 c=(other):1\n");
    check("rare,scale:by=range:center=yes", "n,c,d,class\n4,z,p,x\n2,u,p,x\n0,u,p,y\n-4,u,p,x\n",
          "x n:1 d=p:1 c=(other):1\nx n:0.75 d=p:1 c=u:1\ny n:0.5 d=p:1 c=u:1\nx d=p:1 c=u:1\n",
          "n,c,d\n4,z,p\n", "? n:1 d=p:1 c=(other):1\n");
    /* Nothing is rare, so nothing is merged, and new values have no feature. */
    check("rare", "c,class\nu,x\nu,y\n", "x c=u:1\ny c=u:1\n", "c\nnew\n", "?\n");
}

static void missing_is_the_median(void **unused)
{
    (void)unused;
    check("impute", "n,m,class\n1,0,x\n,0,x\n9,0,y\n3,5,y\n7,0,y\n",
          "x n:1\nx n:3 n=?:1\ny n:9\ny n:3 m:5\ny n:7\n", "n,m\n,\n2,\n", "? n:3 n=?:1\n? n:2\n");
    check("impute:strategy=mean", "n,class\n1,x\n,x\n9,y\n", "x n:1\nx n:5 n=?:1\ny n:9\n",
          "n\n?\n", "? n:5 n=?:1\n");
    check("impute:strategy=error", "n,c,class\n1,u,x\n2,v,y\n", "x n:1 c=u:1\ny n:2 c=v:1\n",
          "n,c\n1,u\n,u\n", "line 3: the value of column 'n' is missing");
    check("impute:strategy=error", "n,c,class\n1,u,x\n2,v,y\n", "x n:1 c=u:1\ny n:2 c=v:1\n",
          "n,c\n1,\n", "line 2: the value of column 'c' is missing");
    /* A column without any number; without a table, the step has no effect. */
    check("impute", "n,m,class\n,1,x\n,2,y\n", "x m:1 n=?:1\ny m:2 n=?:1\n", "n,m\n,\n",
          "? m:1 n=?:1\n");
}

static void numbers_are_scaled(void **unused)
{
    (void)unused;
    check("scale", "n,m,k,c,class\n1,4,7,u,x\n3,4,7,v,y\n", "x n:-1 c=u:1\ny n:1 c=v:1\n",
          "n,m,k,c\n5,4,7,v\n2,4,7,u\n", "? n:3 c=v:1\n? c=u:1\n");
    check("scale:by=range", "n,class\n1,x\n3,y\n5,y\n", "x\ny n:0.5\ny n:1\n", "n\n7\n0\n",
          "? n:1.5\n? n:-0.25\n");
    check("scale:by=max", "n,m,class\n-4,0,x\n2,0,y\n", "x n:-1\ny n:0.5\n", "n,m\n0,3\n8,0\n",
          "? m:3\n? n:2\n");
    check("scale:by=none:clip=2", "n,class\n-4,x\n1,y\n", "x n:-2\ny n:1\n", "n\n3e38\n",
          "? n:2\n");
    check("scale:center=no", "n,m,class\n1,5,x\n3,5,y\n", "x n:1 m:1\ny n:3 m:1\n", "n,m\n0,0\n",
          "?\n");
    check("scale", "n,class\n1e30,x\n-1e30,y\n", "x n:1\ny n:-1\n", "n\n3e38\n0\n", "? n:100\n?\n");
    check("scale:clip=inf", "n,class\n16777216,x\n16777218,y\n", "x n:-1\ny n:1\n", "n\n16777220\n",
          "? n:3\n");
    /* All three; n of the second row is 1, as in half of the others. */
    check("rare,impute,scale", "n,c,class\n1,u,x\n,u,y\n5,v,y\n1,u,x\n",
          "x n:-0.57735026 c=u:1\ny n:-0.57735026 c=u:1 n=?:1\ny n:1.7320508 c=(other):1\nx "
          "n:-0.57735026 c=u:1\n",
          "c,n\nnew,\n", "? n:-0.57735026 n=?:1 c=(other):1\n");
}

static void bad_parameters_are_told(void **unused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"rare:min-cuont=2",
         "--transform: rare has no parameter 'min-cuont'; did you mean 'min_count'?"},
        {"scale:clip=0", NULL},
        {"impute:strategy=guess", NULL},
    };
    Pipeline *pipeline;
    cleave_error error;

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(clv_pipeline_parse(context, cases[i].text, &pipeline, &error),
                         CLEAVE_ERROR_USAGE);
        assert_null(pipeline);
        if (cases[i].message)
            assert_string_equal(error.message, cases[i].message);
    }
}

/* More rows than the sample holds: the median of every second row. */
static void medians_of_many_rows_are_sampled(void **unused)
{
    enum { ROWS = 140000 };
    Text table = {0};
    Source *source, *made;
    Dataset *dataset;
    Pipeline *pipeline;
    const Block *block;
    cleave_error error;
    float filled = 0;

    (void)unused;
    text_put(&table, "n,class\n,x\n");
    for (int i = 1; i < ROWS; i++) {
        char line[32];

        snprintf(line, sizeof line, "%d,%c\n", i, i & 1 ? 'x' : 'y');
        text_put(&table, line);
    }
    source = open_table(table.data, NULL);
    assert_int_equal(clv_pipeline_parse(context, "impute", &pipeline, &error), OK);
    assert_int_equal(clv_dataset_load(source, &dataset, &error), OK);
    clv_source_close(source);
    assert_int_equal(clv_dataset_source(dataset, false, &source, &error), OK);
    assert_int_equal(clv_pipeline_learn(pipeline, source, 1, &error), OK);
    assert_int_equal(clv_source_rewind(source, &error), OK);
    assert_int_equal(clv_pipeline_source(pipeline, source, true, &made, &error), OK);
    assert_int_equal(source_next(made, &block, &error), OK);
    for (RowWalk walk = clv_walk(block, 0); clv_walk_next(&walk);)
        if (walk.column == 0)
            filled = walk.value;
    assert_true(fabsf(filled - ROWS / 2.0F) <= 2);
    clv_source_close(made);
    clv_pipeline_release(pipeline);
    clv_dataset_free(dataset);
    text_free(&table);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A table is described, and written after the pipeline; then once more for a model. */
static Status use_table(Context *own, const char *folder, const char *transform,
                        cleave_error *error)
{
    char path[TEST_PATH_SIZE], out[TEST_PATH_SIZE];
    const char *paths[] = {test_join(path, folder, "t.csv")};
    cleave_options *read = cleave_options_new(own), *convert = cleave_options_new(own);
    cleave_description *description = NULL;
    cleave_data *data = NULL;
    Status status = read && convert ? OK : clv_fail_memory(error, "options", 1);

    if (status == OK)
        status = cleave_options_set(read, "columns", "t=text", error);
    if (status == OK)
        status = cleave_options_set(convert, "transform", transform, error);
    if (status == OK)
        status = cleave_describe(own, paths, 1, read, &description, error);
    cleave_description_free(description);
    if (status == OK)
        status = cleave_open_files(own, paths, 1, read, &data, error);
    if (status == OK)
        status = cleave_convert(data, test_join(out, folder, "out.cleave"), convert, NULL, error);
    cleave_data_free(data);
    cleave_options_free(read);
    cleave_options_free(convert);
    return status;
}

/* Whichever allocation fails, it is reported and all memory is freed. */
static void memory_fails(void **unused)
{
    static const char *const pipelines[] = {"auto", "impute:strategy=mean,scale:by=range",
                                            "rare:min-count=3,scale:center=no"};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)unused;
    test_folder_new(folder);
    test_write_text(test_join(path, folder, "t.csv"),
                    "n,c,t,class\n1,u,a b,x\n,u,\"b \"\"c\",y\n5,v,c,y\n1,u,d d,x\n");
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++)
        for (long long fail_at = 1;; fail_at++) {
            TestMemory memory = {0};
            Context *own = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                               .allocate = test_allocate,
                                                               .user = &memory,
                                                               .threads = 1});
            long long before = atomic_load(&memory.live);
            cleave_error error = {0};
            Status status;

            memory.fail_at = atomic_load(&memory.calls) + fail_at;
            status = use_table(own, folder, pipelines[i], &error);
            if (status != OK && status != CLEAVE_ERROR_MEMORY)
                fail_msg("%s", error.message);
            if (atomic_load(&memory.live) != before)
                fail_msg("call %lld of %s: memory is lost", fail_at, pipelines[i]);
            cleave_context_free(own);
            if (atomic_load(&memory.failures) == 0) {
                assert_int_equal(status, OK);
                assert_true(fail_at > 50);
                break;
            }
        }
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rare_values_are_one),
        cmocka_unit_test(missing_is_the_median),
        cmocka_unit_test(numbers_are_scaled),
        cmocka_unit_test(bad_parameters_are_told),
        cmocka_unit_test(medians_of_many_rows_are_sampled),
        cmocka_unit_test(memory_fails),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
