#include "run/train.h"

#include "api/data.h"
#include "data/remap.h"
#include "model/registry.h"

/* Held-out data seen with the labels and names of the training data, in memory. */
static Status load_valid(Context *context, cleave_data *valid, const Dataset *dataset, Dataset **loaded,
                         cleave_error *error)
{
    Source *source, *view;
    Status status;

    (void)context;
    TRY(clv_data_source(valid, &source, error));
    TRY(clv_remap_source(source, false, &dataset->labels, &dataset->names, dataset->features, &view, error));
    status = clv_dataset_load(view, loaded, error);
    clv_source_close(view);
    return status;
}

static Status train_stream(Context *context, const Job *job, cleave_data *data, Model **model, Report **report,
                           cleave_error *error)
{
    Source *source;

    TRY(clv_data_source(data, &source, error));
    return clv_train_stream(context, job, source, model, report, error);
}

static Status train_with(Context *context, Job *job, cleave_data *data, cleave_data *valid,
                         const cleave_options *options, Model **model, Report **report, cleave_error *error)
{
    RunOptions run;
    Dataset *dataset;
    Status status;

    TRY(clv_params_apply(options, clv_run_params, &run, job->method->params, job->method_options, error));
    TRY(clv_train_check(job->method, job->method_options, &run, valid != NULL, error));
    job->options = &run;
    if (run.stream)
        return train_stream(context, job, data, model, report, error);
    TRY(clv_data_dataset(data, &dataset, error));
    if (valid)
        TRY(load_valid(context, valid, dataset, &job->valid, error));
    status = clv_train(context, job, dataset, model, report, error);
    clv_dataset_free(job->valid);
    return status;
}

static Status train_method(Context *context, const char *name, const Model *from, cleave_data *data, cleave_data *valid,
                           const cleave_options *options, const Tracer *tracer, Model **model, cleave_report **facts,
                           cleave_error *error)
{
    Report *report = NULL;
    Job job = {.from = from, .tracer = tracer};
    Status status;

    *model = NULL;
    if (facts)
        *facts = NULL;
    TRY(clv_method_find(name, &job.method, error));
    if (tracer && !job.method->look)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "'%s' has no updates to trace", name);
    job.method_options = clv_alloc_zero(context, 1, job.method->options_size);
    if (!job.method_options)
        return clv_fail_memory(error, "options", job.method->options_size);
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

cleave_code cleave_train(cleave_context *context, const char *method, cleave_data *data, cleave_data *valid,
                         const cleave_options *options, cleave_model **model, cleave_report **report,
                         cleave_error *error)
{
    return train_method(context, method, NULL, data, valid, options, NULL, model, report, error);
}

cleave_code cleave_train_from(const cleave_model *from, cleave_data *data, cleave_data *valid,
                              const cleave_options *options, cleave_model **model, cleave_report **report,
                              cleave_error *error)
{
    return train_method(from->context, from->method->name, from, data, valid, options, NULL, model, report, error);
}

cleave_code cleave_trace(cleave_context *context, const char *method, cleave_data *data, const cleave_options *options,
                         cleave_trace_callback callback, void *user, cleave_model **model, cleave_report **report,
                         cleave_error *error)
{
    Tracer tracer = {.event = callback, .user = user};
    cleave_model *traced = NULL;
    Status status = train_method(context, method, NULL, data, NULL, options, &tracer, &traced, report, error);

    if (model)
        *model = traced;
    else
        cleave_model_free(traced);
    return status;
}

cleave_code cleave_save(const cleave_model *model, const char *path, cleave_error *error)
{
    return clv_model_save(model, path, error);
}

cleave_code cleave_load(cleave_context *context, const char *path, cleave_model **model, cleave_error *error)
{
    return clv_model_load(context, path, model, error);
}
