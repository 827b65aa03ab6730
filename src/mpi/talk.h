/*
 * Communication between ranks; only talk.c uses MPI. There is one operation, clv_talk_unite. The
 * data of each rank goes to rank 0 along a binomial tree: each rank joins its own data, which comes
 * first, with the data of the ranks that follow it. The result goes back to all ranks. This takes 2
 * log2(ranks) consecutive messages, and no rank sends more than one on the way up.
 *
 * Errors take the same path. A failed rank sends its error instead, and the operation returns it on
 * all ranks. Of several errors, it is that of the lowest rank, which has the first rows.
 *
 * Dead ranks are detected: a thread of each rank checks the processes of the other ranks on this
 * machine. The first live rank prints the number of the dead rank and the round. mpirun detects
 * ranks that die on other machines and ends the others. If a time limit is set, a rank that sends
 * no message within it is treated as dead.
 */
#ifndef MPI_TALK_H
#define MPI_TALK_H

#include "base/memory.h"

typedef struct {
    int rank, size;
    double most_seconds;      /* time limit for a message from another rank; 0: none */
    const char *how_to_go_on; /* message on how to resume after a rank has died; NULL: none */
    uint64_t bytes, messages; /* number of bytes and of messages sent by this rank */
    struct TalkParts *parts;
} Talk;

/* Starts MPI. From now on, only the first rank prints, except for messages about dead ranks.
 * Returns false if memory is exhausted. */
bool clv_talk_begin(Talk *talk, int *count, char ***words);
void clv_talk_end(Talk *talk);

/* Sets the current round, from 1, for messages. */
void clv_talk_round(Talk *talk, unsigned round);

typedef struct {
    /* Appends the data of this rank, joined with the data received, to bytes. */
    Status (*put)(void *user, Buffer *bytes, cleave_error *error);
    /* Joins the data of the following ranks. */
    Status (*take)(void *user, const void *bytes, size_t size, cleave_error *error);
    /* Receives the result, which is the same on all ranks. Also called if there is only one rank.
     * NULL: not needed. */
    Status (*done)(void *user, const void *bytes, size_t size, cleave_error *error);
} Uniting;

/* Called by every rank with the same `how`. status and error: those of this rank since the last
 * call. */
Status clv_talk_unite(Talk *talk, Context *context, const Uniting *how, void *user, Status status,
                      cleave_error *error);
/* Returns the error if a rank has failed. */
Status clv_talk_settle(Talk *talk, Context *context, Status status, cleave_error *error);

#endif
