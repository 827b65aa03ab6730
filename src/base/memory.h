/*
 * All memory comes from the context's allocator, so that a program can count it and a test can let
 * each allocation fail.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/context.h"

#include <string.h>

/* Each returns NULL if memory is exhausted or count * size overflows. Never requests 0 bytes. */
void *clv_alloc(Context *context, size_t count, size_t size);
void *clv_alloc_zero(Context *context, size_t count, size_t size);
/* Like memset to 0 and memcpy, but report progress, for large memory. */
void clv_clear(Context *context, void *memory, size_t bytes);
void clv_copy_bytes(Context *context, void *to, const void *from, size_t bytes);
void *clv_resize(Context *context, void *old, size_t count, size_t size);
void clv_free(Context *context, void *memory);
void clv_free_each(Context *context, void *const *memory, size_t count);
/* copies a text and adds the final NUL */
char *clv_copy_string(Context *context, const char *text, size_t length);

/* Grows *array to at least `need` elements of the given size. Growth at least doubles the array.
 * Contents are kept; new elements are uninitialized. */
Status clv_grow(Context *context, void *array_address, size_t *capacity, size_t need, size_t size,
                cleave_error *error);

/* Grows an array of exactly *size elements to `need` elements and sets the new ones to 0. */
Status clv_extend(Context *context, void *array_address, size_t *size, size_t need, size_t element,
                  const char *what, cleave_error *error);

#define GROW(context, array, capacity, need, error)                                                \
    ((need) <= (capacity)                                                                          \
         ? OK                                                                                      \
         : clv_grow((context), &(array), &(capacity), (need), sizeof *(array), (error)))

/* Allocations that are freed together. Initialize context, error and what (for the error message).
 * After a failed allocation status is the error, and every later one returns NULL. */
typedef struct {
    Context *context;
    cleave_error *error;
    const char *what;
    Status status;
    void **items;
    size_t count, capacity;
} Arena;

void *clv_arena_alloc(Arena *arena, size_t count, size_t size); /* the array is uninitialized */
void *clv_arena_zero(Arena *arena, size_t count, size_t size);
void clv_arena_free(Arena *arena);

/* Allocates an array of `count` elements. On failure the array is NULL and the error names
 * `what`. */
Status clv_new(Context *context, void *array_address, size_t count, size_t size, bool zero,
               const char *what, cleave_error *error);

#define ALLOC(context, array, count, what, error)                                                  \
    clv_new((context), &(array), (count), sizeof *(array), false, (what), (error))
#define ALLOC_ZERO(context, array, count, what, error)                                             \
    clv_new((context), &(array), (count), sizeof *(array), true, (what), (error))
/* Frees each of the arrays; NULL is allowed. */
#define FREE(context, ...)                                                                         \
    clv_free_each((context), (void *[]){__VA_ARGS__},                                              \
                  sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* A growing byte buffer. A zeroed buffer is empty; free with clv_free(context, buffer.data). */
typedef struct {
    char *data;
    size_t size, capacity;
} Buffer;

Status clv_buffer_add(Context *context, Buffer *buffer, const void *bytes, size_t count,
                      cleave_error *error);
/* Appends zeros up to a multiple of alignment, a power of two. */
Status clv_buffer_pad(Context *context, Buffer *buffer, size_t alignment, cleave_error *error);

#endif
