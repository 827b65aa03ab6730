#include "base/status.h"

#include "base/escape.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static void fill(cleave_error *error, cleave_code code, const char *format, va_list args)
{
    if (!error)
        return;
    clv_vprint_line(error->message, sizeof error->message, format, args);
    error->hint[0] = '\0';
    error->code = code;
}

Status clv_fail(cleave_error *error, cleave_code code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(error, code, format, args);
    va_end(args);
    return code;
}

Status clv_hint(cleave_error *error, cleave_code code, const char *format, ...)
{
    if (error) {
        va_list args;

        va_start(args, format);
        clv_vprint_line(error->hint, sizeof error->hint, format, args);
        va_end(args);
    }
    return code;
}

Status clv_fail_hint(cleave_error *error, cleave_code code, const char *hint, const char *format,
                     ...)
{
    va_list args;

    va_start(args, format);
    fill(error, code, format, args);
    va_end(args);
    return clv_hint(error, code, "%s", hint);
}

Status clv_fail_memory(cleave_error *error, const char *what, size_t size)
{
    return clv_fail(error, CLEAVE_ERROR_MEMORY, "not enough memory for %s (%zu bytes)", what, size);
}

Status clv_fail_null(cleave_error *error, const char *function, const char *arguments)
{
    return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: an argument is NULL; required: %s", function,
                    arguments);
}

Status clv_fail_io(cleave_error *error, const char *path, const char *what)
{
    const char *why = strerror(errno);

    return clv_fail(error, CLEAVE_ERROR_IO, "%s: %s: %s", path, what, why);
}

const char *clv_quote(char buffer[QUOTE_SIZE], const char *text, size_t length)
{
    const size_t most = 40; /* number of bytes of text shown */
    size_t at = 0, out = 0;

    while (at < length && at < most && out < QUOTE_SIZE - ESCAPED_SIZE - sizeof "...") {
        size_t taken;

        out += clv_escape_next(text + at, length - at, CLEAVE_ESCAPE_LINE, buffer + out, &taken);
        at += taken;
    }
    if (at < length) {
        memcpy(buffer + out, "...", 3);
        out += 3;
    }
    buffer[out] = '\0';
    return buffer;
}

Status clv_take_sized(void *own, size_t own_size, const void *given, const char *type,
                      cleave_error *error)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    if (size < sizeof size) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the member `size` is not set", type);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "initialize it: %s x = {.size = sizeof x};",
                        type);
    }
    memset(own, 0, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return OK;
}

void clv_give_sized(void *given, const void *own, size_t own_size)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    if (size > own_size)
        size = own_size;
    memcpy((char *)given + sizeof size, (const char *)own + sizeof size, size - sizeof size);
}
