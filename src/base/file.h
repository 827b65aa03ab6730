/*
 * Output files, written whole or not at all: bytes go to a temporary file beside the target, commit renames it over.
 * Opening a target removes the temporary files that a killed run left beside it.
 * Character devices, FIFOs and standard output ("-") are written directly. Cancelling the call ends
 * the wait for a reader. Block devices and sockets are refused.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/memory.h"

#include <stdatomic.h>

typedef struct cleave_output Output;

/* durable: flushed to the disk before the rename (models); without it a power cut may leave a file that its checksum
 * refuses (datasets, which can be made again). */
Status clv_output_open(Context *context, const char *path, bool durable, Output **output, cleave_error *error);
/* Over an open file, which it closes; name is for messages. */
Status clv_output_from_file(Context *context, const char *name, int file, Output **output, cleave_error *error);
Status clv_output_write(Output *output, const void *bytes, size_t size, cleave_error *error);
uint64_t clv_output_position(const Output *output);
/* Ends the output either way; frees it. */
Status clv_output_commit(Output *output, cleave_error *error);
void clv_output_abandon(Output *output); /* NULL is fine */

/* Opens a file for reading. Waits until a FIFO has a writer. Cancelling the call ends this wait
 * and every wait below. */
Status clv_input_open(Context *context, const char *path, int *file, cleave_error *error);
/* Before a read of a file that is not regular: waits for bytes or the end. give_up, which may be
 * NULL, ends the wait too. */
Status clv_input_wait(Context *context, const char *name, int file, const atomic_bool *give_up, cleave_error *error);

/* Whether path is a regular file (not a pipe, a device, a folder), and its size. */
bool clv_regular_file(const char *path, uint64_t *size);

/* Whether both paths exist and are the same file. */
bool clv_same_file(const char *a, const char *b);

/* Whether a file that exists is in a folder, however deep. */
bool clv_is_inside(const char *path, const char *folder);
/* The same of a path that need not exist: its parent is the folder, or inside it. */
bool clv_would_be_inside(Context *context, const char *path, const char *folder);

/* Where large temporary files go: TMPDIR; else /tmp, unless that is memory itself, then /var/tmp. */
const char *clv_temporary_folder(void);
/* An unlinked temporary file in the folder of path (or in clv_temporary_folder when path is NULL); *file is -1 on failure. */
Status clv_temporary_file(Context *context, const char *path, int *file, cleave_error *error);

#endif
