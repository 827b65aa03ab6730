/* The event loop of one thread. */
#define _GNU_SOURCE
#include "serve/server_parts.h"

#include "base/number.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_EVENTS = 256, TICK_MS = 250, ACCEPT_MS = 100, LOG_SIZE = 32 * 1024 };
static const double longest_drain = 30;
const double clv_time_buckets[TIME_BUCKETS] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                               0.01,   0.025,   0.1,    0.5,   2.5,    10};

double clv_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- the access log and counters ------------------------------------------------------------- */

static void flush_log(ServeWorker *worker)
{
    Server *server = worker->server;

    if (worker->log.size == 0)
        return;
    pthread_mutex_lock(&server->log_lock);
    server->config.log(server->config.user, worker->log.data, worker->log.size);
    pthread_mutex_unlock(&server->log_lock);
    worker->log.size = 0;
}

static void log_text(ServeWorker *worker, const char *key, HttpSpan text)
{
    Context *context = worker->server->context;

    clv_buffer_add(context, &worker->log, key, strlen(key), NULL);
    if (text.text)
        clv_json_quote(context, &worker->log, text.text, text.length, NULL);
    else
        clv_buffer_add(context, &worker->log, "null", 4, NULL);
}

/* Appends a line of JSON to the access log. The line is omitted if memory is exhausted. */
static void log_request(ServeWorker *worker, const Connection *connection, double seconds)
{
    const Exchange *exchange = &connection->exchange;
    size_t start = worker->log.size;
    struct timespec time;
    char text[256];
    struct tm date;
    int size;

    clock_gettime(CLOCK_REALTIME, &time);
    gmtime_r(&time.tv_sec, &date);
    size = snprintf(text, sizeof text,
                    "{\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ\",\"client\":",
                    date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min,
                    date.tm_sec, time.tv_nsec / 1000000);
    clv_buffer_add(worker->server->context, &worker->log, text, (size_t)size, NULL);
    log_text(worker, "", (HttpSpan){connection->peer, strlen(connection->peer)});
    log_text(worker, ",\"method\":", exchange->head.method);
    log_text(worker, ",\"path\":", exchange->head.path);
    if (exchange->head.request_id.text)
        log_text(worker, ",\"request_id\":", exchange->head.request_id);
    size = snprintf(text, sizeof text,
                    ",\"status\":%u,\"received\":%llu,\"sent\":%llu,\"rows\":%llu,"
                    "\"seconds\":%.6f}\n",
                    exchange->status, (unsigned long long)exchange->received,
                    (unsigned long long)exchange->sent, (unsigned long long)exchange->row_count,
                    seconds);
    if (clv_buffer_add(worker->server->context, &worker->log, text, (size_t)size, NULL) != OK)
        worker->log.size = start;
    if (worker->log.size > LOG_SIZE)
        flush_log(worker);
}

static void count(atomic_uint_least64_t *counter, uint64_t by)
{
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

void clv_worker_record(ServeWorker *worker, const Connection *connection)
{
    const Exchange *exchange = &connection->exchange;
    double seconds = clv_seconds() - exchange->began;
    Counters *counters = &worker->counters;

    count(&counters->received, exchange->received);
    count(&counters->sent, exchange->sent);
    if (exchange->route) {
        size_t route = (size_t)(exchange->route - clv_routes), bucket = 0;

        while (bucket < TIME_BUCKETS && seconds > clv_time_buckets[bucket])
            bucket++;
        count(&counters->requests[route * STATUS_COUNT + exchange->status / 100], 1);
        count(&counters->seconds[route * (TIME_BUCKETS + 1) + bucket], 1);
        count(&counters->microseconds[route], (uint64_t)(seconds * 1e6));
    }
    if (worker->server->config.log)
        log_request(worker, connection, seconds);
}

/* ---- connections ----------------------------------------------------------------------------- */

static void name_peer(const struct sockaddr_storage *address, char *name, socklen_t size)
{
    if (address->ss_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, name, size);
    else if (address->ss_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, name, size);
    else
        snprintf(name, size, "unix");
}

/* Accepts a connection. Returns false if none is pending. */
static bool accept_one(ServeWorker *worker)
{
    static const char full[] = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
                               "Content-Type: application/json\r\nContent-Length: 32\r\n\r\n"
                               "{\"error\":\"too many connections\"}";
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    int file = accept4(worker->server->listener, (struct sockaddr *)&address, &size,
                       SOCK_NONBLOCK | SOCK_CLOEXEC);
    char peer[INET6_ADDRSTRLEN] = "";

    if (file < 0)
        return errno == EINTR || errno == ECONNABORTED;
    if (atomic_load(&worker->server->connections) >= worker->server->config.connections) {
        if (send(file, full, sizeof full - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            errno = 0; /* the client sees a closed connection */
        close(file);
        return true;
    }
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    name_peer(&address, peer, sizeof peer);
    clv_connection_new(worker, file, peer);
    return true;
}

static void check_connections(ServeWorker *worker)
{
    for (Connection *connection = worker->connections, *next; connection; connection = next) {
        next = connection->next;
        clv_connection_check(worker, connection);
    }
}

/* Begins to wait for events. The listening socket is shared, and each new connection wakes one
 * thread. */
static bool begin(ServeWorker *worker)
{
    struct epoll_event listen = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = worker->server},
                       wake = {.events = EPOLLIN | EPOLLET, .data.ptr = worker},
                       learned = {.events = EPOLLIN, .data.ptr = &worker->learned};

    return epoll_ctl(worker->poll, EPOLL_CTL_ADD, worker->server->listener, &listen) == 0 &&
           epoll_ctl(worker->poll, EPOLL_CTL_ADD, worker->server->wake, &wake) == 0 &&
           epoll_ctl(worker->poll, EPOLL_CTL_ADD, worker->learned_event, &learned) == 0;
}

/* Called before a response with Connection: close, after which clients connect again. Their
 * connections must be refused and not wait in a queue that is never read. The first thread accepts
 * all pending connections and closes the queue. */
static void stop_listening(ServeWorker *worker)
{
    Server *server = worker->server;

    epoll_ctl(worker->poll, EPOLL_CTL_DEL, server->listener, NULL);
    if (server->inherited || atomic_exchange(&server->refuses, true))
        return;
    while (accept_one(worker))
        ;
    shutdown(server->listener, SHUT_RDWR);
}

static void handle(ServeWorker *worker, const struct epoll_event *events, int count)
{
    bool answers = false;

    for (int i = 0; i < count; i++) {
        void *target = events[i].data.ptr;

        if (target == worker->server)
            accept_one(worker);
        else if (target == &worker->learned)
            answers = true;
        else if (target != worker)
            clv_connection_run(worker, target);
    }
    if (answers) /* last, because it may free connections that have an event */
        clv_learn_answer(worker);
}

void *clv_worker_run(void *user)
{
    ServeWorker *worker = user;
    Server *server = worker->server;
    struct epoll_event events[MOST_EVENTS];
    bool listens = begin(worker);
    bool draining = false;
    double checked = 0;

    for (;;) {
        int ready = epoll_wait(worker->poll, events, MOST_EVENTS,
                               draining && listens ? ACCEPT_MS : TICK_MS);

        draining = atomic_load(&server->draining);
        worker->now = clv_seconds();
        if (draining && listens && worker->now - atomic_load(&server->drained) > 1e-3 * ACCEPT_MS) {
            stop_listening(worker);
            listens = false;
        }
        handle(worker, events, ready);
        if (worker->now - checked > 1e-3 * TICK_MS) {
            check_connections(worker);
            clv_models_refresh(worker);
            flush_log(worker);
            checked = worker->now;
        }
        if (draining && !listens &&
            (!worker->connections || worker->now - atomic_load(&server->drained) > longest_drain))
            break;
    }
    while (worker->connections)
        clv_connection_free(worker, worker->connections);
    flush_log(worker);
    atomic_fetch_sub(&server->running, 1);
    return NULL;
}
