/* A confusion matrix: each row shaded by its shares, counts in the cells while they fit, names while they can be read. */
#ifndef PLOT_MATRIX_CHART_H
#define PLOT_MATRIX_CHART_H

#include "plot/canvas.h"

void clv_matrix_draw(Canvas *canvas, Area area, const cleave_plot_panel *panel);
/* How large a picture shows so many rows and columns well. */
void clv_matrix_size(size_t rows, size_t columns, size_t *width, size_t *height);

#endif
