/* A few rows of many that come by once, each as likely as any other: by the seed alone, however the data is cut into blocks. */
#ifndef RUN_CHOSEN_H
#define RUN_CHOSEN_H

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
} ChosenRows;

void clv_chosen_init(ChosenRows *chosen, Context *context, uint32_t most, uint64_t seed);
void clv_chosen_free(ChosenRows *chosen);
Status clv_chosen_look(ChosenRows *chosen, const Block *block, cleave_error *error);
/* `most` of all that were seen, or all of them. The block lives until the next call. */
Status clv_chosen_rows(ChosenRows *chosen, Block *block, cleave_error *error);

#endif
