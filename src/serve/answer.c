/* Responses. The content is collected in memory. A small response is sent with a Content-Length, a
 * large one in chunks. */
#include "serve/server_parts.h"

#include "base/number.h"
#include "read/json_reader.h"

#include <math.h>
#include <stdio.h>

static void keep(Exchange *exchange, Status status)
{
    if (status != OK)
        exchange->failed_memory = exchange->closes = exchange->cut = exchange->ended = true;
}

static Context *context_of(const Exchange *exchange)
{
    return exchange->worker->server->context;
}

void clv_put(Exchange *exchange, const char *text, size_t size)
{
    if (!exchange->failed_memory)
        keep(exchange, clv_buffer_add(context_of(exchange), &exchange->content, text, size, NULL));
}

void clv_put_text(Exchange *exchange, const char *text)
{
    clv_put(exchange, text, strlen(text));
}

void clv_put_string(Exchange *exchange, const char *text)
{
    if (!text)
        clv_put_text(exchange, "null");
    else if (!exchange->failed_memory)
        keep(exchange,
             clv_json_quote(context_of(exchange), &exchange->content, text, strlen(text), NULL));
}

void clv_put_count(Exchange *exchange, uint64_t count)
{
    char text[NUMBER_SIZE];

    clv_put(exchange, text, clv_format_unsigned(text, count));
}

void clv_put_number(Exchange *exchange, double number)
{
    char text[NUMBER_SIZE];

    if (isfinite(number))
        clv_put(exchange, text, clv_format_double(text, number));
    else
        clv_put_text(exchange, "null");
}

static const char *reason_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {202, "Accepted"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Error";
}

static void add_out(Exchange *exchange, const char *text, size_t size)
{
    if (!exchange->failed_memory)
        keep(exchange, clv_buffer_add(context_of(exchange), exchange->out, text, size, NULL));
}

static bool in_chunks(const Exchange *exchange)
{
    return !exchange->head.old;
}

/* `whole` is true if the content is complete. */
static void start(Exchange *exchange, bool whole)
{
    char text[512], length[64] = "Transfer-Encoding: chunked\r\n";
    int size;

    if (whole)
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", exchange->content.size);
    else if (!in_chunks(exchange)) { /* HTTP/1.0: the content ends with the connection */
        exchange->closes = true;
        length[0] = '\0';
    }
    if (atomic_load_explicit(&exchange->worker->server->draining, memory_order_relaxed))
        exchange->closes = true;
    size = snprintf(text, sizeof text, "HTTP/1.1 %u %s\r\nContent-Type: %s\r\n%s%s%s%s%s%s\r\n",
                    exchange->status, reason_of(exchange->status), exchange->type, length,
                    exchange->status == 401 ? "WWW-Authenticate: Bearer\r\n" : "",
                    exchange->allow ? "Allow: " : "", exchange->allow ? exchange->allow : "",
                    exchange->allow ? "\r\n" : "",
                    exchange->closes                                  ? "Connection: close\r\n"
                    : exchange->head.old && exchange->head.keep_alive ? "Connection: keep-alive\r\n"
                                                                      : "");
    add_out(exchange, text, (size_t)size);
    exchange->started = true;
}

/* Moves the content to the output buffer of the connection. */
static void move(Exchange *exchange, bool framed)
{
    bool no_content = clv_span_is(exchange->head.method, "HEAD");
    size_t size = exchange->content.size;
    char text[32];

    if (size && !no_content) {
        if (framed)
            add_out(exchange, text, (size_t)snprintf(text, sizeof text, "%zx\r\n", size));
        add_out(exchange, exchange->content.data, size);
        if (framed)
            add_out(exchange, "\r\n", 2);
        exchange->sent += size;
    }
    exchange->content.size = 0;
}

void clv_answer(Exchange *exchange, unsigned status, const char *type)
{
    exchange->status = status;
    exchange->type = type;
}

void clv_answer_flush(Exchange *exchange)
{
    if (exchange->content.size < FLUSH_SIZE || exchange->ended)
        return;
    if (!exchange->started)
        start(exchange, false);
    move(exchange, in_chunks(exchange));
}

void clv_answer_end(Exchange *exchange)
{
    if (exchange->ended)
        return;
    if (!exchange->started) {
        start(exchange, true);
        move(exchange, false);
    } else {
        move(exchange, in_chunks(exchange));
        if (in_chunks(exchange) && !exchange->cut)
            add_out(exchange, "0\r\n\r\n", 5);
    }
    exchange->ended = true;
}

void clv_answer_error(Exchange *exchange, unsigned status, const char *message, const char *hint)
{
    if (exchange->ended)
        return;
    if (exchange->started) /* the status line was sent, so the content stays incomplete */
        exchange->closes = exchange->cut = true;
    else
        exchange->content.size = 0;
    if (!exchange->started)
        clv_answer(exchange, status, "application/json");
    clv_put_text(exchange, "{\"error\":");
    clv_put_string(exchange, message);
    if (hint && *hint) {
        clv_put_text(exchange, ",\"hint\":");
        clv_put_string(exchange, hint);
    }
    clv_put_text(exchange, "}\n");
    clv_answer_end(exchange);
}

void clv_answer_failure(Exchange *exchange, const cleave_error *error)
{
    unsigned status = error->code == CLEAVE_ERROR_DATA || error->code == CLEAVE_ERROR_USAGE ? 400
                      : error->code == CLEAVE_ERROR_MEMORY                                  ? 503
                                                                                            : 500;

    clv_answer_error(exchange, status, error->message, error->hint);
}
