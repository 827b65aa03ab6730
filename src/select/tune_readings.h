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
    cleave_options *options; /* options that differ from the caller's; NULL: none differ */
    cleave_data *data;       /* NULL: not in memory */
    Dataset *dataset;
    size_t bytes;
    uint64_t batch; /* number of the last batch with a trial on it */
} TrialReading;

typedef struct {
    Context *parent;
    /* context of the data that is read here, without notes; NULL: nothing has been read */
    Context *context;
    cleave_data *base;
    TrialReading *list;
    uint32_t count;
    size_t capacity;
    /* limit, and current size, of the memory of readings other than the caller's */
    size_t limit, bytes;
    uint64_t batch;
    uint64_t reads;  /* number of times that files were read */
    double deadline; /* time limit for reading, by clv_now; 0: none */
} Readings;

/* dataset: the loaded data of base. limit 0: a fraction of the memory of the machine. */
Status clv_readings_begin(Readings *readings, Context *context, cleave_data *base, Dataset *dataset,
                          size_t limit, cleave_error *error);
void clv_readings_free(Readings *readings);

/* Finds the number of a combination of options, which is added if it is new. NULL: the caller's
 * options. */
Status clv_readings_find(Readings *readings, const cleave_options *options, uint32_t *number,
                         cleave_error *error);

/* Begins a batch of trials: readings of earlier batches may be freed. */
void clv_readings_next_batch(Readings *readings);
/* Loads a reading for the whole batch. Sets *full if memory has reached its limit, so that this
 * reading should be the last of the batch. Returns CLEAVE_ERROR_CANCELLED and sets *late if the
 * deadline has passed. */
Status clv_readings_need(Readings *readings, uint32_t number, bool *full, bool *late,
                         cleave_error *error);

#endif
