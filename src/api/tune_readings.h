/*
 * The data of a search, once for each setting of the reading options that candidates have. Reading 0 is the caller's. The others are read when a trial
 * needs them and stay in memory up to a limit; what goes beyond it is read again when it is needed again. Rows and labels are the same in
 * each, so that folds of one are folds of all.
 */
#ifndef API_TUNE_READINGS_H
#define API_TUNE_READINGS_H

#include "api/data.h"

typedef struct {
    cleave_options *options; /* that differ from the caller's; NULL: none */
    cleave_data *data;       /* NULL: not in memory */
    Dataset *dataset;
    size_t bytes;
    uint64_t batch; /* the last one that needed it */
} Reading;

typedef struct {
    Context *parent;
    Context *context; /* of the data read here: as the parent, without its notes; NULL: nothing has been read */
    cleave_data *base;
    Reading *list;
    uint32_t count;
    size_t capacity;
    size_t limit, bytes; /* of memory, for readings other than the caller's */
    uint64_t batch;
    uint64_t reads;  /* from files, so far */
    double deadline; /* by clv_now, for reading; 0: none */
} Readings;

/* dataset: of base, already loaded. limit 0: a share of the memory of the machine. */
Status clv_readings_begin(Readings *readings, Context *context, cleave_data *base, Dataset *dataset, size_t limit,
                          cleave_error *error);
void clv_readings_free(Readings *readings);

/* The number of a setting; one that is not known yet is added. NULL: the caller's. */
Status clv_readings_find(Readings *readings, const cleave_options *options, uint32_t *number, cleave_error *error);

/* Begins a batch of trials: what was needed before may leave memory. */
void clv_readings_next_batch(Readings *readings);
/* Puts a reading into memory, for the whole batch. *full: memory has reached its limit, so that the batch should end with this
 * one. CLEAVE_ERROR_CANCELLED with *late: the deadline is over. */
Status clv_readings_need(Readings *readings, uint32_t number, bool *full, bool *late, cleave_error *error);

#endif
