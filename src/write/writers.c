/* The list of writers, and lookup by name or by file suffix. */
#include "write/writer.h"

#include <strings.h>

const Writer *const clv_writers[] = {&clv_writer_libsvm, &clv_writer_csv, &clv_writer_tsv, NULL};

const Writer *clv_writer_by_name(const char *name)
{
    for (const Writer *const *writer = clv_writers; *writer; writer++)
        if (strcmp((*writer)->name, name) == 0)
            return *writer;
    return NULL;
}

static bool ends_with(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);

    return length > end && strcasecmp(path + length - end, suffix) == 0;
}

const Writer *clv_writer_for(const char *path)
{
    for (const Writer *const *writer = clv_writers; *writer; writer++)
        for (const char *const *suffix = (*writer)->suffixes; *suffix; suffix++)
            if (ends_with(path, *suffix))
                return *writer;
    return NULL;
}
