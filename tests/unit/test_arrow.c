/*
 * Cells of Arrow arrays (src/read/arrow.c): each type at its limits, with an offset and missing
 * values, as the text of the table that they become; types that are refused; the limit of the text.
 */
#include "property/table.h"

#include "read/arrow.h"

#include <float.h>
#include <math.h>

enum { ROWS = 4, DATA = 256 };

/* A column x of four cells, beside a column without values. A first cell, before the offset, is not
 * read. */
typedef struct {
    const char *format, *dictionary; /* of the values; NULL: none */
    const void *values, *text, *more;
    const char *expected; /* cells, with a comma after each */
    uint8_t valid;        /* a bit for each of the five cells; 0: no bits */
} Case;

static void read_case(const Case *one, ArrowWriter *writer, cleave_error *error)
{
    struct ArrowSchema values = {.format = one->dictionary};
    struct ArrowSchema column = {.format = one->format,
                                 .name = "x",
                                 .dictionary = one->dictionary ? &values : NULL},
                       none = {.format = "n"}, *columns[] = {&column, &none},
                       top = {.format = "+s", .n_children = 2, .children = columns};
    const int32_t ends[] = {0, 3, 7, 9};
    const void *known[] = {NULL, ends, "redbluex\"q"},
               *buffers[] = {one->valid ? &one->valid : NULL, one->values, one->text, one->more};
    struct ArrowArray dictionary = {.length = 3, .n_buffers = 3, .buffers = known},
                      array = {.length = ROWS,
                               .offset = 1,
                               .null_count = one->valid ? -1 : 0,
                               .n_buffers = 4,
                               .buffers = buffers,
                               .dictionary = one->dictionary ? &dictionary : NULL},
                      empty = {.length = ROWS}, *arrays[] = {&array, &empty};
    struct ArrowArray batch = {.length = ROWS,
                               .n_buffers = 1,
                               .buffers = (const void *[]){NULL},
                               .n_children = 2,
                               .children = arrays};
    Status status;

    writer->name = "t.arrow";
    writer->file = -1;
    writer->error = error;
    status = clv_arrow_begin(writer, &top);
    THEN(status, clv_arrow_put(writer, &top, &batch));
    error->code = status;
}

static void free_writer(ArrowWriter *writer)
{
    Context *context = writer->context;

    clv_free(context, writer->csv.data);
    clv_free(context, writer->kinds.data);
    clv_free(context, writer->columns.data);
    cleave_context_free(context);
}

static void check(Case one)
{
    ArrowWriter writer = {.context = new_context(1)};
    cleave_error error = {0};
    char expected[DATA] = "\"x\",\"\"\n", text[DATA];

    read_case(&one, &writer, &error);
    assert_fine(error.code, &error);
    for (const char *at = one.expected; *at; at++)
        strcat(expected, *at == ',' ? ",\n" : (char[]){*at, '\0'});
    assert_in_range(writer.csv.size, 1, DATA - 1);
    snprintf(text, sizeof text, "%.*s", (int)writer.csv.size, (const char *)writer.csv.data);
    assert_string_equal(text, expected);
    free_writer(&writer);
}

static void integers(void **state)
{
    (void)state;
    check((Case){"c", .values = (int8_t[]){9, 0, -1, 127, -128}, .expected = "0,-1,127,-128,"});
    check((Case){"C", .values = (uint8_t[]){9, 0, 1, 128, 255}, .expected = "0,1,128,255,"});
    check((Case){"s", .values = (int16_t[]){9, 0, -1, INT16_MAX, INT16_MIN},
                 .expected = "0,-1,32767,-32768,"});
    check((Case){"S", .values = (uint16_t[]){9, 0, 1, 32768, UINT16_MAX},
                 .expected = "0,1,32768,65535,"});
    check((Case){"i", .values = (int32_t[]){9, 0, -1, INT32_MAX, INT32_MIN},
                 .expected = "0,-1,2147483647,-2147483648,"});
    check((Case){"I", .values = (uint32_t[]){9, 0, 1, 1u << 31, UINT32_MAX},
                 .expected = "0,1,2147483648,4294967295,"});
    check((Case){"l", .values = (int64_t[]){9, 0, -1, INT64_MAX, INT64_MIN},
                 .expected = "0,-1,9223372036854775807,-9223372036854775808,"});
    check((Case){"L", .values = (uint64_t[]){9, 0, 1, 1ull << 63, UINT64_MAX},
                 .expected = "0,1,9223372036854775808,18446744073709551615,"});
    check((Case){"b", .values = (uint8_t[]){0x13}, .expected = "1,0,0,1,"});
    check((Case){"b", .values = (uint8_t[]){0x13}, .valid = 0x15, .expected = ",0,,1,"});
    check((Case){"n", .expected = ",,,,"});
}

static void reals(void **state)
{
    (void)state;
    check((Case){"f", .values = (float[]){9, 0.1F, -1e30F, NAN, 1.5F},
                 .expected = "0.1,-1e+30,,1.5,"});
    check((Case){"g", .values = (double[]){9, 0.1, -1e300, NAN, 1.5},
                 .expected = "0.1,-1e+300,,1.5,"});
    /* 1, -2, 2^-24, 65504 */
    check((Case){"e", .values = (uint16_t[]){9, 0x3C00, 0xC000, 1, 0x7BFF},
                 .expected = "1,-2,5.9604645e-08,65504,"});
    /* 2^-14, 1 + 2^-10, NaN, 0 */
    check((Case){"e", .values = (uint16_t[]){9, 0x0400, 0x3C01, 0x7E00, 0},
                 .expected = "0.000061035156,1.0009766,,0,"});
    check((Case){
        "d:19,2",
        .values = (uint64_t[]){9, 9, 12345, 0, 0 - 12345ull, UINT64_MAX, 0, 1, 0, UINT64_MAX},
        .expected = "123.45,-123.45,1.8446744073709552e+17,-1.8446744073709552e+17,"});
    check((Case){"d:19,0,128", .values = (uint64_t[]){9, 9, 7, 0, 1, 0, 0 - 7ull, UINT64_MAX, 0, 0},
                 .valid = 0x1B, .expected = "7,,-7,0,"});
}

static void dates(void **state)
{
    (void)state;
    check((Case){"tdD", .values = (int32_t[]){9, 0, -1, 19782, 2932896},
                 .expected = "1970-01-01,1969-12-31,2024-02-29,9999-12-31,"});
    /* before the year 1 and after 9999 */
    check((Case){"tdD", .values = (int32_t[]){9, -719162, -719163, 2932897, INT32_MIN},
                 .expected = "0001-01-01,,,,"});
    check((Case){"tdm", .values = (int64_t[]){9, 0, -86400000, 86400000, 1709164800000},
                 .expected = "1970-01-01,1969-12-31,1970-01-02,2024-02-29,"});
    check((Case){"tss:", .values = (int64_t[]){9, 0, -1, 86399, 1709210096},
                 .expected = "1970-01-01T00:00:00,1969-12-31T23:59:59,1970-01-01T23:59:59,"
                             "2024-02-29T12:34:56,"});
    check((Case){"tsm:UTC", .values = (int64_t[]){9, 1, 1000, -1, 1709210096050},
                 .expected = "1970-01-01T00:00:00.001,1970-01-01T00:00:01,1969-12-31T23:59:59.999,"
                             "2024-02-29T12:34:56.050,"});
    check((Case){"tsu:", .values = (int64_t[]){9, 1, 1000000, -1, 86400000000},
                 .expected = "1970-01-01T00:00:00.000001,1970-01-01T00:00:01,"
                             "1969-12-31T23:59:59.999999,1970-01-02T00:00:00,"});
    check((Case){"tsn:", .values = (int64_t[]){9, 1, 1000000000, -1, INT64_MAX},
                 .expected = "1970-01-01T00:00:00.000000001,1970-01-01T00:00:01,"
                             "1969-12-31T23:59:59.999999999,2262-04-11T23:47:16.854775807,"});
}

static void texts(void **state)
{
    const char views[5 * 16 + 1] = "\2\0\0\0zz\0\0\0\0\0\0\0\0\0\0"
                                   "\3\0\0\0a\"b\0\0\0\0\0\0\0\0\0"
                                   "\14\0\0\0twelve bytes"
                                   "\15\0\0\0thir\0\0\0\0\2\0\0\0"
                                   "\15\0\0\0more\1\0\0\0\0\0\0\0";

    (void)state;
    check((Case){"u", .values = (int32_t[]){0, 2, 2, 5, 6, 9}, .text = "zza\"bcdef",
                 .expected = "\"\",\"a\"\"b\",\"c\",\"def\","});
    check((Case){"U", .values = (int64_t[]){0, 2, 2, 5, 6, 9}, .text = "zza\"bcdef", .valid = 0x17,
                 .expected = "\"\",\"a\"\"b\",,\"def\","});
    check((Case){"u", .values = (int32_t[]){0, 0, 0, 0, 0, 0}, /* there is no text */
                 .expected = "\"\",\"\",\"\",\"\","});
    check((Case){"vu", .values = views, .text = "..thirteen text", .more = "more than 12b",
                 .expected = "\"a\"\"b\",\"twelve bytes\",\"thirteen text\",\"more than 12b\","});
    check((Case){"c", "u", .values = (int8_t[]){9, 0, 2, 1, 0},
                 .expected = "\"red\",\"x\"\"\",\"blue\",\"red\","});
    check((Case){"L", "u", .values = (int64_t[]){9, 0, 2, 1, 9}, .valid = 0x0F,
                 .expected = "\"red\",\"x\"\"\",\"blue\",,"});
}

static void other_types_are_refused(void **state)
{
    static const char *const formats[] = {"",    "z",    "Z",         "w:4", "tts",  "tD",
                                          "tdx", "tiD",  "+l",        "ts",  "tsx:", "tss",
                                          "gg",  "d:19", "d:9,2,256", "vz",  "uu"};

    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        ArrowWriter writer = {.context = new_context(1)};
        cleave_error error = {0};

        read_case(&(Case){.format = formats[i]}, &writer, &error);
        assert_int_equal(error.code, CLEAVE_ERROR_DATA);
        assert_says(&error, "column 'x' has the Arrow type");
        free_writer(&writer);
    }
    for (int i = 0; i < 3; i++) { /* codes that are not integers, and values that are lists */
        static const char *const pairs[][2] = {{"f", "u"}, {"c", "+l"}, {"u", "u"}};
        ArrowWriter writer = {.context = new_context(1)};
        cleave_error error = {0};

        read_case(&(Case){.format = pairs[i][0], .dictionary = pairs[i][1]}, &writer, &error);
        assert_int_equal(error.code, CLEAVE_ERROR_DATA);
        free_writer(&writer);
    }
}

static void text_has_a_limit(void **state)
{
    enum { WHOLE = 7 + 4 * 6 };
    const Case one = {"i", .values = (int32_t[]){9, 1000, 2000, 3000, 4000}, .expected = ""};

    (void)state;
    for (uint64_t most = 1; most <= WHOLE; most++) {
        ArrowWriter writer = {.context = new_context(1), .most = most};
        cleave_error error = {0};

        read_case(&one, &writer, &error);
        assert_int_equal(error.code, most < WHOLE ? CLEAVE_ERROR_DATA : OK);
        free_writer(&writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(reals),
        cmocka_unit_test(dates),
        cmocka_unit_test(texts),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(text_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
