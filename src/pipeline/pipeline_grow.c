/* Extends a learned pipeline by new columns: the same stages with more inputs and outputs. */
#include "pipeline/pipeline_parts.h"

bool clv_pipeline_admits(const Pipeline *pipeline, uint64_t df)
{
    for (size_t i = 0; i < pipeline->count; i++)
        if (!pipeline->stage[i].transform->grow ||
            !pipeline->stage[i].transform->admits(&pipeline->stage[i], df))
            return false;
    return clv_names_same(&pipeline->inputs.names, &pipeline->outputs.names);
}

static Status grow_stages(const Pipeline *pipeline, const Growth *growth, Pipeline *grown,
                          cleave_error *error)
{
    for (size_t i = 0; i < pipeline->count; i++) {
        const Stage *from = &pipeline->stage[i];
        Stage *stage = &grown->stage[i];

        stage->inputs = from->inputs + growth->count;
        stage->outputs = from->outputs + growth->count;
        stage->error = error;
        TRY(from->transform->grow(from, growth, stage));
        stage->error = NULL;
        if (stage->transform->ready)
            TRY(stage->transform->ready(stage, error));
    }
    return OK;
}

Status clv_pipeline_grow(const Pipeline *pipeline, const Growth *growth, const Names *names,
                         Pipeline **result, cleave_error *error)
{
    Buffer text = {0};
    Pipeline *grown = NULL;
    Status status = clv_pipeline_text(pipeline, &text, error);

    *result = NULL;
    if (status == OK)
        status = clv_pipeline_parse(pipeline->context, text.data, &grown, error);
    clv_free(pipeline->context, text.data);
    TRY(status);
    status = clv_names_copy(&grown->inputs.names, names, error);
    if (status == OK)
        status = clv_names_copy(&grown->outputs.names, names, error);
    grown->inputs.count = pipeline->inputs.count + growth->count;
    grown->outputs.count = pipeline->outputs.count + growth->count;
    if (status == OK)
        status = grow_stages(pipeline, growth, grown, error);
    if (status != OK) {
        clv_pipeline_release(grown);
        return status;
    }
    *result = grown;
    return OK;
}
