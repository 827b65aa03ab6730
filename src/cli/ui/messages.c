/* Messages on stderr: errors, warnings, suggestions. */
#include "cli/ui/call.h"
#include "cli/ui/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program = "cleave"; /* the name of the program, one per process */

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
    Out out;

    cli_out_file(&out, stderr);
    cli_print(&out, "%s: ", program);
    va_start(args, format);
    cli_vprint(&out, format, args);
    va_end(args);
    cli_put(&out, "\n");
    cli_out_flush(&out);
    return MISUSED;
}

const char *cli_quote(const char *text, char buffer[QUOTED_SIZE])
{
    const size_t most = QUOTED_SIZE - sizeof "...";
    size_t length = cleave_escape(text, strlen(text), CLEAVE_ESCAPE_LINE, buffer, most + 1);

    if (length > most)
        memcpy(buffer + strlen(buffer), "...", sizeof "...");
    return buffer;
}

/* Puts a word in quotes, and replaces its own quotes. */
static char *in_quotes(const char *open, const char *word, const char *instead)
{
    size_t length = 0, count = 0;
    char *quoted;

    for (const char *at = word; *at; at++)
        count += *at == '\'';
    quoted = cli_alloc(NULL, strlen(word) + count * strlen(instead) + sizeof "$''", 1);
    length = (size_t)snprintf(quoted, sizeof "$'", "%s", open);
    for (; *word; word++) {
        const char *piece = *word == '\'' ? instead : word;
        size_t size = *word == '\'' ? strlen(instead) : 1;

        memcpy(quoted + length, piece, size);
        length += size;
    }
    memcpy(quoted + length, "'", 2);
    return quoted;
}

char *cli_shell_word(const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
    size_t length = strlen(word),
           size = cleave_escape(word, length, CLEAVE_ESCAPE_EXACT, NULL, 0) + 1;
    char *exact, *quoted;

    if (*word && !word[strspn(word, plain)])
        return cli_copy(word);
    if (cleave_escape(word, length, CLEAVE_ESCAPE_LINE, NULL, 0) == length)
        return in_quotes("'", word, "'\\''");
    exact = cli_alloc(NULL, size, 1);
    cleave_escape(word, length, CLEAVE_ESCAPE_EXACT, exact, size);
    quoted = in_quotes("$'", exact, "\\'");
    free(exact);
    return quoted;
}

int cli_unknown(const char *kind, const char *dashes, const char *word, const char *const *known,
                const char *where)
{
    const char *nearest = cleave_nearest_word(word, known);
    char quoted[QUOTED_SIZE];

    cli_quote(word, quoted);
    if (nearest)
        return cli_misuse("unknown %s '%s%s'\nhint: did you mean '%s%s'? Run '%s' for a list", kind,
                          dashes, quoted, *dashes ? "--" : "", nearest, where);
    return cli_misuse("unknown %s '%s%s'\nhint: run '%s' for a list", kind, dashes, quoted, where);
}

static void print_message(const char *before, const char *message, const char *hint)
{
    Out out;

    cli_out_file(&out, stderr);
    cli_print(&out, "%s%s\n", before, message);
    if (hint && *hint)
        cli_print(&out, "hint: %s\n", hint);
    cli_out_flush(&out);
}

static void print_answer(const char *before, const char *message, const char *hint)
{
    char whole[FLAG_SIZE];

    snprintf(whole, sizeof whole, "%s: %s", program, before);
    print_message(whole, message, hint);
}

int cli_failed(const char *hint, const char *format, ...)
{
    va_list args;
    Out out;

    cli_out_file(&out, stderr);
    va_start(args, format);
    cli_vprint(&out, format, args);
    va_end(args);
    cli_print(&out, *hint ? "\nhint: %s\n" : "\n", hint);
    cli_out_flush(&out);
    return FAILED;
}

/* Errors in data begin with their position; errors of the command line begin with the name of the
 * command. */
int cli_fail(Call *call)
{
    const cleave_error *error = &call->error;

    cli_progress_clear(&call->progress);
    switch (error->code) {
    case CLEAVE_ERROR_USAGE:
        print_answer("", error->message, error->hint);
        return MISUSED;
    case CLEAVE_ERROR_CANCELLED:
        print_answer("", "interrupted", error->hint);
        return cli_interrupted_status();
    case CLEAVE_ERROR_INTERNAL:
        print_answer("internal error: ", error->message, error->hint);
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
    *remark = (Remark){
        .level = level, .message = cli_copy(message), .hint = cli_copy(hint ? hint : "")};
}

void cli_remark(Call *call, cleave_log_level level, const char *message, const char *hint)
{
    cli_progress_clear(&call->progress);
    if (call->keep_remarks || call->tell_remarks)
        keep_remark(call, level, message, hint);
    if (!call->keep_remarks && !call->settings.quiet &&
        (level == CLEAVE_LOG_WARNING || call->verb->shows_notes))
        print_message(level == CLEAVE_LOG_WARNING ? "warning: " : "note: ", message, hint);
}

void cli_warn_of_none(Call *call, const char *hint)
{
    cli_remark(
        call, CLEAVE_LOG_WARNING,
        "the model has a class 'none', and rows without a prediction are printed as 'none' too",
        hint);
}

void *cli_alloc(void *old, size_t count, size_t size)
{
    bool fits = count <= SIZE_MAX / size;
    void *fresh = fits ? realloc(old, count > 0 ? count * size : 1) : NULL;

    if (!fresh) {
        print_answer("", "not enough memory", NULL);
        exit(FAILED);
    }
    return fresh;
}

char *cli_copy(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(cli_alloc(NULL, size, 1), text, size);
}
