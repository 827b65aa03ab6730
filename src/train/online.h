/* The online driver predicts, evaluates and then learns from each row as it arrives. A model exists
 * at all times, with a record of the position in the input, so that another run can resume: the
 * model of a run that was killed and restarted is bit-identical to that of an uninterrupted run.
 * Results do not depend on block boundaries: a method receives one row at a time, in one form. The
 * first rows are predicted but held back from the method until a second class occurs and, for a
 * method that finds its initial learning rate from a sample, until HELD_ROWS rows have arrived. No
 * more than HELD_ROWS rows are held back, because a stream can have one class for a long time. */
#ifndef TRAIN_ONLINE_H
#define TRAIN_ONLINE_H

#include "read/live.h"
#include "train/batch_driver.h"

enum { HELD_ROWS = 128 };

typedef struct {
    double window; /* half-life of the window of the progressive error, in examples */
    double forget; /* factor by which the weight of an example decreases with each later example */
    const char *known_classes;
    int64_t save_every;
    double save_seconds;
    bool input_continues, skip_bad;
    double poll_seconds;
    int64_t seed;
    const char *positive, *class_weight;
    const char *transform;
    const char *labels_later;
} OnlineOptions;

extern const Param clv_online_params[];

typedef struct Online Online;

/* `auto` in method_options is replaced by its value; from and watch may be NULL. All must outlive
 * the driver. */
Status clv_online_new(Context *context, const Method *method, void *method_options,
                      const OnlineOptions *options, const Model *from,
                      const cleave_stream_callbacks *watch, Online **online, cleave_error *error);
void clv_online_free(Online *online); /* accepts NULL */

/* Returns the state from which reading starts. */
void clv_online_start(const Online *online, LiveStart *start);
/* Sets the pipeline of the coming rows for a new stream; NULL: none. It is set before the first
 * row, and must outlive the driver. */
void clv_online_use_pipeline(Online *online, const Pipeline *pipeline);
const Pipeline *clv_online_own_pipeline(const Online *online);
/* Sets the source of labels, names and schema of the coming rows. */
void clv_online_source(Online *online, const Source *source, const char *name);

/* Sets the names of columns if they differ from those of the source. A model of arrays also takes
 * the schema. columns must outlive online. */
void clv_online_columns(Online *online, const Source *columns);

/* Predicts, evaluates and learns from each row. After an error the state is unusable, because part
 * of the block has been learned. */
Status clv_online_take(Online *online, const Block *block, cleave_error *error);
/* Processes one row and returns its prediction, whose pointers are valid until the next call. */
Status clv_online_take_row(Online *online, const Block *block, cleave_prediction *prediction,
                           cleave_error *error);

/* Learns from labels that have arrived since the last call (train/late_labels.h), if the option is
 * set; ended: the input has ended. */
Status clv_online_take_late(Online *online, bool ended, cleave_error *error);

/* The current model with all that resuming needs. mark is a number of the caller. *model is NULL as
 * long as no label has occurred. */
Status clv_online_model(Online *online, const LivePlace *place, uint64_t mark, Model **model,
                        cleave_error *error);

void clv_online_facts(Online *online, cleave_stream_status *facts);
uint64_t clv_online_examples(const Online *online);
/* The caller's number from the warm-start model. */
uint64_t clv_online_mark(const Online *online);
/* Whether the warm-start model is of a stream, and therefore has a position. */
bool clv_online_resumed(const Online *online);

#endif
