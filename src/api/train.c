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

static Status train_with(Context *context, const Method *method, cleave_data *data, cleave_data *valid,
                         const cleave_options *options, void *method_options, const Tracer *tracer, Model **model,
                         Report **report, cleave_error *error)
{
    RunOptions run;
    Dataset *dataset, *held_out = NULL;
    Status status;

    TRY(clv_params_apply(options, clv_run_params, &run, method->params, method_options, error));
    TRY(clv_train_check(method, method_options, &run, valid != NULL, error));
    TRY(clv_data_dataset(data, &dataset, error));
    if (valid)
        TRY(load_valid(context, valid, dataset, &held_out, error));
    status = clv_train(context, method, method_options, &run, dataset, held_out, tracer, model, report, error);
    clv_dataset_free(held_out);
    return status;
}

static Status train_method(Context *context, const char *name, cleave_data *data, cleave_data *valid,
                           const cleave_options *options, const Tracer *tracer, Model **model, cleave_report **facts,
                           cleave_error *error)
{
    const Method *method;
    Report *report = NULL;
    void *method_options;
    Status status;

    *model = NULL;
    if (facts)
        *facts = NULL;
    TRY(clv_method_find(name, &method, error));
    if (tracer && !method->look)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "'%s' has no updates to trace", name);
    method_options = clv_alloc_zero(context, 1, method->options_size);
    if (!method_options)
        return clv_fail_memory(error, "options", method->options_size);
    status = train_with(context, method, data, valid, options, method_options, tracer, model, &report, error);
    clv_free(context, method_options);
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
    return train_method(context, method, data, valid, options, NULL, model, report, error);
}

cleave_code cleave_trace(cleave_context *context, const char *method, cleave_data *data, const cleave_options *options,
                         cleave_trace_callback callback, void *user, cleave_model **model, cleave_report **report,
                         cleave_error *error)
{
    Tracer tracer = {.event = callback, .user = user};
    cleave_model *traced = NULL;
    Status status = train_method(context, method, data, NULL, options, &tracer, &traced, report, error);

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
