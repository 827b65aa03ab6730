#define _GNU_SOURCE /* O_DIRECT */
#include "data/tour.h"

#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,     /* alignment of direct reads, in the file and in memory */
    PIECE = 4 << 20, /* bytes per read of consecutive blocks */
    THREADS = 6,     /* number of concurrent reads; three reads do not use a fast disk fully */
    WORTH_WAKING =
        /* number of free bytes at which a thread is woken; waking it for every block would take
         * longer than the read */
    2 << 20,
    ASK_AHEAD = 16 << 20, /* mapped: bytes announced to the kernel in advance */
    HUGE_PAGE = 2 << 20,
};

typedef struct TourReader TourReader;
typedef enum { COMING, READY, UNREADABLE, DAMAGED } PlaceState;

typedef struct {
    const char *data;
    /* end of the part of the ring that is free when this and all earlier positions are released */
    uint64_t frees;
    PlaceState state;
} TourPlace;

struct TourReader {
    Dataset *dataset;
    TourPlan plan;
    char *memory, *ring;
    size_t size; /* size of the ring buffer */
    TourPlace *place;

    pthread_mutex_t lock;
    pthread_cond_t workspace, ready;
    pthread_t thread[THREADS];
    unsigned threads;
    bool leaving;
    unsigned waiting;    /* number of threads that wait for space */
    uint32_t planned;    /* positions before this one are read, or being read */
    uint64_t head, tail; /* number of bytes of the ring allocated, and released, since the start */
    int error;           /* errno of a failed read; 0: the file is shorter than before */
};

static uint32_t block_at(const TourPlan *plan, uint32_t place)
{
    return plan->order ? plan->order[place] : plan->first + place;
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* Consecutive blocks of the file that are read at once. */
typedef struct {
    uint32_t first, end; /* range of positions */
    uint64_t offset;     /* offset in the file, a multiple of PAGE */
    /* number of bytes up to the end of the last block; the same number rounded up to PAGE */
    size_t wanted, size;
    char *to;
} Piece;

static uint64_t offset_of(const TourReader *reader, uint32_t place)
{
    return (uint64_t)(reader->dataset->block[block_at(&reader->plan, place)].data -
                      (const char *)reader->dataset->base);
}

static size_t size_of(const TourReader *reader, uint32_t place)
{
    return reader->dataset->block[block_at(&reader->plan, place)].size;
}

static Piece next_piece(const TourReader *reader)
{
    Piece piece = {.first = reader->planned, .end = reader->planned + 1};

    piece.offset = offset_of(reader, piece.first) & ~(uint64_t)(PAGE - 1);
    piece.wanted = (size_t)(offset_of(reader, piece.first) - piece.offset) +
                   size_of(reader, piece.first);
    while (piece.end < reader->plan.places) {
        uint64_t offset = offset_of(reader, piece.end), last = piece.offset + piece.wanted;
        size_t size;

        if (offset < last || offset - last >= PAGE)
            break;
        size = (size_t)(offset - piece.offset) + size_of(reader, piece.end);
        if (size > PIECE)
            break;
        piece.wanted = size;
        piece.end++;
    }
    piece.size = (piece.wanted + PAGE - 1) & ~(size_t)(PAGE - 1);
    return piece;
}

/* The start of a piece in the ring, in which a piece is contiguous. */
static uint64_t beginning_of(const TourReader *reader, const Piece *piece)
{
    size_t at = (size_t)(reader->head % reader->size);

    return reader->head + (at + piece->size > reader->size ? reader->size - at : 0);
}

static bool has_space(const TourReader *reader, const Piece *piece)
{
    return beginning_of(reader, piece) + piece->size - reader->tail <= reader->size;
}

/* Wakes one thread if there is work. */
static void wake(TourReader *reader)
{
    Piece piece;

    if (reader->waiting == 0 || reader->planned == reader->plan.places)
        return;
    piece = next_piece(reader);
    if (has_space(reader, &piece))
        pthread_cond_signal(&reader->workspace);
}

static void take_space(TourReader *reader, Piece *piece)
{
    uint64_t begin = beginning_of(reader, piece), end = begin + piece->size;

    piece->to = reader->ring + begin % reader->size;
    for (uint32_t i = piece->first; i < piece->end; i++)
        reader->place[i] = (TourPlace){.data = piece->to + (offset_of(reader, i) - piece->offset),
                                       .frees = i + 1 == piece->end ? end : begin};
    reader->head = end;
    reader->planned = piece->end;
}

/* Reads a piece. For UNREADABLE, *why is the errno, or 0 if the file is shorter than before. */
static PlaceState read_piece(TourReader *reader, const Piece *piece, int *why)
{
    int file = reader->dataset->file;
    size_t got = 0;

    while (got < piece->wanted) {
        ssize_t more = pread(file, piece->to + got, piece->size - got,
                             (off_t)(piece->offset + got));
        int flags = fcntl(file, F_GETFL);

        if (more > 0) {
            got += (size_t)more;
        } else if (more < 0 && errno == EINVAL && flags >= 0 && (flags & O_DIRECT)) {
            fcntl(
                file, F_SETFL,
                flags &
                    ~O_DIRECT); /* not supported by the file system: read through the page cache */
        } else if (more == 0 || errno != EINTR) {
            *why = more < 0 ? errno : 0;
            return UNREADABLE;
        }
    }
    if (!(fcntl(file, F_GETFL) & O_DIRECT))
        posix_fadvise(file, (off_t)piece->offset, (off_t)piece->size, POSIX_FADV_DONTNEED);
    return READY;
}

static PlaceState check_place(const TourReader *reader, uint32_t place)
{
    uint32_t number = block_at(&reader->plan, place);

    return clv_dataset_verify(reader->dataset, number, reader->place[place].data) ? READY : DAMAGED;
}

static void read_and_check(TourReader *reader, const Piece *piece)
{
    int why = 0;
    PlaceState state = read_piece(reader, piece, &why);

    for (uint32_t i = piece->first; i < piece->end; i++) {
        PlaceState found = state == READY ? check_place(reader, i) : state;

        pthread_mutex_lock(&reader->lock);
        reader->place[i].state = found;
        if (found == UNREADABLE)
            reader->error = why;
        pthread_cond_signal(&reader->ready);
        pthread_mutex_unlock(&reader->lock);
    }
}

static void *read_ahead(void *given)
{
    TourReader *reader = given;

    pthread_mutex_lock(&reader->lock);
    while (!reader->leaving && reader->planned < reader->plan.places) {
        Piece piece = next_piece(reader);

        if (!has_space(reader, &piece)) {
            reader->waiting++;
            pthread_cond_wait(&reader->workspace, &reader->lock);
            reader->waiting--;
            continue;
        }
        take_space(reader, &piece);
        wake(reader); /* this thread wakes the next one */
        pthread_mutex_unlock(&reader->lock);
        read_and_check(reader, &piece);
        pthread_mutex_lock(&reader->lock);
    }
    pthread_mutex_unlock(&reader->lock);
    return NULL;
}

/* ---- start and end --------------------------------------------------------------------------- */

/* The size of the ring: twice the bytes in use, so that the next bytes are read at the same time,
 * or once if memory is short. 0: it would be too large. A piece that does not fit at the end of the
 * ring starts at its beginning, and pieces can overlap held and next blocks. If no block is held,
 * the ring has as many pieces again, which absorbs short delays of the disk or the learner. */
static size_t ring_size(const Dataset *dataset, const TourPlan *plan)
{
    enum { PIECES = 4 };
    size_t piece = PIECE, memory = clv_memory_limit() / (plan->beside > 1 ? plan->beside : 1),
           least, size;

    for (uint32_t i = 0; i < plan->places; i++)
        if (tour_bytes(dataset, block_at(plan, i)) > piece)
            piece = tour_bytes(dataset, block_at(plan, i));
    least = plan->held + PIECES * piece;
    size = least + (plan->held > 0 ? plan->held : PIECES * piece);
    size = size <= memory / 2 ? size : least;
    return size <= memory / 4 * 3 ? (size + PAGE - 1) & ~(size_t)(PAGE - 1) : 0;
}

static void free_reader(TourReader *reader)
{
    Context *context = reader->dataset->context;

    pthread_mutex_lock(&reader->lock);
    reader->leaving = true;
    pthread_cond_broadcast(&reader->workspace);
    pthread_mutex_unlock(&reader->lock);
    for (unsigned i = 0; i < reader->threads; i++)
        pthread_join(reader->thread[i], NULL);
    pthread_cond_destroy(&reader->ready);
    pthread_cond_destroy(&reader->workspace);
    pthread_mutex_destroy(&reader->lock);
    FREE(context, reader->place, reader->memory, reader);
}

/* Allocates memory for a ring and for the state of each position. Returns false if memory is
 * exhausted. */
static bool reserve_space(TourReader *reader)
{
    Context *context = reader->dataset->context;

    reader->size = ring_size(reader->dataset, &reader->plan);
    if (reader->size == 0)
        return false;
    reader->place = clv_alloc_zero(context, reader->plan.places, sizeof *reader->place);
    reader->memory = clv_alloc(context, reader->size + HUGE_PAGE, 1);
    if (!reader->place || !reader->memory)
        return false;
    reader->ring = reader->memory + (HUGE_PAGE - (uintptr_t)reader->memory % HUGE_PAGE) % HUGE_PAGE;
    /* huge pages, because rows are read in random order */
    madvise(reader->ring, reader->size, MADV_HUGEPAGE);
    return true;
}

/* Opens a reader; NULL if it is unavailable. */
static TourReader *open_reader(Dataset *dataset, TourPlan plan)
{
    TourReader *reader = clv_alloc_zero(dataset->context, 1, sizeof *reader);

    if (!reader)
        return NULL;
    reader->dataset = dataset;
    reader->plan = plan;
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->workspace, NULL);
    pthread_cond_init(&reader->ready, NULL);
    if (reserve_space(reader))
        while (reader->threads < THREADS &&
               pthread_create(&reader->thread[reader->threads], NULL, read_ahead, reader) == 0)
            reader->threads++;
    if (reader->threads == 0) {
        free_reader(reader);
        return NULL;
    }
    return reader;
}

void clv_tour_begin(Tour *tour, Dataset *dataset, TourPlan plan)
{
    clv_tour_end(tour);
    *tour = (Tour){.dataset = dataset, .plan = plan};
    if (dataset->on_disk && plan.places > 0)
        tour->reader = open_reader(dataset, plan);
}

void clv_tour_end(Tour *tour)
{
    if (tour->reader)
        free_reader(tour->reader);
    *tour = (Tour){0};
}

/* ---- the tour -------------------------------------------------------------------------------- */

/* Announces the next blocks to the kernel. Blocks that were visited before are in memory, as far as
 * they fit. */
static void announce(Tour *tour)
{
    const Dataset *dataset = tour->dataset;
    size_t bytes = 0;

    if (!dataset->map)
        return;
    if (tour->announced < tour->next)
        tour->announced = tour->next;
    for (uint32_t i = tour->next; i < tour->announced; i++)
        bytes += dataset->block[block_at(&tour->plan, i)].size;
    if (bytes > ASK_AHEAD / 2)
        return;
    for (; tour->announced < tour->plan.places && bytes < ASK_AHEAD; tour->announced++) {
        const struct PackedBlock *packed = &dataset->block[block_at(&tour->plan, tour->announced)];

        bytes += packed->size;
        if (!clv_dataset_verified(packed))
            clv_will_need(packed->data, packed->size);
    }
}

static Status take_read(Tour *tour, Block *block, cleave_error *error)
{
    TourReader *reader = tour->reader;
    uint32_t number = block_at(&tour->plan, tour->next);
    TourPlace *place = &reader->place[tour->next++];
    PlaceState state;

    pthread_mutex_lock(&reader->lock);
    if (place->state == COMING)
        wake(reader);
    while (place->state == COMING)
        pthread_cond_wait(&reader->ready, &reader->lock);
    state = place->state;
    pthread_mutex_unlock(&reader->lock);
    if (state != READY) {
        const char *name = tour->dataset->path ? tour->dataset->path : "dataset";

        if (place->state == DAMAGED)
            return clv_dataset_corrupt(tour->dataset, number, error);
        errno = tour->reader->error;
        if (errno)
            return clv_fail_io(error, name, "reading failed");
        return clv_fail(error, CLEAVE_ERROR_IO,
                        "%s: reading failed: the file is shorter than before", name);
    }
    return clv_dataset_view(tour->dataset, number, place->data, block, error);
}

Status clv_tour_next(Tour *tour, Block *block, bool *more, cleave_error *error)
{
    *more = tour->next < tour->plan.places;
    if (!*more)
        return OK;
    if (tour->reader)
        return take_read(tour, block, error);
    announce(tour);
    return clv_dataset_block(tour->dataset, block_at(&tour->plan, tour->next++), block, error);
}

void clv_tour_release(Tour *tour)
{
    TourReader *reader = tour->reader;

    if (!reader || tour->next == 0)
        return;
    if (tour->next == tour->plan.places) {
        free_reader(reader);
        tour->reader = NULL;
        return;
    }
    pthread_mutex_lock(&reader->lock);
    if (reader->place[tour->next - 1].frees > reader->tail)
        reader->tail = reader->place[tour->next - 1].frees;
    if (reader->size - (reader->head - reader->tail) >= WORTH_WAKING)
        wake(reader);
    pthread_mutex_unlock(&reader->lock);
}

Status clv_tour(Dataset *dataset, TourPlan plan, TourVisit *visit, void *user, cleave_error *error)
{
    Status status = OK;
    Tour tour = {0};

    clv_tour_begin(&tour, dataset, plan);
    while (status == OK) {
        Block block;
        bool more;

        clv_tour_release(&tour);
        status = clv_tour_next(&tour, &block, &more, error);
        if (status != OK || !more)
            break;
        status = visit(user, &block, error);
    }
    clv_tour_end(&tour);
    return status;
}

Status clv_tour_all(Dataset *dataset, TourVisit *visit, void *user, cleave_error *error)
{
    return clv_tour(dataset, (TourPlan){.places = dataset->blocks}, visit, user, error);
}
