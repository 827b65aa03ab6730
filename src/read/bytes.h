/*
 * Byte sources: a file, standard input or memory. gzip and zstd are detected by their first bytes.
 */
#ifndef READ_BYTES_H
#define READ_BYTES_H

#include "base/memory.h"

#include <stdatomic.h>

typedef struct Bytes Bytes;

Status clv_bytes_open(Context *context, const char *path, Bytes **bytes,
                      cleave_error *error); /* "-": standard input */
/* Opens bytes in memory, which must outlive the result; name is for messages. */
Status clv_bytes_from_memory(Context *context, const char *name, const void *data, size_t size,
                             Bytes **bytes, cleave_error *error);
/* Sets a flag with which another thread can interrupt a wait for input; NULL: no flag. */
void clv_bytes_give_up_on(Bytes *bytes, const atomic_bool *flag);
/* Fills the buffer. *got is less than want only at the end of the input. */
Status clv_bytes_read(Bytes *bytes, void *buffer, size_t want, size_t *got, cleave_error *error);
/* Restricts a plain, uncompressed file to the bytes from … to - 1. */
Status clv_bytes_range(Bytes *bytes, uint64_t from, uint64_t to, cleave_error *error);
/* Finds the first line of such a file that starts at byte `at` or later. Returns the file size if
 * there is no such line. */
Status clv_bytes_line_start(Bytes *bytes, uint64_t at, uint64_t *start, cleave_error *error);
/* Counts the newlines of such a file before byte `at`. */
Status clv_bytes_count_lines(Bytes *bytes, uint64_t at, uint64_t *lines, cleave_error *error);
/* Reads the available bytes, at least one. Waits for at most a second; then *got is 0 and *ended is
 * false. */
Status clv_bytes_read_some(Bytes *bytes, void *buffer, size_t want, size_t *got, bool *ended,
                           cleave_error *error);
/* Skips bytes without reading them. Returns false, without an effect, if seeking is impossible or
 * too few bytes exist. */
bool clv_bytes_jump(Bytes *bytes, uint64_t count);
/* Opens an already open regular file from its first byte; closes it also on failure. name is for
 * messages. */
Status clv_bytes_from_file(Context *context, const char *name, int file, Bytes **bytes,
                           cleave_error *error);
/* Returns whether bytes can be read at any position: a plain, uncompressed file, or memory. */
bool clv_bytes_seekable(const Bytes *bytes);
/* Reads at a position without moving the current position. *got is less than want only at the
 * end. */
Status clv_bytes_at(const Bytes *bytes, uint64_t at, void *buffer, size_t want, size_t *got,
                    cleave_error *error);
/* Restricts such bytes to a member of an archive, `size` bytes when decompressed, checked to the
 * end. */
Status clv_bytes_member(Bytes *bytes, uint64_t from, uint64_t packed, uint64_t size, uint32_t crc,
                        bool deflated, cleave_error *error);
void clv_bytes_close(Bytes *bytes); /* accepts NULL */

const char *clv_bytes_name(const Bytes *bytes);
bool clv_bytes_compressed(const Bytes *bytes);
bool clv_bytes_regular(const Bytes *bytes);   /* a plain file that can be mapped or opened again */
uint64_t clv_bytes_done(const Bytes *bytes);  /* raw bytes read, before decompression */
uint64_t clv_bytes_total(const Bytes *bytes); /* raw size; 0 if unknown */

#endif
