#include "base/workspace.h"

#include <stdint.h>

Status clv_workspace_take(const Workspace *workspace, Context *context, void *array_address,
                          size_t count, size_t size, const char *what, cleave_error *error)
{
    void *array = NULL;
    Status status = OK;

    if (count == 0)
        count = 1;
    if (count > SIZE_MAX / size) {
        status = clv_fail_memory(error, what, SIZE_MAX);
    } else if (workspace) {
        status = workspace->take(workspace->user, count * size, what, &array, error);
    } else {
        array = clv_alloc_zero(context, count, size);
        status = array ? OK : clv_fail_memory(error, what, count * size);
    }
    memcpy(array_address, &array, sizeof array);
    return status;
}

Status clv_workspace_grow(const Workspace *workspace, Context *context, void *array_address,
                          size_t *capacity, size_t need, size_t size, const char *what,
                          cleave_error *error)
{
    size_t target = need < *capacity + *capacity / 2 ? *capacity + *capacity / 2 : need;
    void *old, *array;

    if (!workspace)
        return clv_grow(context, array_address, capacity, need, size, error);
    if (need <= *capacity)
        return OK;
    memcpy(&old, array_address, sizeof old);
    TRY(clv_workspace_take(workspace, context, &array, target, size, what, error));
    if (old)
        memcpy(array, old, *capacity * size);
    clv_workspace_give(workspace, context, old);
    memcpy(array_address, &array, sizeof array);
    *capacity = target;
    return OK;
}

void clv_workspace_give(const Workspace *workspace, Context *context, void *array)
{
    if (!array)
        return;
    if (workspace)
        workspace->give_back(workspace->user, array);
    else
        clv_free(context, array);
}
