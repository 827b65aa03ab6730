/* Reservoir sampling: a uniform random sample of rows in one pass. The sample depends only on the
 * seed, not on the blocks. */
#ifndef DATA_RESERVOIR_H
#define DATA_RESERVOIR_H

#include "data/builder.h"

typedef struct {
    Context *context;
    uint64_t seed;
    uint32_t most;
    uint64_t seen;
    uint64_t highest; /* rows of a higher rank are skipped */
    Builder kept, spare;
    uint64_t *rank; /* random rank of each kept row */
    size_t rank_capacity;
} Reservoir;

void clv_reservoir_init(Reservoir *chosen, Context *context, uint32_t most, uint64_t seed);
void clv_reservoir_free(Reservoir *chosen);
Status clv_reservoir_look(Reservoir *chosen, const Block *block, cleave_error *error);
/* Returns a sample of `most` rows, or all rows if there are fewer. The block is valid until the
 * next call. */
Status clv_reservoir_rows(Reservoir *chosen, Block *block, cleave_error *error);

#endif
