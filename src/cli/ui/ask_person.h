/* Asks a person for the label of an item: one key per label at a terminal, otherwise one line. */
#ifndef CLI_UI_ASK_PERSON_H
#define CLI_UI_ASK_PERSON_H

#include "cli/ui/call.h"

#include <cleave/active.h>

typedef enum { PERSON_LABEL, PERSON_SKIP, PERSON_UNDO, PERSON_SAVE, PERSON_INTERRUPTED } PersonSays;

/* Shows the item on standard error and reads the answer from standard input. *label is for
 * PERSON_LABEL, and freed by the caller. The end of the input means PERSON_SAVE. */
PersonSays cli_ask_person(const cleave_active_item *item, const cleave_active_state *state,
                          char **label);

#endif
