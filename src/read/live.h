/*
 * Reading what is still being written: a pipe, a terminal, a file that grows (read/follow.h). A line that has come whole is
 * given out at once, and it is known after each block where in the input the next one begins, so that another run can
 * go on from there.
 *
 * The reader in reader.c guesses the format and the columns of a table from the first megabyte. So does this reader for a
 * regular file. For a pipe, and for a file that is followed, it does not wait: it guesses from the lines that have arrived,
 * two of a table at the least. Input that is resumed keeps the format and the columns that the model has stored.
 */
#ifndef READ_LIVE_H
#define READ_LIVE_H

#include "read/reader.h"

#define PLACE_HEAD 4096u

/* A place in an input: behind `bytes` of it (unpacked, where it is compressed), which hold so many lines. */
typedef struct {
    uint64_t bytes, lines;
    uint64_t head_hash;     /* of its first bytes, PLACE_HEAD of them at the most: is it the same input? */
    uint64_t device, inode; /* of a file that is followed; 0 otherwise */
    uint64_t skipped;       /* lines that could not be read, of this input and those before */
    /* A folder (live_folder.h): the keys of all documents that were read, of this folder and those before. `lines` counts them,
     * `head_hash` identifies the folder, `bytes` is 0. A dataset has its rows in `lines`, and 0 for `bytes` and `inode`. */
    const uint64_t *documents;
    uint64_t document_count;
} Place;

/* What is known beforehand; schema NULL where nothing is. labels and names are copied, and go on growing. */
typedef struct {
    const Labels *labels;
    const Names *names;
    const Schema *schema;
    uint32_t features;
    uint64_t rows;          /* read before */
    bool continued;         /* … by a reader like this one, whose schema it is: later tables must be like the first */
    bool skips_bad;         /* lines that cannot be read are passed over and counted */
    bool leaves_unfinished; /* a last line without a newline is left, and the place is before it: the rest may come */
    double poll_seconds;    /* a followed folder: see read/watch.h */
    Place place;            /* the input is given from its first byte, and is wanted from here */
} LiveStart;

/* "-" is standard input. follow: the file's end is not the end. start may be NULL. The first row is not waited for. A source
 * that gives an empty block where nothing has come for a second. */
Status clv_read_live(Context *context, const char *path, bool follow, const ReadOptions *options,
                     const LiveStart *start, Source **source, cleave_error *error);

/* ---- shared by the two readers of live input: this one and live_folder.h */
void clv_live_init(Reader *reader, Chunk *chunk, Schema *schema, Context *context, const SourceOps *ops,
                   const ReadOptions *options);
/* Copies what is known beforehand; schema is to hold the guide's. */
Status clv_live_know(Reader *reader, Schema *schema, const LiveStart *start, cleave_error *error);
void clv_live_free(Reader *reader, Chunk *chunk, Schema *schema);

/* Behind the block that was given out last. */
void clv_live_place(const Source *source, Place *place);

#endif
