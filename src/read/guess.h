/*
 * What the user did not give and was guessed from the data: format, delimiter, header, label column, kinds of columns, arrays of an
 * archive, task. Every guess is recorded here with the option that overrides it. The note on reading and the key `guesses` of
 * --json are both made from this record.
 */
#ifndef READ_GUESS_H
#define READ_GUESS_H

#include "base/memory.h"

#define GUESS_VALUE_SIZE 256

typedef struct Guesses {
    Context *context;
    cleave_guess *list; /* values are owned */
    size_t count, capacity;
    Buffer note; /* those of them that are worth a note, as one line */
    bool told;   /* the note was given */
} Guesses;

void clv_guesses_init(Guesses *guesses, Context *context);
void clv_guesses_free(Guesses *guesses);
/* what and option are literals. phrase: for the note, with the option in it; one that begins with a comma continues the
 * phrase before it. NULL: not in the note. */
Status clv_guess_add(Guesses *guesses, const char *what, const char *value, const char *option, const char *phrase,
                     cleave_error *error);

#endif
