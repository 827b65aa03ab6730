#include "plot/palette.h"

#include <math.h>
#include <stdio.h>

static const Color looks[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                              0xE69F00, 0x56B4E9, 0x000000, 0x8C8C8C};
enum { LOOKS = sizeof looks / sizeof *looks };
_Static_assert(LOOKS == (size_t)CLEAVE_PLOT_COLORS, "CLEAVE_PLOT_COLORS is the number of colors");

Color clv_look_color(size_t look)
{
    return looks[look % LOOKS];
}

/* After the eighth color, colors repeat with another mark. */
Mark clv_look_mark(size_t look)
{
    return (Mark)((look + look / LOOKS) % MARKS);
}

Dash clv_look_dash(size_t look)
{
    return (Dash)((look + look / LOOKS) % DASHES);
}

static unsigned part(Color color, unsigned shift)
{
    return color >> shift & 255;
}

Color clv_blend(Color first, Color second, double share)
{
    Color mixed = 0;

    for (unsigned shift = 0; shift < 24; shift += 8)
        mixed |= (Color)(part(first, shift) * (1 - share) + part(second, shift) * share + 0.5)
                 << shift;
    return mixed;
}

static Color between(const Color *anchors, size_t count, double share)
{
    double at = fmin(fmax(share, 0), 1) * (double)(count - 1);
    size_t below = (size_t)at;

    return below + 1 < count ? clv_blend(anchors[below], anchors[below + 1], at - (double)below)
                             : anchors[count - 1];
}

Color clv_number_color(double share)
{
    static const Color viridis[] = {0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C,
                                    0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725};

    return isnan(share) ? 0xDDDDDD : between(viridis, sizeof viridis / sizeof *viridis, share);
}

Color clv_shade(double share)
{
    static const Color blues[] = {0xFFFFFF, 0xC6DBEF, 0x6BAED6, 0x2171B5, 0x08306B};

    return isnan(share) ? WHITE : between(blues, sizeof blues / sizeof *blues, share);
}

bool clv_is_dark(Color color)
{
    return 0.299 * part(color, 16) + 0.587 * part(color, 8) + 0.114 * part(color, 0) < 140;
}

const char *clv_fit_text(Canvas *canvas, const char *text, double width, double size,
                         char buffer[FITTED_SIZE])
{
    size_t length = strlen(text);

    if (length < FITTED_SIZE && clv_canvas_text_width(canvas, text, size, false) <= width)
        return text;
    if (length > FITTED_SIZE - 4)
        length = FITTED_SIZE - 4;
    for (; length > 0; length--) {
        if (((unsigned char)text[length] & 0xC0) == 0x80)
            continue; /* the cut would be inside a character */
        snprintf(buffer, FITTED_SIZE, "%.*s\xE2\x80\xA6", (int)length, text);
        if (clv_canvas_text_width(canvas, buffer, size, false) <= width)
            return buffer;
    }
    return "";
}
