/*
 * Reads input that is still being written: a pipe, a terminal, or a growing file (read/follow.h). A
 * complete line is returned at once. The position after each block is known, so a later run can
 * resume there.
 *
 * For a regular file the format and the columns are inferred from the first megabyte, as in
 * reader.c. For a pipe or a followed file they are inferred from the lines that have arrived, at
 * least two lines of a table. Resumed input keeps the format and the columns stored in the model.
 */
#ifndef READ_LIVE_H
#define READ_LIVE_H

#include "read/reader.h"

#define PLACE_HEAD 4096u

/* A position in an input: after `bytes` bytes (after decompression), which contain `lines`
 * lines. */
typedef struct {
    uint64_t bytes, lines;
    uint64_t head_hash;     /* hash of the first bytes, at most PLACE_HEAD, to identify the input */
    uint64_t device, inode; /* identity of a followed file; 0 otherwise */
    uint64_t skipped;       /* number of invalid lines of this input and of previous inputs */
    /* For a folder (live_folder.h): the keys of all documents read so far, of this folder and
     * previous folders. `lines` counts them, `head_hash` identifies the folder, `bytes` is 0. For a
     * dataset: `lines` counts rows; `bytes` and `inode` are 0. */
    const uint64_t *documents;
    uint64_t document_count;
} LivePlace;

/* Initial state; schema is NULL if there is none. labels and names are copied and grow. */
typedef struct {
    const Labels *labels;
    const Names *names;
    const Schema *schema;
    uint32_t features;
    uint64_t rows; /* position of an earlier run */
    /* the earlier run used this reader and its schema: tables must match the first */
    bool continued;
    bool skips_bad; /* skips and counts invalid lines */
    /* does not read an unterminated last line, and ends before it */
    bool leaves_unfinished;
    double poll_seconds; /* a followed folder: see read/watch.h */
    LivePlace place; /* the input is given from its first byte and is read from this position on */
} LiveStart;

/* "-" is standard input. follow: the end of the file is not the end of the input. start may be
 * NULL. Does not wait for the first row. The source returns an empty block when no input arrives
 * for a second. */
Status clv_read_live(Context *context, const char *path, bool follow, const ReadOptions *options,
                     const LiveStart *start, Source **source, cleave_error *error);

/* ---- shared by the two readers of live input: live.c and live_folder.c ----------------------- */
void clv_live_init(Reader *reader, Chunk *chunk, Schema *schema, Context *context,
                   const SourceOps *ops, const ReadOptions *options);
/* Copies the initial state; schema receives the guide's. */
Status clv_live_copy_guide(Reader *reader, Schema *schema, const LiveStart *start,
                           cleave_error *error);
void clv_live_free(Reader *reader, Chunk *chunk, Schema *schema);

/* Returns the position after the last returned block. */
void clv_live_place(const Source *source, LivePlace *place);

#endif
