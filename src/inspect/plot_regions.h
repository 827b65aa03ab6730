/* Decision regions: the parts that the plots of one and of two features share. */
#ifndef INSPECT_PLOT_REGIONS_H
#define INSPECT_PLOT_REGIONS_H

#include "base/random.h"
#include "inspect/plot.h"
#include "pipeline/pipeline.h"
#include "plot/polygon.h"

enum { INK_LOOK = 6 /* black */, MOST_EXTRA_SERIES = 8 };
#define BOUNDARY_NAME "decision boundary"

typedef struct {
    double x, y, number; /* number: regression, its target */
    double score;        /* binary: of the positive class; otherwise of its own class */
    uint32_t label;      /* UNLABELED: none; past the model's classes: unknown */
    bool wrong;
} RegionPoint;

/* An affine score: x at[0] + y at[1] + constant. */
typedef struct {
    double x, y, constant;
} AffineScore;

typedef struct {
    Plot *plot;
    const Model *model;
    cleave_plot_panel *panel;
    cleave_plot_series *series; /* the next one is series[panel->series_count] */
    uint32_t features;          /* 1 or 2 */
    /* columns as read: the features and their missing-value indicators (NO_COLUMN: none) */
    uint32_t axis[2], mark[2];
    Source *view;
    RowWorkspace workspace;
    Builder transformed;
    double *scores;
    size_t score_capacity;
    RegionPoint *points; /* points, or a random sample of them (Vitter 1985) */
    size_t count, capacity;
    uint64_t seen, wrong, evaluated;
    uint64_t supports;           /* binary: points with y score <= 1 */
    double slack, least, margin; /* sum of max(0, 1 - y score); minimum of y score; 0: none */
    double box[4];               /* left, bottom, right and top of the data */
    bool abstains;               /* for some places */
    Random random;
    AffineScore *plane; /* of each class */
} RegionPlot;

/* Scores of rows as read; afterwards those of one row, and its prediction: a value, or the number
 * of its class (NaN: the model abstains). */
Status clv_region_predict(RegionPlot *drawn, const Block *raw);
const double *clv_region_scores(const RegionPlot *drawn, uint32_t row);
double clv_region_prediction(const RegionPlot *drawn, uint32_t row);

/* Asks for the scores of `count` places. place sets the coordinates of each, visit reads its
 * scores. */
typedef void (*RegionPlace)(const void *user, size_t place, double at[2]);
typedef void (*RegionVisit)(void *user, size_t place, uint32_t row);
Status clv_region_places(RegionPlot *drawn, size_t count, RegionPlace place, RegionVisit visit,
                         void *user);

/* Binary support vector machines, whose margin lines have the scores -1 and +1. */
bool clv_region_has_margin(const Model *model);
/* The sign of the label of a point in binary classification; 0: none. */
double clv_region_sign(const RegionPlot *drawn, const RegionPoint *point);
/* Adds a boundary or a margin line: pairs of ends. */
Status clv_region_pairs(RegionPlot *drawn, const char *name, const Spot *ends, size_t count,
                        bool margin);

/* Fits drawn->plane at three corners of the box; *possible: the scores may be affine.
 * clv_affine_fits compares them with the scores of another place. */
Status clv_affine_begin(RegionPlot *drawn, bool *possible);
bool clv_affine_fits(const RegionPlot *drawn, const double at[2], const double *scores);
/* Draws exact regions, boundaries, margin lines and slack. */
Status clv_affine_draw(RegionPlot *drawn);

/* A model of one feature: its scores or predictions as curves. */
Status clv_plot_line(RegionPlot *drawn);

#endif
