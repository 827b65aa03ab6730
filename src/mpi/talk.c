#include "mpi/talk.h"

#include "base/hash.h"
#include "cli/ui/call.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TAG_SIZE = 1, TAG_BYTES = 2, LARGEST_PIECE = 1 << 28 };
enum { MESSAGE_OK, MESSAGE_ERROR }; /* values of the first byte of a message */

typedef struct {
    uint64_t machine; /* equal for processes with the same process table */
    int64_t process;
} Peer;

struct TalkParts {
    Peer *peer;  /* element for each rank */
    int speaker; /* copy of standard error, also if this rank prints nothing */

    /* Members shared by the thread that communicates and the thread that watches. */
    atomic_int waiting_for; /* rank from which a message is expected; -1: none */
    _Atomic double since;   /* time when the wait began */
    atomic_uint round;
    _Atomic(const char *) hint; /* message that explains how to resume */
    atomic_bool over;           /* the job is ending, and the reason has been printed */
    atomic_bool stop;           /* ends the watching thread */
    pthread_t watcher;
    bool watched;
};

static void start_watching(Talk *talk);
static void stop_watching(Talk *talk);

/* ---- begin and end --------------------------------------------------------------------------- */

/* A hash of name, boot and process namespace of this machine. */
static uint64_t this_machine(void)
{
    char facts[512] = {0};
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got;

    gethostname(facts, 255);
    if (file >= 0) {
        got = read(file, facts + 256, 64);
        (void)got;
        close(file);
    }
    got = readlink("/proc/self/ns/pid", facts + 384, 64);
    (void)got;
    return clv_hash(facts, sizeof facts, 0);
}

static void stop_printing(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

bool clv_talk_begin(Talk *talk, int *count, char ***words)
{
    Peer mine;

    *talk = (Talk){0};
    if (MPI_Init(count, words) != MPI_SUCCESS)
        return false;
    MPI_Comm_rank(MPI_COMM_WORLD, &talk->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &talk->size);
    talk->parts = cli_alloc(NULL, 1, sizeof *talk->parts);
    *talk->parts = (struct TalkParts){.peer = cli_alloc(NULL, (size_t)talk->size, sizeof(Peer)),
                                      .speaker = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3),
                                      .waiting_for = -1};
    mine = (Peer){.machine = this_machine(), .process = getpid()};
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, talk->parts->peer, sizeof mine, MPI_BYTE,
                  MPI_COMM_WORLD);
    if (talk->rank > 0)
        stop_printing();
    start_watching(talk);
    return true;
}

void clv_talk_end(Talk *talk)
{
    /* a barrier, so that no rank ends early and is then reported as failed */
    stop_watching(talk);
    MPI_Finalize();
    if (talk->parts->speaker >= 0)
        close(talk->parts->speaker);
    free(talk->parts->peer);
    free(talk->parts);
}

/* ---- dead ranks ------------------------------------------------------------------------------ */

static void print_line(const Talk *talk, const char *text)
{
    size_t length = strlen(text);

    while (length > 0 && talk->parts->speaker >= 0) {
        ssize_t written = write(talk->parts->speaker, text, length);

        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
}

static void pause_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};

    nanosleep(&time, NULL);
}

static bool is_near(const Talk *talk, int rank)
{
    return talk->parts->peer[rank].machine == talk->parts->peer[talk->rank].machine;
}

static bool is_dead(const Talk *talk, int rank)
{
    return kill((pid_t)talk->parts->peer[rank].process, 0) < 0 && errno == ESRCH;
}

/* Whether this rank prints for its machine, because it is the first live rank there. */
static bool prints_for_machine(const Talk *talk)
{
    for (int rank = 0; rank < talk->rank; rank++)
        if (is_near(talk, rank) && !is_dead(talk, rank))
            return false;
    return true;
}

static void say_why(const Talk *talk, const char *why)
{
    const char *hint = atomic_load(&talk->parts->hint);
    char text[1024];

    if (prints_for_machine(talk)) {
        snprintf(text, sizeof text, "cleave-mpi: %s\n%s%s%s", why, hint ? "  " : "",
                 hint ? hint : "", hint ? "\n" : "");
        print_line(talk, text);
    }
    atomic_store(&talk->parts->over, true);
}

static const char *moment(const Talk *talk, char buffer[32])
{
    unsigned round = atomic_load(&talk->parts->round);

    if (round)
        snprintf(buffer, 32, "in round %u", round);
    else
        snprintf(buffer, 32, "before the first round");
    return buffer;
}

static void look_for_the_dead(const Talk *talk)
{
    char why[256], when[32];

    for (int rank = 0; rank < talk->size && !talk->parts->over; rank++) {
        if (rank == talk->rank || !is_near(talk, rank) || !is_dead(talk, rank))
            continue;
        snprintf(why, sizeof why, "rank %d (process %lld) terminated %s", rank,
                 (long long)talk->parts->peer[rank].process, moment(talk, when));
        say_why(talk, why);
    }
}

/* Detects a rank that does not respond: after an interruption, it may have died on another machine,
 * which mpirun has reported; otherwise it has exceeded the time limit. */
static void look_at_the_clock(const Talk *talk, double *interrupted)
{
    int other = atomic_load(&talk->parts->waiting_for);
    double now = clv_now(), waited = now - atomic_load(&talk->parts->since);
    char why[256], when[32];

    if (cli_interrupted() && *interrupted == 0)
        *interrupted = now;
    if (other < 0 || talk->parts->over)
        return;
    if (*interrupted > 0 && now - *interrupted > 0.3) {
        snprintf(why, sizeof why, "interrupted %s while waiting for rank %d", moment(talk, when),
                 other);
        say_why(talk, why);
    } else if (talk->most_seconds > 0 && waited > talk->most_seconds) {
        snprintf(why, sizeof why, "rank %d has sent no message for %g seconds %s", other,
                 talk->most_seconds, moment(talk, when));
        say_why(talk, why);
    }
}

/* Watches the other ranks in a separate thread, because MPI may not return from a message to a dead
 * rank. Does not call MPI. */
static void *watch(void *argument)
{
    const Talk *talk = argument;
    double interrupted = 0;

    while (!talk->parts->stop && !talk->parts->over) {
        look_for_the_dead(talk);
        look_at_the_clock(talk, &interrupted);
        pause_for(0.01);
    }
    return NULL;
}

/* Starts the watching thread. Without it, mpirun ends the job, and no message names the dead
 * rank. */
static void start_watching(Talk *talk)
{
    talk->parts->watched = talk->size > 1 &&
                           pthread_create(&talk->parts->watcher, NULL, watch, talk) == 0;
}

static void stop_watching(Talk *talk)
{
    atomic_store(&talk->parts->stop, true);
    if (talk->parts->watched)
        pthread_join(talk->parts->watcher, NULL);
}

/* Ends the job after a failure, because the other ranks need this rank. */
static void give_up(const Talk *talk, const char *why)
{
    say_why(talk, why);
    MPI_Abort(MPI_COMM_WORLD, FAILED);
}

void clv_talk_round(Talk *talk, unsigned round)
{
    atomic_store(&talk->parts->round, round);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Waits for a request. Polls with increasing intervals, because ranks may share a core. */
static void wait_for(Talk *talk, MPI_Request *request, int other)
{
    double step = 2e-6;
    int arrived = 0;

    atomic_store(&talk->parts->hint, talk->how_to_go_on);
    atomic_store(&talk->parts->since, clv_now());
    atomic_store(&talk->parts->waiting_for, other);
    for (unsigned asked = 0;; asked++) {
        MPI_Test(request, &arrived, MPI_STATUS_IGNORE);
        if (arrived)
            break;
        if (talk->parts->over) {
            pause_for(1); /* leaves time for the message to be printed */
            MPI_Abort(MPI_COMM_WORLD, FAILED);
        }
        if (asked < 200)
            continue;
        pause_for(step);
        step = step < 1e-3 ? step * 1.3 : step;
    }
    atomic_store(&talk->parts->waiting_for, -1);
}

static void send(Talk *talk, int to, const char *bytes, size_t size)
{
    MPI_Request request;
    uint64_t header = size;

    MPI_Isend(&header, sizeof header, MPI_BYTE, to, TAG_SIZE, MPI_COMM_WORLD, &request);
    wait_for(talk, &request, to);
    for (size_t at = 0; at < size; at += LARGEST_PIECE) {
        size_t piece = size - at < LARGEST_PIECE ? size - at : LARGEST_PIECE;

        MPI_Isend(bytes + at, (int)piece, MPI_BYTE, to, TAG_BYTES, MPI_COMM_WORLD, &request);
        wait_for(talk, &request, to);
    }
    talk->bytes += size + sizeof header;
    talk->messages++;
}

/* Receives bytes and replaces the contents of the buffer. If memory is exhausted, the job ends,
 * because the sender cannot be notified. */
static void receive(Talk *talk, Context *context, int from, Buffer *bytes)
{
    MPI_Request request;
    uint64_t size = 0;
    cleave_error error;

    MPI_Irecv(&size, sizeof size, MPI_BYTE, from, TAG_SIZE, MPI_COMM_WORLD, &request);
    wait_for(talk, &request, from);
    if (GROW(context, bytes->data, bytes->capacity, (size_t)size, &error) != OK)
        give_up(talk, error.message);
    for (size_t at = 0; at < size; at += LARGEST_PIECE) {
        size_t piece = size - at < LARGEST_PIECE ? size - at : LARGEST_PIECE;

        MPI_Irecv(bytes->data + at, (int)piece, MPI_BYTE, from, TAG_BYTES, MPI_COMM_WORLD,
                  &request);
        wait_for(talk, &request, from);
    }
    bytes->size = size;
}

/* ---- unite ----------------------------------------------------------------------------------- */

/* Makes the message of this rank: its error, or its data. */
static Status compose(const Uniting *how, void *user, Context *context, Status status,
                      Buffer *bytes, cleave_error *error)
{
    char kind = MESSAGE_OK;

    bytes->size = 0;
    if (status == OK) {
        status = clv_buffer_add(context, bytes, &kind, 1, error);
        if (status == OK && how->put)
            status = how->put(user, bytes, error);
        if (status == OK)
            return OK;
    }
    kind = MESSAGE_ERROR;
    bytes->size = 0;
    TRY(clv_buffer_add(context, bytes, &kind, 1, error));
    return clv_buffer_add(context, bytes, error, sizeof *error, error);
}

/* Whether a message is an error. *status: the status of the sender. */
static bool is_error(const Buffer *bytes, Status *status, cleave_error *error)
{
    if (bytes->size == 0 || bytes->data[0] == MESSAGE_OK)
        return false;
    if (bytes->size == 1 + sizeof *error)
        memcpy(error, bytes->data + 1, sizeof *error);
    *status = error->code;
    return true;
}

static Status send_up(Talk *talk, Context *context, const Uniting *how, void *user, Buffer *bytes,
                      Status status, cleave_error *error)
{
    for (int step = 1; step < talk->size; step *= 2) {
        if (talk->rank & step) {
            TRY(compose(how, user, context, status, bytes, error));
            send(talk, talk->rank - step, bytes->data, bytes->size);
            return OK;
        }
        if (talk->rank + step >= talk->size)
            continue;
        receive(talk, context, talk->rank + step, bytes);
        if (status == OK && !is_error(bytes, &status, error) && how->take)
            status = how->take(user, bytes->data + 1, bytes->size - 1, error);
    }
    return compose(how, user, context, status, bytes, error); /* this is rank 0 */
}

static void send_down(Talk *talk, Context *context, Buffer *bytes)
{
    int step = 1;

    while (step < talk->size && !(talk->rank & step))
        step *= 2;
    if (talk->rank > 0)
        receive(talk, context, talk->rank - step, bytes);
    for (step /= 2; step > 0; step /= 2)
        if (talk->rank + step < talk->size)
            send(talk, talk->rank + step, bytes->data, bytes->size);
}

Status clv_talk_unite(Talk *talk, Context *context, const Uniting *how, void *user, Status status,
                      cleave_error *error)
{
    Buffer bytes = {0};

    if (send_up(talk, context, how, user, &bytes, status, error) != OK)
        give_up(talk, error->message); /* there is no memory even for an error */
    send_down(talk, context, &bytes);
    status = OK;
    /* The other ranks continue, so a rank that cannot continue must end the job. */
    if (!is_error(&bytes, &status, error) && how->done &&
        how->done(user, bytes.data + 1, bytes.size - 1, error) != OK)
        give_up(talk, error->message);
    clv_free(context, bytes.data);
    return status;
}

Status clv_talk_settle(Talk *talk, Context *context, Status status, cleave_error *error)
{
    static const Uniting nothing = {0};

    return clv_talk_unite(talk, context, &nothing, NULL, status, error);
}
