/* Pipelines without a method, and rows of data as a matrix. */
#include "base/bundle.h"
#include "data/facts.h"
#include "data/remap.h"
#include "input/input.h"
#include "model/model.h"
#include "pipeline/pipeline.h"
#include "train/pipeline_fit.h"

struct cleave_pipeline {
    Context *context;
    Pipeline *pipeline;
    Bundle *bundle; /* bytes of a loaded pipeline, which contain its arrays; otherwise NULL */
    char *bytes;
};

static const char pipeline_magic[8] = "CLVPIPE";
enum { PIPELINE_FORMAT = 1 };

static Status fit(Pipeline *pipeline, cleave_data *data, uint64_t seed, cleave_error *error)
{
    Dataset *dataset;
    Source *source;
    Status status;

    TRY(clv_pipeline_weights(data->context, pipeline, error));
    /* Transforms allocate memory by the number of features, which CSR rows determine only at their
     * end. */
    TRY(clv_data_dataset(data, &dataset, error));
    TRY(clv_dataset_source(dataset, false, &source, error));
    status = clv_pipeline_learn(pipeline, source, seed, error);
    clv_source_close(source);
    return status;
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
    clv_bundle_free(pipeline->bundle);
    FREE(pipeline->context, pipeline->bytes, pipeline);
}

/* ---- bytes */

static Status put(const cleave_pipeline *pipeline, Bundle *bundle, cleave_error *error)
{
    Labels labels;
    Schema schema;
    Status status;

    clv_labels_init(&labels, pipeline->context);
    clv_schema_init(&schema, pipeline->context);
    status = clv_facts_put(bundle, &labels, clv_pipeline_outputs(pipeline->pipeline), &schema,
                           error);
    THEN(status, clv_bundle_put_number(bundle, "features",
                                       clv_pipeline_output_count(pipeline->pipeline), error));
    THEN(status, clv_pipeline_put(pipeline->pipeline, bundle, error));
    clv_labels_free(&labels);
    clv_schema_free(&schema);
    return status;
}

cleave_code cleave_pipeline_to_bytes(const cleave_pipeline *pipeline, void **bytes, size_t *size,
                                     cleave_error *error)
{
    REQUIRE(pipeline && bytes && size);
    Buffer buffer = {0};
    Bundle *bundle;
    Status status;

    *bytes = NULL;
    *size = 0;
    TRY(clv_bundle_new(pipeline->context, &bundle, error));
    status = put(pipeline, bundle, error);
    THEN(status, clv_bundle_write(bundle, pipeline_magic, PIPELINE_FORMAT, &buffer, error));
    clv_bundle_free(bundle);
    if (status != OK) {
        clv_free(pipeline->context, buffer.data);
        return status;
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return OK;
}

static Status get(cleave_pipeline *pipeline, size_t size, cleave_error *error)
{
    static const char name[] = "pipeline";
    Context *context = pipeline->context;
    uint32_t version;
    uint64_t features;
    Labels labels;
    Schema schema;
    Names names;
    Status status;

    TRY(clv_bundle_parse(context, name, pipeline_magic, PIPELINE_FORMAT, pipeline->bytes, size,
                         &pipeline->bundle, &version, error));
    if (!clv_bundle_number(pipeline->bundle, "features", &features) || features > MOST_FEATURES)
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "pipeline: the number of features is missing");
    clv_labels_init(&labels, context);
    clv_schema_init(&schema, context);
    clv_names_init(&names, context, false);
    status = clv_facts_get(pipeline->bundle, name, &labels, &names, &schema, error);
    THEN(status, clv_pipeline_get(context, pipeline->bundle, clv_pipeline_in(pipeline->bundle),
                                  name, &names, (uint32_t)features, &pipeline->pipeline, error));
    clv_labels_free(&labels);
    clv_schema_free(&schema);
    clv_names_free(&names);
    return status;
}

cleave_code cleave_pipeline_from_bytes(cleave_context *context, const void *bytes, size_t size,
                                       cleave_pipeline **pipeline, cleave_error *error)
{
    REQUIRE(context && (bytes || size == 0) && pipeline);
    cleave_pipeline *made;
    Status status;

    *pipeline = NULL;
    TRY(ALLOC_ZERO(context, made, 1, "a pipeline", error));
    made->context = context;
    made->bytes = clv_alloc(context, size + 1, 1);
    if (!made->bytes) {
        status = clv_fail_memory(error, "a pipeline", size);
    } else {
        memcpy(made->bytes, bytes ? bytes : "", size);
        status = get(made, size, error);
    }
    if (status == OK)
        *pipeline = made;
    else
        cleave_pipeline_free(made);
    return status;
}

bool cleave_pipeline_array(const cleave_pipeline *pipeline, size_t step, size_t number,
                           cleave_array *array)
{
    const Bundle *arrays;

    if (!pipeline || step >= clv_pipeline_steps(pipeline->pipeline))
        return false;
    arrays = clv_pipeline_step(pipeline->pipeline, step)->arrays;
    return number < arrays->count && clv_item_array(&arrays->item[number], array);
}

/* ---- application */

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

/* Counts the entries of all rows, and copies them to the arrays that are given. */
static Status walk_entries(cleave_data *data, uint64_t *row_starts, uint32_t *indexes,
                           float *values, uint64_t *entries, cleave_error *error)
{
    Dataset *dataset;

    *entries = 0;
    TRY(clv_data_dataset(data, &dataset, error));
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++) {
            if (row_starts)
                *row_starts++ = *entries;
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);) {
                if (walk.value == 0)
                    continue;
                if (indexes) {
                    indexes[*entries] = walk.column;
                    values[*entries] = walk.value;
                }
                ++*entries;
            }
        }
    }
    if (row_starts)
        *row_starts = *entries;
    return OK;
}

cleave_code cleave_data_entries(cleave_data *data, uint64_t *entries, cleave_error *error)
{
    REQUIRE(data && entries);
    return walk_entries(data, NULL, NULL, NULL, entries, error);
}

cleave_code cleave_data_copy_csr(cleave_data *data, uint64_t *row_starts, uint32_t *indexes,
                                 float *values, cleave_error *error)
{
    REQUIRE(data && row_starts && indexes && values);
    uint64_t entries;

    return walk_entries(data, row_starts, indexes, values, &entries, error);
}
