#include "cli/out.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

cleave_code cli_out_open(Out *out, cleave_context *context, const char *path, cleave_error *error)
{
    cli_out_file(out, stdout);
    if (!path || strcmp(path, "-") == 0)
        return CLEAVE_OK;
    out->file = NULL;
    return cleave_output_open(context, path, &out->output, error);
}

void cli_out_file(Out *out, FILE *file)
{
    out->file = file;
    out->output = NULL;
    out->failed = false;
    out->length = 0;
}

static void fail(Out *out)
{
    out->failed = true;
    out->error.code = CLEAVE_ERROR_IO;
    out->error.hint[0] = '\0';
    /* Whoever read us has had enough, as `head` does: that is no news to anybody. */
    out->error.message[0] = '\0';
    if (errno != EPIPE)
        snprintf(out->error.message, sizeof out->error.message, "standard output: cannot be written: %s",
                 strerror(errno));
}

static void flush(Out *out)
{
    if (!out->failed && out->length > 0) {
        if (out->output)
            out->failed = cleave_output_write(out->output, out->buffer, out->length, &out->error) != CLEAVE_OK;
        else if (fwrite(out->buffer, 1, out->length, out->file) != out->length)
            fail(out);
    }
    out->length = 0;
}

void cli_write(Out *out, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t room = sizeof out->buffer - out->length;
        size_t part = size < room ? size : room;

        memcpy(out->buffer + out->length, bytes, part);
        out->length += part;
        bytes += part;
        size -= part;
        if (out->length == sizeof out->buffer)
            flush(out);
    }
}

void cli_put(Out *out, const char *text)
{
    cli_write(out, text, strlen(text));
}

/* For short pieces; what is long or of unknown length goes through cli_put. */
void cli_print(Out *out, const char *format, ...)
{
    char piece[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    cli_put(out, piece);
}

void cli_out_flush(Out *out)
{
    flush(out);
    if (out->file && !out->failed && fflush(out->file) != 0)
        fail(out);
}

cleave_code cli_out_close(Out *out, cleave_error *error)
{
    flush(out);
    if (out->file && !out->failed && fflush(out->file) != 0)
        fail(out);
    if (out->failed) {
        cleave_output_abandon(out->output);
        *error = out->error;
        return error->code;
    }
    return out->output ? cleave_output_commit(out->output, error) : CLEAVE_OK;
}

void cli_out_abandon(Out *out)
{
    if (out->output)
        cleave_output_abandon(out->output);
    else
        flush(out);
}

size_t cli_width(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

size_t cli_character_length(const char *bytes)
{
    const unsigned char *text = (const unsigned char *)bytes;
    unsigned char c = text[0];
    size_t length = c < 0x80                ? 1
                    : c >= 0xC2 && c < 0xE0 ? 2
                    : c >= 0xE0 && c < 0xF0 ? 3
                    : c >= 0xF0 && c < 0xF5 ? 4
                                            : 0;

    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    if (length < 3)
        return length;
    /* Overlong forms, surrogates, past U+10FFFF. */
    if ((c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] >= 0xA0) || (c == 0xF0 && text[1] < 0x90) ||
        (c == 0xF4 && text[1] >= 0x90))
        return 0;
    return length;
}

void cli_put_name(Out *out, const char *name)
{
    while (*name) {
        unsigned char c = (unsigned char)*name;
        size_t length = cli_character_length(name);

        if (c == '\n' || c == '\t')
            cli_put(out, c == '\n' ? "\\n" : "\\t");
        else if (c < 0x20 || c == 0x7F || length == 0)
            cli_print(out, "\\x%02X", c);
        else
            cli_write(out, name, length);
        name += length > 0 ? length : 1;
    }
}

static void new_line(Out *out, size_t indent)
{
    cli_put(out, "\n");
    for (size_t i = 0; i < indent; i++)
        cli_put(out, " ");
}

void cli_wrap(Out *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool first = true;

    while (*text) {
        size_t length = strcspn(text, " \n");

        if (!first && at + 1 + length > width) {
            new_line(out, indent);
            at = indent;
            first = true;
        }
        if (!first) {
            cli_put(out, " ");
            at++;
        }
        cli_write(out, text, length);
        at += length;
        first = false;
        text += length;
        if (*text == '\n') {
            new_line(out, indent);
            at = indent;
            first = true;
        }
        text += *text != '\0';
    }
    cli_put(out, "\n");
}
