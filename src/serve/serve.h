/*
 * The HTTP server of `cleave serve`: an epoll loop per thread over one listening socket, immutable
 * models shared by all threads, and a workspace of predictions for each thread. The server prints
 * nothing and handles no signals: the caller starts it, drains it and receives its access log.
 *
 *     cleave_server_open    loads the models, opens the socket and starts the threads
 *     cleave_server_reload  replaces the models by those in the files now
 *     cleave_server_drain   readiness becomes false; idle connections end, requests complete
 *     cleave_server_close   waits for the threads and frees everything
 */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <cleave/expert.h>

typedef struct cleave_server cleave_server;

typedef struct {
    const char *listen;      /* "HOST:PORT", "[::1]:0"; NULL if socket is set */
    const char *socket;      /* path of a Unix socket; NULL: TCP */
    const char *token;       /* required by every route but the health checks; NULL: none */
    const char *admin_token; /* required by routes that change models; NULL: they are refused */
    uint64_t max_body;       /* bytes of a request that is read as a whole, and of a row */
    double header_seconds;   /* from the first byte of a request to the end of its head */
    double request_seconds;  /* without progress in a body or a response */
    double idle_seconds;     /* between requests */
    size_t connections;
    unsigned threads; /* at least 1 */
    /* Complete lines of the access log, from any thread, one call at a time. NULL: no log. */
    void (*log)(void *user, const char *lines, size_t size);
    void *user;
} ServeConfig;

/* paths: the model files; a model's name is its file name without the folder and the suffix, or
 * NAME in NAME=PATH. The config's texts outlive the server. */
cleave_code cleave_server_open(cleave_context *context, const ServeConfig *config,
                               const char *const *paths, size_t count, cleave_server **server,
                               cleave_error *error);
/* "http://127.0.0.1:8080" or "unix:PATH". */
const char *cleave_server_address(const cleave_server *server);
/* From any thread. */
void cleave_server_drain(cleave_server *server);
/* Whether a request has asked for a reload. Clears the mark. */
bool cleave_server_wants_reload(cleave_server *server);
/* Loads all models again. Requests that began before use the old models, later ones the new. On
 * failure every model stays as it is. By one thread at a time. */
cleave_code cleave_server_reload(cleave_server *server, cleave_error *error);
/* Whether all threads have ended, after draining. */
bool cleave_server_done(const cleave_server *server);
void cleave_server_close(cleave_server *server); /* accepts NULL */

#endif
