/* cleave plot --report: plots on one page. Lines are drawn by the page's charts; what charts cannot draw is put in as a picture. */
#include "cli/report/page_charts.h"
#include "cli/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- as a chart */

static bool is_chart(const cleave_plot *plot)
{
    for (size_t i = 0; i < plot->panel_count; i++)
        if (plot->panels[i].field || plot->panels[i].matrix || plot->panels[i].regions || plot->panels[i].tree ||
            plot->panels[i].bars || plot->panels[i].y.logarithmic)
            return false;
    return true;
}

static ChartStyle style_of(const cleave_plot_series *series)
{
    if (series->low)
        return CHART_RANGES;
    switch (series->style) {
    case CLEAVE_PLOT_MARKS:
        return CHART_POINTS;
    case CLEAVE_PLOT_REFERENCE:
        return CHART_REFERENCE;
    default:
        return CHART_LINE;
    }
}

/* Level from each point to the next: the page's own steps are a histogram's. */
static void put_points(ChartPen *pen, const cleave_plot_series *series)
{
    for (size_t i = 0; i < series->count; i++) {
        if (!isfinite(series->x[i]) || !isfinite(series->y[i]))
            continue;
        if (series->low)
            cli_chart_range(pen, series->x[i], series->y[i], isnan(series->low[i]) ? series->y[i] : series->low[i],
                            isnan(series->low[i]) ? series->y[i] : series->high[i]);
        else
            cli_chart_point(pen, series->x[i], series->y[i]);
        if (series->style == CLEAVE_PLOT_STEPS && i + 1 < series->count)
            cli_chart_point(pen, series->x[i + 1], series->y[i]);
    }
}

/* Charts have little room along an axis: what stands before a colon will do. */
#define AXIS_SIZE 64
static const char *axis_title(const cleave_plot_axis *axis, char buffer[AXIS_SIZE])
{
    const char *title = axis->title ? axis->title : "";

    snprintf(buffer, AXIS_SIZE, "%.*s", (int)strcspn(title, ":"), title);
    return buffer;
}

static void put_panel(Page *page, const cleave_plot *plot, const cleave_plot_panel *panel)
{
    const char *title = panel->title && *panel->title ? panel->title : plot->title;
    char across[AXIS_SIZE], up[AXIS_SIZE];
    ChartPen pen;

    cli_chart_begin(&pen, page,
                    &(ChartFrame){.title = title,
                                  .x = axis_title(&panel->x, across),
                                  .y = axis_title(&panel->y, up),
                                  .unit_x = panel->x.low == 0 && panel->x.high == 1,
                                  .unit_y = panel->y.low == 0 && panel->y.high == 1,
                                  .logarithmic = panel->x.logarithmic});
    for (size_t i = 0; i < panel->series_count; i++) {
        const cleave_plot_series *series = &panel->series[i];

        cli_chart_series(&pen, series->name ? series->name : title, style_of(series));
        put_points(&pen, series);
    }
    cli_chart_end(&pen);
}

/* ---- as a picture */

typedef struct {
    char *bytes;
    size_t size, capacity;
} Drawn;

static cleave_code keep_bytes(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Drawn *drawn = user;

    (void)error;
    if (drawn->size + size > drawn->capacity) {
        drawn->capacity = 2 * (drawn->size + size);
        drawn->bytes = cli_alloc(drawn->bytes, drawn->capacity, 1);
    }
    memcpy(drawn->bytes + drawn->size, bytes, size);
    drawn->size += size;
    return CLEAVE_OK;
}

static int put_picture(Call *call, Page *page, const cleave_plot *plot)
{
    Drawn drawn = {0};
    int status = DONE;

    if (cleave_plot_draw(call->context, plot, "svg", keep_bytes, &drawn, &call->error) == CLEAVE_OK)
        cli_page_picture(page, plot->title, "image/svg+xml", drawn.bytes, drawn.size);
    else
        status = cli_fail(call);
    free(drawn.bytes);
    return status;
}

/* ---- the page */

int cli_report_plots(Call *call, cleave_plot *const *plots, size_t count)
{
    PageFile *file = cli_alloc(NULL, 1, sizeof *file);
    char paths[PATHS_SIZE];
    int status = cli_page_file_open(call, file, cli_paths_text(call, 1, paths), "cleave plot");

    if (status != DONE) {
        free(file);
        return status;
    }
    for (size_t i = 0; i < count && status == DONE; i++) {
        cli_page_section(&file->page, plots[i]->title);
        if (*plots[i]->remark)
            cli_page_paragraph(&file->page, plots[i]->remark);
        for (size_t p = 0; is_chart(plots[i]) && p < plots[i]->panel_count; p++)
            put_panel(&file->page, plots[i], &plots[i]->panels[p]);
        if (!is_chart(plots[i]))
            status = put_picture(call, &file->page, plots[i]);
    }
    if (status == DONE)
        status = cli_page_file_close(call, file);
    else
        cli_out_abandon(&file->out);
    free(file);
    return status;
}
