/*
 * A source: blocks one after another, from wherever they come (files being read, a dataset, rows in memory). What is
 * known about the data as a whole (labels, names, schema) stands beside and is complete when the source has ended.
 */
#ifndef DATA_SOURCE_H
#define DATA_SOURCE_H

#include "data/block.h"
#include "data/labels.h"
#include "data/names.h"
#include "data/schema.h"

typedef struct Source Source;

typedef struct {
    /* The next block, which lives until the following call; NULL at the end. */
    Status (*next)(Source *source, const Block **block, cleave_error *error);
    /* Back to the first block; an error where the data can be read only once. NULL: can not. */
    Status (*rewind)(Source *source, cleave_error *error);
    /* Frees what is the kind's own; the shared part and the struct itself are freed after it. */
    void (*close)(Source *source);
} SourceOps;

struct Source {
    const SourceOps *ops;
    Context *context;
    Labels labels;
    Names names;
    Schema schema;
    uint32_t features;           /* seen so far; at least what the header promises */
    uint64_t rows;               /* given out so far */
    uint64_t rows_total;         /* 0 when not known */
    uint64_t bytes, bytes_total; /* of input, for progress; 0 when not known */
    bool shuffled;               /* the rows are stored in a seeded random order */
    bool started;                /* next has been called since opening or rewinding */

    /* Weights of the rows, given apart from them; NULL: blocks have their own, or none. */
    float *weights; /* owned */
    uint64_t weight_count, weighted;
    const char *weight_file; /* for messages */
    Block weighed;           /* the last block, with its weights */
    /* Rows of the last block whose category the model does not know: bit i of a row is about unseen_column[i]. NULL: no row
     * of the block has one. Only of tables that are read for a model, and of the first 64 such columns. */
    const uint64_t *unseen;
    const char *const *unseen_column;
};

/* After next: gives the block its weights; at the end, checks that every row had one. */
Status clv_source_weigh(Source *source, const Block **block, cleave_error *error);

static inline Status source_next(Source *source, const Block **block, cleave_error *error)
{
    Status status;

    source->started = true;
    status = source->ops->next(source, block, error);
    return status == OK && source->weights ? clv_source_weigh(source, block, error) : status;
}

Status clv_source_rewind(Source *source, cleave_error *error); /* nothing to do when not started */
/* Initialises the shared part. */
void clv_source_init(Source *source, Context *context, const SourceOps *ops);
void clv_source_close(Source *source); /* NULL is fine */

#endif
