/*
 * Numbers as text (src/base/number.c) against the C library: tens of thousands of random spellings,
 * more where CLEAVE_LONG is set, read both ways, and random values written and read back.
 */
#include "property/table.h"

#include <float.h>
#include <math.h>

enum { TEXT_SIZE = 400 };

static uint64_t tries(void)
{
    return how_many(30000, 150000);
}

static uint32_t below(Random *random, uint32_t bound)
{
    return clv_random_below(random, bound);
}

static size_t put_digits(Random *random, char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text[i] = (char)('0' + below(random, 10));
    return count;
}

/* Any spelling the grammar allows: sign, digits, point, exponent. */
static void spell(Random *random, char *text)
{
    size_t at = 0, whole = below(random, below(random, 8) ? 9 : 30),
           part = below(random, below(random, 8) ? 12 : 60);

    if (whole + part == 0)
        whole = 1;
    if (below(random, 3) == 0)
        text[at++] = below(random, 2) ? '-' : '+';
    for (size_t zeros = below(random, 10) == 0 ? below(random, 20) : 0; zeros; zeros--)
        text[at++] = '0';
    at += put_digits(random, text + at, whole);
    if (part || below(random, 4) == 0) {
        text[at++] = '.';
        for (size_t zeros = below(random, 10) == 0 ? below(random, 50) : 0; zeros; zeros--)
            text[at++] = '0';
        at += put_digits(random, text + at, part);
    }
    if (below(random, 2) == 0)
        at += (size_t)snprintf(text + at, 16, "%c%s%u", below(random, 2) ? 'e' : 'E',
                               (const char *const[]){"", "-", "+"}[below(random, 3)],
                               below(random, below(random, 4)   ? 12
                                             : below(random, 8) ? 60
                                                                : 400));
    text[at] = '\0';
}

/* A float, a double or the middle between two floats, with `digits` digits. */
static void print_value(Random *random, char *text)
{
    float value = random_value(random, RANDOM_FLOATS);

    switch (below(random, 4)) {
    case 0:
        snprintf(text, TEXT_SIZE, "%.*g", 1 + (int)below(random, 17), (double)value);
        break;
    case 1:
        snprintf(text, TEXT_SIZE, "%.*e", (int)below(random, 60),
                 ((double)value + (double)nextafterf(value, INFINITY)) / 2);
        break;
    case 2:
        snprintf(text, TEXT_SIZE, "%.150g", ((double)value + (double)nextafterf(value, 0)) / 2);
        break;
    default:
        snprintf(text, TEXT_SIZE, "%.*f", (int)below(random, 20), (double)value / 1e30);
    }
}

static void check_float(const char *text)
{
    size_t length = strlen(text);
    char *copy = some(length + NUMBER_SLACK, 1);
    float expected = strtof(text, NULL), fast = -1, exact = -1;
    const char *stop, *exact_stop;

    memcpy(copy, text, length);
    copy[length] = '\n';
    stop = clv_parse_float(copy, copy + length, &fast);
    exact_stop = clv_parse_float_exact(copy, copy + length, &exact);
    if (memcmp(&fast, &expected, sizeof fast) != 0 || memcmp(&exact, &expected, sizeof exact) != 0)
        print_error("'%s': %.9g fast, %.9g exact, %.9g strtof\n", text, (double)fast, (double)exact,
                    (double)expected);
    assert_memory_equal(&fast, &expected, sizeof fast);
    assert_memory_equal(&exact, &expected, sizeof exact);
    assert_ptr_equal(stop, copy + length);
    assert_ptr_equal(exact_stop, copy + length);
    stop = clv_parse_short_float(copy, &fast);
    if (stop == copy + length) /* it accepts only one form, and stops before anything else */
        assert_memory_equal(&fast, &expected, sizeof fast);
    free(copy);
}

/* A digit, a point and a few digits: the form of most values, for which there is a fast path. */
static void reads_short_ones(void **state)
{
    unsigned step = (unsigned)how_many(53,
                                       1); /* not a multiple of 7 or 10, which determine the form */

    (void)state;
    for (unsigned i = 0; i < 1000000; i += step) {
        char text[TEXT_SIZE];

        snprintf(text, sizeof text, "%u.%0*u", i % 10, 1 + (int)(i % 7), i / 10);
        check_float(text);
    }
}

/* Without slack: the text ends where its memory ends. */
static void check_double(const char *text)
{
    size_t length = strlen(text);
    char *copy = some(length, 1);
    double expected = strtod(text, NULL), found = -1;
    const char *stop;

    memcpy(copy, text, length);
    assert_true(clv_parse_double(copy, copy + length, &found, &stop));
    if (memcmp(&found, &expected, sizeof found) != 0)
        print_error("'%s': %.17g, %.17g strtod\n", text, found, expected);
    assert_memory_equal(&found, &expected, sizeof found);
    assert_ptr_equal(stop, copy + length);
    free(copy);
}

static void reads_as_the_c_library(void **state)
{
    Random random = clv_random(test_seed("reads_as_the_c_library"), 1);

    (void)state;
    for (uint64_t i = 0, count = tries(); i < count; i++) {
        char text[TEXT_SIZE];

        if (i % 2)
            spell(&random, text);
        else
            print_value(&random, text);
        check_float(text);
        check_double(text);
    }
}

static void reads_hard_ones(void **state)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0e5",
        "1",
        "+1",
        ".5",
        "5.",
        "1e0",
        "1E+38",
        "3.4028234663852886e38",
        "3.4028235e38",
        /* the middle between the largest float and what would be next: infinity */
        "3.4028235677973366e38",
        "3.40282356779733661e38",
        "3.402823567797336e38",
        "1.17549435e-38",
        "1.1754943e-38",
        "1.401298464e-45",
        "7.006492321624085e-46", /* half of the smallest */
        "7.006492321624086e-46",
        "7.0064923216240853546186479164495806564013097093825788587853e-46",
        "1e-400",
        "1e400",
        "-1e400",
        "16777217", /* the middle between two floats */
        "16777217.0000000000000000000000000000000001",
        "16777216.9999999999999999999999999999999999",
        "9007199254740993",
        "1.00000005960464477539062500",
        "0.000000000000000000000000000000000000000000000000000000000001e60",
        "12345678901234567890123456789012345678901234567890e-49",
        "179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558"
        "6327668781"
        "715404589535143824642343213268894641827684675467035375169860499105765512820762454900903893"
        "2894407586"
        "850845513394230458323690322294816580855933212334774797926204144723168738177180919299881250"
        "4040261841"
        "24858368",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e00000000000000000000000000000000000000001",
        "1e-00000000000000000000000000000000000000001",
        "0e999999999999999999999",
        "1e999999999999999999999",
        "1e-999999999999999999999",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_float(texts[i]);
        check_double(texts[i]);
    }
}

static void stops_where_numbers_stop(void **state)
{
    static const struct {
        const char *text;
        int length; /* -1: no number */
    } cases[] = {{"1:", 1},    {"12 ", 2},   {"1.5,2", 3},
                 {"1e", 1},    {"1e+", 1},   {"1e-x", 1},
                 {"-", -1},    {"+", -1},    {".", -1},
                 {"-.", -1},   {"e5", -1},   {"nan", -1},
                 {"inf", -1},  {"", -1},     {"--1", -1},
                 {"1.2.3", 3}, {"0x10", 1},  {"1_000", 1},
                 {" 1", -1},   {"1e5.5", 3}, {"12345678901234567890x", 20}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = strlen(cases[i].text);
        char *copy = some(length + NUMBER_SLACK, 1);
        const char *stop, *fast;
        double number;
        float value;

        memcpy(copy, cases[i].text, length);
        copy[length] = '\n';
        fast = clv_parse_float(copy, copy + length, &value);
        stop = clv_parse_float_exact(copy, copy + length, &value);
        assert_ptr_equal(fast, cases[i].length < 0 ? NULL : copy + cases[i].length);
        assert_ptr_equal(stop, fast);
        assert_int_equal(clv_parse_double(copy, copy + length, &number, &stop),
                         cases[i].length >= 0);
        if (cases[i].length >= 0)
            assert_ptr_equal(stop, copy + cases[i].length);
        free(copy);
    }
}

static void writes_what_reads_back(void **state)
{
    Random random = clv_random(test_seed("writes_what_reads_back"), 2);

    (void)state;
    for (uint64_t i = 0, count = tries(); i < count; i++) {
        char text[NUMBER_SIZE], other[64];
        float value = i % 3 ? random_value(&random, RANDOM_FLOATS)
                            : (float)(1 + below(&random, 2000000)) / 1000;
        float again;
        uint64_t bits = clv_random_next(&random);
        double wide, wide_again;
        int digits = 1 + (int)below(&random, 9);
        size_t length;

        length = clv_format_float(text, value);
        assert_int_equal(length, strlen(text));
        again = strtof(text, NULL);
        assert_memory_equal(&again, &value, sizeof value);
        for (int shorter = 1; shorter <= 9;
             shorter++) { /* no text with fewer digits is read back as the same number */
            snprintf(other, sizeof other, "%.*e", shorter - 1, (double)value);
            if (strtof(other, NULL) == value) {
                int used = 0;

                for (const char *p = text; *p && *p != 'e'; p++)
                    used += *p >= '1' && *p <= '9';
                assert_true(used <= shorter);
                break;
            }
        }
        memcpy(&wide, &bits, sizeof wide);
        if (isfinite(wide)) {
            length = clv_format_double(text, wide);
            assert_int_equal(length, strlen(text));
            wide_again = strtod(text, NULL);
            assert_memory_equal(&wide_again, &wide, sizeof wide);
        }
        clv_format_rounded(text, (double)value, digits);
        assert_true(fabs(strtod(text, NULL) - (double)value) <=
                    0.5001 * pow(10, floor(log10(fabs((double)value))) - digits + 1));
        bits >>= below(&random, 64);
        length = clv_format_unsigned(text, bits);
        assert_int_equal(length, strlen(text));
        snprintf(other, sizeof other, "%llu", (unsigned long long)bits);
        assert_string_equal(text, other);
    }
}

/* An integer in one of many spellings. */
static void write_somehow(Random *random, int64_t value, char out[96])
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const char *sign = value < 0                        ? "-"
                       : value == 0 && below(random, 2) ? "-"
                       : below(random, 2)               ? "+"
                                                        : "";
    char digits[24];

    snprintf(digits, sizeof digits, "%0*llu", (int)below(random, 22), (unsigned long long)size);
    if (below(random, 3) == 0)
        snprintf(out, 96, "%s0.%se%zu", sign, digits, strlen(digits));
    else
        snprintf(out, 96, "%s%s%s", sign, digits,
                 below(random, 2)   ? ""
                 : below(random, 2) ? ".000"
                                    : "e0");
}

/* Compares by value, even if the doubles are equal. */
static void compares_exactly(void **state)
{
    Random random = clv_random(test_seed("compares_exactly"), 6);

    (void)state;
    for (uint64_t i = 0, count = tries(); i < count; i++) {
        int64_t a = (int64_t)clv_random_next(&random) >> below(&random, 64),
                b = a / (1 + (int64_t)below(&random, 2));
        char one[96], other[96];
        int found;

        b = below(&random, 3) ? b ^ (int64_t)below(&random, 3)
                              : (int64_t)clv_random_next(&random) >> below(&random, 64);
        write_somehow(&random, a, one);
        write_somehow(&random, b, other);
        found = clv_compare_numbers(one, strlen(one), other, strlen(other));
        if (found != (a > b) - (a < b))
            print_error("%s and %s\n", one, other);
        assert_int_equal(found, (a > b) - (a < b));
    }
    assert_int_equal(clv_compare_numbers("1e-300", 6, "0", 1), 1);
    assert_int_equal(clv_compare_numbers("-0.0", 4, "0e9", 3), 0);
    assert_int_equal(clv_compare_numbers("0.10", 4, ".1", 2), 0);
    assert_int_equal(clv_compare_numbers("-1e9", 4, "-1e-9", 5), -1);
}

static void check_twins(double value)
{
    char text[NUMBER_SIZE], plain[NUMBER_SIZE];
    size_t length = clv_format_double(text, value);

    clv_format_double_plain(plain, value);
    assert_string_equal(text, plain);
    assert_int_equal(length, strlen(text));
}

/* Numbers of all sizes, fractions, numbers with few digits, integers, and numbers next to powers of
 * ten. */
static void writes_doubles_as_its_plain_twin(void **state)
{
    static const double odd[] = {
        0,    -0.0, 1,    -1,   0.1,  0.3, 1e15,    1e16,    1e17,   123456789012345678.0,
        1e-4, 1e-5, 5e-5, 1e22, 1e23, 9.5, DBL_MAX, DBL_MIN, 5e-324, 2.5e-323};
    Random random = clv_random(test_seed("writes_doubles_as_its_plain_twin"), 5);

    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        check_twins(odd[i]);
    for (uint64_t i = 0, count = tries(); i < count; i++) {
        uint64_t bits = clv_random_next(&random);
        double wide, share = clv_random_unit(&random),
                     power = pow(10, (double)below(&random, 60) - 30);

        memcpy(&wide, &bits, sizeof wide);
        if (isfinite(wide))
            check_twins(wide);
        check_twins(share);
        check_twins(share * power);
        check_twins((double)(bits >> below(&random, 64)));
        check_twins((double)(bits % 1000000) * power);
        check_twins(nextafter(power, below(&random, 2) ? 0 : INFINITY));
    }
}

/* Down to the smallest number. */
static void rounds_tiny_ones(void **state)
{
    static const double values[] = {5e-324, 1e-320,  -2.5e-310, 2.2250738585072014e-308,
                                    1e-291, 1.5e-201};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[NUMBER_SIZE], expected[NUMBER_SIZE];

        clv_format_rounded(text, values[i], 4);
        snprintf(expected, sizeof expected, "%.4g", values[i]);
        assert_string_equal(text, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_the_c_library),
        cmocka_unit_test(reads_hard_ones),
        cmocka_unit_test(reads_short_ones),
        cmocka_unit_test(stops_where_numbers_stop),
        cmocka_unit_test(writes_what_reads_back),
        cmocka_unit_test(writes_doubles_as_its_plain_twin),
        cmocka_unit_test(rounds_tiny_ones),
        cmocka_unit_test(compares_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
