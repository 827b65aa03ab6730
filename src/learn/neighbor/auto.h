/*
 * Which structure finds the nearest points fastest. Only exact ones are thought of, so that no answer hangs on the choice.
 *
 * With little data a rule decides, and the choice is a function of the data: a scan, or below nine columns a kd-tree. With more, each structure that suits the points
 * and the distance is built over a sample of the rows and asked about others of them. That takes time, and two runs that find two structures nearly
 * alike may choose differently; of those within a quarter of the fastest the first in clv_index_names is taken, which makes it rare. Who wants a model to be the same
 * bytes for certain names the structure.
 */
#ifndef LEARN_NEIGHBOR_AUTO_H
#define LEARN_NEIGHBOR_AUTO_H

#include "learn/neighbor/index.h"

typedef struct {
    int index;   /* of clv_index_names */
    int against; /* what it was timed against: the scan, or the best of the others; INDEX_AUTO: a rule decided */
    double seconds, against_seconds; /* of a question, as far as the sample tells */
} AutoChoice;

/* most: how many points a query looks for. */
Status clv_auto_index(Context *context, const IndexOptions *options, const Metric *metric, const Vectors *vectors,
                      uint32_t most, AutoChoice *choice, cleave_error *error);

#endif
