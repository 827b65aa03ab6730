/* An animated SVG: the frames of a plot one after another, for ever. Each frame is a drawing of its
 * own within one document; programs without animation show the last one. */
#ifndef PLOT_ANIMATION_H
#define PLOT_ANIMATION_H

#include "plot/canvas.h"

Status clv_animation_draw(Context *context, const cleave_plot *plot, cleave_write_callback write,
                          void *user, cleave_error *error);

#endif
