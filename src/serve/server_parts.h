/*
 * Internals of the server (serve.h).
 *
 *     server.c      models, sockets, threads
 *     loop.c        the loop of one thread: events, time limits, the access log
 *     connection.c  one connection: heads, bodies, the order of requests
 *     answer.c      responses
 *     routes.c      the table of routes
 *     rows.c        POST /predict: rows in, predictions out, as they arrive
 *     frame.c       columns of JSON, as rows of that format; predictions of rows in memory
 *     oip.c         the Open Inference Protocol, version 2
 *     mlflow.c      POST /invocations
 *     prometheus.c  GET /metrics
 *     openapi.c     GET /openapi.json
 *     json_rows.c   rows of JSON, as rows of the format that the model was trained on
 *
 * A connection handles one request at a time; pipelined requests wait in its buffer. Nothing
 * blocks: a connection whose client does not read is not read from.
 */
#ifndef SERVE_SERVER_PARTS_H
#define SERVE_SERVER_PARTS_H

#include "read/json_reader.h"
#include "serve/http_head.h"
#include "serve/row_scorer.h"
#include "serve/serve.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    MAX_HEAD = 8192,
    READ_SIZE = 64 * 1024,     /* of one read of a body */
    FLUSH_SIZE = 32 * 1024,    /* content of a response that is sent before its end */
    MOST_PENDING = 256 * 1024, /* unsent bytes; above, the connection is not read */
    MOST_MODELS = 256,
    STATUS_COUNT = 6 /* metrics: by the first digit of the status */
};

typedef struct cleave_server Server;
typedef struct Worker Worker;
typedef struct Exchange Exchange;

/* ---- models ---------------------------------------------------------------------------------- */

/* `version` counts from 1 and increases after `model` has changed. Threads read the model through
 * clv_model_now, which takes the lock only after a change. */
typedef struct {
    char *name, *path;
    const cleave_model *model; /* under server->model_lock */
    atomic_uint_least64_t version, predictions;
} Served;

/* The model that a thread uses, and keeps alive. */
typedef struct {
    const cleave_model *model;
    uint64_t version;
} Used;

/* ---- routes ---------------------------------------------------------------------------------- */

typedef enum { ACCESS_OPEN, ACCESS_TOKEN, ACCESS_ADMIN } Access;

/* begin is called after the head; data with each piece of the body, of which it returns the bytes
 * that it consumed (the rest comes again, with more); end after the body. A route without data gets
 * the whole body in exchange->body before end. begin may be NULL. */
typedef struct {
    const char *method, *path; /* a segment {NAME} stands for any text */
    const char *brief;
    const char *request, *response; /* media types, separated by blanks; NULL: no body */
    Access access;
    void (*begin)(Exchange *exchange);
    size_t (*data)(Exchange *exchange, const char *text, size_t size, bool last);
    void (*end)(Exchange *exchange);
} Route;

enum { MOST_SEGMENTS = 4 };
extern const Route clv_routes[];
extern const size_t clv_route_count;
/* Finds the route of a request; NULL: none. *allowed: a route of this path has another method. */
const Route *clv_route_find(const HttpHead *head, Span segments[MOST_SEGMENTS],
                            const char **allowed);

/* ---- requests -------------------------------------------------------------------------------- */

typedef enum { ANSWER_NDJSON, ANSWER_CSV, ANSWER_JSON } AnswerFormat;

/* POST /predict. */
typedef struct {
    RowScorer *scorer; /* borrowed from the worker's spare ones; NULL: none */
    Served *served;
    const Model *model; /* kept alive by the scorer */
    RowsFormat format;
    AnswerFormat answer;
    bool json_rows; /* NDJSON, converted to the scorer's format */
    bool header_given;
    uint64_t lines; /* of NDJSON, for messages */
    bool probabilities;
    double *probability; /* one per class */
} Rows;

/* A request and its response. */
struct Exchange {
    Worker *worker;
    HttpHead head; /* points into text */
    const Route *route;
    Span segments[MOST_SEGMENTS];
    Buffer text;    /* copy of the head, while the body is read */
    Buffer body;    /* of a route that takes it whole; otherwise bytes that were not consumed */
    Buffer content; /* of the response, not yet in `out` */
    Buffer *out;    /* bytes for the socket */
    unsigned status;
    const char *type;  /* of the content */
    const char *allow; /* for 405 */
    bool started;      /* the head of the response is in `out` */
    bool ended;        /* the response is complete */
    bool closes;       /* the connection ends after the response */
    bool cut;          /* … without a proper end: an error in a response that was started */
    bool failed_memory;
    uint64_t received, sent, row_count;
    double began; /* seconds */
    Rows rows;
};

/* ---- answer.c -------------------------------------------------------------------------------- */

/* Appends to the content of the response. A failure is kept and ends the connection. */
void clv_put(Exchange *exchange, const char *text, size_t size);
void clv_put_text(Exchange *exchange, const char *text);
void clv_put_string(Exchange *exchange, const char *text); /* as JSON, with quotes; NULL: null */
void clv_put_count(Exchange *exchange, uint64_t count);
void clv_put_number(Exchange *exchange, double number); /* null if it is not finite */
/* Begins a response with content of this type. */
void clv_answer(Exchange *exchange, unsigned status, const char *type);
/* Sends the content so far, if it is large. */
void clv_answer_flush(Exchange *exchange);
void clv_answer_end(Exchange *exchange);
/* A complete response {"error": ..., "hint": ...}; within a response that was started, its last
 * line, after which the connection ends. */
void clv_answer_error(Exchange *exchange, unsigned status, const char *message, const char *hint);
void clv_answer_failure(Exchange *exchange, const cleave_error *error);

/* ---- rows.c ---------------------------------------------------------------------------------- */

void clv_rows_begin(Exchange *exchange);
size_t clv_rows_data(Exchange *exchange, const char *text, size_t size, bool last);
void clv_rows_end(Exchange *exchange);
void clv_rows_free(Exchange *exchange); /* returns the scorer */
/* The format of rows that a model was trained on. */
RowsFormat clv_rows_format(const Model *model);
/* A scorer of the worker for this model and format; give it back with clv_scorer_return. */
Status clv_scorer_borrow(Worker *worker, const Model *model, RowsFormat format, RowScorer **scorer,
                         cleave_error *error);
void clv_scorer_return(Worker *worker, RowScorer *scorer); /* accepts NULL */

/* ---- json_rows.c ----------------------------------------------------------------------------- */

/* Appends rows of JSON to `to`, in the format that the model was trained on: the value that begins
 * with the reader's next token, which is an object by column, an array by position, or a text. */
Status clv_json_row(JsonReader *json, const Model *model, Buffer *to, cleave_error *error);
/* The header line of a table; nothing for other models. */
Status clv_json_header(const Model *model, Buffer *to, cleave_error *error);

/* One value of a row, in the format of the model: a cell of CSV, a number, or a text. */
Status clv_json_value(const Model *model, const JsonToken *token, Buffer *to, cleave_error *error);
/* A text as a row of the text format. */
Status clv_text_row(Context *context, const char *text, size_t length, Buffer *to,
                    cleave_error *error);

/* ---- frame.c --------------------------------------------------------------------------------- */

/* The place of a value in a buffer; size 0: absent. */
typedef struct {
    size_t from, size;
} Cell;

typedef struct {
    char *name;           /* owned; NULL: by position */
    size_t first, stride; /* cells of the column: first, first + stride, ... */
} FrameColumn;

/* Values of JSON by column, before they become rows. A zeroed frame with a model is empty. */
typedef struct {
    const Model *model;
    Buffer values;
    Cell *cells;
    size_t cell_count, cell_capacity;
    FrameColumn *columns;
    size_t column_count, column_capacity;
    size_t rows;
} Frame;

void clv_frame_free(Frame *frame);
/* Appends the values of nested arrays, or of one value, that begin with the token; *count of
 * them. */
Status clv_frame_values(Frame *frame, JsonReader *json, const JsonToken *token, size_t *count,
                        cleave_error *error);
/* name NULL: by position. */
Status clv_frame_column(Frame *frame, const char *name, size_t length, size_t first, size_t stride,
                        cleave_error *error);
/* Appends the rows in the format of the model. */
Status clv_frame_write(const Frame *frame, Buffer *to, cleave_error *error);

/* Members of an object by name, as the text of their values, so that they can be read in another
 * order. An unknown member is skipped; text NULL: absent. */
typedef struct {
    const char *name;
    Span value;
} JsonMember;
Status clv_json_members(JsonReader *json, JsonMember *members, size_t count, cleave_error *error);

/* The predictions of rows in memory. */
typedef struct {
    RowScorer *scorer;
    size_t rows, outputs;
    const double *scores;
} Batch;
/* Scores rows that are in worker->scratch. Give the scorer back with clv_scorer_return. */
Status clv_batch_score(Worker *worker, const Model *model, Batch *batch, cleave_error *error);
Served *clv_find_served(Server *server, Span name); /* text NULL: the first; NULL: none */

/* ---- oip.c, mlflow.c ------------------------------------------------------------------------- */

void clv_oip_server(Exchange *exchange);
void clv_oip_model(Exchange *exchange);
void clv_oip_model_ready(Exchange *exchange);
void clv_oip_infer(Exchange *exchange);
void clv_mlflow_invocations(Exchange *exchange);

/* ---- prometheus.c, openapi.c -----------------------------------------------------------------  */

void clv_metrics(Exchange *exchange);
void clv_openapi(Exchange *exchange);

/* ---- connection.c ---------------------------------------------------------------------------- */

typedef enum { READ_HEAD, READ_BODY, LINGER } ConnectionState;

typedef struct Connection {
    struct Connection *next, *previous; /* of the worker */
    int file;
    ConnectionState state;
    Buffer in, out;
    size_t out_at; /* bytes sent */
    size_t searched;
    HttpChunks chunks;
    uint64_t left;   /* of the body */
    double since;    /* of the state, or of the last progress */
    bool over;       /* end of the client's bytes */
    unsigned events; /* that the loop waits for */
    bool last;       /* closes when all is sent */
    Exchange exchange;
    char peer[48];
} Connection;

/* Takes the socket, also on failure. */
void clv_connection_new(Worker *worker, int file, const char *peer);
/* Reads, handles and sends as far as possible without waiting. */
void clv_connection_run(Worker *worker, Connection *connection);
/* Ends it if it is over its time limits. */
void clv_connection_check(Worker *worker, Connection *connection);
void clv_connection_free(Worker *worker, Connection *connection);

/* ---- server.c, loop.c ------------------------------------------------------------------------ */

/* Counters of one thread, read by /metrics. */
typedef struct {
    atomic_uint_least64_t *requests;     /* by route and first digit of the status */
    atomic_uint_least64_t *seconds;      /* by route and bucket of time */
    atomic_uint_least64_t *microseconds; /* by route: the sum */
    atomic_uint_least64_t received, sent, refused;
} Counters;

enum { TIME_BUCKETS = 12 };
extern const double clv_time_buckets[TIME_BUCKETS];

enum { SPARE_SCORERS = 8 };

struct Worker {
    Server *server;
    pthread_t thread;
    int poll;
    double now;
    Connection *connections;
    RowScorer *spare[SPARE_SCORERS];
    Used *used;     /* by served model */
    char *input;    /* READ_SIZE bytes */
    Buffer scratch; /* converted rows */
    JsonReader json;
    Buffer log;
    Counters counters;
    bool started, done;
};

struct cleave_server {
    Context *context;
    ServeConfig config;
    Served *served;
    size_t served_count;
    int listener, wake;
    char address[160];
    char *unlinked; /* path of the Unix socket, removed at the end */
    atomic_bool draining, refuses;
    atomic_size_t connections, running;
    double began;
    _Atomic double drained; /* when draining began */
    Worker *workers;
    size_t worker_count;
    pthread_mutex_t log_lock, model_lock;
    atomic_bool wants_reload;
    atomic_uint_least64_t reloads, failed_reloads;
};

/* The current model, alive until the thread's next call. *version may be NULL. */
const Model *clv_model_now(Worker *worker, Served *served, uint64_t *version);
/* Lets go of replaced models. */
void clv_models_refresh(Worker *worker);

double clv_seconds(void); /* monotonic */
void *clv_worker_run(void *worker);
/* Records a finished request in the counters and the access log. */
void clv_worker_record(Worker *worker, const Connection *connection);

#endif
