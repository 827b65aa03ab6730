/* A plot under way: what the kinds share. All that hangs on a plot is freed with it. */
#ifndef INSPECT_PLOT_H
#define INSPECT_PLOT_H

#include "base/param.h"
#include "input/input.h"
#include "model/method.h"

typedef struct {
    int64_t width, height; /* 0: what suits the kind */
    int64_t cells, repeats;
    int64_t tree, levels; /* tree from 1; levels below 0: as many as can be read */
    int64_t top;
    double sigma;
} PlotOptions;

enum { MOST_PANELS = 6 };

typedef struct {
    cleave_plot facts; /* first: the caller has its address */
    Context *context;
    PlotOptions options;
    cleave_plot_panel panel[MOST_PANELS];
    cleave_voronoi *voronoi;
    void **owned;
    size_t owned_count, owned_capacity;
    cleave_error *error;
} Plot;

/* Zeroed; NULL where memory is short, which has been told. */
void *clv_plot_alloc(Plot *plot, size_t count, size_t size);
Status clv_plot_text(Plot *plot, const char **text, const char *format, ...) CLEAVE_PRINTF(3, 4);
/* The names of a model's classes become those of the plot. */
Status clv_plot_classes(Plot *plot, const Labels *labels);
/* The next panel, with room for so many series. */
Status clv_plot_panel(Plot *plot, size_t most_series, cleave_plot_panel **panel, cleave_plot_series **series);
/* x and y with room for so many points. */
typedef struct {
    double *x, *y, *low, *high;
} Spots;
Status clv_plot_points(Plot *plot, cleave_plot_series *series, size_t count, bool bars, Spots *points);

/* Fills plot->voronoi, from the points of a model or of data. */
Status clv_regions(Plot *plot, const Model *model, cleave_data *data);
void clv_regions_free(cleave_voronoi *voronoi); /* NULL is fine */

#define NO_LIMIT ((double)NAN)

/* The kinds. */
Status clv_plot_ranking(Plot *plot, const Model *model, cleave_data *data, bool precision);
Status clv_plot_confusion(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_regions(Plot *plot, const Model *model, cleave_data *data);
Status clv_plot_tree(Plot *plot, const Model *model);
Status clv_plot_importance(Plot *plot, const Model *model);
Status clv_plot_curve(Plot *plot, const char *method, cleave_data *data, cleave_data *valid,
                      const cleave_options *training);
Status clv_plot_sizes(Plot *plot, const char *method, cleave_data *data, cleave_data *valid,
                      const cleave_options *training);
Status clv_plot_voronoi(Plot *plot, const Model *model, cleave_data *data); /* of one of them; the other is NULL */
Status clv_plot_rules(Plot *plot, cleave_data *data);

#endif
