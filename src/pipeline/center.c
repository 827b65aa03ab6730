#include "pipeline/center.h"

#include "base/number.h"

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* Reads the next number of a list and returns its end. */
static bool next_number(const char **at, double *number)
{
    const char *stop;

    if (!clv_parse_double(*at, *at + strlen(*at), number, &stop) || !isfinite(*number) ||
        (*stop && *stop != '/'))
        return false;
    *at = *stop ? stop + 1 : stop;
    return *stop == '\0' || **at != '\0';
}

static bool read_numbers(const char *text, double *numbers, size_t capacity, size_t *count)
{
    *count = 0;
    while (*text) {
        double number;

        if (!next_number(&text, &number))
            return false;
        if (*count < capacity)
            numbers[*count] = number;
        ++*count;
    }
    return *count > 0;
}

Status clv_center_check(const char *step, const char *text, cleave_error *error)
{
    char quoted[QUOTE_SIZE];
    size_t count;

    if (is(text, "origin") || is(text, "mean") || read_numbers(text, NULL, 0, &count))
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "write a point as coordinates separated by slashes, for example center=3/-4.5",
        "--transform: %s: expected origin, mean or a point as the center, found '%s'", step,
        clv_quote(quoted, text, strlen(text)));
}

Status clv_center_point(const Step *step, const char *text, const double *sums, size_t count,
                        double *center)
{
    size_t given;

    memset(center, 0, count * sizeof *center);
    if (is(text, "mean"))
        for (size_t i = 0; i < count && step->rows; i++)
            center[i] = sums[i] / (double)step->rows;
    else if (!is(text, "origin")) {
        read_numbers(text, center, count, &given);
        if (given != count)
            return clv_fail_hint(
                step->error, CLEAVE_ERROR_USAGE,
                "write one coordinate per column, for example center=3/-4.5",
                "--transform: %s has %zu columns, but its center has %zu coordinates",
                step->transform->name, count, given);
    }
    return OK;
}

Status clv_find_column(const Step *step, const char *parameter, const char *name, uint32_t *column)
{
    const Names *names = &step->in->names;
    size_t length = strlen(name);
    char quoted[QUOTE_SIZE], first[24], last[24];

    *column = clv_names_find(names, name, length);
    if (*column >= step->inputs && names->implicit && length > 1 && *name == 'x')
        *column = clv_names_find(names, name + 1, length - 1);
    if (*column < step->inputs)
        return OK;
    clv_fail(step->error, CLEAVE_ERROR_DATA, "--transform: %s: column '%s' does not exist (%s)",
             step->transform->name, clv_quote(quoted, name, length), parameter);
    if (step->inputs == 0)
        return CLEAVE_ERROR_DATA;
    return clv_hint(step->error, CLEAVE_ERROR_DATA,
                    "the data has %u columns, from '%.40s' to '%.40s'", step->inputs,
                    clv_names_get(names, 0, first), clv_names_get(names, step->inputs - 1, last));
}
