/*
 * A tree on a sheet: a box for each node with its question or answer, the training rows that came there and a bar of their classes; lines to its children as
 * wide as rows went there. Small trees grow downwards, wide ones to the right, where the words of many leaves find room one below the other. Where
 * boxes stand is settled before there is a sheet, from widths of letters as most fonts have them; text that turns out wider is cut.
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
    TreeBox *boxes; /* of each node, in pixels from the upper left corner of all */
    double width, height;
    bool sideways;
} TreeLayout;

/* Freed by clv_tree_layout_free, also when this fails. */
Status clv_tree_layout(TreeLayout *layout, Context *context, const cleave_plot_tree *tree, cleave_error *error);
void clv_tree_layout_free(TreeLayout *layout);

/* How large an area shows it in full size. */
Status clv_tree_size(Context *context, const cleave_plot_tree *tree, double *width, double *height,
                     cleave_error *error);
Status clv_tree_draw(Context *context, Canvas *canvas, Area area, const cleave_plot_tree *tree, cleave_error *error);
/* About as wide as text of this size is. */
double clv_guess_width(const char *text, size_t length, double size);

#endif
