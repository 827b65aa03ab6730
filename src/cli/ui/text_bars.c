#include "cli/ui/text_bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool speaks_utf8(void)
{
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") ||
                   strstr(value, "utf-8");
    }
    return false;
}

Bars cli_bars(void)
{
    const char *terminal = getenv("TERM"), *no_color = getenv("NO_COLOR");
    bool dumb = terminal && strcmp(terminal, "dumb") == 0;

    return (Bars){.blocks = !dumb && speaks_utf8(),
                  .colors = !dumb && isatty(STDOUT_FILENO) && !(no_color && *no_color)};
}

static char *repeat(char *at, const char *piece, size_t count)
{
    size_t size = strlen(piece);

    for (size_t i = 0; i < count; i++, at += size)
        memcpy(at, piece, size);
    return at;
}

/* Draws ░ for values below 0, otherwise full blocks and a partial block. */
static char *draw_blocks(char *at, double length, bool below)
{
    size_t eighths = (size_t)lround(length * 8), whole = below ? (eighths + 4) / 8 : eighths / 8;
    char piece[] = "\xE2\x96\x88";

    if (below)
        return repeat(at, "\xE2\x96\x91", whole ? whole : 1);
    at = repeat(at, piece, whole);
    if (eighths % 8 == 0 && eighths > 0)
        return at;
    piece[2] = (char)(0x8F - (eighths % 8 ? eighths % 8 - 1
                                          : 0)); /* one eighth, U+258F, to seven eighths, U+2589 */
    return repeat(at, piece, 1);
}

const char *cli_bar(const Bars *bars, double part, char buffer[BAR_SIZE])
{
    double length = fmin(fabs(part), 1) * BAR_WIDTH;
    bool below = part < 0;
    char *at = buffer;

    if (16 * length >= 1) { /* at least half of one eighth */
        if (bars->colors)
            at = repeat(at, below ? "\x1B[31m" : "\x1B[32m", 1);
        if (bars->blocks)
            at = draw_blocks(at, length, below);
        else
            at = repeat(at, below ? "-" : "#", length < 1 ? 1 : (size_t)lround(length));
        if (bars->colors)
            at = repeat(at, "\x1B[0m", 1);
    }
    *at = '\0';
    return buffer;
}
