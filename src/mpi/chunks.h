/*
 * Data in chunks, which are what ranks work on. Files of text are taken as one run of bytes and cut into equal ranges; a row belongs to
 * the chunk in which its line begins (read/read_options.h). Blocks of datasets of our own are dealt to the chunks one by one, so that each has some from
 * all over the file, as long as there are enough; those stored shuffled, and what has few blocks, are cut into runs of blocks. Where the cuts are depends on the
 * data and on how many chunks were asked for, never on the number of ranks: so the model does not either.
 */
#ifndef MPI_CHUNKS_H
#define MPI_CHUNKS_H

#include "data/dataset.h"
#include "read/reader.h"

typedef struct {
    const char *const *paths;
    size_t path_count;
    const ReadOptions *options;
    bool in_order;          /* rows of a rank follow those of the ranks before it: blocks are not dealt */
    const ReadGuide *guide; /* of the model that training goes on from; NULL: none */
} Input;

typedef struct {
    Context *context;
    uint64_t bytes; /* of all files */
    uint32_t count; /* of chunks */
    struct Cut {
        uint64_t from, to;   /* bytes of all files, or blocks of one dataset: … */
        uint32_t file, step; /* … from it every step-th */
    } * cut;
    size_t capacity;
    Dataset **mapped; /* the files, where they are datasets; else NULL */
    size_t mapped_count;

    uint32_t first, own; /* chunks of this rank: own of them, from first on */
    Dataset **chunk;     /* their rows */
} Chunks;

/* Looks at the files and cuts them: into wanted chunks, or, where that is 0, by their size. */
Status clv_chunks_cut(Chunks *chunks, Context *context, const Input *input, int64_t wanted, cleave_error *error);
/* Reads those of one rank of so many. */
Status clv_chunks_read(Chunks *chunks, const Input *input, int rank, int size, cleave_error *error);
void clv_chunks_free(Chunks *chunks);

#endif
