/*
 * Requests to the server: a head that is accepted has a sound target and its spans lie within it,
 * and neither the head's size nor a chunked body depends on how the bytes arrive.
 */
#include "fuzz/fuzz.h"
#include "serve/http_head.h"

#include <string.h>

/* The body of chunks: its length, and a sum over its bytes and their places. */
typedef struct {
    ChunksState state;
    uint64_t length, sum;
} Body;

static Body read_body(const char *text, size_t size, size_t piece)
{
    HttpChunks chunks = {0};
    Body body = {.state = CHUNKS_MORE};
    size_t at = 0;

    while (at < size && body.state == CHUNKS_MORE) {
        size_t given = size - at < piece ? size - at : piece, used;
        HttpSpan data;

        used = clv_http_chunks(&chunks, text + at, given, &data, &body.state);
        PROMISE(used > 0 && used <= given);
        PROMISE(data.length == 0 ||
                (data.text >= text + at && data.text + data.length <= text + at + used));
        for (size_t i = 0; i < data.length; i++)
            body.sum = body.sum * 31 + (unsigned char)data.text[i];
        body.length += data.length;
        at += used;
    }
    return body;
}

static void check_chunks(const char *text, size_t size)
{
    Body whole = read_body(text, size, size), bytes = read_body(text, size, 1);

    PROMISE(whole.state == bytes.state);
    PROMISE(whole.length == bytes.length && whole.sum == bytes.sum);
}

static size_t head_size_by_bytes(const char *text, size_t size)
{
    size_t searched = 0, length = HEAD_INCOMPLETE;

    for (size_t part = 1; part <= size && length == HEAD_INCOMPLETE; part++)
        length = clv_http_head_size(text, part, &searched);
    return length;
}

static void check_span(HttpSpan span, const char *text, size_t size)
{
    PROMISE(!span.text || (span.text >= text && span.text + span.length <= text + size));
    for (size_t i = 0; span.text && i < span.length; i++)
        PROMISE(span.text[i] && !strchr("\r\n", span.text[i]));
}

static void check_head(const char *text, size_t size)
{
    const char *reason = NULL;
    HttpHead head;
    unsigned status = clv_http_parse(text, size, &head, &reason);

    if (status) {
        PROMISE(status >= 400 && status < 600 && reason && reason[0]);
        return;
    }
    for (size_t i = 0; i < 7; i++)
        check_span((HttpSpan[]){head.method, head.path, head.query, head.content_type, head.accept,
                                head.authorization, head.request_id}[i],
                   text, size);
    check_span(clv_query_value(head.query, "model"), text, size);
    PROMISE(head.method.length > 0 && head.path.length > 0 && head.path.text[0] == '/');
    PROMISE(!head.chunked || (!head.old && head.content_length == 0));
    PROMISE(head.has_body == (head.chunked || head.content_length > 0));
    PROMISE(memcmp(text + size - 4, "\r\n\r\n", 4) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size_t searched = 0, length = clv_http_head_size(text, size, &searched);

    PROMISE(length == head_size_by_bytes(text, size));
    if (length == HEAD_INCOMPLETE || length == HEAD_MALFORMED) {
        check_chunks(text, size);
        return 0;
    }
    PROMISE(length <= size);
    check_head(text, length);
    check_chunks(text + length, size - length);
    return 0;
}
