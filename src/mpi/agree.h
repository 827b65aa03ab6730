/* Brings the ranks to common labels, features and facts before the first round. Each rank has read
 * its own rows and numbered labels and words in the order of occurrence. The union in the order of
 * the chunks has the numbers of a sequential read, and the rows of each rank are renumbered. */
#ifndef MPI_AGREE_H
#define MPI_AGREE_H

#include "model/model.h"
#include "mpi/chunks.h"
#include "mpi/talk.h"

typedef struct {
    Context *context;
    Labels labels; /* labels with the counts of all rows */
    Names names;
    Schema schema;
    uint32_t features;
    uint64_t rows, entries;
    uint64_t first_chunk; /* number of the first chunk with rows; UINT64_MAX: none */
    uint64_t bytes;       /* size of the files on this rank */
    bool numbers;         /* some targets are numbers, not labels */
    bool any;             /* at least one rank has read rows, so that names and schema are known */
    bool fixed_names;     /* names are those of a model: unknown features are dropped */
} Agreed;

/* Agrees with the other ranks. name: that of the data, for messages. from: the warm-start model, or
 * NULL. status: the result of reading. */
Status clv_agree(Agreed *agreed, Talk *talk, Chunks *chunks, const char *name, const Model *from,
                 Status status, cleave_error *error);
void clv_agreed_free(Agreed *agreed);

#endif
