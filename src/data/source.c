#include "data/source.h"

void clv_source_init(Source *source, Context *context, const SourceOps *ops)
{
    *source = (Source){.context = context, .ops = ops};
    clv_labels_init(&source->labels, context);
    clv_names_init(&source->names, context, true);
    clv_schema_init(&source->schema, context);
}

Status clv_source_rewind(Source *source, cleave_error *error)
{
    if (!source->started)
        return OK;
    if (!source->ops->rewind) {
        clv_fail(error, CLEAVE_ERROR_IO, "this data can be read only once, and it has been");
        return clv_hint(error, CLEAVE_ERROR_IO, "save it to a file, or 'cleave convert - -o data.cleave' first");
    }
    TRY(source->ops->rewind(source, error));
    source->started = false;
    source->rows = 0;
    return OK;
}

void clv_source_close(Source *source)
{
    if (!source)
        return;
    source->ops->close(source);
    clv_labels_free(&source->labels);
    clv_names_free(&source->names);
    clv_schema_free(&source->schema);
    clv_free(source->context, source);
}
