/* GET /metrics returns the counters of all threads in the text format of Prometheus. */
#include "serve/server_parts.h"

static uint64_t read_counter(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit((atomic_uint_least64_t *)(uintptr_t)counter, memory_order_relaxed);
}

static void put_head(Exchange *exchange, const char *name, const char *type, const char *help)
{
    clv_put_text(exchange, "# HELP ");
    clv_put_text(exchange, name);
    clv_put_text(exchange, " ");
    clv_put_text(exchange, help);
    clv_put_text(exchange, "\n# TYPE ");
    clv_put_text(exchange, name);
    clv_put_text(exchange, " ");
    clv_put_text(exchange, type);
    clv_put_text(exchange, "\n");
}

static void put_route(Exchange *exchange, const char *name, const Route *route)
{
    clv_put_text(exchange, name);
    clv_put_text(exchange, "{method=\"");
    clv_put_text(exchange, route->method);
    clv_put_text(exchange, "\",route=\"");
    clv_put_text(exchange, route->path);
    clv_put_text(exchange, "\"");
}

static void put_requests(Exchange *exchange)
{
    const Server *server = exchange->worker->server;

    put_head(exchange, "cleave_requests_total", "counter",
             "Number of requests by route and status.");
    for (size_t i = 0; i < clv_route_count; i++)
        for (size_t status = 1; status < STATUS_COUNT; status++) {
            const char digit = (char)('0' + status);
            uint64_t sum = 0;

            for (size_t w = 0; w < server->worker_count; w++)
                sum += read_counter(
                    &server->workers[w].counters.requests[i * STATUS_COUNT + status]);
            if (sum == 0)
                continue;
            put_route(exchange, "cleave_requests_total", &clv_routes[i]);
            clv_put_text(exchange, ",status=\"");
            clv_put(exchange, &digit, 1);
            clv_put_text(exchange, "xx\"} ");
            clv_put_count(exchange, sum);
            clv_put_text(exchange, "\n");
        }
}

static void put_times(Exchange *exchange, size_t route)
{
    const Server *server = exchange->worker->server;
    uint64_t sum = 0, microseconds = 0;

    for (size_t bucket = 0; bucket <= TIME_BUCKETS; bucket++) {
        for (size_t w = 0; w < server->worker_count; w++)
            sum += read_counter(
                &server->workers[w].counters.seconds[route * (TIME_BUCKETS + 1) + bucket]);
        put_route(exchange, "cleave_request_seconds_bucket", &clv_routes[route]);
        clv_put_text(exchange, ",le=\"");
        if (bucket < TIME_BUCKETS)
            clv_put_number(exchange, clv_time_buckets[bucket]);
        else
            clv_put_text(exchange, "+Inf");
        clv_put_text(exchange, "\"} ");
        clv_put_count(exchange, sum);
        clv_put_text(exchange, "\n");
    }
    for (size_t w = 0; w < server->worker_count; w++)
        microseconds += read_counter(&server->workers[w].counters.microseconds[route]);
    put_route(exchange, "cleave_request_seconds_sum", &clv_routes[route]);
    clv_put_text(exchange, "} ");
    clv_put_number(exchange, 1e-6 * (double)microseconds);
    clv_put_text(exchange, "\n");
    put_route(exchange, "cleave_request_seconds_count", &clv_routes[route]);
    clv_put_text(exchange, "} ");
    clv_put_count(exchange, sum);
    clv_put_text(exchange, "\n");
}

static void put_value(Exchange *exchange, const char *name, const char *type, const char *help,
                      double value)
{
    put_head(exchange, name, type, help);
    clv_put_text(exchange, name);
    clv_put_text(exchange, " ");
    clv_put_number(exchange, value);
    clv_put_text(exchange, "\n");
}

/* A counter of each model. `learns`: only of models that learn. */
static void put_by_model(Exchange *exchange, const char *name, const char *help, bool learns,
                         size_t offset)
{
    const Server *server = exchange->worker->server;

    put_head(exchange, name, "counter", help);
    for (size_t i = 0; i < server->served_count; i++) {
        const Served *served = &server->served[i];

        if (learns && !served->journal)
            continue;
        clv_put_text(exchange, name);
        clv_put_text(exchange, "{model=");
        clv_put_string(exchange, served->name);
        clv_put_text(exchange, "} ");
        clv_put_count(exchange, read_counter((const void *)((const char *)served + offset)));
        clv_put_text(exchange, "\n");
    }
}

static void put_learner(Exchange *exchange)
{
    const Learner *learner = &exchange->worker->server->learner;

    if (!learner->context)
        return;
    put_by_model(exchange, "cleave_learned_rows_total", "Number of learned rows by model.", true,
                 offsetof(Served, learned));
    put_by_model(exchange, "cleave_updates_total", "Number of updates by model.", true,
                 offsetof(Served, updates));
    put_value(exchange, "cleave_saves_total", "counter",
              "Number of times that a model that learns was written to its file.",
              (double)read_counter(&learner->saves));
    put_value(exchange, "cleave_failed_saves_total", "counter",
              "Number of failed writes of a model. Its rows are kept in the journal.",
              (double)read_counter(&learner->failed_saves));
}

void clv_metrics(Exchange *exchange)
{
    const Server *server = exchange->worker->server;
    uint64_t received = 0, sent = 0, refused = 0;

    for (size_t w = 0; w < server->worker_count; w++) {
        received += read_counter(&server->workers[w].counters.received);
        sent += read_counter(&server->workers[w].counters.sent);
        refused += read_counter(&server->workers[w].counters.refused);
    }
    clv_answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8");
    put_requests(exchange);
    put_head(exchange, "cleave_request_seconds", "histogram",
             "Duration of requests by route, in seconds.");
    for (size_t i = 0; i < clv_route_count; i++)
        put_times(exchange, i);
    put_by_model(exchange, "cleave_predictions_total", "Number of predictions by model.", false,
                 offsetof(Served, predictions));
    put_learner(exchange);
    put_value(exchange, "cleave_received_bytes_total", "counter",
              "Size of all request bodies, in bytes.", (double)received);
    put_value(exchange, "cleave_sent_bytes_total", "counter",
              "Size of all response bodies, in bytes.", (double)sent);
    put_value(exchange, "cleave_refused_requests_total", "counter",
              "Number of requests that were malformed or too slow.", (double)refused);
    put_value(exchange, "cleave_reloads_total", "counter", "Number of reloads of the models.",
              (double)read_counter(&server->reloads));
    put_value(exchange, "cleave_failed_reloads_total", "counter",
              "Number of failed reloads. The loaded models are kept.",
              (double)read_counter(&server->failed_reloads));
    put_value(exchange, "cleave_connections", "gauge", "Number of open connections.",
              (double)atomic_load(&server->connections));
    put_value(exchange, "cleave_uptime_seconds", "gauge",
              "Time since the start of the server, in seconds.", clv_seconds() - server->began);
    clv_answer_end(exchange);
}
