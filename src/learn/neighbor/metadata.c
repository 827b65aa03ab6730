#include "learn/neighbor/metadata.h"

static const char *const arrays[][2] = {
    {"id_ends", "id_text"},
    {"metadata_name_ends", "metadata_names"},
    {"metadata_ends", "metadata_text"},
};

static bool texts_of(const Bundle *bundle, const char *const names[2], Texts *texts)
{
    const BundleItem *end = clv_bundle_get(bundle, names[0], BUNDLE_U64),
                     *text = clv_bundle_get(bundle, names[1], BUNDLE_BYTES);

    *texts = (Texts){0};
    if (!end && !text)
        return true;
    if (!end || !text || end->count == 0 ||
        ((const uint64_t *)end->data)[end->count - 1] != text->count)
        return false;
    *texts = (Texts){.count = end->count, .end = end->data, .text = text->data};
    return true;
}

bool clv_metadata_of_model(const Model *model, Metadata *metadata)
{
    const Bundle *bundle = model->bundle;

    *metadata = (Metadata){.boxes = clv_bundle_text(bundle, "boxes")};
    if (!texts_of(bundle, arrays[0], &metadata->ids) ||
        !texts_of(bundle, arrays[1], &metadata->names) ||
        !texts_of(bundle, arrays[2], &metadata->cells))
        return false;
    if (!metadata->names.count)
        return metadata->cells.count == 0;
    metadata->rows = metadata->cells.count / metadata->names.count;
    return metadata->cells.count > 0 && metadata->cells.count % metadata->names.count == 0;
}

/* Whether the ends ascend, and every text ends with a NUL. */
static bool texts_check(const Texts *texts)
{
    uint64_t start = 0, size = texts->count ? texts->end[texts->count - 1] : 0;

    for (uint64_t i = 0; i < texts->count; i++) {
        if (texts->end[i] <= start || texts->end[i] > size || texts->text[texts->end[i] - 1])
            return false;
        start = texts->end[i];
    }
    return true;
}

bool clv_metadata_check(const Metadata *metadata)
{
    return texts_check(&metadata->ids) && texts_check(&metadata->names) &&
           texts_check(&metadata->cells);
}

uint64_t clv_metadata_find(const Metadata *metadata, const char *name, size_t length)
{
    uint64_t i = 0;

    for (; i < metadata->names.count; i++) {
        const char *own = texts_get(&metadata->names, i);

        if (strlen(own) == length && memcmp(own, name, length) == 0)
            break;
    }
    return i;
}

Status clv_metadata_copy(const Bundle *from, Bundle *to, cleave_error *error)
{
    const char *boxes = clv_bundle_text(from, "boxes");

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const BundleItem *end = clv_bundle_get(from, arrays[i][0], BUNDLE_U64),
                         *text = clv_bundle_get(from, arrays[i][1], BUNDLE_BYTES);

        if (!end || !text)
            continue;
        TRY(clv_bundle_put(to, arrays[i][0], BUNDLE_U64, end->data, end->count, error));
        TRY(clv_bundle_put(to, arrays[i][1], BUNDLE_BYTES, text->data, text->count, error));
    }
    return boxes ? clv_bundle_put_text(to, "boxes", boxes, error) : OK;
}
