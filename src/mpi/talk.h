/*
 * How ranks talk: the only file that knows MPI is talk.c. There is one thing they do: unite. What each rank has goes towards rank 0
 * along a binomial tree, so that each joins its own, which comes first, with that of a run of ranks right after it; what all
 * have then goes back to everybody. It takes 2 log2(ranks) messages one after the other, and no rank sends more than one on the way up.
 *
 * Errors travel the same way. A rank that failed sends its error instead, and everybody's unite returns it: of several the one of the
 * lowest rank, which has the first rows.
 *
 * A rank that dies is noticed: in each a thread looks whether the others' processes on this machine are still there. The first rank
 * that is left says who died, in which round. Of one that died elsewhere mpirun knows, which tells the rest to end; machines that fall
 * silent are given up after a time, where one is set.
 */
#ifndef MPI_TALK_H
#define MPI_TALK_H

#include "base/memory.h"

typedef struct {
    int rank, size;
    double most_seconds;      /* to wait for another rank; 0: for ever */
    const char *how_to_go_on; /* for messages: what to do when a rank has died; NULL: nothing */
    uint64_t bytes, messages; /* that this rank has sent */
    struct TalkParts *parts;
} Talk;

/* Starts MPI. Ranks but the first are silent from here on: only what is said about a dead rank is heard of them. False: there is
 * no memory. */
bool clv_talk_begin(Talk *talk, int *count, char ***words);
void clv_talk_end(Talk *talk);

/* For messages: the round that begins, from 1. */
void clv_talk_round(Talk *talk, unsigned round);

typedef struct {
    /* What this rank has, joined with what it took: appends to bytes. */
    Status (*put)(void *user, Buffer *bytes, cleave_error *error);
    /* Joins what ranks after this one have. */
    Status (*take)(void *user, const void *bytes, size_t size, cleave_error *error);
    /* What all have, the same bytes for everybody; also called when there is one rank only. NULL: nobody needs it. */
    Status (*done)(void *user, const void *bytes, size_t size, cleave_error *error);
} Uniting;

/* Every rank calls it, with the same how. status and error: whether it has failed since the last time. */
Status clv_talk_unite(Talk *talk, Context *context, const Uniting *how, void *user, Status status, cleave_error *error);
/* Whether anybody has failed. */
Status clv_talk_settle(Talk *talk, Context *context, Status status, cleave_error *error);

#endif
