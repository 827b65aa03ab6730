#include "cli/ui/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cleave_code cli_read_whole(Call *call, const char *path, char **text, size_t *size)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    size_t capacity = 1 << 16, got = 0;

    *size = 0;
    *text = NULL;
    if (file) {
        *text = cli_alloc(NULL, capacity, 1);
        while ((got = fread(*text + *size, 1, capacity - *size, file)) > 0) {
            *size += got;
            if (*size == capacity)
                *text = cli_alloc(*text, capacity *= 2, 1);
        }
    }
    call->error = (cleave_error){.code = file && !ferror(file) ? CLEAVE_OK : CLEAVE_ERROR_IO};
    if (call->error.code != CLEAVE_OK)
        snprintf(call->error.message, sizeof call->error.message, "%s: %s", path, strerror(errno));
    if (file && !standard)
        fclose(file);
    return call->error.code;
}
