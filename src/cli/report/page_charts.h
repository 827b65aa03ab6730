/*
 * Charts of a page, as JSON beside the place where page.js draws them (with Chart.js where there is one): what is to be seen, not how. One after the other in
 * a section, they stand side by side where the screen is wide.
 *
 *     cli_chart_begin(&chart, page, &(ChartFrame){.title = "ROC curve", .x = "false positive rate", .y = "recall"});
 *     cli_chart_series(&chart, "logistic", CHART_LINE); cli_chart_point(&chart, 0, 0); …
 *     cli_chart_end(&chart);
 */
#ifndef CLI_REPORT_PAGE_CHARTS_H
#define CLI_REPORT_PAGE_CHARTS_H

#include "cli/report/page.h"
#include "cli/ui/json.h"

typedef struct {
    const char *title;   /* above it, and what a screen reader says */
    const char *caption; /* below it: how to read it */
    const char *x, *y;   /* what the axes are, with their units */
    bool unit_x, unit_y; /* the axis goes from 0 to 1 */
    bool names;          /* the vertical axis has names, from the top down: see cli_chart_name */
    bool logarithmic;    /* the horizontal axis is */
    bool from_zero;      /* names: the other axis begins at 0 */
} ChartFrame;

typedef enum {
    CHART_LINE,      /* through the points */
    CHART_STEPS,     /* a histogram's outline: from each point to the right, filled */
    CHART_POINTS,    /* dots */
    CHART_REFERENCE, /* a thin dashed line, without marks */
    CHART_RANGES,    /* dots with whiskers */
} ChartStyle;

typedef struct {
    Page *page;
    Json json;
    bool in_series, in_marks;
} ChartPen;

void cli_chart_begin(ChartPen *pen, Page *page, const ChartFrame *frame);
/* Names of the vertical axis, before the first series; points have their numbers from 0 for y. */
void cli_chart_names(ChartPen *pen, const char *const *names, size_t count);
void cli_chart_series(ChartPen *pen, const char *name, ChartStyle style);
void cli_chart_point(ChartPen *pen, double x, double y);
/* A dot and how sure it is: of CHART_RANGES; along x where the frame has names, along y otherwise. */
void cli_chart_range(ChartPen *pen, double x, double y, double low, double high);
/* A vertical line with a word at it; after the last series. */
void cli_chart_mark(ChartPen *pen, double x, const char *text);
void cli_chart_end(ChartPen *pen);

#endif
