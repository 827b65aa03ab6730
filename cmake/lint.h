/*
 * For clang-tidy only (scripts/lint includes it before every file but base/status.c): tells the analyzer, which looks at one
 * file at a time, that the functions that report a failure return it.
 */
#include "base/status.h"

#define clv_fail(error, code, ...) ((void)clv_fail((error), (code), __VA_ARGS__), (code))
#define clv_hint(error, code, ...) ((void)clv_hint((error), (code), __VA_ARGS__), (code))
#define clv_fail_memory(...) ((void)clv_fail_memory(__VA_ARGS__), CLEAVE_ERROR_MEMORY)
#define clv_fail_io(...) ((void)clv_fail_io(__VA_ARGS__), CLEAVE_ERROR_IO)

#ifdef LINT_FORMATS /* the files of read/ that use it, but not the one that defines it */
#include "read/reader.h"

#define clv_chunk_fail(chunk, line, column, code, ...)                                                                 \
    ((void)clv_chunk_fail((chunk), (line), (column), (code), __VA_ARGS__), (code))
#define clv_chunk_hint(...) ((void)clv_chunk_hint(__VA_ARGS__), CLEAVE_ERROR_DATA)
#endif
