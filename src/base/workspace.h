/*
 * Where large arrays lie. Who only computes asks for them here and opens no files: the driver may hand over a room that puts them into a mapped file, whose
 * pages the kernel can write out when memory is short. No room (NULL): the context's memory.
 */
#ifndef BASE_WORKSPACE_H
#define BASE_WORKSPACE_H

#include "base/memory.h"

/* Both may be called by several threads. */
typedef struct {
    void *user;
    Status (*take)(void *user, size_t bytes, const char *what, void **memory, cleave_error *error); /* zeroed */
    void (*give_back)(void *user, void *memory);
} Workspace;

/* Sets *array to count zeroed elements; what is for messages. On failure *array is NULL. */
Status clv_workspace_take(const Workspace *workspace, Context *context, void *array_address, size_t count, size_t size,
                          const char *what, cleave_error *error);
/* As clv_grow; what is new may be anything. */
Status clv_workspace_grow(const Workspace *workspace, Context *context, void *array_address, size_t *capacity,
                          size_t need, size_t size, const char *what, cleave_error *error);
void clv_workspace_give(const Workspace *workspace, Context *context, void *array); /* NULL is fine */

#define TAKE(workspace, context, array, count, what, error)                                                            \
    clv_workspace_take((workspace), (context), &(array), (count), sizeof *(array), (what), (error))

#endif
