/*
 * A dataset is a sequence of packed blocks with random access, in memory or mapped from a binary
 * file (docs/formats/dataset.md). Packed blocks are identical in memory and in the file.
 */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "base/memory.h"
#include "data/source.h"

typedef struct Dataset Dataset;

struct PackedBlock {
    const char *data;
    size_t size;
    uint64_t first_row;
    _Atomic bool checked; /* checksum verified; always true in memory */
    uint64_t first_line;  /* first line if its rows are consecutive lines of a text; otherwise 0 */
    uint32_t file;
};

struct Dataset {
    Context *context;
    Labels labels;
    Names names;
    Schema schema;
    uint64_t rows, entries;
    uint32_t features;
    bool shuffled;
    bool numbers; /* some targets are TARGETS_NUMBERS */

    /* In memory, blocks are packed one after another into a few large allocations. */
    char **pieces;
    size_t piece_count, pieces_capacity, piece_size, piece_used;

    uint32_t blocks;
    size_t capacity;
    struct PackedBlock *block;
    /* for each block: the caller's rows instead of packed ones; NULL: all blocks are packed */
    Block *view;
    size_t view_capacity;
    const void *base;
    char *path; /* path for messages; NULL for data in memory */
    void *map;  /* the mapping; NULL in memory */
    size_t map_size;
    /* larger than memory: data/tour.h reads the dataset through file. Otherwise, file is -1 or
     * 0. */
    bool on_disk;
    int file;
};

/* ---- in memory ------------------------------------------------------------------------------- */
Status clv_dataset_new(Context *context, Dataset **dataset, cleave_error *error);
/* copies the block */
Status clv_dataset_add(Dataset *dataset, const Block *block, cleave_error *error);
/* Adds the block as a view of memory that outlives the dataset. Either all blocks or none are added
 * this way. */
Status clv_dataset_borrow(Dataset *dataset, const Block *block, cleave_error *error);
/* Reads a source to its end and takes its labels, names and schema. */
Status clv_dataset_load(Source *source, Dataset **dataset, cleave_error *error);
void clv_dataset_free(Dataset *dataset);

/* Returns a view of block i. For mapped data the first access verifies the checksum. */
Status clv_dataset_block(Dataset *dataset, uint32_t i, Block *block, cleave_error *error);

/* Makes a dataset of the blocks first, first + step, … below end of another dataset, which must
 * outlive it. The blocks are verified and shared. */
Status clv_dataset_slice(Dataset *dataset, uint32_t first, uint32_t end, uint32_t step,
                         Dataset **slice, cleave_error *error);
/* ---- for data/tour.h: packed bytes outside the dataset's memory ------------------------------ */
/* Verifies block i as clv_dataset_block does at the first access. Returns false if the bytes are
 * corrupt. Thread-safe. */
bool clv_dataset_verify(Dataset *dataset, uint32_t i, const char *bytes);
bool clv_dataset_verified(const struct PackedBlock *packed);
Status clv_dataset_view(const Dataset *dataset, uint32_t i, const char *bytes, Block *block,
                        cleave_error *error);
Status clv_dataset_corrupt(const Dataset *dataset, uint32_t i, cleave_error *error);

/* ---- packing --------------------------------------------------------------------------------- */
/* An upper bound of the packed size. */
size_t clv_block_packed_bound(const Block *block);
/* Adds a checksum if the bytes leave this process. */
Status clv_block_pack(Context *context, const Block *block, bool with_checksum, Buffer *buffer,
                      cleave_error *error); /* replaces the contents of the buffer */
/* Points block into `size` packed bytes aligned to 8. Returns false if the lengths are
 * inconsistent. */
bool clv_block_unpack(const char *bytes, size_t size, Block *block);
bool clv_block_checksum_ok(const char *bytes, size_t size);
/* Returns whether a block from an untrusted source is safe: columns in order and below features,
 * labels below labels, all numbers finite. */
bool clv_block_sound(const Block *block, uint32_t features, uint32_t labels);

/* ---- the file -------------------------------------------------------------------------------- */
typedef struct DatasetWriter DatasetWriter;
/* Writes to a temporary file beside path, which clv_dataset_writer_finish renames. path "-" writes
 * to standard output. */
Status clv_dataset_writer_open(Context *context, const char *path, DatasetWriter **writer,
                               cleave_error *error);
/* Writes to an open file, which it closes. */
Status clv_dataset_writer_open_file(Context *context, const char *name, int file,
                                    DatasetWriter **writer, cleave_error *error);
Status clv_dataset_writer_add(DatasetWriter *writer, const Block *block, cleave_error *error);
/* Labels, names and schema of the written source or dataset. */
typedef struct {
    const Labels *labels;
    const Names *names;
    const Schema *schema;
    uint32_t features;
    bool shuffled;
    uint64_t seed;
} DatasetFacts;
Status clv_dataset_writer_finish(DatasetWriter *writer, const DatasetFacts *facts, uint64_t *bytes,
                                 cleave_error *error);
void clv_dataset_writer_abandon(
    DatasetWriter *writer); /* removes the temporary file; accepts NULL */

bool clv_dataset_sniff(const char *head, size_t size);
Status clv_dataset_map(Context *context, const char *path, Dataset **dataset, cleave_error *error);
/* Maps an open file, which may be closed afterwards. */
Status clv_dataset_map_file(Context *context, const char *name, int file, Dataset **dataset,
                            cleave_error *error);
/* Reads a mapped dataset from its file, whatever the available memory is, as clv_dataset_map does
 * for a file larger than memory. */
void clv_dataset_leave_on_disk(Dataset *dataset, int file);
/* Opens bytes in memory, which must outlive the dataset (fuzzing, WebAssembly). */
Status clv_dataset_from_bytes(Context *context, const char *name, const void *bytes, size_t size,
                              Dataset **dataset, cleave_error *error);

/* Creates a source from a dataset, owned by the source if `own`. */
Status clv_dataset_source(Dataset *dataset, bool own, Source **source, cleave_error *error);
/* Creates a source that removes the rows of a dataset in memory and frees their memory while they
 * are read. It cannot be rewound. The dataset keeps its labels, names and schema, but no rows. */
Status clv_dataset_drain(Dataset *dataset, Source **source, cleave_error *error);
/* Moves all rows to an empty dataset. Labels, names and schema stay. */
void clv_dataset_move_rows(Dataset *from, Dataset *to);
/* Returns the dataset behind a source, so that it need not be loaded; NULL for other sources. */
Dataset *clv_source_dataset(Source *source);

#endif
