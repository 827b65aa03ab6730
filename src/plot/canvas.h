/*
 * A sheet to draw on, SVG, PDF or PNG by the same calls, in pixels from the upper left corner. What is behind it is cairo, which is loaded when the first
 * sheet is made: whoever draws nothing does not wait for it. Places that are no numbers are not drawn, and those far away are brought near.
 */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include "base/memory.h"

typedef struct Canvas Canvas;
typedef uint32_t Colour; /* 0xRRGGBB */

typedef struct {
    double x, y;
} Pixel;
typedef struct {
    double left, top, width, height;
} Area;

typedef enum { SOLID, DASHED, DOTTED, DASH_DOTTED } Dash;
enum { DASHES = 4 };
/* Shapes that differ also where colours do not. */
typedef enum { DISC, SQUARE, TRIANGLE, DIAMOND, CROSS, WEDGE, PLUS, STAR } Mark;
enum { MARKS = 8 };

#define BLACK 0x000000u
#define WHITE 0xFFFFFFu
#define GREY 0x666666u

/* format "svg", "pdf" or "png". The sheet is white. What is made goes to write, some of it while drawing. */
Status clv_canvas_open(Context *context, const char *format, double width, double height, cleave_write_callback write,
                       void *user, Canvas **canvas, cleave_error *error);
/* Ends and frees it: the first thing that went wrong is told here. */
Status clv_canvas_close(Canvas *canvas, cleave_error *error);

void clv_canvas_line(Canvas *canvas, const Pixel *spots, size_t count, Colour colour, double thick, Dash dash);
/* Many short lines of one look: pairs of ends. */
void clv_canvas_segments(Canvas *canvas, const Pixel *ends, size_t pairs, Colour colour, double thick);
void clv_canvas_polygon(Canvas *canvas, const Pixel *corners, size_t count, Colour fill);
void clv_canvas_fill(Canvas *canvas, Area area, Colour fill);
void clv_canvas_frame(Canvas *canvas, Area area, Colour colour, double thick);
void clv_canvas_mark(Canvas *canvas, Mark mark, Pixel at, double radius, Colour fill, Colour edge);
void clv_canvas_ring(Canvas *canvas, Pixel at, double radius, Colour colour, double thick);
/* Colours of across * down cells, from the upper left. */
void clv_canvas_image(Canvas *canvas, Area area, const Colour *cells, size_t across, size_t down);

/* How text stands: align is 0 where at is its left end, 0.5 its middle, 1 its right end; upright turns it to be read from the right. */
typedef struct {
    double size, align;
    bool bold, upright;
    Colour colour;
} TextLook;
/* at is on the line the letters stand on. */
void clv_canvas_text(Canvas *canvas, const char *text, Pixel at, TextLook look);
double clv_canvas_text_width(Canvas *canvas, const char *text, double size, bool bold);

/* Nothing is drawn outside until unclip. */
void clv_canvas_clip(Canvas *canvas, Area area);
void clv_canvas_unclip(Canvas *canvas);

#endif
