/* A few rows of many that come by once, each as likely as any other: by the seed alone, however the data is cut into blocks. */
#ifndef DATA_RESERVOIR_H
#define DATA_RESERVOIR_H

#include "data/builder.h"

typedef struct {
    Context *context;
    uint64_t seed;
    uint32_t most;
    uint64_t seen;
    uint64_t highest; /* rows of a higher rank are passed over */
    Builder kept, spare;
    uint64_t *rank; /* a number by chance: of each row kept */
    size_t rank_capacity;
} Reservoir;

void clv_reservoir_init(Reservoir *chosen, Context *context, uint32_t most, uint64_t seed);
void clv_reservoir_free(Reservoir *chosen);
Status clv_reservoir_look(Reservoir *chosen, const Block *block, cleave_error *error);
/* `most` of all that were seen, or all of them. The block lives until the next call. */
Status clv_reservoir_rows(Reservoir *chosen, Block *block, cleave_error *error);

#endif
