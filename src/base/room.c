#include "base/room.h"

#include <stdint.h>

Status clv_room_take(const Room *room, Context *context, void *array_address, size_t count, size_t size,
                     const char *what, cleave_error *error)
{
    void *array = NULL;
    Status status = OK;

    if (count == 0)
        count = 1;
    if (count > SIZE_MAX / size) {
        status = clv_fail_memory(error, what, SIZE_MAX);
    } else if (room) {
        status = room->take(room->user, count * size, what, &array, error);
    } else {
        array = clv_alloc_zero(context, count, size);
        status = array ? OK : clv_fail_memory(error, what, count * size);
    }
    memcpy(array_address, &array, sizeof array);
    return status;
}

Status clv_room_grow(const Room *room, Context *context, void *array_address, size_t *capacity, size_t need,
                     size_t size, const char *what, cleave_error *error)
{
    size_t target = need < *capacity + *capacity / 2 ? *capacity + *capacity / 2 : need;
    void *old, *array;

    if (!room)
        return clv_grow(context, array_address, capacity, need, size, error);
    if (need <= *capacity)
        return OK;
    memcpy(&old, array_address, sizeof old);
    TRY(clv_room_take(room, context, &array, target, size, what, error));
    if (old)
        memcpy(array, old, *capacity * size);
    clv_room_give(room, context, old);
    memcpy(array_address, &array, sizeof array);
    *capacity = target;
    return OK;
}

void clv_room_give(const Room *room, Context *context, void *array)
{
    if (!array)
        return;
    if (room)
        room->give_back(room->user, array);
    else
        clv_free(context, array);
}
