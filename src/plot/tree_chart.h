/*
 * Draws a tree: a box per node with its condition or prediction, the number of training rows and a
 * bar of their classes; the width of an edge is proportional to its rows. Small trees grow
 * downwards, wide trees to the right, where the texts of many leaves fit. The layout is computed
 * before the sheet exists, from typical letter widths; wider text is truncated.
 */
#ifndef PLOT_TREE_CHART_H
#define PLOT_TREE_CHART_H

#include "plot/canvas.h"
#include "plot/tidy.h"

enum { MOST_LINES = 4 };

typedef struct {
    Area box;
    const char *line[MOST_LINES];
    size_t length[MOST_LINES], lines;
} TreeBox;

typedef struct {
    Context *context;
    TidyNode *node;
    TreeBox *boxes; /* box of each node, in pixels from the upper left corner */
    double width, height;
    bool sideways;
} TreeLayout;

/* Computes the layout. The caller frees it with clv_tree_layout_free, also on failure. */
Status clv_tree_layout(TreeLayout *layout, Context *context, const cleave_plot_tree *tree,
                       cleave_error *error);
void clv_tree_layout_free(TreeLayout *layout);

/* The size of the drawing at full scale. */
Status clv_tree_size(Context *context, const cleave_plot_tree *tree, double *width, double *height,
                     cleave_error *error);
Status clv_tree_draw(Context *context, Canvas *canvas, Area area, const cleave_plot_tree *tree,
                     cleave_error *error);
/* Estimates the width of text of this size. */
double clv_guess_width(const char *text, size_t length, double size);

#endif
