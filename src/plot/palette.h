/*
 * Colors, marks and dashes. Classes and series use the colors of Okabe and Ito (2008), suitable for
 * color-blind readers, without the pale yellow. Each also has its own mark and dash, for
 * black-and-white print. Numbers use viridis (van der Walt and Smith 2015), whose lightness
 * increases evenly.
 */
#ifndef PLOT_PALETTE_H
#define PLOT_PALETTE_H

#include "plot/canvas.h"

Color clv_look_color(size_t look);
/* Radius of the rings of CLEAVE_PLOT_RINGS, outside the ring of a misclassified point. */
enum { WIDE_RING = 10 };
Mark clv_look_mark(size_t look);
Dash clv_look_dash(size_t look);
/* Blends two colors. share: fraction of the second color. */
Color clv_blend(Color first, Color second, double share);
/* The color of a number from 0 to 1; NaN is light gray. */
Color clv_number_color(double share);
/* A shade from white to dark blue. */
Color clv_shade(double share);
bool clv_is_dark(Color color);

/* Fits a text to a width: truncates it with an ellipsis if necessary. */
enum { FITTED_SIZE = 256 };
const char *clv_fit_text(Canvas *canvas, const char *text, double width, double size,
                         char buffer[FITTED_SIZE]);

#endif
