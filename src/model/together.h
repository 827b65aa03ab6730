/*
 * Several processes that fit one model together, each with rows of its own: those of a process with a lower number come before. Every process calls
 * the same functions in the same order, and gets the same numbers; so all of them make the same decisions, and in the end the same model.
 *
 * What one process is to come to as well must not depend on where rows were cut. Whole numbers are added up as they are; sums of others are made
 * without rounding (base/exact.h).
 *
 * A process that fails returns from what it was doing, and whoever runs it tells the others, whose next call fails with the same message.
 */
#ifndef MODEL_TOGETHER_H
#define MODEL_TOGETHER_H

#include "base/memory.h"

typedef struct {
    void *user;
    uint32_t number, count; /* this process, from 0, of so many */
    /* Replaces whole numbers of 4 or 8 bytes by their sums over all processes. */
    Status (*add_up)(void *user, void *numbers, size_t count, size_t bytes_of_each, cleave_error *error);
    /* What each has, in their order, into all, which is empty and becomes the caller's; sizes: of each, in bytes; may be NULL. */
    Status (*gather)(void *user, const void *mine, size_t bytes, Buffer *all, size_t *sizes, cleave_error *error);
} Collective;

#endif
