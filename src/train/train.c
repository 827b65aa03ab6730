/* Training: resolves the options of the caller and of the warm-start model, prepares the data and
 * runs the driver. */
#include "train/train.h"
#include "pipeline/pipeline.h"

#include "data/remap.h"
#include "data/unseen.h"
#include "eval/leakage.h"
#include "input/input.h"
#include "model/registry.h"
#include "train/pipeline_fit.h"
#include "train/row_source.h"

Status clv_load_held_out(Source *source, const Job *job, const Dataset *dataset, Dataset **loaded,
                         cleave_error *error)
{
    const Pipeline *pipeline = job->from ? job->from->pipeline : job->pipeline;
    const Names *names = job->from  ? clv_model_inputs(job->from)
                         : pipeline ? clv_pipeline_inputs(pipeline)
                                    : &dataset->names;
    uint32_t features = job->from  ? clv_model_input_count(job->from)
                        : pipeline ? clv_pipeline_input_count(pipeline)
                                   : dataset->features;
    Source *view;
    Status status;

    TRY(clv_remap_source(source, false, &dataset->labels, names, features, &view, error));
    clv_remap_note_labels(view, job->method->tasks != CLEAVE_TASK_REGRESSION);
    if (pipeline)
        TRY(clv_pipeline_source(pipeline, view, true, &view, error));
    status = clv_dataset_load(view, loaded, error);
    clv_source_close(view);
    return status;
}

static Status load_valid(cleave_data *valid, const Job *job, const Dataset *dataset,
                         Dataset **loaded, cleave_error *error)
{
    Source *source;

    TRY(clv_data_source(valid, &source, error));
    return clv_load_held_out(source, job, dataset, loaded, error);
}

/* ---- warm start ------------------------------------------------------------------------------ */

/* Whether a warm start inherits the parameter: options that shape the model and the order of the
 * rows, not stopping rules. */
static bool is_inherited(const Method *method, const Param *table, const char *name,
                         const Param **param, bool *of_method)
{
    static const char *const of_run[] = {"seed", "order", "class_weight", NULL};

    *param = clv_param_find(method->params, name);
    *of_method = *param != NULL;
    if (*param)
        return true;
    for (size_t i = 0; of_run[i]; i++)
        if (strcmp(name, of_run[i]) == 0)
            *param = clv_param_find(table, name);
    return *param != NULL;
}

static bool is_given(const cleave_options *given, const char *name)
{
    const Param wanted[] = {{.name = name}, END_OF_PARAMS};

    for (size_t i = 0; given && i < given->count; i++)
        if (clv_param_find(wanted, given->list[i].name))
            return true;
    return false;
}

/* Whether the user gives an alternative option, so that this one is not inherited from the
 * model. */
static bool is_overruled(const cleave_options *given, const char *name)
{
    /* A tolerance is not inherited by another solver. */
    static const char *const pairs[][2] = {{"C", "lambda"},
                                           {"lambda", "C"},
                                           {"tolerance", "solver"},
                                           {"regularize_intercept", "solver"}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(name, pairs[i][0]) == 0 && is_given(given, pairs[i][1]))
            return true;
    return false;
}

/* Takes parameters from the model. A value can stand for "automatic", and be outside the range of
 * the table. */
static Status inherit(const Model *from, const cleave_options *given, const Param *table, void *run,
                      void *method_options, cleave_error *error)
{
    const Method *method = from->method;

    for (size_t i = 0; i < from->param_count; i++) {
        const struct ModelParam *own = &from->params[i];
        char usual[PARAM_TEXT_SIZE];
        const Param *param;
        bool of_method;
        void *options;

        if (!is_inherited(method, table, own->name, &param, &of_method) ||
            is_overruled(given, own->name))
            continue;
        options = of_method ? method_options : run;
        if (strcmp(clv_param_text(param, options, usual), own->value) != 0)
            TRY(clv_param_set(param, options, own->value, error));
    }
    return OK;
}

Status clv_options_of_model(const Model *model, RunOptions *run, void *method_options,
                            cleave_error *error)
{
    clv_params_initial(clv_run_params, run);
    clv_params_initial(model->method->params, method_options);
    TRY(inherit(model, NULL, clv_run_params, run, method_options, error));
    for (size_t i = 0; i < model->param_count; i++)
        if (strcmp(model->params[i].name, "skip_unlabeled") == 0)
            run->skip_unlabeled = strcmp(model->params[i].value, "true") == 0;
    return OK;
}

Status clv_settle_options(const Method *method, const Model *from, const cleave_options *given,
                          const Param *table, void *run, void *method_options, cleave_error *error)
{
    TRY(clv_params_apply(given, table, run, method->params, method_options, error));
    if (!from)
        return OK;
    clv_params_initial(table, run);
    clv_params_initial(method->params, method_options);
    TRY(inherit(from, given, table, run, method_options, error));
    for (size_t i = 0; given && i < given->count; i++) {
        const Param *of_run = clv_param_find(table, given->list[i].name);

        TRY(clv_param_set(of_run ? of_run : clv_param_find(method->params, given->list[i].name),
                          of_run ? run : method_options, given->list[i].value, error));
    }
    return OK;
}

Status clv_train_options(const Job *job, const cleave_options *given, RunOptions *run,
                         cleave_error *error)
{
    return clv_settle_options(job->method, job->from, given, clv_run_params, run,
                              job->method_options, error);
}

/* Opens data with the labels and features of the model, if it was not opened for the model. */
static Status view_for(const Model *from, cleave_data *data, Source **view, cleave_error *error)
{
    Source *source;

    TRY(clv_data_source(data, &source, error));
    return clv_view_for(from, source, view, error);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Fits the pipeline before the pass if possible; a pipe can be read only once. */
static Status learn_first(Context *context, Job *job, Source *source, Pipeline **pipeline,
                          cleave_error *error)
{
    const char *said = job->options->transform;

    TRY(clv_pipeline_of_run(context, job->method, job->method_options, said, &source->schema,
                            ROWS_ONCE, pipeline, error));
    if (!*pipeline)
        return OK;
    if (!clv_pipeline_looks(*pipeline))
        TRY(clv_pipeline_begin(*pipeline, &source->schema, &source->names, error));
    else
        TRY(clv_pipeline_learn(*pipeline, source, (uint64_t)job->options->seed, error));
    TRY(clv_source_rewind(source, error));
    return clv_pipeline_note(*pipeline, strcmp(said, "auto") == 0, error);
}

static Status train_new_stream(Context *context, Job *job, Source *source, Model **model,
                               Report **report, cleave_error *error)
{
    Pipeline *pipeline = NULL;
    Source *made = NULL, *view = NULL;
    Status status = OK;

    if (source->names.implicit && clv_schema_is_numbered(&source->schema)) {
        TRY(clv_remap_growing(source, false, &source->labels, &source->names, NULL, 0, &view,
                              error));
        clv_remap_compact(view);
        source = view;
    }
    status = learn_first(context, job, source, &pipeline, error);
    job->pipeline = pipeline;
    if (status == OK && pipeline)
        status = clv_pipeline_source(pipeline, source, false, &made, error);
    THEN(status, clv_train_stream(context, job, made ? made : source, model, report, error));
    if (status == OK && pipeline)
        status = clv_pipeline_narrow(pipeline, error);
    clv_source_close(made);
    clv_source_close(view);
    clv_pipeline_release(pipeline);
    return status;
}

static Status train_stream(Context *context, Job *job, cleave_data *data, Model **model,
                           Report **report, cleave_error *error)
{
    Source *source, *view = NULL;
    Status status;

    TRY(clv_data_source(data, &source, error));
    job->name = clv_data_name(data);
    if (!job->from)
        return train_new_stream(context, job, source, model, report, error);
    if (data->opened_for != job->from)
        TRY(view_for(job->from, data, &view, error));
    status = clv_train_stream(context, job, view ? view : source, model, report, error);
    clv_source_close(view);
    return status;
}

/* Warns of categories that occur only in held-out rows. */
static Status find_unseen(Dataset *dataset, uint64_t seed, double held_out, cleave_error *error)
{
    UnseenGroups unseen;
    Status status = clv_unseen_groups_begin(&unseen, dataset, true, error);

    for (uint32_t group = 0; group < 2 && status == OK && unseen.columns; group++) {
        Traversal traversal = {0};
        const Block *block = NULL;

        status = clv_traversal_init(&traversal, dataset, ORDER_FILE, seed, group ? 0 : held_out,
                                    group ? held_out : 1, error);
        THEN(status, clv_traversal_begin(&traversal, 0, error));
        while (status == OK && (status = clv_traversal_next(&traversal, &block, error)) == OK &&
               block)
            for (uint32_t row = 0; row < block->rows; row++)
                clv_unseen_groups_add(&unseen, block, row, group);
        clv_traversal_free(&traversal);
    }
    if (status == OK)
        clv_unseen_groups_end(&unseen);
    clv_unseen_groups_free(&unseen);
    return status;
}

static Status train_batch(Context *context, Job *job, cleave_data *data, cleave_data *valid,
                          Model **model, Report **report, cleave_error *error)
{
    double held_out = clv_run_holdout(job->options, valid != NULL);
    Dataset *dataset, *mine = NULL;
    Pipeline *pipeline = NULL;
    Source *view = NULL;
    bool releasable = false;
    Status status = OK;

    if (job->from && data->opened_for != job->from) {
        TRY(view_for(job->from, data, &view, error));
        status = clv_dataset_load(view, &mine, error);
        clv_source_close(view);
        TRY(status);
        dataset = mine;
    } else {
        TRY(clv_data_rows_to_transform(data, &dataset, &releasable, error));
    }
    job->name = clv_data_name(data);
    if (!job->from)
        status = clv_leak_warn(dataset, job->method->tasks == CLEAVE_TASK_REGRESSION, error);
    if (status == OK && held_out > 0)
        status = find_unseen(dataset, (uint64_t)job->options->seed, held_out, error);
    if (status == OK && !job->from)
        status = clv_pipeline_fit(context, job->method, job->method_options, job->options, held_out,
                                  dataset, releasable, &pipeline, &mine, error);
    if (releasable && dataset->blocks == 0)
        clv_data_release_rows(data);
    job->pipeline = pipeline;
    if (status == OK && valid)
        status = load_valid(valid, job, dataset, &job->valid, error);
    THEN(status, clv_train(context, job, mine ? mine : dataset, model, report, error));
    clv_pipeline_release(pipeline);
    clv_dataset_free(job->valid);
    clv_dataset_free(mine);
    return status;
}

static Status train_with(Context *context, Job *job, cleave_data *data, cleave_data *valid,
                         const cleave_options *options, Model **model, Report **report,
                         cleave_error *error)
{
    RunOptions run;

    TRY(clv_train_options(job, options, &run, error));
    TRY(clv_train_check(job->method, job->method_options, &run, valid != NULL, error));
    if (run.stream && job->tracer)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--stream cannot be used with a trace");
    if (run.checkpoint && job->tracer)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--checkpoint cannot be used with a trace");
    if (job->from && is_given(options, "transform"))
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "omit --transform, or train a new model with it",
            "--transform cannot be combined with --from: the warm-start model contains a feature "
            "pipeline");
    if (run.checkpoint && !job->method->training->resume)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--checkpoint: '%s' cannot resume from a checkpoint", job->method->name);
    if (run.checkpoint)
        TRY(clv_data_protects(data, run.checkpoint, error));
    if (run.checkpoint && valid)
        TRY(clv_data_protects(valid, run.checkpoint, error));
    job->options = &run;
    return run.stream ? train_stream(context, job, data, model, report, error)
                      : train_batch(context, job, data, valid, model, report, error);
}

static Status train_method(Context *context, const char *name, const Model *from, cleave_data *data,
                           cleave_data *valid, const cleave_options *options, const Tracer *tracer,
                           const RoundWatcher *rounds, Model **model, cleave_report **facts,
                           cleave_error *error)
{
    Report *report = NULL;
    Job job = {.from = from, .tracer = tracer, .rounds = rounds};
    Status status;

    *model = NULL;
    if (facts)
        *facts = NULL;
    TRY(clv_method_find(name, &job.method, error));
    if (tracer && !METHOD_HAS(job.method, inspection, weights))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "'cleave trace --help' lists the methods that can be traced",
                             "'%s' has no updates to trace", name);
    TRY(clv_new(context, &job.method_options, 1, job.method->options_size, true, "options", error));
    status = train_with(context, &job, data, valid, options, model, &report, error);
    clv_free(context, job.method_options);
    if (status != OK)
        return status;
    report->facts.read_seconds = data->read_seconds;
    report->facts.read_cpu_seconds = data->read_cpu_seconds;
    if (facts)
        *facts = &report->facts;
    else
        cleave_report_free(&report->facts);
    return OK;
}

cleave_code cleave_train(cleave_context *context, const char *method, cleave_data *data,
                         cleave_data *valid, const cleave_options *options, cleave_model **model,
                         cleave_report **report, cleave_error *error)
{
    REQUIRE(context && method && data && model);
    return train_method(context, method, NULL, data, valid, options, NULL, NULL, model, report,
                        error);
}

Status clv_train_watched(Context *context, const char *method, cleave_data *data,
                         cleave_data *valid, const cleave_options *options,
                         const RoundWatcher *rounds, Model **model, cleave_report **report,
                         cleave_error *error)
{
    return train_method(context, method, NULL, data, valid, options, NULL, rounds, model, report,
                        error);
}

cleave_code cleave_train_from(const cleave_model *from, cleave_data *data, cleave_data *valid,
                              const cleave_options *options, cleave_model **model,
                              cleave_report **report, cleave_error *error)
{
    REQUIRE(from && data && model);
    return train_method(from->context, from->method->name, from, data, valid, options, NULL, NULL,
                        model, report, error);
}

cleave_code cleave_trace(cleave_context *context, const char *method, cleave_data *data,
                         const cleave_options *options, cleave_trace_callback callback, void *user,
                         cleave_model **model, cleave_report **report, cleave_error *error)
{
    REQUIRE(context && method && data);
    Tracer tracer = {.event = callback, .user = user};
    cleave_model *traced = NULL;
    Status status = train_method(context, method, NULL, data, NULL, options, &tracer, NULL, &traced,
                                 report, error);

    if (model)
        *model = traced;
    else
        cleave_model_free(traced);
    return status;
}

const char *cleave_trace_feature_name(const cleave_trace_event *event, size_t column,
                                      char buffer[24])
{
    return clv_names_get(event->names, (uint32_t)column, buffer);
}

cleave_code cleave_save(const cleave_model *model, const char *path, cleave_error *error)
{
    REQUIRE(model && path);
    return clv_model_save(model, path, error);
}

cleave_code cleave_load(cleave_context *context, const char *path, cleave_model **model,
                        cleave_error *error)
{
    REQUIRE(context && path && model);
    return clv_model_load(context, path, model, error);
}
