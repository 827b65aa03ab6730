#include "plot/canvas.h"

#include <math.h>

#ifdef HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <dlfcn.h>

/* The functions of libcairo that are called, by name. */
/* clang-format off */
#define EACH_FUNCTION(X)                                                                           \
    X(arc) X(clip) X(close_path) X(create) X(destroy) X(fill) X(fill_preserve) X(get_target) X(image_surface_create)   \
    X(image_surface_create_for_data) X(line_to) X(move_to) X(new_path) X(paint) X(pattern_set_filter) X(get_source)    \
    X(pdf_surface_create_for_stream) X(pdf_surface_set_metadata)                                   \
    X(rectangle) X(restore) X(rotate) X(save) X(scale) X(select_font_face) X(set_dash) X(set_font_size)                \
    X(set_line_cap) X(set_line_join) X(set_line_width) X(set_source_rgb) X(set_source_surface) X(show_text)            \
    X(status) X(status_to_string) X(stroke) X(surface_destroy) X(surface_finish) X(surface_status) \
    X(surface_write_to_png_stream) X(svg_surface_create_for_stream) X(svg_surface_set_document_unit) X(text_extents) X(translate)
/* clang-format on */

#define DECLARE(name) __typeof__(&cairo_##name) name;
typedef struct {
    EACH_FUNCTION(DECLARE)
} Library;

struct Canvas {
    Context *context;
    Library call;
    cairo_surface_t *surface;
    cairo_t *cairo;
    double far; /* length of the longer side */
    bool png, short_of_memory;
    cleave_write_callback write;
    void *user;
    Status status; /* error of the first failed write */
    cleave_error error;
};

/* ---- opening and closing --------------------------------------------------------------------- */

static Status refuse(cleave_error *error, const char *why)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "install cairo (Debian: libcairo2), or pass --json to print the plotted values",
        "plots need cairo, but %s", why);
}

/* The library is never unloaded, because its caches (for example of fonts) outlive a sheet. */
static Status load(Library *call, cleave_error *error)
{
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_NODELETE);

    if (!library)
        return refuse(error, "libcairo.so.2 is missing");
#define FIND(name) *(void **)(void *)&call->name = dlsym(library, "cairo_" #name);
#define LACKS(name) || !call->name
    EACH_FUNCTION(FIND)
    if (false EACH_FUNCTION(LACKS)) {
        dlclose(library);
        return refuse(error, "libcairo.so.2 lacks required functions");
    }
    dlclose(library);
    return OK;
}

static cairo_status_t hand_over(void *user, const unsigned char *bytes, unsigned size)
{
    Canvas *canvas = user;

    if (canvas->status == OK &&
        clv_cancelled(canvas->context)) /* large pictures take time to compress */
        canvas->status = clv_fail(&canvas->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    if (canvas->status == OK)
        canvas->status = canvas->write(canvas->user, bytes, size, &canvas->error);
    return canvas->status == OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void use(Canvas *canvas, Color color)
{
    canvas->call.set_source_rgb(canvas->cairo, (double)(color >> 16 & 255) / 255,
                                (double)(color >> 8 & 255) / 255, (double)(color & 255) / 255);
}

/* Opens a PDF page, which is measured in points; a pixel is three quarters of a point. The creation
 * time is removed. */
static void open_pdf(Canvas *canvas, double width, double height)
{
    const double point = 0.75;

    canvas->surface = canvas->call.pdf_surface_create_for_stream(hand_over, canvas, point * width,
                                                                 point * height);
    canvas->call.pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                          "1970-01-01T00:00:00Z");
    canvas->cairo = canvas->call.create(canvas->surface);
    canvas->call.scale(canvas->cairo, point, point);
}

static void open_surface(Canvas *canvas, const char *format, double width, double height)
{
    if (strcmp(format, "pdf") == 0) {
        open_pdf(canvas, width, height);
        return;
    }
    canvas->surface = canvas->png ? canvas->call.image_surface_create(CAIRO_FORMAT_RGB24,
                                                                      (int)width, (int)height)
                                  : canvas->call.svg_surface_create_for_stream(hand_over, canvas,
                                                                               width, height);
    if (!canvas->png)
        canvas->call.svg_surface_set_document_unit(canvas->surface, CAIRO_SVG_UNIT_PX);
    canvas->cairo = canvas->call.create(canvas->surface);
}

Status clv_canvas_open(Context *context, const char *format, double width, double height,
                       cleave_write_callback write, void *user, Canvas **result,
                       cleave_error *error)
{
    Canvas *canvas;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, canvas, 1, "a picture", error));
    *canvas = (Canvas){.context = context,
                       .far = fmax(width, height),
                       .png = strcmp(format, "png") == 0,
                       .write = write,
                       .user = user};
    status = load(&canvas->call, error);
    if (status != OK) {
        clv_free(context, canvas);
        return status;
    }
    open_surface(canvas, format, width, height);
    canvas->call.set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    use(canvas, WHITE);
    canvas->call.paint(canvas->cairo);
    *result = canvas;
    return OK;
}

static Status tell(const Canvas *canvas, cairo_status_t made, cleave_error *error)
{
    if (canvas->status != OK) {
        if (error)
            *error = canvas->error;
        return canvas->status;
    }
    if (canvas->short_of_memory || made == CAIRO_STATUS_NO_MEMORY ||
        made == CAIRO_STATUS_INVALID_SIZE)
        return clv_fail(error, CLEAVE_ERROR_MEMORY, "not enough memory for a plot");
    if (made != CAIRO_STATUS_SUCCESS)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "cairo cannot draw the plot: %s",
                        canvas->call.status_to_string(made));
    return OK;
}

Status clv_canvas_close(Canvas *canvas, cleave_error *error)
{
    cairo_status_t made = canvas->call.status(canvas->cairo);
    Status status;

    if (made == CAIRO_STATUS_SUCCESS && canvas->png)
        made = canvas->call.surface_write_to_png_stream(canvas->surface, hand_over, canvas);
    canvas->call.destroy(canvas->cairo);
    canvas->call.surface_finish(canvas->surface);
    if (made == CAIRO_STATUS_SUCCESS)
        made = canvas->call.surface_status(canvas->surface);
    canvas->call.surface_destroy(canvas->surface);
    status = tell(canvas, made, error);
    clv_free(canvas->context, canvas);
    return status;
}

/* ---- lines and shapes ------------------------------------------------------------------------ */

/* Clamps distant coordinates, because cairo uses 24-bit fixed point with 8 fractional bits, and
 * would draw every dash of a very long line. */
static double near(const Canvas *canvas, double pixel)
{
    return fmin(fmax(pixel, -canvas->far), 2 * canvas->far);
}

static bool is_place(Pixel at)
{
    return isfinite(at.x) && isfinite(at.y);
}

static void set_dash(Canvas *canvas, Dash dash, double thick)
{
    static const double dashes[DASHES][4] = {{0}, {4, 2.5}, {1, 2}, {5, 2, 1, 2}};
    static const int counts[DASHES] = {0, 2, 2, 4};
    double scaled[4];

    for (int i = 0; i < counts[dash]; i++)
        scaled[i] = dashes[dash][i] * fmax(thick, 1);
    canvas->call.set_dash(canvas->cairo, scaled, counts[dash], 0);
}

/* Traces a line. A point that is not finite interrupts it. */
static void trace(Canvas *canvas, const Pixel *spots, size_t count)
{
    bool down = false;

    canvas->call.new_path(canvas->cairo);
    for (size_t i = 0; i < count; i++) {
        if (is_place(spots[i]))
            (down ? canvas->call.line_to : canvas->call.move_to)(
                canvas->cairo, near(canvas, spots[i].x), near(canvas, spots[i].y));
        down = is_place(spots[i]);
    }
}

static void stroke(Canvas *canvas, Color color, double thick)
{
    use(canvas, color);
    canvas->call.set_line_width(canvas->cairo, thick);
    canvas->call.stroke(canvas->cairo);
}

void clv_canvas_line(Canvas *canvas, const Pixel *spots, size_t count, Color color, double thick,
                     Dash dash)
{
    set_dash(canvas, dash, thick);
    trace(canvas, spots, count);
    stroke(canvas, color, thick);
    set_dash(canvas, SOLID, thick);
}

void clv_canvas_segments(Canvas *canvas, const Pixel *ends, size_t pairs, Color color, double thick)
{
    canvas->call.new_path(canvas->cairo);
    for (size_t i = 0; i < pairs; i++) {
        if (!is_place(ends[2 * i]) || !is_place(ends[2 * i + 1]))
            continue;
        canvas->call.move_to(canvas->cairo, near(canvas, ends[2 * i].x),
                             near(canvas, ends[2 * i].y));
        canvas->call.line_to(canvas->cairo, near(canvas, ends[2 * i + 1].x),
                             near(canvas, ends[2 * i + 1].y));
    }
    stroke(canvas, color, thick);
}

void clv_canvas_polygon(Canvas *canvas, const Pixel *corners, size_t count, Color fill)
{
    trace(canvas, corners, count);
    canvas->call.close_path(canvas->cairo);
    use(canvas, fill);
    canvas->call.fill(canvas->cairo);
}

static void outline(Canvas *canvas, Area area)
{
    canvas->call.new_path(canvas->cairo);
    if (isfinite(area.left) && isfinite(area.top) && isfinite(area.width) && isfinite(area.height))
        canvas->call.rectangle(canvas->cairo, near(canvas, area.left), near(canvas, area.top),
                               near(canvas, area.width), near(canvas, area.height));
}

void clv_canvas_arrow(Canvas *canvas, Pixel from, Pixel to, Color color, double head)
{
    double length = hypot(to.x - from.x, to.y - from.y), x, y;

    if (!(length > 0))
        return;
    head = fmin(head, length);
    x = head * (to.x - from.x) / length;
    y = head * (to.y - from.y) / length;
    clv_canvas_line(canvas, (Pixel[]){from, {to.x - x, to.y - y}}, 2, color, 1.2, SOLID);
    clv_canvas_polygon(canvas,
                       (Pixel[]){to,
                                 {to.x - x + 0.4 * y, to.y - y - 0.4 * x},
                                 {to.x - x - 0.4 * y, to.y - y + 0.4 * x}},
                       3, color);
}

void clv_canvas_fill(Canvas *canvas, Area area, Color fill)
{
    outline(canvas, area);
    use(canvas, fill);
    canvas->call.fill(canvas->cairo);
}

void clv_canvas_frame(Canvas *canvas, Area area, Color color, double thick)
{
    outline(canvas, area);
    stroke(canvas, color, thick);
}

static void star(Canvas *canvas, double radius, int points, double inner, double turn)
{
    const double pi = 3.14159265358979323846;

    for (int i = 0; i < 2 * points; i++) {
        double length = i % 2 ? inner * radius : radius, angle = turn + pi * i / points;

        (i ? canvas->call.line_to : canvas->call.move_to)(canvas->cairo, length * sin(angle),
                                                          -length * cos(angle));
    }
    canvas->call.close_path(canvas->cairo);
}

static void bars(Canvas *canvas, double radius, double turn)
{
    static const int corner[12][2] = {{1, 3},   {1, 1},   {3, 1},   {3, -1}, {1, -1}, {1, -3},
                                      {-1, -3}, {-1, -1}, {-3, -1}, {-3, 1}, {-1, 1}, {-1, 3}};

    canvas->call.rotate(canvas->cairo, turn);
    for (int i = 0; i < 12; i++)
        (i ? canvas->call.line_to : canvas->call.move_to)(
            canvas->cairo, radius * corner[i][0] / 3.0, radius * corner[i][1] / 3.0);
    canvas->call.close_path(canvas->cairo);
}

static void shape(Canvas *canvas, Mark mark, double radius)
{
    const double pi = 3.14159265358979323846;

    switch (mark) {
    case DISC:
        canvas->call.arc(canvas->cairo, 0, 0, radius, 0, 2 * pi);
        break;
    case SQUARE:
        canvas->call.rectangle(canvas->cairo, -0.88 * radius, -0.88 * radius, 1.76 * radius,
                               1.76 * radius);
        break;
    case TRIANGLE:
        star(canvas, 1.2 * radius, 3, 0.5, 0);
        break;
    case WEDGE:
        star(canvas, 1.2 * radius, 3, 0.5, pi);
        break;
    case DIAMOND:
        star(canvas, 1.2 * radius, 2, 0.85, 0);
        break;
    case CROSS:
        bars(canvas, 1.15 * radius, pi / 4);
        break;
    case PLUS:
        bars(canvas, 1.15 * radius, 0);
        break;
    default:
        star(canvas, 1.3 * radius, 5, 0.42, 0);
        break;
    }
}

void clv_canvas_mark(Canvas *canvas, Mark mark, Pixel at, double radius, Color fill, Color edge)
{
    if (!is_place(at))
        return;
    canvas->call.save(canvas->cairo);
    canvas->call.new_path(canvas->cairo);
    canvas->call.translate(canvas->cairo, near(canvas, at.x), near(canvas, at.y));
    shape(canvas, mark, radius);
    use(canvas, fill);
    canvas->call.fill_preserve(canvas->cairo);
    stroke(canvas, edge, fmin(0.9, radius / 5));
    canvas->call.restore(canvas->cairo);
}

void clv_canvas_ring(Canvas *canvas, Pixel at, double radius, Color color, double thick)
{
    if (!is_place(at))
        return;
    canvas->call.new_path(canvas->cairo);
    canvas->call.arc(canvas->cairo, near(canvas, at.x), near(canvas, at.y), radius, 0,
                     6.283185307179586);
    stroke(canvas, color, thick);
}

/* Whether an area is positive and within the representable range. */
static bool is_area(Area area)
{
    return fabs(area.left) < 1e5 && fabs(area.top) < 1e5 && area.width > 1e-3 && area.width < 1e5 &&
           area.height > 1e-3 && area.height < 1e5;
}

void clv_canvas_image(Canvas *canvas, Area area, const Color *cells, size_t across, size_t down)
{
    Color *copy = is_area(area) ? clv_alloc(canvas->context, across * down, sizeof *copy) : NULL;
    cairo_surface_t *image;

    if (!is_area(area))
        return;
    if (!copy) {
        canvas->short_of_memory = true;
        return;
    }
    memcpy(copy, cells, across * down * sizeof *copy);
    image = canvas->call.image_surface_create_for_data((unsigned char *)copy, CAIRO_FORMAT_RGB24,
                                                       (int)across, (int)down,
                                                       (int)(across * sizeof *copy));
    canvas->call.save(canvas->cairo);
    canvas->call.translate(canvas->cairo, area.left, area.top);
    canvas->call.scale(canvas->cairo, area.width / (double)across, area.height / (double)down);
    canvas->call.set_source_surface(canvas->cairo, image, 0, 0);
    canvas->call.pattern_set_filter(canvas->call.get_source(canvas->cairo), CAIRO_FILTER_NEAREST);
    canvas->call.paint(canvas->cairo);
    canvas->call.restore(canvas->cairo);
    canvas->call.surface_finish(image); /* an SVG sheet has copied the image */
    canvas->call.surface_destroy(image);
    clv_free(canvas->context, copy);
}

void clv_canvas_clip(Canvas *canvas, Area area)
{
    canvas->call.save(canvas->cairo);
    outline(canvas, area);
    canvas->call.clip(canvas->cairo);
}

void clv_canvas_unclip(Canvas *canvas)
{
    canvas->call.restore(canvas->cairo);
}

/* ---- text ------------------------------------------------------------------------------------ */

enum { TEXT_SIZE = 512 };

/* Replaces characters: cairo accepts only well-formed UTF-8, and XML allows no control
 * characters. */
static const char *clean(const char *text, char buffer[TEXT_SIZE])
{
    cleave_escape(text, strlen(text), CLEAVE_ESCAPE_LINE, buffer, TEXT_SIZE);
    return buffer;
}

static void choose_font(Canvas *canvas, double size, bool bold)
{
    canvas->call.select_font_face(canvas->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                  bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    canvas->call.set_font_size(canvas->cairo, size);
}

static double width_of(Canvas *canvas, const char *cleaned)
{
    cairo_text_extents_t extents = {0};

    canvas->call.text_extents(canvas->cairo, cleaned, &extents);
    return extents.x_advance;
}

double clv_canvas_text_width(Canvas *canvas, const char *text, double size, bool bold)
{
    char cleaned[TEXT_SIZE];

    choose_font(canvas, size, bold);
    return width_of(canvas, clean(text, cleaned));
}

void clv_canvas_text(Canvas *canvas, const char *text, Pixel at, TextLook look)
{
    char cleaned[TEXT_SIZE];

    if (!is_place(at) || !*text)
        return;
    clean(text, cleaned);
    choose_font(canvas, look.size, look.bold);
    use(canvas, look.color);
    canvas->call.save(canvas->cairo);
    canvas->call.translate(canvas->cairo, near(canvas, at.x), near(canvas, at.y));
    if (look.upright)
        canvas->call.rotate(canvas->cairo, -1.5707963267948966);
    canvas->call.move_to(canvas->cairo, -look.align * width_of(canvas, cleaned), 0);
    canvas->call.show_text(canvas->cairo, cleaned);
    canvas->call.restore(canvas->cairo);
}

#else

Status clv_canvas_open(Context *context, const char *format, double width, double height,
                       cleave_write_callback write, void *user, Canvas **canvas,
                       cleave_error *error)
{
    (void)context, (void)format, (void)width, (void)height, (void)write, (void)user;
    *canvas = NULL;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "build cleave with cairo's headers (Debian: libcairo2-dev), or pass --json to print the "
        "plotted values",
        "plots need cairo, but this cleave was built without it");
}

/* Not called without a sheet. */
Status clv_canvas_close(Canvas *canvas, cleave_error *error)
{
    (void)canvas, (void)error;
    return OK;
}

void clv_canvas_line(Canvas *canvas, const Pixel *spots, size_t count, Color color, double thick,
                     Dash dash)
{
    (void)canvas, (void)spots, (void)count, (void)color, (void)thick, (void)dash;
}

void clv_canvas_segments(Canvas *canvas, const Pixel *ends, size_t pairs, Color color, double thick)
{
    (void)canvas, (void)ends, (void)pairs, (void)color, (void)thick;
}

void clv_canvas_polygon(Canvas *canvas, const Pixel *corners, size_t count, Color fill)
{
    (void)canvas, (void)corners, (void)count, (void)fill;
}

void clv_canvas_arrow(Canvas *canvas, Pixel from, Pixel to, Color color, double head)
{
    (void)canvas, (void)from, (void)to, (void)color, (void)head;
}

void clv_canvas_fill(Canvas *canvas, Area area, Color fill)
{
    (void)canvas, (void)area, (void)fill;
}

void clv_canvas_frame(Canvas *canvas, Area area, Color color, double thick)
{
    (void)canvas, (void)area, (void)color, (void)thick;
}

void clv_canvas_mark(Canvas *canvas, Mark mark, Pixel at, double radius, Color fill, Color edge)
{
    (void)canvas, (void)mark, (void)at, (void)radius, (void)fill, (void)edge;
}

void clv_canvas_ring(Canvas *canvas, Pixel at, double radius, Color color, double thick)
{
    (void)canvas, (void)at, (void)radius, (void)color, (void)thick;
}

void clv_canvas_image(Canvas *canvas, Area area, const Color *cells, size_t across, size_t down)
{
    (void)canvas, (void)area, (void)cells, (void)across, (void)down;
}

void clv_canvas_text(Canvas *canvas, const char *text, Pixel at, TextLook look)
{
    (void)canvas, (void)text, (void)at, (void)look;
}

double clv_canvas_text_width(Canvas *canvas, const char *text, double size, bool bold)
{
    (void)canvas, (void)text, (void)size, (void)bold;
    return 0;
}

void clv_canvas_clip(Canvas *canvas, Area area)
{
    (void)canvas, (void)area;
}

void clv_canvas_unclip(Canvas *canvas)
{
    (void)canvas;
}

#endif
