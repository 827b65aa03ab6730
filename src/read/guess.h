/*
 * Guesses about the data that the user did not specify: format, delimiter, header, label column,
 * column kinds, arrays of an archive, task. Each guess is recorded with the option that overrides
 * it. The note on reading and the key `guesses` of --json both come from this record.
 */
#ifndef READ_GUESS_H
#define READ_GUESS_H

#include "base/memory.h"

typedef struct Guesses {
    Context *context;
    cleave_guess *list; /* the guesses; their values are owned */
    size_t count, capacity;
    Buffer note; /* the guesses that are worth a note, as one line */
    bool noted;  /* the note has been written */
} Guesses;

void clv_guesses_init(Guesses *guesses, Context *context);
void clv_guesses_free(Guesses *guesses);
/* what and option are literals. phrase: text for the note, with the option in it; a phrase that
 * starts with a comma continues the previous phrase. NULL: not in the note. */
Status clv_guess_add(Guesses *guesses, const char *what, const char *value, const char *option,
                     const char *phrase, cleave_error *error);

#endif
