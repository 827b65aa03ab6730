/*
 * Many rows asked about: pieces of a few dozen, which a structure may search together, one piece a worker at a time. What a search needs
 * (queries, places for what is found, room) is made once and kept, so that asking again takes no memory.
 */
#ifndef LEARN_NEIGHBOR_ASK_H
#define LEARN_NEIGHBOR_ASK_H

#include "learn/neighbor/index.h"

/* What is looked for, the same for every row. */
typedef struct {
    uint32_t most;        /* so many points; EVERY_POINT: all within the limit */
    double limit;         /* of the key, clv_key_limit; INFINITY: none */
    const uint64_t *only; /* a bit of each point that may be found; NULL: all; outlives the asker */
    bool share_places;    /* clv_index_share_places */
} Wanted;

/* The rows: of a block, or values of the caller's, `features` of each. */
typedef struct {
    const Block *block;
    uint32_t first; /* row of the block */
    const float *values;
    uint32_t count;
} Asked;

typedef struct Asker Asker;

/* The largest key of a point that is no farther than so. */
double clv_key_limit(const Metric *metric, double distance);

/* rows: so many will be asked about at one go, at the most. index must outlive it, and stay as it is. */
Status clv_asker_new(Context *context, const Index *index, const Wanted *wanted, uint32_t rows, Asker **asker,
                     cleave_error *error);
void clv_asker_free(Asker *asker);

/* Rows that all workers together can have under way; and how many workers there are at the most. */
uint32_t clv_asker_rows(const Asker *asker);
unsigned clv_asker_workers(const Asker *asker);

/* Called for each row, from several threads at once, no two of them with the same worker; row counts from 0 in what was asked.
 * `nearest`, sorted, may be exchanged for another that was made by clv_asker_place. */
typedef Status AskTake(void *user, uint32_t row, Nearest *nearest, unsigned worker, cleave_error *error);
Status clv_ask(Asker *asker, const Asked *asked, AskTake *take, void *user, cleave_error *error);

Status clv_asker_place(const Asker *asker, Nearest *nearest, cleave_error *error);

#endif
