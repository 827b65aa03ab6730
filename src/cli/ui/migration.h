/*
 * Names of options and methods in other programs, with the names in cleave. The tables are
 * generated from docs/glossary.md.
 */
#ifndef CLI_UI_MIGRATION_H
#define CLI_UI_MIGRATION_H

#include "cli/ui/call.h"

/* Our name of an option of another program, with '-': the first candidate that the call accepts,
 * otherwise the first of all; of limits, that of the method (NULL: none). A name of one letter
 * keeps its dash ("-c"). NULL: the name is unknown. */
const char *cli_migrated_option(const Call *call, const char *name, char buffer[FLAG_SIZE]);

/* Our name of a method of another program, in any case of letters; NULL: the name is unknown. */
const char *cli_migrated_method(const char *name);

#endif
