#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Status clv_fail(cleave_error *error, cleave_code code, const char *format, ...)
{
    if (error) {
        va_list args;

        va_start(args, format);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
        error->hint[0] = '\0';
        error->code = code;
    }
    return code;
}

Status clv_hint(cleave_error *error, cleave_code code, const char *format, ...)
{
    if (error) {
        va_list args;

        va_start(args, format);
        vsnprintf(error->hint, sizeof error->hint, format, args);
        va_end(args);
    }
    return code;
}

Status clv_fail_memory(cleave_error *error, const char *what, size_t size)
{
    return clv_fail(error, CLEAVE_ERROR_MEMORY, "not enough memory for %s (%zu bytes)", what, size);
}

Status clv_fail_null(cleave_error *error, const char *function, const char *arguments)
{
    return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: an argument is NULL; required: %s", function, arguments);
}

Status clv_fail_io(cleave_error *error, const char *path, const char *what)
{
    const char *why = strerror(errno);

    return clv_fail(error, CLEAVE_ERROR_IO, "%s: %s: %s", path, what, why);
}

/* Length of the whole UTF-8 character at text, 0 when it is broken or a control character. */
static size_t character(const unsigned char *text, size_t left)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;

    if (text[0] < 0x20 || text[0] == 0x7F || (text[0] >= 0x80 && text[0] < 0xC2) || text[0] > 0xF4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

const char *clv_quote(char buffer[QUOTE_SIZE], const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    const size_t most = 40; /* bytes of text shown */
    size_t at = 0, out = 0;

    while (at < length && at < most && out < QUOTE_SIZE - 8) {
        size_t whole = character((const unsigned char *)text + at, length - at);

        if (whole) {
            memcpy(buffer + out, text + at, whole);
            out += whole;
            at += whole;
        } else {
            unsigned char c = (unsigned char)text[at++];

            buffer[out++] = '\\';
            buffer[out++] = 'x';
            buffer[out++] = hex[c >> 4];
            buffer[out++] = hex[c & 15];
        }
    }
    if (at < length) {
        memcpy(buffer + out, "...", 3);
        out += 3;
    }
    buffer[out] = '\0';
    return buffer;
}
