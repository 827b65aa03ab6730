/*
 * Names of options and methods in other programs, with the names in cleave. The tables are
 * generated from docs/glossary.md.
 */
#ifndef CLI_UI_MIGRATION_H
#define CLI_UI_MIGRATION_H

#include "cli/ui/call.h"

typedef struct {
    char name[FLAG_SIZE]; /* our name, with '-' */
    const char *note;     /* how to use the option; "": no note */
} MigratedOption;

/* Finds an option of another program. Of its names in cleave, returns the first that the call
 * accepts, or the first of all. A name of one letter keeps its dash ("-c"). */
bool cli_migrated_option(const Call *call, const char *name, MigratedOption *found);

/* Whether the option limits the length of training of the method. */
bool cli_has_limit(const cleave_method_info *method, const char *name);

/* Whether the option limits the training of other methods, but not of the method of the call. */
bool cli_lacks_limit(const Call *call, const char *name);

/* Our name of a method of another program, in upper or lower case; NULL: the name is unknown. */
const char *cli_migrated_method(const char *name);

#endif
