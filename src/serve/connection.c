/*
 * One connection. Bytes are read into the worker's buffer and handled there. Only incomplete
 * requests are copied. Requests are handled one after another, and their responses are appended to
 * `out`.
 *
 * A request with invalid framing ends the connection, because the start of the next request is
 * unknown. The socket is then shut down for writing and read until the client closes it, because
 * closing a socket with unread bytes could destroy the response.
 */
#include "serve/server_parts.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_DISCARDED = 1 << 20, SLOWEST_BODY = 1024 /* minimum of bytes per second */ };
static const double linger_seconds = 2, drain_idle_seconds = 1;

static Context *context_of(const ServeWorker *worker)
{
    return worker->server->context;
}

void clv_connection_new(ServeWorker *worker, int file, const char *peer)
{
    Connection *connection;

    if (ALLOC_ZERO(context_of(worker), connection, 1, "a connection", NULL) != OK) {
        close(file);
        return;
    }
    connection->file = file;
    connection->since = worker->now;
    connection->events = EPOLLIN;
    connection->exchange.worker = worker;
    connection->exchange.out = &connection->out;
    snprintf(connection->peer, sizeof connection->peer, "%s", peer);
    atomic_fetch_add(&worker->server->connections, 1);
    connection->next = worker->connections;
    if (worker->connections)
        worker->connections->previous = connection;
    worker->connections = connection;
    if (epoll_ctl(worker->poll, EPOLL_CTL_ADD, file,
                  &(struct epoll_event){.events = EPOLLIN, .data.ptr = connection}) != 0)
        clv_connection_free(worker, connection);
}

/* Ends the current request, if any, and clears it. */
static void end_exchange(ServeWorker *worker, Connection *connection)
{
    Exchange *exchange = &connection->exchange;

    if (exchange->job) /* the learner frees it through the worker */
        exchange->job->connection = NULL;
    if (exchange->status)
        clv_worker_record(worker, connection);
    clv_rows_free(exchange);
    exchange->text.size = exchange->body.size = exchange->content.size = 0;
    if (exchange->body.capacity > READ_SIZE) {
        clv_free(context_of(worker), exchange->body.data);
        exchange->body = (Buffer){0};
    }
    *exchange = (Exchange){.worker = worker,
                           .text = exchange->text,
                           .body = exchange->body,
                           .content = exchange->content,
                           .out = exchange->out};
}

void clv_connection_free(ServeWorker *worker, Connection *connection)
{
    Exchange *exchange = &connection->exchange;

    if (exchange->head.method.text && !exchange->ended)
        exchange->status = 499; /* the client has closed the connection */
    end_exchange(worker, connection);
    close(connection->file);
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        worker->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    FREE(context_of(worker), connection->in.data, connection->out.data, exchange->text.data,
         exchange->body.data, exchange->content.data);
    clv_free(context_of(worker), connection);
    atomic_fetch_sub(&worker->server->connections, 1);
}

/* ---- heads ----------------------------------------------------------------------------------- */

static bool may_access(const Exchange *exchange, const char *token)
{
    static const char scheme[] = "Bearer ";
    HttpSpan given = exchange->head.authorization;
    size_t length = strlen(token), different;

    if (!given.text || given.length < sizeof scheme - 1 ||
        !clv_span_alike((HttpSpan){given.text, sizeof scheme - 1}, scheme))
        return false;
    given = (HttpSpan){given.text + sizeof scheme - 1, given.length - (sizeof scheme - 1)};
    different = given.length ^ length;
    /* the time of the comparison does not depend on the token */
    for (size_t i = 0; i < given.length; i++)
        different |= (size_t)(given.text[i] ^ token[length ? i % length : 0]);
    return different == 0;
}

static bool check_access(Exchange *exchange)
{
    const ServeConfig *config = &exchange->worker->server->config;

    Access access = exchange->route->access;
    const char *token = access == ACCESS_ADMIN   ? config->admin_token
                        : access == ACCESS_LEARN ? config->learn_token
                                                 : config->token;

    if (access == ACCESS_OPEN || (access == ACCESS_TOKEN && !token))
        return true;
    if (!token) {
        clv_answer_error(exchange, 403,
                         access == ACCESS_ADMIN ? "the server has no administration token"
                                                : "the server does not learn",
                         access == ACCESS_ADMIN ? "start it with --admin-token-file"
                                                : "start it with --learn-token-file");
        return false;
    }
    if (may_access(exchange, token))
        return true;
    clv_answer_error(exchange, 401, "the token is missing or incorrect",
                     "send the header 'Authorization: Bearer TOKEN'");
    return false;
}

static void begin_request(Exchange *exchange)
{
    exchange->route = clv_route_find(&exchange->head, exchange->segments, &exchange->allow);
    if (!exchange->route) {
        if (exchange->allow)
            clv_answer_error(exchange, 405, "the route does not support this method", "");
        else
            clv_answer_error(exchange, 404, "no route matches the path",
                             "GET /openapi.json lists all routes");
        return;
    }
    if (!check_access(exchange))
        return;
    if (!exchange->route->data &&
        exchange->head.content_length > exchange->worker->server->config.max_body) {
        exchange->closes = true;
        clv_answer_error(exchange, 413, "the body of the request is too large",
                         "raise the limit with --max-body");
        return;
    }
    if (exchange->route->begin)
        exchange->route->begin(exchange);
    if (exchange->head.expects_continue && !exchange->ended)
        clv_buffer_add(exchange->worker->server->context, exchange->out,
                       "HTTP/1.1 100 Continue\r\n\r\n", 25, NULL);
}

static void refuse(Connection *connection, unsigned status, const char *reason)
{
    Exchange *exchange = &connection->exchange;

    exchange->closes = true;
    clv_answer_error(exchange, status, reason, "");
    atomic_fetch_add_explicit(&exchange->worker->counters.refused, 1, memory_order_relaxed);
}

/* Returns the size of the head, or 0 if it is incomplete. */
static size_t take_head(Connection *connection, const char *text, size_t size)
{
    Exchange *exchange = &connection->exchange;
    ServeWorker *worker = exchange->worker;
    size_t length = clv_http_head_size(text, size, &connection->searched);
    const char *reason;
    unsigned status;

    if (length == HEAD_INCOMPLETE && size < MAX_HEAD)
        return 0;
    exchange->began = worker->now;
    connection->searched = 0;
    if (length == HEAD_MALFORMED) {
        refuse(connection, 400, "a line does not end with CR LF");
        return size;
    }
    if (length > MAX_HEAD || length == HEAD_INCOMPLETE) {
        refuse(connection, 431, "the header of the request is larger than 8192 bytes");
        return size;
    }
    exchange->text.size = 0;
    if (clv_buffer_add(context_of(worker), &exchange->text, text, length, NULL) != OK) {
        refuse(connection, 503, "not enough memory");
        return length;
    }
    status = clv_http_parse(exchange->text.data, length, &exchange->head, &reason);
    if (status) {
        refuse(connection, status, reason);
        return length;
    }
    exchange->closes = !exchange->head.keep_alive;
    connection->state = READ_BODY;
    connection->since = worker->now;
    connection->left = exchange->head.content_length;
    connection->chunks = (HttpChunks){0};
    begin_request(exchange);
    return length;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void too_large(Exchange *exchange)
{
    exchange->closes = true;
    clv_answer_error(exchange, 413,
                     exchange->route->data ? "a row of the request is too large"
                                           : "the body of the request is too large",
                     "raise the limit with --max-body");
}

static void keep(Exchange *exchange, const char *text, size_t size)
{
    ServeWorker *worker = exchange->worker;

    if (exchange->ended || size == 0)
        return;
    if (exchange->body.size + size > worker->server->config.max_body)
        too_large(exchange);
    else if (clv_buffer_add(context_of(worker), &exchange->body, text, size, NULL) != OK)
        clv_answer_error(exchange, 503, "not enough memory", "");
}

/* Handles a piece of the body without its framing. */
static void take_data(Exchange *exchange, const char *text, size_t size, bool last)
{
    Buffer *body = &exchange->body;
    size_t used;

    exchange->received += size;
    if (exchange->ended) {
        exchange->closes = exchange->closes || exchange->received > MOST_DISCARDED;
        return;
    }
    if (!exchange->route->data) {
        keep(exchange, text, size);
    } else if (body->size == 0) {
        if (size) {
            used = exchange->route->data(exchange, text, size, last);
            keep(exchange, text + used, size - used);
        }
    } else {
        keep(exchange, text, size);
        if (!exchange->ended) {
            used = exchange->route->data(exchange, body->data, body->size, last);
            body->size -= used;
            memmove(body->data, body->data + used, body->size);
        }
    }
    if (last && !exchange->ended)
        exchange->route->end(exchange);
}

/* Takes bytes of the body. Returns the number of bytes used, and sets *done if the body is
 * complete. */
static size_t take_body(Connection *connection, const char *text, size_t size, bool *done)
{
    Exchange *exchange = &connection->exchange;
    ChunksState state;
    size_t used;
    HttpSpan data;

    if (exchange->route && exchange->route->piece && size > exchange->route->piece)
        size = exchange->route->piece;
    if (!exchange->head.chunked) {
        used = size < connection->left ? size : (size_t)connection->left;
        connection->left -= used;
        *done = connection->left == 0;
        take_data(exchange, text, used, *done);
        return used;
    }
    used = clv_http_chunks(&connection->chunks, text, size, &data, &state);
    *done = state == CHUNKS_END;
    if (state == CHUNKS_BAD) {
        refuse(connection, 400, "a chunk of the body is malformed");
        exchange->closes = *done = true;
        return size;
    }
    if (data.length || *done)
        take_data(exchange, data.text, data.length, *done);
    return used;
}

/* ---- progress -------------------------------------------------------------------------------- */

static size_t pending(const Connection *connection)
{
    return connection->out.size - connection->out_at;
}

static void finish(ServeWorker *worker, Connection *connection)
{
    connection->last = connection->exchange.closes;
    connection->state = READ_HEAD;
    connection->since = worker->now;
    end_exchange(worker, connection);
}

/* Handles as many bytes as possible. Returns the number of bytes used. */
static size_t take(Connection *connection, const char *text, size_t size)
{
    Exchange *exchange = &connection->exchange;
    ServeWorker *worker = exchange->worker;
    size_t at = 0;

    while (!connection->last && !exchange->job && pending(connection) <= MOST_PENDING) {
        bool done = false;
        size_t used;

        if (connection->state == READ_HEAD) {
            used = at < size ? take_head(connection, text + at, size - at) : 0;
            if (used == 0)
                break;
            done = connection->state == READ_HEAD; /* the request was refused */
        } else {
            if (at == size && (exchange->head.chunked || connection->left > 0))
                break;
            used = take_body(connection, text + at, size - at, &done);
        }
        at += used;
        if (exchange->job) {
            exchange->job->connection = connection;
            break;
        }
        if (exchange->ended && exchange->closes)
            done = true;
        if (done)
            finish(worker, connection);
    }
    return connection->last ? size : at;
}

/* Moves the unsent bytes to the front: a client that is always a little behind would otherwise let
 * the buffer grow to the size of the response. */
static void forget_sent(Connection *connection)
{
    connection->out.size -= connection->out_at;
    memmove(connection->out.data, connection->out.data + connection->out_at, connection->out.size);
    connection->out_at = 0;
}

/* Sends as many bytes as the socket accepts. Returns false if the connection is broken. */
static bool send_out(Connection *connection)
{
    while (pending(connection)) {
        ssize_t sent = send(connection->file, connection->out.data + connection->out_at,
                            pending(connection), MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0) {
            bool waits = errno == EAGAIN || errno == EWOULDBLOCK;

            if (waits && connection->out_at > READ_SIZE)
                forget_sent(connection);
            return waits;
        }
        connection->out_at += (size_t)sent;
        connection->since = connection->exchange.worker->now;
    }
    connection->out.size = connection->out_at = 0;
    if (connection->out.capacity > READ_SIZE) {
        clv_free(context_of(connection->exchange.worker), connection->out.data);
        connection->out = (Buffer){0};
    }
    return true;
}

/* Keeps bytes that cannot be handled yet. */
static bool keep_input(Connection *connection, const char *text, size_t size)
{
    return clv_buffer_add(context_of(connection->exchange.worker), &connection->in, text, size,
                          NULL) == OK;
}

/* Reads once. Returns false if the connection is broken. */
static bool receive(ServeWorker *worker, Connection *connection)
{
    ssize_t got = recv(connection->file, worker->input, READ_SIZE, MSG_DONTWAIT);
    Buffer *in = &connection->in;
    size_t used;

    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (got == 0) {
        connection->over = true;
        return true;
    }
    if (connection->state == LINGER)
        return true;
    if (connection->state == READ_HEAD && in->size == 0)
        connection->since = worker->now; /* the time limit of the head begins */
    if (in->size) {
        if (!keep_input(connection, worker->input, (size_t)got))
            return false;
        used = take(connection, in->data, in->size);
        in->size -= used;
        memmove(in->data, in->data + used, in->size);
        return true;
    }
    used = take(connection, worker->input, (size_t)got);
    return used == (size_t)got || keep_input(connection, worker->input + used, (size_t)got - used);
}

/* Handles the kept bytes again after responses were sent. */
static void resume(Connection *connection)
{
    Buffer *in = &connection->in;
    size_t used;

    if (in->size == 0 || connection->state == LINGER)
        return;
    used = take(connection, in->data, in->size);
    in->size -= used;
    memmove(in->data, in->data + used, in->size);
}

static void await(ServeWorker *worker, Connection *connection)
{
    bool reads = pending(connection) <= MOST_PENDING && !connection->over &&
                 !connection->exchange.job;
    unsigned events = (reads ? EPOLLIN : 0u) | (pending(connection) ? EPOLLOUT : 0u);

    if (events == connection->events)
        return;
    connection->events = events;
    epoll_ctl(worker->poll, EPOLL_CTL_MOD, connection->file,
              &(struct epoll_event){.events = events, .data.ptr = connection});
}

void clv_connection_run(ServeWorker *worker, Connection *connection)
{
    bool alive = send_out(connection);
    size_t before;

    if (connection->exchange.job && connection->events == 0)
        alive = false; /* only an error or the end of the connection is an event then */
    if (alive && !connection->exchange.job && !connection->over &&
        pending(connection) <= MOST_PENDING)
        alive = receive(worker, connection) && send_out(connection);
    do { /* requests may be pipelined */
        before = connection->in.size;
        if (alive && !pending(connection)) {
            resume(connection);
            alive = send_out(connection);
        }
    } while (alive && connection->in.size < before && connection->in.size > 0);
    if (alive && !pending(connection) && connection->last && connection->state != LINGER) {
        connection->state = LINGER;
        connection->since = worker->now;
        shutdown(connection->file, SHUT_WR);
    }
    if (!alive || (connection->over && !pending(connection) && !connection->exchange.job))
        clv_connection_free(worker, connection);
    else
        await(worker, connection);
}

void clv_connection_answered(ServeWorker *worker, Connection *connection)
{
    finish(worker, connection);
    clv_connection_run(worker, connection);
}

/* ---- time ------------------------------------------------------------------------------------ */

static bool is_idle(const Connection *connection)
{
    return connection->state == READ_HEAD && connection->in.size == 0 && !connection->last;
}

static void time_out(ServeWorker *worker, Connection *connection, const char *what)
{
    refuse(connection, 408, what);
    end_exchange(worker, connection);
    connection->last = true;
    connection->state = READ_HEAD;
    clv_connection_run(worker, connection);
}

void clv_connection_check(ServeWorker *worker, Connection *connection)
{
    const ServeConfig *config = &worker->server->config;
    double now = worker->now, age = now - connection->since;
    const Exchange *exchange = &connection->exchange;

    if (exchange->job) {
        return; /* the learner has no limit: an update takes as long as it takes */
    } else if (connection->state == LINGER) {
        if (age > linger_seconds)
            clv_connection_free(worker, connection);
    } else if (pending(connection)) {
        if (age > config->request_seconds)
            clv_connection_free(worker, connection);
    } else if (is_idle(connection)) {
        bool draining = atomic_load(&worker->server->draining);

        if (age > (draining ? drain_idle_seconds : config->idle_seconds))
            clv_connection_free(worker, connection);
    } else if (connection->state == READ_HEAD) {
        if (age > config->header_seconds)
            time_out(worker, connection, "the header of the request took too long");
    } else if (now - exchange->began > config->request_seconds &&
               (double)exchange->received < SLOWEST_BODY * (now - exchange->began)) {
        time_out(worker, connection, "the body of the request took too long");
    }
}
