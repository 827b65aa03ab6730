/*
 * A bundle: key-values and named arrays as bytes, self-describing and checksummed. Models are bundles, and so is the last
 * part of a dataset. Layout, little-endian, every array on a 64-byte boundary: docs/formats/bundle.md.
 */
#ifndef BASE_BUNDLE_H
#define BASE_BUNDLE_H

#include "base/memory.h"

typedef enum { BUNDLE_BYTES = 1, BUNDLE_U32, BUNDLE_U64, BUNDLE_F32, BUNDLE_F64 } BundleType;

typedef struct {
    char *name;
    BundleType type;
    uint64_t count; /* elements */
    const void *data;
    bool owned; /* data is the bundle's to free; otherwise somebody else's, who outlives it */
} BundleItem;

typedef struct {
    Context *context;
    size_t count, capacity;
    BundleItem *item;
} Bundle;

Status clv_bundle_new(Context *context, Bundle **bundle, cleave_error *error);
void clv_bundle_free(Bundle *bundle);

/* Copies the data. A name that is there is replaced, here and in all below. */
Status clv_bundle_put(Bundle *bundle, const char *name, BundleType type, const void *data, uint64_t count,
                      cleave_error *error);
Status clv_bundle_put_text(Bundle *bundle, const char *name, const char *text, cleave_error *error);
Status clv_bundle_put_number(Bundle *bundle, const char *name, uint64_t number, cleave_error *error);
/* Many texts as one array of bytes, each with its NUL. */
Status clv_bundle_put_texts(Bundle *bundle, const char *name, const char *const *texts, size_t count,
                            cleave_error *error);

/* Points at the data, which must stay as it is for as long as the bundle lives and is not freed with it. */
Status clv_bundle_borrow(Bundle *bundle, const char *name, BundleType type, const void *data, uint64_t count,
                         cleave_error *error);
/* The data, from clv_alloc of the bundle's context, is the bundle's from here on; freed when this fails, too. */
Status clv_bundle_take(Bundle *bundle, const char *name, BundleType type, void *data, uint64_t count,
                       cleave_error *error);

/* The same for several arrays; those that are not reached are freed when one fails. */
typedef struct {
    const char *name;
    BundleType type;
    void *data;
    uint64_t count;
} BundleArray;
Status clv_bundle_take_each(Bundle *bundle, const BundleArray *array, size_t count, cleave_error *error);
#define TAKE_ARRAYS(bundle, error, ...)                                                                                \
    clv_bundle_take_each((bundle), (BundleArray[]){__VA_ARGS__},                                                       \
                         sizeof((BundleArray[]){__VA_ARGS__}) / sizeof(BundleArray), (error))

/* NULL when there is none of that name and type. */
const BundleItem *clv_bundle_get(const Bundle *bundle, const char *name, BundleType type);
/* Copies an array of that name and type, if it is there and has count elements; false otherwise. */
bool clv_bundle_copy(const Bundle *bundle, const char *name, BundleType type, void *to, uint64_t count);
/* Whether all numbers of an array of floats or doubles are finite. */
bool clv_bundle_finite(const BundleItem *item);
/* NULL unless it is there and ends with a NUL. */
const char *clv_bundle_text(const Bundle *bundle, const char *name);
bool clv_bundle_number(const Bundle *bundle, const char *name, uint64_t *number);

/* To bytes and back. magic is 8 bytes that tell kinds of file apart; version is the format's. After parse the items point
 * into bytes, which must outlive the bundle. Messages name name. */

/* Hands the bytes over in pieces, in order, with no copy of the arrays: the bundle is walked twice, first for the checksum.
 * What emit fails with is what this fails with. */
typedef Status BundleEmit(void *user, const void *bytes, size_t size, cleave_error *error);
Status clv_bundle_emit(const Bundle *bundle, const char magic[8], uint32_t version, BundleEmit *emit, void *user,
                       cleave_error *error);
/* Into buffer, in place of what it held, which takes just the room needed. */
Status clv_bundle_write(const Bundle *bundle, const char magic[8], uint32_t version, Buffer *buffer,
                        cleave_error *error);
/* Reads the first BUNDLE_START bytes of a file: its size, or an error if they are not the start
 * of such a bundle. */
enum { BUNDLE_START = 64 };
Status clv_bundle_start(const char *name, const char magic[8], uint32_t newest, const void *bytes, size_t size,
                        uint64_t *whole, cleave_error *error);
Status clv_bundle_parse(Context *context, const char *name, const char magic[8], uint32_t newest, const void *bytes,
                        size_t size, Bundle **bundle, uint32_t *version, cleave_error *error);

#endif
