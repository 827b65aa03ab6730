/*
 * What ranks must agree on before the first round. Each has read rows of its own, and numbered labels and words as they came. United in
 * the order of the chunks they get the numbers that reading everything in one go would give them, and each rank's rows are
 * renumbered.
 */
#ifndef MPI_AGREE_H
#define MPI_AGREE_H

#include "model/model.h"
#include "mpi/chunks.h"
#include "mpi/talk.h"

typedef struct {
    Context *context;
    Labels labels; /* with the counts of all rows */
    Names names;
    Schema schema;
    uint32_t features;
    uint64_t rows, entries;
    uint64_t first_chunk; /* the first that has rows; UINT64_MAX: none has */
    uint64_t bytes;       /* of the files, as this rank sees them */
    bool numbers;         /* some targets are numbers, not labels */
    bool any;             /* somebody has read something: names and schema are known */
    bool fixed_names;     /* those of a model: what it does not know is left out */
} Agreed;

/* name: of the data, for messages. from: the warm-start model, or NULL. status: of
 * reading. */
Status clv_agree(Agreed *agreed, Talk *talk, Chunks *chunks, const char *name, const Model *from, Status status,
                 cleave_error *error);
void clv_agreed_free(Agreed *agreed);

#endif
