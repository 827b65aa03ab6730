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
    if (!source->ops->rewind)
        return clv_fail_hint(error, CLEAVE_ERROR_IO,
                             "save it to a file first, or run 'cleave convert - -o data.cleave'",
                             "the data can be read only once and was already read");
    TRY(source->ops->rewind(source, error));
    source->started = false;
    source->rows = source->weighted = 0;
    return OK;
}

static Status fail_count(const Source *source, const char *more, uint64_t rows, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "provide one weight per row, in the order of the rows",
                         "%s: %llu weights for %llu%s rows", source->weight_file,
                         (unsigned long long)source->weight_count, (unsigned long long)rows, more);
}

Status clv_source_weigh(Source *source, const Block **block, cleave_error *error)
{
    if (!*block)
        return source->weighted == source->weight_count
                   ? OK
                   : fail_count(source, "", source->weighted, error);
    if ((*block)->weight)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "omit --weights, or ignore the column with --columns NAME=ignore",
                             "--weights: the data already has a column of weights");
    if ((*block)->rows > source->weight_count - source->weighted)
        return fail_count(source, " or more", source->weighted + (*block)->rows, error);
    source->weighed = **block;
    source->weighed.weight = source->weights + source->weighted;
    source->weighted += (*block)->rows;
    *block = &source->weighed;
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
    FREE(source->context, source->weights, source);
}
