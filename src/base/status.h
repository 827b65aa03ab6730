/*
 * Errors: every call that can fail returns a Status and fills the caller's cleave_error. This
 * module does not print.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <cleave/expert.h>

typedef cleave_code Status;

#define OK CLEAVE_OK

/* Used at the start of a public function: fails if a required argument is NULL. */
#define REQUIRE(arguments)                                                                         \
    do {                                                                                           \
        if (!(arguments))                                                                          \
            return clv_fail_null(error, __func__, #arguments);                                     \
    } while (0)
Status clv_fail_null(cleave_error *error, const char *function, const char *arguments);

/* Structs of <cleave.h> that begin with `size_t size`, set by the caller. clv_take_sized copies the
 * caller's struct to own, with zeros for members that the caller's version lacks; a size of 0 is an
 * error. clv_give_sized copies own to the caller's struct, up to its size, and keeps its size. */
Status clv_take_sized(void *own, size_t own_size, const void *given, const char *type,
                      cleave_error *error);
void clv_give_sized(void *given, const void *own, size_t own_size);

/* Returns from the calling function when the expression fails. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        Status try_status_ = (expression);                                                         \
        if (try_status_ != OK)                                                                     \
            return try_status_;                                                                    \
    } while (0)

/* Sets status to the expression unless an earlier step failed. Used for steps before a cleanup that
 * always runs. */
#define THEN(status, expression)                                                                   \
    do {                                                                                           \
        if ((status) == OK)                                                                        \
            (status) = (expression);                                                               \
    } while (0)

/* Fills error, which may be NULL, and returns code, so that a failure takes one line: return
 * clv_fail(error, …). */
Status clv_fail(cleave_error *error, cleave_code code, const char *format, ...) CLEAVE_PRINTF(3, 4);

/* Adds the hint to the last error and returns its code. */
Status clv_hint(cleave_error *error, cleave_code code, const char *format, ...) CLEAVE_PRINTF(3, 4);

/* Combines both functions. The hint is text, not a format. */
Status clv_fail_hint(cleave_error *error, cleave_code code, const char *hint, const char *format,
                     ...) CLEAVE_PRINTF(4, 5);

/* Fails with "not enough memory for WHAT". */
Status clv_fail_memory(cleave_error *error, const char *what, size_t size);

/* Fails with "path: what: strerror(errno)". */
Status clv_fail_io(cleave_error *error, const char *path, const char *what);

/* Copies text for a message: shortened to a few dozen bytes and escaped (base/escape.h). Returns
 * buffer. */
#define QUOTE_SIZE 96
const char *clv_quote(char buffer[QUOTE_SIZE], const char *text, size_t length);

#endif
