#include "plot/field.h"

#include "plot/palette.h"

#include <math.h>

enum { BORDER = 0x333333, NO_CLASS = 0xEEEEEE, TICK = 4 };
static const double PALE = 0.68; /* share of white, so that marks of the same color stand out */

Pixel clv_frame_at(const PlotFrame *frame, double x, double y)
{
    return (Pixel){frame->area.left + frame->area.width * clv_scale_place(&frame->x, x),
                   frame->area.top + frame->area.height * (1 - clv_scale_place(&frame->y, y))};
}

Color clv_area_color(size_t label)
{
    return label == CLEAVE_PLOT_NO_CLASS ? NO_CLASS : clv_blend(clv_look_color(label), WHITE, PALE);
}

static Color cell_color(const cleave_plot_field *field, const Scale *numbers, double value)
{
    if (isnan(value))
        return NO_CLASS;
    return field->of_classes ? clv_area_color((size_t)value)
                             : clv_number_color(clv_scale_place(numbers, value));
}

static double cell(const cleave_plot_field *field, size_t column, size_t row)
{
    return field->cells[row * field->across + column];
}

static bool differ(double a, double b)
{
    return isnan(a) ? !isnan(b) : a != b;
}

/* Draws the borders between classes, which are visible without colors too. */
static Status draw_borders(Context *context, Canvas *canvas, const Area *box,
                           const cleave_plot_field *field, cleave_error *error)
{
    double width = box->width / (double)field->across, height = box->height / (double)field->up;
    Pixel *ends = NULL;
    size_t capacity = 0, count = 0;

    for (size_t row = 0; row < field->up; row++) {
        double bottom = box->top + box->height - height * (double)row;

        for (size_t column = 0; column < field->across; column++) {
            double left = box->left + width * (double)column, value = cell(field, column, row);
            bool side = column + 1 < field->across && differ(value, cell(field, column + 1, row));
            bool above = row + 1 < field->up && differ(value, cell(field, column, row + 1));

            if (GROW(context, ends, capacity, count + 4, error) != OK) {
                clv_free(context, ends);
                return CLEAVE_ERROR_MEMORY;
            }
            if (side) {
                ends[count++] = (Pixel){left + width, bottom};
                ends[count++] = (Pixel){left + width, bottom - height};
            }
            if (above) {
                ends[count++] = (Pixel){left, bottom - height};
                ends[count++] = (Pixel){left + width, bottom - height};
            }
        }
    }
    clv_canvas_segments(canvas, ends, count / 2, BORDER, 1);
    clv_free(context, ends);
    return OK;
}

Status clv_field_draw(Context *context, Canvas *canvas, const PlotFrame *frame,
                      const cleave_plot_field *field, const Scale *numbers, cleave_error *error)
{
    Pixel low = clv_frame_at(frame, field->box[0], field->box[1]),
          high = clv_frame_at(frame, field->box[2], field->box[3]);
    Area box = {low.x, high.y, high.x - low.x, low.y - high.y};
    Color *colors;

    TRY(ALLOC(context, colors, field->across * field->up, "a picture", error));
    for (size_t row = 0; row < field->up; row++)
        for (size_t column = 0; column < field->across; column++)
            colors[(field->up - 1 - row) * field->across + column] = cell_color(
                field, numbers, cell(field, column, row));
    clv_canvas_image(canvas, box, colors, field->across, field->up);
    clv_free(context, colors);
    return field->of_classes && !field->smooth ? draw_borders(context, canvas, &box, field, error)
                                               : OK;
}

/* ---- Voronoi --------------------------------------------------------------------------------- */

static Status draw_polygons(Context *context, Canvas *canvas, const PlotFrame *frame,
                            const cleave_voronoi *regions, cleave_error *error)
{
    Pixel *corners = NULL;
    size_t capacity = 0;

    for (size_t i = 0; i < regions->region_count; i++) {
        const cleave_region *region = &regions->regions[i];

        if (GROW(context, corners, capacity, region->corner_count, error) != OK) {
            clv_free(context, corners);
            return CLEAVE_ERROR_MEMORY;
        }
        for (size_t j = 0; j < region->corner_count; j++) {
            const cleave_plane_point *spot = &regions->corners[region->first_corner + j];

            corners[j] = clv_frame_at(frame, spot->x, spot->y);
        }
        if (region->corner_count)
            clv_canvas_polygon(canvas, corners, region->corner_count,
                               clv_area_color(region->label));
    }
    clv_free(context, corners);
    return OK;
}

Status clv_regions_draw(Context *context, Canvas *canvas, const PlotFrame *frame,
                        const cleave_voronoi *regions, cleave_error *error)
{
    TRY(draw_polygons(context, canvas, frame, regions, error));
    for (int between = 0; between < 2; between++)
        for (size_t i = 0; i < regions->border_count; i++) {
            const cleave_border *border = &regions->borders[i];
            Pixel ends[2] = {clv_frame_at(frame, border->from.x, border->from.y),
                             clv_frame_at(frame, border->to.x, border->to.y)};

            if (border->between_classes == (between == 1))
                clv_canvas_line(canvas, ends, 2, between ? BORDER : 0x777777, between ? 2 : 1,
                                between ? SOLID : DASHED);
        }
    return OK;
}

/* ---- the color bar --------------------------------------------------------------------------- */

void clv_color_bar(Canvas *canvas, Area area, const Scale *numbers, Color (*color)(double share))
{
    enum { STRIPES = 128 };
    Color stripes[STRIPES];

    for (int i = 0; i < STRIPES; i++)
        stripes[i] = color(1 - (i + 0.5) / STRIPES);
    clv_canvas_image(canvas, area, stripes, 1, STRIPES);
    clv_canvas_frame(canvas, area, BORDER, 0.8);
    for (size_t i = 0; i < numbers->count; i++) {
        double y = area.top + area.height * (1 - clv_scale_place(numbers, numbers->tick[i]));
        Pixel tick[2] = {{area.left + area.width, y}, {area.left + area.width + TICK, y}};
        char text[NUMBER_SIZE];

        clv_canvas_line(canvas, tick, 2, BORDER, 1, SOLID);
        clv_canvas_text(canvas, clv_tick_text(numbers, i, text), (Pixel){tick[1].x + 3, y + 4},
                        (TextLook){.size = 11, .color = BORDER});
    }
}
