/* The models, sockets and threads of the server. */
#define _GNU_SOURCE
#include "serve/server_parts.h"

#include "base/file.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096, MOST_PAGE = 64 << 20 };

/* ---- models ---------------------------------------------------------------------------------- */

static Status name_model(Server *server, const char *argument, Served *served, cleave_error *error)
{
    const char *equals = strchr(argument, '='), *path = argument, *name = argument, *slash, *dot;
    size_t length;

    if (equals && !memchr(argument, '/', (size_t)(equals - argument))) {
        path = equals + 1;
        length = (size_t)(equals - argument);
    } else {
        slash = strrchr(argument, '/');
        name = slash ? slash + 1 : argument;
        dot = strrchr(name, '.');
        length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    }
    served->name = clv_copy_string(server->context, name, length);
    served->path = clv_copy_string(server->context, path, strlen(path));
    if (!served->name || !served->path)
        return clv_fail_memory(error, "a model", 1);
    for (const char *c = served->name; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.", *c))
            return clv_fail_hint(
                error, CLEAVE_ERROR_USAGE, "specify a name: NAME=PATH",
                "the name '%s' of a model has characters other than letters, digits, '-', '_' "
                "and '.'",
                served->name);
    if (length == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "'%s': the name of the model is empty",
                        argument);
    for (const Served *other = server->served; other < served; other++)
        if (strcmp(other->name, served->name) == 0)
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "specify different names: NAME=PATH",
                                 "two models have the name '%s'", served->name);
    return OK;
}

static FileVersion version_of(const char *path)
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return (FileVersion){0};
    return (FileVersion){.device = facts.st_dev,
                         .inode = facts.st_ino,
                         .size = (uint64_t)facts.st_size,
                         .seconds = facts.st_mtim.tv_sec,
                         .nanoseconds = facts.st_mtim.tv_nsec};
}

static Status load_models(Server *server, const char *const *paths, size_t count,
                          cleave_error *error)
{
    TRY(ALLOC_ZERO(server->context, server->served, count, "models", error));
    for (size_t i = 0; i < count; i++) {
        Served *served = &server->served[i];

        server->served_count = i + 1;
        TRY(name_model(server, paths[i], served, error));
        served->file = version_of(served->path);
        TRY(clv_learner_load(server, served, error));
        atomic_store(&served->version, 1);
    }
    return OK;
}

bool cleave_server_files_changed(cleave_server *server)
{
    bool changed = false;

    for (size_t i = 0; i < server->served_count; i++) {
        Served *served = &server->served[i];
        FileVersion now = version_of(served->path), before = served->file;

        if (served->journal || now.inode == 0) /* a missing file is being replaced */
            continue;
        changed |= now.device != before.device || now.inode != before.inode ||
                   now.size != before.size || now.seconds != before.seconds ||
                   now.nanoseconds != before.nanoseconds;
        served->file = now;
    }
    return changed;
}

static void drop(const cleave_model *model)
{
    cleave_model_free((cleave_model *)(uintptr_t)model);
}

const Model *clv_model_now(ServeWorker *worker, Served *served, uint64_t *version)
{
    Server *server = worker->server;
    Used *used = &worker->used[served - server->served];

    if (used->version != atomic_load_explicit(&served->version, memory_order_acquire)) {
        const Model *before = used->model;

        for (size_t i = 0; i < SPARE_SCORERS; i++)
            if (worker->spare[i] && clv_row_scorer_model(worker->spare[i]) == before) {
                clv_row_scorer_free(worker->spare[i]);
                worker->spare[i] = NULL;
            }
        pthread_mutex_lock(&server->model_lock);
        used->model = clv_model_keep(served->model);
        used->version = atomic_load(&served->version);
        pthread_mutex_unlock(&server->model_lock);
        drop(before);
    }
    if (version)
        *version = used->version;
    return used->model;
}

void clv_models_refresh(ServeWorker *worker)
{
    for (size_t i = 0; i < worker->server->served_count; i++)
        clv_model_now(worker, &worker->server->served[i], NULL);
}

bool cleave_server_wants_reload(cleave_server *server)
{
    return atomic_exchange(&server->wants_reload, false);
}

void clv_model_publish(Server *server, Served *served, const Model *model)
{
    const Model *before = served->model;

    pthread_mutex_lock(&server->model_lock);
    served->model = model;
    atomic_fetch_add_explicit(&served->version, 1, memory_order_release);
    pthread_mutex_unlock(&server->model_lock);
    drop(before);
}

static Status load_again(Server *server, const Served *served, cleave_model **model,
                         cleave_error *error)
{
    uint64_t updates;

    if (served->journal)
        return clv_learner_check_file(server, served, error);
    return clv_model_load_learned(server->context, served->path, model, &updates, error);
}

cleave_code cleave_server_reload(cleave_server *server, cleave_error *error)
{
    REQUIRE(server);
    cleave_model **models;
    Status status = OK;

    TRY(ALLOC_ZERO(server->context, models, server->served_count, "models", error));
    for (size_t i = 0; i < server->served_count && status == OK; i++)
        status = load_again(server, &server->served[i], &models[i], error);
    for (size_t i = 0; i < server->served_count; i++)
        if (status == OK && models[i])
            clv_model_publish(server, &server->served[i], models[i]);
        else
            cleave_model_free(models[i]);
    clv_free(server->context, models);
    atomic_fetch_add(status == OK ? &server->reloads : &server->failed_reloads, 1);
    return status;
}

/* ---- sockets --------------------------------------------------------------------------------- */

static Status fail_socket(const char *what, const char *address, cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_IO, "%s: %s: %s", address, what, strerror(errno));
}

/* Replaces the socket file of a killed server. The file appears when the server accepts
 * connections. */
static Status listen_unix(Server *server, cleave_error *error)
{
    static const char NEW[] = ".new";
    const char *path = server->config.socket;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat facts;

    if (strlen(path) + strlen(NEW) >= sizeof address.sun_path)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "%s: the path of a socket is limited to %zu bytes", path,
                        sizeof address.sun_path - 1 - strlen(NEW));
    memcpy(address.sun_path, path, strlen(path));
    server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->listener < 0)
        return fail_socket("socket", path, error);
    if (lstat(path, &facts) == 0) {
        if (!S_ISSOCK(facts.st_mode))
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: the file exists and is not a socket",
                            path);
        if (connect(server->listener, (struct sockaddr *)&address, sizeof address) == 0)
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: another server uses this socket", path);
    }
    memcpy(address.sun_path + strlen(path), NEW, strlen(NEW));
    unlink(address.sun_path);
    if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0)
        return fail_socket("cannot listen", path, error);
    server->unlinked = clv_copy_string(server->context, path, strlen(path));
    if (!server->unlinked || listen(server->listener, BACKLOG) != 0 ||
        rename(address.sun_path, path) != 0) {
        Status status = fail_socket("cannot listen", path, error);

        unlink(address.sun_path);
        return status;
    }
    snprintf(server->address, sizeof server->address, "unix:%s", path);
    return OK;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 ==
               127;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static Status check_address(const Server *server, const char *name, const struct sockaddr *address,
                            cleave_error *error)
{
    if (server->config.token || is_loopback(address))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "pass --token-file, or listen on 127.0.0.1 behind a proxy",
                         "%s: an address that other machines can reach requires a token", name);
}

/* The address of the listening socket for the user. Returns false on failure. */
static bool name_address(Server *server, const struct sockaddr *own, socklen_t size)
{
    char host[64], port[8];

    if (getnameinfo(own, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    snprintf(server->address, sizeof server->address,
             own->sa_family == AF_INET6 ? "http://[%s]:%s" : "http://%s:%s", host, port);
    return true;
}

static Status bind_to(Server *server, const struct addrinfo *found, cleave_error *error)
{
    struct sockaddr_storage own;
    socklen_t size = sizeof own;

    TRY(check_address(server, server->config.listen, found->ai_addr, error));
    server->listener = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->listener < 0)
        return fail_socket("socket", server->config.listen, error);
    setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(server->listener, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(server->listener, BACKLOG) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&own, &size) != 0 ||
        !name_address(server, (struct sockaddr *)&own, size))
        return fail_socket("cannot listen", server->config.listen, error);
    return OK;
}

/* Uses the listening socket of the caller, who keeps it: connections that arrive after the end wait
 * for the next server. */
static Status adopt(Server *server, cleave_error *error)
{
    static const char NAME[] = "the inherited socket";
    struct sockaddr_storage own = {0};
    const struct sockaddr_un *local = (const struct sockaddr_un *)(const void *)&own;
    const struct sockaddr *address = (const struct sockaddr *)&own;
    socklen_t size = sizeof own, length = sizeof(int);
    int file = server->config.listener, listens = 0;

    if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || !listens ||
        getsockname(file, (struct sockaddr *)&own, &size) != 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: it is not a listening socket", NAME);
    if (fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK) != 0 ||
        fcntl(file, F_SETFD, FD_CLOEXEC) != 0)
        return fail_socket("cannot listen", NAME, error);
    server->listener = file;
    server->inherited = true;
    if (address->sa_family == AF_UNIX) {
        snprintf(server->address, sizeof server->address, "unix:%s", local->sun_path);
        return OK;
    }
    if (!name_address(server, address, size))
        return fail_socket("cannot listen", NAME, error);
    return check_address(server, server->address, address, error);
}

static Status listen_tcp(Server *server, cleave_error *error)
{
    const char *text = server->config.listen, *colon = strrchr(text, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found;
    bool bracket = text[0] == '[' && colon && colon > text && colon[-1] == ']';
    char host[128];
    size_t length = colon ? (size_t)(colon - text) - 2 * bracket : 0;
    Status status;
    int failure;

    if (!colon || length == 0 || length >= sizeof host || !colon[1] ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) || strlen(colon + 1) > 5 ||
        (!bracket && memchr(text, ':', length)))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--listen: expected HOST:PORT, found '%s'",
                        text);
    memcpy(host, text + bracket, length);
    host[length] = '\0';
    failure = getaddrinfo(host, colon + 1, &hints, &found);
    if (failure)
        return clv_fail(error, CLEAVE_ERROR_IO, "--listen %s: %s", text, gai_strerror(failure));
    status = bind_to(server, found, error);
    freeaddrinfo(found);
    return status;
}

/* ---- threads --------------------------------------------------------------------------------- */

static Status make_worker(Server *server, ServeWorker *worker, cleave_error *error)
{
    Context *context = server->context;
    Counters *counters = &worker->counters;

    worker->server = server;
    worker->now = clv_seconds();
    worker->json.context = context;
    worker->poll = epoll_create1(EPOLL_CLOEXEC);
    if (worker->poll < 0)
        return fail_socket("epoll", server->address, error);
    worker->learned_event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (worker->learned_event < 0)
        return fail_socket("eventfd", server->address, error);
    TRY(ALLOC_ZERO(context, worker->used, server->served_count, "models", error));
    TRY(ALLOC(context, worker->input, READ_SIZE, "a buffer", error));
    TRY(ALLOC_ZERO(context, counters->requests, clv_route_count * STATUS_COUNT, "counters", error));
    TRY(ALLOC_ZERO(context, counters->seconds, clv_route_count * (TIME_BUCKETS + 1), "counters",
                   error));
    return ALLOC_ZERO(context, counters->microseconds, clv_route_count, "counters", error);
}

/* Only the thread that opened the server receives signals. */
static Status start_workers(Server *server, cleave_error *error)
{
    sigset_t every, before;
    Status status = OK;

    TRY(ALLOC_ZERO(server->context, server->workers, server->config.threads, "threads", error));
    server->worker_count = server->config.threads;
    for (size_t i = 0; i < server->worker_count; i++)
        server->workers[i].poll = server->workers[i].learned_event = -1;
    for (size_t i = 0; i < server->worker_count; i++)
        TRY(make_worker(server, &server->workers[i], error));
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &before);
    for (size_t i = 0; i < server->worker_count && status == OK; i++) {
        ServeWorker *worker = &server->workers[i];

        atomic_fetch_add(&server->running, 1);
        worker->started = pthread_create(&worker->thread, NULL, clv_worker_run, worker) == 0;
        if (!worker->started) {
            atomic_fetch_sub(&server->running, 1);
            status = clv_fail(error, CLEAVE_ERROR_IO, "cannot start a thread");
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static Status load_page(Server *server, cleave_error *error)
{
    const char *path = server->config.page;
    int file;
    Status status;

    if (!path)
        return OK;
    TRY(clv_input_open(server->context, path, &file, error));
    status = clv_input_read(server->context, path, file, true, MOST_PAGE + 1, &server->page, error);
    close(file);
    if (status == OK && (server->page.size == 0 || server->page.size > MOST_PAGE))
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "'make web' writes build/web/cleave.html",
                             "%s: expected an HTML file of 1 byte to 64 MB", path);
    return status;
}

cleave_code cleave_server_open(cleave_context *context, const ServeConfig *config,
                               const char *const *paths, size_t count, cleave_server **result,
                               cleave_error *error)
{
    REQUIRE(context && config && paths && count > 0 && result);
    Server *server;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, server, 1, "a server", error));
    server->context = context;
    server->config = *config;
    server->listener = server->wake = -1;
    server->began = clv_seconds();
    pthread_mutex_init(&server->log_lock, NULL);
    pthread_mutex_init(&server->model_lock, NULL);
    status = clv_learner_init(server, error);
    THEN(status, load_models(server, paths, count, error));
    THEN(status, load_page(server, error));
    THEN(status, config->listener >= 0 ? adopt(server, error)
                 : config->socket      ? listen_unix(server, error)
                                       : listen_tcp(server, error));
    if (status == OK) {
        server->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (server->wake < 0)
            status = fail_socket("eventfd", server->address, error);
    }
    THEN(status, clv_learner_start(server, error));
    THEN(status, start_workers(server, error));
    if (status != OK) {
        cleave_server_close(server);
        return status;
    }
    *result = server;
    return OK;
}

const char *cleave_server_address(const cleave_server *server)
{
    return server->address;
}

/* Drops the first segment of every new TCP connection. The kernel completes the connections in
 * progress and the threads accept them before the socket is closed, so that no connection that the
 * kernel has accepted is reset. Clients repeat the segment and are then refused. */
static void drop_new_connections(int listener)
{
    enum { FLAGS = 13, SYN = 2 }; /* positions and bits of a TCP header */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, FLAGS),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SYN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};

    if (setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0)
        return; /* a connection that arrives at that moment may be reset */
}

void cleave_server_drain(cleave_server *server)
{
    uint64_t one = 1;

    if (!server->unlinked && !server->inherited)
        drop_new_connections(server->listener);
    atomic_store(&server->drained, clv_seconds());
    atomic_store(&server->draining, true);
    if (server->wake >= 0 && write(server->wake, &one, sizeof one) < 0)
        return; /* the threads also check this at every tick */
}

bool cleave_server_done(const cleave_server *server)
{
    return atomic_load(&server->running) == 0;
}

static void free_worker(ServeWorker *worker)
{
    Context *context = worker->server ? worker->server->context : NULL;

    if (!context)
        return;
    for (size_t i = 0; i < SPARE_SCORERS; i++)
        clv_row_scorer_free(worker->spare[i]);
    for (size_t i = 0; worker->used && i < worker->server->served_count; i++)
        drop(worker->used[i].model);
    for (LearnJob *job = worker->learned, *next; job; job = next) {
        next = job->next;
        clv_learn_job_free(worker->server, job);
    }
    clv_json_free(&worker->json);
    FREE(context, worker->used, worker->input, worker->scratch.data, worker->log.data,
         worker->counters.requests, worker->counters.seconds, worker->counters.microseconds);
    if (worker->poll >= 0)
        close(worker->poll);
    if (worker->learned_event >= 0)
        close(worker->learned_event);
}

void cleave_server_close(cleave_server *server)
{
    if (!server)
        return;
    if (!atomic_load(&server->draining))
        cleave_server_drain(server);
    for (size_t i = 0; i < server->worker_count; i++)
        if (server->workers[i].started)
            pthread_join(server->workers[i].thread, NULL);
    clv_learner_close(server);
    for (size_t i = 0; i < server->worker_count; i++)
        free_worker(&server->workers[i]);
    if (server->listener >= 0)
        close(server->listener);
    if (server->wake >= 0)
        close(server->wake);
    if (server->unlinked)
        unlink(server->unlinked);
    for (size_t i = 0; i < server->served_count; i++) {
        Served *served = &server->served[i];

        drop(served->model);
        FREE(server->context, served->name, served->path);
    }
    pthread_mutex_destroy(&server->log_lock);
    pthread_mutex_destroy(&server->model_lock);
    cleave_context_free(server->learner.context);
    FREE(server->context, server->workers, server->served, server->unlinked, server->page.data);
    clv_free(server->context, server);
}
