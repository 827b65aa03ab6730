#include "cli/ui/output.h"

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
    out->sink = NULL;
    out->in_page = false;
    out->failed = false;
    out->length = 0;
}

void cli_out_sink(Out *out, void (*sink)(void *user, const char *bytes, size_t size), void *user)
{
    cli_out_file(out, NULL);
    out->sink = sink;
    out->user = user;
}

static void fail(Out *out)
{
    out->failed = true;
    out->cause = errno;
    out->error.code = CLEAVE_ERROR_IO;
    out->error.hint[0] = '\0';
    /* The reader has closed the pipe, as `head` does, which is not an error. */
    out->error.message[0] = '\0';
    if (errno != EPIPE)
        snprintf(out->error.message, sizeof out->error.message,
                 "standard output: cannot be written: %s", strerror(errno));
}

static void flush(Out *out)
{
    if (!out->failed && out->length > 0) {
        if (out->sink)
            out->sink(out->user, out->buffer, out->length);
        else if (out->output)
            out->failed = cleave_output_write(out->output, out->buffer, out->length, &out->error) !=
                          CLEAVE_OK;
        else if (fwrite(out->buffer, 1, out->length, out->file) != out->length)
            fail(out);
    }
    out->length = 0;
}

void cli_write(Out *out, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t capacity = sizeof out->buffer - out->length;
        size_t part = size < capacity ? size : capacity;

        memcpy(out->buffer + out->length, bytes, part);
        out->length += part;
        bytes += part;
        size -= part;
        if (out->length == sizeof out->buffer)
            flush(out);
    }
}

/* Writes escaped text in parts. A part ends between characters, so that the result equals that of
 * the whole text. */
static void put_escaped(Out *out, const char *text, size_t length, cleave_escaping how)
{
    enum { PART = 256 };
    char escaped[6 * PART + 1];

    while (length > 0) {
        size_t part = length < PART ? length : PART;

        for (int i = 0; i < 3 && part < length && ((unsigned char)text[part] & 0xC0) == 0x80; i++)
            part--;
        cli_write(out, escaped, cleave_escape(text, part, how, escaped, sizeof escaped));
        text += part;
        length -= part;
    }
}

void cli_put(Out *out, const char *text)
{
    put_escaped(out, text, strlen(text), CLEAVE_ESCAPE_LINES);
}

void cli_put_name(Out *out, const char *name)
{
    put_escaped(out, name, strlen(name), CLEAVE_ESCAPE_LINE);
}

void cli_put_value(Out *out, const char *value)
{
    put_escaped(out, value, strlen(value), CLEAVE_ESCAPE_EXACT);
}

/* ---- formats --------------------------------------------------------------------------------- */

/* One conversion of a format, such as %-*s. */
typedef struct {
    char flags[6], length[3], kind;
    int width, precision; /* precision < 0: not given */
} Conversion;

static const char *read_letters(const char *format, const char *letters, char *into, size_t size)
{
    size_t count = strspn(format, letters);

    snprintf(into, size, "%.*s", (int)count, format);
    return format + count;
}

static const char *read_count(const char *format, int given, int *count)
{
    if (*format == '*') {
        *count = given;
        return format + 1;
    }
    for (; *format >= '0' && *format <= '9'; format++)
        *count = 10 * *count + (*format - '0');
    return format;
}

static void put_string(Out *out, const Conversion *as, const char *text)
{
    size_t length = as->precision >= 0 ? strnlen(text, (size_t)as->precision) : strlen(text);
    size_t width = cli_width_of(text, length), wanted = as->width > 0 ? (size_t)as->width : 0;
    bool left = strchr(as->flags, '-') != NULL;

    for (size_t i = width; !left && i < wanted; i++)
        cli_write(out, " ", 1);
    put_escaped(out, text, length, CLEAVE_ESCAPE_LINE);
    for (size_t i = width; left && i < wanted; i++)
        cli_write(out, " ", 1);
}

/* Writes one conversion. Text of %s may come from outside and is escaped, unlike the format
 * itself. */
static void put_conversion(Out *out, const Conversion *as, va_list *args)
{
    char piece[512], format[16];
    bool wide = as->length[0] == 'l' && as->length[1] == 'l', size = as->length[0] == 'z';

    snprintf(format, sizeof format, "%%%s*.*%s%c", as->flags, as->length, as->kind);
    if (as->kind == 's')
        put_string(out, as, va_arg(*args, const char *));
    else if (strchr("fgeFGE", as->kind))
        snprintf(piece, sizeof piece, format, as->width, as->precision, va_arg(*args, double));
    else if (size)
        snprintf(piece, sizeof piece, format, as->width, as->precision, va_arg(*args, size_t));
    else if (wide)
        snprintf(piece, sizeof piece, format, as->width, as->precision,
                 va_arg(*args, unsigned long long));
    else if (as->length[0])
        snprintf(piece, sizeof piece, format, as->width, as->precision,
                 va_arg(*args, unsigned long));
    else if (as->kind == 'c')
        snprintf(piece, sizeof piece, "%c", va_arg(*args, int));
    else
        snprintf(piece, sizeof piece, format, as->width, as->precision, va_arg(*args, unsigned));
    if (as->kind != 's')
        cli_put(out, piece);
}

void cli_vprint(Out *out, const char *format, va_list given)
{
    va_list args;

    va_copy(args, given);
    while (*format) {
        size_t plain = strcspn(format, "%");
        Conversion as = {.precision = -1};

        cli_write(out, format, plain);
        format += plain;
        if (!*format)
            break;
        if (format[1] == '%') {
            cli_write(out, "%", 1);
            format += 2;
            continue;
        }
        format = read_letters(format + 1, "-+ #0", as.flags, sizeof as.flags);
        format = read_count(format, *format == '*' ? va_arg(args, int) : 0, &as.width);
        if (*format == '.') {
            as.precision = 0;
            format = read_count(format + 1, format[1] == '*' ? va_arg(args, int) : 0,
                                &as.precision);
        }
        format = read_letters(format, "lz", as.length, sizeof as.length);
        as.kind = *format++;
        put_conversion(out, &as, &args);
    }
    va_end(args);
}

void cli_print(Out *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cli_vprint(out, format, args);
    va_end(args);
}

/* ---- the end --------------------------------------------------------------------------------- */

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

/* Characters that take two columns (East Asian wide and emoji) or none (combining marks,
 * joiners, variation selectors). */
static const uint32_t wide[][2] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274C},
    {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18DFF}, {0x1AFF0, 0x1B2FF},
    {0x1F18E, 0x1F19A}, {0x1F1E6, 0x1F1FF}, {0x1F200, 0x1F265}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD}};
static const uint32_t none[][2] = {
    {0x0300, 0x036F},  {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC},  {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D},
    {0x0E31, 0x0E31},  {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1160, 0x11FF}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},  {0x200B, 0x200D}, {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0x302A, 0x302D},
    {0x3099, 0x309A},  {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF},
    {0xE0100, 0xE01EF}};

static bool is_in(uint32_t character, const uint32_t ranges[][2], size_t count)
{
    for (size_t i = 0; i < count && ranges[i][0] <= character; i++)
        if (character <= ranges[i][1])
            return true;
    return false;
}

static size_t columns_of(const char *text, size_t length)
{
    uint32_t character = (unsigned char)text[0];

    if (length == 1)
        return 1;
    character &= 0x7Fu >> length;
    for (size_t i = 1; i < length; i++)
        character = character << 6 | ((unsigned char)text[i] & 0x3F);
    if (is_in(character, none, sizeof none / sizeof *none))
        return 0;
    return is_in(character, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

size_t cli_width_of(const char *text, size_t length)
{
    size_t width = 0;

    while (length > 0) {
        char shown[16];
        size_t taken = cli_character_length(text), size;

        taken = taken == 0 || taken > length ? 1 : taken;
        size = cleave_escape(text, taken, CLEAVE_ESCAPE_LINE, shown, sizeof shown);
        width += shown[0] == '\\' ? size : columns_of(shown, size);
        text += taken;
        length -= taken;
    }
    return width;
}

size_t cli_width(const char *text)
{
    return cli_width_of(text, strlen(text));
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
    /* Overlong forms, surrogates, and numbers above U+10FFFF. */
    if ((c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] >= 0xA0) ||
        (c == 0xF0 && text[1] < 0x90) || (c == 0xF4 && text[1] >= 0x90))
        return 0;
    return length;
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
