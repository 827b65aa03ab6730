/*
 * Layout: a header of 64 bytes, a directory, the arrays.
 *
 *      0  magic            8 bytes
 *      8  format version   u32
 *     12  items            u32
 *     16  size in all      u64
 *     24  checksum         u64, XXH64 of everything from byte 64 on, seeded with the three numbers
 *                          before
 *     32  writer           16 bytes, the version of cleave as text
 *     48  zeros            16 bytes
 *     64  per item: type u32, name length u32, count u64, offset u64, name, zeros up to a multiple
 *         of 8
 *      …  arrays, each on a multiple of 64, zeros between
 */
#include "base/bundle.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>

enum {
    HEADER_SIZE = BUNDLE_START,
    ALIGNMENT = 64,
    ENTRY_SIZE = 24,
    MOST_ITEMS = 4096,
    LONGEST_NAME = 255
};

static size_t element_size(BundleType type)
{
    switch (type) {
    case BUNDLE_BYTES:
        return 1;
    case BUNDLE_U32:
    case BUNDLE_F32:
        return 4;
    case BUNDLE_U64:
    case BUNDLE_F64:
        return 8;
    }
    return 0;
}

Status clv_bundle_new(Context *context, Bundle **bundle, cleave_error *error)
{
    TRY(ALLOC_ZERO(context, *bundle, 1, "a bundle", error));
    (*bundle)->context = context;
    return OK;
}

static void free_data(Bundle *bundle, BundleItem *item)
{
    if (item->owned)
        clv_free(bundle->context, (void *)(uintptr_t)item->data);
    item->data = NULL;
    item->owned = false;
}

void clv_bundle_free(Bundle *bundle)
{
    if (!bundle)
        return;
    for (size_t i = 0; i < bundle->count; i++) {
        free_data(bundle, &bundle->item[i]);
        clv_free(bundle->context, bundle->item[i].name);
    }
    FREE(bundle->context, bundle->item, bundle);
}

static BundleItem *find(const Bundle *bundle, const char *name)
{
    for (size_t i = 0; i < bundle->count; i++)
        if (bundle->item[i].name[0] == name[0] && strcmp(bundle->item[i].name, name) == 0)
            return &bundle->item[i];
    return NULL;
}

static Status add_item(Bundle *bundle, const char *name, size_t length, BundleItem **item,
                       cleave_error *error)
{
    char *copy;

    TRY(GROW(bundle->context, bundle->item, bundle->capacity, bundle->count + 1, error));
    copy = clv_copy_string(bundle->context, name, length);
    if (!copy)
        return clv_fail_memory(error, "a name", length);
    *item = &bundle->item[bundle->count++];
    **item = (BundleItem){.name = copy};
    return OK;
}

/* Adds the item, or replaces an item with the same name. */
static Status set_item(Bundle *bundle, const char *name, BundleItem value, cleave_error *error)
{
    BundleItem *item = find(bundle, name);

    if (!item)
        TRY(add_item(bundle, name, strlen(name), &item, error));
    free_data(bundle, item);
    value.name = item->name;
    *item = value;
    return OK;
}

Status clv_bundle_borrow(Bundle *bundle, const char *name, BundleType type, const void *data,
                         uint64_t count, cleave_error *error)
{
    return set_item(bundle, name, (BundleItem){.type = type, .count = count, .data = data}, error);
}

Status clv_bundle_take(Bundle *bundle, const char *name, BundleType type, void *data,
                       uint64_t count, cleave_error *error)
{
    BundleItem value = {.type = type, .count = count, .data = data, .owned = true};
    Status status = set_item(bundle, name, value, error);

    if (status != OK)
        clv_free(bundle->context, data);
    return status;
}

Status clv_bundle_take_each(Bundle *bundle, const BundleArray *array, size_t count,
                            cleave_error *error)
{
    Status status = OK;

    for (size_t i = 0; i < count; i++)
        if (status == OK)
            status = clv_bundle_take(bundle, array[i].name, array[i].type, array[i].data,
                                     array[i].count, error);
        else
            clv_free(bundle->context, array[i].data);
    return status;
}

Status clv_bundle_put(Bundle *bundle, const char *name, BundleType type, const void *data,
                      uint64_t count, cleave_error *error)
{
    size_t size = element_size(type) * (size_t)count;
    void *copy = clv_alloc(bundle->context, (size_t)count, element_size(type));

    if (!copy)
        return clv_fail_memory(error, name, size);
    clv_copy_bytes(bundle->context, copy, data, size);
    return clv_bundle_take(bundle, name, type, copy, count, error);
}

Status clv_bundle_put_text(Bundle *bundle, const char *name, const char *text, cleave_error *error)
{
    return clv_bundle_put(bundle, name, BUNDLE_BYTES, text, strlen(text) + 1, error);
}

Status clv_bundle_put_number(Bundle *bundle, const char *name, uint64_t number, cleave_error *error)
{
    return clv_bundle_put(bundle, name, BUNDLE_U64, &number, 1, error);
}

const BundleItem *clv_bundle_get(const Bundle *bundle, const char *name, BundleType type)
{
    const BundleItem *item = find(bundle, name);

    return item && item->type == type ? item : NULL;
}

bool clv_bundle_finite(const BundleItem *item)
{
    for (uint64_t i = 0; i < item->count; i++)
        if (!isfinite(item->type == BUNDLE_F64 ? ((const double *)item->data)[i]
                                               : (double)((const float *)item->data)[i]))
            return false;
    return true;
}

bool clv_bundle_copy(const Bundle *bundle, const char *name, BundleType type, void *to,
                     uint64_t count)
{
    const BundleItem *item = clv_bundle_get(bundle, name, type);

    if (!item || item->count != count)
        return false;
    if (count)
        memcpy(to, item->data, (size_t)count * element_size(type));
    return true;
}

const char *clv_bundle_text(const Bundle *bundle, const char *name)
{
    const BundleItem *item = clv_bundle_get(bundle, name, BUNDLE_BYTES);
    const char *text = item ? item->data : NULL;

    return text && item->count > 0 && text[item->count - 1] == '\0' ? text : NULL;
}

bool clv_bundle_number(const Bundle *bundle, const char *name, uint64_t *number)
{
    const BundleItem *item = clv_bundle_get(bundle, name, BUNDLE_U64);

    if (!item || item->count != 1)
        return false;
    memcpy(number, item->data, sizeof *number);
    return true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void store32(char *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void store64(char *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static uint32_t load32(const char *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t load64(const char *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t align(uint64_t offset, uint64_t to)
{
    return (offset + to - 1) & ~(to - 1);
}

/* Seed of the checksum: the preceding numbers of the header. */
static uint64_t checksum_seed(const char *header)
{
    return load32(header + 8) ^ ((uint64_t)load32(header + 12) << 32) ^ (load64(header + 16) << 16);
}

static uint64_t data_size(const BundleItem *item)
{
    return item->count * element_size(item->type);
}

/* Start of the arrays, before alignment. */
static uint64_t directory_end(const Bundle *bundle)
{
    uint64_t offset = HEADER_SIZE;

    for (size_t i = 0; i < bundle->count; i++)
        offset += ENTRY_SIZE + align(strlen(bundle->item[i].name), 8);
    return offset;
}

static uint64_t whole_size(const Bundle *bundle)
{
    uint64_t offset = directory_end(bundle);

    for (size_t i = 0; i < bundle->count; i++)
        offset = align(offset, ALIGNMENT) + data_size(&bundle->item[i]);
    return align(offset, ALIGNMENT);
}

/* Adds zeros from position `at` up to a multiple of `to`. */
static Status emit_zeros(uint64_t at, uint64_t to, BundleEmit *emit, void *user,
                         cleave_error *error)
{
    static const char zeros[ALIGNMENT] = {0};
    uint64_t count = align(at, to) - at;

    return count ? emit(user, zeros, (size_t)count, error) : OK;
}

static Status emit_directory(const Bundle *bundle, BundleEmit *emit, void *user,
                             cleave_error *error)
{
    uint64_t offset = directory_end(bundle);

    for (size_t i = 0; i < bundle->count; i++) {
        const BundleItem *item = &bundle->item[i];
        size_t length = strlen(item->name);
        char entry[ENTRY_SIZE];

        offset = align(offset, ALIGNMENT);
        store32(entry, (uint32_t)item->type);
        store32(entry + 4, (uint32_t)length);
        store64(entry + 8, item->count);
        store64(entry + 16, offset);
        TRY(emit(user, entry, sizeof entry, error));
        TRY(emit(user, item->name, length, error));
        TRY(emit_zeros(length, 8, emit, user, error));
        offset += data_size(item);
    }
    return OK;
}

/* Emits all bytes after the header, which the checksum covers. */
static Status emit_body(const Bundle *bundle, BundleEmit *emit, void *user, cleave_error *error)
{
    uint64_t at = directory_end(bundle);

    TRY(emit_directory(bundle, emit, user, error));
    for (size_t i = 0; i < bundle->count; i++) {
        const BundleItem *item = &bundle->item[i];

        TRY(emit_zeros(at, ALIGNMENT, emit, user, error));
        if (item->count)
            TRY(emit(user, item->data, (size_t)data_size(item), error));
        at = align(at, ALIGNMENT) + data_size(item);
    }
    return emit_zeros(at, ALIGNMENT, emit, user, error);
}

static Status emit_to_hash(void *user, const void *bytes, size_t size, cleave_error *error)
{
    (void)error;
    clv_hash_add(user, bytes, size);
    return OK;
}

Status clv_bundle_emit(const Bundle *bundle, const char magic[8], uint32_t version,
                       BundleEmit *emit, void *user, cleave_error *error)
{
    char header[HEADER_SIZE] = {0};
    Hash hash;

    memcpy(header, magic, 8);
    store32(header + 8, version);
    store32(header + 12, (uint32_t)bundle->count);
    store64(header + 16, whole_size(bundle));
    clv_hash_start(&hash, checksum_seed(header));
    TRY(emit_body(bundle, emit_to_hash, &hash, error));
    store64(header + 24, clv_hash_end(&hash));
    snprintf(header + 32, 16, "%s", cleave_version());
    TRY(emit(user, header, sizeof header, error));
    return emit_body(bundle, emit, user, error);
}

typedef struct {
    Context *context;
    Buffer *buffer;
} BufferEnd;

static Status emit_to_buffer(void *user, const void *bytes, size_t size, cleave_error *error)
{
    BufferEnd *end = user;

    return clv_buffer_add(end->context, end->buffer, bytes, size, error);
}

Status clv_bundle_write(const Bundle *bundle, const char magic[8], uint32_t version, Buffer *buffer,
                        cleave_error *error)
{
    size_t size = (size_t)whole_size(bundle);
    BufferEnd end = {bundle->context, buffer};

    buffer->size = 0;
    if (buffer->capacity <
        size) { /* a new allocation, because growing would copy the old content */
        clv_free(bundle->context, buffer->data);
        *buffer = (Buffer){.data = clv_alloc(bundle->context, size, 1)};
        if (!buffer->data)
            return clv_fail_memory(error, "the bytes of a bundle", size);
        buffer->capacity = size;
    }
    return clv_bundle_emit(bundle, magic, version, emit_to_buffer, &end, error);
}

static Status damaged(const char *name, const char *what, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                         "create the file again, or restore it from an intact copy", "%s: %s", name,
                         what);
}

Status clv_bundle_start(const char *name, const char magic[8], uint32_t newest, const void *start,
                        size_t size, uint64_t *whole, cleave_error *error)
{
    const char *bytes = start;
    char writer[17] = {0}, quoted[QUOTE_SIZE];

    if (size < 8 || memcmp(bytes, magic, 8) != 0)
        return damaged(name, "this is a different kind of cleave file", error);
    if (size < HEADER_SIZE)
        return damaged(name, "the file is incomplete: it ends inside its header", error);
    memcpy(writer, bytes + 32, 16);
    if (load32(bytes + 8) > newest)
        return clv_fail_hint(
            error, CLEAVE_ERROR_FORMAT, "upgrade cleave on this machine",
            "%s: written by cleave %s in format %u; this is cleave %s, which reads up to %u", name,
            clv_quote(quoted, writer, strlen(writer)), load32(bytes + 8), cleave_version(), newest);
    *whole = load64(bytes + 16);
    return OK;
}

static Status check_header(const char *name, const char magic[8], uint32_t newest,
                           const char *bytes, size_t size, cleave_error *error)
{
    uint64_t whole;

    TRY(clv_bundle_start(name, magic, newest, bytes, size, &whole, error));
    if (whole > size)
        return clv_fail_hint(error, CLEAVE_ERROR_FORMAT, "restore it from an intact copy",
                             "%s: the file is incomplete: it has %zu of %llu bytes", name, size,
                             (unsigned long long)whole);
    if (whole != size)
        return damaged(name, "the length of the file differs from the length in its header", error);
    if (clv_hash(bytes + HEADER_SIZE, (size_t)size - HEADER_SIZE, checksum_seed(bytes)) !=
        load64(bytes + 24))
        return damaged(name, "the file is corrupt: its checksum does not match", error);
    return OK;
}

/* Reads one directory entry at *at; false if it is invalid. */
static bool read_entry(const char *bytes, uint64_t size, uint64_t *at, BundleItem *item,
                       uint32_t *name_length)
{
    uint64_t offset, width;

    if (size - *at < ENTRY_SIZE)
        return false;
    item->type = (BundleType)load32(bytes + *at);
    *name_length = load32(bytes + *at + 4);
    item->count = load64(bytes + *at + 8);
    offset = load64(bytes + *at + 16);
    width = element_size(item->type);
    *at += ENTRY_SIZE;
    if (width == 0 || *name_length == 0 || *name_length > LONGEST_NAME ||
        align(*name_length, 8) > size - *at)
        return false;
    if (offset % ALIGNMENT != 0 || offset > size || item->count > (size - offset) / width)
        return false;
    if (memchr(bytes + *at, '\0', *name_length))
        return false;
    item->data = bytes + offset;
    return true;
}

Status clv_bundle_parse(Context *context, const char *name, const char magic[8], uint32_t newest,
                        const void *bytes, size_t size, Bundle **bundle, uint32_t *version,
                        cleave_error *error)
{
    const char *start = bytes;
    uint64_t at = HEADER_SIZE;
    uint32_t count;

    TRY(check_header(name, magic, newest, start, size, error));
    *version = load32(start + 8);
    count = load32(start + 12);
    TRY(clv_bundle_new(context, bundle, error));
    for (uint32_t i = 0; i < count; i++) {
        BundleItem found, *item;
        uint32_t length = 0;
        Status status;

        if (count > MOST_ITEMS || !read_entry(start, size, &at, &found, &length)) {
            status = damaged(name, "the file is corrupt: its directory is invalid", error);
        } else {
            status = add_item(*bundle, start + at, length, &item, error);
            if (status == OK && find(*bundle, item->name) != item) {
                status = damaged(name, "the file is corrupt: its directory lists an entry twice",
                                 error);
            } else if (status == OK) {
                item->type = found.type;
                item->count = found.count;
                item->data = found.data;
                at += align(length, 8);
            }
        }
        if (status != OK) {
            clv_bundle_free(*bundle);
            *bundle = NULL;
            return status;
        }
    }
    return OK;
}
