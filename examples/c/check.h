/* Ends the program with the message of an error. */
#ifndef CHECK_H
#define CHECK_H

#include <cleave.h>

#include <stdio.h>
#include <stdlib.h>

static inline void check(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK) {
        fprintf(stderr, "%s\n%s\n", error->message, error->hint);
        exit(EXIT_FAILURE);
    }
}

#endif
