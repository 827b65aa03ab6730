#include "plot/legend.h"

#include "plot/field.h"
#include "plot/palette.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLE = 30, LINE = 19, GAP = 18, FONT = 12, LEAST_WIDTH = 190 };
static const double MOST_WIDTH = 0.4,
                    /* maximum fraction of the width beside the panel, and of the height below it */
    MOST_HEIGHT = 0.3;

static bool is_there(const Legend *legend, const cleave_plot_series *series)
{
    for (size_t i = 0; i < legend->count; i++)
        if (legend->entry[i].series->look == series->look &&
            legend->entry[i].series->style == series->style &&
            strcmp(legend->entry[i].series->name, series->name) == 0)
            return true;
    return false;
}

static Status collect(Legend *legend, Canvas *canvas, const cleave_plot *plot, cleave_error *error)
{
    for (size_t i = 0; i < plot->panel_count; i++)
        for (size_t j = 0; j < plot->panels[i].series_count; j++) {
            const cleave_plot_series *series = &plot->panels[i].series[j];

            if (!series->name || is_there(legend, series))
                continue;
            TRY(GROW(legend->context, legend->entry, legend->capacity, legend->count + 1, error));
            legend->entry[legend->count++] = (LegendEntry){
                series, SAMPLE + 8 + clv_canvas_text_width(canvas, series->name, FONT, false)};
        }
    return OK;
}

static void stand_beside(Legend *legend, Area *area, double widest)
{
    double width = fmin(widest, MOST_WIDTH * area->width);
    size_t workspace = (size_t)fmax(1, area->height / LINE - 1);

    legend->beside = true;
    legend->shown = legend->count <= workspace ? legend->count : workspace - 1;
    legend->area = (Area){area->left + area->width - width, area->top, width, area->height};
    area->width -= width + GAP;
}

/* Arranges entries in lines like words. Returns the number of lines for `shown` entries. */
static size_t flow(const Legend *legend, size_t shown, double width)
{
    size_t lines = 1;
    double used = 0;

    for (size_t i = 0; i < shown; i++) {
        double need = fmin(legend->entry[i].width, width) + GAP;

        if (used > 0 && used + need > width + GAP) {
            lines++;
            used = 0;
        }
        used += need;
    }
    return lines;
}

static void stand_below(Legend *legend, Area *area)
{
    size_t most = (size_t)fmax(1, MOST_HEIGHT * area->height / LINE);
    double height;

    legend->shown = legend->count;
    while (legend->shown > 1 && flow(legend, legend->shown, area->width) > most)
        legend->shown--;
    height = LINE *
             ((double)flow(legend, legend->shown, area->width) + (legend->shown < legend->count));
    legend->area = (Area){area->left, area->top + area->height - height, area->width, height};
    area->height -= height + 6;
}

Status clv_legend_make(Legend *legend, Context *context, Canvas *canvas, const cleave_plot *plot,
                       Area *area, cleave_error *error)
{
    double widest = 0;

    *legend = (Legend){.context = context};
    TRY(collect(legend, canvas, plot, error));
    if (legend->count == 0)
        return OK;
    for (size_t i = 0; i < legend->count; i++)
        widest = fmax(widest, legend->entry[i].width);
    if (plot->panel_count == 1 && area->width > area->height &&
        MOST_WIDTH * area->width >= fmin(widest, LEAST_WIDTH))
        stand_beside(legend, area, widest);
    else
        stand_below(legend, area);
    legend->left_out = legend->count - legend->shown;
    return OK;
}

/* Samples of the styles that are neither curves nor marks. */
static bool draw_shape(Canvas *canvas, const cleave_plot_series *series, Pixel at)
{
    Color color = clv_look_color(series->look);
    Pixel ends[] = {at, {at.x + SAMPLE, at.y}};

    switch (series->style) {
    case CLEAVE_PLOT_SEGMENTS:
        clv_canvas_line(canvas, ends, 2, color, 2, SOLID);
        return true;
    case CLEAVE_PLOT_DASHES:
        clv_canvas_line(canvas, ends, 2, color, 1.2, DASHED);
        return true;
    case CLEAVE_PLOT_ARROWS:
        clv_canvas_arrow(canvas, ends[0], ends[1], color, 8);
        return true;
    case CLEAVE_PLOT_RINGS:
        clv_canvas_ring(canvas, (Pixel){at.x + SAMPLE / 2.0, at.y}, LINE / 2.0 - 1.5, color, 1.6);
        return true;
    case CLEAVE_PLOT_AREA: {
        Area area = {at.x + 4, at.y - 6, SAMPLE - 8, 12};

        clv_canvas_fill(canvas, area, clv_area_color(series->look));
        clv_canvas_frame(canvas, area, GRAY, 0.8);
        return true;
    }
    default:
        return false;
    }
}

static void put_name(Canvas *canvas, const cleave_plot_series *series, double left, double middle,
                     double width)
{
    char buffer[FITTED_SIZE];

    clv_canvas_text(canvas, clv_fit_text(canvas, series->name, width - SAMPLE - 6, FONT, buffer),
                    (Pixel){left + SAMPLE + 6, middle + 4},
                    (TextLook){.size = FONT, .color = 0x222222});
}

static void draw_entry(Canvas *canvas, const LegendEntry *entry, double left, double top,
                       double width)
{
    const cleave_plot_series *series = entry->series;
    double middle = top + LINE / 2.0;
    Color color = series->style == CLEAVE_PLOT_REFERENCE ? GRAY : clv_look_color(series->look);
    Dash dash = series->style == CLEAVE_PLOT_REFERENCE ? DASHED : clv_look_dash(series->look);
    bool rings = series->wrong &&
                 series->count == 0; /* represents the rings of all other classes */

    if (draw_shape(canvas, series, (Pixel){left, middle})) {
        put_name(canvas, series, left, middle, width);
        return;
    }
    if (series->style != CLEAVE_PLOT_MARKS)
        clv_canvas_line(canvas, (Pixel[]){{left, middle}, {left + SAMPLE, middle}}, 2, color,
                        series->style == CLEAVE_PLOT_REFERENCE ? 1 : 2, dash);
    if (rings)
        clv_canvas_ring(canvas, (Pixel){left + SAMPLE / 2.0, middle}, 7, BLACK, 1.4);
    else if (series->style == CLEAVE_PLOT_MARKS || series->style == CLEAVE_PLOT_BOTH)
        clv_canvas_mark(canvas, clv_look_mark(series->look), (Pixel){left + SAMPLE / 2.0, middle},
                        4.5, series->value ? WHITE : color,
                        series->style == CLEAVE_PLOT_BOTH ? color : clv_blend(color, BLACK, 0.55));
    put_name(canvas, series, left, middle, width);
}

void clv_legend_draw(const Legend *legend, Canvas *canvas)
{
    double left = legend->area.left, top = legend->area.top;

    for (size_t i = 0; i < legend->shown; i++) {
        double width = fmin(legend->entry[i].width, legend->area.width);

        if (!legend->beside && left > legend->area.left &&
            left + width > legend->area.left + legend->area.width) {
            left = legend->area.left;
            top += LINE;
        }
        draw_entry(canvas, &legend->entry[i], left, top, width);
        if (legend->beside)
            top += LINE;
        else
            left += width + GAP;
    }
    if (legend->left_out) {
        char text[48];

        snprintf(text, sizeof text, "\xE2\x80\xA6 and %zu more", legend->left_out);
        clv_canvas_text(canvas, text,
                        (Pixel){legend->area.left + SAMPLE + 6,
                                top + (legend->beside ? 0 : LINE) + LINE / 2.0 + 4},
                        (TextLook){.size = FONT, .color = GRAY});
    }
}

void clv_legend_free(Legend *legend)
{
    clv_free(legend->context, legend->entry);
}
