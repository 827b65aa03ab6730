/*
 * Numbers as bars. On a terminal that shows UTF-8 they are made of blocks, to an eighth of one;
 * elsewhere, and where TERM is dumb, of signs of ASCII. They are there as well where nobody is
 * watching, always so wide. Colours are for terminals, unless NO_COLOR is set.
 */
#ifndef CLI_UI_TEXT_BARS_H
#define CLI_UI_TEXT_BARS_H

#include <stdbool.h>
#include <stddef.h>

#define BAR_WIDTH 24
#define BAR_SIZE (3 * BAR_WIDTH + 16)

typedef struct {
    bool blocks, colours;
} Bars;

Bars cli_bars(void); /* for standard output */
/* A part of the longest, from -1 to 1, which is BAR_WIDTH wide: what is below 0 is drawn
 * otherwise. */
const char *cli_bar(const Bars *bars, double part, char buffer[BAR_SIZE]);

#endif
