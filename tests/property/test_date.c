/*
 * Dates (src/base/date.c) against the C library: day numbers, the calendar and weekdays of every
 * day from year 1 to 9999, and random moments written in every form that is read.
 */
#include "property/table.h"

#include "base/date.h"

#include <math.h>
#include <time.h>

/* timegm takes years since 1900, negative ones too. */
static int64_t days_by_library(int64_t year, int month, int day)
{
    struct tm parts = {.tm_year = (int)year - 1900, .tm_mon = month - 1, .tm_mday = day};
    time_t seconds = timegm(&parts);

    return (int64_t)(seconds / 86400) - (seconds % 86400 < 0);
}

static void test_every_day(void **unused)
{
    int64_t first = clv_days_of_date(1, 1, 1), last = clv_days_of_date(9999, 12, 31);

    (void)unused;
    assert_int_equal(clv_days_of_date(1970, 1, 1), 0);
    assert_int_equal(last - first + 1, 3652059);
    for (int64_t days = first; days <= last; days++) {
        time_t seconds = (time_t)days * 86400;
        struct tm parts;
        int64_t year;
        int month, day;

        clv_date_of_days(days, &year, &month, &day);
        assert_non_null(gmtime_r(&seconds, &parts));
        assert_int_equal(year, parts.tm_year + 1900);
        assert_int_equal(month, parts.tm_mon + 1);
        assert_int_equal(day, parts.tm_mday);
        assert_int_equal(clv_weekday_of_days(days) % 7, parts.tm_wday);
        assert_int_equal(clv_days_of_date(year, month, day), days);
        assert_int_equal(days_by_library(year, month, day), days);
    }
}

/* Only days of the calendar are accepted: timegm moves others into the next month. */
static void test_possible_days(void **unused)
{
    (void)unused;
    for (int64_t year = 1; year <= 9999; year += year < 2200 ? 1 : 7)
        for (int month = 0; month <= 13; month++)
            for (int day = 27; day <= 32; day++) {
                struct tm parts = {
                    .tm_year = (int)year - 1900, .tm_mon = month - 1, .tm_mday = day};
                char text[32];
                Moment moment;
                bool there;

                timegm(&parts);
                there = month >= 1 && month <= 12 && parts.tm_mday == day &&
                        parts.tm_mon == month - 1;
                snprintf(text, sizeof text, "%04d-%02d-%02d", (int)year, month, day);
                assert_int_equal(clv_date_parse(text, strlen(text), DATE_PLAIN, &moment), there);
                if (there)
                    assert_int_equal(moment.day, days_by_library(year, month, day));
            }
}

typedef struct {
    DateForm form;
    const char *format; /* of strftime */
} Spelling;

static const Spelling spellings[] = {
    {DATE_PLAIN, "%Y-%m-%dT%H:%M:%S"},
    {DATE_PLAIN, "%Y-%m-%d %H:%M:%SZ"},
    {DATE_PLAIN, "%Y/%m/%d %H:%M:%S"},
    {DATE_PLAIN, "%d.%m.%Y %H:%M:%S"},
    {DATE_PLAIN, "%d %b %Y %H:%M:%S"},
    {DATE_PLAIN, "%d-%b-%Y %H:%M:%S"},
    {DATE_PLAIN, "%b %d, %Y %H:%M:%S"},
    {DATE_PLAIN, "%B %d, %Y %I:%M:%S %p"},
    {DATE_DAY_FIRST, "%d/%m/%Y %H:%M:%S"},
    {DATE_DAY_FIRST, "%Y-%m-%dT%H:%M:%S"},
    {DATE_MONTH_FIRST, "%m/%d/%Y %H:%M:%S"},
    {DATE_MONTH_FIRST, "%m/%d/%Y %I:%M:%S %p"},
    {DATE_EPOCH, "%s"},
};

static void test_spellings(void **unused)
{
    uint64_t seed = test_seed("dates");
    Random random = clv_random(seed, 1);

    (void)unused;
    setenv("TZ", "UTC", 1); /* %s of strftime is local time */
    tzset();
    for (uint64_t i = how_many(30000, 300000); i; i--) {
        const Spelling *spelling =
            &spellings[clv_random_below(&random, sizeof spellings / sizeof *spellings)];
        int64_t day = clv_days_of_date(1000, 1, 1) + clv_random_below(&random, 3287182);
        uint32_t second = clv_random_below(&random, 86400);
        time_t seconds = (time_t)(day * 86400 + second);
        struct tm parts;
        char text[64];
        Moment moment;

        assert_non_null(gmtime_r(&seconds, &parts));
        assert_true(strftime(text, sizeof text, spelling->format, &parts) > 0);
        if (!clv_date_parse(text, strlen(text), spelling->form, &moment))
            fail_msg("seed %llu: '%s' is not read", (unsigned long long)seed, text);
        assert_int_equal(moment.day, day);
        assert_true(fabs(moment.seconds - second) < 1e-3);
        assert_true(moment.timed);
    }
}

/* An offset moves the moment by as much. */
static void test_offsets(void **unused)
{
    Random random = clv_random(test_seed("dates"), 2);

    (void)unused;
    for (uint64_t i = how_many(30000, 300000); i; i--) {
        int64_t seconds = (int64_t)clv_random_below(&random, UINT32_MAX), local;
        int minutes = (int)clv_random_below(&random, 2 * 18 * 60 + 1) - 18 * 60;
        struct tm parts;
        char text[64], all[80];
        Moment moment;
        time_t there;

        local = seconds + 60 * (int64_t)minutes;
        there = (time_t)local;
        assert_non_null(gmtime_r(&there, &parts));
        assert_true(strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts) > 0);
        snprintf(all, sizeof all, "%s%c%02d:%02d", text, minutes < 0 ? '-' : '+', abs(minutes) / 60,
                 abs(minutes) % 60);
        assert_true(clv_date_parse(all, strlen(all), DATE_PLAIN, &moment));
        assert_int_equal(moment.day * 86400 + (int64_t)moment.seconds, seconds);
    }
}

/* Any bytes are accepted or refused, within their bounds. The time of an accepted text is within a
 * day. */
static void test_any_bytes(void **unused)
{
    static const char letters[] = "0123456789--//..:: TtZz+-,JanDecSeptmayPMamp";
    Random random = clv_random(test_seed("dates"), 3);

    (void)unused;
    for (uint64_t i = how_many(100000, 1000000); i; i--) {
        size_t length = clv_random_below(&random, 30);
        char *text = malloc(length + 1); /* its own, so that the sanitizer sees a step too far */

        for (size_t j = 0; j < length; j++)
            text[j] = letters[clv_random_below(&random, sizeof letters)]; /* the NUL among them */
        for (int form = 0; form < DATE_FORMS; form++) {
            char *own = malloc(length ? length : 1);
            Moment moment;

            memcpy(own, text, length);
            if (clv_date_parse(own, length, (DateForm)form, &moment)) {
                assert_true(moment.seconds >= 0 && moment.seconds < 86400);
                assert_in_range((uint64_t)(moment.day + 719528), 0,
                                3652426 + 719528); /* a day more for offsets */
            }
            free(own);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_day), cmocka_unit_test(test_possible_days),
        cmocka_unit_test(test_spellings), cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_any_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
