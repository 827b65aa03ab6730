/*
 * The rules of include/cleave.h for handles: they may be freed in any order, the context last, and
 * a handle stays usable after the one it was made from is freed. The test creates every kind of
 * handle. It frees each pair in both orders and uses the second one in between. Run it with the
 * sanitizers.
 */
#include "property/table.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>

typedef enum {
    OPTIONS,
    TABLE,
    OWN_ROWS,
    LIKE,
    MODEL,
    REPORT,
    NEXT_MODEL,
    UPDATED_MODEL,
    DATA_FOR_MODEL,
    RAW_FOR_MODEL,
    DATA_TO_UPDATE,
    LIKE_FOR_MODEL,
    DETAILS,
    PICTURES,
    EXPLANATION,
    DESCRIPTION,
    POINTS_MODEL,
    SEARCHER,
    SUPPORT_MODEL,
    SUPPORTS,
    TREE_MODEL,
    PLOT_OF_MODEL,
    PLOT_OF_DATA,
    STREAM,
    STREAM_MODEL,
    CV,
    OUTPUT,
    HANDLES,
} Handle;

typedef struct {
    cleave_context *context;
    char folder[TEST_PATH_SIZE], table[TEST_PATH_SIZE], plane[TEST_PATH_SIZE],
        written[TEST_PATH_SIZE];
    void *handle[HANDLES];
} World;

static volatile double sink;

static void use_text(const char *text)
{
    if (text)
        sink = (double)strlen(text);
}

/* ---- making ---------------------------------------------------------------------------------- */

static void train(World *world, const char *method, const char *path, const char *name,
                  const char *value, Handle data, Handle model, Handle report)
{
    cleave_options *options = cleave_options_new(world->context);
    cleave_data *own = NULL;
    cleave_error error = {0};

    if (name)
        FINE(cleave_options_set(options, name, value, &error));
    FINE(cleave_open(world->context, path, NULL,
                     data == HANDLES ? &own : (cleave_data **)&world->handle[data], &error));
    FINE(cleave_train(world->context, method, own ? own : world->handle[data], NULL, options,
                      (cleave_model **)&world->handle[model],
                      report == HANDLES ? NULL : (void *)&world->handle[report], &error));
    cleave_data_free(own);
    cleave_options_free(options);
}

static void make_data(World *world)
{
    const char *table = world->table;
    cleave_model *model = world->handle[MODEL];
    cleave_error error = {0};

    FINE(cleave_open_for(model, &table, 1, NULL, (void *)&world->handle[DATA_FOR_MODEL], &error));
    FINE(
        cleave_open_raw_for(model, &table, 1, NULL, (void *)&world->handle[RAW_FOR_MODEL], &error));
    FINE(cleave_open_to_update(model, &table, 1, NULL, (void *)&world->handle[DATA_TO_UPDATE],
                               &error));
    FINE(cleave_open_like(world->handle[TABLE], &table, 1, NULL, (void *)&world->handle[LIKE],
                          &error));
    FINE(cleave_open_like(world->handle[DATA_FOR_MODEL], &table, 1, NULL,
                          (void *)&world->handle[LIKE_FOR_MODEL], &error));
    FINE(cleave_data_new(world->context, (void *)&world->handle[OWN_ROWS], &error));
    FINE(cleave_data_add(world->handle[OWN_ROWS], "yes", 1, (const uint32_t[]){0},
                         (const float[]){1}, &error));
    FINE(cleave_describe(world->context, &table, 1, NULL, (void *)&world->handle[DESCRIPTION],
                         &error));
}

static void make_results(World *world)
{
    cleave_model *model = world->handle[MODEL];
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_error error = {0};
    size_t count;

    FINE(cleave_evaluate_plots(model, world->handle[DATA_FOR_MODEL], NULL, &evaluation,
                               (void *)&world->handle[DETAILS], (void *)&world->handle[PICTURES],
                               &error));
    FINE(cleave_explain_row(model, world->handle[DATA_FOR_MODEL], 2,
                            (void *)&world->handle[EXPLANATION], &error));
    FINE(cleave_searcher_open(world->handle[POINTS_MODEL], NULL, (void *)&world->handle[SEARCHER],
                              &error));
    FINE(cleave_model_support_vectors(world->handle[SUPPORT_MODEL],
                                      (void *)&world->handle[SUPPORTS], &count, &error));
    assert_true(count > 0);
    FINE(cleave_plot_of_model("tree", world->handle[TREE_MODEL], NULL, NULL,
                              (void *)&world->handle[PLOT_OF_MODEL], &error));
}

static void make_learners(World *world)
{
    cleave_model *model = world->handle[MODEL];
    cleave_data *plane;
    cleave_error error = {0};

    FINE(cleave_options_set(world->handle[OPTIONS] = cleave_options_new(world->context), "refit",
                            "true", &error));
    FINE(cleave_train_from(model, world->handle[DATA_FOR_MODEL], NULL, world->handle[OPTIONS],
                           (void *)&world->handle[NEXT_MODEL], NULL, &error));
    FINE(cleave_update(model, world->handle[DATA_TO_UPDATE], NULL, NULL,
                       (void *)&world->handle[UPDATED_MODEL], NULL, &error));
    FINE(cleave_stream_new(world->context, "perceptron", NULL, NULL, NULL,
                           (void *)&world->handle[STREAM], &error));
    FINE(cleave_stream_row(world->handle[STREAM], "yes", 1, (const uint32_t[]){0},
                           (const float[]){1}, NULL, &error));
    FINE(cleave_stream_model(world->handle[STREAM], (void *)&world->handle[STREAM_MODEL], &error));
    FINE(cleave_open(world->context, world->plane, NULL, &plane, &error));
    FINE(cleave_plot_of_data("voronoi", plane, NULL, (void *)&world->handle[PLOT_OF_DATA], &error));
    FINE(cleave_cv(world->context, "perceptron", plane, NULL, NULL, (void *)&world->handle[CV],
                   &error));
    cleave_data_free(plane);
    FINE(
        cleave_output_open(world->context, world->written, (void *)&world->handle[OUTPUT], &error));
}

/* The arrays of a loaded model, and of its pipeline, are in the bytes of its file. */
static void load_again(World *world)
{
    cleave_model *model = world->handle[MODEL];
    cleave_error error = {0};
    void *bytes;
    size_t size;

    FINE(cleave_model_to_bytes(model, &bytes, &size, &error));
    cleave_model_free(model);
    FINE(cleave_model_from_bytes(world->context, bytes, size, false, (void *)&world->handle[MODEL],
                                 &error));
    cleave_bytes_free(world->context, bytes);
}

static void make_all(World *world)
{
    train(world, "logistic", world->table, NULL, NULL, TABLE, MODEL, REPORT);
    load_again(world);
    train(world, "knn", world->plane, "transform", "none", HANDLES, POINTS_MODEL, HANDLES);
    train(world, "kernel-svm", world->plane, NULL, NULL, HANDLES, SUPPORT_MODEL, HANDLES);
    train(world, "tree", world->plane, NULL, NULL, HANDLES, TREE_MODEL, HANDLES);
    make_data(world);
    make_results(world);
    make_learners(world);
}

/* ---- using ----------------------------------------------------------------------------------- */

static cleave_code use_found(void *user, const cleave_found *found, cleave_error *error)
{
    (void)user;
    (void)error;
    for (size_t i = 0; i < found->count; i++)
        use_text(found->points[i].label);
    return CLEAVE_OK;
}

static void use_model(cleave_model *model)
{
    cleave_prediction prediction;
    cleave_pipeline_step step;
    cleave_error error = {0};
    char buffer[24];

    FINE(cleave_predict_row(model, 1, (const uint32_t[]){0}, (const float[]){1}, &prediction,
                            &error));
    use_text(prediction.label);
    for (size_t i = 0; i < cleave_model_label_count(model); i++)
        use_text(cleave_model_label(model, i));
    for (size_t i = 0; i < cleave_model_feature_count(model); i++)
        use_text(cleave_model_feature_name(model, i, buffer));
    for (size_t i = 0; cleave_model_step(model, i, &step); i++)
        use_text(step.text);
}

static void use_data(World *world, cleave_data *data)
{
    char path[TEST_PATH_SIZE];
    cleave_conversion done;
    cleave_error error = {0};
    size_t count;

    FINE(cleave_convert(data, test_join(path, world->folder, "converted.libsvm"), NULL, &done,
                        &error));
    assert_true(done.rows > 0);
    use_text(cleave_data_label(data, 0));
    cleave_data_guesses(data, &count);
}

static void use_plot(const cleave_plot *plot)
{
    use_text(plot->title);
    for (size_t i = 0; i < plot->class_count; i++)
        use_text(plot->classes[i]);
    for (size_t i = 0; i < plot->panel_count; i++) {
        const cleave_plot_panel *panel = &plot->panels[i];

        for (size_t j = 0; j < panel->series_count; j++)
            use_text(panel->series[j].name);
        for (size_t j = 0; panel->tree && j < panel->tree->node_count; j++)
            use_text(panel->tree->nodes[j].text);
        for (size_t j = 0; panel->tree && j < panel->tree->class_count; j++)
            use_text(panel->tree->classes[j]);
    }
}

static void use_explanation(const cleave_explanation *explanation)
{
    use_text(explanation->label);
    use_text(explanation->true_label);
    use_text(explanation->runner_up);
    for (size_t i = 0; i < explanation->contribution_count; i++) {
        use_text(explanation->contributions[i].name);
        use_text(explanation->contributions[i].text);
    }
}

static void use_details(const cleave_evaluation_details *details)
{
    for (size_t i = 0; i < details->class_count; i++)
        use_text(details->classes[i].label);
}

static void use_description(const cleave_description *description)
{
    use_text(description->format);
    for (size_t i = 0; i < description->column_count; i++)
        use_text(description->columns[i].name);
    for (size_t i = 0; i < description->guess_count; i++)
        use_text(description->guesses[i].value);
}

static void use_searcher(World *world, cleave_searcher *searcher)
{
    cleave_data *queries;
    cleave_error error = {0};

    FINE(cleave_open(world->context, world->plane, NULL, &queries, &error));
    FINE(cleave_search(searcher, queries, use_found, NULL, &error));
    cleave_data_free(queries);
}

static void use_rest(World *world, Handle handle, void *object)
{
    cleave_error error = {0};

    switch (handle) {
    case OPTIONS:
        FINE(cleave_options_set(object, "refit", "false", &error));
        break;
    case REPORT:
        use_text(((cleave_report *)object)->method);
        use_text(((cleave_report *)object)->order);
        break;
    case PICTURES:
        sink = (double)((cleave_evaluation_plots *)object)->curves[0].count;
        break;
    case SUPPORTS:
        use_text(((cleave_support_vector *)object)->label);
        break;
    case STREAM:
        FINE(cleave_stream_row(object, "no", 1, (const uint32_t[]){1}, (const float[]){1}, NULL,
                               &error));
        break;
    case CV:
        use_text(((cleave_cv_result *)object)->method);
        use_text(((cleave_cv_result *)object)->baseline_label);
        use_text(((cleave_cv_result *)object)->summary);
        break;
    case OUTPUT:
        FINE(cleave_output_write(object, "x", 1, &error));
        break;
    case SEARCHER:
        use_searcher(world, object);
        break;
    default:
        fail_msg("handle %d is not used", (int)handle);
    }
}

static void use(World *world, Handle handle)
{
    void *object = world->handle[handle];

    switch (handle) {
    case MODEL:
    case NEXT_MODEL:
    case UPDATED_MODEL:
    case POINTS_MODEL:
    case SUPPORT_MODEL:
    case TREE_MODEL:
    case STREAM_MODEL:
        use_model(object);
        break;
    case TABLE:
    case OWN_ROWS:
    case LIKE:
    case DATA_FOR_MODEL:
    case RAW_FOR_MODEL:
    case DATA_TO_UPDATE:
    case LIKE_FOR_MODEL:
        use_data(world, object);
        break;
    case PLOT_OF_MODEL:
    case PLOT_OF_DATA:
        use_plot(object);
        break;
    case EXPLANATION:
        use_explanation(object);
        break;
    case DETAILS:
        use_details(object);
        break;
    case DESCRIPTION:
        use_description(object);
        break;
    default:
        use_rest(world, handle, object);
    }
}

/* ---- freeing --------------------------------------------------------------------------------- */

typedef void Free(void *object);

static void free_handle(World *world, Handle handle)
{
    static Free *const frees[HANDLES] = {
        [OPTIONS] = (Free *)cleave_options_free,
        [REPORT] = (Free *)cleave_report_free,
        [DETAILS] = (Free *)cleave_evaluation_details_free,
        [PICTURES] = (Free *)cleave_evaluation_plots_free,
        [EXPLANATION] = (Free *)cleave_explanation_free,
        [DESCRIPTION] = (Free *)cleave_description_free,
        [SEARCHER] = (Free *)cleave_searcher_free,
        [SUPPORTS] = (Free *)cleave_support_vectors_free,
        [PLOT_OF_MODEL] = (Free *)cleave_plot_free,
        [PLOT_OF_DATA] = (Free *)cleave_plot_free,
        [STREAM] = (Free *)cleave_stream_free,
        [CV] = (Free *)cleave_cv_free,
        [OUTPUT] = (Free *)cleave_output_abandon,
        [MODEL] = (Free *)cleave_model_free,
        [NEXT_MODEL] = (Free *)cleave_model_free,
        [UPDATED_MODEL] = (Free *)cleave_model_free,
        [POINTS_MODEL] = (Free *)cleave_model_free,
        [SUPPORT_MODEL] = (Free *)cleave_model_free,
        [TREE_MODEL] = (Free *)cleave_model_free,
        [STREAM_MODEL] = (Free *)cleave_model_free,
        [TABLE] = (Free *)cleave_data_free,
        [OWN_ROWS] = (Free *)cleave_data_free,
        [LIKE] = (Free *)cleave_data_free,
        [DATA_FOR_MODEL] = (Free *)cleave_data_free,
        [RAW_FOR_MODEL] = (Free *)cleave_data_free,
        [DATA_TO_UPDATE] = (Free *)cleave_data_free,
        [LIKE_FOR_MODEL] = (Free *)cleave_data_free,
    };

    if (world->handle[handle])
        frees[handle](world->handle[handle]);
    world->handle[handle] = NULL;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void begin(World *world)
{
    *world = (World){.context = cleave_context_new(NULL)};
    assert_non_null(world->context);
    test_folder_new(world->folder);
    test_join(world->written, world->folder, "written");
    test_write_text(
        test_join(world->table, world->folder, "table.csv"),
        "age,color,label\n31,red,yes\n45,blue,no\n22,red,yes\n,green,no\n38,blue,yes\n51,red,no\n");
    test_write_text(test_join(world->plane, world->folder, "plane.csv"),
                    "x,y,label\n1,2,in\n2,1,in\n0,3,out\n5,4,out\n1.5,1.5,in\n4,0,out\n2,2,in\n-1,"
                    "3,out\n6,6,out\n2,1.2,in\n"
                    "4,4,out\n1,1,in\n");
}

static void end(World *world)
{
    test_folder_remove(world->folder);
    cleave_context_free(world->context);
}

static void pairs_in_both_orders(void **state)
{
    World world;

    (void)state;
    begin(&world);
    for (int first = 0; first < HANDLES; first++)
        for (int second = 0; second < HANDLES; second++) {
            if (second == first)
                continue;
            make_all(&world);
            for (int i = 0; i < HANDLES; i++) /* all others are freed first */
                if (i != first && i != second)
                    free_handle(&world, (Handle)i);
            use(&world, (Handle)first);
            free_handle(&world, (Handle)first);
            use(&world, (Handle)second);
            free_handle(&world, (Handle)second);
        }
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_in_both_orders)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
