/* The threads that fetch and parse chunks. One thread at a time fetches the next chunk, and parses
 * it in parallel with the others; the calling thread takes chunks in order. */
#include "base/file.h"
#include "read/reader_parts.h"

#include <unistd.h>

static bool can_fetch(const struct ReaderParts *parts)
{
    return parts->file_ready && !parts->reading &&
           parts->slot[parts->fetched % parts->slots].state == FREE;
}

/* Fetches and parses the next chunk; the lock is held before and after, and one thread at a time
 * fetches. */
static void do_chunk(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;
    ReaderSlot *slot = &parts->slot[parts->fetched++ % parts->slots];
    bool more;

    slot->state = BUSY;
    parts->reading = true;
    pthread_mutex_unlock(&parts->lock);
    more = clv_reader_fetch(reader, slot);
    pthread_mutex_lock(&parts->lock);
    parts->reading = false;
    parts->file_ready = more;
    pthread_cond_signal(&parts->work);
    if (parts->caller_parses)
        pthread_cond_signal(&parts->done);
    pthread_mutex_unlock(&parts->lock);
    clv_reader_parse(reader, slot);
    pthread_mutex_lock(&parts->lock);
    slot->state = DONE;
    pthread_cond_signal(&parts->done);
}

static void *work(void *argument)
{
    Reader *reader = argument;
    struct ReaderParts *parts = reader->parts;

    pthread_mutex_lock(&parts->lock);
    while (!parts->stop) {
        if (can_fetch(parts))
            do_chunk(reader);
        else
            pthread_cond_wait(&parts->work, &parts->lock);
    }
    pthread_mutex_unlock(&parts->lock);
    return NULL;
}

/* Returns whether the calling thread may parse a chunk instead of waiting. It does not fetch from a
 * pipe, where a wait could delay the rows of the previous chunk. */
static bool may_caller_parse(const struct ReaderParts *parts)
{
    uint64_t size;

    for (size_t i = 0; i < parts->path_count; i++)
        if (!clv_regular_file(parts->paths[i], &size))
            return false;
    return true;
}

void clv_reader_start_workers(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    parts->process = getpid();
    parts->caller_parses = may_caller_parse(parts);
    while (parts->started < parts->threads - parts->caller_parses &&
           pthread_create(&parts->worker[parts->started], NULL, work, reader) == 0)
        parts->started++;
    if (parts->started == 0)
        parts->threads = 0;
}

bool clv_reader_is_orphaned(const struct ReaderParts *parts)
{
    return parts->started > 0 && parts->process != getpid();
}

Status clv_reader_refuse_orphan(const Reader *reader, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "open the data again in the child process",
                         "%s: a forked process cannot continue a read of its parent",
                         reader->path ? reader->path : "data");
}

void clv_reader_stop_workers(struct ReaderParts *parts)
{
    if (!parts->synchronised)
        return;
    atomic_store(&parts->closing, true);
    pthread_mutex_lock(&parts->lock);
    parts->stop = true;
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
    for (unsigned i = 0; i < parts->started; i++)
        pthread_join(parts->worker[i], NULL);
    parts->started = 0;
    atomic_store(&parts->closing, false);
}

void clv_reader_wait(Reader *reader, ReaderSlot **result)
{
    struct ReaderParts *parts = reader->parts;
    ReaderSlot *slot = &parts->slot[parts->settled % parts->slots];

    *result = NULL;
    if (parts->threads == 0) {
        if (!parts->file_ready)
            return;
        parts->file_ready = clv_reader_fetch(reader, slot);
        clv_reader_parse(reader, slot);
        *result = slot;
        return;
    }
    pthread_mutex_lock(&parts->lock);
    while (slot->state != DONE && (parts->file_ready || parts->fetched > parts->settled)) {
        if (parts->caller_parses && can_fetch(parts))
            do_chunk(reader);
        else
            pthread_cond_wait(&parts->done, &parts->lock);
    }
    if (slot->state == DONE)
        *result = slot;
    pthread_mutex_unlock(&parts->lock);
}

void clv_reader_give_back(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    if (!parts->holding)
        return;
    parts->holding = false;
    if (parts->threads == 0) {
        parts->settled++;
        return;
    }
    pthread_mutex_lock(&parts->lock);
    parts->slot[parts->settled++ % parts->slots].state = FREE;
    pthread_cond_signal(&parts->work);
    pthread_mutex_unlock(&parts->lock);
}
