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

void clv_room_give(const Room *room, Context *context, void *array)
{
    if (!array)
        return;
    if (room)
        room->give_back(room->user, array);
    else
        clv_free(context, array);
}
