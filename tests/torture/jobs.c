/* See jobs.h. */
#include "torture/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRY_CODE(expression)                                                                       \
    do {                                                                                           \
        cleave_code try_code_ = (expression);                                                      \
        if (try_code_ != CLEAVE_OK)                                                                \
            return try_code_;                                                                      \
    } while (0)

static const char mail[] =
    "spam\tbuy cheap pills now\nham\tsee you at noon\nspam\tcheap money, now\nham\tlunch at noon?\n"
    "ham\tthe report is late\nspam\tyou win money now\n";
static const char sparse[] = "+1 1:0.5 3:2 70000:1\n-1 2:1 5:0.25\n+1 1:1 3:1.5\n-1 2:2 6:1\n+1 "
                             "3:1\n-1 2:0.5 5:1 200000:1\n";
static const char ones[] =
    "+1 1:1 3:1 4:1\n-1 2:1 5:1\n+1 1:1 3:1\n-1 2:1 6:1\n+1 3:1\n-1 2:1 3:1\n";
static const char plane[] = "a 1:1 2:1\na 1:3 2:1.5\nb 1:2 2:4\nb 1:1 2:1\na 1:5 2:5\n? 1:4 2:2\n";
static const char table[] =
    "height,weight,ears,breed\n5,2,up,chihuahua\n4,1,up,chihuahua\n5,4,down,dachshund\n"
    "6,5,down,dachshund\n8,5,down,beagle\n9,6,\"down, long\",beagle\n10,,down,beagle\n";

/* ---- steps */

/* Options end with NULL; NULL when memory is short, which error then says. */
static cleave_code make_options(cleave_context *context, const char *const *pairs,
                                cleave_options **made, cleave_error *error)
{
    cleave_options *options = cleave_options_new(context);

    *made = NULL;
    if (!options) {
        *error = (cleave_error){.code = CLEAVE_ERROR_MEMORY, .message = "options"};
        return CLEAVE_ERROR_MEMORY;
    }
    for (; *pairs; pairs += 2) {
        cleave_code code = cleave_options_set(options, pairs[0], pairs[1], error);

        if (code != CLEAVE_OK) {
            cleave_options_free(options);
            return code;
        }
    }
    *made = options;
    return CLEAVE_OK;
}

static cleave_code convert(cleave_context *context, const char *in, const char *out,
                           const char *const *pairs, cleave_error *error)
{
    cleave_options *options;
    cleave_data *data = NULL;
    cleave_conversion done;
    cleave_code code;

    TRY_CODE(make_options(context, pairs, &options, error));
    code = cleave_open(context, in, NULL, &data, error);
    if (code == CLEAVE_OK)
        code = cleave_convert(data, out, options, &done, error);
    cleave_data_free(data);
    cleave_options_free(options);
    return code;
}

static cleave_code train_method(cleave_context *context, const char *method, const char *in,
                                const char *out, const char *const *pairs, cleave_error *error)
{
    cleave_options *options;
    cleave_data *data = NULL;
    cleave_model *model = NULL;
    cleave_report *report = NULL;
    cleave_code code;

    TRY_CODE(make_options(context, pairs, &options, error));
    code = cleave_open(context, in, NULL, &data, error);
    if (code == CLEAVE_OK)
        code = cleave_train(context, method, data, NULL, options, &model, &report, error);
    if (code == CLEAVE_OK)
        code = cleave_save(model, out, error);
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    return code;
}

static cleave_code train(cleave_context *context, const char *in, const char *out,
                         const char *const *pairs, cleave_error *error)
{
    return train_method(context, "perceptron", in, out, pairs, error);
}

/* Trains for two more epochs. */
static cleave_code go_on(cleave_context *context, const char *from, const char *in, const char *out,
                         const char *const *pairs, cleave_error *error)
{
    cleave_options *options;
    cleave_data *data = NULL;
    cleave_model *model = NULL, *longer = NULL;
    cleave_code code;

    TRY_CODE(make_options(context, pairs, &options, error));
    code = cleave_load(context, from, &model, error);
    if (code == CLEAVE_OK)
        code = cleave_open_for(model, &in, 1, NULL, &data, error);
    if (code == CLEAVE_OK)
        code = cleave_train_from(model, data, NULL, options, &longer, NULL, error);
    if (code == CLEAVE_OK)
        code = cleave_save(longer, out, error);
    cleave_model_free(longer);
    cleave_data_free(data);
    cleave_model_free(model);
    cleave_options_free(options);
    return code;
}

static cleave_code update(cleave_context *context, const char *from, const char *in,
                          const char *out, cleave_error *error)
{
    cleave_data *data = NULL;
    cleave_model *model = NULL, *updated = NULL;
    cleave_code code = cleave_load(context, from, &model, error);

    if (code == CLEAVE_OK)
        code = cleave_open_to_update(model, &in, 1, NULL, &data, error);
    if (code == CLEAVE_OK)
        code = cleave_update(model, data, NULL, NULL, &updated, NULL, error);
    if (code == CLEAVE_OK)
        code = cleave_save(updated, out, error);
    cleave_model_free(updated);
    cleave_data_free(data);
    cleave_model_free(model);
    return code;
}

static cleave_code begin_method(cleave_context *context, const char *method, const char *in,
                                const char *out, const char *const *pairs, cleave_error *error)
{
    cleave_options *options;
    cleave_data *sample = NULL;
    cleave_model *model = NULL;
    cleave_code code;

    TRY_CODE(make_options(context, pairs, &options, error));
    code = cleave_open(context, in, NULL, &sample, error);
    if (code == CLEAVE_OK)
        code = cleave_begin(context, method, sample, options, &model, error);
    if (code == CLEAVE_OK)
        code = cleave_save(model, out, error);
    cleave_model_free(model);
    cleave_data_free(sample);
    cleave_options_free(options);
    return code;
}

static cleave_code map_rows(cleave_context *context, const char *from, const char *in,
                            const char *out, cleave_error *error)
{
    cleave_model *model;
    cleave_round facts;
    cleave_code code;

    TRY_CODE(cleave_load(context, from, &model, error));
    code = cleave_map(model, &in, 1, NULL, out, &facts, error);
    cleave_model_free(model);
    return code;
}

static cleave_code apply_sums(cleave_context *context, const char *from, const char *in,
                              const char *out, cleave_error *error)
{
    cleave_model *model, *next = NULL;
    cleave_round facts;
    cleave_code code;

    TRY_CODE(cleave_load(context, from, &model, error));
    code = cleave_apply(model, &in, 1, &next, &facts, error);
    if (code == CLEAVE_OK)
        code = cleave_save(next, out, error);
    cleave_model_free(next);
    cleave_model_free(model);
    return code;
}

static cleave_code write_prediction(void *user, const cleave_prediction *prediction,
                                    cleave_error *error)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s\t%.9g\n", prediction->label,
                          prediction->score_count ? prediction->scores[0] : 0);

    return cleave_output_write(user, line, (size_t)length, error);
}

static cleave_code predict_to(const cleave_model *model, cleave_data *data, cleave_context *context,
                              const char *out, cleave_error *error)
{
    static const char *const everything[] = {"probabilities", "true", "multilabel_threshold", "0.1",
                                             NULL};
    static const char *const as_usual[] = {NULL};
    cleave_options *options;
    cleave_output *output;
    cleave_code code;

    TRY_CODE(make_options(context, cleave_model_has_probabilities(model) ? everything : as_usual,
                          &options, error));
    code = cleave_output_open(context, out, &output, error);
    if (code != CLEAVE_OK) {
        cleave_options_free(options);
        return code;
    }
    code = cleave_predict(model, data, options, write_prediction, output, error);
    cleave_options_free(options);
    if (code == CLEAVE_OK)
        return cleave_output_commit(output, error);
    cleave_output_abandon(output);
    return code;
}

static cleave_code predict(cleave_context *context, const char *model_path, const char *in,
                           const char *out, cleave_error *error)
{
    cleave_model *model = NULL;
    cleave_data *data = NULL;
    cleave_code code = cleave_load(context, model_path, &model, error);

    if (code == CLEAVE_OK)
        code = cleave_open_for(model, &in, 1, NULL, &data, error);
    if (code == CLEAVE_OK)
        code = predict_to(model, data, context, out, error);
    cleave_data_free(data);
    cleave_model_free(model);
    return code;
}

/* A stream writes its model without the harness: it would continue from an existing file. */
static cleave_code stream_to(cleave_stream *stream, const char *in, const char *out,
                             cleave_error *error)
{
    cleave_model *model = NULL;
    cleave_code code = cleave_stream_read(stream, in, NULL, error);

    if (code == CLEAVE_OK)
        code = cleave_stream_model(stream, &model, error);
    if (code == CLEAVE_OK)
        code = cleave_save(model, out, error);
    cleave_model_free(model);
    return code;
}

static cleave_code stream(cleave_context *context, const char *method, const char *model,
                          const char *in, const char *out, const char *const *pairs,
                          cleave_error *error)
{
    cleave_stream *made = NULL;
    cleave_options *options;
    cleave_code code;

    TRY_CODE(make_options(context, pairs, &options, error));
    code = cleave_stream_new(context, method, model, options, NULL, &made, error);
    if (code == CLEAVE_OK)
        code = stream_to(made, in, out, error);
    cleave_stream_free(made);
    cleave_options_free(options);
    return code;
}

/* ---- jobs */

static const char *const nothing[] = {NULL};
static const char *const newest[] = {"max_points", "2", "k", "2", "weight", "1/d", NULL};
static const char *const shuffled[] = {"shuffle", "true", "seed", "3", NULL};
static const char *const averaged[] = {"form", "averaged", "learn_threshold", "true", "epochs",
                                       "4",    NULL};
static const char *const voted[] = {"form", "voted", "epochs", "3", "order", "shuffle", NULL};
static const char *const probable[] = {
    "validation_fraction", "0.4", "calibrate", "true", "epochs", "2", NULL};
static const char *const streamed[] = {"stream", "true", "class_weight", "spam=2", NULL};
static const char *const known[] = {"known_classes", "spam,ham", "class_weight", "spam=2", "forget",
                                    "0.01",          NULL};
static const char *const held_out[] = {
    "validation_fraction", "0.4", "patience", "2", "epochs", "5", NULL};

static const char *const balanced[] = {"balanced", "true", "learn_threshold", "true", "epochs",
                                       "3",        NULL};
static const char *const unfinished[] = {"max_iterations", "2", "tolerance", "1e-14", NULL};
static const char *const refit_unfinished[] = {"refit", "true", "max_iterations", "2", "tolerance",
                                               "1e-14", NULL};
static const char *const refit[] = {"refit", "true", NULL};
static const char *const one_iteration[] = {"solver", "dcd", "max_iterations", "1", "tolerance",
                                            "1e-14",  NULL};
static const char *const lbfgs[] = {"solver", "lbfgs", "max_iterations", "2", "tolerance",
                                    "1e-14",  NULL};
static const char *const newton[] = {"solver", "newton", "max_iterations", "1", "tolerance",
                                     "1e-14",  NULL};
static const char *const cg[] = {"solver", "cg", "max_iterations", "1", "tolerance", "1e-14", NULL};
static const char *const stochastic[] = {"solver",    "sgd",   "epochs", "1",
                                         "tolerance", "1e-14", NULL};
static const char *const fourier[] = {"solver", "fourier", "fourier_features", "8", NULL};
static const char *const pruned[] = {"prune", "cv", "min_gain", "1e-6", NULL};
static const char *const bagged[] = {"trees",     "3", "importance", "permutation",
                                     "max_depth", "4", NULL};
static const char *const boosted[] = {"rounds", "2", "min_leaf_rows", "1", "learning_rate",
                                      "0.5",    NULL};
static const char *const calibrated[] = {
    "calibrate_every", "4", "learning_rate", "0.01", "epochs", "3", NULL};

#define INPUT(name)                                                                                \
    char in[TEST_PATH_SIZE];                                                                       \
    test_join(in, place->in, name)

#define CONVERT_JOB(function, file, pairs)                                                         \
    static cleave_code function(cleave_context *context, const Place *place, const char *output,   \
                                cleave_error *error)                                               \
    {                                                                                              \
        INPUT(file);                                                                               \
        return convert(context, in, output, pairs, error);                                         \
    }
#define TRAIN_JOB(function, file, pairs)                                                           \
    static cleave_code function(cleave_context *context, const Place *place, const char *output,   \
                                cleave_error *error)                                               \
    {                                                                                              \
        INPUT(file);                                                                               \
        return train(context, in, output, pairs, error);                                           \
    }
#define PREDICT_JOB(function, model_file, file)                                                    \
    static cleave_code function(cleave_context *context, const Place *place, const char *output,   \
                                cleave_error *error)                                               \
    {                                                                                              \
        char model[TEST_PATH_SIZE];                                                                \
        INPUT(file);                                                                               \
        return predict(context, test_join(model, place->in, model_file), in, output, error);       \
    }

#define METHOD_JOB(function, method, file, pairs)                                                  \
    static cleave_code function(cleave_context *context, const Place *place, const char *output,   \
                                cleave_error *error)                                               \
    {                                                                                              \
        INPUT(file);                                                                               \
        return train_method(context, method, in, output, pairs, error);                            \
    }
#define STREAM_JOB(function, method, file, pairs)                                                  \
    static cleave_code function(cleave_context *context, const Place *place, const char *output,   \
                                cleave_error *error)                                               \
    {                                                                                              \
        INPUT(file);                                                                               \
        return stream(context, method, NULL, in, output, pairs, error);                            \
    }
#define GO_ON_JOB(function, model_file, file, pairs)                                               \
    static cleave_code function(cleave_context *context, const Place *place, const char *output,   \
                                cleave_error *error)                                               \
    {                                                                                              \
        char model[TEST_PATH_SIZE];                                                                \
        INPUT(file);                                                                               \
        return go_on(context, test_join(model, place->in, model_file), in, output, pairs, error);  \
    }
#define UPDATE_JOB(function, model_file, file)                                                     \
    static cleave_code function(cleave_context *context, const Place *place, const char *output,   \
                                cleave_error *error)                                               \
    {                                                                                              \
        char model[TEST_PATH_SIZE];                                                                \
        INPUT(file);                                                                               \
        return update(context, test_join(model, place->in, model_file), in, output, error);        \
    }

CONVERT_JOB(convert_text, "mail.tsv", nothing)
CONVERT_JOB(convert_gzip, "sparse.libsvm.gz", nothing)
CONVERT_JOB(convert_table, "table.csv", nothing)
CONVERT_JOB(convert_shuffled, "sparse.libsvm", shuffled)
CONVERT_JOB(convert_back, "sparse.cleave", nothing)
TRAIN_JOB(train_text, "mail.tsv", averaged)
TRAIN_JOB(train_table, "table.csv", voted)
TRAIN_JOB(train_dataset, "sparse.cleave", held_out)
METHOD_JOB(train_winnow, "winnow", "ones.libsvm", balanced)
METHOD_JOB(train_lms, "lms", "sparse.libsvm", calibrated)
METHOD_JOB(train_tree, "tree", "table.csv", pruned)
METHOD_JOB(train_forest, "forest", "table.csv", bagged)
UPDATE_JOB(update_svm, "dcd.model", "sparse.libsvm")
UPDATE_JOB(update_points, "points.model", "ones.libsvm")
UPDATE_JOB(update_tree, "tree.model", "more.csv")
UPDATE_JOB(update_forest, "forest.model", "more.csv")
UPDATE_JOB(update_boost, "boost.model", "known.csv")
GO_ON_JOB(go_on_averaged, "averaged.model", "mail.tsv", averaged)
GO_ON_JOB(go_on_voted, "voted.model", "table.csv", voted)
GO_ON_JOB(go_on_winnow, "winnow.model", "ones.libsvm", balanced)
GO_ON_JOB(go_on_dcd, "dcd.model", "ones.libsvm", unfinished)
GO_ON_JOB(go_on_dcd_elsewhere, "dcd.model", "sparse.libsvm", refit_unfinished)
GO_ON_JOB(go_on_lbfgs, "lbfgs.model", "ones.libsvm", unfinished)
GO_ON_JOB(go_on_newton, "newton.model", "ones.libsvm", unfinished)
GO_ON_JOB(go_on_cg, "cg.model", "ones.libsvm", unfinished)
GO_ON_JOB(go_on_smo, "smo.model", "ones.libsvm", nothing)
GO_ON_JOB(go_on_smo_elsewhere, "smo.model", "sparse.libsvm", refit)
GO_ON_JOB(go_on_stochastic, "stochastic.model", "ones.libsvm", stochastic)
GO_ON_JOB(go_on_fourier, "fourier.model", "ones.libsvm", nothing)
TRAIN_JOB(train_stream, "mail.tsv", streamed)
STREAM_JOB(stream_text, "perceptron", "mail.tsv", known)
STREAM_JOB(stream_table, "perceptron", "table.csv", nothing)
STREAM_JOB(stream_gzip, "logistic", "sparse.libsvm.gz", nothing)
STREAM_JOB(stream_points, "knn", "sparse.libsvm", newest)
TRAIN_JOB(train_calibrated, "sparse.cleave", probable)

/* A complete run leaves its last checkpoint, and the same run resumes from it. */
static cleave_code train_on(cleave_context *context, const Place *place, const char *output,
                            cleave_error *error)
{
    char checkpoint[TEST_PATH_SIZE + 16], first[TEST_PATH_SIZE + 16];
    const char *const pairs[] = {"epochs",   "3", "validation_fraction", "0.3", "checkpoint",
                                 checkpoint, NULL};
    cleave_code code;
    INPUT("sparse.cleave");

    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", output);
    snprintf(first, sizeof first, "%s.first", output);
    code = train(context, in, first, pairs, error);
    if (code == CLEAVE_OK)
        code = train(context, in, output, pairs, error);
    unlink(first);
    unlink(checkpoint);
    return code;
}

PREDICT_JOB(predict_probabilities, "probable.model", "sparse.libsvm")
PREDICT_JOB(predict_numbers, "lms.model", "sparse.libsvm")
PREDICT_JOB(predict_text, "mail.model", "mail.tsv")
PREDICT_JOB(predict_table, "table.model", "table.csv")
PREDICT_JOB(predict_dataset, "sparse.model", "sparse.cleave")

static const char *const begun[] = {"solver",        "asgd",    "rows", "40",
                                    "known_classes", "+1,-1,0", NULL};

static cleave_code begin_svm(cleave_context *context, const Place *place, const char *output,
                             cleave_error *error)
{
    INPUT("sparse.libsvm");
    return begin_method(context, "svm", in, output, begun, error);
}

static cleave_code map_svm(cleave_context *context, const Place *place, const char *output,
                           cleave_error *error)
{
    char model[TEST_PATH_SIZE];
    INPUT("sparse.libsvm");
    return map_rows(context, test_join(model, place->in, "begun.model"), in, output, error);
}

static cleave_code reduce_svm(cleave_context *context, const Place *place, const char *output,
                              cleave_error *error)
{
    INPUT("updates.txt");
    const char *path = in;

    return cleave_reduce(context, &path, 1, true, output, error);
}

static cleave_code apply_svm(cleave_context *context, const Place *place, const char *output,
                             cleave_error *error)
{
    char model[TEST_PATH_SIZE];
    INPUT("updates.txt");
    return apply_sums(context, test_join(model, place->in, "begun.model"), in, output, error);
}

static cleave_code map_points(cleave_context *context, const Place *place, const char *output,
                              cleave_error *error)
{
    char model[TEST_PATH_SIZE];
    INPUT("sparse.libsvm");
    return map_rows(context, test_join(model, place->in, "points.model"), in, output, error);
}

static cleave_code reduce_points(cleave_context *context, const Place *place, const char *output,
                                 cleave_error *error)
{
    INPUT("near.txt");
    const char *path = in;

    return cleave_reduce(context, &path, 1, false, output, error);
}

static cleave_code answer_found(cleave_context *context, const Place *place, const char *output,
                                cleave_error *error)
{
    char from[TEST_PATH_SIZE];
    cleave_output *answers = NULL;
    cleave_model *model;
    cleave_code code;
    INPUT("near.txt");
    const char *path = in;

    TRY_CODE(cleave_load(context, test_join(from, place->in, "points.model"), &model, error));
    code = cleave_output_open(context, output, &answers, error);
    if (code == CLEAVE_OK) {
        code = cleave_predict_found(model, &path, 1, write_prediction, answers, error);
        if (code == CLEAVE_OK)
            code = cleave_output_commit(answers, error);
        else
            cleave_output_abandon(answers);
    }
    cleave_model_free(model);
    return code;
}

static cleave_code draw(cleave_context *context, const Place *place, const char *output,
                        cleave_error *error)
{
    cleave_plot *plot = NULL;
    cleave_data *data = NULL;
    cleave_output *file = NULL;
    cleave_code code;
    INPUT("plane.libsvm");

    code = cleave_open(context, in, NULL, &data, error);
    if (code == CLEAVE_OK)
        code = cleave_plot_of_data("voronoi", data, NULL, &plot, error);
    if (code == CLEAVE_OK)
        code = cleave_output_open(context, output, &file, error);
    if (code == CLEAVE_OK)
        code = cleave_output_write(file, plot->remark, strlen(plot->remark), error);
    if (code == CLEAVE_OK)
        code = cleave_output_commit(file, error);
    else if (file)
        cleave_output_abandon(file);
    cleave_plot_free(plot);
    cleave_data_free(data);
    return code;
}

static cleave_code crowd_labels(cleave_context *context, const Place *place, const char *output,
                                cleave_error *error)
{
    char tasks[TEST_PATH_SIZE];
    const char *const pairs[] = {"join", test_join(tasks, place->in, "tasks.csv"), NULL};
    cleave_options *options;
    cleave_crowd *crowd;
    cleave_code code;
    INPUT("answers.csv");

    TRY_CODE(make_options(context, pairs, &options, error));
    code = cleave_crowd_new(context, (const char *[]){in}, 1, NULL, options, &crowd, error);
    cleave_options_free(options);
    TRY_CODE(code);
    code = cleave_crowd_write(crowd, output, NULL, error);
    cleave_crowd_free(crowd);
    return code;
}

static cleave_code generate(cleave_context *context, const Place *place, const char *output,
                            cleave_error *error)
{
    static const char *const few[] = {"rows", "20", "features", "50", "nonzeros", "5", NULL};
    cleave_options *options;
    cleave_conversion done;
    cleave_code code;

    (void)place;
    TRY_CODE(make_options(context, few, &options, error));
    code = cleave_generate(context, "sparse", output, options, &done, error);
    cleave_options_free(options);
    return code;
}

const Job jobs[] = {
    {"crowd", "out.csv", crowd_labels},
    {"convert text", "out.cleave", convert_text},
    {"convert libsvm.gz", "out.cleave", convert_gzip},
    {"convert csv to libsvm", "out.libsvm", convert_table},
    {"convert --shuffle", "out.cleave", convert_shuffled},
    {"convert dataset to csv", "out.csv", convert_back},
    {"train on text", "out.model", train_text},
    {"train on csv, 3 classes", "out.model", train_table},
    {"train on a dataset", "out.model", train_dataset},
    {"train winnow", "out.model", train_winnow},
    {"train lms", "out.model", train_lms},
    {"train a tree", "out.model", train_tree},
    {"train a forest", "out.model", train_forest},
    {"update svm", "out.model", update_svm},
    {"update points", "out.model", update_points},
    {"update a tree, new class", "out.model", update_tree},
    {"update a forest, new class", "out.model", update_forest},
    {"update boost", "out.model", update_boost},
    {"go on, averaged", "out.model", go_on_averaged},
    {"go on, voted", "out.model", go_on_voted},
    {"go on, winnow", "out.model", go_on_winnow},
    {"go on, dcd", "out.model", go_on_dcd},
    {"go on, dcd, other rows", "out.model", go_on_dcd_elsewhere},
    {"go on, lbfgs", "out.model", go_on_lbfgs},
    {"go on, newton", "out.model", go_on_newton},
    {"go on, cg", "out.model", go_on_cg},
    {"go on, smo", "out.model", go_on_smo},
    {"go on, smo, other rows", "out.model", go_on_smo_elsewhere},
    {"go on, kernel sgd", "out.model", go_on_stochastic},
    {"go on, fourier", "out.model", go_on_fourier},
    {"train --stream", "out.model", train_stream},
    {"stream text", "out.model", stream_text},
    {"stream csv, 3 classes", "out.model", stream_table},
    {"stream libsvm.gz", "out.model", stream_gzip},
    {"stream points", "out.model", stream_points},
    {"train --calibrate", "out.model", train_calibrated},
    {"train --checkpoint", "out.model", train_on},
    {"predict text", "out.txt", predict_text},
    {"predict --probabilities", "out.txt", predict_probabilities},
    {"predict numbers", "out.txt", predict_numbers},
    {"predict csv", "out.txt", predict_table},
    {"predict a dataset", "out.txt", predict_dataset},
    {"generate", "out.libsvm", generate},
    {"begin", "out.model", begin_svm},
    {"map", "out.txt", map_svm},
    {"reduce", "out.txt", reduce_svm},
    {"apply", "out.model", apply_svm},
    {"map, points", "out.txt", map_points},
    {"reduce, points", "out.txt", reduce_points},
    {"answers of what was found", "out.txt", answer_found},
    {"plot voronoi", "out.txt", draw},
    {NULL, NULL, NULL},
};

/* ---- inputs */

static void must(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK) {
        fprintf(stderr, "torture: preparing the inputs: %s\n", error->message);
        exit(EXIT_FAILURE);
    }
}

static void make_model(cleave_context *context, const Place *place, const char *method,
                       const char *from, const char *to, const char *const *pairs)
{
    char in[TEST_PATH_SIZE], out[TEST_PATH_SIZE];
    cleave_error error;

    must(train_method(context, method, test_join(in, place->in, from),
                      test_join(out, place->in, to), pairs, &error),
         &error);
}

/* Enough new rows for new trees. Half of them are of another class if `another` is given. */
static void write_more(const char *path, const char *another)
{
    char text[4096];
    size_t length = (size_t)snprintf(text, sizeof text, "height,weight,ears,breed\n");

    for (int i = 0; i < 40; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%d,%d,%s,%s\n",
                                   i % 2 ? 5 + i % 3 : 20 + i % 5, 1 + i % 6, i % 3 ? "up" : "down",
                                   i % 2 ? "dachshund" : another);
    test_write_text(path, text);
}

void jobs_prepare(Place *place)
{
    cleave_context *context = cleave_context_new(NULL);
    char in[TEST_PATH_SIZE], out[TEST_PATH_SIZE];
    cleave_error error;

    test_folder_new(place->in);
    test_folder_new(place->out);
    test_write_text(test_join(in, place->in, "mail.tsv"), mail);
    test_write_text(test_join(in, place->in, "table.csv"), table);
    test_write_gzip(test_join(in, place->in, "sparse.libsvm.gz"), sparse);
    test_write_text(test_join(in, place->in, "sparse.libsvm"), sparse);
    must(convert(context, in, test_join(out, place->in, "sparse.cleave"), nothing, &error), &error);
    test_write_text(test_join(in, place->in, "ones.libsvm"), ones);
    make_model(context, place, "perceptron", "mail.tsv", "mail.model", nothing);
    make_model(context, place, "perceptron", "table.csv", "table.model", nothing);
    make_model(context, place, "perceptron", "sparse.cleave", "sparse.model", nothing);
    make_model(context, place, "perceptron", "mail.tsv", "averaged.model", averaged);
    make_model(context, place, "perceptron", "sparse.cleave", "probable.model", probable);
    make_model(context, place, "lms", "sparse.libsvm", "lms.model", calibrated);
    make_model(context, place, "perceptron", "table.csv", "voted.model", voted);
    make_model(context, place, "winnow", "ones.libsvm", "winnow.model", balanced);
    make_model(context, place, "svm", "ones.libsvm", "dcd.model", one_iteration);
    make_model(context, place, "logistic", "ones.libsvm", "lbfgs.model", lbfgs);
    make_model(context, place, "logistic", "ones.libsvm", "newton.model", newton);
    make_model(context, place, "least-squares", "ones.libsvm", "cg.model", cg);
    make_model(context, place, "kernel-svm", "ones.libsvm", "smo.model", nothing);
    make_model(context, place, "kernel-svm", "ones.libsvm", "stochastic.model", stochastic);
    make_model(context, place, "kernel-svm", "ones.libsvm", "fourier.model", fourier);
    make_model(context, place, "tree", "table.csv", "tree.model", nothing);
    make_model(context, place, "forest", "table.csv", "forest.model", bagged);
    make_model(context, place, "boost", "table.csv", "boost.model", boosted);
    write_more(test_join(in, place->in, "more.csv"), "dane");
    write_more(test_join(in, place->in, "known.csv"), "beagle");
    test_write_text(test_join(in, place->in, "answers.csv"),
                    "task,worker,label\na,x,1\na,y,2\nb,x,1\nb,y,1\nc,x,2\nc,y,2\nc,y,1\n");
    test_write_text(test_join(in, place->in, "tasks.csv"), "task,size\na,1\nb,2\nd,4\n");
    test_write_text(test_join(in, place->in, "plane.libsvm"), plane);
    make_model(context, place, "knn", "sparse.libsvm", "points.model", nothing);
    must(map_points(context, place, test_join(out, place->in, "near.txt"), &error), &error);
    test_join(in, place->in, "sparse.libsvm");
    must(begin_method(context, "svm", in, test_join(out, place->in, "begun.model"), begun, &error),
         &error);
    must(map_svm(context, place, test_join(out, place->in, "updates.txt"), &error), &error);
    cleave_context_free(context);
}

void jobs_clean(const Place *place)
{
    test_folder_remove(place->in);
    test_folder_remove(place->out);
}

/* ---- trials */

static const char older[] = "an older file\n";

void trial_begin(Trial *trial, const Job *job, const Place *place)
{
    *trial = (Trial){.job = job, .place = place};
    test_join(trial->path, place->out, job->output);
}

void trial_end(Trial *trial)
{
    free(trial->right);
    unlink(trial->path);
}

void trial_set(Trial *trial, bool old)
{
    trial->old = old;
    unlink(trial->path);
    if (old)
        test_write_text(trial->path, older);
}

void trial_keep_right(Trial *trial)
{
    trial->right = test_read_file(trial->path, &trial->right_size);
    if (!trial->right || trial->right_size == 0) {
        fprintf(stderr, "torture: %s: no output when nothing fails\n", trial->job->name);
        exit(EXIT_FAILURE);
    }
}

static bool output_is(const Trial *trial, const char *bytes, size_t size)
{
    size_t found_size = 0;
    char *found = test_read_file(trial->path, &found_size);
    bool same = found && found_size == size && memcmp(found, bytes, size) == 0;

    free(found);
    return same;
}

const char *trial_complaint(const Trial *trial, cleave_code code, const cleave_error *error)
{
    bool there = access(trial->path, F_OK) == 0;

    if (test_folder_count(trial->place->out) != (there ? 1 : 0))
        return "a temporary file is left";
    if (code == CLEAVE_OK)
        return output_is(trial, trial->right, trial->right_size)
                   ? NULL
                   : "it succeeded with the wrong output";
    if (error->code != code)
        return "the code returned is not the error's";
    if (error->message[0] == '\0')
        return "the error has no message";
    if (trial->old)
        return output_is(trial, older, sizeof older - 1)
                   ? NULL
                   : "it failed and the older file is not what it was";
    return there ? "it failed and left an output file" : NULL;
}
