/* Asks a command of the user for the label of an item. */
#ifndef CLI_UI_ASK_COMMAND_H
#define CLI_UI_ASK_COMMAND_H

#include "cli/ui/call.h"

/* Runs the command with the shell: the text of the item is its standard input, the number of the
 * row is in the environment variable CLEAVE_ROW, and the first line that it prints is the label;
 * empty: skipped. A command that fails, or runs longer than `seconds`, is an error after its
 * message has been printed. *label is freed by the caller. Returns DONE or FAILED; an interrupt
 * also ends the command: FAILED and cli_interrupted. */
int cli_ask_command(const char *command, double seconds, uint64_t row, const char *text,
                    size_t length, char **label);

#endif
