#include "model/delta_bytes.h"

#include <math.h>

/* Flags in the header of a part. */
enum { WITH_GAPS = 1, AS_FLOATS = 2 };

/* ---- varints --------------------------------------------------------------------------------- */

Status clv_varint_put(Context *context, Buffer *bytes, uint64_t number, cleave_error *error)
{
    unsigned char coded[10];
    size_t size = 0;

    for (; number >= 128; number >>= 7)
        coded[size++] = (unsigned char)(number | 128);
    coded[size++] = (unsigned char)number;
    return clv_buffer_add(context, bytes, coded, size, error);
}

bool clv_varint_get(DeltaBytes *bytes, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 64 && bytes->at < bytes->end; shift += 7) {
        unsigned char byte = *bytes->at++;

        if (shift == 63 && byte > 1)
            return false;
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

/* ---- encoding -------------------------------------------------------------------------------- */

typedef struct {
    size_t count; /* number of values that are not 0 */
    uint64_t first, last;
    unsigned form;
} PartLook;

static PartLook look_at(const DeltaPart *part)
{
    PartLook look = {.form = AS_FLOATS};

    for (size_t i = 0; i < part->count; i++) {
        double value = part->value[i];

        if (value == 0)
            continue;
        if (look.count++ == 0)
            look.first = part->index[i];
        look.last = part->index[i];
        if (fabs(value) > 3e38 || (double)(float)value != value)
            look.form &= ~(unsigned)AS_FLOATS;
    }
    if (look.count && look.last - look.first != look.count - 1)
        look.form |= WITH_GAPS;
    return look;
}

static Status put_gaps(const DeltaPart *part, Context *context, Buffer *bytes, cleave_error *error)
{
    uint64_t next = 0;

    for (size_t i = 0; i < part->count; i++) {
        uint64_t gap = part->index[i] - next;

        if (part->value[i] == 0)
            continue;
        if (gap < 128 && bytes->size < bytes->capacity)
            bytes->data[bytes->size++] = (char)gap;
        else
            TRY(clv_varint_put(context, bytes, gap, error));
        next = part->index[i] + 1;
    }
    return OK;
}

static Status put_values(const DeltaPart *part, const PartLook *look, Context *context,
                         Buffer *bytes, cleave_error *error)
{
    size_t width = look->form & AS_FLOATS ? sizeof(float) : sizeof(double);
    char *at;

    TRY(GROW(context, bytes->data, bytes->capacity, bytes->size + width * look->count, error));
    at = bytes->data + bytes->size;
    for (size_t i = 0; i < part->count; i++) {
        float narrow = width == sizeof narrow ? (float)part->value[i] : 0;

        if (part->value[i] == 0)
            continue;
        memcpy(at, width == sizeof narrow ? (const void *)&narrow : (const void *)&part->value[i],
               width);
        at += width;
    }
    bytes->size += width * look->count;
    return OK;
}

static Status put_part(const DeltaPart *part, Context *context, Buffer *bytes, cleave_error *error)
{
    PartLook look = look_at(part);
    size_t length = strlen(part->name);

    TRY(clv_varint_put(context, bytes, length, error));
    TRY(clv_buffer_add(context, bytes, part->name, length, error));
    TRY(clv_varint_put(context, bytes, look.count, error));
    TRY(clv_varint_put(context, bytes, look.form, error));
    if (look.form & WITH_GAPS)
        TRY(put_gaps(part, context, bytes, error));
    else
        TRY(clv_varint_put(context, bytes, look.first, error));
    return put_values(part, &look, context, bytes, error);
}

Status clv_delta_to_bytes(const Delta *delta, Context *context, Buffer *bytes, cleave_error *error)
{
    TRY(clv_varint_put(context, bytes, delta->parts, error));
    for (size_t i = 0; i < delta->parts; i++)
        TRY(put_part(&delta->part[i], context, bytes, error));
    return OK;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static Status nonsense(cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT, "run the same version of cleave on every rank",
                         "a received update is invalid");
}

static bool get_indexes(DeltaBytes *bytes, DeltaPart *part, uint64_t form)
{
    uint64_t next = 0, gap;

    if (!(form & WITH_GAPS)) {
        if (!clv_varint_get(bytes, &next) || next > UINT64_MAX - part->count)
            return false;
        for (size_t i = 0; i < part->count; i++)
            part->index[i] = next + i;
        return true;
    }
    for (size_t i = 0; i < part->count; i++) {
        if (!clv_varint_get(bytes, &gap) || gap >= UINT64_MAX - next)
            return false;
        part->index[i] = next + gap;
        next = part->index[i] + 1;
    }
    return true;
}

static bool get_values(DeltaBytes *bytes, DeltaPart *part, uint64_t form)
{
    size_t width = form & AS_FLOATS ? sizeof(float) : sizeof(double);

    if ((size_t)(bytes->end - bytes->at) / width < part->count)
        return false;
    for (size_t i = 0; i < part->count; i++, bytes->at += width) {
        float narrow;

        if (width == sizeof narrow) {
            memcpy(&narrow, bytes->at, width);
            part->value[i] = (double)narrow;
        } else {
            memcpy(&part->value[i], bytes->at, width);
        }
        if (!isfinite(part->value[i]))
            return false;
    }
    return true;
}

static Status get_part(DeltaBytes *bytes, Delta *delta, cleave_error *error)
{
    DeltaPart *part = &delta->part[delta->parts];
    uint64_t length, count, form;

    *part = (DeltaPart){0};
    if (!clv_varint_get(bytes, &length) || length == 0 || length >= DELTA_NAME ||
        length > (size_t)(bytes->end - bytes->at))
        return nonsense(error);
    memcpy(part->name, bytes->at, length);
    bytes->at += length;
    if (strlen(part->name) != length || clv_delta_part(delta, part->name))
        return nonsense(error);
    delta->parts++;
    if (!clv_varint_get(bytes, &count) || !clv_varint_get(bytes, &form) ||
        form > (WITH_GAPS | AS_FLOATS) || count > (size_t)(bytes->end - bytes->at))
        return nonsense(error);
    TRY(GROW(delta->context, part->index, part->index_capacity, count, error));
    TRY(GROW(delta->context, part->value, part->value_capacity, count, error));
    part->count = (size_t)count;
    return get_indexes(bytes, part, form) && get_values(bytes, part, form) ? OK : nonsense(error);
}

Status clv_delta_from_bytes(DeltaBytes *bytes, Delta *delta, cleave_error *error)
{
    uint64_t parts;

    if (!clv_varint_get(bytes, &parts) || parts > DELTA_PARTS || delta->parts)
        return nonsense(error);
    for (uint64_t i = 0; i < parts; i++)
        TRY(get_part(bytes, delta, error));
    return OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */

Status clv_delta_tree_to_bytes(const DeltaTree *tree, Buffer *bytes, cleave_error *error)
{
    TRY(clv_varint_put(tree->context, bytes, tree->nodes, error));
    for (size_t i = 0; i < tree->nodes; i++) {
        TRY(clv_varint_put(tree->context, bytes, tree->node[i].first, error));
        TRY(clv_varint_put(tree->context, bytes, tree->node[i].size, error));
        TRY(clv_delta_to_bytes(&tree->node[i].delta, tree->context, bytes, error));
    }
    return OK;
}

Status clv_delta_tree_from_bytes(DeltaTree *tree, const void *data, size_t size,
                                 cleave_error *error)
{
    DeltaBytes bytes = {.at = data, .end = (const unsigned char *)data + size};
    uint64_t nodes;

    if (!clv_varint_get(&bytes, &nodes))
        return nonsense(error);
    for (uint64_t i = 0; i < nodes; i++) {
        uint64_t first, pieces;
        Delta delta;
        Status status;

        if (!clv_varint_get(&bytes, &first) || !clv_varint_get(&bytes, &pieces) || pieces == 0 ||
            first >= tree->count || pieces > tree->count - first)
            return nonsense(error);
        clv_delta_init(&delta, tree->context);
        status = clv_delta_from_bytes(&bytes, &delta, error);
        THEN(status, clv_delta_tree_add(tree, (uint32_t)first, (uint32_t)pieces, &delta, error));
        clv_delta_free(&delta);
        TRY(status);
    }
    return bytes.at == bytes.end ? OK : nonsense(error);
}
