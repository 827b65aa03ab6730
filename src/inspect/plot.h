/* The common parts of all kinds of plots. A plot owns all its memory. */
#ifndef INSPECT_PLOT_H
#define INSPECT_PLOT_H

#include "base/number.h"
#include "base/param.h"
#include "input/input.h"
#include "model/method.h"

#include <cleave/active.h>

typedef struct {
    int64_t width, height; /* 0: the default of the kind of plot */
    int64_t cells, repeats;
    /* number of a tree, from 1; number of levels, below 0: as many as are readable */
    int64_t tree, levels;
    int64_t top;
    double sigma;
    const char *x_column, *y_column, *query;
} PlotOptions;

enum { MOST_PANELS = 6 };

typedef struct {
    cleave_plot facts; /* first member, because the caller has its address */
    Context *context;
    PlotOptions options;
    cleave_plot_panel panel[MOST_PANELS];
    cleave_voronoi *voronoi;
    void **owned;
    size_t owned_count, owned_capacity;
    cleave_error *error;
} Plot;

/* Allocates zeroed memory. Returns NULL, after the error has been set, if memory is exhausted. */
void *clv_plot_alloc(Plot *plot, size_t count, size_t size);
/* Formats a text, which the plot owns. */
Status clv_plot_text(Plot *plot, const char **text, const char *format, ...) CLEAVE_PRINTF(3, 4);
/* Copies the names of the model's classes to the plot. */
Status clv_plot_classes(Plot *plot, const Labels *labels);
/* Adds a panel with memory for this number of series. */
Status clv_plot_panel(Plot *plot, size_t most_series, cleave_plot_panel **panel,
                      cleave_plot_series **series);
/* Allocates x and y for this number of points. */
typedef struct {
    double *x, *y, *low, *high;
} Spots;
Status clv_plot_points(Plot *plot, cleave_plot_series *series, size_t count, bool bars,
                       Spots *points);

/* Parses --query, a place of the plane. */
Status clv_plot_place(const Plot *plot, double place[2]);

/* Fills plot->voronoi from the points of a model or of data. */
Status clv_regions(Plot *plot, const Model *model, cleave_data *data);
void clv_regions_free(cleave_voronoi *voronoi); /* accepts NULL */

#define NO_LIMIT ((double)NAN)

/* The kinds. */
Status clv_plot_roc(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_pr(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_confusion(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_regions(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_tree(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_index(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_importance(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_curve(Plot *plot, const char *method, cleave_data *data, cleave_data *valid,
                      const cleave_options *training);
Status clv_plot_trace(Plot *plot, const char *method, cleave_data *data, cleave_data *valid,
                      const cleave_options *training);
Status clv_plot_sizes(Plot *plot, const char *method, cleave_data *data, cleave_data *valid,
                      const cleave_options *training);
Status clv_plot_active(Plot *plot, const cleave_active_comparison *facts);
/* Fails: the plot 'active' is made from a comparison. */
Status clv_plot_needs_comparison(Plot *plot, const char *method, cleave_data *data,
                                 cleave_data *valid, const cleave_options *training);
Status clv_plot_voronoi(Plot *plot, cleave_data *data);
Status clv_plot_voronoi_of(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_rules(Plot *plot, cleave_data *data);
Status clv_plot_scatter(Plot *plot, cleave_data *data);
Status clv_plot_loss(Plot *plot);

#endif
