#include "plot/animation.h"

#include "plot/charts.h"

#include <stdio.h>

static const double SECONDS = 0.8; /* per frame */

typedef struct {
    Context *context;
    Buffer svg; /* a frame as cairo writes it */
    cleave_write_callback write;
    void *user;
    cleave_error *error;
} Animation;

static Status keep(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Animation *animation = user;

    return clv_buffer_add(animation->context, &animation->svg, bytes, size, error);
}

static Status put(Animation *animation, const char *text)
{
    return animation->write(animation->user, text, strlen(text), animation->error);
}

static Status draw_frame(Animation *animation, const cleave_plot *frame)
{
    Canvas *canvas;
    Status status, drawn;

    animation->svg.size = 0;
    TRY(clv_canvas_open(animation->context, "svg", (double)frame->width, (double)frame->height,
                        keep, animation, &canvas, animation->error));
    drawn = clv_plot_draw(animation->context, frame, canvas, animation->error);
    status = clv_canvas_close(canvas, drawn == OK ? animation->error : NULL);
    TRY(drawn);
    TRY(status);
    return clv_buffer_add(animation->context, &animation->svg, "", 1, animation->error);
}

/* Writes the frame with the identifiers of its glyphs and clips made unique in the document. */
static Status put_renamed(Animation *animation, const char *at, size_t number)
{
    static const char *const marks[] = {" id=\"", "href=\"#", "url(#"};

    for (;;) {
        const char *next = NULL;
        char prefix[24];
        size_t length = 0;

        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            const char *found = strstr(at, marks[i]);

            if (found && (!next || found < next)) {
                next = found;
                length = strlen(marks[i]);
            }
        }
        if (!next)
            return put(animation, at);
        TRY(animation->write(animation->user, at, (size_t)(next - at) + length, animation->error));
        snprintf(prefix, sizeof prefix, "f%zu-", number);
        TRY(put(animation, prefix));
        at = next + length;
    }
}

/* The frame is visible for its share of the time; without animation, the last one is. */
static Status put_frame(Animation *animation, size_t number, size_t count)
{
    const char *svg = animation->svg.data, *body = strstr(svg, "<svg");
    bool first = number == 0, last = number + 1 == count;
    double from = (double)number / (double)count, to = (double)(number + 1) / (double)count;
    char times[64], head[400];

    if (!body)
        return clv_fail(animation->error, CLEAVE_ERROR_INTERNAL, "cairo wrote no SVG");
    if (first || last)
        snprintf(times, sizeof times, "0;%.6f", first ? to : from);
    else
        snprintf(times, sizeof times, "0;%.6f;%.6f", from, to);
    snprintf(head, sizeof head, "<g visibility=\"%s\">\n", last ? "visible" : "hidden");
    TRY(put(animation, head));
    if (count > 1) {
        snprintf(head, sizeof head,
                 "<animate attributeName=\"visibility\" calcMode=\"discrete\" values=\"%s\" "
                 "keyTimes=\"%s\" dur=\"%.1fs\" repeatCount=\"indefinite\"/>\n",
                 first  ? "visible;hidden"
                 : last ? "hidden;visible"
                        : "hidden;visible;hidden",
                 times, SECONDS * (double)count);
        TRY(put(animation, head));
    }
    TRY(put_renamed(animation, body, number + 1));
    return put(animation, "</g>\n");
}

static Status draw_frames(Animation *animation, const cleave_plot *plot)
{
    char head[300];

    snprintf(head, sizeof head,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%zupx\" height=\"%zupx\" "
             "viewBox=\"0 0 %zu %zu\" version=\"1.1\">\n",
             plot->width, plot->height, plot->width, plot->height);
    TRY(put(animation, head));
    for (size_t i = 0; i < plot->frame_count; i++) {
        cleave_plot frame = plot->frames[i];

        frame.width = plot->width;
        frame.height = plot->height;
        TRY(draw_frame(animation, &frame));
        TRY(put_frame(animation, i, plot->frame_count));
    }
    return put(animation, "</svg>\n");
}

Status clv_animation_draw(Context *context, const cleave_plot *plot, cleave_write_callback write,
                          void *user, cleave_error *error)
{
    Animation animation = {.context = context, .write = write, .user = user, .error = error};
    Status status = draw_frames(&animation, plot);

    clv_free(context, animation.svg.data);
    return status;
}
