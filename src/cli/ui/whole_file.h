/* Files that are read into one text. */
#ifndef CLI_UI_WHOLE_FILE_H
#define CLI_UI_WHOLE_FILE_H

#include "cli/ui/call.h"

/* Reads a whole file; "-": standard input. Failures are in call->error. The caller always frees
 * *text, which has no final NUL. */
cleave_code cli_read_whole(Call *call, const char *path, char **text, size_t *size);

#endif
