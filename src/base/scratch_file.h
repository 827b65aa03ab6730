/*
 * Memory for large arrays on disk. Each array is an unnamed, mapped temporary file: the kernel can
 * write its pages out, and the file disappears with the process. The space is reserved in advance,
 * so that a full disk is an error and not a signal.
 *
 * Arrays stay in memory while enough memory is available.
 */
#ifndef BASE_SCRATCH_FILE_H
#define BASE_SCRATCH_FILE_H

#include "base/workspace.h"

#include <pthread.h>

typedef struct {
    Workspace workspace; /* passed to computations */
    Context *context;
    size_t memory, taken; /* bytes of memory that arrays may use, and bytes that they use */
    bool told;
    struct ScratchPiece *pieces;
    pthread_mutex_t lock;
} Scratch;

/* memory: number of bytes that arrays may use before a file is created. */
void clv_scratch_init(Scratch *scratch, Context *context, size_t memory);
void clv_scratch_free(Scratch *scratch); /* frees the remaining arrays; accepts a zeroed struct */
/* Returns the memory that a run may use for arrays in addition to the memory of the process; 0 if
 * its rows do not fit. */
size_t clv_scratch_memory(bool rows_on_disk);

#endif
