/*
 * A source returns blocks one after another from files, a dataset or rows in memory. Its labels,
 * names and schema are complete when the source has ended.
 */
#ifndef DATA_SOURCE_H
#define DATA_SOURCE_H

#include "data/block.h"
#include "data/labels.h"
#include "data/names.h"
#include "data/schema.h"

typedef struct Source Source;

typedef struct {
    /* Returns the next block, valid until the following call; the block is NULL at the end. */
    Status (*next)(Source *source, const Block **block, cleave_error *error);
    /* Rewinds to the first block. Fails if the data can be read only once. NULL if the source
     * cannot rewind. */
    Status (*rewind)(Source *source, cleave_error *error);
    /* Frees the members of the kind; the shared part and the struct are freed after it. */
    void (*close)(Source *source);
} SourceOps;

struct Source {
    const SourceOps *ops;
    Context *context;
    Labels labels;
    Names names;
    Schema schema;
    /* number of features seen so far; at least the number in the header */
    uint32_t features;
    uint64_t rows;               /* number of rows returned so far */
    uint64_t rows_total;         /* number of all rows; 0 if unknown */
    uint64_t bytes, bytes_total; /* bytes of input, for progress; 0 if unknown */
    bool shuffled;               /* the rows are stored in a seeded random order */
    bool started;                /* `next` was called since opening or rewinding */

    /* Weights of the rows from a separate file; NULL: blocks have their own, or none. */
    float *weights; /* owned */
    uint64_t weight_count, weighted;
    const char *weight_file; /* name of that file, for messages */
    Block weighed;           /* the last block, with its weights */
    /* Rows of the last block with a category unknown to the model: bit i of a row is for
     * unseen_column[i]. NULL: there is no such row. Only for tables that are read for a model, and
     * for the first 64 such columns. */
    const uint64_t *unseen;
    const char *const *unseen_column;
};

/* Called after next: adds the weights to the block. At the end, checks that every row had a
 * weight. */
Status clv_source_weigh(Source *source, const Block **block, cleave_error *error);

static inline Status source_next(Source *source, const Block **block, cleave_error *error)
{
    Status status;

    source->started = true;
    status = source->ops->next(source, block, error);
    return status == OK && source->weights ? clv_source_weigh(source, block, error) : status;
}

/* does nothing if reading has not started */
Status clv_source_rewind(Source *source, cleave_error *error);
/* Initializes the members that all kinds share. */
void clv_source_init(Source *source, Context *context, const SourceOps *ops);
void clv_source_close(Source *source); /* accepts NULL */

#endif
