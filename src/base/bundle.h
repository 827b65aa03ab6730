/*
 * A bundle stores key-value pairs and named arrays as self-describing, checksummed bytes. Models
 * are bundles, as is the footer of a dataset. Layout, little-endian, every array on a 64-byte
 * boundary: docs/formats/bundle.md.
 */
#ifndef BASE_BUNDLE_H
#define BASE_BUNDLE_H

#include "base/memory.h"

typedef enum { BUNDLE_BYTES = 1, BUNDLE_U32, BUNDLE_U64, BUNDLE_F32, BUNDLE_F64 } BundleType;

typedef struct {
    char *name;
    BundleType type;
    uint64_t count; /* number of elements */
    const void *data;
    bool owned; /* the bundle owns data and frees it; otherwise data outlives the bundle */
} BundleItem;

typedef struct {
    Context *context;
    size_t count, capacity;
    BundleItem *item;
} Bundle;

Status clv_bundle_new(Context *context, Bundle **bundle, cleave_error *error);
void clv_bundle_free(Bundle *bundle);

/* Copies the data. An item with the same name is replaced; this also holds for the functions
 * below. */
Status clv_bundle_put(Bundle *bundle, const char *name, BundleType type, const void *data,
                      uint64_t count, cleave_error *error);
Status clv_bundle_put_text(Bundle *bundle, const char *name, const char *text, cleave_error *error);
Status clv_bundle_put_number(Bundle *bundle, const char *name, uint64_t number,
                             cleave_error *error);

/* Stores a pointer to the data, which must not change or be freed while the bundle exists. */
Status clv_bundle_borrow(Bundle *bundle, const char *name, BundleType type, const void *data,
                         uint64_t count, cleave_error *error);
/* Takes ownership of the data, from clv_alloc of the bundle's context; frees it on failure. */
Status clv_bundle_take(Bundle *bundle, const char *name, BundleType type, void *data,
                       uint64_t count, cleave_error *error);

/* Adds several arrays. On failure the remaining arrays are freed. */
typedef struct {
    const char *name;
    BundleType type;
    void *data;
    uint64_t count;
} BundleArray;
Status clv_bundle_take_each(Bundle *bundle, const BundleArray *array, size_t count,
                            cleave_error *error);
#define TAKE_ARRAYS(bundle, error, ...)                                                            \
    clv_bundle_take_each((bundle), (BundleArray[]){__VA_ARGS__},                                   \
                         sizeof((BundleArray[]){__VA_ARGS__}) / sizeof(BundleArray), (error))

/* Returns NULL if no item has that name and type. */
const BundleItem *clv_bundle_get(const Bundle *bundle, const char *name, BundleType type);
/* Copies an array of that name and type if it has `count` elements; otherwise returns false. */
bool clv_bundle_copy(const Bundle *bundle, const char *name, BundleType type, void *to,
                     uint64_t count);
/* Returns whether all numbers of an array of floats or doubles are finite. */
bool clv_bundle_finite(const BundleItem *item);
/* Returns NULL unless the item exists and ends with a NUL. */
const char *clv_bundle_text(const Bundle *bundle, const char *name);
bool clv_bundle_number(const Bundle *bundle, const char *name, uint64_t *number);

/* Functions that convert to bytes and back. magic: 8 bytes that identify the kind of file. version:
 * the version of the format. After parsing, the items point into the bytes, which must outlive the
 * bundle. name: begins messages. */

/* Passes the bytes to emit in pieces, in order, without copying the arrays: the bundle is traversed
 * twice, first for the checksum. Returns the first error of emit. */
typedef Status BundleEmit(void *user, const void *bytes, size_t size, cleave_error *error);
Status clv_bundle_emit(const Bundle *bundle, const char magic[8], uint32_t version,
                       BundleEmit *emit, void *user, cleave_error *error);
/* Replaces the content of buffer and allocates exactly the needed size. */
Status clv_bundle_write(const Bundle *bundle, const char magic[8], uint32_t version, Buffer *buffer,
                        cleave_error *error);
/* Reads the first BUNDLE_START bytes of a file: returns the size of the file. Fails if the file is
 * not such a bundle. */
enum { BUNDLE_START = 64 };
Status clv_bundle_start(const char *name, const char magic[8], uint32_t newest, const void *bytes,
                        size_t size, uint64_t *whole, cleave_error *error);
Status clv_bundle_parse(Context *context, const char *name, const char magic[8], uint32_t newest,
                        const void *bytes, size_t size, Bundle **bundle, uint32_t *version,
                        cleave_error *error);

#endif
