/* Every verb, in the order of the help. A new verb is one file and one line here. */
#include "cli/call.h"

#include <string.h>

extern const Verb cli_verb_train, cli_verb_predict, cli_verb_test, cli_verb_explain, cli_verb_trace, cli_verb_convert,
    cli_verb_generate, cli_verb_plan, cli_verb_methods, cli_verb_help;

const Verb *const cli_verbs[] = {
    &cli_verb_train,
    &cli_verb_predict,
    &cli_verb_test,
    &cli_verb_explain,
    &cli_verb_trace,
    &cli_verb_convert,
    &cli_verb_generate,
    &cli_verb_plan,
    &cli_verb_methods,
    &cli_verb_help,
    NULL,
};

const Verb *cli_verb_find(const char *name)
{
    for (size_t i = 0; cli_verbs[i]; i++)
        if (strcmp(cli_verbs[i]->name, name) == 0)
            return cli_verbs[i];
    return NULL;
}
