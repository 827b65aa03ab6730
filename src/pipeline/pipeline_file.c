/*
 * A pipeline in a model file (docs/formats/model.md): its text, its input names, and the arrays of
 * each step.
 *
 *     t.recipe      "tfidf:min-df=2,select:by=chi2:top=20000"
 *     t.counts      number of inputs of each step, and of outputs of the last; 0 if arbitrary
 *     t.names       names of the inputs; absent if they equal the feature names
 *     t.first       number of the first column if inputs are numbered; default 1
 *     t.0.idf …     learned arrays of the steps
 */
#include "pipeline/pipeline_parts.h"

#include <stdio.h>

enum { ITEM_SIZE = 64 };

static Status put_inputs(const Pipeline *pipeline, Bundle *bundle, cleave_error *error)
{
    const Names *names = &pipeline->inputs.names;

    if (clv_names_same(names, &pipeline->outputs.names))
        return OK;
    if (names->implicit || names->first == 0)
        TRY(clv_bundle_put_number(bundle, "t.first", names->first, error));
    if (names->implicit)
        return OK;
    return clv_bundle_borrow(bundle, "t.names", BUNDLE_BYTES, names->text.data, names->text.size,
                             error);
}

static Status put_counts(const Pipeline *pipeline, Bundle *bundle, cleave_error *error)
{
    uint32_t *counts;
    Status status;

    TRY(ALLOC_ZERO(pipeline->context, counts, pipeline->count + 1, "a pipeline", error));
    for (size_t i = 0; i < pipeline->count && !pipeline->any_column; i++)
        counts[i] = pipeline->step[i].inputs;
    if (!pipeline->any_column)
        counts[pipeline->count] = pipeline->outputs.count;
    status = clv_bundle_put(bundle, "t.counts", BUNDLE_U32, counts, pipeline->count + 1, error);
    clv_free(pipeline->context, counts);
    return status;
}

Status clv_pipeline_put(const Pipeline *pipeline, Bundle *bundle, cleave_error *error)
{
    Buffer text = {0};
    Status status = clv_pipeline_text(pipeline, &text, error);

    THEN(status, clv_bundle_put_text(bundle, "t.recipe", text.data, error));
    clv_free(pipeline->context, text.data);
    TRY(status);
    TRY(put_counts(pipeline, bundle, error));
    TRY(put_inputs(pipeline, bundle, error));
    for (size_t i = 0; i < pipeline->count; i++) {
        const Bundle *arrays = pipeline->step[i].arrays;

        for (size_t j = 0; j < arrays->count; j++) {
            const BundleItem *item = &arrays->item[j];
            char name[ITEM_SIZE];

            snprintf(name, sizeof name, "t.%zu.%s", i, item->name);
            TRY(clv_bundle_borrow(bundle, name, item->type, item->data, item->count, error));
        }
    }
    return OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

const char *clv_pipeline_in(const Bundle *bundle)
{
    return clv_bundle_text(bundle, "t.recipe");
}

static Status fail_invalid(const char *file, const char *what, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                         "train the model again, or restore it from an intact copy",
                         "%s: the model is corrupt: its %s is invalid", file, what);
}

static Status get_inputs(Pipeline *pipeline, const Bundle *bundle, const char *file,
                         const Names *names, uint32_t count, cleave_error *error)
{
    const BundleItem *texts = clv_bundle_get(bundle, "t.names", BUNDLE_BYTES);
    Names *inputs = &pipeline->inputs.names;
    uint64_t first;

    pipeline->inputs.count = count;
    if (clv_bundle_number(bundle, "t.first", &first)) {
        inputs->first = (uint32_t)first;
        if (first > 1 || !texts)
            return first <= 1 ? OK : fail_invalid(file, "pipeline", error);
    }
    if (!texts)
        return clv_names_copy(inputs, names, error);
    inputs->implicit = false;
    for (const char *at = texts->data, *end = at + texts->count; at < end;) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        uint32_t column, before = inputs->count;

        if (!stop)
            return fail_invalid(file, "list of input names", error);
        TRY(clv_names_add(inputs, at, (size_t)(stop - at), &column, error));
        if (column != before)
            return fail_invalid(file, "list of input names", error);
        at = stop + 1;
    }
    return inputs->count == count ? OK : fail_invalid(file, "list of input names", error);
}

/* Reads the arrays, which the file owns. */
static Status get_arrays(Step *step, size_t number, const Bundle *bundle, cleave_error *error)
{
    char prefix[ITEM_SIZE];
    int length = snprintf(prefix, sizeof prefix, "t.%zu.", number);

    for (size_t i = 0; i < bundle->count; i++) {
        const BundleItem *item = &bundle->item[i];

        if (strncmp(item->name, prefix, (size_t)length) == 0)
            TRY(clv_bundle_borrow(step->arrays, item->name + length, item->type, item->data,
                                  item->count, error));
    }
    return OK;
}

static Status get_steps(Pipeline *pipeline, const Bundle *bundle, const char *file,
                        const uint32_t *counts, uint32_t features, cleave_error *error)
{
    for (size_t i = 0; i < pipeline->count; i++) {
        Step *step = &pipeline->step[i];

        step->inputs = counts[i];
        step->outputs = counts[i + 1];
        step->limit = pipeline->any_column ? features : counts[i + 1];
        TRY(get_arrays(step, i, bundle, error));
        if (!step->transform->columns && step->inputs != step->outputs)
            return fail_invalid(file, "pipeline", error);
        if (step->transform->ready) {
            Status status = step->transform->ready(step, error);

            if (status != OK)
                return status == CLEAVE_ERROR_FORMAT ? fail_invalid(file, "pipeline", error)
                                                     : status;
        }
    }
    return OK;
}

Status clv_pipeline_get(Context *context, const Bundle *bundle, const char *text, const char *file,
                        const Names *names, uint32_t features, Pipeline **result,
                        cleave_error *error)
{
    const BundleItem *counts = clv_bundle_get(bundle, "t.counts", BUNDLE_U32);
    const uint32_t *count = counts ? counts->data : NULL;
    Pipeline *pipeline;
    Status status;

    *result = NULL;
    if (!text || !counts || counts->count == 0)
        return fail_invalid(file, "pipeline", error);
    status = clv_pipeline_parse(context, text, &pipeline, error);
    if (status != OK)
        return status == CLEAVE_ERROR_MEMORY ? status : fail_invalid(file, "pipeline", error);
    pipeline->any_column = count[counts->count - 1] == 0 && count[0] == 0 &&
                           !clv_pipeline_looks_ahead(pipeline);
    status = counts->count == pipeline->count + 1 &&
                     (pipeline->any_column || count[pipeline->count] == features)
                 ? OK
                 : fail_invalid(file, "pipeline", error);
    THEN(status,
         get_inputs(pipeline, bundle, file, names, pipeline->any_column ? 0 : count[0], error));
    THEN(status, clv_names_copy(&pipeline->outputs.names, names, error));
    THEN(status, get_steps(pipeline, bundle, file, count, features, error));
    pipeline->outputs.count = pipeline->any_column ? 0 : features;
    if (status != OK) {
        clv_pipeline_release(pipeline);
        return status;
    }
    *result = pipeline;
    return OK;
}
