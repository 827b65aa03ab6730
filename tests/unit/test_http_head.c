/* Heads and chunks of HTTP requests: each kind of malformed request is refused, and no change of a
 * few bytes makes the parser read outside of the head. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serve/http_head.h"

static unsigned parse(const char *text, size_t size, HttpHead *head)
{
    size_t searched = 0, length = clv_http_head_size(text, size, &searched);
    const char *reason = NULL;
    unsigned status;

    if (length == HEAD_MALFORMED)
        return 400;
    if (length == HEAD_INCOMPLETE)
        return 1;
    status = clv_http_parse(text, length, head, &reason);
    assert_true(!status == !reason || !status);
    return status;
}

#define LINE "POST /predict HTTP/1.1\r\n"
#define HOST LINE "Host: x\r\n"

static void test_heads(void **unused)
{
    static const struct {
        const char *text;
        unsigned status;
    } heads[] = {
        {HOST "\r\n", 0},
        {HOST "Content-Length: 0\r\n\r\n", 0},
        {HOST "content-length:3\r\n\r\n", 0},
        {HOST "Transfer-Encoding: Chunked\r\n\r\n", 0},
        {HOST "X-A: \xC3\xA4\tb\r\n\r\n", 0},
        {"GET /a?b=c%20d HTTP/1.0\r\n\r\n", 0},
        {HOST "X: y", 1},
        /* framing */
        {HOST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {HOST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400},
        {HOST "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", 400},
        {HOST "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 400},
        {HOST "Content-Length: +3\r\n\r\n", 400},
        {HOST "Content-Length: -3\r\n\r\n", 400},
        {HOST "Content-Length: 0x3\r\n\r\n", 400},
        {HOST "Content-Length: 3, 3\r\n\r\n", 400},
        {HOST "Content-Length: 1 3\r\n\r\n", 400},
        {HOST "Content-Length:\r\n\r\n", 400},
        {HOST "Content-Length: 99999999999999999999\r\n\r\n", 400},
        {HOST "Transfer-Encoding: xchunked\r\n\r\n", 400},
        {HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", 400},
        {HOST "Transfer-Encoding: chunked, identity\r\n\r\n", 400},
        {HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {HOST "Transfer-Encoding: \x0B"
              "chunked\r\n\r\n",
         400},
        {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        /* fields */
        {HOST "Content-Length : 3\r\n\r\n", 400},
        {HOST " Content-Length: 3\r\n\r\n", 400},
        {HOST "X-A: b\r\n c\r\n\r\n", 400},
        {HOST "X-A: b\r\n\tc\r\n\r\n", 400},
        {HOST "X-A: b\rc\r\n\r\n", 400},
        {HOST "X-A: b\x01\r\n\r\n", 400},
        {HOST "X-A\r\n\r\n", 400},
        {HOST ": b\r\n\r\n", 400},
        {HOST "X A: b\r\n\r\n", 400},
        {HOST "X\xC3\xA4: b\r\n\r\n", 400},
        {HOST "Authorization: a\r\nAuthorization: b\r\n\r\n", 400},
        {HOST "Content-Type: a\r\nContent-Type: b\r\n\r\n", 400},
        {HOST "Expect: 200-maybe\r\n\r\n", 417},
        {HOST "Content-Encoding: gzip\r\n\r\n", 415},
        {HOST "Host: y\r\n\r\n", 400},
        {LINE "\r\n", 400},
        {LINE "Host: a b\r\n\r\n", 400},
        {LINE "Host: a/b\r\n\r\n", 400},
        /* line ends */
        {"POST / HTTP/1.1\nHost: x\n\n", 400},
        {"POST / HTTP/1.1\r\nHost: x\n\r\n", 400},
        {"\r\n" HOST "\r\n", 400},
        {"\n" HOST "\r\n", 400},
        /* the request line */
        {"POST  / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /  HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST / HTTP/1.1 \r\nHost: x\r\n\r\n", 400},
        {" POST / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST / HTTP/1.1\tx\r\nHost: x\r\n\r\n", 400},
        {"POST /\r\nHost: x\r\n\r\n", 400},
        {"POST\r\nHost: x\r\n\r\n", 400},
        {"P(ST / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST / http/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST / HTTP/1.11\r\nHost: x\r\n\r\n", 400},
        {"POST / HTTP/1,1\r\nHost: x\r\n\r\n", 400},
        {"POST / HTTP/2.0\r\nHost: x\r\n\r\n", 505},
        /* the target */
        {"POST * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST x HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /\xC3\xA4 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /a\\b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /a#b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /%0 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
        {"POST /%0a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    };
    static const char nul_value[] = HOST "X-A: b\0c\r\n\r\n", nul_name[] = HOST "X\0: b\r\n\r\n",
                      nul_target[] = "POST /\0 HTTP/1.1\r\nHost: x\r\n\r\n";
    HttpHead head;

    (void)unused;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        unsigned status = parse(heads[i].text, strlen(heads[i].text), &head);

        if (status != heads[i].status)
            fail_msg("head %zu: expected %u, found %u:\n%s", i, heads[i].status, status,
                     heads[i].text);
    }
    assert_int_equal(parse(nul_value, sizeof nul_value - 1, &head), 400);
    assert_int_equal(parse(nul_name, sizeof nul_name - 1, &head), 400);
    assert_int_equal(parse(nul_target, sizeof nul_target - 1, &head), 400);
}

static void test_values(void **unused)
{
    static const char text[] = "POST /a/b?model=m&x=1 HTTP/1.1\r\nHost: localhost:80\r\n"
                               "Content-Length: 12\r\nAccept: \t text/csv \r\n"
                               "Connection: foo, Close\r\nExpect: 100-continue\r\n\r\n";
    HttpHead head;

    (void)unused;
    assert_int_equal(parse(text, sizeof text - 1, &head), 0);
    assert_true(clv_span_is(head.method, "POST"));
    assert_true(clv_span_is(head.path, "/a/b"));
    assert_true(clv_span_is(clv_query_value(head.query, "model"), "m"));
    assert_true(clv_span_is(clv_query_value(head.query, "x"), "1"));
    assert_null(clv_query_value(head.query, "mode").text);
    assert_true(clv_span_is(head.accept, "text/csv"));
    assert_int_equal(head.content_length, 12);
    assert_false(head.keep_alive);
    assert_true(head.expects_continue && head.has_body && !head.chunked);
}

/* Feeds the text in pieces of a size; the data is in `out`. */
static ChunksState read_chunks(const char *text, size_t size, size_t piece, char *out,
                               size_t *length)
{
    HttpChunks chunks = {0};
    ChunksState state = CHUNKS_MORE;
    size_t at = 0;

    *length = 0;
    while (at < size && state == CHUNKS_MORE) {
        size_t give = size - at < piece ? size - at : piece;
        HttpSpan data;

        at += clv_http_chunks(&chunks, text + at, give, &data, &state);
        memcpy(out + *length, data.text, data.length);
        *length += data.length;
    }
    return state;
}

static void test_chunks(void **unused)
{
    static const struct {
        const char *text;
        ChunksState state;
    } bodies[] = {
        {"3\r\nabc\r\n0\r\n\r\n", CHUNKS_END},
        {"1\r\na\r\n2\r\nbc\r\n000\r\n\r\n", CHUNKS_END},
        {"3\r\nabc\r\n", CHUNKS_MORE},
        {"0x3\r\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"+3\r\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"-1\r\n", CHUNKS_BAD},
        {" 3\r\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"3 \r\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"3;a=b\r\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"\r\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"2\r\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"3\nabc\r\n0\r\n\r\n", CHUNKS_BAD},
        {"3\r\nabc\n0\r\n\r\n", CHUNKS_BAD},
        {"3\r\nabc0\r\n\r\n", CHUNKS_BAD},
        {"3\r\nabc\r\n0\r\nX: y\r\n\r\n", CHUNKS_BAD},
        {"3\r\nabc\r\n0\r\n\n", CHUNKS_BAD},
        {"10000000000000000\r\n", CHUNKS_BAD},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (size_t piece = 1; piece < 20; piece++) {
            size_t size = strlen(bodies[i].text), length;
            char out[64];

            assert_int_equal(read_chunks(bodies[i].text, size, piece, out, &length),
                             bodies[i].state);
            if (bodies[i].state == CHUNKS_END)
                assert_true(length == 3 && memcmp(out, "abc", 3) == 0);
        }
}

static void check_span(HttpSpan span, const char *text, size_t size)
{
    if (span.text)
        assert_true(span.text >= text && span.text + span.length <= text + size);
}

/* Spans stay within the head, whatever is changed. CLEAVE_LONG=1: a million heads. */
static void test_changed(void **unused)
{
    static const char seed[] = "POST /v2/models/a%20b/infer?x=y HTTP/1.1\r\nHost: localhost:80\r\n"
                               "Content-Length: 3\r\nContent-Type: text/plain\r\nAccept: */*\r\n"
                               "Connection: close\r\n\r\n";
    static const char bytes[] = "\r\n\t :,;%/?\0\x7f\xff"
                                "0aZ";
    size_t count = getenv("CLEAVE_LONG") ? 1000000 : 50000, refused = 0;
    uint64_t key = 24;

    (void)unused;
    for (size_t i = 0; i < count; i++) {
        size_t size = sizeof seed - 1;
        char *text = malloc(size); /* a block of its own: ASan sees reads beyond */
        HttpHead head;

        memcpy(text, seed, size);
        for (int change = 0; change < 3; change++) {
            key = key * 6364136223846793005u + 1442695040888963407u;
            text[(key >> 33) % size] = bytes[(key >> 20) % (sizeof bytes - 1)];
        }
        size -= (key >> 50) % 8 ? 0 : (key >> 53) % size;
        if (parse(text, size, &head) == 0) {
            check_span(head.method, text, size);
            check_span(head.path, text, size);
            check_span(head.query, text, size);
            check_span(head.content_type, text, size);
            check_span(head.accept, text, size);
            assert_true(!head.chunked);
        } else {
            refused++;
        }
        free(text);
    }
    assert_true(refused > count / 2);
}

static void parts_of_a_query(void **state)
{
    HttpSpan query = {"a=1&flag&b=&c=x%3Dy+z%c3%a9", 28}, name, value;
    char text[32];

    (void)state;
    assert_true(clv_query_next(&query, &name, &value));
    assert_true(clv_span_is(name, "a") && clv_span_is(value, "1"));
    assert_true(clv_query_next(&query, &name, &value));
    assert_true(clv_span_is(name, "b") && clv_span_is(value, ""));
    assert_true(clv_query_next(&query, &name, &value));
    assert_true(clv_span_is(name, "c") && clv_query_decode(value, text));
    assert_string_equal(text, "x=y z\xc3\xa9");
    assert_false(clv_query_next(&query, &name, &value));
    assert_false(clv_query_next(&(HttpSpan){0}, &name, &value));
    assert_false(clv_query_decode((HttpSpan){"%", 1}, text));
    assert_false(clv_query_decode((HttpSpan){"x%4", 3}, text));
    assert_false(clv_query_decode((HttpSpan){"%4g", 3}, text));
    assert_false(clv_query_decode((HttpSpan){"%00", 3}, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads),       cmocka_unit_test(test_values),
        cmocka_unit_test(test_chunks),      cmocka_unit_test(test_changed),
        cmocka_unit_test(parts_of_a_query),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
