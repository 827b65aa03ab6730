/*
 * Parses the head of an HTTP/1.1 request (request line and header fields) and chunked bodies. The
 * parser accepts only the grammar of RFC 9110 and RFC 9112. It refuses requests that two
 * implementations could read differently (docs/decisions/0027-serve.md lists them). A head is
 * parsed when it is complete, so no state is kept between reads.
 */
#ifndef SERVE_HTTP_HEAD_H
#define SERVE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the head, not NUL-terminated. text is NULL if the span is absent. */
typedef struct {
    const char *text;
    size_t length;
} HttpSpan;

typedef struct {
    HttpSpan method, path, query; /* path: without the query, as sent */
    HttpSpan content_type, accept, authorization, request_id;
    bool old; /* the version is HTTP/1.0 */
    bool keep_alive;
    bool chunked; /* otherwise the body has content_length bytes */
    bool has_body;
    bool expects_continue;
    uint64_t content_length;
} HttpHead;

enum { HEAD_INCOMPLETE = 0 };
#define HEAD_MALFORMED SIZE_MAX
/* Returns the size of the head with its empty line, HEAD_INCOMPLETE or HEAD_MALFORMED. *searched is
 * the position where the search continues, 0 for the first call. */
size_t clv_http_head_size(const char *text, size_t size, size_t *searched);

/* Parses a complete head. Returns 0, or an HTTP status code and the reason of the error. The spans
 * point into the text. */
unsigned clv_http_parse(const char *text, size_t size, HttpHead *head, const char **reason);

/* State of a chunked body. Extensions and trailers are refused. */
typedef struct {
    int state;
    unsigned digits;
    uint64_t left;
} HttpChunks;

typedef enum { CHUNKS_MORE, CHUNKS_END, CHUNKS_BAD } ChunksState;
/* Consumes bytes up to the end of the next run of data and returns their number. *data is that run,
 * which may be empty. */
size_t clv_http_chunks(HttpChunks *chunks, const char *text, size_t size, HttpSpan *data,
                       ChunksState *state);

bool clv_span_is(HttpSpan span, const char *text);
/* Compares without the case of ASCII letters. */
bool clv_span_alike(HttpSpan span, const char *text);
/* Takes the next name and value from a query (a=1&b=2). Returns false at its end. Parts without '='
 * are skipped. Escapes are not decoded. */
bool clv_query_next(HttpSpan *query, HttpSpan *name, HttpSpan *value);
/* Decodes escapes. text takes value.length + 1 bytes. Returns false if an escape is invalid
 * or a zero byte. */
bool clv_query_decode(HttpSpan value, char *text);
/* Returns the value of a name in a query. text is NULL if the name is absent. Escapes are not
 * decoded. */
HttpSpan clv_query_value(HttpSpan query, const char *name);

#endif
