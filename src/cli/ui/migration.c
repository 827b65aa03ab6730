#include "cli/ui/migration.h"

#include <string.h>
#include <strings.h>

typedef struct {
    const char *there; /* the name in another program */
    const char *here;  /* our candidates, separated by spaces */
    const char *note;  /* how to use the option; "": no note */
} Migration;

#include "cli/ui/migration.inc"

static bool same_option(const char *there, const char *name)
{
    while (*there && *there == (*name == '_' ? '-' : *name)) {
        there++;
        name++;
    }
    return *there == *name;
}

static bool is_listed(const char *const *limits, const char *name)
{
    for (; limits && *limits; limits++)
        if (same_option(name, *limits))
            return true;
    return false;
}

/* Whether the option is a stopping rule, which only some methods accept. */
static bool is_limit(const char *name)
{
    for (size_t i = 0; i < cleave_method_count(); i++)
        if (is_listed(cleave_method(i).limits, name))
            return true;
    return false;
}

bool cli_has_limit(const cleave_method_info *method, const char *name)
{
    return is_listed(method->limits, name);
}

bool cli_lacks_limit(const Call *call, const char *name)
{
    if (!call->method.name)
        return false;
    if (same_option(name, "patience"))
        return !*call->method.limits;
    return is_limit(name) && !cli_has_limit(&call->method, name);
}

/* Whether the default solver of the method does not accept the limit. */
static bool needs_other_solver(const Call *call, const char *name)
{
    const cleave_param *solver = cli_param_find(call->method.params, "solver");

    return solver && is_limit(name) && !same_option(name, *call->method.limits) &&
           strcmp(solver->values[(int)solver->initial], "auto") != 0;
}

/* Chooses the first candidate that the call accepts, or the first of all. */
static void choose_candidate(const Call *call, const char *candidates, char name[FLAG_SIZE])
{
    for (const char *at = candidates; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");

        memcpy(name, at, length);
        name[length] = '\0';
        if (cli_flag_find(call, name) && !cli_lacks_limit(call, name) &&
            !needs_other_solver(call, name))
            return;
        at += length;
    }
    memcpy(name, candidates, strcspn(candidates, " "));
    name[strcspn(candidates, " ")] = '\0';
}

bool cli_migrated_option(const Call *call, const char *name, MigratedOption *found)
{
    for (size_t i = 0; i < sizeof migrated_options / sizeof *migrated_options; i++)
        if (same_option(migrated_options[i].there, name)) {
            found->note = migrated_options[i].note;
            choose_candidate(call, migrated_options[i].here, found->name);
            return true;
        }
    return false;
}

/* Compares without regard to case, '-' and '_': RandomForestClassifier equals
 * random-forest-classifier. */
static bool same_method(const char *there, const char *name)
{
    for (;; there++, name++) {
        there += strspn(there, "-_");
        name += strspn(name, "-_");
        if (strncasecmp(there, name, 1) != 0)
            return false;
        if (!*there)
            return true;
    }
}

const char *cli_migrated_method(const char *name)
{
    for (size_t i = 0; i < sizeof migrated_methods / sizeof *migrated_methods; i++)
        if (same_method(migrated_methods[i].there, name))
            return migrated_methods[i].here;
    return NULL;
}
