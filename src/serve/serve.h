/*
 * The HTTP server of `cleave serve`. Each thread has an epoll loop over one listening socket and
 * its own workspace. All threads share immutable models. The server prints nothing and handles no
 * signals. The caller starts it, drains it and receives its access log.
 *
 *     cleave_server_open    loads the models, opens the socket and starts the threads
 *     cleave_server_reload  loads the models from their files again
 *     cleave_server_drain   sets readiness to false, closes idle connections and completes requests
 *     cleave_server_close   waits for the threads and frees everything
 */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <cleave/expert.h>

typedef struct cleave_server cleave_server;

/* Receives text in pieces. */
typedef void ServeSink(void *user, const char *text, size_t size);

typedef struct {
    const char *listen;      /* "HOST:PORT", "[::1]:0"; NULL if socket is set */
    const char *socket;      /* path of a Unix socket; NULL: TCP */
    int listener;            /* listening socket of the caller, instead of the two; -1: none */
    const char *token;       /* required by all routes except the health checks; NULL: none */
    const char *admin_token; /* required to reload models; NULL: such requests are refused */
    const char *learn_token; /* required to learn; NULL: such requests are refused */
    uint64_t save_every;     /* updates after which a model that learns is written to its file */
    const char *page;        /* HTML file of GET /; NULL: none */
    uint64_t max_body;       /* maximum size of a request that is read as a whole, and of a row, in
                              * bytes */
    double header_seconds;   /* time limit from the first byte of a request to the end of its
                              * head */
    double request_seconds;  /* time limit without progress in a body or a response */
    double idle_seconds;     /* time limit between requests */
    size_t connections;
    unsigned threads; /* number of threads, at least 1 */
    /* Receives complete lines of the access log, from any thread, one call at a time. NULL: no
     * log. */
    void (*log)(void *user, const char *lines, size_t size);
    void *user;
    /* The writers of JSON lines of the command, which the responses repeat. */
    void (*put_explanation)(const cleave_model *model, const cleave_explanation *explanation,
                            ServeSink *sink, void *user);
    void (*put_found)(const cleave_searcher *searcher, const cleave_found *found, ServeSink *sink,
                      void *user);
} ServeConfig;

/* `paths` are the model files. The name of a model is its file name without folder and suffix, or
 * NAME in NAME=PATH. The strings of the configuration must outlive the server. */
cleave_code cleave_server_open(cleave_context *context, const ServeConfig *config,
                               const char *const *paths, size_t count, cleave_server **server,
                               cleave_error *error);
/* "http://127.0.0.1:8080" or "unix:PATH". */
const char *cleave_server_address(const cleave_server *server);
/* May be called from any thread. */
void cleave_server_drain(cleave_server *server);
/* Returns whether a request for a reload has arrived, and clears the flag. */
bool cleave_server_wants_reload(cleave_server *server);
/* Loads all models again, except for models that learn: their files must be unchanged. Requests that began before use the old models, later requests the new
 * models. After a failure all models are unchanged. Only one thread may call it at a time. */
cleave_code cleave_server_reload(cleave_server *server, cleave_error *error);
/* Returns whether the file of a model has changed since the last call, or since it was loaded. The
 * files of models that learn are not watched. Only for the thread that reloads. */
bool cleave_server_files_changed(cleave_server *server);
/* Returns whether all threads have ended after draining. */
bool cleave_server_done(const cleave_server *server);
void cleave_server_close(cleave_server *server); /* accepts NULL */

#endif
