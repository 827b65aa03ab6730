#include "base/memory.h"

#include <stdint.h>

#define PIECE ((size_t)8 << 20) /* number of bytes between progress reports for large memory */

static bool product(size_t count, size_t size, size_t *bytes)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return false;
    *bytes = count * size;
    if (*bytes == 0)
        *bytes = 1;
    return true;
}

void *clv_resize(Context *context, void *old, size_t count, size_t size)
{
    size_t bytes;

    if (!product(count, size, &bytes))
        return NULL;
    return context->config.allocate(context->config.user, old, bytes);
}

void *clv_alloc(Context *context, size_t count, size_t size)
{
    return clv_resize(context, NULL, count, size);
}

void *clv_alloc_zero(Context *context, size_t count, size_t size)
{
    size_t bytes;
    void *memory = clv_alloc(context, count, size);

    if (memory && product(count, size, &bytes))
        clv_clear(context, memory, bytes);
    return memory;
}

void clv_clear(Context *context, void *memory, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += PIECE) {
        if (done > 0)
            clv_tick(context); /* filling new pages is slow */
        memset((char *)memory + done, 0, bytes - done < PIECE ? bytes - done : PIECE);
    }
}

void clv_copy_bytes(Context *context, void *to, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += PIECE) {
        if (done > 0)
            clv_tick(context);
        memcpy((char *)to + done, (const char *)from + done,
               bytes - done < PIECE ? bytes - done : PIECE);
    }
}

void clv_free(Context *context, void *memory)
{
    if (memory)
        context->config.allocate(context->config.user, memory, 0);
}

void clv_free_each(Context *context, void *const *memory, size_t count)
{
    for (size_t i = 0; i < count; i++)
        clv_free(context, memory[i]);
}

Status clv_new(Context *context, void *array_address, size_t count, size_t size, bool zero,
               const char *what, cleave_error *error)
{
    void *memory = (zero ? clv_alloc_zero : clv_alloc)(context, count, size);

    memcpy(array_address, &memory, sizeof memory);
    return memory ? OK : clv_fail_memory(error, what, count * size);
}

char *clv_copy_string(Context *context, const char *text, size_t length)
{
    char *copy = clv_alloc(context, length + 1, 1);

    if (copy) {
        if (length)
            memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

Status clv_grow(Context *context, void *array_address, size_t *capacity, size_t need, size_t size,
                cleave_error *error)
{
    void *old, *grown;
    size_t target = *capacity + *capacity / 2;

    if (need <= *capacity)
        return OK;
    if (target < need)
        target = need;
    if (target < 16)
        target = 16;
    memcpy(&old, array_address, sizeof old);
    grown = clv_resize(context, old, target, size);
    if (!grown)
        return clv_fail_memory(error, "a growing array", target * size);
    memcpy(array_address, &grown, sizeof grown);
    *capacity = target;
    return OK;
}

Status clv_extend(Context *context, void *array_address, size_t *size, size_t need, size_t element,
                  const char *what, cleave_error *error)
{
    void *old, *grown;

    if (need <= *size)
        return OK;
    memcpy(&old, array_address, sizeof old);
    grown = clv_resize(context, old, need, element);
    if (!grown)
        return clv_fail_memory(error, what, need * element);
    clv_clear(context, (char *)grown + *size * element, (need - *size) * element);
    memcpy(array_address, &grown, sizeof grown);
    *size = need;
    return OK;
}

void *clv_arena_alloc(Arena *arena, size_t count, size_t size)
{
    void *memory;

    if (arena->status == OK)
        arena->status = GROW(arena->context, arena->items, arena->capacity, arena->count + 1,
                             arena->error);
    if (arena->status != OK)
        return NULL;
    memory = clv_alloc(arena->context, count, size);
    if (!memory)
        arena->status = clv_fail_memory(arena->error, arena->what, count * size);
    else
        arena->items[arena->count++] = memory;
    return memory;
}

void *clv_arena_zero(Arena *arena, size_t count, size_t size)
{
    void *memory = clv_arena_alloc(arena, count, size);

    if (memory)
        clv_clear(arena->context, memory, count * size);
    return memory;
}

void clv_arena_free(Arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        clv_free(arena->context, arena->items[i]);
    if (arena->context)
        clv_free(arena->context, arena->items);
    *arena = (Arena){.context = arena->context, .error = arena->error, .what = arena->what};
}

Status clv_buffer_add(Context *context, Buffer *buffer, const void *bytes, size_t count,
                      cleave_error *error)
{
    TRY(GROW(context, buffer->data, buffer->capacity, buffer->size + count, error));
    if (count)
        memcpy(buffer->data + buffer->size, bytes, count);
    buffer->size += count;
    return OK;
}

Status clv_buffer_pad(Context *context, Buffer *buffer, size_t alignment, cleave_error *error)
{
    size_t target = (buffer->size + alignment - 1) & ~(alignment - 1);

    TRY(GROW(context, buffer->data, buffer->capacity, target, error));
    memset(buffer->data + buffer->size, 0, target - buffer->size);
    buffer->size = target;
    return OK;
}
