#include "mpi/mpi_together.h"

#include <string.h>

/* The contents of one message. */
typedef struct {
    ProcessGroup *group;
    void *numbers; /* numbers to be summed, or the data of this rank */
    size_t count, bytes_of_each;
    Buffer all;    /* gathered data of this rank and of the following ranks */
    Buffer *whole; /* destination of the gathered data */
    size_t *sizes; /* size of the data of each rank */
} Sharing;

void clv_group_fail(ProcessGroup *group, Status status, const cleave_error *error)
{
    if (group->failed != OK)
        return;
    group->failed = status;
    group->reason = *error;
}

static Status unite(Sharing *telling, const Uniting *how, cleave_error *error)
{
    ProcessGroup *group = telling->group;
    Status status = group->failed;

    if (status != OK && error)
        *error = group->reason;
    if (group->is_shared)
        return status; /* a rank that has failed may have ended already */
    status = clv_talk_unite(group->talk, group->context, how, telling, status, error);
    if (status != OK)
        clv_group_fail(group, status, error);
    group->is_shared = status != OK;
    return status;
}

static Status refuse(cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_INTERNAL, "the messages of the ranks do not match");
}

/* ---- sums ------------------------------------------------------------------------------------ */

static Status put_numbers(void *user, Buffer *bytes, cleave_error *error)
{
    const Sharing *telling = user;

    return clv_buffer_add(telling->group->context, bytes, telling->numbers,
                          telling->count * telling->bytes_of_each, error);
}

/* Adds numbers. Unsigned addition is correct for all integers; messages are not aligned. */
static Status add_numbers(void *user, const void *bytes, size_t size, cleave_error *error)
{
    const Sharing *telling = user;
    const char *from = bytes;
    uint64_t *eight = telling->numbers, more;
    uint32_t *four = telling->numbers, less;

    if (size != telling->count * telling->bytes_of_each)
        return refuse(error);
    for (size_t i = 0; telling->bytes_of_each == sizeof more && i < telling->count; i++) {
        memcpy(&more, from + i * sizeof more, sizeof more);
        eight[i] += more;
    }
    for (size_t i = 0; telling->bytes_of_each == sizeof less && i < telling->count; i++) {
        memcpy(&less, from + i * sizeof less, sizeof less);
        four[i] += less;
    }
    return OK;
}

static Status take_numbers(void *user, const void *bytes, size_t size, cleave_error *error)
{
    const Sharing *telling = user;

    if (size != telling->count * telling->bytes_of_each)
        return refuse(error);
    if (size)
        memcpy(telling->numbers, bytes, size);
    return OK;
}

static Status add_up(void *user, void *numbers, size_t count, size_t bytes_of_each,
                     cleave_error *error)
{
    static const Uniting how = {.put = put_numbers, .take = add_numbers, .done = take_numbers};
    Sharing telling = {
        .group = user, .numbers = numbers, .count = count, .bytes_of_each = bytes_of_each};

    return unite(&telling, &how, error);
}

/* ---- gathering ------------------------------------------------------------------------------- */

static Status put_parts(void *user, Buffer *bytes, cleave_error *error)
{
    const Sharing *telling = user;
    uint64_t size = telling->count;

    /* The data of each rank follows its length. */
    TRY(clv_buffer_add(telling->group->context, bytes, &size, sizeof size, error));
    TRY(clv_buffer_add(telling->group->context, bytes, telling->numbers, telling->count, error));
    return clv_buffer_add(telling->group->context, bytes, telling->all.data, telling->all.size,
                          error);
}

static Status take_parts(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Sharing *telling = user;

    return clv_buffer_add(telling->group->context, &telling->all, bytes, size, error);
}

static Status open_parts(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Sharing *telling = user;
    const char *at = bytes, *end = at + size;

    for (int rank = 0; rank < telling->group->talk->size; rank++) {
        uint64_t length;

        if ((size_t)(end - at) < sizeof length)
            return refuse(error);
        memcpy(&length, at, sizeof length);
        at += sizeof length;
        if ((size_t)(end - at) < length)
            return refuse(error);
        TRY(clv_buffer_add(telling->group->context, telling->whole, at, length, error));
        at += length;
        if (telling->sizes)
            telling->sizes[rank] = length;
    }
    return at == end ? OK : refuse(error);
}

static Status gather(void *user, const void *mine, size_t bytes, Buffer *all, size_t *sizes,
                     cleave_error *error)
{
    static const Uniting how = {.put = put_parts, .take = take_parts, .done = open_parts};
    ProcessGroup *group = user;
    Sharing telling = {.group = group,
                       .numbers = (void *)(uintptr_t)mine,
                       .count = bytes,
                       .whole = all,
                       .sizes = sizes};
    Status status = unite(&telling, &how, error);

    clv_free(group->context, telling.all.data);
    if (status != OK) {
        clv_free(group->context, all->data);
        *all = (Buffer){0};
    }
    return status;
}

/* ---- collective ------------------------------------------------------------------------------ */

void clv_group_begin(ProcessGroup *group, Talk *talk, Context *context)
{
    *group = (ProcessGroup){.talk = talk, .context = context};
    group->collective = (Collective){.user = group,
                                     .number = (uint32_t)talk->rank,
                                     .count = (uint32_t)talk->size,
                                     .add_up = add_up,
                                     .gather = gather};
}

Status clv_group_settle(ProcessGroup *group, Status status, cleave_error *error)
{
    if (status == OK && group->failed != OK) {
        status = group->failed;
        *error = group->reason;
    }
    return group->is_shared ? status : clv_talk_settle(group->talk, group->context, status, error);
}
