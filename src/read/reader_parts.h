/* The parts of the reader (reader.h): its state, and what its files share. */
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
    bool placed; /* the error has its file name already */
} Slot;

/* The machinery. Fields up to the lock belong to whoever set `reading` (or to the only thread); those after it to `lock`. */
struct ReaderParts {
    char **paths;
    size_t path_count, next_path;
    const void *memory; /* instead of paths */
    size_t memory_size;
    char *memory_name;
    bool memory_used;
    uint64_t *path_size; /* where only a range is read */
    uint64_t before;     /* … the sizes of the files before the open one */
    uint64_t range_from; /* … and where in the open file it begins */

    Folder *folder; /* instead of bytes */
    bool again;     /* the data has been rewound: what looks like a mistake was said */
    Bytes *bytes;
    Buffer carry;   /* bytes read and not yet given to a chunk */
    bool bytes_end; /* the file has been read to its end */
    bool cut_off;   /* nobody waits for the rest: what is at hand is given out, then CLEAVE_ERROR_CANCELLED */
    bool first_chunk;
    uint64_t records;

    size_t slots;
    Slot *slot;
    uint64_t settled; /* chunks given back by the caller */
    bool holding;     /* the caller looks at the block of chunk number `settled` */
    uint64_t file_rows, file_empty_rows, raw_bytes;
    bool ended;

    uint64_t empty_rows, first_empty_line;
    char *first_empty_file;

    unsigned threads; /* that parse; 0: the calling thread does it all */
    bool lends_hand;  /* the calling thread is one of them, rather than wait */
    pthread_t *worker;
    unsigned started;
    pid_t process; /* that started them */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    bool synchronised;   /* the three above exist */
    atomic_bool closing; /* seen by a worker that waits for input */
    uint64_t fetched;    /* chunks handed out */
    bool file_ready;     /* more chunks can be fetched from the open file */
    bool reading;        /* somebody fetches one */
    bool stop;
};

/* ---- reader_chunks.c */
/* Reads on; where the wait for more is interrupted, what has come counts. */
Status clv_reader_read_on(Reader *reader, char *text, size_t want, size_t *got, cleave_error *error);
/* Fetches and parses one chunk; the state of the file afterwards in *more. Errors stay in the chunk. */
bool clv_reader_fetch(Reader *reader, Slot *slot);
void clv_reader_parse(const Reader *reader, Slot *slot);

/* ---- reader_workers.c */
/* Workers are an optimisation: where a thread cannot be made, those that were made do the work, or the caller. */
void clv_reader_start_workers(Reader *reader);
/* In a forked child: threads of the parent were reading, and the child has none of them. Chunks and the lock may have been left
 * in the middle of a change. */
bool clv_reader_is_orphaned(const struct ReaderParts *parts);
Status clv_reader_refuse_orphan(const Reader *reader, cleave_error *error);
void clv_reader_stop_workers(struct ReaderParts *parts);
/* The next chunk in order, parsed; NULL in *slot when the open file has no more. */
void clv_reader_wait(Reader *reader, Slot **result);
void clv_reader_give_back(Reader *reader);

/* ---- reader_files.c */
/* The error with its place; of a part of a file, now it is worth the while to count the lines before it. */
Status clv_reader_place_error(Reader *reader, const Chunk *chunk, cleave_error *error);
Status clv_reader_open_file(Reader *reader, cleave_error *error);
/* The first bytes of the open file; those of its rows where it is a NumPy archive or an array in Fortran order. */
Status clv_reader_read_head(Reader *reader, cleave_error *error);
Status clv_reader_start_format(Reader *reader, cleave_error *error);
/* Opens the next file and lets the workers at it; false in *opened when there is none. */
Status clv_reader_next_file(Reader *reader, bool *opened, cleave_error *error);
Status clv_reader_check_file(Reader *reader, cleave_error *error);

/* ---- reader_warnings.c */
/* Refuses a guessed label column with about as many classes as rows: when all rows were read, and before where that is plain. */
Status clv_reader_check_label_guess(const Reader *reader, bool ended, cleave_error *error);
/* Once all files have been read. */
Status clv_reader_check_all(Reader *reader, cleave_error *error);
void clv_reader_warn_unfinished(Reader *reader, uint64_t line);

#endif
