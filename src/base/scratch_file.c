#include "base/scratch_file.h"

#include "base/file.h"
#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SMALL = 4096 }; /* minimum size of an array in a file */

typedef struct ScratchPiece Piece;
struct ScratchPiece {
    Piece *next;
    void *array;
    size_t bytes;
    bool mapped;
};

/* ---- the file -------------------------------------------------------------------------------- */

static Status fail_space(size_t bytes, const char *what, int reason, cleave_error *error)
{
    char folder[QUOTE_SIZE];
    const char *path = clv_temporary_folder();

    return clv_fail_hint(error, CLEAVE_ERROR_IO,
                         "free disk space there, or set TMPDIR to a folder on a larger disk; the "
                         "data does not fit into memory",
                         "%s: a temporary file of %zu bytes for %s cannot be created: %s",
                         clv_quote(folder, path, strlen(path)), bytes, what, strerror(reason));
}

/* Reserves disk space for the whole array, because writing to a page without space would raise a
 * signal. */
static Status map_file(int file, size_t bytes, const char *what, void **array, cleave_error *error)
{
    int reason;

    if (bytes > (size_t)INT64_MAX)
        return fail_space(bytes, what, EFBIG, error);
    do
        reason = posix_fallocate(file, 0, (off_t)bytes);
    while (reason == EINTR);
    if (reason != 0)
        return fail_space(bytes, what, reason, error);
    *array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (*array == MAP_FAILED) {
        *array = NULL;
        return fail_space(bytes, what, errno, error);
    }
    return OK;
}

static Status take_file(Scratch *scratch, size_t bytes, const char *what, void **array,
                        cleave_error *error)
{
    Status status;
    int file;

    TRY(clv_temporary_file(scratch->context, NULL, &file, error));
    status = map_file(file, bytes, what, array, error);
    close(file); /* the mapping keeps the file alive */
    return status;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static Status fill_piece(Scratch *scratch, Piece *piece, const char *what, cleave_error *error)
{
    size_t left = scratch->memory - scratch->taken;

    piece->mapped = piece->bytes > left && piece->bytes > SMALL;
    if (piece->mapped) {
        if (!scratch->told)
            clv_note(scratch->context,
                     "memory is low; the training data is stored in temporary files in %s",
                     clv_temporary_folder());
        scratch->told = true;
        return take_file(scratch, piece->bytes, what, &piece->array, error);
    }
    TRY(clv_new(scratch->context, &piece->array, piece->bytes, 1, false, what, error));
    clv_large_pages(piece->array, piece->bytes); /* called before the first access */
    memset(piece->array, 0, piece->bytes);
    scratch->taken += piece->bytes < left ? piece->bytes : left;
    return OK;
}

static Status take(void *user, size_t bytes, const char *what, void **array, cleave_error *error)
{
    Scratch *scratch = user;
    Piece *piece = clv_alloc_zero(scratch->context, 1, sizeof *piece);
    Status status;

    *array = NULL;
    if (!piece)
        return clv_fail_memory(error, what, sizeof *piece);
    piece->bytes = bytes;
    pthread_mutex_lock(&scratch->lock);
    status = fill_piece(scratch, piece, what, error);
    if (status == OK) {
        *array = piece->array;
        piece->next = scratch->pieces;
        scratch->pieces = piece;
    }
    pthread_mutex_unlock(&scratch->lock);
    if (status != OK)
        clv_free(scratch->context, piece);
    return status;
}

static void free_piece(Scratch *scratch, Piece *piece)
{
    if (piece->mapped) {
        munmap(piece->array, piece->bytes);
    } else {
        scratch->taken -= piece->bytes < scratch->taken ? piece->bytes : scratch->taken;
        clv_free(scratch->context, piece->array);
    }
    clv_free(scratch->context, piece);
}

static void give_back(void *user, void *array)
{
    Scratch *scratch = user;

    pthread_mutex_lock(&scratch->lock);
    for (Piece **at = &scratch->pieces; *at; at = &(*at)->next) {
        Piece *piece = *at;

        if (piece->array != array)
            continue;
        *at = piece->next;
        free_piece(scratch, piece);
        break;
    }
    pthread_mutex_unlock(&scratch->lock);
}

void clv_scratch_init(Scratch *scratch, Context *context, size_t memory)
{
    *scratch = (Scratch){.context = context,
                         .memory = memory,
                         .workspace = {.user = scratch, .take = take, .give_back = give_back}};
    pthread_mutex_init(&scratch->lock, NULL);
}

void clv_scratch_free(Scratch *scratch)
{
    if (!scratch->context)
        return;
    while (scratch->pieces) {
        Piece *piece = scratch->pieces;

        scratch->pieces = piece->next;
        free_piece(scratch, piece);
    }
    pthread_mutex_destroy(&scratch->lock);
    scratch->context = NULL;
}

size_t clv_scratch_memory(bool rows_on_disk)
{
    size_t most = clv_memory_limit() / 4 * 3, used = clv_memory_used();

    return rows_on_disk || used > most ? 0 : most - used;
}
