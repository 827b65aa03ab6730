#include "interop/model_lines.h"

#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void skip_spaces(ModelLines *lines)
{
    while (lines->rest < lines->line_end && is_space(*lines->rest))
        lines->rest++;
}

bool clv_model_lines_next(ModelLines *lines)
{
    while (lines->at < lines->end) {
        const char *end = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));

        lines->rest = lines->at;
        lines->line_end = end ? end : lines->end;
        lines->at = end ? end + 1 : lines->end;
        lines->line++;
        skip_spaces(lines);
        if (lines->rest < lines->line_end)
            return true;
    }
    return false;
}

bool clv_model_lines_word(ModelLines *lines)
{
    skip_spaces(lines);
    lines->word = lines->rest;
    while (lines->rest < lines->line_end && !is_space(*lines->rest))
        lines->rest++;
    lines->length = (size_t)(lines->rest - lines->word);
    return lines->length > 0;
}

bool clv_model_lines_is(const ModelLines *lines, const char *text)
{
    return strlen(text) == lines->length && memcmp(text, lines->word, lines->length) == 0;
}

Status clv_model_lines_fail(const ModelLines *lines, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return clv_fail(lines->error, CLEAVE_ERROR_FORMAT, "%s:%llu: %s", lines->name,
                    (unsigned long long)lines->line, text);
}

static Status fail_word(const ModelLines *lines, const char *what)
{
    char quoted[QUOTE_SIZE];

    return lines->length ? clv_model_lines_fail(lines, "%s: '%s' is not valid", what,
                                                clv_quote(quoted, lines->word, lines->length))
                         : clv_model_lines_fail(lines, "%s is missing", what);
}

Status clv_model_lines_double(ModelLines *lines, const char *what, double *value)
{
    const char *stop;

    if (!clv_model_lines_word(lines) || !clv_parse_double(lines->word, lines->rest, value, &stop) ||
        stop != lines->rest || !isfinite(*value))
        return fail_word(lines, what);
    return OK;
}

Status clv_model_lines_integer(ModelLines *lines, const char *what, int64_t least, int64_t most,
                               int64_t *value)
{
    const char *at;
    int64_t number = 0;
    bool negative;

    if (!clv_model_lines_word(lines))
        return fail_word(lines, what);
    at = lines->word;
    negative = *at == '-';
    at += negative;
    if (at == lines->rest || lines->rest - at > 15)
        return fail_word(lines, what);
    for (; at < lines->rest; at++) {
        if (*at < '0' || *at > '9')
            return fail_word(lines, what);
        number = number * 10 + (*at - '0');
    }
    *value = negative ? -number : number;
    return *value < least || *value > most ? fail_word(lines, what) : OK;
}

Status clv_model_lines_done(ModelLines *lines)
{
    char quoted[QUOTE_SIZE];

    return clv_model_lines_word(lines)
               ? clv_model_lines_fail(lines, "unexpected '%s' at the end of the line",
                                      clv_quote(quoted, lines->word, lines->length))
               : OK;
}
