/*
 * Memory for large arrays on the disk: a temporary file each, without a name from the start, so that it is gone with the process however that ends, and mapped,
 * so that the kernel writes its pages out when it needs the memory. The space is reserved before it is used: a disk that is full is an
 * error, and no signal in the middle of the work.
 *
 * Arrays lie in memory as long as there is enough of it for them.
 */
#ifndef BASE_SCRATCH_FILE_H
#define BASE_SCRATCH_FILE_H

#include "base/workspace.h"

#include <pthread.h>

typedef struct {
    Workspace workspace; /* to be handed over */
    Context *context;
    size_t memory, taken; /* bytes that arrays may take of memory, and do */
    bool told;
    struct ScratchPiece *pieces;
    pthread_mutex_t lock;
} Scratch;

/* memory: bytes that arrays may take before a file is used. */
void clv_scratch_init(Scratch *scratch, Context *context, size_t memory);
void clv_scratch_free(Scratch *scratch); /* gives back what nobody did; all 0 is fine */
/* What a run may take of memory for arrays beside what the process has already: 0 where its rows do not fit themselves. */
size_t clv_scratch_memory(bool rows_on_disk);

#endif
