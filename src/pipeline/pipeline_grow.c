/* Copies of a learned pipeline: with new columns, or for a stream that continues to learn. */
#include "pipeline/pipeline_parts.h"

bool clv_pipeline_admits(const Pipeline *pipeline, uint64_t df)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (!pipeline->step[i].transform->grow ||
            !pipeline->step[i].transform->admits(&pipeline->step[i], df))
            return false;
    return clv_names_same(&pipeline->inputs.names, &pipeline->outputs.names);
}

/* Makes a pipeline with the same steps, which are not fitted. */
static Status parse_again(const Pipeline *pipeline, Pipeline **same, cleave_error *error)
{
    Buffer text = {0};
    Status status = clv_pipeline_text(pipeline, &text, error);

    THEN(status, clv_pipeline_parse(pipeline->context, text.data, same, error));
    clv_free(pipeline->context, text.data);
    return status;
}

static Status grow_steps(const Pipeline *pipeline, const Growth *growth, Pipeline *grown,
                         cleave_error *error)
{
    for (size_t i = 0; i < pipeline->count; i++) {
        const Step *from = &pipeline->step[i];
        Step *step = &grown->step[i];

        step->inputs = from->inputs + growth->count;
        step->outputs = from->outputs + growth->count;
        step->error = error;
        TRY(from->transform->grow(from, growth, step));
        step->error = NULL;
        TRY(clv_step_make_ready(step, error));
    }
    return OK;
}

Status clv_pipeline_grow(const Pipeline *pipeline, const Growth *growth, const Names *names,
                         Pipeline **result, cleave_error *error)
{
    Pipeline *grown;
    Status status;

    *result = NULL;
    TRY(parse_again(pipeline, &grown, error));
    status = clv_names_copy(&grown->inputs.names, names, error);
    THEN(status, clv_names_copy(&grown->outputs.names, names, error));
    grown->inputs.count = pipeline->inputs.count + growth->count;
    grown->outputs.count = pipeline->outputs.count + growth->count;
    THEN(status, grow_steps(pipeline, growth, grown, error));
    if (status != OK) {
        clv_pipeline_release(grown);
        return status;
    }
    *result = grown;
    return OK;
}

static Status copy_step(const Step *from, uint32_t limit, Step *to, cleave_error *error)
{
    to->inputs = from->inputs;
    to->outputs = from->outputs;
    to->limit = limit;
    if (from->transform->record)
        TRY(from->transform->record(from, to->arrays, error));
    for (size_t i = 0; i < from->arrays->count && !from->transform->record; i++) {
        const BundleItem *item = &from->arrays->item[i];

        TRY(clv_bundle_put(to->arrays, item->name, item->type, item->data, item->count, error));
    }
    return clv_step_make_ready(to, error);
}

Status clv_pipeline_copy(const Pipeline *pipeline, uint32_t limit, Pipeline **result,
                         cleave_error *error)
{
    Pipeline *copy;
    Status status;

    *result = NULL;
    TRY(parse_again(pipeline, &copy, error));
    copy->any_column = pipeline->any_column;
    copy->inputs.count = pipeline->inputs.count;
    copy->outputs.count = pipeline->outputs.count;
    status = clv_names_copy(&copy->inputs.names, &pipeline->inputs.names, error);
    THEN(status, clv_names_copy(&copy->outputs.names, &pipeline->outputs.names, error));
    for (size_t i = 0; i < pipeline->count && status == OK; i++)
        status = copy_step(&pipeline->step[i], pipeline->any_column ? limit : NO_COLUMN,
                           &copy->step[i], error);
    if (status != OK) {
        clv_pipeline_release(copy);
        return status;
    }
    *result = copy;
    return OK;
}
