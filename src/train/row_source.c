#include "train/row_source.h"

#define CALIBRATION_SHARE 0.1

typedef struct {
    Source source;
    Traversal traversal;
    bool begun;
} TraversedRows;

double clv_run_holdout(const RunOptions *options, bool has_valid)
{
    if (has_valid)
        return 0;
    return options->calibrate && options->validation_fraction == 0 ? CALIBRATION_SHARE
                                                                   : options->validation_fraction;
}

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    TraversedRows *self = (TraversedRows *)source;

    *block = NULL;
    if (!self->begun)
        TRY(clv_traversal_begin(&self->traversal, 0, error));
    self->begun = true;
    TRY(clv_traversal_next(&self->traversal, block, error));
    if (*block)
        source->rows += (*block)->rows;
    return OK;
}

static Status rewind_rows(Source *source, cleave_error *error)
{
    (void)error;
    ((TraversedRows *)source)->begun = false;
    return OK;
}

static void close_rows(Source *source)
{
    clv_traversal_free(&((TraversedRows *)source)->traversal);
}

static const SourceOps ops = {.next = next_block, .rewind = rewind_rows, .close = close_rows};

static Status describe(Source *source, const Dataset *dataset, cleave_error *error)
{
    source->features = dataset->features;
    source->rows_total = dataset->rows;
    TRY(clv_labels_copy(&source->labels, &dataset->labels, error));
    TRY(clv_names_copy(&source->names, &dataset->names, error));
    return clv_schema_copy(&source->schema, &dataset->schema, error);
}

Status clv_rows_source(Dataset *dataset, uint64_t seed, double held_out, Source **source,
                       cleave_error *error)
{
    TraversedRows *self;
    Status status;

    *source = NULL;
    TRY(ALLOC_ZERO(dataset->context, self, 1, "a source", error));
    clv_source_init(&self->source, dataset->context, &ops);
    status = clv_traversal_init(&self->traversal, dataset, ORDER_FILE, seed, held_out, 1, error);
    THEN(status, describe(&self->source, dataset, error));
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    *source = &self->source;
    return OK;
}
