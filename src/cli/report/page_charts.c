#include "cli/report/page_charts.h"

#include "cli/ui/human_numbers.h"

#include <math.h>

/* Six digits: more than a screen can show. */
static void put_number(Json *json, double value)
{
    char text[HUMAN_SIZE];

    cli_json_raw(json, isfinite(value) ? cli_short(value, text) : "null");
}

static void put_text(Page *page, const char *open, const char *text, const char *close)
{
    cli_put(page->out, open);
    cli_page_text(page, text);
    cli_put(page->out, close);
}

static void put_frame(Json *json, const ChartFrame *frame)
{
    cli_json_put_string(json, "x", frame->x);
    cli_json_put_string(json, "y", frame->y);
    cli_json_put_bool(json, "unitX", frame->unit_x);
    cli_json_put_bool(json, "unitY", frame->unit_y);
    cli_json_put_bool(json, "logarithmic", frame->logarithmic);
    cli_json_put_bool(json, "fromZero", frame->from_zero);
}

void cli_chart_begin(ChartPen *pen, Page *page, const ChartFrame *frame)
{
    *pen = (ChartPen){.page = page, .json = {.out = page->out, .in_html = true}};
    if (!page->in_charts)
        cli_put(page->out, "<div class=\"charts\">\n");
    page->in_charts = true;
    page->charts++;
    cli_put(page->out, frame->names ? "<figure class=\"chart wide\">\n" : "<figure class=\"chart\">\n");
    put_text(page, "<h3>", frame->title, "</h3>\n");
    put_text(page, "<div class=\"canvas\"><canvas role=\"img\" aria-label=\"", frame->title, "\"></canvas></div>\n");
    if (frame->caption)
        put_text(page, "<figcaption>", frame->caption, "</figcaption>\n");
    cli_put(page->out, "<script type=\"application/json\">");
    cli_json_open(&pen->json, '{');
    put_frame(&pen->json, frame);
}

void cli_chart_names(ChartPen *pen, const char *const *names, size_t count)
{
    cli_json_key(&pen->json, "names");
    cli_json_open(&pen->json, '[');
    for (size_t i = 0; i < count; i++)
        cli_json_string(&pen->json, names[i]);
    cli_json_close(&pen->json, ']');
}

static void end_series(ChartPen *pen)
{
    if (!pen->in_series)
        return;
    cli_json_close(&pen->json, ']');
    cli_json_close(&pen->json, '}');
}

void cli_chart_series(ChartPen *pen, const char *name, ChartStyle style)
{
    static const char *const styles[] = {"line", "steps", "points", "reference", "ranges"};
    Json *json = &pen->json;

    end_series(pen);
    if (!pen->in_series) {
        cli_json_key(json, "series");
        cli_json_open(json, '[');
    }
    pen->in_series = true;
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", name);
    cli_json_put_string(json, "style", styles[style]);
    cli_json_key(json, "points");
    cli_json_open(json, '[');
}

static void put_numbers(ChartPen *pen, const double *numbers, size_t count)
{
    cli_json_open(&pen->json, '[');
    for (size_t i = 0; i < count; i++)
        put_number(&pen->json, numbers[i]);
    cli_json_close(&pen->json, ']');
}

void cli_chart_point(ChartPen *pen, double x, double y)
{
    put_numbers(pen, (double[]){x, y}, 2);
}

void cli_chart_range(ChartPen *pen, double x, double y, double low, double high)
{
    put_numbers(pen, (double[]){x, y, low, high}, 4);
}

static void end_all_series(ChartPen *pen)
{
    end_series(pen);
    if (pen->in_series)
        cli_json_close(&pen->json, ']');
    pen->in_series = false;
}

void cli_chart_mark(ChartPen *pen, double x, const char *text)
{
    Json *json = &pen->json;

    end_all_series(pen);
    if (!pen->in_marks) {
        cli_json_key(json, "marks");
        cli_json_open(json, '[');
    }
    pen->in_marks = true;
    cli_json_open(json, '{');
    cli_json_key(json, "x");
    put_number(json, x);
    cli_json_put_string(json, "text", text);
    cli_json_close(json, '}');
}

void cli_chart_end(ChartPen *pen)
{
    end_all_series(pen);
    if (pen->in_marks)
        cli_json_close(&pen->json, ']');
    cli_json_close(&pen->json, '}');
    cli_put(pen->page->out, "</script>\n</figure>\n");
}
