#include "plot/svg.h"

#include "base/escape.h"
#include "base/number.h"

#include <math.h>
#include <stdarg.h>

enum { LEFT = 64, RIGHT = 16, TOP = 16, BOTTOM = 52, LEGEND = 132, LEGEND_LINE = 20, FLUSH = 1 << 16 };

/* Colours that can be told apart also by those who see fewer of them (Okabe and Ito 2008); classes past the eighth have another mark. */
static const char *const colours[] = {"#E69F00", "#56B4E9", "#009E73", "#F0E442",
                                      "#0072B2", "#D55E00", "#CC79A7", "#999999"};
enum { COLOURS = sizeof colours / sizeof *colours, SHAPES = 4 };

typedef struct {
    Context *context;
    const Picture *picture;
    const Voronoi *voronoi;
    Output *output;
    Buffer text;
    Status status; /* the first that is not OK: nothing is written after it */
    cleave_error *error;
} Sheet;

static double frame_width(const Picture *picture)
{
    return (double)picture->width - LEFT - RIGHT - (picture->labels ? LEGEND : 0);
}

static double frame_height(const Picture *picture)
{
    return (double)picture->height - TOP - BOTTOM;
}

Box clv_svg_box(const Picture *picture)
{
    const double margin = 0.06;
    double low[2], high[2], size[2] = {frame_width(picture), frame_height(picture)}, unit;

    for (int i = 0; i < 2; i++) {
        low[i] = high[i] = (double)picture->xy[i];
        for (size_t j = 1; j < picture->count; j++) {
            low[i] = fmin(low[i], (double)picture->xy[2 * j + (size_t)i]);
            high[i] = fmax(high[i], (double)picture->xy[2 * j + (size_t)i]);
        }
    }
    unit = fmax((high[0] - low[0]) / size[0], (high[1] - low[1]) / size[1]) * (1 + 2 * margin); /* of a pixel */
    if (unit == 0)
        unit = fmax(fmax(fabs(low[0]), fabs(low[1])), 1) / size[0];
    for (int i = 0; i < 2; i++) {
        double middle = low[i] + (high[i] - low[i]) / 2;

        low[i] = middle - unit * size[i] / 2;
        high[i] = middle + unit * size[i] / 2;
    }
    return (Box){low[0], low[1], high[0], high[1]};
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static void flush(Sheet *sheet)
{
    if (sheet->status == OK && sheet->text.size)
        sheet->status = clv_output_write(sheet->output, sheet->text.data, sheet->text.size, sheet->error);
    sheet->text.size = 0;
}

static void put_bytes(Sheet *sheet, const char *bytes, size_t size)
{
    if (sheet->status == OK)
        sheet->status = clv_buffer_add(sheet->context, &sheet->text, bytes, size, sheet->error);
    if (sheet->text.size >= FLUSH)
        flush(sheet);
}

/* In hundredths of a pixel, with a point whatever the locale. */
static void put_pixels(Sheet *sheet, double value)
{
    char text[NUMBER_SIZE + 4];
    long long hundredths = llround(value * 100);
    size_t length = 0;

    if (hundredths < 0)
        text[length++] = '-';
    hundredths = hundredths < 0 ? -hundredths : hundredths;
    length += clv_format_unsigned(text + length, (uint64_t)hundredths / 100);
    if (hundredths % 100) {
        text[length++] = '.';
        text[length++] = (char)('0' + hundredths / 10 % 10);
        if (hundredths % 10)
            text[length++] = (char)('0' + hundredths % 10);
    }
    put_bytes(sheet, text, length);
}

/* %s is a text, %f pixels. */
static void put(Sheet *sheet, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    for (size_t plain; *format; format += plain) {
        plain = strcspn(format, "%");
        put_bytes(sheet, format, plain);
        if (!format[plain])
            continue;
        if (format[plain + 1] == 'f') {
            put_pixels(sheet, va_arg(arguments, double));
        } else {
            const char *text = va_arg(arguments, const char *);

            put_bytes(sheet, text, strlen(text));
        }
        plain += 2;
    }
    va_end(arguments);
}

/* A name, escaped as in a line of text. The result is well-formed XML except for its markup
 * characters. */
static void put_name(Sheet *sheet, const char *name)
{
    for (size_t length = strlen(name), taken; length > 0; name += taken, length -= taken) {
        char piece[ESCAPED_SIZE];
        size_t size = clv_escape_next(name, length, CLEAVE_ESCAPE_LINE, piece, &taken);

        if (*piece == '&')
            put(sheet, "&amp;");
        else if (*piece == '<')
            put(sheet, "&lt;");
        else if (*piece == '>')
            put(sheet, "&gt;");
        else
            put_bytes(sheet, piece, size);
    }
}

static void put_spot(Sheet *sheet, char command, double x, double y)
{
    put_bytes(sheet, &command, 1);
    put(sheet, "%f %f", x, y);
}

static Spot on_sheet(const Sheet *sheet, Spot spot)
{
    const Box *box = &sheet->voronoi->box;

    return (Spot){LEFT + (spot.x - box->left) / (box->right - box->left) * frame_width(sheet->picture),
                  TOP + (box->top - spot.y) / (box->top - box->bottom) * frame_height(sheet->picture)};
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

static uint32_t class_of_site(const Sheet *sheet, uint32_t site)
{
    return sheet->picture->class_of[sheet->voronoi->point[site]];
}

static void put_region(Sheet *sheet, uint32_t site)
{
    const Voronoi *voronoi = sheet->voronoi;

    for (size_t first = site ? voronoi->end[site - 1] : 0, i = first; i < voronoi->end[site]; i++) {
        Spot at = on_sheet(sheet, voronoi->corner[i]);

        put_spot(sheet, i == first ? 'M' : 'L', at.x, at.y);
    }
    put(sheet, "Z");
}

/* Readers of XML have a limit to what one path may hold. */
enum { MOST_IN_PATH = 10000 };

static void begin_regions(Sheet *sheet, uint32_t kind)
{
    put(sheet, "<path fill=\"%s\" fill-opacity=\"0.4\" d=\"", colours[kind % COLOURS]);
}

static void put_regions(Sheet *sheet)
{
    for (uint32_t kind = 0; kind < sheet->picture->labels; kind++) {
        uint32_t count = 0;

        begin_regions(sheet, kind);
        for (uint32_t site = 0; site < sheet->voronoi->sites; site++) {
            if (class_of_site(sheet, site) != kind)
                continue;
            if (count++ && count % MOST_IN_PATH == 0) {
                put(sheet, "\"/>\n");
                begin_regions(sheet, kind);
            }
            put_region(sheet, site);
        }
        put(sheet, "\"/>\n");
    }
}

static void begin_borders(Sheet *sheet, bool between_classes)
{
    put(sheet, "<path class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" d=\"",
        between_classes ? "between" : "within", between_classes ? "#000" : "#777", between_classes ? "2.5" : "0.5");
}

static void put_borders(Sheet *sheet, bool between_classes)
{
    const Voronoi *voronoi = sheet->voronoi;
    uint32_t count = 0;

    begin_borders(sheet, between_classes);
    for (size_t i = 0; i < voronoi->borders; i++) {
        const struct Border *border = &voronoi->border[i];
        Spot from = on_sheet(sheet, border->from), to = on_sheet(sheet, border->to);

        if ((class_of_site(sheet, border->site[0]) != class_of_site(sheet, border->site[1])) != between_classes)
            continue;
        if (count++ && count % MOST_IN_PATH == 0) {
            put(sheet, "\"/>\n");
            begin_borders(sheet, between_classes);
        }
        put_spot(sheet, 'M', from.x, from.y);
        put_spot(sheet, 'L', to.x, to.y);
    }
    put(sheet, "\"/>\n");
}

static void put_mark(Sheet *sheet, uint32_t kind, Spot at, double r)
{
    double w = 1.2 * r;

    switch ((kind + kind / COLOURS) % SHAPES) {
    case 0:
        put(sheet, "M%f %fa%f %f 0 1 0 %f 0a%f %f 0 1 0 %f 0Z", at.x - r, at.y, r, r, 2 * r, r, r, -2 * r);
        break;
    case 1:
        put(sheet, "M%f %fh%fv%fh%fZ", at.x - r, at.y - r, 2 * r, 2 * r, -2 * r);
        break;
    case 2:
        put(sheet, "M%f %fl%f %fh%fZ", at.x, at.y - w, w, 2 * w, -2 * w);
        break;
    default:
        put(sheet, "M%f %fl%f %fl%f %fl%f %fZ", at.x, at.y - w, w, w, -w, w, -w, -w);
    }
}

/* Smaller where there are many. */
static double mark_size(const Picture *picture)
{
    return picture->count <= 200 ? 4 : picture->count <= 2000 ? 2.5 : picture->count <= 20000 ? 1.2 : 0.6;
}

static bool any_of(const Picture *picture, uint32_t kind)
{
    for (uint32_t i = 0; i < picture->count; i++)
        if (picture->class_of[i] == kind)
            return true;
    return false;
}

static void begin_marks(Sheet *sheet, uint32_t kind)
{
    put(sheet, "<path fill=\"%s\" stroke=\"#000\" stroke-width=\"%s\" d=\"",
        kind < sheet->picture->labels ? colours[kind % COLOURS] : "#fff",
        sheet->picture->count <= 2000 ? "0.8" : "0.2");
}

static void put_points(Sheet *sheet)
{
    const Picture *picture = sheet->picture;

    for (uint32_t kind = 0; kind <= picture->labels; kind++) {
        uint32_t count = 0;

        if (!any_of(picture, kind))
            continue;
        begin_marks(sheet, kind);
        for (size_t i = 0; i < picture->count; i++) {
            Spot at = {(double)picture->xy[2 * i], (double)picture->xy[2 * i + 1]};

            if (picture->class_of[i] != kind)
                continue;
            if (count++ && count % MOST_IN_PATH == 0) {
                put(sheet, "\"/>\n");
                begin_marks(sheet, kind);
            }
            put_mark(sheet, kind, on_sheet(sheet, at), mark_size(picture));
        }
        put(sheet, "\"/>\n");
    }
}

static void put_legend(Sheet *sheet)
{
    const Picture *picture = sheet->picture;
    double x = (double)picture->width - LEGEND + 8;
    uint32_t workspace = (uint32_t)(frame_height(picture) / LEGEND_LINE);

    for (uint32_t kind = 0; kind < picture->labels && kind < workspace; kind++) {
        double y = TOP + 12 + LEGEND_LINE * (double)kind;
        bool last = kind + 1 == workspace && kind + 1 < picture->labels;

        if (!last) {
            put(sheet, "<path fill=\"%s\" stroke=\"#000\" stroke-width=\"0.8\" d=\"", colours[kind % COLOURS]);
            put_mark(sheet, kind, (Spot){x, y}, 5);
            put(sheet, "\"/>\n");
        }
        put(sheet, "<text x=\"%f\" y=\"%f\">", x + 12, y + 4);
        if (last)
            put(sheet, "… %f more", (double)(picture->labels - kind));
        else
            put_name(sheet, picture->label[kind]);
        put(sheet, "</text>\n");
    }
}

/* ---- axes --------------------------------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, so that there are about so many pixels between two. */
static double tick_step(double range, double pixels)
{
    double wanted = range / fmax(pixels / 45, 1), power = pow(10, floor(log10(wanted))), share = wanted / power;

    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

static void put_tick(Sheet *sheet, int axis, double value, double step)
{
    const Box *box = &sheet->voronoi->box;
    Spot at = on_sheet(sheet, axis ? (Spot){box->left, value} : (Spot){value, box->bottom});
    char text[NUMBER_SIZE];

    if (fabs(value) < step / 2)
        value = 0;
    text[clv_format_rounded(text, value, 6)] = '\0';
    if (axis)
        put(sheet, "<path stroke=\"#000\" d=\"M%f %fh-5\"/><text x=\"%f\" y=\"%f\" text-anchor=\"end\">%s</text>\n",
            at.x, at.y, at.x - 8, at.y + 4, text);
    else
        put(sheet, "<path stroke=\"#000\" d=\"M%f %fv5\"/><text x=\"%f\" y=\"%f\" text-anchor=\"middle\">%s</text>\n",
            at.x, at.y, at.x, at.y + 18, text);
}

static void put_axis(Sheet *sheet, int axis)
{
    const Picture *picture = sheet->picture;
    const Box *box = &sheet->voronoi->box;
    double low = axis ? box->bottom : box->left, high = axis ? box->top : box->right;
    double step = tick_step(high - low, axis ? frame_height(picture) : frame_width(picture));
    double first = ceil(low / step);

    for (int i = 0; i < 100 && (first + i) * step <= high; i++)
        put_tick(sheet, axis, (first + i) * step, step);
    if (axis)
        put(sheet, "<text transform=\"translate(14 %f) rotate(-90)\" text-anchor=\"middle\">",
            TOP + frame_height(picture) / 2);
    else
        put(sheet, "<text x=\"%f\" y=\"%f\" text-anchor=\"middle\">", LEFT + frame_width(picture) / 2,
            (double)picture->height - 10);
    put_name(sheet, picture->axis[axis]);
    put(sheet, "</text>\n");
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static void put_all(Sheet *sheet)
{
    const Picture *picture = sheet->picture;

    put(sheet,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%f\" height=\"%f\" viewBox=\"0 0 %f %f\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n",
        (double)picture->width, (double)picture->height, (double)picture->width, (double)picture->height);
    put(sheet, "<rect width=\"%f\" height=\"%f\" fill=\"#fff\"/>\n", (double)picture->width, (double)picture->height);
    put(sheet, "<clipPath id=\"frame\"><rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/></clipPath>\n", (double)LEFT,
        (double)TOP, frame_width(picture), frame_height(picture));
    put(sheet, "<g clip-path=\"url(#frame)\">\n");
    put_regions(sheet);
    put_borders(sheet, false);
    put_borders(sheet, true);
    put_points(sheet);
    put(sheet, "</g>\n<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" fill=\"none\" stroke=\"#000\"/>\n",
        (double)LEFT, (double)TOP, frame_width(picture), frame_height(picture));
    put_axis(sheet, 0);
    put_axis(sheet, 1);
    put_legend(sheet);
    put(sheet, "</svg>\n");
    flush(sheet);
}

Status clv_svg_write(Context *context, const Picture *picture, const Voronoi *voronoi, Output *output,
                     cleave_error *error)
{
    Sheet sheet = {.context = context, .picture = picture, .voronoi = voronoi, .output = output, .error = error};

    put_all(&sheet);
    clv_free(context, sheet.text.data);
    return sheet.status;
}
