/*
 * Bars for numbers. On a UTF-8 terminal they consist of blocks with a resolution of one eighth;
 * elsewhere, and if TERM is dumb, of ASCII characters. Pipes and files have the same width. Colors
 * are for terminals, unless NO_COLOR is set.
 */
#ifndef CLI_UI_TEXT_BARS_H
#define CLI_UI_TEXT_BARS_H

#include <stdbool.h>
#include <stddef.h>

#define BAR_WIDTH 24
#define BAR_SIZE (3 * BAR_WIDTH + 16)

typedef struct {
    bool blocks, colors;
} Bars;

Bars cli_bars(void); /* for standard output */
/* A bar for a fraction of the longest bar, from -1 to 1; values below 0 look different. */
const char *cli_bar(const Bars *bars, double part, char buffer[BAR_SIZE]);

#endif
