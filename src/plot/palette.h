/*
 * Colours, marks and dashes. Classes and series have the colours of Okabe and Ito (2008), which those who see fewer colours can tell apart, the pale yellow
 * aside, and each has a mark and a dash of its own besides, for print in black and white. Numbers have the colours of viridis (van der Walt and
 * Smith 2015), whose lightness grows evenly.
 */
#ifndef PLOT_PALETTE_H
#define PLOT_PALETTE_H

#include "plot/canvas.h"

Colour clv_look_colour(size_t look);
Mark clv_look_mark(size_t look);
Dash clv_look_dash(size_t look);
/* share of the second, between 0 and 1. */
Colour clv_blend(Colour first, Colour second, double share);
/* share from 0 to 1; what is no number is light grey. */
Colour clv_number_colour(double share);
/* White to dark blue. */
Colour clv_shade(double share);
bool clv_is_dark(Colour colour);

/* The text, or as much of it as fits, with an ellipsis. */
enum { FITTED_SIZE = 256 };
const char *clv_fit_text(Canvas *canvas, const char *text, double width, double size, char buffer[FITTED_SIZE]);

#endif
