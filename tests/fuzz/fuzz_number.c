/*
 * Numbers as text: the fast path, the exact path and the C library must agree to the bit on every
 * text that one of them accepts, and a printed number must be read back as itself.
 */
#include "base/number.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>

#define MOST 2048

static bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Whether a number starts here, by the grammar in number.h. */
static bool starts_number(const char *text)
{
    if (*text == '+' || *text == '-')
        text++;
    if (*text == '.')
        text++;
    return *text >= '0' && *text <= '9';
}

static void check_float(const char *text, const char *limit, char *copy)
{
    float fast = 0, exact = 0;
    const char *fast_end = clv_parse_float(text, limit, &fast);
    const char *exact_end = clv_parse_float_exact(text, limit, &exact);
    char printed[NUMBER_SIZE], *end;

    PROMISE(fast_end == exact_end);
    PROMISE((exact_end != NULL) == starts_number(text));
    if (!exact_end)
        return;
    PROMISE(exact_end > text && exact_end <= limit);
    PROMISE(same_float(fast, exact));
    memcpy(copy, text, (size_t)(exact_end - text));
    copy[exact_end - text] = '\0';
    PROMISE(same_float(strtof(copy, &end), exact));
    PROMISE(*end == '\0');
    if (isfinite(exact)) {
        clv_format_float(printed, exact);
        PROMISE(strtof(printed, &end) == exact && *end == '\0'); /* -0 may be printed 0 */
    }
}

static void check_double(const char *text, const char *limit, char *copy)
{
    const char *stop = NULL;
    char printed[NUMBER_SIZE], *end;
    double value = 0;

    if (!clv_parse_double(text, limit, &value, &stop))
        return;
    PROMISE(stop > text && stop <= limit);
    memcpy(copy, text, (size_t)(stop - text));
    copy[stop - text] = '\0';
    PROMISE(same_double(strtod(copy, &end), value));
    PROMISE(*end == '\0');
    if (isfinite(value)) {
        clv_format_double(printed, value);
        PROMISE(strtod(printed, &end) == value && *end == '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MOST + NUMBER_SLACK], copy[MOST + 1];

    if (size > MOST)
        size = MOST;
    memset(text + size, '\n', NUMBER_SLACK);
    if (size)
        memcpy(text, data, size);
    check_float(text, text + size, copy);
    check_double(text, text + size, copy);
    return 0;
}
