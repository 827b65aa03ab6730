/*
 * User files for the targets that read whole files: their names, the options for reading them, and
 * their contents, written from the bytes of an input.
 */
#ifndef TESTS_FUZZ_USER_FILES_H
#define TESTS_FUZZ_USER_FILES_H

#include "fuzz/fuzz.h"
#include "support/support.h"

/* A temporary folder in memory, removed at exit. */
const char *user_folder(void);

/* The suffix selected by a byte ('a' is the first), or "" for a file without one and a folder. */
const char *user_suffix(uint8_t name);

/* Writes the bytes below `folder` as the file (or folder) that `name` selects and puts its path
 * into `path`. In a folder, NULs separate the documents; one that begins with "/NAME/" is in the
 * folder NAME. If the options need a second file (labels or weights), it comes first, and ends
 * at "::::" or else at the first NUL. A dataset is converted from text. */
void user_write(const char *folder, uint8_t name, uint8_t options, const char *bytes, size_t size,
                char path[TEST_PATH_SIZE]);

/* The options for reading it ('a': none). The caller frees them. */
cleave_options *user_options(cleave_context *context, const char *folder, uint8_t options);

/* Whether the call succeeded; otherwise its error is complete. */
bool user_checked(cleave_code code, const cleave_error *error);

/* The model, saved and loaded: both must succeed. */
cleave_model *user_reload(cleave_context *context, cleave_model *model);

#endif
