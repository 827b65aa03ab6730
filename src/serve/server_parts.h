/*
 * Internals of the server (serve.h).
 *
 *     server.c      models, sockets, threads
 *     loop.c        the loop of one thread: events, time limits, the access log
 *     connection.c  one connection: request heads, bodies, the order of requests
 *     answer.c      responses
 *     routes.c      the table of routes
 *     rows.c        POST /predict, /explain, /search: answers to rows as they arrive
 *     learn.c       POST /learn
 *     learner.c     the thread that learns; learn_journal.c keeps what it has learned
 *     frame.c       converts columns of JSON to rows; predictions for rows in memory
 *     oip.c         the Open Inference Protocol, version 2
 *     mlflow.c      POST /invocations
 *     prometheus.c  GET /metrics
 *     openapi.c     GET /openapi.json
 *     json_rows.c   converts rows of JSON to the format that the model was trained on
 *
 * A connection handles one request at a time. Pipelined requests wait in its buffer. No call
 * blocks. If a client does not read its responses, its requests are not read.
 */
#ifndef SERVE_SERVER_PARTS_H
#define SERVE_SERVER_PARTS_H

#include "base/lock.h"
#include "read/json_reader.h"
#include "serve/http_head.h"
#include "serve/learn_journal.h"
#include "serve/row_scorer.h"
#include "serve/serve.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    MAX_HEAD = 8192,
    READ_SIZE = 64 * 1024,     /* maximum size of one read of a body */
    FLUSH_SIZE = 32 * 1024,    /* response content above this size is sent before the response
                                * ends */
    MOST_PENDING = 256 * 1024, /* the connection is not read while it has more unsent bytes */
    MOST_MODELS = 256,
    STATUS_COUNT = 6,       /* metrics count responses by the first digit of the status */
    SMALL_PIECE = 4096,     /* piece of a body whose rows have long answers, … */
    MOST_ANSWERS = 64 << 20 /* … and their limit */
};

typedef struct cleave_server Server;
typedef struct ServeWorker ServeWorker;
typedef struct Exchange Exchange;
typedef struct LearnJob LearnJob;
typedef struct Connection Connection;

/* ---- models ---------------------------------------------------------------------------------- */

/* Two files of the same name differ in one of these. */
typedef struct {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of the last change */
} FileVersion;

/* `version` counts from 1 and increases after `model` has changed. Threads read the model through
 * clv_model_now, which takes the lock only after a change. */
typedef struct {
    char *name, *path;
    FileVersion file;          /* when the model was loaded */
    const cleave_model *model; /* model, guarded by server->model_lock */
    atomic_uint_least64_t version, predictions;
    /* Models that learn. Only the learner changes them. */
    Lock *lock;
    LearnJournal *journal; /* NULL: the model does not learn */
    uint64_t next_save;    /* number of updates in the journal */
    atomic_uint_least64_t learned, updates;
} Served;

/* A model that a thread uses, and to which it has a reference. */
typedef struct {
    const cleave_model *model;
    uint64_t version;
} Used;

/* ---- routes ---------------------------------------------------------------------------------- */

typedef enum { ACCESS_OPEN, ACCESS_TOKEN, ACCESS_LEARN, ACCESS_ADMIN } Access;

/* A route calls `begin` after the head, `data` for each piece of the body, and `end` after the
 * body. `data` returns the number of bytes consumed and receives the rest again with the next
 * piece. If `data` is NULL, exchange->body has the whole body in `end`. `begin` may be NULL. If `end`
 * sets exchange->job, the response follows later. */
typedef struct {
    const char *method, *path; /* a segment {NAME} matches any text */
    const char *brief;
    const char *request, *response; /* media types, separated by blanks; NULL: no body */
    const char *schema;             /* of the response, or of its elements; NULL: any */
    const char *const *query;       /* names of the parameters; ends with NULL. NULL: none */
    Access access;
    size_t piece; /* limit of the bytes that `data` receives at once; 0: none */
    void (*begin)(Exchange *exchange);
    size_t (*data)(Exchange *exchange, const char *text, size_t size, bool last);
    void (*end)(Exchange *exchange);
} Route;

enum { MOST_SEGMENTS = 4 };
extern const Route clv_routes[];
extern const size_t clv_route_count;
/* Returns the route of a request, or NULL. *allowed is set to the method of a route with this path
 * but another method. */
const Route *clv_route_find(const HttpHead *head, HttpSpan segments[MOST_SEGMENTS],
                            const char **allowed);

/* ---- requests -------------------------------------------------------------------------------- */

typedef enum { ANSWER_NDJSON, ANSWER_CSV, ANSWER_JSON } AnswerFormat;

/* Writes the answers to the rows of a block. */
typedef Status RowsTake(Exchange *exchange, const Block *block, cleave_error *error);

/* POST /predict, /explain, /search and /learn. */
typedef struct {
    RowScorer *scorer; /* borrowed from the spare scorers of the worker, or NULL */
    Served *served;
    const Model *model; /* the model to which the scorer has a reference */
    RowsFormat format;
    AnswerFormat answer;
    RowsTake *take;
    cleave_searcher *searcher; /* POST /search */
    bool json_rows;            /* NDJSON, converted to the scorer's format */
    bool labeled;              /* these rows have labels */
    bool header_given;
    uint64_t lines; /* number of NDJSON lines, for messages */
    bool probabilities;
    double *probability; /* probability of each class */
} ServeRows;

/* A request and its response. */
struct Exchange {
    ServeWorker *worker;
    HttpHead head; /* its spans point into text */
    const Route *route;
    HttpSpan segments[MOST_SEGMENTS];
    Buffer text;    /* copy of the head, while the body is read */
    Buffer body;    /* the whole body for routes without `data`; otherwise bytes that were not
                     * consumed */
    Buffer content; /* response content that is not yet in `out` */
    Buffer *out;    /* bytes for the socket */
    unsigned status;
    const char *type;  /* media type of the content */
    const char *allow; /* value of the header field Allow for status 405 */
    bool started;      /* the head of the response is in `out` */
    bool ended;        /* the response is complete */
    bool closes;       /* the connection ends after the response */
    bool cut;          /* an error ends the connection within a started response */
    bool failed_memory;
    uint64_t received, sent, row_count;
    double began; /* time when the request began, in seconds */
    ServeRows rows;
    LearnJob *job; /* the response waits for it; NULL: none */
};

/* ---- answer.c -------------------------------------------------------------------------------- */

/* Appends to the content of the response. A failure is recorded and ends the connection. */
void clv_put(Exchange *exchange, const char *text, size_t size);
void clv_put_text(Exchange *exchange, const char *text);
void clv_put_string(Exchange *exchange, const char *text); /* writes a JSON string, or null for
                                                            * NULL */
void clv_put_count(Exchange *exchange, uint64_t count);
void clv_put_number(Exchange *exchange, double number); /* writes null if the number is not
                                                         * finite */
/* Begins a response with content of this type. */
void clv_answer(Exchange *exchange, unsigned status, const char *type);
/* Sends the content so far, if it is large. */
void clv_answer_flush(Exchange *exchange);
void clv_answer_end(Exchange *exchange);
/* Sends the response {"error": ..., "hint": ...}. If a response was started, the error is its last
 * line and the connection ends. */
void clv_answer_error(Exchange *exchange, unsigned status, const char *message, const char *hint);
void clv_answer_failure(Exchange *exchange, const cleave_error *error);

/* ---- rows.c ---------------------------------------------------------------------------------- */

void clv_predict_begin(Exchange *exchange);
void clv_explain_begin(Exchange *exchange);
void clv_search_begin(Exchange *exchange);
size_t clv_rows_data(Exchange *exchange, const char *text, size_t size, bool last);
void clv_rows_end(Exchange *exchange);
void clv_rows_free(Exchange *exchange); /* returns the scorer */
/* Finds the model and the format of a request. Returns false after an error response. */
bool clv_rows_find_model(Exchange *exchange);
/* Converts complete lines of JSON to rows of the model's format in worker->scratch. Blank lines are
 * skipped. */
Status clv_rows_convert(Exchange *exchange, const char *text, size_t size, cleave_error *error);
/* Returns the format of the rows on which a model was trained. */
RowsFormat clv_rows_format(const Model *model);
/* Borrows a scorer for this model and format. The caller returns it with clv_scorer_return. */
Status clv_scorer_borrow(ServeWorker *worker, const Model *model, RowsFormat format,
                         RowScorer **scorer, cleave_error *error);
void clv_scorer_return(ServeWorker *worker, RowScorer *scorer); /* accepts NULL */

/* ---- json_rows.c ----------------------------------------------------------------------------- */

/* Reads a row from JSON and appends it to `to` in the format that the model was trained on. The row
 * is an object by column, an array by position, or a text. A labeled row has its label column, or
 * the key "label". */
Status clv_json_row(JsonReader *json, const Model *model, bool labeled, Buffer *to,
                    cleave_error *error);
/* Appends the header line if the model was trained on a table. */
Status clv_json_header(const Model *model, bool labeled, Buffer *to, cleave_error *error);

/* Appends one value of a row in the format of the model: a CSV cell, a number, or a text. */
Status clv_json_value(const Model *model, const JsonToken *token, Buffer *to, cleave_error *error);
/* Appends a text as a row of the text format. */
Status clv_text_row(Context *context, const char *text, size_t length, Buffer *to,
                    cleave_error *error);

/* ---- frame.c --------------------------------------------------------------------------------- */

/* Position and size of a value in a buffer. Size 0 means absent. */
typedef struct {
    size_t from, size;
} ServeCell;

typedef struct {
    char *name;           /* owned; NULL: the column is matched by position */
    size_t first, stride; /* the cells of the column are first, first + stride, ... */
} FrameColumn;

/* Columns of JSON values that are converted to rows. A zeroed frame with a model is empty. */
typedef struct {
    const Model *model;
    Buffer values;
    ServeCell *cells;
    size_t cell_count, cell_capacity;
    FrameColumn *columns;
    size_t column_count, column_capacity;
    size_t rows;
} ServeFrame;

void clv_frame_free(ServeFrame *frame);
/* Appends the values of nested arrays, or a single value, beginning with the token. *count is the
 * number of values. */
Status clv_frame_values(ServeFrame *frame, JsonReader *json, const JsonToken *token, size_t *count,
                        cleave_error *error);
/* Adds a column. If name is NULL, it is matched by position. */
Status clv_frame_column(ServeFrame *frame, const char *name, size_t length, size_t first,
                        size_t stride, cleave_error *error);
/* Appends the rows in the format of the model. */
Status clv_frame_write(const ServeFrame *frame, Buffer *to, cleave_error *error);

/* Finds the members of an object by name, so that they can be read in any order. `value` is the
 * JSON text of the member; its text is NULL if the member is absent. Unknown members are
 * skipped. */
typedef struct {
    const char *name;
    HttpSpan value;
} JsonMember;
Status clv_json_members(JsonReader *json, JsonMember *members, size_t count, cleave_error *error);

/* Predictions for rows in memory. */
typedef struct {
    RowScorer *scorer;
    size_t rows, outputs;
    const double *scores;
} ServeBatch;
/* Scores the rows in worker->scratch. The caller returns the scorer with clv_scorer_return. */
Status clv_batch_score(ServeWorker *worker, const Model *model, ServeBatch *batch,
                       cleave_error *error);
Served *clv_find_served(Server *server,
                        /* returns the model of this name, or the first model if name.text is NULL;
                         * NULL if there is none */
                        HttpSpan name);

/* ---- learn.c, learner.c ---------------------------------------------------------------------- */

/* The rows of a request of POST /learn. */
struct LearnJob {
    LearnJob *next;
    ServeWorker *worker;
    Connection *connection; /* NULL: the client has left. For the worker's thread */
    Served *served;
    Buffer rows;      /* text of the model's format */
    size_t header;    /* size of the header of a table */
    uint64_t count;   /* rows */
    Status status;    /* the result, … */
    unsigned code;    /* … the HTTP status of an error, or 0: by the error, … */
    uint64_t version; /* … and the version of the model that contains the rows */
    cleave_error error;
};

typedef struct {
    Context *context; /* of the models that learn; NULL: none */
    pthread_t thread;
    bool started, stops;
    pthread_mutex_t lock; /* guards the queue, `stops`, and `learned` of each worker */
    pthread_cond_t work;
    LearnJob *first, **last;
    size_t waiting;         /* bytes of rows in the queue */
    pthread_mutex_t saving; /* held while a model file is replaced */
    atomic_uint_least64_t saves, failed_saves;
} Learner;

void clv_learn_begin(Exchange *exchange);
void clv_learn_end(Exchange *exchange);
/* Answers the requests whose rows were learned. */
void clv_learn_answer(ServeWorker *worker);
void clv_learn_job_free(Server *server, LearnJob *job);

/* Loads a model and applies the updates of its journal. */
Status clv_model_load_learned(Context *context, const char *path, cleave_model **model,
                              uint64_t *updates, cleave_error *error);
Status clv_learner_init(Server *server, cleave_error *error);
/* Loads a model at the start, and opens its journal if it can learn. */
Status clv_learner_load(Server *server, Served *served, cleave_error *error);
Status clv_learner_start(Server *server, cleave_error *error);
/* Passes a job to the learner. Returns false if too many rows wait. */
bool clv_learner_submit(Server *server, LearnJob *job);
/* Fails if the file of a model that learns was replaced. */
Status clv_learner_check_file(Server *server, const Served *served, cleave_error *error);
/* After the workers have ended: learns the remaining rows and saves the models. */
void clv_learner_close(Server *server);

/* ---- oip.c, mlflow.c ------------------------------------------------------------------------- */

void clv_oip_server(Exchange *exchange);
void clv_oip_model(Exchange *exchange);
void clv_oip_model_ready(Exchange *exchange);
void clv_oip_infer(Exchange *exchange);
void clv_mlflow_invocations(Exchange *exchange);

/* ---- prometheus.c, openapi.c ----------------------------------------------------------------- */

void clv_metrics(Exchange *exchange);
void clv_openapi(Exchange *exchange);

/* ---- connection.c ---------------------------------------------------------------------------- */

typedef enum { READ_HEAD, READ_BODY, LINGER } ConnectionState;

struct Connection {
    Connection *next, *previous; /* connections of the worker */
    int file;
    ConnectionState state;
    Buffer in, out;
    size_t out_at; /* number of bytes sent */
    size_t searched;
    HttpChunks chunks;
    uint64_t left;   /* number of bytes left of the body */
    double since;    /* time of the last change of state or of the last progress */
    bool over;       /* the client has sent all its bytes */
    unsigned events; /* epoll events that the loop waits for */
    bool last;       /* the connection closes when all bytes are sent */
    Exchange exchange;
    char peer[48];
};

/* Takes ownership of the socket, also on failure. */
void clv_connection_new(ServeWorker *worker, int file, const char *peer);
/* Reads, handles and sends as far as possible without waiting. */
void clv_connection_run(ServeWorker *worker, Connection *connection);
/* Continues after the response that the connection has waited for. */
void clv_connection_answered(ServeWorker *worker, Connection *connection);
/* Ends the connection if it exceeds its time limits. */
void clv_connection_check(ServeWorker *worker, Connection *connection);
void clv_connection_free(ServeWorker *worker, Connection *connection);

/* ---- server.c, loop.c ------------------------------------------------------------------------ */

/* Counters of one thread, read by /metrics. */
typedef struct {
    atomic_uint_least64_t *requests;     /* number by route and first digit of the status */
    atomic_uint_least64_t *seconds;      /* number by route and histogram bucket */
    atomic_uint_least64_t *microseconds; /* total time by route */
    atomic_uint_least64_t received, sent, refused;
} Counters;

enum { TIME_BUCKETS = 12 };
extern const double clv_time_buckets[TIME_BUCKETS];

enum { SPARE_SCORERS = 8 };

struct ServeWorker {
    Server *server;
    pthread_t thread;
    int poll;
    double now;
    Connection *connections;
    RowScorer *spare[SPARE_SCORERS];
    Used *used;     /* model in use for each served model */
    char *input;    /* buffer of READ_SIZE bytes */
    Buffer scratch; /* converted rows */
    JsonReader json;
    Buffer log;
    Counters counters;
    int learned_event;
    LearnJob *learned; /* guarded by learner.lock */
    bool started, done;
};

struct cleave_server {
    Context *context;
    ServeConfig config;
    Served *served;
    size_t served_count;
    Buffer page; /* empty: none */
    int listener, wake;
    char address[160];
    char *unlinked; /* path of the Unix socket, which is removed at the end */
    bool inherited; /* the listening socket is the caller's, who continues to listen */
    atomic_bool draining, refuses;
    atomic_size_t connections, running;
    double began;
    _Atomic double drained; /* time when draining began */
    ServeWorker *workers;
    size_t worker_count;
    pthread_mutex_t log_lock, model_lock;
    atomic_bool wants_reload;
    atomic_uint_least64_t reloads, failed_reloads;
    Learner learner;
};

/* Returns the current model, which is valid until the next call of this thread. `version` may be
 * NULL. */
const Model *clv_model_now(ServeWorker *worker, Served *served, uint64_t *version);
/* Replaces the model. Takes ownership of the new one. */
void clv_model_publish(Server *server, Served *served, const Model *model);
/* Releases replaced models. */
void clv_models_refresh(ServeWorker *worker);

double clv_seconds(void); /* time of a monotonic clock */
void *clv_worker_run(void *worker);
/* Records a finished request in the counters and the access log. */
void clv_worker_record(ServeWorker *worker, const Connection *connection);

#endif
