/* Map-reduce training with files: the public functions of dist/rounds.h. */
#include "dist/rounds.h"

#include "base/file.h"
#include "data/remap.h"
#include "dist/nearest_lines.h"
#include "dist/updates.h"
#include "input/input.h"
#include "model/registry.h"
#include "train/pipeline_fit.h"
#include "train/train.h"

typedef struct {
    int64_t rows;
    const char *known_classes;
    const char *positive, *class_weight;
    int64_t seed;
    bool skip_unlabeled;
    const char *transform;
} BeginOptions;

static const Param begin_params[] = {
    INTEGER(BeginOptions, rows, 0, WITHIN(0, 9007199254740992.0),
            "Number of rows of the complete data.", DEFAULT("as in the sample")),
    TEXT(BeginOptions, known_classes, NULL, "Classes known in advance, e.g. spam,ham."),
    TEXT(BeginOptions, positive, NULL, "Positive class of a binary problem."),
    TEXT(BeginOptions, class_weight, NULL, "Class weights, e.g. spam=2,ham=1, or 'balanced'."),
    INTEGER(BeginOptions, seed, 1, AT_LEAST(0), "Seed of all random choices."),
    FLAG(BeginOptions, skip_unlabeled, "Skip rows without a label."),
    TEXT(BeginOptions, transform, "auto",
         "Feature pipeline, e.g. scale,polynomial:degree=2; 'cleave transforms' lists all.\n"
         "auto: chosen from the data. none: no transforms."),
    END_OF_PARAMS,
};

const cleave_param *cleave_begin_params(void)
{
    return begin_params;
}

static Status new_options(Context *context, Job *job, cleave_error *error)
{
    job->method_options = clv_alloc_zero(context, 1, job->method->options_size);
    return job->method_options ? OK : clv_fail_memory(error, "options", job->method->options_size);
}

/* ---- begin ----------------------------------------------------------------------------------- */

static Status list_classes(const char *list, Labels *labels, cleave_error *error)
{
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        uint32_t number, before = labels->count;
        char quoted[QUOTE_SIZE];

        if (length == 0)
            return clv_fail(error, CLEAVE_ERROR_USAGE,
                            "--known-classes: expected names separated by commas, found '%s'",
                            clv_quote(quoted, list, strlen(list)));
        TRY(clv_labels_add(labels, at, length, &number, error));
        if (number != before)
            return clv_fail(error, CLEAVE_ERROR_USAGE, "--known-classes: '%s' occurs twice",
                            clv_quote(quoted, at, length));
        at += length;
        if (!*at)
            return OK;
    }
}

/* Opens the sample with labels numbered in the order of the list. */
static Status view_classes(cleave_data *data, Dataset *sample, const Labels *classes,
                           Dataset **viewed, cleave_error *error)
{
    char quoted[QUOTE_SIZE];
    Source *source, *view;
    Status status;

    TRY(clv_dataset_source(sample, false, &source, error));
    TRY(clv_remap_source(source, true, classes, &sample->names, sample->features, &view, error));
    status = clv_dataset_load(view, viewed, error);
    clv_source_close(view);
    TRY(status);
    if ((*viewed)->labels.count > classes->count) {
        const char *text = (*viewed)->labels.list[classes->count].text;

        clv_fail(error, CLEAVE_ERROR_DATA, "%s: the label '%s' is not among --known-classes",
                 clv_data_name(data), clv_quote(quoted, text, strlen(text)));
        status = clv_hint(
            error, CLEAVE_ERROR_DATA,
            "name every class, or omit --known-classes if the sample contains all classes");
    }
    THEN(status, clv_names_copy(&(*viewed)->names, &sample->names, error));
    THEN(status, clv_schema_copy(&(*viewed)->schema, &sample->schema, error));
    (*viewed)->features = sample->features;
    return status;
}

static Status begin_with_classes(Context *context, const Job *job, cleave_data *data,
                                 Dataset *sample, const BeginOptions *given, Model **model,
                                 cleave_error *error)
{
    Dataset *viewed = NULL;
    Labels classes;
    Status status;

    clv_labels_init(&classes, context);
    status = list_classes(given->known_classes, &classes, error);
    THEN(status, view_classes(data, sample, &classes, &viewed, error));
    THEN(status, clv_round_begin(context, job, viewed, (uint64_t)given->rows, model, error));
    clv_dataset_free(viewed);
    clv_labels_free(&classes);
    return status;
}

/* Begins training with the features after a pipeline. */
static Status begin_with(Context *context, Job *job, cleave_data *data, const BeginOptions *given,
                         Model **model, cleave_error *error)
{
    Dataset *sample, *transformed;
    Pipeline *pipeline;
    Status status;

    TRY(clv_data_training_set(data, &sample, error));
    TRY(clv_pipeline_fit(context, job->method, job->method_options, job->options, 0, sample, false,
                         &pipeline, &transformed, error));
    job->pipeline = pipeline;
    if (transformed)
        sample = transformed;
    status = given->known_classes
                 ? begin_with_classes(context, job, data, sample, given, model, error)
                 : clv_round_begin(context, job, sample, (uint64_t)given->rows, model, error);
    clv_dataset_free(transformed);
    clv_pipeline_release(pipeline);
    return status;
}

static Status begin(Context *context, Job *job, cleave_data *data, const cleave_options *options,
                    Model **model, cleave_error *error)
{
    BeginOptions given;
    RunOptions run;

    TRY(clv_params_apply(options, begin_params, &given, job->method->params, job->method_options,
                         error));
    clv_params_initial(clv_run_params, &run);
    run.positive = given.positive;
    run.class_weight = given.class_weight;
    run.seed = given.seed;
    run.skip_unlabeled = given.skip_unlabeled;
    run.transform = given.transform;
    TRY(clv_train_check(job->method, job->method_options, &run, false, error));
    job->options = &run;
    job->name = clv_data_name(data);
    if (given.known_classes && job->method->tasks == CLEAVE_TASK_REGRESSION)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "--known-classes requires a classification method, and '%s' is for regression",
            job->method->name);
    return begin_with(context, job, data, &given, model, error);
}

cleave_code cleave_begin(cleave_context *context, const char *method, cleave_data *sample,
                         const cleave_options *options, cleave_model **model, cleave_error *error)
{
    REQUIRE(context && method && sample && model);
    Job job = {0};
    Status status;

    *model = NULL;
    TRY(clv_method_find(method, &job.method, error));
    TRY(new_options(context, &job, error));
    status = begin(context, &job, sample, options, model, error);
    clv_free(context, job.method_options);
    return status;
}

/* ---- end of a round -------------------------------------------------------------------------- */

static Status finish_output(Output *output, Status status, cleave_error *error)
{
    if (status == OK)
        return clv_output_commit(output, error);
    clv_output_abandon(output);
    return status;
}

/* facts NULL: writes the contributions of single rows. */
static Status map_data(const Model *model, Job *job, cleave_data *data, const char *path,
                       cleave_round *facts, cleave_error *error)
{
    Source *source = NULL;
    RunOptions run;
    Output *output;
    Status status;

    TRY(new_options(model->context, job, error));
    TRY(clv_options_of_model(model, &run, job->method_options, error));
    job->options = &run;
    if (data) {
        TRY(clv_data_protects(data, path, error));
        job->name = clv_data_name(data);
        TRY(clv_data_source(data, &source, error));
    }
    TRY(clv_output_open(model->context, path, false, &output, error));
    if (!facts)
        status = clv_round_contributions(model->context, job, source, output, error);
    else if (METHOD_HAS(model->method, distributed, find_neighbors) && source)
        status = clv_near_map(model, source, output, &facts->rows, error);
    else
        status = METHOD_HAS(model->method, distributed, find_neighbors)
                     ? OK
                     : clv_round_map(model->context, job, source, output, facts, error);
    return finish_output(output, status, error);
}

cleave_code cleave_map(const cleave_model *model, const char *const *paths, size_t count,
                       const cleave_options *options, const char *output, cleave_round *facts,
                       cleave_error *error)
{
    REQUIRE(model && (paths || count == 0) && output && facts);
    Job job = {.method = model->method, .from = model};
    cleave_data *data;
    Status status;

    *facts = (cleave_round){0};
    TRY(clv_open_to_learn(model, paths, count, options, &data, error));
    status = map_data(model, &job, data, output, facts, error);
    clv_free(model->context, job.method_options);
    cleave_data_free(data);
    return status;
}

cleave_code cleave_map_contributions(const cleave_model *model, const char *const *paths,
                                     size_t count, const cleave_options *options,
                                     const char *output, cleave_error *error)
{
    REQUIRE(model && (paths || count == 0) && output);
    Job job = {.method = model->method, .from = model};
    cleave_data *data;
    Status status;

    TRY(clv_open_to_learn(model, paths, count, options, &data, error));
    status = map_data(model, &job, data, output, NULL, error);
    clv_free(model->context, job.method_options);
    cleave_data_free(data);
    return status;
}

cleave_code cleave_reduce(cleave_context *context, const char *const *paths, size_t count,
                          bool partial, const char *path, cleave_error *error)
{
    REQUIRE(context && (paths || count == 0) && path);
    uint64_t lines, keys;
    Output *output;
    Status status;

    TRY(clv_output_open(context, path, false, &output, error));
    status = clv_updates_reduce(context, paths, count, partial, output, &lines, &keys, error);
    return finish_output(output, status, error);
}

cleave_code cleave_apply(const cleave_model *model, const char *const *paths, size_t count,
                         cleave_model **next, cleave_round *facts, cleave_error *error)
{
    REQUIRE(model && (paths || count == 0) && next && facts);
    Job job = {.method = model->method, .from = model};
    RunOptions run;
    Status status;

    *next = NULL;
    *facts = (cleave_round){0};
    TRY(new_options(model->context, &job, error));
    status = clv_options_of_model(model, &run, job.method_options, error);
    job.options = &run;
    THEN(status, clv_round_apply(model->context, &job, paths, count, next, facts, error));
    clv_free(model->context, job.method_options);
    return status;
}

bool cleave_model_finds_rows(const cleave_model *model)
{
    return METHOD_HAS(model->method, distributed, find_neighbors);
}

cleave_code cleave_predict_found(const cleave_model *model, const char *const *paths, size_t count,
                                 cleave_predict_callback callback, void *user, cleave_error *error)
{
    REQUIRE(model && (paths || count == 0) && callback);
    if (!METHOD_HAS(model->method, distributed, find_neighbors))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "'%s' does not predict from stored training rows", model->method->name);
    return clv_near_answers(model, paths, count, callback, user, error);
}
