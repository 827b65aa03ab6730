/*
 * The on-line driver: rows as they come, each predicted, judged, then learned from. A model exists at all times, and with it a record of
 * how far the input has been learned from, so that another run can go on as if nothing had happened: the model of a run
 * that was killed and started again is that of an undisturbed one, byte for byte.
 *
 * Nothing here hangs on how the rows came in blocks: a method sees them one at a time, in one form.
 *
 * The first rows are held back from the method, though predicted like all others, until a second class has been seen (there is
 * nothing to tell apart before) and, where the method finds its first rate by a sample, until there are as many as
 * HELD_ROWS. More than that are never held: a stream may be of one class for long.
 */
#ifndef TRAIN_ONLINE_H
#define TRAIN_ONLINE_H

#include "read/live.h"
#include "train/batch_driver.h"

enum { HELD_ROWS = 128 };

typedef struct {
    double window; /* half-life of the window, in examples */
    double forget; /* what an example's weight loses with each later one */
    const char *known_classes;
    int64_t save_every;
    double save_seconds;
    bool input_continues, skip_bad;
    double poll_seconds;
    int64_t seed;
    const char *positive, *class_weight;
    const char *transform;
} OnlineOptions;

extern const Param clv_online_params[];

typedef struct Online Online;

/* method_options are rewritten where they say `auto`; from and watch may be NULL; all outlive it. */
Status clv_online_new(Context *context, const Method *method, void *method_options, const OnlineOptions *options,
                      const Model *from, const cleave_stream_callbacks *watch, Online **online, cleave_error *error);
void clv_online_free(Online *online); /* NULL is fine */

/* What reading is to start from. */
void clv_online_start(const Online *online, LiveStart *start);
/* What makes the coming rows' features, of a stream that begins; NULL: nothing. Outlives it. Before the first row. */
void clv_online_recipe(Online *online, const Pipeline *pipeline);
const Pipeline *clv_online_own_recipe(const Online *online);
/* Whose labels, names and schema the coming rows have. */
void clv_online_source(Online *online, const Source *source, const char *name);

/* Sets the names of columns if they differ from those of the source. A model of arrays also takes
 * the schema. columns must outlive online. */
void clv_online_columns(Online *online, const Source *columns);

/* Predicts, judges and learns from each row. After an error the state is of no use: rows of the block have been learned from. */
Status clv_online_take(Online *online, const Block *block, cleave_error *error);
/* The same of one row, whose prediction is told here too; its pointers live until the next call. */
Status clv_online_take_row(Online *online, const Block *block, cleave_prediction *prediction, cleave_error *error);

/* The model as it is now, with all that going on needs; mark is a number of the caller's own. *model NULL where there is nothing to
 * keep yet: no label has been seen. */
Status clv_online_model(Online *online, const Place *place, uint64_t mark, Model **model, cleave_error *error);

void clv_online_facts(Online *online, cleave_stream_status *facts);
uint64_t clv_online_examples(const Online *online);
/* The caller's number that was kept with the model gone on from. */
uint64_t clv_online_mark(const Online *online);
/* Whether the model gone on from is of a stream, and so knows its place. */
bool clv_online_resumed(const Online *online);

#endif
