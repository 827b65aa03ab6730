/*
 * A dataset: packed blocks with random access, in memory or mapped from our binary file (format: docs/formats/dataset.md).
 * A packed block is the same bytes in both, so storing is writing them and mapping is pointing at them.
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
    uint64_t first_line;  /* where its rows stand on lines of a text that follow each other; else 0 */
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

    /* In memory, blocks are packed one after another into few large pieces of memory. */
    char **pieces;
    size_t piece_count, pieces_capacity, piece_size, piece_used;

    uint32_t blocks;
    size_t capacity;
    struct PackedBlock *block;
    Block *view; /* of each block: rows of the caller's, in place of packed ones; NULL: blocks are packed */
    size_t view_capacity;
    const void *base;
    char *path; /* for messages; NULL in memory */
    void *map;  /* NULL in memory */
    size_t map_size;
    bool on_disk; /* too large to be kept in memory: data/tour.h reads it through file, which is -1 or 0 otherwise */
    int file;
};

/* ---- in memory */
Status clv_dataset_new(Context *context, Dataset **dataset, cleave_error *error);
Status clv_dataset_add(Dataset *dataset, const Block *block, cleave_error *error); /* copies */
/* The block as a view of memory that outlives the dataset. All blocks are added this way, or none. */
Status clv_dataset_borrow(Dataset *dataset, const Block *block, cleave_error *error);
/* Reads a source to its end and takes over its labels, names and schema. */
Status clv_dataset_load(Source *source, Dataset **dataset, cleave_error *error);
void clv_dataset_free(Dataset *dataset);

/* A view of block i. For mapped data the checksum is verified at the first visit. */
Status clv_dataset_block(Dataset *dataset, uint32_t i, Block *block, cleave_error *error);

/* Blocks of another, which must outlive it: first, first + step, … below end; checked, and shared with it. */
Status clv_dataset_slice(Dataset *dataset, uint32_t first, uint32_t end, uint32_t step, Dataset **slice,
                         cleave_error *error);
/* ---- for data/tour.h, of packed bytes that need not be where the dataset has them */
/* What clv_dataset_block does at the first visit: false where the bytes of block i are damaged. May be called by several threads. */
bool clv_dataset_verify(Dataset *dataset, uint32_t i, const char *bytes);
bool clv_dataset_verified(const struct PackedBlock *packed);
Status clv_dataset_view(const Dataset *dataset, uint32_t i, const char *bytes, Block *block, cleave_error *error);
Status clv_dataset_corrupt(const Dataset *dataset, uint32_t i, cleave_error *error);

/* ---- packing */
/* At least what packing takes. */
size_t clv_block_packed_bound(const Block *block);
/* With a checksum where the bytes will be looked at by others. */
Status clv_block_pack(Context *context, const Block *block, bool with_checksum, Buffer *buffer,
                      cleave_error *error); /* replaces contents */
/* Points block into size packed bytes on a multiple of 8; false when their lengths do not fit together. */
bool clv_block_unpack(const char *bytes, size_t size, Block *block);
bool clv_block_checksum_ok(const char *bytes, size_t size);
/* Whether a block from outside is safe to use: columns in order and below features, labels below labels, all numbers
 * finite. */
bool clv_block_sound(const Block *block, uint32_t features, uint32_t labels);

/* ---- the file */
typedef struct DatasetWriter DatasetWriter;
/* Writes to a temporary file beside path until finish renames it; path "-" writes to standard output. */
Status clv_dataset_writer_open(Context *context, const char *path, DatasetWriter **writer, cleave_error *error);
/* Writes to an open file, which it closes. */
Status clv_dataset_writer_open_file(Context *context, const char *name, int file, DatasetWriter **writer,
                                    cleave_error *error);
Status clv_dataset_writer_add(DatasetWriter *writer, const Block *block, cleave_error *error);
/* Labels, names, schema and the rest come from the source or dataset that was written. */
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
void clv_dataset_writer_abandon(DatasetWriter *writer); /* removes the temporary file; NULL is fine */

bool clv_dataset_sniff(const char *head, size_t size);
Status clv_dataset_map(Context *context, const char *path, Dataset **dataset, cleave_error *error);
/* The same over an open file, which may be closed afterwards. */
Status clv_dataset_map_file(Context *context, const char *name, int file, Dataset **dataset, cleave_error *error);
/* Whatever memory there is, a mapped dataset is to be read from its file: what map does where the file is larger than memory allows. */
void clv_dataset_leave_on_disk(Dataset *dataset, int file);
/* From bytes in memory, which must outlive it (fuzzing, WebAssembly). */
Status clv_dataset_from_bytes(Context *context, const char *name, const void *bytes, size_t size, Dataset **dataset,
                              cleave_error *error);

/* A source over a dataset, which it owns when own is set. */
Status clv_dataset_source(Dataset *dataset, bool own, Source **source, cleave_error *error);
/* A source that takes the rows out of a dataset in memory and frees their memory as they are read. It cannot be rewound.
 * The dataset keeps its labels, names and schema, and has no rows from here on. */
Status clv_dataset_drain(Dataset *dataset, Source **source, cleave_error *error);
/* Moves all rows to a dataset that has none. Labels, names and schema stay where they are. */
void clv_dataset_move_rows(Dataset *from, Dataset *to);
/* The dataset behind a source, when it is one: it need not be loaded then. NULL otherwise. */
Dataset *clv_source_dataset(Source *source);

#endif
