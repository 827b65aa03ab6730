#include "model/sparse_array.h"

#include "base/machine.h"

#include <math.h>
#include <stdio.h>

enum {
    NAME_SIZE = 64,
    FEWEST = 1 << 16,
    SMALLER = 4,
    MOST_PER_VALUE = 4096,
    FREE_BYTES = 64 << 20
};

static size_t size_of(BundleType type)
{
    return type == BUNDLE_F64 ? sizeof(double) : sizeof(float);
}

static bool is_zero(const char *element, size_t size)
{
    static const char zeros[sizeof(double)];

    return memcmp(element, zeros, size) == 0;
}

/* Sizes in bytes of the sparse arrays of a bundle, as stored and in memory. Sums of manipulated
 * counts may exceed 64 bits. */
typedef struct {
    double stored, expanded;
} Unpacked;

static bool is_sparse(const BundleItem *item)
{
    return strncmp(item->name, SPARSE_PREFIX, strlen(SPARSE_PREFIX)) == 0 &&
           item->type == BUNDLE_U64;
}

/* Finds the values that belong to the positions of a sparse array; NULL: the bundle has none. */
static const BundleItem *values_of(const Bundle *bundle, const BundleItem *places)
{
    const BundleItem *values;
    char name[NAME_SIZE];

    snprintf(name, sizeof name, "%s.value", places->name);
    values = clv_bundle_get(bundle, name, BUNDLE_F32);
    return values ? values : clv_bundle_get(bundle, name, BUNDLE_F64);
}

static Unpacked expansion_of(const Bundle *bundle)
{
    Unpacked sum = {0};

    for (size_t i = 0; i < bundle->count; i++) {
        const BundleItem *places = &bundle->item[i], *values;

        values = is_sparse(places) && places->count ? values_of(bundle, places) : NULL;
        if (!values)
            continue;
        sum.stored += (double)values->count * (double)size_of(values->type);
        sum.expanded += (double)*(const uint64_t *)places->data * (double)size_of(values->type);
    }
    return sum;
}

static bool is_in_budget(Unpacked sum)
{
    return sum.expanded <= sum.stored * MOST_PER_VALUE + FREE_BYTES;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Counts the elements that are not 0. Returns `count` if they are too many, or if another sparse
 * array would exceed the budget of the model. */
static uint64_t count_values(const Bundle *bundle, const BundleItem *item)
{
    size_t size = size_of(item->type);
    Unpacked sum = expansion_of(bundle);
    uint64_t most = item->count * size / SMALLER / (sizeof(uint64_t) + size), found = 0;

    for (uint64_t i = 0; i < item->count && found <= most; i++)
        found += !is_zero((const char *)item->data + i * size, size);
    sum.stored += (double)(found * size);
    sum.expanded += (double)(item->count * size);
    return found <= most && is_in_budget(sum) ? found : item->count;
}

static Status put_values(Bundle *bundle, const BundleItem *item, uint64_t values,
                         cleave_error *error)
{
    size_t size = size_of(item->type);
    uint64_t *place = clv_alloc(bundle->context, values + 1, sizeof *place), at = 0;
    char *value = clv_alloc(bundle->context, values + 1, size), name[NAME_SIZE];
    Status status;

    if (!place || !value) {
        FREE(bundle->context, place, value);
        return clv_fail_memory(error, "an array of the model", values * (sizeof *place + size));
    }
    place[0] = item->count;
    for (uint64_t i = 0; i < item->count; i++) {
        const char *element = (const char *)item->data + i * size;

        if (is_zero(element, size))
            continue;
        memcpy(value + at * size, element, size);
        place[++at] = i;
    }
    snprintf(name, sizeof name, SPARSE_PREFIX "%s", item->name);
    status = clv_bundle_take(bundle, name, BUNDLE_U64, place, values + 1, error);
    snprintf(name, sizeof name, SPARSE_PREFIX "%s.value", item->name);
    if (status != OK) {
        clv_free(bundle->context, value);
        return status;
    }
    return clv_bundle_take(bundle, name, item->type, value, values, error);
}

Status clv_sparse_put(Bundle *bundle, const BundleItem *item, cleave_error *error)
{
    bool may = (item->type == BUNDLE_F32 || item->type == BUNDLE_F64) && item->count >= FEWEST &&
               strlen(item->name) + sizeof SPARSE_PREFIX ".value" <= NAME_SIZE;
    uint64_t values = may ? count_values(bundle, item) : item->count;

    if (values < item->count)
        return put_values(bundle, item, values, error);
    return clv_bundle_borrow(bundle, item->name, item->type, item->data, item->count, error);
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status get_values(Bundle *bundle, const char *name, const BundleItem *places,
                         const BundleItem *values, cleave_error *error)
{
    const uint64_t *place = (const uint64_t *)places->data + 1;
    uint64_t count = place[-1];
    size_t size = size_of(values->type);
    char *whole;

    if (values->count + 1 != places->count)
        return CLEAVE_ERROR_FORMAT;
    for (uint64_t i = 0; i < values->count; i++)
        if (place[i] >= count || (i > 0 && place[i] <= place[i - 1]))
            return CLEAVE_ERROR_FORMAT;
    TRY(clv_new(bundle->context, &whole, count, size, true, "an array of the model", error));
    for (uint64_t i = 0; i < values->count; i++)
        memcpy(whole + place[i] * size, (const char *)values->data + i * size, size);
    return clv_bundle_take(bundle, name, values->type, whole, count, error);
}

/* Checks the budget. Arrays of a manipulated file may share bytes. */
static Status check_budget(const Bundle *bundle, const char *path, size_t size, cleave_error *error)
{
    Unpacked sum = expansion_of(bundle);

    sum.stored = fmin(sum.stored, (double)size);
    if (is_in_budget(sum))
        return clv_affordable(sum.expanded, error, "the numbers of the model");
    return clv_fail_hint(error, CLEAVE_ERROR_MEMORY,
                         "do not use this file: cleave does not write such models",
                         "%s: the sparse arrays of the model expand from %.0f bytes to %.1f GB",
                         path, sum.stored, 1e-9 * sum.expanded);
}

Status clv_sparse_get(Bundle *bundle, const char *path, size_t size, cleave_error *error)
{
    size_t count = bundle->count;

    TRY(check_budget(bundle, path, size, error));
    for (size_t i = 0; i < count; i++) {
        const BundleItem places = bundle->item[i], *values;
        const char *name = places.name + strlen(SPARSE_PREFIX);

        if (!is_sparse(&places))
            continue;
        values = values_of(bundle, &places);
        if (!values || places.count == 0 || clv_bundle_get(bundle, name, values->type))
            return CLEAVE_ERROR_FORMAT;
        TRY(get_values(bundle, name, &places, values, error));
    }
    return OK;
}
