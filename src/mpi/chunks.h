/* Chunks of the data, the units of work of the ranks. Text files are treated as one sequence of
 * bytes and cut into equal ranges; a row belongs to the chunk in which its line begins
 * (read/read_options.h). Blocks of datasets are assigned to the chunks in turn, so that each chunk
 * has blocks from the whole file. Datasets stored shuffled or with few blocks are cut into
 * consecutive blocks. The cuts depend on the data and the number of chunks, not on the number of
 * ranks. Therefore the model does not depend on the number of ranks either. */
#ifndef MPI_CHUNKS_H
#define MPI_CHUNKS_H

#include "data/dataset.h"
#include "read/reader.h"

typedef struct {
    const char *const *paths;
    size_t path_count;
    const ReadOptions *options;
    /* rows of a rank follow those of the previous ranks, so blocks are assigned consecutively */
    bool in_order;
    const ReadGuide *guide; /* guide of the warm-start model; NULL: none */
} Input;

typedef struct {
    Context *context;
    uint64_t bytes; /* total size of all files */
    uint32_t count; /* number of chunks */
    struct Cut {
        uint64_t from, to;   /* range of bytes of all files, or of blocks of a dataset */
        uint32_t file, step; /* a dataset, of which every step-th block is in the chunk */
    } * cut;
    size_t capacity;
    Dataset **mapped; /* the files if they are datasets; otherwise NULL */
    size_t mapped_count;

    uint32_t first, own; /* chunks of this rank: `own` chunks from `first` on */
    Dataset **chunk;     /* rows of these chunks */
} Chunks;

/* Inspects the files and cuts them into `wanted` chunks, or, if that is 0, by their size. */
Status clv_chunks_cut(Chunks *chunks, Context *context, const Input *input, int64_t wanted,
                      cleave_error *error);
/* Reads the chunks of one rank. */
Status clv_chunks_read(Chunks *chunks, const Input *input, int rank, int size, cleave_error *error);
void clv_chunks_free(Chunks *chunks);

#endif
