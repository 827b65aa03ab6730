/* The table of routes. A new route needs a line here and its functions. */
#include "serve/server_parts.h"

/* ---- health ---------------------------------------------------------------------------------- */

static void live(Exchange *exchange)
{
    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"live\":true}\n");
    clv_answer_end(exchange);
}

/* Fails from the start of draining, so that a load balancer sends new requests to other servers. */
static void ready(Exchange *exchange)
{
    bool draining = atomic_load(&exchange->worker->server->draining);

    clv_answer(exchange, draining ? 503 : 200, "application/json");
    clv_put_text(exchange, draining ? "{\"ready\":false}\n" : "{\"ready\":true}\n");
    clv_answer_end(exchange);
}

/* The page is public: it has no data of the server. */
static void page(Exchange *exchange)
{
    const Buffer *text = &exchange->worker->server->page;

    if (text->size == 0) {
        clv_answer_error(exchange, 404, "the server has no page", "start it with --page FILE");
        return;
    }
    clv_answer(exchange, 200, "text/html; charset=utf-8");
    clv_put(exchange, text->data, text->size);
    clv_answer_end(exchange);
}

/* The thread that started the server loads the models, so that requests are not delayed. */
static void reload(Exchange *exchange)
{
    atomic_store(&exchange->worker->server->wants_reload, true);
    clv_answer(exchange, 202, "application/json");
    clv_put_text(exchange, "{\"reloading\":true}\n");
    clv_answer_end(exchange);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define JSON "application/json"
#define ROWS "text/plain text/csv application/x-ndjson text/x-libsvm"
#define LINES "application/x-ndjson application/json"
#define MODEL "/v2/models/{model}"
#define VERSION MODEL "/versions/{version}"
#define TENSORS "Predict tensors (Open Inference Protocol)."

static const char *const model_query[] = {"model", NULL};
static const char *const predict_query[] = {"model", "probabilities", NULL};
static const char *const search_query[] = {"model",       "k",     "radius", "only-rows",
                                           "only-labels", "where", "show",   NULL};

/* clang-format off */
const Route clv_routes[] = {
    {.method = "GET", .path = "/", .brief = "The page of --page.",
     .response = "text/html", .access = ACCESS_OPEN, .end = page},
    {.method = "POST", .path = "/predict", .brief = "Predict rows, which are streamed.",
     .request = ROWS, .response = LINES " text/csv", .schema = "Prediction",
     .query = predict_query, .access = ACCESS_TOKEN,
     .begin = clv_predict_begin, .data = clv_rows_data, .end = clv_rows_end},
    {.method = "POST", .path = "/explain", .brief = "Explain the predictions of rows.",
     .request = ROWS, .response = LINES, .schema = "Explanation",
     .query = model_query, .access = ACCESS_TOKEN, .piece = SMALL_PIECE,
     .begin = clv_explain_begin, .data = clv_rows_data, .end = clv_rows_end},
    {.method = "POST", .path = "/search", .brief = "Find the nearest neighbors of rows.",
     .request = ROWS, .response = LINES, .schema = "Neighbors",
     .query = search_query, .access = ACCESS_TOKEN, .piece = SMALL_PIECE,
     .begin = clv_search_begin, .data = clv_rows_data, .end = clv_rows_end},
    {.method = "POST", .path = "/learn", .brief = "Learn from rows with labels.",
     .request = ROWS, .response = JSON, .schema = "Learned", .query = model_query,
     .access = ACCESS_LEARN, .begin = clv_learn_begin, .end = clv_learn_end},
    {.method = "POST", .path = "/invocations", .brief = "Predict rows (MLflow).",
     .request = JSON " text/csv", .response = JSON, .access = ACCESS_TOKEN,
     .end = clv_mlflow_invocations},
    {.method = "GET", .path = "/v2", .brief = "The server and its models.",
     .response = JSON, .access = ACCESS_TOKEN, .end = clv_oip_server},
    {.method = "GET", .path = "/v2/health/live", .brief = "Whether the server runs.",
     .response = JSON, .access = ACCESS_OPEN, .end = live},
    {.method = "GET", .path = "/v2/health/ready", .brief = "Whether it takes new requests.",
     .response = JSON, .access = ACCESS_OPEN, .end = ready},
    {.method = "GET", .path = MODEL, .brief = "Inputs and outputs of a model.",
     .response = JSON, .access = ACCESS_TOKEN, .end = clv_oip_model},
    {.method = "GET", .path = VERSION, .brief = "Inputs and outputs of a model.",
     .response = JSON, .access = ACCESS_TOKEN, .end = clv_oip_model},
    {.method = "GET", .path = MODEL "/ready", .brief = "Whether a model is loaded.",
     .response = JSON, .access = ACCESS_TOKEN, .end = clv_oip_model_ready},
    {.method = "GET", .path = VERSION "/ready", .brief = "Whether a model is loaded.",
     .response = JSON, .access = ACCESS_TOKEN, .end = clv_oip_model_ready},
    {.method = "POST", .path = MODEL "/infer", .brief = TENSORS,
     .request = JSON, .response = JSON, .access = ACCESS_TOKEN, .end = clv_oip_infer},
    {.method = "POST", .path = VERSION "/infer", .brief = TENSORS,
     .request = JSON, .response = JSON, .access = ACCESS_TOKEN, .end = clv_oip_infer},
    {.method = "POST", .path = "/reload", .brief = "Load the models again.",
     .response = JSON, .access = ACCESS_ADMIN, .end = reload},
    {.method = "GET", .path = "/metrics", .brief = "Counters in the format of Prometheus.",
     .response = "text/plain", .access = ACCESS_TOKEN, .end = clv_metrics},
    {.method = "GET", .path = "/openapi.json", .brief = "This description.",
     .response = JSON, .access = ACCESS_TOKEN, .end = clv_openapi},
};
/* clang-format on */
const size_t clv_route_count = sizeof clv_routes / sizeof *clv_routes;

/* Returns whether a path matches a route. segments receives the text of {NAME}. */
static bool fits(const char *route, HttpSpan path, HttpSpan segments[MOST_SEGMENTS])
{
    const char *at = path.text, *stop = at + path.length;
    size_t count = 0;

    while (*route && at < stop) {
        if (*route != '{') {
            if (*route++ != *at++)
                return false;
            continue;
        }
        segments[count].text = at;
        while (at < stop && *at != '/')
            at++;
        segments[count].length = (size_t)(at - segments[count].text);
        if (segments[count++].length == 0)
            return false;
        route = strchr(route, '}') + 1;
    }
    return !*route && at == stop;
}

const Route *clv_route_find(const HttpHead *head, HttpSpan segments[MOST_SEGMENTS],
                            const char **allowed)
{
    bool get = clv_span_is(head->method, "GET") || clv_span_is(head->method, "HEAD");

    for (size_t i = 0; i < clv_route_count; i++) {
        if (!fits(clv_routes[i].path, head->path, segments))
            continue;
        if (clv_span_is(head->method, clv_routes[i].method) ||
            (get && strcmp(clv_routes[i].method, "GET") == 0))
            return &clv_routes[i];
        *allowed = strcmp(clv_routes[i].method, "GET") == 0 ? "GET, HEAD" : clv_routes[i].method;
    }
    return NULL;
}
