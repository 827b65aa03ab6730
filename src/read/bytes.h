/*
 * Where bytes come from: a file, standard input or memory, through gzip or zstd when their first bytes say so.
 */
#ifndef READ_BYTES_H
#define READ_BYTES_H

#include "base/memory.h"

#include <stdatomic.h>

typedef struct Bytes Bytes;

Status clv_bytes_open(Context *context, const char *path, Bytes **bytes, cleave_error *error); /* "-": standard input */
/* Bytes in memory, which must outlive it; name is for messages. */
Status clv_bytes_from_memory(Context *context, const char *name, const void *data, size_t size, Bytes **bytes,
                             cleave_error *error);
/* A flag another thread may set to end a wait for input; NULL: none. */
void clv_bytes_give_up_on(Bytes *bytes, const atomic_bool *flag);
/* Fills buffer: *got < want only at the end. */
Status clv_bytes_read(Bytes *bytes, void *buffer, size_t want, size_t *got, cleave_error *error);
/* Of a plain file that is not compressed: what follows is its bytes from … to - 1. */
Status clv_bytes_range(Bytes *bytes, uint64_t from, uint64_t to, cleave_error *error);
/* Of such a file: where the first line begins that begins at byte `at` or later; its size where none does. */
Status clv_bytes_line_start(Bytes *bytes, uint64_t at, uint64_t *start, cleave_error *error);
/* Of such a file: how many newlines stand before byte `at`. */
Status clv_bytes_count_lines(Bytes *bytes, uint64_t at, uint64_t *lines, cleave_error *error);
/* What is at hand, one byte at the least: waits for it, but no longer than a second (then *got is 0 and *ended false). */
Status clv_bytes_read_some(Bytes *bytes, void *buffer, size_t want, size_t *got, bool *ended, cleave_error *error);
/* Passes over bytes without reading them; false, and nothing is done, where that cannot be or there are not so many. */
bool clv_bytes_jump(Bytes *bytes, uint64_t count);
/* Over an open regular file, from its first byte; closes it also on failure. name is for messages. */
Status clv_bytes_from_file(Context *context, const char *name, int file, Bytes **bytes, cleave_error *error);
/* Whether bytes can be read at any place: a plain file that is not compressed, or memory. */
bool clv_bytes_seekable(const Bytes *bytes);
/* Reads at a place without moving the place where reading goes on; *got < want only at the end. */
Status clv_bytes_at(const Bytes *bytes, uint64_t at, void *buffer, size_t want, size_t *got, cleave_error *error);
/* Of such bytes: what follows is the member of an archive that lies there, `size` bytes when unpacked, checked to the end. */
Status clv_bytes_member(Bytes *bytes, uint64_t from, uint64_t packed, uint64_t size, uint32_t crc, bool deflated,
                        cleave_error *error);
void clv_bytes_close(Bytes *bytes); /* NULL is fine */

const char *clv_bytes_name(const Bytes *bytes);
bool clv_bytes_compressed(const Bytes *bytes);
bool clv_bytes_regular(const Bytes *bytes);   /* a plain file that could be mapped or opened again */
uint64_t clv_bytes_done(const Bytes *bytes);  /* raw bytes taken, before decompression */
uint64_t clv_bytes_total(const Bytes *bytes); /* raw size; 0 when not known */

#endif
