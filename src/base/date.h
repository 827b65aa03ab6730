/*
 * Dates and times as text and as day numbers, in the proleptic Gregorian calendar, years 1 to 9999.
 *
 * All date forms accept ISO 8601 (2024-12-31, 2024-12, 2024-12-31T23:59:59.5+01:00, also with a
 * space and with slashes), 31.12.2024, 31 Dec 2024, 31-Dec-2024, Dec 31, 2024 and December 31,
 * 2024, each with an optional time of day. 31/12/2024 and 12/31/2024 need the order of day and
 * month. A time with an offset is converted to UTC.
 */
#ifndef BASE_DATE_H
#define BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    DATE_PLAIN,       /* the forms in which the order of day and month is clear */
    DATE_DAY_FIRST,   /* the same, and 31/12/2024 */
    DATE_MONTH_FIRST, /* the same, and 12/31/2024 */
    DATE_TIME,        /* a time of day without a date: 23:59, 11:59 PM */
    DATE_COMPACT,     /* the forms of DATE_PLAIN, and 20241231 */
    DATE_EPOCH,       /* seconds since 1970-01-01 00:00 UTC */
    DATE_EPOCH_MS,    /* milliseconds since then */
    DATE_FORMS,
    DATE_INFERRED =
        /* the forms before this one can be inferred from the text; the others look like ordinary
         * numbers */
    DATE_COMPACT
} DateForm;

/* The user's name of each form: "date", "date-dmy", "date-mdy", "time", "date-ymd", "epoch",
 * "epoch-ms". */
extern const char *const clv_date_forms[DATE_FORMS + 1];

typedef struct {
    int64_t day;    /* days since 1970-01-01; 0 for a time of day */
    double seconds; /* second of the day, in [0, 86400) */
    bool timed;     /* the text has a time of day */
} Moment;

/* Days since 1970-01-01 (Hinnant 2013, "chrono-compatible low-level date algorithms"). month is 1
 * to 12, day is 1 to 31. */
int64_t clv_days_of_date(int64_t year, int month, int day);
void clv_date_of_days(int64_t days, int64_t *year, int *month, int *day);
/* The day of the week: 1 is Monday, 7 is Sunday (ISO 8601). */
int clv_weekday_of_days(int64_t days);

/* Returns whether the whole text is a date or time of this form. */
bool clv_date_parse(const char *text, size_t length, DateForm form, Moment *moment);

#define DATE_SIZE 32
/* Formats as ISO 8601: 2024-12-31, 2024-12-31T23:59:59 if timed, 23:59:59 for DATE_TIME. Seconds
 * are rounded down. */
const char *clv_date_format(const Moment *moment, DateForm form, char text[DATE_SIZE]);

#endif
