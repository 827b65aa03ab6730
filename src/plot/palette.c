#include "plot/palette.h"

#include <math.h>
#include <stdio.h>

static const Colour looks[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x8C8C8C};
enum { LOOKS = sizeof looks / sizeof *looks };
_Static_assert(LOOKS == (size_t)CLEAVE_PLOT_COLORS, "the public header has their number");

Colour clv_look_colour(size_t look)
{
    return looks[look % LOOKS];
}

/* Past the eighth, a colour comes again with another mark. */
Mark clv_look_mark(size_t look)
{
    return (Mark)((look + look / LOOKS) % MARKS);
}

Dash clv_look_dash(size_t look)
{
    return (Dash)((look + look / LOOKS) % DASHES);
}

static unsigned part(Colour colour, unsigned shift)
{
    return colour >> shift & 255;
}

Colour clv_blend(Colour first, Colour second, double share)
{
    Colour mixed = 0;

    for (unsigned shift = 0; shift < 24; shift += 8)
        mixed |= (Colour)(part(first, shift) * (1 - share) + part(second, shift) * share + 0.5) << shift;
    return mixed;
}

static Colour between(const Colour *anchors, size_t count, double share)
{
    double at = fmin(fmax(share, 0), 1) * (double)(count - 1);
    size_t below = (size_t)at;

    return below + 1 < count ? clv_blend(anchors[below], anchors[below + 1], at - (double)below) : anchors[count - 1];
}

Colour clv_number_colour(double share)
{
    static const Colour viridis[] = {0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C,
                                     0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725};

    return isnan(share) ? 0xDDDDDD : between(viridis, sizeof viridis / sizeof *viridis, share);
}

Colour clv_shade(double share)
{
    static const Colour blues[] = {0xFFFFFF, 0xC6DBEF, 0x6BAED6, 0x2171B5, 0x08306B};

    return isnan(share) ? WHITE : between(blues, sizeof blues / sizeof *blues, share);
}

bool clv_is_dark(Colour colour)
{
    return 0.299 * part(colour, 16) + 0.587 * part(colour, 8) + 0.114 * part(colour, 0) < 140;
}

const char *clv_fit_text(Canvas *canvas, const char *text, double width, double size, char buffer[FITTED_SIZE])
{
    size_t length = strlen(text);

    if (length < FITTED_SIZE && clv_canvas_text_width(canvas, text, size, false) <= width)
        return text;
    if (length > FITTED_SIZE - 4)
        length = FITTED_SIZE - 4;
    for (; length > 0; length--) {
        if (((unsigned char)text[length] & 0xC0) == 0x80)
            continue; /* in the middle of a character */
        snprintf(buffer, FITTED_SIZE, "%.*s\xE2\x80\xA6", (int)length, text);
        if (clv_canvas_text_width(canvas, buffer, size, false) <= width)
            return buffer;
    }
    return "";
}
