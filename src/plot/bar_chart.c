#include "plot/bar_chart.h"

#include "plot/axes.h"
#include "plot/palette.h"

#include <math.h>

enum {
    FONT = 12,
    TICK_FONT = 11,
    TITLE_FONT = 13,
    TICK = 4,
    GAP = 8,
    ROW = 24,
    FOOT = TICK + TICK_FONT + 6 + TITLE_FONT + 8
};
enum { HEAD = 22, INK = 0x222222, GRID = 0xE2E2E2 };
static const double MOST_NAME = 0.4; /* maximum fraction of the width for a name */

typedef struct {
    Canvas *canvas;
    const cleave_plot_bars *bars;
    Area area; /* height of the bars */
    Scale scale;
    double row, font;
} Sheet;

double clv_bars_height(size_t count)
{
    return ROW * (double)count + FOOT + HEAD;
}

static double x_of(const Sheet *sheet, double value)
{
    return sheet->area.left + sheet->area.width * clv_scale_place(&sheet->scale, value);
}

static void draw_axis(const Sheet *sheet, const cleave_plot_panel *panel)
{
    const Area *area = &sheet->area;
    double bottom = area->top + area->height;
    char text[NUMBER_SIZE], buffer[FITTED_SIZE];

    for (size_t i = 0; i < sheet->scale.count; i++) {
        double x = x_of(sheet, sheet->scale.tick[i]);

        clv_canvas_line(sheet->canvas, (Pixel[]){{x, area->top}, {x, bottom + TICK}}, 2, GRID, 1,
                        SOLID);
        clv_canvas_text(sheet->canvas, clv_tick_text(&sheet->scale, i, text),
                        (Pixel){x, bottom + TICK + TICK_FONT + 2},
                        (TextLook){.size = TICK_FONT, .align = 0.5, .color = INK});
    }
    clv_canvas_text(
        sheet->canvas,
        clv_fit_text(sheet->canvas, panel->x.title, area->width + 60, TITLE_FONT, buffer),
        (Pixel){area->left + area->width / 2, bottom + TICK + TICK_FONT + 6 + TITLE_FONT + 2},
        (TextLook){.size = TITLE_FONT, .align = 0.5, .color = BLACK});
}

static void draw_bar(const Sheet *sheet, size_t number, double name_width)
{
    double value = sheet->bars->values[number], zero = x_of(sheet, 0), end = x_of(sheet, value);
    double top = sheet->area.top + sheet->row * (double)number, middle = top + sheet->row / 2;
    char text[NUMBER_SIZE], buffer[FITTED_SIZE];
    TextLook look = {.size = sheet->font, .align = 1, .color = INK};

    clv_canvas_text(
        sheet->canvas,
        clv_fit_text(sheet->canvas, sheet->bars->names[number], name_width, sheet->font, buffer),
        (Pixel){sheet->area.left - GAP, middle + 0.36 * sheet->font}, look);
    if (!isfinite(end))
        return;
    clv_canvas_fill(
        sheet->canvas,
        (Area){fmin(zero, end), top + 0.16 * sheet->row, fabs(end - zero), 0.68 * sheet->row},
        clv_look_color(value < 0));
    clv_format_rounded(text, value, 3);
    look.align = 0;
    look.size = fmin(sheet->font, TICK_FONT);
    clv_canvas_text(sheet->canvas, text, (Pixel){fmax(zero, end) + 5, middle + 0.36 * look.size},
                    look);
}

void clv_bars_draw(Canvas *canvas, Area area, const cleave_plot_panel *panel)
{
    AxisRange range = EMPTY_RANGE;
    Sheet sheet = {.canvas = canvas, .bars = panel->bars};
    double names = 0, numbers = 62; /* reserves space after the longest bar */
    char buffer[FITTED_SIZE];

    if (*panel->title)
        clv_canvas_text(canvas,
                        clv_fit_text(canvas, panel->title, area.width - 8, TITLE_FONT, buffer),
                        (Pixel){area.left + area.width / 2, area.top + TITLE_FONT},
                        (TextLook){.size = TITLE_FONT, .align = 0.5, .color = BLACK});
    area.top += HEAD;
    area.height -= HEAD + FOOT;
    sheet.row = fmax(area.height, 1) / fmax((double)panel->bars->count, 1);
    sheet.row = fmin(sheet.row, 1.5 * ROW);
    sheet.font = fmin(FONT, fmax(5, 0.8 * sheet.row));
    for (size_t i = 0; i < panel->bars->count; i++)
        names = fmax(names,
                     clv_canvas_text_width(canvas, panel->bars->names[i], sheet.font, false));
    names = fmin(names, MOST_NAME * area.width);
    sheet.area = (Area){area.left + names + GAP, area.top,
                        fmax(area.width - names - GAP - numbers, 10),
                        sheet.row * (double)panel->bars->count};
    clv_range_add(&range, 0);
    for (size_t i = 0; i < sheet.bars->count; i++)
        clv_range_add(&range, sheet.bars->values[i]);
    clv_scale_make(&sheet.scale, &panel->x, range, (size_t)fmax(2, sheet.area.width / 90), false);
    draw_axis(&sheet, panel);
    for (size_t i = 0; i < panel->bars->count; i++)
        draw_bar(&sheet, i, names + 1);
    clv_canvas_line(canvas,
                    (Pixel[]){{x_of(&sheet, 0), area.top},
                              {x_of(&sheet, 0), area.top + sheet.area.height + TICK}},
                    2, INK, 1, SOLID);
}
