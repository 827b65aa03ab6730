#include "dist/update_lines.h"

#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { READ_BYTES = 1 << 18, LONGEST_LINE = 4096 };

void clv_lines_open(Lines *lines, Context *context, const char *const *paths, size_t count,
                    cleave_error *error)
{
    *lines = (Lines){.context = context, .paths = paths, .count = count, .error = error};
}

void clv_lines_close(Lines *lines)
{
    clv_bytes_close(lines->bytes);
    clv_free(lines->context, lines->text.data);
    lines->bytes = NULL;
    lines->text = (Buffer){0};
}

const char *clv_lines_file(const Lines *lines, size_t number)
{
    return strcmp(lines->paths[number], "-") == 0 ? "standard input" : lines->paths[number];
}

Status clv_lines_fail(const Lines *lines, const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return clv_fail(lines->error, CLEAVE_ERROR_DATA, "%s:%llu: %s",
                    clv_lines_file(lines, lines->at), (unsigned long long)lines->line, message);
}

/* ---- bytes to lines -------------------------------------------------------------------------- */

/* Moves the rest of the text to its front and reads more. */
static Status read_more(Lines *lines)
{
    Buffer *text = &lines->text;
    size_t left = text->size - lines->next, got = 0;

    TRY(GROW(lines->context, text->data, text->capacity, READ_BYTES + left, lines->error));
    memmove(text->data, text->data + lines->next, left);
    lines->next = 0;
    text->size = left;
    TRY(clv_bytes_read(lines->bytes, text->data + left, READ_BYTES, &got, lines->error));
    text->size += got;
    lines->ended = got < READ_BYTES;
    return OK;
}

/* Returns the next line without its newline; NULL at the end of the last file. */
static Status next_line(Lines *lines, const char **line, size_t *length)
{
    *line = NULL;
    while (lines->at < lines->count) {
        const char *start, *end;

        if (!lines->bytes) {
            lines->text.size = lines->next = 0;
            lines->ended = false;
            lines->line = 0;
            TRY(clv_bytes_open(lines->context, lines->paths[lines->at], &lines->bytes,
                               lines->error));
        }
        start = lines->text.data + lines->next;
        end = lines->text.size > lines->next ? memchr(start, '\n', lines->text.size - lines->next)
                                             : NULL;
        if (end) {
            lines->next += (size_t)(end - start) + 1;
            lines->line++;
            *line = start;
            *length = (size_t)(end - start);
            return OK;
        }
        if (lines->text.size - lines->next > LONGEST_LINE ||
            (lines->ended && lines->text.size > lines->next)) {
            bool cut = lines->text.size - lines->next <= LONGEST_LINE;

            lines->line++;
            clv_lines_fail(lines, cut ? "the last line has no newline"
                                      : "the line is too long for an update");
            return clv_hint(lines->error, CLEAVE_ERROR_DATA,
                            cut ? "pass the complete output of `cleave map` or `cleave reduce`"
                                : "write NAME/INDEX, a tab and a number, as `cleave map` does");
        }
        if (!lines->ended) {
            TRY(read_more(lines));
            continue;
        }
        clv_bytes_close(lines->bytes);
        lines->bytes = NULL;
        lines->at++;
    }
    return OK;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static Status refuse_line(const Lines *lines, const char *what, const char *text, size_t length)
{
    char quoted[QUOTE_SIZE];

    clv_lines_fail(lines, "expected %s, found '%s'", what, clv_quote(quoted, text, length));
    return clv_hint(lines->error, CLEAVE_ERROR_DATA,
                    "write NAME/INDEX, a tab and a number, as `cleave map` and `cleave reduce` do");
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Parses digits without leading zeros, so that a key has only one spelling. */
static bool parse_index(const char *text, size_t length, uint64_t *index)
{
    *index = 0;
    if (length == 0 || length > 20 || (length > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';

        if (digit > 9 || *index > (UINT64_MAX - digit) / 10)
            return false;
        *index = *index * 10 + digit;
    }
    return true;
}

static Status parse_key(Lines *lines, const char *key, size_t length)
{
    size_t name = 0;

    while (name < length && is_name(key[name]))
        name++;
    if (name == 0 || name >= DELTA_NAME || name == length || key[name] != '/' ||
        !parse_index(key + name + 1, length - name - 1, &lines->index))
        return refuse_line(lines, "a key such as w/12", key, length);
    memcpy(lines->part, key, name);
    lines->part[name] = '\0';
    memcpy(lines->key, key, length);
    lines->key[length] = '\0';
    lines->key_length = length;
    return OK;
}

static Status parse_line(Lines *lines, const char *text, size_t length)
{
    const char *tab = memchr(text, '\t', length), *stop;

    if (!tab)
        return refuse_line(lines, "a key, a tab and a number", text, length);
    TRY(parse_key(lines, text, (size_t)(tab - text)));
    lines->rest = tab + 1;
    lines->rest_length = (size_t)(text + length - tab - 1);
    if (strcmp(lines->part, UPDATE_NEAR) == 0)
        return OK;
    if (!clv_parse_double(tab + 1, text + length, &lines->value, &stop) || stop != text + length ||
        !isfinite(lines->value))
        return refuse_line(lines, "a finite number", tab + 1, (size_t)(text + length - tab - 1));
    return OK;
}

Status clv_lines_next(Lines *lines, bool *more)
{
    const char *line;
    size_t length = 0;

    TRY(next_line(lines, &line, &length));
    *more = line != NULL;
    return line ? parse_line(lines, line, length) : OK;
}
