/* See use_model.h. */
#include "attack/use_model.h"

#include "attack/mutate.h"
#include "model/model.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 4096 };

static volatile double sink;

static void expect(bool condition, const char *what)
{
    if (!condition)
        attack_fail("an assertion failed", what);
}

/* ---- without files --------------------------------------------------------------------------- */

static size_t few(size_t count)
{
    return count < MOST_COLUMNS ? count : MOST_COLUMNS;
}

static void look_at_facts(const cleave_model *model)
{
    uint64_t *per_class = calloc(cleave_model_label_count(model) + 1, sizeof *per_class);
    cleave_point_set points;
    char buffer[24];
    const char *name;
    double low, high;

    expect(cleave_model_method(model) && cleave_model_writer(model),
           "a model has a method and a writer");
    expect(cleave_model_label_count(model) != 2 || cleave_model_positive(model),
           "two classes have a positive one");
    for (size_t i = 0; i < cleave_model_label_count(model); i++)
        expect(cleave_model_label(model, i) != NULL, "labels have texts");
    for (size_t i = 0; i < few(cleave_model_feature_count(model)); i++)
        expect(cleave_model_feature_name(model, i, buffer) != NULL, "features have names");
    for (size_t i = 0; cleave_model_param(model, i, &name); i++)
        expect(name != NULL, "parameters have names");
    if (cleave_model_target_range(model, &low, &high))
        sink = low + high;
    if (cleave_model_points(model, &points, per_class))
        expect(points.distance && points.index, "points have a distance and an index");
    sink = (double)cleave_model_task(model) + (double)cleave_model_seed(model) +
           (double)cleave_model_rows(model);
    free(per_class);
}

static void look_at_weights(const cleave_model *model)
{
    size_t outputs = 0, features = few(cleave_model_feature_count(model));

    if (!cleave_model_is_linear(model, &outputs))
        return;
    for (size_t output = 0; output < outputs && output < 64; output++) {
        sink = cleave_model_threshold(model, output);
        for (size_t i = 0; i < features; i++)
            sink = sink + cleave_model_weight(model, output, i);
    }
}

static void look_at_tree(const cleave_model *model, size_t tree)
{
    cleave_tree_node node;
    char words[64];

    for (size_t i = 0; i < MOST_COLUMNS && cleave_model_tree_node(model, tree, i, &node); i++) {
        const char *name;
        size_t next = 0;
        bool left;

        expect(node.nodes % 2 == 1, "a tree has an odd number of nodes");
        expect(node.leaf || (node.left > i && node.right == node.left + 1),
               "children follow their parent");
        expect(isnan(node.weight) || isfinite(node.weight), "weights of nodes are finite");
        for (size_t c = 0; node.class_weight && c < cleave_model_label_count(model); c++)
            sink = node.class_weight[c];
        for (size_t values = 0;
             values < 300 && cleave_model_tree_value(model, tree, i, &next, &name, &left); values++)
            expect(name != NULL, "values of categories have names");
        for (int side = 0; side < 2; side++)
            expect(cleave_model_tree_condition(model, tree, i, side, 3, words, sizeof words) > 0 ||
                       node.leaf,
                   "a split has a condition");
    }
}

static void look_at_trees(const cleave_model *model)
{
    size_t trees = cleave_model_tree_count(model), features = cleave_model_feature_count(model);
    double *gain, *harm;
    size_t *order;

    for (size_t i = 0; i < trees && i < 16; i++)
        look_at_tree(model, i);
    if (trees == 0 || features > MOST_COLUMNS)
        return;
    gain = calloc(features + 1, sizeof *gain);
    harm = calloc(features + 1, sizeof *harm);
    order = calloc(features + 1, sizeof *order);
    if (cleave_model_importances(model, gain, harm))
        expect(cleave_importance_order(gain, harm, features, order) <= features,
               "no more columns than features");
    free(gain);
    free(harm);
    free(order);
}

static void look_at_steps(const cleave_model *model)
{
    cleave_pipeline_step step;
    const char *name;
    char buffer[24];
    size_t count;
    bool whole;

    for (size_t i = 0; i < 32 && cleave_model_step(model, i, &step); i++) {
        for (size_t j = 0; j < 64 && cleave_model_step_array(model, i, j, &name, &count, &whole);
             j++)
            for (size_t at = 0; at <= few(count); at++)
                sink = cleave_model_step_value(model, i, j, at);
        for (size_t column = 0; column < few(step.outputs); column++)
            cleave_model_step_column(model, i, column, buffer);
    }
}

static void look_at_supports(const cleave_model *model)
{
    cleave_error error = {0};
    cleave_support_vector *supports = NULL;
    size_t count = 0;

    if (attack_check(cleave_model_support_vectors(model, &supports, &count, &error), &error,
                     "cleave_model_support_vectors"))
        for (size_t i = 0; i < count; i++)
            sink = supports[i].alpha + (supports[i].label ? (double)strlen(supports[i].label) : 0);
    cleave_support_vectors_free(supports);
}

static void predict_rows(cleave_model *model)
{
    static const uint32_t indexes[] = {0, 1, 3, 1000, 70000};
    static const float values[] = {1, -2, 0.5f, 1e30f, 1};
    cleave_prediction prediction;
    cleave_error error = {0};

    for (size_t count = 0; count <= 5; count++)
        if (attack_check(cleave_predict_row(model, count, indexes, values, &prediction, &error),
                         &error, "cleave_predict_row"))
            expect(prediction.label && prediction.score_count > 0,
                   "a prediction has a label and scores");
}

/* A loaded model can be saved, and loading it again gives the same model. */
static void save_and_load(cleave_context *context, const cleave_model *model)
{
    Buffer bytes = {0}, again = {0};
    cleave_error error = {0};
    cleave_model *copy = NULL;

    if (attack_check(clv_model_to_bytes(model, &bytes, &error), &error, "saving")) {
        cleave_code code = clv_model_from_bytes(context, "copy", bytes.data, bytes.size, &copy,
                                                &error);

        if (code != CLEAVE_OK && code != CLEAVE_ERROR_MEMORY)
            attack_fail("a saved model does not load", error.message);
        if (copy && attack_check(clv_model_to_bytes(copy, &again, &error), &error, "saving again"))
            expect(bytes.size == again.size && memcmp(bytes.data, again.data, bytes.size) == 0,
                   "a model saved again has the same bytes");
    }
    cleave_model_free(copy);
    clv_free(context, bytes.data);
    clv_free(context, again.data);
}

/* In every format: a format either has such models or refuses them with a reason. */
static void export_model(cleave_context *context, const cleave_model *model)
{
    enum { MANY_FEATURES = 100000 }; /* their text takes seconds */
    cleave_model_format_info info;

    for (size_t i = 0; cleave_model_format(i, &info); i++) {
        cleave_options *options = cleave_options_new(context);
        cleave_error error = {0};

        if (!options || cleave_options_set(options, "format", info.name, NULL) != CLEAVE_OK)
            attack_fail("the attack itself is out of memory", "");
        if (info.exported && cleave_model_feature_count(model) < MANY_FEATURES)
            attack_check(cleave_export(model, "/dev/null", options, &error), &error,
                         "cleave_export");
        cleave_options_free(options);
    }
}

void use_model_alone(cleave_context *context, cleave_model *model)
{
    look_at_facts(model);
    look_at_weights(model);
    look_at_trees(model);
    look_at_steps(model);
    look_at_supports(model);
    predict_rows(model);
    export_model(context, model);
    save_and_load(context, model);
}

/* ---- with data ------------------------------------------------------------------------------- */

static cleave_options *options_of(cleave_context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);

    for (size_t i = 0; pairs[i]; i += 2)
        if (cleave_options_set(options, pairs[i], pairs[i + 1], NULL) != CLEAVE_OK)
            attack_fail("the attack itself is out of memory", "");
    return options;
}

static cleave_data *open_for(const cleave_model *model, const ModelFiles *files)
{
    cleave_error error = {0};
    cleave_data *data = NULL;

    attack_check(cleave_open_for(model, &files->rows, 1, NULL, &data, &error), &error,
                 "cleave_open_for");
    return data;
}

static cleave_code take_prediction(void *user, const cleave_prediction *prediction,
                                   cleave_error *error)
{
    (void)user;
    (void)error;
    for (size_t i = 0; i < prediction->score_count; i++)
        sink = prediction->scores[i];
    for (size_t i = 0; i < prediction->above_count; i++)
        sink = (double)prediction->above[i];
    for (size_t i = 0; i < prediction->unseen_count; i++)
        expect(prediction->unseen[i] != NULL, "columns with unseen values have names");
    expect(prediction->label != NULL, "a prediction has a label");
    return CLEAVE_OK;
}

static void predict_data(cleave_context *context, const cleave_model *model, cleave_data *data)
{
    bool probable = cleave_model_has_probabilities(model);
    cleave_options *options = options_of(
        context, (const char *const[]){"probabilities", probable ? "true" : "false",
                                       "multilabel_threshold", "0.2", NULL});
    cleave_error error = {0};

    attack_check(cleave_predict(model, data, NULL, take_prediction, NULL, &error), &error,
                 "cleave_predict");
    attack_check(cleave_predict(model, data, options, take_prediction, NULL, &error), &error,
                 "cleave_predict");
    cleave_options_free(options);
}

static void test_data(const cleave_model *model, cleave_data *data)
{
    cleave_evaluation_plots *pictures = NULL;
    cleave_evaluation_details *details = NULL;
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_error error = {0};

    attack_check(cleave_evaluate_plots(model, data, NULL, &evaluation, &details, &pictures, &error),
                 &error, "cleave_evaluate_plots");
    for (size_t i = 0; details && i < details->class_count; i++)
        expect(details->classes[i].label != NULL, "classes have labels");
    cleave_evaluation_plots_free(pictures);
    cleave_evaluation_details_free(details);
}

static void explain_rows(const cleave_model *model, cleave_data *data)
{
    static const char *const texts[] = {"1:0.5 3:1", "a=1,b=2,color=red", "1,2,red,,yes",
                                        "the red viagra"};
    cleave_explanation *explanation = NULL;
    cleave_error error = {0};

    attack_check(cleave_explain_row(model, data, 2, &explanation, &error), &error,
                 "cleave_explain_row");
    for (size_t i = 0; explanation && i < explanation->contribution_count; i++)
        expect(explanation->contributions[i].name != NULL, "shares have names");
    cleave_explanation_free(explanation);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        explanation = NULL;
        attack_check(cleave_explain_text(model, texts[i], strlen(texts[i]), &explanation, &error),
                     &error, "cleave_explain_text");
        cleave_explanation_free(explanation);
    }
}

static double length_of(const char *text)
{
    return text ? (double)strlen(text) : 0;
}

static cleave_code take_found(void *user, const cleave_found *found, cleave_error *error)
{
    (void)user;
    (void)error;
    for (size_t i = 0; i < found->count; i++)
        sink = found->points[i].distance + length_of(found->points[i].label) +
               length_of(found->points[i].id) +
               (found->points[i].shown ? length_of(found->points[i].shown[0]) : 0);
    return CLEAVE_OK;
}

static void search_with(cleave_context *context, const cleave_model *model, cleave_data *data,
                        const char *const *settings)
{
    cleave_options *options = options_of(context, settings);
    cleave_searcher *searcher = NULL;
    cleave_error error = {0};

    if (attack_check(cleave_searcher_open(model, options, &searcher, &error), &error,
                     "cleave_searcher_open")) {
        size_t features = cleave_searcher_features(searcher), k = cleave_searcher_k(searcher);

        attack_check(cleave_search(searcher, data, take_found, NULL, &error), &error,
                     "cleave_search");
        attack_check(cleave_search_box(searcher, take_found, NULL, &error), &error,
                     "cleave_search_box");
        attack_check(cleave_searcher_filter(searcher, (const uint64_t[]){6}, 40, &error), &error,
                     "cleave_searcher_filter");
        if (features < MOST_COLUMNS && k < MOST_COLUMNS) {
            float *query = calloc(2 * features + 1, sizeof *query);
            int64_t *rows = calloc(2 * k + 1, sizeof *rows);
            double *distances = calloc(2 * k + 1, sizeof *distances);

            attack_check(cleave_search_vectors(searcher, query, 2, rows, distances, &error), &error,
                         "cleave_search_vectors");
            free(query);
            free(rows);
            free(distances);
        }
    }
    cleave_searcher_free(searcher);
    cleave_options_free(options);
}

static void search(cleave_context *context, const cleave_model *model, cleave_data *data)
{
    cleave_point_set points;

    if (!cleave_model_points(model, &points, NULL))
        return;
    search_with(context, model, data, (const char *const[]){"k", "3", NULL});
    search_with(context, model, data, (const char *const[]){"radius", "1.5", NULL});
    search_with(context, model, data,
                (const char *const[]){"where", "lang=en|,id=k1|k3", "show", "title,key", NULL});
    search_with(context, model, data,
                (const char *const[]){"box", "d=0..3", "match", "within", "show", "lang", NULL});
    search_with(context, model, data, (const char *const[]){"box", "x=1..2,y=..3", NULL});
}

static void update(cleave_context *context, const cleave_model *model, const ModelFiles *files)
{
    cleave_error error = {0};
    cleave_update_result result = {.size = sizeof result};
    cleave_model *next = NULL;
    cleave_data *data = NULL;

    if (attack_check(cleave_open_to_update(model, &files->rows, 1, NULL, &data, &error), &error,
                     "cleave_open_to_update") &&
        attack_check(cleave_update(model, data, NULL, NULL, &next, &result, &error), &error,
                     "cleave_update"))
        use_model_alone(context, next);
    cleave_model_free(next);
    cleave_data_free(data);
}

static void train_from(cleave_context *context, const cleave_model *model, const ModelFiles *files)
{
    static const char *const limits[] = {"epochs", "max_iterations", "rounds", "trees"};
    cleave_options *options = options_of(context, (const char *const[]){"refit", "true", NULL});
    cleave_data *data = open_for(model, files);
    cleave_error error = {0};
    cleave_model *next = NULL;
    cleave_code code = CLEAVE_ERROR_USAGE;

    /* Each method has one of the limits, and refuses the others. */
    for (size_t i = 0; data && i < sizeof limits / sizeof *limits && code == CLEAVE_ERROR_USAGE;
         i++) {
        cleave_options *limited = NULL;

        if (cleave_options_clone(options, &limited, NULL) != CLEAVE_OK ||
            cleave_options_set(limited, limits[i], "2", NULL) != CLEAVE_OK)
            attack_fail("the attack itself is out of memory", "");
        code = cleave_train_from(model, data, NULL, limited, &next, NULL, &error);
        cleave_options_free(limited);
    }
    if (data && attack_check(code, &error, "cleave_train_from"))
        predict_rows(next);
    cleave_model_free(next);
    cleave_data_free(data);
    cleave_options_free(options);
}

static void map_and_apply(cleave_context *context, const cleave_model *model,
                          const ModelFiles *files)
{
    char mapped[TEST_PATH_SIZE], reduced[TEST_PATH_SIZE];
    const char *one = test_join(mapped, files->folder, "mapped"),
               *all = test_join(reduced, files->folder, "reduced");
    cleave_error error = {0};
    cleave_model *next = NULL;
    cleave_round facts;

    if (!attack_check(cleave_map(model, &files->rows, 1, NULL, one, &facts, &error), &error,
                      "cleave_map") ||
        !attack_check(cleave_reduce(context, &one, 1, false, all, &error), &error, "cleave_reduce"))
        return;
    if (cleave_model_finds_rows(model))
        attack_check(cleave_predict_found(model, &all, 1, take_prediction, NULL, &error), &error,
                     "cleave_predict_found");
    else if (attack_check(cleave_apply(model, &all, 1, &next, &facts, &error), &error,
                          "cleave_apply"))
        use_model_alone(context, next);
    cleave_model_free(next);
}

static void stream(cleave_context *context, const cleave_model *model, const ModelFiles *files)
{
    static const uint32_t indexes[] = {0, 2, 6};
    static const float values[] = {1, 0.5f, 2};
    char path[TEST_PATH_SIZE];
    cleave_stream *stream = NULL;
    cleave_stream_status facts;
    cleave_error error = {0};
    cleave_prediction prediction;
    cleave_model *now = NULL;

    if (!attack_check(cleave_save(model, test_join(path, files->folder, "stream.model"), &error),
                      &error, "cleave_save"))
        return;
    if (attack_check(cleave_stream_new(context, cleave_model_method(model), path, NULL, NULL,
                                       &stream, &error),
                     &error, "cleave_stream_new")) {
        const char *label = cleave_model_label_count(model) ? cleave_model_label(model, 0) : "1";

        attack_check(cleave_stream_row(stream, label, 3, indexes, values, &prediction, &error),
                     &error, "cleave_stream_row");
        attack_check(cleave_stream_row(stream, NULL, 2, indexes, values, &prediction, &error),
                     &error, "cleave_stream_row");
        attack_check(cleave_stream_read(stream, files->rows, NULL, &error), &error,
                     "cleave_stream_read");
        cleave_stream_get_status(stream, &facts);
        if (attack_check(cleave_stream_model(stream, &now, &error), &error,
                         "cleave_stream_model") &&
            now)
            use_model_alone(context, now);
    }
    cleave_model_free(now);
    cleave_stream_free(stream);
}

static void plot(cleave_context *context, const cleave_model *model, cleave_data *data,
                 uint64_t choice)
{
    cleave_options *options = cleave_options_new(context);
    cleave_plot_source source;
    cleave_error error = {0};
    size_t kinds = 0;

    while (cleave_plot_kind(kinds, NULL, NULL))
        kinds++;
    for (size_t i = 0; i < kinds; i++) {
        const char *kind = cleave_plot_kind(i, &source, NULL);
        cleave_plot *plot = NULL;

        if ((source != CLEAVE_PLOT_OF_MODEL && source != CLEAVE_PLOT_OF_MODEL_ALONE) ||
            (strcmp(kind, "regions") == 0 && choice % 16 != 0)) /* many predictions */
            continue;
        attack_check(cleave_plot_of_model(kind, model, source == CLEAVE_PLOT_OF_MODEL ? data : NULL,
                                          options, &plot, &error),
                     &error, "cleave_plot_of_model");
        cleave_plot_free(plot);
    }
    cleave_options_free(options);
}

static void voronoi(const cleave_model *model)
{
    cleave_plot *plot = NULL;
    cleave_error error = {0};

    attack_check(cleave_plot_of_model("voronoi", model, NULL, NULL, &plot, &error), &error,
                 "cleave_plot_of_model");
    cleave_plot_free(plot);
}

static void convert(const cleave_model *model, const ModelFiles *files)
{
    cleave_data *data = open_for(model, files);
    char path[TEST_PATH_SIZE];
    cleave_conversion done;
    cleave_error error = {0};

    if (data)
        attack_check(cleave_convert(data, test_join(path, files->folder, "converted.libsvm"), NULL,
                                    &done, &error),
                     &error, "cleave_convert");
    cleave_data_free(data);
}

static void remove_points(cleave_model *model)
{
    cleave_error error = {0};
    uint64_t removed;

    if (attack_check(cleave_model_remove_list(model, "2,4-5", &removed, &error), &error,
                     "cleave_model_remove_list"))
        predict_rows(model);
    if (attack_check(cleave_model_remove_ids(model, "k6,k7", NULL, &error), &error,
                     "cleave_model_remove_ids"))
        predict_rows(model);
    if (attack_check(cleave_model_remove(model, (const uint64_t[]){3, 1}, 2, &error), &error,
                     "cleave_model_remove"))
        predict_rows(model);
}

static void recommend(const cleave_model *model)
{
    static const char *const names[] = {"a", "b", "x", "z", "1"};
    cleave_recommendation *items;
    cleave_error error = {0};
    size_t count;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (attack_check(cleave_recommend(model, names[i], 3, i % 2, &items, &count, &error),
                         &error, "cleave_recommend")) {
            for (size_t j = 0; j < count; j++)
                sink = items[j].score + length_of(items[j].name);
            cleave_recommendations_free(model, items);
        }
        if (attack_check(cleave_similar_items(model, names[i], 3, &items, &count, &error), &error,
                         "cleave_similar_items")) {
            expect(count <= 3, "a list has at most the given number of items");
            cleave_recommendations_free(model, items);
        }
    }
}

void use_model(cleave_context *context, cleave_model *model, const ModelFiles *files,
               uint64_t choice)
{
    cleave_data *data = open_for(model, files), *raw = NULL;
    cleave_error error = {0};

    if (data) {
        predict_data(context, model, data);
        test_data(model, data);
        explain_rows(model, data);
        search(context, model, data);
    }
    if (attack_check(cleave_open_raw_for(model, &files->rows, 1, NULL, &raw, &error), &error,
                     "cleave_open_raw_for") &&
        choice % 4 == 0)
        plot(context, model, raw, choice / 4);
    voronoi(model);
    recommend(model);
    map_and_apply(context, model, files);
    update(context, model, files);
    if (choice % 4 == 1)
        train_from(context, model, files);
    if (choice % 4 == 2)
        stream(context, model, files);
    if (choice % 4 == 3)
        convert(model, files);
    remove_points(model);
    save_and_load(context, model);
    cleave_data_free(raw);
    cleave_data_free(data);
}
