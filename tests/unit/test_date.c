/* Dates as text: every form, and text that is not a date. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/date.h"
#include "data/names.h"
#include "data/schema.h"

static const char *read_as(const char *text, DateForm form)
{
    static char read[DATE_SIZE];
    Moment moment;

    return clv_date_parse(text, strlen(text), form, &moment) ? clv_date_format(&moment, form, read)
                                                             : "none";
}

#define READS(text, form, expected) assert_string_equal(read_as(text, form), expected)

static void test_plain(void **unused)
{
    (void)unused;
    READS("2024-12-31", DATE_PLAIN, "2024-12-31");
    READS("2024-1-5", DATE_PLAIN, "2024-01-05");
    READS("2024-12", DATE_PLAIN, "2024-12-01");
    READS("2024/12/31", DATE_PLAIN, "2024-12-31");
    READS("31.12.2024", DATE_PLAIN, "2024-12-31");
    READS("1.2.2024", DATE_PLAIN, "2024-02-01");
    READS("31 Dec 2024", DATE_PLAIN, "2024-12-31");
    READS("31. December 2024", DATE_PLAIN, "2024-12-31");
    READS("31-DEC-2024", DATE_PLAIN, "2024-12-31");
    READS("Dec 31, 2024", DATE_PLAIN, "2024-12-31");
    READS("Dec. 31 2024", DATE_PLAIN, "2024-12-31");
    READS("December 31, 2024", DATE_PLAIN, "2024-12-31");
    READS("Sept 1, 2024", DATE_PLAIN, "2024-09-01");
    READS("0001-01-01", DATE_PLAIN, "0001-01-01");
    READS("9999-12-31", DATE_PLAIN, "9999-12-31");
    READS("2000-02-29", DATE_PLAIN, "2000-02-29");
}

static void test_orders(void **unused)
{
    (void)unused;
    READS("31/12/2024", DATE_PLAIN, "none");
    READS("31/12/2024", DATE_DAY_FIRST, "2024-12-31");
    READS("31-12-2024", DATE_DAY_FIRST, "2024-12-31");
    READS("31/12/2024", DATE_MONTH_FIRST, "none");
    READS("12/31/2024", DATE_MONTH_FIRST, "2024-12-31");
    READS("12.31.2024", DATE_MONTH_FIRST, "2024-12-31");
    READS("1/2/2024", DATE_DAY_FIRST, "2024-02-01");
    READS("1/2/2024", DATE_MONTH_FIRST, "2024-01-02");
    READS("2024-12-31", DATE_MONTH_FIRST, "2024-12-31");
}

static void test_times(void **unused)
{
    (void)unused;
    READS("2024-12-31T23:59", DATE_PLAIN, "2024-12-31T23:59:00");
    READS("2024-12-31 23:59:58.75", DATE_PLAIN, "2024-12-31T23:59:58");
    READS("2024-12-31T23:30:00+01:00", DATE_PLAIN, "2024-12-31T22:30:00");
    READS("2024-12-31T23:30:00-0100", DATE_PLAIN, "2025-01-01T00:30:00");
    READS("2024-12-31T23:30:00Z", DATE_PLAIN, "2024-12-31T23:30:00");
    READS("2024-12-31 23:30:00 UTC", DATE_PLAIN, "2024-12-31T23:30:00");
    READS("2024-12-31T24:00", DATE_PLAIN, "2025-01-01T00:00:00");
    READS("2016-12-31T23:59:60Z", DATE_PLAIN, "2017-01-01T00:00:00");
    READS("12/31/2024 11:05 PM", DATE_MONTH_FIRST, "2024-12-31T23:05:00");
    READS("12/31/2024 12:05am", DATE_MONTH_FIRST, "2024-12-31T00:05:00");
    READS("Dec 31, 2024, 9:05", DATE_PLAIN, "2024-12-31T09:05:00");
    READS("9:05", DATE_TIME, "09:05:00");
    READS("23:59:59", DATE_TIME, "23:59:59");
    READS("12:00 p.m.", DATE_TIME, "12:00:00");
    READS("9:05", DATE_PLAIN, "none");
    READS("2024-12-31", DATE_TIME, "none");
}

static void test_numbers(void **unused)
{
    (void)unused;
    READS("20241231", DATE_COMPACT, "2024-12-31");
    READS("2024-12-31", DATE_COMPACT, "2024-12-31");
    READS("20241331", DATE_COMPACT, "none");
    READS("20241231", DATE_PLAIN, "none");
    READS("2024", DATE_PLAIN, "none");
    READS("0", DATE_EPOCH, "1970-01-01T00:00:00");
    READS("-1", DATE_EPOCH, "1969-12-31T23:59:59");
    READS("1735689599.5", DATE_EPOCH, "2024-12-31T23:59:59");
    READS("1735689599500", DATE_EPOCH_MS, "2024-12-31T23:59:59");
    READS("1735689599500", DATE_EPOCH, "none"); /* year 56971 */
    READS("1e400", DATE_EPOCH, "none");
    READS("-62135596800", DATE_EPOCH,
          "0001-01-01T00:00:00"); /* the first and the last second of four-digit years */
    READS("-62135596801", DATE_EPOCH, "none");
    READS("253402300799", DATE_EPOCH, "9999-12-31T23:59:59");
    READS("253402300800", DATE_EPOCH, "none");
}

static void test_none(void **unused)
{
    static const char *const none[] = {"",
                                       "-",
                                       "2023-02-29",
                                       "1900-02-29",
                                       "2024-13-01",
                                       "2024-00-10",
                                       "2024-04-31",
                                       "0000-01-01",
                                       "10000-01-01",
                                       "24-12-31",
                                       "2024-12-",
                                       "2024--12",
                                       "2024-12-31T",
                                       "2024-12-31x",
                                       "2024-12-31 25:00",
                                       "Dec 2024x",
                                       "Decem 1, 2024",
                                       "May",
                                       "2024-12-31 12:60",
                                       "2024-12-31 1",
                                       "1/2",
                                       "1-Dec/2024",
                                       "31 Foo 2024",
                                       "2024-12/31",
                                       "2024-12-31 13:00 PM"};

    (void)unused;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        for (int form = 0; form < DATE_INFERRED; form++)
            READS(none[i], (DateForm)form, "none");
}

static void test_values(void **unused)
{
    static const char text[] = "2024-12-31 18:45";
    Column column = {.kind = COLUMN_DATE,
                     .feature = 7,
                     .parts = 1 << DATE_DAYS | 1 << DATE_MONTH | 1 << DATE_HOUR};
    float values[DATE_PARTS];
    Moment moment;

    (void)unused;
    assert_true(clv_date_parse(text, strlen(text), DATE_PLAIN, &moment));
    clv_date_values(&moment, values);
    assert_true(values[DATE_DAYS] == 20088.78125f); /* 20088 days and 18.75 hours */
    assert_true(values[DATE_YEAR] == 2024 && values[DATE_MONTH] == 12 && values[DATE_DAY] == 31);
    assert_true(values[DATE_WEEKDAY] == 2 && values[DATE_HOUR] == 18.75f);
    assert_int_equal(clv_date_feature(&column, DATE_DAYS), 7);
    assert_int_equal(clv_date_feature(&column, DATE_MONTH), 8);
    assert_int_equal(clv_date_feature(&column, DATE_HOUR), 9);
    assert_int_equal(clv_date_feature(&column, DATE_YEAR), NO_COLUMN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_orders),
        cmocka_unit_test(test_times), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_none),  cmocka_unit_test(test_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
