/* cleave serve: predictions over HTTP. */
#include "cli/ui/call.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/json.h"
#include "cli/verbs/explain_parts.h"
#include "cli/verbs/found_json.h"

#include "serve/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *listen, *socket, *token_file, *admin_token_file, *learn_token_file, *access_log,
        *page;
    bool watch;
    int64_t save_every, max_body, header_seconds, request_seconds, idle_seconds, connections;
} ServeFlags;

static const cleave_param flags[] = {
    CLI_OWN_TEXT(ServeFlags, listen, "Listen on this address; port 0 selects a free port.",
                 .default_text = "127.0.0.1:8080"),
    CLI_OWN_TEXT(ServeFlags, socket, "Listen on this Unix socket instead."),
    CLI_OWN_TEXT(ServeFlags, token_file,
                 "Require the token in the first line of this file (Authorization: Bearer).\n"
                 "Required for addresses that other machines can reach."),
    CLI_OWN_TEXT(ServeFlags, admin_token_file,
                 "Require the token in the first line of this file to reload models."),
    CLI_OWN_FLAG(ServeFlags, watch, "Load the models again when their files change."),
    CLI_OWN_TEXT(ServeFlags, learn_token_file,
                 "Learn from POST /learn; require the token in the first line of this file.\n"
                 "The learned rows are in MODEL.journal."),
    CLI_OWN_INTEGER(ServeFlags, save_every, 1000, 1, 1e9,
                    "Write a model that learns to its file after this number of updates."),
    CLI_OWN_TEXT(ServeFlags, access_log,
                 "Append one line of JSON per request to this file; - is standard output."),
    CLI_OWN_TEXT(ServeFlags, page,
                 "Answer GET / with this HTML file, e.g. the page of 'make web'."),
    CLI_OWN_INTEGER(ServeFlags, max_body, 16, 1, 4096,
                    "Maximum size of a request body, or of one row of /predict, in MB."),
    CLI_OWN_INTEGER(ServeFlags, header_seconds, 5, 1, 3600,
                    "Time limit for the header of a request, in seconds."),
    CLI_OWN_INTEGER(ServeFlags, request_seconds, 60, 1, 86400,
                    "Time limit for a body slower than 1 KB per second, in seconds."),
    CLI_OWN_INTEGER(ServeFlags, idle_seconds, 60, 1, 86400,
                    "Close a connection without requests after this time, in seconds."),
    CLI_OWN_INTEGER(ServeFlags, connections, 4096, 1, 1000000, "Maximum number of connections."),
    {.name = NULL},
};

#ifdef HAVE_SERVE

enum { TOKEN_SIZE = 1024, LEAST_TOKEN = 16, POLL_MS = 100, WATCH_POLLS = 10 };

typedef struct {
    char token[TOKEN_SIZE], admin_token[TOKEN_SIZE], learn_token[TOKEN_SIZE];
    FILE *log; /* NULL: none */
    bool log_failed;
    int listener; /* from systemd; -1: none */
} Serving;

/* Reads the first line of a file. */
static int read_token(const char *path, char token[TOKEN_SIZE])
{
    FILE *file = fopen(path, "r");
    size_t length;
    bool read;

    if (!file)
        return cli_failed("", "%s: %s", path, strerror(errno));
    read = fgets(token, TOKEN_SIZE, file) != NULL;
    fclose(file);
    length = read ? strcspn(token, "\r\n") : 0;
    token[length] = '\0';
    if (length < LEAST_TOKEN || length + 1 == TOKEN_SIZE)
        return cli_failed("head -c 24 /dev/urandom | base64 prints a token",
                          "%s: expected a token of 16 to 1022 bytes in the first line", path);
    return DONE;
}

/* The socket of systemd's socket activation (sd_listen_fds(3)): file 3. *listener is -1 without
 * it. */
static int find_listener(const ServeFlags *given, int *listener)
{
    enum { FIRST = 3 };
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    char own[24];

    *listener = -1;
    snprintf(own, sizeof own, "%ld", (long)getpid());
    if (!process || !count || strcmp(process, own) != 0 || given->listen || given->socket)
        return DONE;
    if (strcmp(count, "1") != 0)
        return cli_misuse("LISTEN_FDS is '%s', but the server listens on one socket", count);
    *listener = FIRST;
    return DONE;
}

/* Called by one thread at a time. */
static void write_log(void *user, const char *lines, size_t size)
{
    Serving *serving = user;

    if (fwrite(lines, 1, size, serving->log) != size || fflush(serving->log) != 0)
        serving->log_failed = true;
}

static int open_log(Serving *serving, const char *path)
{
    if (!path)
        return DONE;
    serving->log = strcmp(path, "-") == 0 ? stdout : fopen(path, "a");
    return serving->log ? DONE : cli_failed("", "%s: %s", path, strerror(errno));
}

static void put_explanation(const cleave_model *model, const cleave_explanation *explanation,
                            ServeSink *sink, void *user)
{
    Out out;

    cli_out_sink(&out, sink, user);
    cli_explanation_json(&out, model, explanation);
    cli_out_flush(&out);
}

static void put_found(const cleave_searcher *searcher, const cleave_found *found, ServeSink *sink,
                      void *user)
{
    Out out;

    cli_out_sink(&out, sink, user);
    cli_found_json(&out, searcher, found, false);
    cli_out_flush(&out);
}

static unsigned thread_count(const Call *call)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (call->settings.threads > 0)
        return (unsigned)call->settings.threads;
    return cores > 0 ? (unsigned)cores : 1;
}

static void print_start(const Call *call, const cleave_server *server)
{
    static Out out;
    Json json = {.out = &out};

    cli_out_file(&out, stdout);
    if (call->settings.json) {
        cli_json_open(&json, '{');
        cli_json_put_string(&json, "address", cleave_server_address(server));
        cli_json_put_count(&json, "models", call->argument_count);
        cli_json_put_count(&json, "threads", thread_count(call));
        cli_json_end(&json, '}');
    } else {
        cli_print(&out, "Serving %s at %s.\n", COUNT(call->argument_count, "model", "models"),
                  cleave_server_address(server));
    }
    cli_out_flush(&out);
}

static volatile sig_atomic_t hangup; /* SIGHUP has arrived */

static void on_hangup(int number)
{
    (void)number;
    hangup = 1;
}

static void reload(const Call *call, cleave_server *server)
{
    cleave_error error;
    char message[sizeof error.message + 64];

    if (cleave_server_reload(server, &error) == CLEAVE_OK) {
        cli_say(call, "the models were reloaded", "");
        return;
    }
    snprintf(message, sizeof message, "the models are unchanged: %s", error.message);
    cli_say(call, message, error.hint);
}

/* Waits until an interrupt, and then until every request has its response. */
static void wait_for_end(const Call *call, Serving *serving, cleave_server *server)
{
    const ServeFlags *given = call->own;

    for (unsigned polls = 1; !cli_interrupted() && !serving->log_failed; polls++) {
        bool wanted = cleave_server_wants_reload(server);

        if (given->watch && polls % WATCH_POLLS == 0)
            wanted |= cleave_server_files_changed(server);

        if (wanted || hangup) {
            hangup = 0;
            reload(call, server);
        }
        poll(NULL, 0, POLL_MS);
    }
    cleave_server_drain(server);
    while (!cleave_server_done(server))
        poll(NULL, 0, POLL_MS);
}

static int serve(Call *call, Serving *serving)
{
    const ServeFlags *given = call->own;
    ServeConfig config = {
        .listen = given->listen ? given->listen : "127.0.0.1:8080",
        .socket = given->socket,
        .listener = serving->listener,
        .token = given->token_file ? serving->token : NULL,
        .admin_token = given->admin_token_file ? serving->admin_token : NULL,
        .page = given->page,
        .learn_token = given->learn_token_file ? serving->learn_token : NULL,
        .save_every = (uint64_t)given->save_every,
        .put_explanation = put_explanation,
        .put_found = put_found,
        .max_body = (uint64_t)given->max_body * 1024 * 1024,
        .header_seconds = (double)given->header_seconds,
        .request_seconds = (double)given->request_seconds,
        .idle_seconds = (double)given->idle_seconds,
        .connections = (uint64_t)given->connections,
        .threads = thread_count(call),
        .log = serving->log ? write_log : NULL,
        .user = serving,
    };
    cleave_server *server;

    if (cleave_server_open(call->context, &config, call->arguments, call->argument_count, &server,
                           &call->error) != CLEAVE_OK)
        return cli_fail(call);
    sigaction(SIGHUP, &(struct sigaction){.sa_handler = on_hangup}, NULL);
    call->deaf = true; /* an interrupt ends the server, not the requests */
    if (!call->settings.quiet)
        print_start(call, server);
    wait_for_end(call, serving, server);
    cleave_server_close(server);
    return serving->log_failed
               ? cli_failed("", "the access log cannot be written: %s", strerror(errno))
               : DONE;
}

static int run(Call *call)
{
    const ServeFlags *given = call->own;
    Serving serving = {.log = NULL};
    int status;

    if (given->listen && given->socket)
        return cli_misuse("--listen HOST:PORT and --socket PATH cannot be combined");
    if (given->token_file)
        CLI_TRY(read_token(given->token_file, serving.token));
    if (given->admin_token_file)
        CLI_TRY(read_token(given->admin_token_file, serving.admin_token));
    if (given->learn_token_file)
        CLI_TRY(read_token(given->learn_token_file, serving.learn_token));
    CLI_TRY(find_listener(given, &serving.listener));
    CLI_TRY(open_log(&serving, given->access_log));
    status = serve(call, &serving);
    if (serving.log && serving.log != stdout && fclose(serving.log) != 0 && status == DONE)
        status = cli_failed("", "%s: %s", given->access_log, strerror(errno));
    return status;
}

#else

static int run(Call *call)
{
    (void)call;
    return cli_failed("build it on Linux with -DCLEAVE_SERVE=ON", "this build has no server");
}

#endif

static const char *const examples[] = {
    "cleave train perceptron @spam6 -o spam.model",
    "cleave serve spam.model --socket spam.socket &",
    "kill $!",
    NULL,
};

const Verb cli_verb_serve = {
    .name = "serve",
    .arguments = "MODEL...",
    .brief = "Answer prediction requests over HTTP.",
    .about = "Loads models and answers requests until it is stopped. POST /predict takes rows "
             "of text, CSV, NDJSON or LIBSVM and returns one prediction per row; POST /explain, "
             "/search and /learn explain predictions, find neighbors and learn. A model has the "
             "name of its file without the suffix, or NAME in NAME=PATH; ?model=NAME selects it. "
             "SIGHUP and POST /reload load the models again. After SIGTERM or SIGINT, the requests "
             "already received are completed. Use a proxy for TLS and HTTP/2.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(ServeFlags),
    .tables = 0,
    .least = 1,
    .most = 256,
    .run = run,
};
