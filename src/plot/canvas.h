/*
 * A drawing surface for SVG, PDF or PNG, in pixels from the upper left corner. It uses cairo, which
 * is loaded with the first sheet. Coordinates that are not finite are not drawn, and distant ones
 * are clipped.
 */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include "base/memory.h"

typedef struct Canvas Canvas;
typedef uint32_t Color; /* 0xRRGGBB */

typedef struct {
    double x, y;
} Pixel;
typedef struct {
    double left, top, width, height;
} Area;

typedef enum { SOLID, DASHED, DOTTED, DASH_DOTTED } Dash;
enum { DASHES = 4 };
/* Marks with distinct shapes, for readers who cannot distinguish the colors. */
typedef enum { DISC, SQUARE, TRIANGLE, DIAMOND, CROSS, WEDGE, PLUS, STAR } Mark;
enum { MARKS = 8 };

#define BLACK 0x000000u
#define WHITE 0xFFFFFFu
#define GRAY 0x666666u

/* Opens a white sheet. format: "svg", "pdf" or "png". write receives the output, partly during
 * drawing. */
Status clv_canvas_open(Context *context, const char *format, double width, double height,
                       cleave_write_callback write, void *user, Canvas **canvas,
                       cleave_error *error);
/* Ends and frees the sheet; returns the first error. */
Status clv_canvas_close(Canvas *canvas, cleave_error *error);

void clv_canvas_line(Canvas *canvas, const Pixel *spots, size_t count, Color color, double thick,
                     Dash dash);
/* Draws many short lines of one style: pairs of ends. */
void clv_canvas_segments(Canvas *canvas, const Pixel *ends, size_t pairs, Color color,
                         double thick);
/* A thin line with a filled head of this length at its end. */
void clv_canvas_arrow(Canvas *canvas, Pixel from, Pixel to, Color color, double head);
void clv_canvas_polygon(Canvas *canvas, const Pixel *corners, size_t count, Color fill);
void clv_canvas_fill(Canvas *canvas, Area area, Color fill);
void clv_canvas_frame(Canvas *canvas, Area area, Color color, double thick);
void clv_canvas_mark(Canvas *canvas, Mark mark, Pixel at, double radius, Color fill, Color edge);
void clv_canvas_ring(Canvas *canvas, Pixel at, double radius, Color color, double thick);
/* Draws an image of across * down cells. Their colors begin at the upper left. */
void clv_canvas_image(Canvas *canvas, Area area, const Color *cells, size_t across, size_t down);

/* The alignment of a text: `at` is its left end for 0, its middle for 0.5, its right end for 1.
 * upright rotates the text. */
typedef struct {
    double size, align;
    bool bold, upright;
    Color color;
} TextLook;
/* Draws a text whose baseline contains `at`. */
void clv_canvas_text(Canvas *canvas, const char *text, Pixel at, TextLook look);
double clv_canvas_text_width(Canvas *canvas, const char *text, double size, bool bold);

/* Clips all drawing until clv_canvas_unclip. */
void clv_canvas_clip(Canvas *canvas, Area area);
void clv_canvas_unclip(Canvas *canvas);

#endif
