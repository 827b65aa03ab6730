/*
 * Atomic output files: bytes go to a temporary file beside the target, and commit renames it.
 * Opening a target removes the temporary files that a killed run left. Character devices, FIFOs and
 * standard output ("-") are written directly. Cancelling the call ends the wait for a reader. Block
 * devices and sockets are refused.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/memory.h"

#include <stdatomic.h>

typedef struct cleave_output Output;

/* durable: flushed to disk before the rename (models). Otherwise a power failure may leave a file
 * with a wrong checksum (datasets, which can be created again). */
Status clv_output_open(Context *context, const char *path, bool durable, Output **output,
                       cleave_error *error);
/* Writes to an open file, which it closes; name is for messages. */
Status clv_output_from_file(Context *context, const char *name, int file, Output **output,
                            cleave_error *error);
Status clv_output_write(Output *output, const void *bytes, size_t size, cleave_error *error);
uint64_t clv_output_position(const Output *output);
/* Both functions end the output and free it. */
Status clv_output_commit(Output *output, cleave_error *error);
void clv_output_abandon(Output *output); /* accepts NULL */

/* Opens a file for reading. Waits until a FIFO has a writer. Cancelling the call ends this wait,
 * and the waits of the functions below. */
Status clv_input_open(Context *context, const char *path, int *file, cleave_error *error);
/* Waits, before reading a file that is not regular, for bytes or the end. give_up, which may be
 * NULL, ends the wait too. */
Status clv_input_wait(Context *context, const char *name, int file, const atomic_bool *give_up,
                      cleave_error *error);

/* Appends bytes of an open file until the buffer has `enough` or the file ends. regular: it is a
 * regular file, so that no waiting is needed. */
Status clv_input_read(Context *context, const char *path, int file, bool regular, size_t enough,
                      Buffer *bytes, cleave_error *error);

/* Returns whether path is a regular file (not a pipe, a device, a folder), and its size. */
bool clv_regular_file(const char *path, uint64_t *size);

/* Returns whether both paths exist and are the same file. */
bool clv_same_file(const char *a, const char *b);

/* Returns whether an existing file is inside a folder, at any depth. */
bool clv_is_inside(const char *path, const char *folder);
/* Returns whether the parent of a path, which need not exist, is the folder or inside it. */
bool clv_would_be_inside(Context *context, const char *path, const char *folder);

/* Folder for large temporary files: TMPDIR; otherwise /tmp, or /var/tmp if /tmp is in memory. */
const char *clv_temporary_folder(void);
/* Creates an unlinked temporary file in the folder of path (NULL: clv_temporary_folder); *file is
 * -1 on failure. */
Status clv_temporary_file(Context *context, const char *path, int *file, cleave_error *error);
Status clv_temporary_write(int file, const void *bytes, size_t size, cleave_error *error);

#endif
