/* A source transformed by a pipeline. */
#include "pipeline/pipeline.h"

typedef struct {
    Source source;
    Source *inner;
    bool own;
    Pipeline *pipeline;
    RowWorkspace workspace;
    Builder builder;
    Block block;
} TransformedSource;

/* Adds the names of new columns, if columns are unchanged. */
static Status follow_names(TransformedSource *self, cleave_error *error)
{
    const Names *from = &self->inner->names;
    Names *to = &self->source.names;

    if (!clv_pipeline_any_column(self->pipeline))
        return OK;
    to->implicit = from->implicit;
    to->first = from->first;
    for (uint32_t i = to->count; i < from->count; i++) {
        uint32_t column;

        TRY(clv_names_add(to, from->text.data + from->offset[i], clv_names_length(from, i), &column,
                          error));
    }
    self->source.features = self->inner->features;
    return OK;
}

static Status next_block(Source *source, const Block **result, cleave_error *error)
{
    TransformedSource *self = (TransformedSource *)source;
    const Block *block;

    *result = NULL;
    TRY(source_next(self->inner, &block, error));
    source->bytes = self->inner->bytes;
    source->bytes_total = self->inner->bytes_total;
    source->unseen = self->inner->unseen;
    source->unseen_column = self->inner->unseen_column;
    if (!block)
        return OK;
    TRY(clv_labels_copy(&self->source.labels, &self->inner->labels, error));
    TRY(follow_names(self, error));
    TRY(clv_pipeline_block(self->pipeline, &self->workspace, block, &self->builder, &self->block,
                           error));
    source->rows += block->rows;
    *result = &self->block;
    return OK;
}

static Status rewind_source(Source *source, cleave_error *error)
{
    return clv_source_rewind(((TransformedSource *)source)->inner, error);
}

static void close_source(Source *source)
{
    TransformedSource *self = (TransformedSource *)source;

    if (self->own)
        clv_source_close(self->inner);
    clv_pipeline_release(self->pipeline);
    clv_workspace_free(&self->workspace);
    clv_builder_free(&self->builder);
}

static const SourceOps ops = {.next = next_block, .rewind = rewind_source, .close = close_source};

Status clv_pipeline_source(const Pipeline *pipeline, Source *inner, bool own, Source **made,
                           cleave_error *error)
{
    Context *context = inner->context;
    TransformedSource *self = clv_alloc_zero(context, 1, sizeof *self);
    Status status;

    *made = NULL;
    if (!self) {
        if (own)
            clv_source_close(inner);
        return clv_fail_memory(error, "a source", sizeof *self);
    }
    clv_source_init(&self->source, context, &ops);
    clv_builder_init(&self->builder, context);
    self->workspace.context = context;
    self->inner = inner;
    self->own = own;
    self->pipeline = clv_pipeline_keep(pipeline);
    self->source.rows_total = inner->rows_total;
    self->source.bytes_total = inner->bytes_total;
    self->source.shuffled = inner->shuffled;
    self->source.features = clv_pipeline_output_count(pipeline);
    status = clv_names_copy(&self->source.names, clv_pipeline_outputs(pipeline), error);
    THEN(status, clv_schema_copy(&self->source.schema, &inner->schema, error));
    THEN(status, clv_labels_copy(&self->source.labels, &self->inner->labels, error));
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    *made = &self->source;
    return OK;
}
