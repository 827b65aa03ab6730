/*
 * Allocation of large arrays. Computations allocate from a workspace and open no files. The driver
 * may supply a workspace that stores arrays in mapped files, whose pages the kernel can write out
 * if memory is short. A workspace of NULL means the context's memory.
 */
#ifndef BASE_WORKSPACE_H
#define BASE_WORKSPACE_H

#include "base/memory.h"

/* Both functions are thread-safe. */
typedef struct {
    void *user;
    Status (*take)(void *user, size_t bytes, const char *what, void **memory,
                   cleave_error *error); /* returns zeroed memory */
    void (*give_back)(void *user, void *memory);
} Workspace;

/* Sets *array to `count` zeroed elements; `what` names the array in error messages. On failure
 * *array is NULL. */
Status clv_workspace_take(const Workspace *workspace, Context *context, void *array_address,
                          size_t count, size_t size, const char *what, cleave_error *error);
/* Like clv_grow: new elements are uninitialized. */
Status clv_workspace_grow(const Workspace *workspace, Context *context, void *array_address,
                          size_t *capacity, size_t need, size_t size, const char *what,
                          cleave_error *error);
void clv_workspace_give(const Workspace *workspace, Context *context,
                        void *array); /* accepts NULL */

#define TAKE(workspace, context, array, count, what, error)                                        \
    clv_workspace_take((workspace), (context), &(array), (count), sizeof *(array), (what), (error))

#endif
