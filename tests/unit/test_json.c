/* Strict JSON: text of the grammar is read with its value, and all other text is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "read/json_reader.h"

static cleave_context *context;

/* Reads a whole text. The last string or number of it is in `last`. */
static Status read_all(const char *text, size_t size, char last[64], double *number,
                       cleave_error *error)
{
    char *copy = malloc(size ? size : 1); /* ASan sees reads beyond its end */
    JsonReader json = {0};
    JsonToken token;
    Status status;

    memcpy(copy, text, size);
    clv_json_begin(&json, context, NULL, copy, size);
    do {
        status = clv_json_next(&json, &token, error);
        if (status == OK && token.type == JSON_STRING && token.length < 64) {
            memcpy(last, token.text, token.length);
            last[token.length] = '\0';
        }
        if (status == OK && token.type == JSON_NUMBER)
            *number = token.number;
    } while (status == OK && token.type != JSON_END);
    clv_json_free(&json);
    free(copy);
    return status;
}

static void test_valid(void **unused)
{
    static const struct {
        const char *text, *last;
        double number;
    } texts[] = {
        {"\"\"", "", 0},
        {" { } ", "", 0},
        {"[]", "", 0},
        {"[1,[2,{\"a\":[3]}],-4.5e+2]", "", -450},
        {"{\"a\":\"b\",\"c\":\"d\"}", "d", 0},
        {"\"\\u0041\\n\\/\\\"\\\\\\u00e4\\ud83d\\ude00\"", "A\n/\"\\\xC3\xA4\xF0\x9F\x98\x80", 0},
        {"\"\xE2\x82\xAC\"", "\xE2\x82\xAC", 0},
        {"0", "", 0},
        {"-0.0", "", 0},
        {"1E5", "", 1e5},
        {"true", "", 0},
        {"[null,false]", "", 0},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cleave_error error = {.message = ""};
        char last[64] = "";
        double number = 0;

        if (read_all(texts[i].text, strlen(texts[i].text), last, &number, &error) != OK)
            fail_msg("%s: %s", texts[i].text, error.message);
        assert_string_equal(last, texts[i].last);
        assert_true(number == texts[i].number);
    }
}

static void test_invalid(void **unused)
{
    static const char *const texts[] = {
        "",
        " ",
        "{",
        "}",
        "[1",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:2}",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e400",
        "-",
        "0x1",
        "NaN",
        "Infinity",
        "tru",
        "nulls",
        "'a'",
        "\"a",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\ude00\"",
        "\"\\ud800\\u0041\"",
        "\"\n\"",
        "\"\x01\"",
        "\"\xFF\"",
        "\"\xC0\x80\"",
        "\"\xED\xA0\x80\"",
        "\"\xF4\x90\x80\x80\"",
        "\"\xE2\x82\"",
        "1 2",
        "[]]",
        "[}",
        "{]",
        "[1}",
        "/**/1",
        "\357\273\2771", /* a byte order mark */
    };
    char deep[200];

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cleave_error error;
        char last[64];
        double number;

        if (read_all(texts[i], strlen(texts[i]), last, &number, &error) == OK)
            fail_msg("accepted: %s", texts[i]);
        assert_int_equal(error.code, CLEAVE_ERROR_DATA);
        assert_non_null(strstr(error.message, "of the JSON: expected "));
    }
    memset(deep, '[', sizeof deep);
    assert_int_equal(read_all(deep, sizeof deep, (char[64]){0}, &(double){0}, NULL),
                     CLEAVE_ERROR_DATA);
}

static void test_quote(void **unused)
{
    static const char text[] = "a\"\\\n\x1B\xC3\xA4\xFF\xC2\x9B\xE2\x80\xAE",
                      quoted[] = "\"a\\\"\\\\\\n\\u001b\xC3\xA4\\ufffd\\u009b\\u202e\"";
    Buffer to = {0};

    (void)unused;
    assert_int_equal(clv_json_quote(context, &to, text, sizeof text - 1, NULL), OK);
    assert_int_equal(to.size, sizeof quoted - 1);
    assert_memory_equal(to.data, quoted, to.size);
    clv_free(context, to.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_quote),
    };
    int failed;

    context = cleave_context_new(NULL);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    cleave_context_free(context);
    return failed;
}
