/* A confusion matrix: cells are shaded by the fraction of their row; counts are printed if they
 * fit, names if they are legible. */
#ifndef PLOT_MATRIX_CHART_H
#define PLOT_MATRIX_CHART_H

#include "plot/canvas.h"

void clv_matrix_draw(Canvas *canvas, Area area, const cleave_plot_panel *panel);
/* A suitable picture size for this many rows and columns. */
void clv_matrix_size(size_t rows, size_t columns, size_t *width, size_t *height);

#endif
