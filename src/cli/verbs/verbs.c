/* All verbs, in the order of the help. To add a verb, add its file and a line here. */
#include "cli/ui/call.h"

#include <string.h>

/* clang-format off */
#define EACH_VERB(X) \
    X(train)         \
    X(update)        \
    X(predict)       \
    X(recommend)     \
    X(test)          \
    X(cv)            \
    X(tune)          \
    X(compare)       \
    X(index)         \
    X(search)        \
    X(remove)        \
    X(export)        \
    X(convert_model) \
    X(explain)       \
    X(trace)         \
    X(stream)        \
    X(serve)         \
    X(plot)          \
    X(convert)       \
    X(split)         \
    X(generate)      \
    X(crowd)         \
    X(active)        \
    X(plan)          \
    X(begin)         \
    X(map)           \
    X(reduce)        \
    X(apply)         \
    X(methods)       \
    X(transforms)    \
    X(help)
/* clang-format on */

const VerbGroup cli_verb_groups[] = {
    {"Data", "convert split generate crowd active"},
    {"Train and predict", "train update predict recommend stream serve"},
    {"Evaluate", "test cv tune compare"},
    {"Nearest neighbors", "index search remove"},
    {"Explain and plot", "explain plot trace"},
    {"Other programs", "export convert-model"},
    {"Scale out", "plan begin map reduce apply"},
    {"Reference", "methods transforms help"},
    {NULL, NULL},
};

#define DECLARE(name) extern const Verb cli_verb_##name;
EACH_VERB(DECLARE)

#define ADDRESS(name) &cli_verb_##name,
const Verb *const cli_verbs[] = {EACH_VERB(ADDRESS) NULL};

bool cli_verb_suits(const Verb *verb, const cleave_method_info *method)
{
    return !verb->suits || verb->suits(method);
}

const Verb *cli_verb_find(const char *name)
{
    for (size_t i = 0; cli_verbs[i]; i++)
        if (strcmp(cli_verbs[i]->name, name) == 0)
            return cli_verbs[i];
    return NULL;
}
