#include "cli/ui/migration.h"

#include <string.h>
#include <strings.h>

typedef struct {
    const char *there; /* the name in another program */
    const char *here;  /* our candidates, separated by spaces */
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

static const char *first_accepted(const Call *call, const char *candidates, char buffer[FLAG_SIZE])
{
    const char *const *limits = call->method.limits;

    for (const char *at = candidates; *at; at += *at == ' ') {
        size_t length = strcspn(at, " ");

        memcpy(buffer, at, length);
        buffer[length] = '\0';
        if (cli_flag_find(call, buffer) &&
            (!is_limit(buffer) || !limits || is_listed(limits, buffer)))
            return buffer;
        at += length;
    }
    buffer[strcspn(candidates, " ")] = '\0';
    memcpy(buffer, candidates, strcspn(candidates, " "));
    if (!limits || !is_limit(buffer))
        return buffer;
    return *limits ? cli_flag(*limits, buffer) : NULL;
}

const char *cli_migrated_option(const Call *call, const char *name, char buffer[FLAG_SIZE])
{
    for (size_t i = 0; i < sizeof migrated_options / sizeof *migrated_options; i++)
        if (same_option(migrated_options[i].there, name))
            return first_accepted(call, migrated_options[i].here, buffer);
    return NULL;
}

const char *cli_migrated_method(const char *name)
{
    for (size_t i = 0; i < sizeof migrated_methods / sizeof *migrated_methods; i++)
        if (strcasecmp(migrated_methods[i].there, name) == 0)
            return migrated_methods[i].here;
    return NULL;
}
