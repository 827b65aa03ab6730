/*
 * The data of a search, read once for each combination of reading options. Reading 0 is the
 * caller's. The others are read when a trial needs them, and stay in memory up to a limit. A
 * reading beyond the limit is read again. Rows and labels are the same in each reading, so all
 * readings share the folds.
 */
#ifndef SELECT_TUNE_READINGS_H
#define SELECT_TUNE_READINGS_H

#include "input/input.h"

typedef struct {
    cleave_options *options; /* options that differ from the caller's; NULL: none */
    cleave_data *data;       /* NULL: not in memory */
    Dataset *dataset;
    size_t bytes;
    uint64_t batch; /* the last one with a trial on it */
} TrialReading;

typedef struct {
    Context *parent;
    Context *context; /* context of the data that is read here, without notes; NULL: nothing has
                       * been read */
    cleave_data *base;
    TrialReading *list;
    uint32_t count;
    size_t capacity;
    size_t limit, bytes; /* memory of readings other than the caller's */
    uint64_t batch;
    uint64_t reads;  /* number of times that files were read */
    double deadline; /* time limit for reading, by clv_now; 0: none */
} Readings;

/* dataset: of base, already loaded. limit 0: a share of the memory of the machine. */
Status clv_readings_begin(Readings *readings, Context *context, cleave_data *base, Dataset *dataset,
                          size_t limit, cleave_error *error);
void clv_readings_free(Readings *readings);

/* The number of a combination of options; a new one is added. NULL: the caller's. */
Status clv_readings_find(Readings *readings, const cleave_options *options, uint32_t *number,
                         cleave_error *error);

/* Begins a batch of trials: readings of earlier batches may be freed. */
void clv_readings_next_batch(Readings *readings);
/* Loads a reading for the whole batch. *full: memory has reached its limit, and this reading should
 * be the last of the batch. CLEAVE_ERROR_CANCELLED with *late: the deadline has passed. */
Status clv_readings_need(Readings *readings, uint32_t number, bool *full, bool *late,
                         cleave_error *error);

#endif
