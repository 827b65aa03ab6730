/*
 * Several processes that fit one model together, each with its own rows. Rows of a process with a
 * lower number come first. Every process calls the same functions in the same order and gets the
 * same numbers. Therefore all make the same choices and end with the same model.
 *
 * A result that must equal that of one process must not depend on the distribution of the rows.
 * Integers are summed directly; other sums are exact (base/exact.h).
 *
 * A process that fails returns, and its driver notifies the others, whose next call fails with the
 * same message.
 */
#ifndef MODEL_TOGETHER_H
#define MODEL_TOGETHER_H

#include "base/memory.h"

typedef struct {
    void *user;
    uint32_t number, count; /* number of this process, from 0; number of processes */
    /* Replaces integers of 4 or 8 bytes by their sums over all processes. */
    Status (*add_up)(void *user, void *numbers, size_t count, size_t bytes_of_each,
                     cleave_error *error);
    /* Gathers the data of all processes in order into `all`, which is empty before the call and
     * owned by the caller. sizes: receives the size of each in bytes; may be NULL. */
    Status (*gather)(void *user, const void *mine, size_t bytes, Buffer *all, size_t *sizes,
                     cleave_error *error);
} Collective;

#endif
