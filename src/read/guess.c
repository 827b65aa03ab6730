#include "read/guess.h"

#include <stdint.h>

void clv_guesses_init(Guesses *guesses, Context *context)
{
    *guesses = (Guesses){.context = context};
}

void clv_guesses_free(Guesses *guesses)
{
    for (size_t i = 0; i < guesses->count; i++)
        clv_free(guesses->context, (char *)(uintptr_t)guesses->list[i].value);
    FREE(guesses->context, guesses->list, guesses->note.data);
    clv_guesses_init(guesses, guesses->context);
}

static Status add_to_note(Guesses *guesses, const char *phrase, cleave_error *error)
{
    Context *context = guesses->context;
    Buffer *note = &guesses->note;

    note->size -= note->size > 0; /* the final NUL */
    if (note->size == 0 && phrase[0] == ',')
        phrase += 2;
    else if (note->size && phrase[0] != ',')
        TRY(clv_buffer_add(context, note, "; ", 2, error));
    return clv_buffer_add(context, note, phrase, strlen(phrase) + 1, error);
}

Status clv_guess_add(Guesses *guesses, const char *what, const char *value, const char *option,
                     const char *phrase, cleave_error *error)
{
    char *copy;

    TRY(GROW(guesses->context, guesses->list, guesses->capacity, guesses->count + 1, error));
    copy = clv_copy_string(guesses->context, value, strlen(value));
    if (!copy)
        return clv_fail_memory(error, "a guess", strlen(value));
    guesses->list[guesses->count++] = (cleave_guess){.what = what, .value = copy, .option = option};
    return phrase ? add_to_note(guesses, phrase, error) : OK;
}
