#include "plot/charts.h"

#include "plot/bar_chart.h"
#include "plot/field.h"
#include "plot/legend.h"
#include "plot/matrix_chart.h"
#include "plot/palette.h"
#include "plot/tree_chart.h"

#include <math.h>

enum { MARGIN = 14, TICK = 4, TICK_FONT = 11, TITLE_FONT = 13, BAR = 16, BAR_SPACE = 86 };
enum { INK = 0x222222, GRID = 0xE2E2E2, ARROW = 8 };

/* ---- series ---------------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    Canvas *canvas;
    const cleave_plot_panel *panel;
    PlotFrame frame;
    Scale numbers; /* scale of the colors of a field, or of the values */
    bool has_numbers;
    cleave_error *error;
} Sheet;

/* Ranges ignore lines that may leave a field or regions. */
static bool is_of_pairs(const cleave_plot_series *series)
{
    return series->style == CLEAVE_PLOT_SEGMENTS || series->style == CLEAVE_PLOT_DASHES ||
           series->style == CLEAVE_PLOT_ARROWS;
}

/* Steps are constant up to the next x. */
static size_t trace(const Sheet *sheet, const cleave_plot_series *series, Pixel *spots)
{
    size_t count = 0;

    for (size_t i = 0; i < series->count; i++) {
        Pixel at = clv_frame_at(&sheet->frame, series->x[i], series->y[i]);

        if (series->style == CLEAVE_PLOT_STEPS && count > 0) {
            spots[count] = (Pixel){at.x, spots[count - 1].y};
            count++;
        }
        spots[count++] = at;
    }
    return count;
}

static Status draw_line(const Sheet *sheet, const cleave_plot_series *series)
{
    bool reference = series->style == CLEAVE_PLOT_REFERENCE;
    Pixel *spots;

    TRY(ALLOC(sheet->context, spots, 2 * series->count, "a picture", sheet->error));
    clv_canvas_line(sheet->canvas, spots, trace(sheet, series, spots),
                    reference ? GRAY : clv_look_color(series->look), reference ? 1 : 2,
                    reference ? DASHED : clv_look_dash(series->look));
    clv_free(sheet->context, spots);
    return OK;
}

static Pixel spot_of(const Sheet *sheet, const cleave_plot_series *series, size_t i)
{
    return clv_frame_at(&sheet->frame, series->x[i], series->y[i]);
}

/* Pairs that begin where the last one ended are one line, so that dashes continue. */
static Status draw_pairs(const Sheet *sheet, const cleave_plot_series *series)
{
    Color color = clv_look_color(series->look);
    bool thick = series->style == CLEAVE_PLOT_SEGMENTS;
    size_t count = 0;
    Pixel *spots;

    TRY(ALLOC(sheet->context, spots, series->count + 1, "a picture", sheet->error));
    for (size_t i = 0; i + 1 < series->count; i += 2) {
        bool goes_on = i + 3 < series->count && series->x[i + 1] == series->x[i + 2] &&
                       series->y[i + 1] == series->y[i + 2];

        if (count == 0)
            spots[count++] = spot_of(sheet, series, i);
        spots[count++] = spot_of(sheet, series, i + 1);
        if (series->style == CLEAVE_PLOT_ARROWS)
            clv_canvas_arrow(sheet->canvas, spots[0], spots[1], color, ARROW);
        else if (!goes_on)
            clv_canvas_line(sheet->canvas, spots, count, color, thick ? 2 : 1.2,
                            thick ? SOLID : DASHED);
        if (!goes_on || series->style == CLEAVE_PLOT_ARROWS)
            count = 0;
    }
    clv_free(sheet->context, spots);
    return OK;
}

static void draw_rings(const Sheet *sheet, const cleave_plot_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        clv_canvas_ring(sheet->canvas, spot_of(sheet, series, i), WIDE_RING,
                        clv_look_color(series->look), 1.6);
}

static void draw_bars(const Sheet *sheet, const cleave_plot_series *series)
{
    Color color = clv_look_color(series->look);

    for (size_t i = 0; i < series->count; i++) {
        Pixel low = clv_frame_at(&sheet->frame, series->x[i], series->low[i]),
              high = clv_frame_at(&sheet->frame, series->x[i], series->high[i]);
        Pixel ends[] = {low,
                        high,
                        {low.x - 4, low.y},
                        {low.x + 4, low.y},
                        {high.x - 4, high.y},
                        {high.x + 4, high.y}};

        clv_canvas_segments(sheet->canvas, ends, 3, color, 1.2);
    }
}

/* Draws the marks. A line with a large number of points has only a few marks, at a distance. */
static void draw_marks(const Sheet *sheet, const cleave_plot_series *series)
{
    bool alone = series->style == CLEAVE_PLOT_MARKS;
    double apart = alone || series->count <= 30 ? 0 : sheet->frame.area.width / 12,
           last = -INFINITY;
    double radius = alone ? fmin(4.5, fmax(1.6, 64 / sqrt((double)series->count + 1))) : 4;

    for (size_t i = 0; i < series->count; i++) {
        Pixel at = clv_frame_at(&sheet->frame, series->x[i], series->y[i]);
        Color fill = series->value
                         ? clv_number_color(clv_scale_place(&sheet->numbers, series->value[i]))
                         : clv_look_color(series->look);

        if (fabs(at.x - last) < apart)
            continue;
        last = at.x;
        clv_canvas_mark(sheet->canvas, clv_look_mark(series->look), at, radius, fill,
                        alone ? clv_blend(fill, BLACK, 0.55) : fill);
        if (series->wrong && series->wrong[i])
            clv_canvas_ring(sheet->canvas, at, fmin(radius + 3, 2 * radius), BLACK,
                            fmin(1.4, radius / 2));
    }
}

static Status draw_series(const Sheet *sheet, const cleave_plot_series *series)
{
    if (series->count == 0)
        return OK;
    if (is_of_pairs(series))
        return draw_pairs(sheet, series);
    if (series->style == CLEAVE_PLOT_RINGS) {
        draw_rings(sheet, series);
        return OK;
    }
    if (series->style != CLEAVE_PLOT_MARKS)
        TRY(draw_line(sheet, series));
    if (series->low)
        draw_bars(sheet, series);
    if (series->style == CLEAVE_PLOT_MARKS || series->style == CLEAVE_PLOT_BOTH)
        draw_marks(sheet, series);
    return OK;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void find_ranges(const cleave_plot_panel *panel, AxisRange *x, AxisRange *y,
                        AxisRange *numbers)
{
    *x = *y = *numbers = EMPTY_RANGE;
    for (size_t i = 0; i < panel->series_count; i++) {
        const cleave_plot_series *series = &panel->series[i];
        bool inside = (panel->field || panel->regions) && is_of_pairs(series);

        for (size_t j = 0; j < series->count && !inside; j++) {
            clv_range_add(x, series->x[j]);
            clv_range_add(y, series->y[j]);
            if (series->low) {
                clv_range_add(y, series->low[j]);
                clv_range_add(y, series->high[j]);
            }
            if (series->value)
                clv_range_add(numbers, series->value[j]);
        }
    }
    for (size_t i = 0;
         panel->field && !panel->field->of_classes && i < panel->field->across * panel->field->up;
         i++)
        clv_range_add(numbers, panel->field->cells[i]);
    for (int i = 0; i < 2; i++) {
        if (panel->field) {
            clv_range_add(x, panel->field->box[2 * i]);
            clv_range_add(y, panel->field->box[2 * i + 1]);
        }
        if (panel->regions) {
            clv_range_add(x, panel->regions->box[2 * i]);
            clv_range_add(y, panel->regions->box[2 * i + 1]);
        }
    }
}

static double tick_width(Canvas *canvas, const Scale *scale)
{
    double most = 0;

    for (size_t i = 0; i < scale->count; i++) {
        char text[NUMBER_SIZE];

        most = fmax(most,
                    clv_canvas_text_width(canvas, clv_tick_text(scale, i, text), TICK_FONT, false));
    }
    return most;
}

/* Makes the scale of the x axis, with fewer ticks if their labels would touch. */
static void make_x(Sheet *sheet, AxisRange range, double width, bool exact)
{
    for (size_t most = (size_t)fmax(2, width / 60);; most--) {
        clv_scale_make(&sheet->frame.x, &sheet->panel->x, range, most,
                       exact || sheet->panel->x.whole);
        if (most <= 2 ||
            (tick_width(sheet->canvas, &sheet->frame.x) + 12) * (double)sheet->frame.x.count <=
                width)
            return;
    }
}

/* Computes the scales and the area between the axes. */
static void make_frame(Sheet *sheet, Area area)
{
    const cleave_plot_panel *panel = sheet->panel;
    bool exact = panel->field || panel->regions;
    AxisRange x, y, numbers;
    double left;

    find_ranges(panel, &x, &y, &numbers);
    sheet->has_numbers = numbers.low <= numbers.high;
    if (*panel->title) {
        area.top += 22;
        area.height -= 22;
    }
    area.height -= TICK + TICK_FONT + 6 + TITLE_FONT + 8;
    area.width -= sheet->has_numbers ? BAR_SPACE : 16;
    area.top += 6;
    area.height -= 6;
    clv_scale_make(&sheet->frame.y, &panel->y, y, (size_t)fmax(2, area.height / 45), exact);
    clv_scale_make(&sheet->numbers, &(cleave_plot_axis){.low = (double)NAN, .high = (double)NAN},
                   numbers, (size_t)fmax(2, area.height / 45), false);
    left = tick_width(sheet->canvas, &sheet->frame.y) + TICK + 4 + TITLE_FONT + 8;
    area.left += left;
    area.width = fmax(area.width - left, 10);
    area.height = fmax(area.height, 10);
    make_x(sheet, x, area.width, exact);
    /* twice, because a narrower frame has fewer ticks */
    for (int i = 0; panel->same_unit && i < 2; i++) {
        double unit = fmin(area.width / (sheet->frame.x.high - sheet->frame.x.low),
                           area.height / (sheet->frame.y.high - sheet->frame.y.low));

        area.width = unit * (sheet->frame.x.high - sheet->frame.x.low);
        area.height = unit * (sheet->frame.y.high - sheet->frame.y.low);
        make_x(sheet, x, area.width, exact);
    }
    sheet->frame.area = area;
}

static void draw_x(const Sheet *sheet, bool grid)
{
    const Area *area = &sheet->frame.area;
    double bottom = area->top + area->height;
    char text[NUMBER_SIZE], buffer[FITTED_SIZE];

    for (size_t i = 0; i < sheet->frame.x.count; i++) {
        double x = area->left +
                   area->width * clv_scale_place(&sheet->frame.x, sheet->frame.x.tick[i]);

        if (grid)
            clv_canvas_line(sheet->canvas, (Pixel[]){{x, area->top}, {x, bottom}}, 2, GRID, 1,
                            SOLID);
        clv_canvas_line(sheet->canvas, (Pixel[]){{x, bottom}, {x, bottom + TICK}}, 2, INK, 1,
                        SOLID);
        clv_canvas_text(sheet->canvas, clv_tick_text(&sheet->frame.x, i, text),
                        (Pixel){x, bottom + TICK + TICK_FONT + 2},
                        (TextLook){.size = TICK_FONT, .align = 0.5, .color = INK});
    }
    clv_canvas_text(
        sheet->canvas,
        clv_fit_text(sheet->canvas, sheet->panel->x.title, area->width + 40, TITLE_FONT, buffer),
        (Pixel){area->left + area->width / 2, bottom + TICK + TICK_FONT + 6 + TITLE_FONT + 2},
        (TextLook){.size = TITLE_FONT, .align = 0.5, .color = BLACK});
}

static void draw_y(const Sheet *sheet, bool grid)
{
    const Area *area = &sheet->frame.area;
    double title_at = area->left - TICK - 4 - tick_width(sheet->canvas, &sheet->frame.y) - 7;
    char text[NUMBER_SIZE], buffer[FITTED_SIZE];

    for (size_t i = 0; i < sheet->frame.y.count; i++) {
        double y = area->top +
                   area->height * (1 - clv_scale_place(&sheet->frame.y, sheet->frame.y.tick[i]));

        if (grid)
            clv_canvas_line(sheet->canvas,
                            (Pixel[]){{area->left, y}, {area->left + area->width, y}}, 2, GRID, 1,
                            SOLID);
        clv_canvas_line(sheet->canvas, (Pixel[]){{area->left - TICK, y}, {area->left, y}}, 2, INK,
                        1, SOLID);
        clv_canvas_text(sheet->canvas, clv_tick_text(&sheet->frame.y, i, text),
                        (Pixel){area->left - TICK - 3, y + 4},
                        (TextLook){.size = TICK_FONT, .align = 1, .color = INK});
    }
    clv_canvas_text(
        sheet->canvas,
        clv_fit_text(sheet->canvas, sheet->panel->y.title, area->height + 30, TITLE_FONT, buffer),
        (Pixel){title_at, area->top + area->height / 2},
        (TextLook){.size = TITLE_FONT, .align = 0.5, .upright = true, .color = BLACK});
}

/* ---- panels ---------------------------------------------------------------------------------- */

static bool has_marks(const cleave_plot_series *series)
{
    return series->style == CLEAVE_PLOT_MARKS || series->style == CLEAVE_PLOT_BOTH ||
           series->style == CLEAVE_PLOT_RINGS;
}

static Status fill_frame(const Sheet *sheet)
{
    const cleave_plot_panel *panel = sheet->panel;

    if (panel->field)
        TRY(clv_field_draw(sheet->context, sheet->canvas, &sheet->frame, panel->field,
                           &sheet->numbers, sheet->error));
    if (panel->regions)
        TRY(clv_regions_draw(sheet->context, sheet->canvas, &sheet->frame, panel->regions,
                             sheet->error));
    for (int marks = 0; marks < 2; marks++) /* marks are above lines */
        for (size_t i = 0; i < panel->series_count; i++)
            if (has_marks(&panel->series[i]) == (marks == 1))
                TRY(draw_series(sheet, &panel->series[i]));
    return OK;
}

static void draw_bar(const Sheet *sheet)
{
    const Area *frame = &sheet->frame.area;
    double left = frame->left + frame->width + 14;
    const cleave_plot_field *field = sheet->panel->field;

    clv_color_bar(sheet->canvas, (Area){left, frame->top, BAR, frame->height}, &sheet->numbers,
                  clv_number_color);
    if (field && field->title)
        clv_canvas_text(
            sheet->canvas, field->title,
            (Pixel){left + BAR + TICK + 3 + tick_width(sheet->canvas, &sheet->numbers) +
                        TITLE_FONT + 2,
                    frame->top + frame->height / 2},
            (TextLook){.size = TITLE_FONT, .align = 0.5, .upright = true, .color = BLACK});
}

/* Enlarges an area, because marks may exceed the frame by their own size. */
static Area with_edge(Area area, double edge)
{
    return (Area){area.left - edge, area.top - edge, area.width + 2 * edge, area.height + 2 * edge};
}

static Status draw_panel(Context *context, Canvas *canvas, const cleave_plot_panel *panel,
                         Area area, cleave_error *error)
{
    Sheet sheet = {.context = context, .canvas = canvas, .panel = panel, .error = error};
    const Area *frame = &sheet.frame.area;
    bool filled = panel->field || panel->regions;
    char buffer[FITTED_SIZE];
    Status status;

    if (panel->matrix) {
        clv_matrix_draw(canvas, area, panel);
        return OK;
    }
    if (panel->bars) {
        clv_bars_draw(canvas, area, panel);
        return OK;
    }
    if (panel->tree)
        return clv_tree_draw(context, canvas, area, panel->tree, error);
    make_frame(&sheet, area);
    clv_canvas_text(canvas, clv_fit_text(canvas, panel->title, area.width - 8, TITLE_FONT, buffer),
                    (Pixel){frame->left + frame->width / 2, area.top + TITLE_FONT + 2},
                    (TextLook){.size = TITLE_FONT, .align = 0.5, .color = BLACK});
    draw_x(&sheet, !filled);
    draw_y(&sheet, !filled);
    if (!filled)
        /* drawn again, because a curve may coincide with the frame */
        clv_canvas_frame(canvas, *frame, INK, 1);
    clv_canvas_clip(canvas, with_edge(*frame, filled ? 0 : 6));
    status = fill_frame(&sheet);
    clv_canvas_unclip(canvas);
    if (filled)
        clv_canvas_frame(canvas, *frame, INK, 1);
    if (sheet.has_numbers)
        draw_bar(&sheet);
    return status;
}

/* Arranges panels side by side, in the number of rows that makes them widest. */
static Status draw_panels(Context *context, Canvas *canvas, const cleave_plot *plot, Area area,
                          cleave_error *error)
{
    size_t across = plot->panel_count <= 1 ? 1 : plot->panel_count <= 4 ? 2 : 3, down;
    double gap = 10, width, height;

    if (plot->panel_count == 2 && area.height > 1.2 * area.width)
        across = 1;
    down = (plot->panel_count + across - 1) / across;
    width = (area.width - gap * (double)(across - 1)) / (double)across;
    height = (area.height - gap * (double)(down - 1)) / (double)(down ? down : 1);
    for (size_t i = 0; i < plot->panel_count; i++) {
        size_t line = i / across;

        TRY(draw_panel(context, canvas, &plot->panels[i],
                       (Area){area.left + (width + gap) * (double)(i % across),
                              area.top + (height + gap) * (double)line, width, height},
                       error));
    }
    return OK;
}

/* ---- the whole plot -------------------------------------------------------------------------- */

enum { TITLE_LINE = 22, REMARK_LINE = 18, HEAD_GAP = 6, LEAST_SIDE = 160, LONGEST_SIDE = 20000 };

static size_t side(double pixels)
{
    return (size_t)ceil(fmin(fmax(pixels, LEAST_SIDE), LONGEST_SIDE));
}

/* The width of a tree and of the lines above it. */
static Status size_tree(Context *context, const cleave_plot *plot, size_t *width, size_t *height,
                        cleave_error *error)
{
    double wide = fmin(fmax(clv_guess_width(plot->remark, SIZE_MAX, 12), 400), 800), high;

    TRY(clv_tree_size(context, plot->panels[0].tree, &wide, &high, error));
    *width = side(wide + 2 * MARGIN);
    *height = side(high + 2 * MARGIN + TITLE_LINE + REMARK_LINE + HEAD_GAP);
    return OK;
}

Status clv_plot_size(Context *context, const cleave_plot *plot, size_t *width, size_t *height,
                     cleave_error *error)
{
    const cleave_plot_panel *first = plot->panel_count ? &plot->panels[0] : NULL;

    *width = plot->panel_count > 1 ? 1000 : 800;
    *height = plot->panel_count == 2 ? 500 : 600;
    if (first && first->tree)
        return size_tree(context, plot, width, height, error);
    if (first && first->matrix)
        clv_matrix_size(first->matrix->rows, first->matrix->columns, width, height);
    if (first && first->bars)
        *height = side(clv_bars_height(first->bars->count) + 2 * MARGIN + TITLE_LINE + REMARK_LINE +
                       HEAD_GAP);
    return OK;
}

Status clv_plot_draw(Context *context, const cleave_plot *plot, Canvas *canvas, cleave_error *error)
{
    Area area = {MARGIN, MARGIN, (double)plot->width - 2 * MARGIN,
                 (double)plot->height - 2 * MARGIN};
    char buffer[FITTED_SIZE];
    Legend legend;
    Status status;

    clv_canvas_text(canvas, clv_fit_text(canvas, plot->title, area.width / 1.15, 15, buffer),
                    (Pixel){area.left, area.top + 13},
                    (TextLook){.size = 15, .bold = true, .color = BLACK});
    area.top += TITLE_LINE;
    area.height -= TITLE_LINE;
    if (*plot->remark) {
        clv_canvas_text(canvas, clv_fit_text(canvas, plot->remark, area.width, 12, buffer),
                        (Pixel){area.left, area.top + 11},
                        (TextLook){.size = 12, .color = 0x444444});
        area.top += REMARK_LINE;
        area.height -= REMARK_LINE;
    }
    area.top += HEAD_GAP;
    area.height -= HEAD_GAP;
    status = clv_legend_make(&legend, context, canvas, plot, &area, error);
    if (status == OK) {
        clv_legend_draw(&legend, canvas);
        status = draw_panels(context, canvas, plot, area, error);
    }
    clv_legend_free(&legend);
    return status;
}
