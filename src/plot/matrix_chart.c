#include "plot/matrix_chart.h"

#include "plot/field.h"
#include "plot/palette.h"

#include <math.h>

enum { TITLE_SPACE = 22, GAP = 6, BAR_SPACE = 84, BAR = 16, TEXT_COLOR = 0x222222 };

typedef struct {
    Canvas *canvas;
    const cleave_plot_matrix *matrix;
    Area grid;
    double cell, name_size;
    double left_names, bottom_names; /* space for the names */
    bool upright;                    /* column names are upright */
} Sheet;

void clv_matrix_size(size_t rows, size_t columns, size_t *width, size_t *height)
{
    size_t most = rows > columns ? rows : columns;
    double cell = most <= 12 ? 40 : most <= 30 ? 27 : most <= 60 ? 17 : 14;
    double side = cell * (double)most;

    *width = (size_t)fmin(fmax(side + 280, 800), 20000);
    *height = (size_t)fmin(fmax(side + 230, 600), 20000);
}

static double widest(Canvas *canvas, const char *const *names, size_t count, double size)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, clv_canvas_text_width(canvas, names[i], size, false));
    return most;
}

/* Names use up to a quarter of the area in each direction; square cells use the rest. */
static void lay_out(Sheet *sheet, Area area)
{
    const cleave_plot_matrix *matrix = sheet->matrix;
    double across = (double)matrix->columns, down = (double)matrix->rows, wide, high;

    sheet->left_names = fmin(
        widest(sheet->canvas, matrix->row_names, matrix->rows, sheet->name_size), area.width / 4);
    sheet->bottom_names = widest(sheet->canvas, matrix->column_names, matrix->columns,
                                 sheet->name_size);
    wide = area.width - TITLE_SPACE - sheet->left_names - 2 * GAP - BAR_SPACE;
    sheet->upright = sheet->bottom_names > fmin(wide / across, (area.height - 60) / down) - 4;
    sheet->bottom_names = sheet->upright ? fmin(sheet->bottom_names, area.height / 4)
                                         : sheet->name_size;
    high = area.height - TITLE_SPACE - sheet->bottom_names - 2 * GAP;
    sheet->cell = fmax(1, fmin(wide / across, high / down));
    if (sheet->cell >= 8)
        sheet->cell = floor(sheet->cell);
    sheet->grid = (Area){area.left + TITLE_SPACE + sheet->left_names + GAP, area.top,
                         sheet->cell * across, sheet->cell * down};
}

/* The count of a cell; values that are not counts become 0. */
static double count_at(const cleave_plot_matrix *matrix, size_t row, size_t column)
{
    double count = matrix->counts[row * matrix->columns + column];

    return count > 1e-99 && count < 1e99 ? count : 0;
}

static double row_sum(const cleave_plot_matrix *matrix, size_t row)
{
    double sum = 0;

    for (size_t i = 0; i < matrix->columns; i++)
        sum += count_at(matrix, row, i);
    return sum;
}

/* Returns a font size in which every count fits its cell; 0: none is legible. */
static double count_size(const Sheet *sheet)
{
    const cleave_plot_matrix *matrix = sheet->matrix;
    double most = 0, size;
    char text[NUMBER_SIZE];

    for (size_t i = 0; i < matrix->rows * matrix->columns; i++) {
        clv_format_rounded(text, count_at(matrix, i / matrix->columns, i % matrix->columns), 6);
        most = fmax(most, clv_canvas_text_width(sheet->canvas, text, 10, false));
    }
    size = fmin(13, fmin(sheet->cell * 0.62, most > 0 ? 10 * (sheet->cell - 3) / most : 13));
    return size >= 7 ? size : 0;
}

static void draw_cells(const Sheet *sheet)
{
    const cleave_plot_matrix *matrix = sheet->matrix;
    double size = count_size(sheet), cell = sheet->cell;

    for (size_t row = 0; row < matrix->rows; row++) {
        double sum = row_sum(matrix, row);

        for (size_t column = 0; column < matrix->columns; column++) {
            double count = count_at(matrix, row, column);
            Area area = {sheet->grid.left + cell * (double)column,
                         sheet->grid.top + cell * (double)row, cell, cell};
            Color shade = clv_shade(sum > 0 ? count / sum : 0);
            char text[NUMBER_SIZE];

            if (count == 0)
                continue;
            clv_canvas_fill(sheet->canvas, area, shade);
            clv_format_rounded(text, count, 6);
            if (size > 0)
                clv_canvas_text(sheet->canvas, text,
                                (Pixel){area.left + cell / 2, area.top + cell / 2 + 0.36 * size},
                                (TextLook){.size = size,
                                           .align = 0.5,
                                           .color = clv_is_dark(shade) ? WHITE : TEXT_COLOR});
        }
    }
}

static void draw_lines(const Sheet *sheet)
{
    const Area *grid = &sheet->grid;

    for (size_t i = 1; sheet->cell >= 5 && i < sheet->matrix->columns; i++) {
        double x = grid->left + sheet->cell * (double)i;

        clv_canvas_line(sheet->canvas, (Pixel[]){{x, grid->top}, {x, grid->top + grid->height}}, 2,
                        0xD0D0D0, 0.6, SOLID);
    }
    for (size_t i = 1; sheet->cell >= 5 && i < sheet->matrix->rows; i++) {
        double y = grid->top + sheet->cell * (double)i;

        clv_canvas_line(sheet->canvas, (Pixel[]){{grid->left, y}, {grid->left + grid->width, y}}, 2,
                        0xD0D0D0, 0.6, SOLID);
    }
    clv_canvas_frame(sheet->canvas, *grid, TEXT_COLOR, 1);
}

/* Draws the names. If cells are too small for all names, draws every second, third, … name. */
static void draw_names(const Sheet *sheet)
{
    const cleave_plot_matrix *matrix = sheet->matrix;
    size_t every = (size_t)ceil((sheet->name_size + 0.5) / sheet->cell);
    double bottom = sheet->grid.top + sheet->grid.height + GAP;
    TextLook look = {.size = sheet->name_size, .align = 1, .color = TEXT_COLOR};
    char buffer[FITTED_SIZE];

    for (size_t i = 0; i < matrix->rows; i += every)
        clv_canvas_text(
            sheet->canvas,
            clv_fit_text(sheet->canvas, matrix->row_names[i], sheet->left_names + 1,
                         sheet->name_size, buffer),
            (Pixel){sheet->grid.left - GAP,
                    sheet->grid.top + sheet->cell * ((double)i + 0.5) + 0.36 * look.size},
            look);
    look.upright = sheet->upright;
    look.align = sheet->upright ? 1 : 0.5;
    for (size_t i = 0; i < matrix->columns; i += every) {
        double x = sheet->grid.left + sheet->cell * ((double)i + 0.5);
        const char *name = clv_fit_text(sheet->canvas, matrix->column_names[i],
                                        sheet->upright ? sheet->bottom_names + 1 : sheet->cell,
                                        sheet->name_size, buffer);

        clv_canvas_text(sheet->canvas, name,
                        sheet->upright ? (Pixel){x + 0.36 * look.size, bottom}
                                       : (Pixel){x, bottom + look.size},
                        look);
    }
}

void clv_matrix_draw(Canvas *canvas, Area area, const cleave_plot_panel *panel)
{
    Sheet sheet = {.canvas = canvas, .matrix = panel->matrix};
    TextLook title = {.size = 13, .align = 0.5, .color = BLACK};
    Scale shares;
    Area bar;

    sheet.name_size = 12;
    lay_out(&sheet, area);
    sheet.name_size = fmin(12, fmax(7, sheet.cell - 1.5)); /* smaller names take less space */
    lay_out(&sheet, area);
    draw_cells(&sheet);
    draw_lines(&sheet);
    draw_names(&sheet);
    clv_canvas_text(canvas, panel->x.title,
                    (Pixel){sheet.grid.left + sheet.grid.width / 2,
                            sheet.grid.top + sheet.grid.height + 2 * GAP + sheet.bottom_names + 14},
                    title);
    title.upright = true;
    clv_canvas_text(canvas, panel->y.title,
                    (Pixel){sheet.grid.left - GAP - sheet.left_names - GAP,
                            sheet.grid.top + sheet.grid.height / 2},
                    title);
    clv_scale_make(&shares, &(cleave_plot_axis){.low = 0, .high = 1}, EMPTY_RANGE, 5, true);
    bar = (Area){sheet.grid.left + sheet.grid.width + 18, sheet.grid.top, BAR,
                 fmin(sheet.grid.height, 260)};
    clv_color_bar(canvas, bar, &shares, clv_shade);
    clv_canvas_text(canvas, "fraction of the row",
                    (Pixel){bar.left + BAR + 44, bar.top + bar.height / 2},
                    (TextLook){.size = 12, .align = 0.5, .upright = true, .color = BLACK});
}
