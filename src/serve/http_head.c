#include "serve/http_head.h"

#include <string.h>

enum { MOST_FIELDS = 100, MOST_LENGTH_DIGITS = 18, MOST_CHUNK_DIGITS = 15 };

bool clv_span_is(HttpSpan span, const char *text)
{
    size_t length = strlen(text);

    return span.text && span.length == length && memcmp(span.text, text, length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool clv_span_alike(HttpSpan span, const char *text)
{
    size_t i = 0;

    if (!span.text)
        return false;
    for (; i < span.length && text[i]; i++)
        if (lower(span.text[i]) != lower(text[i]))
            return false;
    return i == span.length && !text[i];
}

bool clv_query_next(HttpSpan *query, HttpSpan *name, HttpSpan *value)
{
    const char *at = query->text, *stop = at ? at + query->length : NULL;

    while (at && at < stop) {
        const char *end = memchr(at, '&', (size_t)(stop - at)), *equals;

        end = end ? end : stop;
        equals = memchr(at, '=', (size_t)(end - at));
        *query = (HttpSpan){end + (end < stop), (size_t)(stop - end - (end < stop))};
        if (equals) {
            *name = (HttpSpan){at, (size_t)(equals - at)};
            *value = (HttpSpan){equals + 1, (size_t)(end - equals - 1)};
            return true;
        }
        at = query->text;
    }
    return false;
}

HttpSpan clv_query_value(HttpSpan query, const char *name)
{
    HttpSpan key, value;

    while (clv_query_next(&query, &key, &value))
        if (clv_span_is(key, name))
            return value;
    return (HttpSpan){0};
}

/* ---- characters ------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

static bool is_token(char c)
{
    return is_digit(c) || is_letter(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static int hex(char c)
{
    return is_digit(c) ? c - '0' : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

bool clv_query_decode(HttpSpan value, char *text)
{
    for (size_t i = 0; i < value.length; i++) {
        char c = value.text[i];

        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            int high = value.length - i > 2 ? hex(value.text[i + 1]) : -1;
            int low = high >= 0 ? hex(value.text[i + 2]) : -1;

            if (low < 0 || high + low == 0)
                return false;
            c = (char)(16 * high + low);
            i += 2;
        }
        *text++ = c;
    }
    *text = '\0';
    return true;
}

static bool is_target(char c)
{
    return c > 0x20 && c < 0x7F && !strchr("\"<>\\^`{|}#", c);
}

static bool is_value(char c)
{
    return c == '\t' || ((unsigned char)c >= 0x20 && c != 0x7F);
}

static bool is_host(char c)
{
    return is_digit(c) || is_letter(c) || (c && strchr("-._~%!$&'()*+,;=:[]", c));
}

static bool all(HttpSpan span, bool (*is)(char))
{
    for (size_t i = 0; i < span.length; i++)
        if (!is(span.text[i]))
            return false;
    return true;
}

/* ---- the request line ------------------------------------------------------------------------ */

size_t clv_http_head_size(const char *text, size_t size, size_t *searched)
{
    size_t at = *searched;

    while (at < size) {
        const char *newline = memchr(text + at, '\n', size - at);

        if (!newline) {
            *searched = size;
            return HEAD_INCOMPLETE;
        }
        at = (size_t)(newline - text);
        if (at < 2 || text[at - 1] != '\r')
            return HEAD_MALFORMED;
        if (text[at - 2] == '\n')
            return at + 1;
        at++;
    }
    *searched = size;
    return HEAD_INCOMPLETE;
}

static bool is_sound_target(HttpSpan target)
{
    if (target.length == 0 || target.text[0] != '/' || !all(target, is_target))
        return false;
    for (size_t i = 0; i < target.length; i++) {
        int high, low;

        if (target.text[i] != '%')
            continue;
        if (i + 2 >= target.length)
            return false;
        high = hex(target.text[i + 1]);
        low = hex(target.text[i + 2]);
        if (high < 0 || low < 0 || 16 * high + low < 0x20 || 16 * high + low == 0x7F)
            return false;
    }
    return true;
}

static unsigned parse_version(HttpSpan version, HttpHead *head, const char **reason)
{
    head->old = clv_span_is(version, "HTTP/1.0");
    if (head->old || clv_span_is(version, "HTTP/1.1"))
        return 0;
    *reason = "the HTTP version is not 1.0 or 1.1";
    return version.length == 8 && memcmp(version.text, "HTTP/", 5) == 0 &&
                   is_digit(version.text[5]) && version.text[6] == '.' && is_digit(version.text[7])
               ? 505
               : 400;
}

static unsigned parse_line(HttpSpan line, HttpHead *head, const char **reason)
{
    const char *stop = line.text + line.length, *space = memchr(line.text, ' ', line.length), *last;
    const char *question;
    HttpSpan target;

    *reason = "the request line is malformed";
    if (!space || space == line.text)
        return 400;
    head->method = (HttpSpan){line.text, (size_t)(space - line.text)};
    if (!all(head->method, is_token))
        return 400;
    last = memchr(space + 1, ' ', (size_t)(stop - space - 1));
    if (!last)
        return 400;
    target = (HttpSpan){space + 1, (size_t)(last - space - 1)};
    if (!is_sound_target(target)) {
        *reason = "the request target is malformed";
        return 400;
    }
    question = memchr(target.text, '?', target.length);
    head->path = target;
    if (question) {
        head->path.length = (size_t)(question - target.text);
        head->query = (HttpSpan){question + 1, target.length - head->path.length - 1};
    }
    return parse_version((HttpSpan){last + 1, (size_t)(stop - last - 1)}, head, reason);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* State of the parser that is needed until all fields are known. */
typedef struct {
    HttpSpan host, length, encoding, expect, content_encoding;
    bool close, keep_alive;
} Fields;

static bool parse_length(HttpSpan text, uint64_t *length)
{
    *length = 0;
    if (text.length == 0 || text.length > MOST_LENGTH_DIGITS || !all(text, is_digit))
        return false;
    for (size_t i = 0; i < text.length; i++)
        *length = *length * 10 + (uint64_t)(text.text[i] - '0');
    return true;
}

static void parse_connection(HttpSpan value, Fields *fields)
{
    const char *at = value.text, *stop = at + value.length;

    while (at < stop) {
        const char *comma = memchr(at, ',', (size_t)(stop - at)), *end = comma ? comma : stop;
        HttpSpan word = {at, (size_t)(end - at)};

        while (word.length && (*word.text == ' ' || *word.text == '\t'))
            word = (HttpSpan){word.text + 1, word.length - 1};
        while (word.length && strchr(" \t", word.text[word.length - 1]))
            word.length--;
        fields->close = fields->close || clv_span_alike(word, "close");
        fields->keep_alive = fields->keep_alive || clv_span_alike(word, "keep-alive");
        at = end + (end < stop);
    }
}

/* Keeps the value of a supported field. Each field may occur once. */
static bool keep_field(HttpSpan name, HttpSpan value, HttpHead *head, Fields *fields)
{
    const struct {
        const char *name;
        HttpSpan *value;
    } known[] = {
        {"host", &fields->host},
        {"content-length", &fields->length},
        {"transfer-encoding", &fields->encoding},
        {"content-type", &head->content_type},
        {"accept", &head->accept},
        {"authorization", &head->authorization},
        {"expect", &fields->expect},
        {"content-encoding", &fields->content_encoding},
        {"x-request-id", &head->request_id},
    };

    if (clv_span_alike(name, "connection")) {
        parse_connection(value, fields);
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!clv_span_alike(name, known[i].name))
            continue;
        if (known[i].value->text)
            return false;
        *known[i].value = value;
        return true;
    }
    return true;
}

static unsigned parse_field(HttpSpan line, HttpHead *head, Fields *fields, const char **reason)
{
    const char *colon = memchr(line.text, ':', line.length);
    HttpSpan name = {line.text, colon ? (size_t)(colon - line.text) : 0}, value;

    *reason = "a header field is malformed";
    if (name.length == 0 || !all(name, is_token))
        return 400;
    value = (HttpSpan){colon + 1, line.length - name.length - 1};
    if (!all(value, is_value))
        return 400;
    while (value.length && (*value.text == ' ' || *value.text == '\t'))
        value = (HttpSpan){value.text + 1, value.length - 1};
    while (value.length && strchr(" \t", value.text[value.length - 1]))
        value.length--;
    if (keep_field(name, value, head, fields))
        return 0;
    *reason = "a header field occurs twice";
    return 400;
}

static unsigned check_fields(HttpHead *head, const Fields *fields, const char **reason)
{
    if (fields->host.text ? !all(fields->host, is_host) : !head->old) {
        *reason = fields->host.text ? "the header field Host is malformed"
                                    : "the header field Host is missing";
        return 400;
    }
    if (fields->encoding.text && fields->length.text) {
        *reason = "Content-Length and Transfer-Encoding cannot be combined";
        return 400;
    }
    if (fields->encoding.text && (head->old || !clv_span_alike(fields->encoding, "chunked"))) {
        *reason = "the header field Transfer-Encoding is not 'chunked'";
        return 400;
    }
    if (fields->length.text && !parse_length(fields->length, &head->content_length)) {
        *reason = "the header field Content-Length is not a number";
        return 400;
    }
    if (fields->expect.text && !clv_span_alike(fields->expect, "100-continue")) {
        *reason = "the header field Expect is not '100-continue'";
        return 417;
    }
    if (fields->content_encoding.text && !clv_span_alike(fields->content_encoding, "identity")) {
        *reason = "compressed bodies are not supported";
        return 415;
    }
    head->expects_continue = fields->expect.text && !head->old;
    head->chunked = fields->encoding.text;
    head->has_body = head->chunked || head->content_length > 0;
    head->keep_alive = !fields->close && (!head->old || fields->keep_alive);
    return 0;
}

unsigned clv_http_parse(const char *text, size_t size, HttpHead *head, const char **reason)
{
    const char *stop = text + size - 2; /* the end of the head, before the empty line */
    unsigned count = 0, status;
    Fields fields = {0};

    *head = (HttpHead){0};
    for (const char *at = text, *end; at < stop; at = end + 2, count++) {
        end = memchr(at, '\r', (size_t)(stop - at));
        if (!end || end[1] != '\n') {
            *reason = "a line does not end with CR LF";
            return 400;
        }
        if (count > MOST_FIELDS) {
            *reason = "the request has too many header fields";
            return 431;
        }
        status = count == 0
                     ? parse_line((HttpSpan){at, (size_t)(end - at)}, head, reason)
                     : parse_field((HttpSpan){at, (size_t)(end - at)}, head, &fields, reason);
        if (status)
            return status;
    }
    return check_fields(head, &fields, reason);
}

/* ---- chunked bodies -------------------------------------------------------------------------- */

enum { CHUNK_SIZE, CHUNK_SIZE_LF, CHUNK_DATA, CHUNK_CR, CHUNK_LF, CHUNK_LAST_CR, CHUNK_LAST_LF };

/* Parses one byte that is not data. */
static ChunksState chunk_byte(HttpChunks *chunks, char c)
{
    int digit = hex(c);

    switch (chunks->state) {
    case CHUNK_SIZE:
        if (digit >= 0 && chunks->digits < MOST_CHUNK_DIGITS) {
            chunks->left = chunks->left * 16 + (unsigned)digit;
            chunks->digits++;
            return CHUNKS_MORE;
        }
        chunks->state = CHUNK_SIZE_LF;
        return c == '\r' && chunks->digits ? CHUNKS_MORE : CHUNKS_BAD;
    case CHUNK_SIZE_LF:
        chunks->state = chunks->left ? CHUNK_DATA : CHUNK_LAST_CR;
        return c == '\n' ? CHUNKS_MORE : CHUNKS_BAD;
    case CHUNK_CR:
        chunks->state = CHUNK_LF;
        return c == '\r' ? CHUNKS_MORE : CHUNKS_BAD;
    case CHUNK_LF:
        *chunks = (HttpChunks){.state = CHUNK_SIZE};
        return c == '\n' ? CHUNKS_MORE : CHUNKS_BAD;
    case CHUNK_LAST_CR:
        chunks->state = CHUNK_LAST_LF;
        return c == '\r' ? CHUNKS_MORE : CHUNKS_BAD;
    default: /* CHUNK_LAST_LF */
        return c == '\n' ? CHUNKS_END : CHUNKS_BAD;
    }
}

size_t clv_http_chunks(HttpChunks *chunks, const char *text, size_t size, HttpSpan *data,
                       ChunksState *state)
{
    size_t at = 0;

    *data = (HttpSpan){text, 0};
    *state = CHUNKS_MORE;
    while (at < size && *state == CHUNKS_MORE) {
        if (chunks->state == CHUNK_DATA) {
            data->text = text + at;
            data->length = size - at < chunks->left ? size - at : (size_t)chunks->left;
            chunks->left -= data->length;
            if (chunks->left == 0)
                chunks->state = CHUNK_CR;
            return at + data->length;
        }
        *state = chunk_byte(chunks, text[at++]);
    }
    return at;
}
