/* The table of routes. To add a route, add its functions and a line. */
#include "serve/server_parts.h"

/* ---- health ---------------------------------------------------------------------------------- */

static void live(Exchange *exchange)
{
    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"live\":true}\n");
    clv_answer_end(exchange);
}

/* false from the start of draining, so that a load balancer sends new requests elsewhere. */
static void ready(Exchange *exchange)
{
    bool draining = atomic_load(&exchange->worker->server->draining);

    clv_answer(exchange, draining ? 503 : 200, "application/json");
    clv_put_text(exchange, draining ? "{\"ready\":false}\n" : "{\"ready\":true}\n");
    clv_answer_end(exchange);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Route clv_routes[] = {
    {"GET", "/v2/health/live", "Whether the server runs.", ACCESS_OPEN, NULL, NULL, live},
    {"GET", "/v2/health/ready", "Whether the server accepts requests.", ACCESS_OPEN, NULL, NULL,
     ready},
    {"POST", "/predict", "Predict rows of text, CSV, NDJSON or LIBSVM.", ACCESS_TOKEN,
     clv_rows_begin, clv_rows_data, clv_rows_end},
};
const size_t clv_route_count = sizeof clv_routes / sizeof *clv_routes;

/* Whether a path has the form of a route; segments receives the text of {NAME}. */
static bool fits(const char *route, Span path, Span segments[MOST_SEGMENTS])
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

const Route *clv_route_find(const HttpHead *head, Span segments[MOST_SEGMENTS],
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
