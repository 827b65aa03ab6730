/*
 * Memory comes from the context's allocator and from nowhere else, so that a host can count it and a test can make
 * every allocation fail in turn.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/context.h"

#include <string.h>

/* Each returns NULL when memory is short or count * size overflows. Never asks for 0 bytes. */
void *clv_alloc(Context *context, size_t count, size_t size);
void *clv_alloc_zero(Context *context, size_t count, size_t size);
/* memset to 0, and memcpy, for memory that may be large: progress is reported meanwhile. */
void clv_clear(Context *context, void *memory, size_t bytes);
void clv_copy_bytes(Context *context, void *to, const void *from, size_t bytes);
void *clv_resize(Context *context, void *old, size_t count, size_t size);
void clv_free(Context *context, void *memory);
void clv_free_each(Context *context, void *const *memory, size_t count);
/* Frees several pieces of memory, each of which may be NULL: FREE_EACH(context, a, b, c); */
#define FREE_EACH(context, ...)                                                                                        \
    clv_free_each((context), (void *const[]){__VA_ARGS__}, sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
char *clv_copy_string(Context *context, const char *text, size_t length); /* adds the final NUL */

/* Makes *array hold at least need elements of the given size, at least doubling it; contents kept, new part not set. */
Status clv_grow(Context *context, void *array_address, size_t *capacity, size_t need, size_t size, cleave_error *error);

#define GROW(context, array, capacity, need, error)                                                                    \
    ((need) <= (capacity) ? OK : clv_grow((context), &(array), &(capacity), (need), sizeof *(array), (error)))

/* Bytes that grow. Zeroed is empty; free with clv_free(context, buffer.data). */
typedef struct {
    char *data;
    size_t size, capacity;
} Buffer;

Status clv_buffer_add(Context *context, Buffer *buffer, const void *bytes, size_t count, cleave_error *error);
/* Appends zeros up to a multiple of alignment, a power of two. */
Status clv_buffer_pad(Context *context, Buffer *buffer, size_t alignment, cleave_error *error);

#endif
