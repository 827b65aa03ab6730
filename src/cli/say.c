/* What goes to stderr: errors, warnings, suggestions. */
#include "cli/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "cleave"; /* of this process there is one */

void cli_name(const char *name)
{
    program = name;
}

const char *cli_program(void)
{
    return program;
}

int cli_misuse(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return MISUSED;
}

const char *cli_quote(const char *text, char buffer[QUOTED_SIZE])
{
    size_t length = 0;

    for (; *text && length + 8 < QUOTED_SIZE; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7F)
            length += (size_t)snprintf(buffer + length, QUOTED_SIZE - length, "\\x%02x", c);
        else
            buffer[length++] = (char)c;
    }
    buffer[length] = '\0';
    if (*text)
        memcpy(buffer + length, "...", 4);
    return buffer;
}

int cli_unknown(const char *kind, const char *dashes, const char *word, const char *const *known, const char *where)
{
    const char *nearest = cleave_nearest(word, known);
    char quoted[QUOTED_SIZE];

    cli_quote(word, quoted);
    if (nearest)
        return cli_misuse("no %s '%s%s'; did you mean '%s%s'?  ('%s' lists them all)", kind, dashes, quoted, dashes,
                          nearest, where);
    return cli_misuse("no %s '%s%s'  ('%s' lists them all)", kind, dashes, quoted, where);
}

static void print_message(const char *before, const char *message, const char *hint)
{
    fprintf(stderr, "%s%s\n", before, message);
    if (hint && *hint)
        fprintf(stderr, "  %s\n", hint);
}

static void print_answer(const char *message, const char *hint)
{
    fprintf(stderr, "%s: ", program);
    print_message("", message, hint);
}

/* Messages about data begin with the place; what was typed wrong is answered by the command itself. */
int cli_fail(Call *call)
{
    const cleave_error *error = &call->error;

    cli_progress_clear(&call->progress);
    switch (error->code) {
    case CLEAVE_ERROR_USAGE:
        print_answer(error->message, error->hint);
        return MISUSED;
    case CLEAVE_ERROR_CANCELLED:
        print_answer("interrupted", error->hint);
        return cli_interrupted_status();
    case CLEAVE_ERROR_INTERNAL:
        fprintf(stderr, "%s: ", program);
        print_message("internal error: ", error->message, error->hint);
        return FAILED;
    default:
        if (*error->message)
            print_message("", error->message, error->hint);
        return FAILED;
    }
}

void cli_say(const Call *call, const char *message, const char *hint)
{
    if (!call->settings.quiet)
        print_message("", message, hint);
}

static void keep_remark(Call *call, cleave_log_level level, const char *message, const char *hint)
{
    Remark *remark;

    call->remarks = cli_alloc(call->remarks, call->remark_count + 1, sizeof *call->remarks);
    remark = &call->remarks[call->remark_count++];
    *remark = (Remark){.level = level, .message = cli_copy(message), .hint = cli_copy(hint ? hint : "")};
}

void cli_remark(Call *call, cleave_log_level level, const char *message, const char *hint)
{
    cli_progress_clear(&call->progress);
    if (call->keep_remarks || call->tell_remarks)
        keep_remark(call, level, message, hint);
    if (!call->keep_remarks && !call->settings.quiet && (level == CLEAVE_LOG_WARNING || call->verb->shows_notes))
        print_message(level == CLEAVE_LOG_WARNING ? "warning: " : "note: ", message, hint);
}

void *cli_alloc(void *old, size_t count, size_t size)
{
    bool fits = count <= SIZE_MAX / size;
    void *fresh = fits ? realloc(old, count > 0 ? count * size : 1) : NULL;

    if (!fresh) {
        print_answer("not enough memory", NULL);
        exit(FAILED);
    }
    return fresh;
}

char *cli_copy(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(cli_alloc(NULL, size, 1), text, size);
}
