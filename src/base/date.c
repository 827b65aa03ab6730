#include "base/date.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DAY_SECONDS = 86400, MOST_OFFSET_HOURS = 18 };

const char *const clv_date_forms[DATE_FORMS + 1] = {"date",     "date-dmy", "date-mdy", "time",
                                                    "date-ymd", "epoch",    "epoch-ms", NULL};

/* ---- the calendar ---------------------------------------------------------------------------- */

/* Days since 1970-01-01. Years start in March, so that the leap day is the last day of a year. An
 * era has 400 years of 146,097 days. */
int64_t clv_days_of_date(int64_t year, int month, int day)
{
    int64_t from_march = month > 2 ? month - 3 : month + 9, era, year_of_era, day_of_year;

    year -= month <= 2;
    era = (year >= 0 ? year : year - 399) / 400;
    year_of_era = year - era * 400;
    day_of_year = (153 * from_march + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

void clv_date_of_days(int64_t days, int64_t *year, int *month, int *day)
{
    int64_t shifted = days + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
                           day_of_era / 146096) /
                          365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t from_march = (5 * day_of_year + 2) / 153;

    *day = (int)(day_of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

int clv_weekday_of_days(int64_t days)
{
    int64_t from_monday = (days + 3) % 7; /* 1970-01-01 was a Thursday */

    return (int)(from_monday < 0 ? from_monday + 7 : from_monday) + 1;
}

static bool is_date(int64_t year, int64_t month, int64_t day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    if (year < 1 || year > 9999 || month < 1 || month > 12)
        return false;
    return day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

static bool set_date(Moment *moment, int64_t year, int64_t month, int64_t day)
{
    if (!is_date(year, month, day))
        return false;
    moment->day = clv_days_of_date(year, (int)month, (int)day);
    return true;
}

/* ---- pieces of text -------------------------------------------------------------------------- */

typedef struct {
    const char *at, *end;
} Text;

static char peek(const Text *text)
{
    return text->at < text->end ? *text->at : '\0';
}

static bool take(Text *text, char c)
{
    if (peek(text) != c)
        return false;
    text->at++;
    return true;
}

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Reads at most five digits. Returns how many were read. */
static int take_digits(Text *text, int64_t *value)
{
    int count = 0;

    for (*value = 0; is_digit(peek(text)) && count < 5; count++)
        *value = *value * 10 + (*text->at++ - '0');
    return count;
}

static bool take_one_or_two(Text *text, int64_t *value)
{
    int count = take_digits(text, value);

    return count == 1 || count == 2;
}

static bool take_year(Text *text, int64_t *value)
{
    return take_digits(text, value) == 4;
}

static bool take_word(Text *text, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(text->end - text->at) < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower(text->at[i]) != word[i])
            return false;
    text->at += length;
    return true;
}

static bool skip_blanks(Text *text)
{
    const char *start = text->at;

    while (take(text, ' '))
        continue;
    return text->at > start;
}

/* Skips a comma, blanks or both. */
static bool skip_comma(Text *text)
{
    bool comma = take(text, ',');

    return skip_blanks(text) || comma;
}

static bool is_separator(char c)
{
    return c == '-' || c == '/' || c == '.';
}

/* Reads an English month, in full or by its first three letters (and Sept), with an optional full
 * stop. */
static bool take_month(Text *text, int64_t *month)
{
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};

    for (*month = 1; *month <= 12; ++*month) {
        const char *name = names[*month - 1];
        char three[4] = {name[0], name[1], name[2], '\0'};

        if (!take_word(text, name) && !(*month == 9 && take_word(text, "sept")) &&
            !take_word(text, three))
            continue;
        take(text, '.');
        return !((unsigned)(lower(peek(text)) - 'a') < 26);
    }
    return false;
}

/* ---- the time of day ------------------------------------------------------------------------- */

static bool take_fraction(Text *text, double *seconds)
{
    double unit = 0.1;

    if (peek(text) != '.' && peek(text) != ',')
        return true;
    text->at++;
    if (!is_digit(peek(text)))
        return false;
    for (; is_digit(peek(text)); unit /= 10)
        *seconds += unit * (*text->at++ - '0');
    return true;
}

/* Reads AM or PM after an hour from 1 to 12. */
static bool take_half_of_day(Text *text, int64_t *hour)
{
    Text kept = *text;
    bool after_noon;

    skip_blanks(text);
    after_noon = take_word(text, "pm") || take_word(text, "p.m.");
    if (!after_noon && !take_word(text, "am") && !take_word(text, "a.m.")) {
        *text = kept;
        return true;
    }
    if (*hour < 1 || *hour > 12)
        return false;
    *hour = *hour % 12 + (after_noon ? 12 : 0);
    return true;
}

/* Reads an offset: Z, UTC, +01:00, +0100 or +01. The result is in seconds. */
static bool take_offset(Text *text, int64_t *offset)
{
    Text kept = *text;
    int64_t hours, minutes = 0;
    bool west;

    *offset = 0;
    skip_blanks(text);
    if (take_word(text, "z") || take_word(text, "utc"))
        return true;
    west = peek(text) == '-';
    if (!west && peek(text) != '+') {
        *text = kept;
        return true;
    }
    text->at++;
    switch (take_digits(text, &hours)) {
    case 4:
        minutes = hours % 100;
        hours /= 100;
        break;
    case 2:
        if (take(text, ':') && take_digits(text, &minutes) != 2)
            return false;
        break;
    default:
        return false;
    }
    *offset = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return hours <= MOST_OFFSET_HOURS && minutes <= 59;
}

static void move_by(Moment *moment, double seconds)
{
    double days;

    moment->seconds += seconds;
    days = floor(moment->seconds / DAY_SECONDS);
    moment->seconds -= days * DAY_SECONDS;
    moment->day += (int64_t)days;
    if (moment->seconds >= DAY_SECONDS) { /* the time was rounded up to the next day */
        moment->seconds = 0;
        moment->day++;
    }
}

/* Reads a time. 24:00 is the end of the day, and a leap second the first second of the next
 * minute. */
static bool take_time(Text *text, Moment *moment)
{
    int64_t hour, minute, whole = 0, offset;
    double seconds;

    if (!take_one_or_two(text, &hour) || !take(text, ':') || take_digits(text, &minute) != 2)
        return false;
    if (take(text, ':') && take_digits(text, &whole) != 2)
        return false;
    seconds = (double)whole;
    if (!take_fraction(text, &seconds) || !take_half_of_day(text, &hour) ||
        !take_offset(text, &offset))
        return false;
    if (hour > 24 || minute > 59 || whole > 60 || (hour == 24 && (minute > 0 || seconds > 0)))
        return false;
    moment->timed = true;
    move_by(moment, (double)(hour * 3600 + minute * 60 - offset) + seconds);
    return true;
}

/* ---- dates ----------------------------------------------------------------------------------- */

/* Reads 2024-12-31, 2024/12/31, 2024.12.31 or 2024-12, from its year on. */
static bool take_year_first(Text *text, int64_t year, Moment *moment)
{
    char separator = peek(text);
    int64_t month, day;
    int digits;

    if (!is_separator(separator))
        return false;
    text->at++;
    digits = take_digits(text, &month);
    if (separator == '-' && digits == 2 && text->at == text->end)
        return set_date(moment, year, month, 1);
    if (digits < 1 || digits > 2 || !take(text, separator) || !take_one_or_two(text, &day))
        return false;
    return set_date(moment, year, month, day);
}

/* Reads 31/12/2024, 31-12-2024 or 31.12.2024, from its first number on. With full stops the day
 * comes first, unless the form has the month first. */
static bool take_year_last(Text *text, int64_t first, DateForm form, Moment *moment)
{
    char separator = peek(text);
    int64_t second, year;

    text->at++;
    if (!take_one_or_two(text, &second) || !take(text, separator) || !take_year(text, &year))
        return false;
    if (form == DATE_MONTH_FIRST)
        return set_date(moment, year, first, second);
    return (form == DATE_DAY_FIRST || separator == '.') && set_date(moment, year, second, first);
}

/* Reads 31 Dec 2024, 31-Dec-2024 or 31. December 2024, from the end of the day on. */
static bool take_named_month(Text *text, int64_t day, Moment *moment)
{
    int64_t month, year;
    bool dash = take(text, '-');

    if (!dash) {
        take(text, '.');
        skip_blanks(text);
    }
    if (!take_month(text, &month))
        return false;
    if (dash ? !take(text, '-') : !skip_comma(text))
        return false;
    return take_year(text, &year) && set_date(moment, year, month, day);
}

/* Reads Dec 31, 2024. */
static bool take_month_first(Text *text, Moment *moment)
{
    int64_t month, day, year;

    if (!take_month(text, &month))
        return false;
    skip_blanks(text);
    if (!take_one_or_two(text, &day) || !skip_comma(text))
        return false;
    return take_year(text, &year) && set_date(moment, year, month, day);
}

static bool take_day(Text *text, DateForm form, Moment *moment)
{
    int64_t number;
    int digits = take_digits(text, &number);

    if (digits == 0)
        return take_month_first(text, moment);
    if (digits == 4)
        return take_year_first(text, number, moment);
    if (digits > 2)
        return false;
    if (text->end - text->at > 1 && is_separator(peek(text)) && is_digit(text->at[1]))
        return take_year_last(text, number, form, moment);
    return take_named_month(text, number, moment);
}

static bool parse_date(Text text, DateForm form, Moment *moment)
{
    if (!take_day(&text, form, moment))
        return false;
    if (text.at == text.end)
        return true;
    if (!take(&text, 'T') && !take(&text, 't') && !skip_comma(&text))
        return false;
    skip_blanks(&text);
    return take_time(&text, moment) && text.at == text.end;
}

/* ---- numbers, on request --------------------------------------------------------------------- */

static bool parse_compact(Text text, Moment *moment)
{
    uint64_t number = 0;

    if (text.end - text.at != 8)
        return false;
    for (; text.at < text.end; text.at++) {
        if (!is_digit(*text.at))
            return false;
        number = number * 10 + (uint64_t)(*text.at - '0');
    }
    return set_date(moment, (int64_t)(number / 10000), (int64_t)(number / 100 % 100),
                    (int64_t)(number % 100));
}

static bool parse_epoch(Text text, double unit, Moment *moment)
{
    double number, first = (double)clv_days_of_date(1, 1, 1) * DAY_SECONDS,
                   last = (double)clv_days_of_date(10000, 1, 1) * DAY_SECONDS;
    const char *stop;

    if (!clv_parse_double(text.at, text.end, &number, &stop) || stop != text.end)
        return false;
    number *= unit;
    if (!(number >= first && number < last))
        return false;
    moment->timed = true;
    move_by(moment, number);
    return true;
}

bool clv_date_parse(const char *text, size_t length, DateForm form, Moment *moment)
{
    Text all = {text, text + length};

    *moment = (Moment){0};
    if (length == 0)
        return false;
    switch (form) {
    case DATE_COMPACT:
        return parse_compact(all, moment) || parse_date(all, DATE_PLAIN, moment);
    case DATE_EPOCH:
        return parse_epoch(all, 1, moment);
    case DATE_EPOCH_MS:
        return parse_epoch(all, 1e-3, moment);
    case DATE_TIME:
        if (!take_time(&all, moment) || all.at != all.end)
            return false;
        moment->day = 0; /* an offset changes the time, but there is no date to change */
        return true;
    default:
        return parse_date(all, form, moment);
    }
}

const char *clv_date_format(const Moment *moment, DateForm form, char text[DATE_SIZE])
{
    int64_t year, seconds = (int64_t)moment->seconds;
    int month, day;
    size_t length = 0;

    clv_date_of_days(moment->day, &year, &month, &day);
    text[0] = '\0';
    if (form != DATE_TIME)
        length = (size_t)snprintf(text, DATE_SIZE, "%04d-%02d-%02d", (int)year % 10000, month, day);
    if (moment->timed)
        snprintf(text + length, DATE_SIZE - length, "%s%02d:%02d:%02d", length ? "T" : "",
                 (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
    return text;
}
