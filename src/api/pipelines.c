/* Pipelines without a method, and rows of data as a matrix. */
#include "data/remap.h"
#include "input/input.h"
#include "pipeline/pipeline.h"
#include "train/pipeline_fit.h"

struct cleave_pipeline {
    Context *context;
    Pipeline *pipeline;
};

static Status fit(Pipeline *pipeline, cleave_data *data, uint64_t seed, cleave_error *error)
{
    Source *source;

    TRY(clv_pipeline_weights(data->context, pipeline, error));
    TRY(clv_data_source(data, &source, error));
    return clv_pipeline_learn(pipeline, source, seed, error);
}

cleave_code cleave_pipeline_fit(cleave_context *context, const char *transform, cleave_data *data,
                                uint64_t seed, cleave_pipeline **pipeline, cleave_error *error)
{
    REQUIRE(context && transform && data && pipeline);
    Pipeline *fitted;
    Status status;

    *pipeline = NULL;
    TRY(clv_pipeline_parse(context, transform, &fitted, error));
    status = fit(fitted, data, seed, error);
    if (status == OK) {
        *pipeline = clv_alloc_zero(context, 1, sizeof **pipeline);
        if (!*pipeline)
            status = clv_fail_memory(error, "a pipeline", sizeof **pipeline);
    }
    if (status != OK) {
        clv_pipeline_release(fitted);
        return status;
    }
    **pipeline = (cleave_pipeline){.context = context, .pipeline = fitted};
    return OK;
}

void cleave_pipeline_free(cleave_pipeline *pipeline)
{
    if (!pipeline)
        return;
    clv_pipeline_release(pipeline->pipeline);
    clv_free(pipeline->context, pipeline);
}

/* Maps the columns of the source to the inputs by name, and applies the pipeline. */
static Status apply(const Pipeline *pipeline, Source *source, Dataset **dataset,
                    cleave_error *error)
{
    Source *inputs, *outputs;
    Status status;

    TRY(clv_remap_source(source, false, &source->labels, clv_pipeline_inputs(pipeline),
                         clv_pipeline_input_count(pipeline), &inputs, error));
    TRY(clv_pipeline_source(pipeline, inputs, true, &outputs, error));
    status = clv_dataset_load(outputs, dataset, error);
    clv_source_close(outputs);
    return status;
}

cleave_code cleave_pipeline_apply(const cleave_pipeline *pipeline, cleave_data *data,
                                  cleave_data **made, cleave_error *error)
{
    REQUIRE(pipeline && data && made);
    Source *source;
    Dataset *dataset;

    *made = NULL;
    TRY(clv_data_source(data, &source, error));
    TRY(apply(pipeline->pipeline, source, &dataset, error));
    TRY(clv_dataset_source(dataset, true, &source, error));
    return clv_open_source(pipeline->context, source, made, error);
}

cleave_code cleave_data_size(cleave_data *data, uint64_t *rows, uint64_t *features,
                             cleave_error *error)
{
    REQUIRE(data);
    Dataset *dataset;

    TRY(clv_data_dataset(data, &dataset, error));
    if (rows)
        *rows = dataset->rows;
    if (features)
        *features = dataset->features;
    return OK;
}

cleave_code cleave_data_copy(cleave_data *data, float *values, cleave_error *error)
{
    REQUIRE(data && values);
    Dataset *dataset;

    TRY(clv_data_dataset(data, &dataset, error));
    memset(values, 0, (size_t)dataset->rows * dataset->features * sizeof *values);
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++, values += dataset->features)
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
                values[walk.column] = walk.value;
    }
    return OK;
}
