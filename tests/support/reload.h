/* Loads a saved model with one array replaced. The library itself refuses to save such damage. */
#ifndef TESTS_SUPPORT_RELOAD_H
#define TESTS_SUPPORT_RELOAD_H

#include "model/model.h"
#include "property/table.h"

/* Saves the model to memory, puts item into the bytes and loads them. The caller frees *loaded. */
static inline Status reload_with_item(const Model *model, const BundleItem *item, Model **loaded,
                                      cleave_error *error)
{
    Buffer bytes = {0}, changed = {0};
    Bundle *bundle;
    uint32_t version;
    Status status;

    *loaded = NULL;
    assert_fine(clv_model_to_bytes(model, &bytes, error), error);
    assert_fine(clv_bundle_parse(model->context, "file", "CLVMODEL", 1, bytes.data, bytes.size,
                                 &bundle, &version, error),
                error);
    assert_fine(clv_bundle_put(bundle, item->name, item->type, item->data, item->count, error),
                error);
    assert_fine(clv_bundle_write(bundle, "CLVMODEL", 1, &changed, error), error);
    status = clv_model_from_bytes(model->context, "file", changed.data, changed.size, loaded,
                                  error);
    clv_bundle_free(bundle);
    clv_free(model->context, bytes.data);
    clv_free(model->context, changed.data);
    return status;
}

#endif
