/* Internals of the reader (reader.h): its state and the functions its files share. */
#ifndef READ_READER_PARTS_H
#define READ_READER_PARTS_H

#include "read/bytes.h"
#include "read/folder.h"
#include "read/reader.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { CHUNK_BYTES = 512 * 1024, HEAD_BYTES = 1024 * 1024, SNIFFED = 64 * 1024 };

typedef enum { FREE, BUSY, DONE } SlotState;

typedef struct {
    Chunk chunk;
    SlotState state;
    bool placed; /* the error already contains its file name */
} ReaderSlot;

/* The state of a reader. Fields up to the lock belong to the thread that set `reading` (or to the
 * only thread); `lock` protects the fields after it. */
struct ReaderParts {
    char **paths;
    size_t path_count, next_path;
    const void *memory; /* bytes in memory, instead of paths */
    size_t memory_size;
    char *memory_name;
    bool memory_used;
    uint64_t *path_size; /* sizes of the files, set when only a range is read */
    uint64_t before;     /* size of the previous files */
    uint64_t range_from; /* start of the range in the open file */

    Folder *folder; /* open folder, instead of bytes */
    bool again;     /* the data was rewound: warnings were already written */
    Bytes *bytes;
    Buffer carry;   /* bytes that are read but not yet part of a chunk */
    bool bytes_end; /* the end of the file was read */
    /* a wait was interrupted: the available rows are returned, then CLEAVE_ERROR_CANCELLED */
    bool cut_off;
    bool first_chunk;
    uint64_t records;

    size_t slots;
    ReaderSlot *slot;
    uint64_t settled; /* number of chunks that were returned to the caller */
    bool holding;     /* the caller is using the block of chunk number `settled` */
    uint64_t file_rows, file_empty_rows, raw_bytes;
    bool ended;

    uint64_t empty_rows, first_empty_line;
    char *first_empty_file;

    unsigned threads;   /* parsing threads; 0: only the calling thread */
    bool caller_parses; /* the calling thread parses instead of waiting */
    pthread_t *worker;
    unsigned started;
    pid_t process; /* process that started the threads */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    bool synchronised;   /* the three fields above are initialized */
    atomic_bool closing; /* read by a worker that waits for input */
    uint64_t fetched;    /* number of chunks returned */
    bool file_ready;     /* more chunks can be fetched from the open file */
    bool reading;        /* a thread is fetching a chunk */
    bool stop;
};

/* ---- reader_chunks.c ------------------------------------------------------------------------- */
/* Reads more bytes. An interrupted wait keeps the bytes read so far. */
Status clv_reader_read_on(Reader *reader, char *text, size_t want, size_t *got,
                          cleave_error *error);
/* Fetches and parses one chunk; *more is the state of the file afterwards. Errors stay in the
 * chunk. */
bool clv_reader_fetch(Reader *reader, ReaderSlot *slot);
void clv_reader_parse(const Reader *reader, ReaderSlot *slot);

/* ---- reader_workers.c ------------------------------------------------------------------------ */
/* Starts workers. If a thread cannot be created, the existing threads or the caller do the work. */
void clv_reader_start_workers(Reader *reader);
/* Returns whether this is a forked child: the threads of the parent do not exist in it, and chunks
 * and the lock may be in an inconsistent state. */
bool clv_reader_is_orphaned(const struct ReaderParts *parts);
Status clv_reader_refuse_orphan(const Reader *reader, cleave_error *error);
void clv_reader_stop_workers(struct ReaderParts *parts);
/* Returns the next parsed chunk in order; NULL in *slot at the end of the open file. */
void clv_reader_wait(Reader *reader, ReaderSlot **result);
void clv_reader_give_back(Reader *reader);

/* ---- reader_files.c -------------------------------------------------------------------------- */
/* Returns whether the open file is read as Arrow or Parquet, by the option and the first bytes. */
bool clv_reads_arrow(const Reader *reader, const char *head, size_t size);
/* Converts such a file, of which `head` was read, to CSV in a temporary file, and sets the kinds of
 * its columns. */
Status clv_unwrap_arrow(Reader *reader, Bytes *bytes, const char *head, size_t size, Bytes **table,
                        cleave_error *error);
/* Completes the error with its position; for a part of a file, counts the lines before it. */
Status clv_reader_place_error(Reader *reader, const Chunk *chunk, cleave_error *error);
Status clv_reader_open_file(Reader *reader, cleave_error *error);
/* Reads the first bytes of the open file; for a NumPy archive or an array in Fortran order, the
 * first bytes of its rows. */
Status clv_reader_read_head(Reader *reader, cleave_error *error);
Status clv_reader_start_format(Reader *reader, cleave_error *error);
/* Opens the next file for the workers; *opened is false after the last. */
Status clv_reader_next_file(Reader *reader, bool *opened, cleave_error *error);
Status clv_reader_check_file(Reader *reader, cleave_error *error);

/* ---- reader_warnings.c ----------------------------------------------------------------------- */
/* Refuses a guessed label column with about as many classes as rows: after the last row, or earlier
 * if certain. */
Status clv_reader_check_label_guess(const Reader *reader, bool ended, cleave_error *error);
/* Writes the warnings after the last file. */
Status clv_reader_check_all(Reader *reader, cleave_error *error);
void clv_reader_warn_unfinished(Reader *reader, uint64_t line);

#endif
