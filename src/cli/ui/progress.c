#include "cli/ui/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

double cli_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10)
        return size.ws_col;
    return 80;
}

/* Completed fraction of the phase, from 0 to 1; 0 if unknown. */
static double share_done(const cleave_progress *now)
{
    double part = 0;

    if (now->rows_total)
        part = (double)now->rows / (double)now->rows_total;
    else if (now->bytes_total)
        part = (double)now->bytes / (double)now->bytes_total;
    if (now->epoch && now->epochs)
        part = ((double)now->epoch - 1 + part) / now->epochs;
    return part < 1 ? part : 1;
}

static void note_start(Progress *progress, const cleave_progress *now)
{
    double time = cli_seconds();

    if (strcmp(progress->phase, now->phase) != 0) {
        snprintf(progress->phase, sizeof progress->phase, "%s", now->phase);
        progress->phase_start = progress->round_start = time;
    } else if (progress->round != now->epoch) {
        progress->round_start = time;
    }
    progress->round = now->epoch;
}

typedef struct {
    char text[256];
    size_t length;
} Line;

static void CLEAVE_PRINTF(2, 0) append(Line *line, const char *format, va_list args)
{
    int added = vsnprintf(line->text + line->length, sizeof line->text - line->length, format,
                          args);

    if (added > 0)
        line->length += (size_t)added;
    if (line->length >= sizeof line->text)
        line->length = sizeof line->text - 1;
}

static void CLEAVE_PRINTF(2, 3) add(Line *line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    append(line, format, args);
    va_end(args);
}

static void compose(const Progress *progress, const cleave_progress *now, Line *line)
{
    double time = cli_seconds();
    double in_phase = time - progress->phase_start;
    double in_round = time - progress->round_start;
    double done = share_done(now);

    add(line, "%s", now->phase);
    if (now->epoch && now->epochs)
        add(line, "  round %u of %u", now->epoch, now->epochs);
    if (now->detail)
        add(line, "  %s", now->detail);
    else if (now->rows_total)
        add(line, "  %llu of %llu rows", (unsigned long long)now->rows,
            (unsigned long long)now->rows_total);
    else if (now->rows || now->bytes)
        add(line, "  %llu rows", (unsigned long long)now->rows);
    if (now->bytes && in_round > 0.05)
        add(line, "  %.0f MB/s", (double)now->bytes / 1e6 / in_round);
    if (now->epoch && now->rows && now->mistakes)
        add(line, "  error %.2f %%", 100 * (double)now->mistakes / (double)now->rows);
    if (done > 0.01 && in_phase > 0.3) {
        double left = in_phase * (1 - done) / done;

        add(line, "  %s%d:%02d left", now->epoch ? "at most " : "", (int)(left / 60),
            (int)left % 60);
    }
}

void cli_progress_show(Progress *progress, const cleave_progress *now)
{
    Line line = {.length = 0};
    char shown[sizeof line.text];
    size_t width = terminal_width();

    if (!progress->on || !now->phase)
        return;
    note_start(progress, now);
    compose(progress, now, &line);
    cleave_escape(line.text, line.length, CLEAVE_ESCAPE_LINE, shown,
                  width < sizeof shown ? width : sizeof shown);
    fprintf(stderr, "\r%s\033[K", shown);
    fflush(stderr);
    progress->shown = true;
}

void cli_progress_clear(Progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
