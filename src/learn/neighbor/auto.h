/*
 * Chooses the fastest index. Only exact indexes are considered, so that results do not depend on
 * the choice.
 *
 * For small data a rule decides from the data alone: a scan, or a kd-tree for fewer than nine
 * columns. For larger data each index that supports the points and the distance is built over a
 * sample of the rows and timed with other rows as queries. Timings vary between runs. If
 * several indexes are within 25% of the fastest, the first in clv_index_names is chosen, so that
 * different choices are rare. Naming the index makes models reproducible byte for byte.
 */
#ifndef LEARN_NEIGHBOR_AUTO_H
#define LEARN_NEIGHBOR_AUTO_H

#include "learn/neighbor/index.h"

typedef struct {
    int index; /* number in clv_index_names */
    /* index it was timed against: the scan or the best other index; INDEX_AUTO: a rule decided */
    int against;
    double seconds, against_seconds; /* per query, measured on the sample */
} AutoChoice;

/* most: number of neighbors per query. */
Status clv_auto_index(Context *context, const IndexOptions *options, const Metric *metric,
                      const Vectors *vectors, uint32_t most, AutoChoice *choice,
                      cleave_error *error);

#endif
