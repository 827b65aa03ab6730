#include "cli/report/page.h"

#include "cli/report/page_parts.h"
#include "cli/ui/human_numbers.h"

#include <string.h>

static const char licence[] =
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated "
    "documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation "
    "the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to "
    "permit persons to whom the Software is furnished to do so, subject to the following conditions: The above "
    "copyright notice and this permission notice shall be included in all copies or substantial portions of the "
    "Software. THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT "
    "LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT "
    "SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF "
    "CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS "
    "IN THE SOFTWARE.";

const char *cli_page_library(void)
{
    return cli_chart_js_size ? "Chart.js " CHARTJS_VERSION : "no Chart.js";
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

/* Characters with a meaning in HTML elements and quoted attributes, after the escapes of a line. */
void cli_page_text(Page *page, const char *text)
{
    while (*text) {
        size_t length = cli_character_length(text), size;
        char shown[16];
        const char *instead = *text == '<'    ? "&lt;"
                              : *text == '>'  ? "&gt;"
                              : *text == '&'  ? "&amp;"
                              : *text == '"'  ? "&quot;"
                              : *text == '\'' ? "&#39;"
                                              : NULL;

        length = length ? length : 1;
        size = cleave_escape(text, length, CLEAVE_ESCAPE_LINE, shown, sizeof shown);
        cli_write(page->out, instead ? instead : shown, instead ? strlen(instead) : size);
        text += length;
    }
}

static void element(Page *page, const char *open, const char *text, const char *close)
{
    cli_put(page->out, open);
    cli_page_text(page, text);
    cli_put(page->out, close);
}

/* ---- the page ----------------------------------------------------------------------------------------------------- */

static void put_part(Page *page, const char *open, const unsigned char *bytes, size_t size, const char *close)
{
    cli_put(page->out, open);
    cli_write(page->out, (const char *)bytes, size);
    cli_put(page->out, close);
}

void cli_page_begin(Page *page, Out *out, const char *title, const char *origin)
{
    *page = (Page){.out = out};
    cli_put(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n");
    element(page, "<title>", title, "</title>\n");
    put_part(page, "<style>\n", cli_page_css, cli_page_css_size, "</style>\n</head>\n<body>\n<header>\n");
    element(page, "<p class=\"origin\">", origin, "</p>\n");
    element(page, "<h1>", title, "</h1>\n");
    cli_put(
        out,
        "<button type=\"button\" id=\"theme\" hidden>dark</button>\n</header>\n<main>\n"
        "<noscript><p class=\"note\">Charts are drawn by the script in this page, and scripts are off.</p></noscript>\n");
}

static void end_charts(Page *page)
{
    if (page->in_charts)
        cli_put(page->out, "</div>\n");
    page->in_charts = false;
}

static void end_section(Page *page)
{
    end_charts(page);
    if (page->in_section)
        cli_put(page->out, "</section>\n");
    page->in_section = false;
}

void cli_page_section(Page *page, const char *title)
{
    end_section(page);
    element(page, "<section>\n<h2>", title, "</h2>\n");
    page->in_section = true;
}

void cli_page_end(Page *page)
{
    end_section(page);
    if (page->charts && !cli_chart_js_size)
        cli_page_note(page,
                      "This cleave was built without Chart.js: charts are plain drawings. Install libjs-chart.js and "
                      "build it again for those that answer to the pointer.");
    element(page, "</main>\n<footer>\n<p>Made by cleave ", cleave_version(),
            ". Everything is in this page: it needs no network.</p>\n");
    if (page->charts && cli_chart_js_size) {
        element(page, "<details><summary>Charts are drawn by ", cli_page_library(), "</summary>\n");
        element(page, "<p class=\"licence\">The MIT License. Copyright 2014-2022 Chart.js Contributors.\n\n", licence,
                "</p></details>\n");
    }
    cli_put(page->out, "</footer>\n");
    if (page->charts && cli_chart_js_size)
        put_part(page, "<script>\n", cli_chart_js, cli_chart_js_size, "\n</script>\n");
    put_part(page, "<script>\n", cli_page_js, cli_page_js_size, "</script>\n</body>\n</html>\n");
}

/* ---- paragraphs and facts ----------------------------------------------------------------------------------------- */

void cli_page_paragraph(Page *page, const char *text)
{
    end_charts(page);
    element(page, "<p>", text, "</p>\n");
}

void cli_page_note(Page *page, const char *text)
{
    end_charts(page);
    element(page, "<p class=\"note\">", text, "</p>\n");
}

void cli_page_verdict(Page *page, PageTone tone, const char *text)
{
    static const char *const open[] = {"<p class=\"verdict good\">", "<p class=\"verdict unsure\">",
                                       "<p class=\"verdict bad\">", "<p class=\"verdict\">"};

    element(page, open[tone], text, "</p>\n");
}

void cli_page_verdict_more(Page *page, const char *text)
{
    element(page, "<p class=\"more\">", text, "</p>\n");
}

void cli_page_facts(Page *page)
{
    cli_put(page->out, "<dl class=\"facts\">\n");
}

void cli_page_fact(Page *page, const char *name, const char *value)
{
    element(page, "<div><dt>", name, "</dt>");
    element(page, "<dd>", value, "</dd></div>\n");
}

void cli_page_long_fact(Page *page, const char *name, const char *value, bool command)
{
    element(page, command ? "<div class=\"wide command\"><dt>" : "<div class=\"wide\"><dt>", name, "</dt>");
    element(page, "<dd>", value, "</dd></div>\n");
}

void cli_page_facts_end(Page *page)
{
    cli_put(page->out, "</dl>\n");
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

void cli_page_table(Page *page, const char *caption, const char *const *heads, size_t columns)
{
    end_charts(page);
    cli_put(page->out, "<div class=\"box\" tabindex=\"0\"><table>\n");
    element(page, "<caption><span>", caption, "</span></caption>\n<thead><tr>");
    page->columns = columns < PAGE_COLUMNS ? columns : PAGE_COLUMNS;
    page->column = 0;
    for (size_t c = 0; c < page->columns; c++) {
        page->text[c] = *heads[c] == '<';
        element(page, page->text[c] ? "<th scope=\"col\" class=\"t\">" : "<th scope=\"col\">", heads[c] + page->text[c],
                "</th>");
    }
    cli_put(page->out, "</tr></thead>\n<tbody>\n");
}

enum { LONGEST_CELL = 80 }; /* characters; what is longer is there for who points at it */

/* Bytes of the first so many characters. */
static size_t head_of(const char *text)
{
    size_t at = 0;

    for (size_t characters = 0; text[at] && characters < LONGEST_CELL; characters++)
        for (at++; ((unsigned char)text[at] & 0xC0) == 0x80;)
            at++;
    return at;
}

static bool is_head(const Page *page)
{
    return page->column == 0 && page->text[0];
}

static void next_cell(Page *page)
{
    if (++page->column < page->columns)
        return;
    cli_put(page->out, "</tr>\n");
    page->column = 0;
}

/* A long one is cut, and has all of it for a title. */
static void put_cell_text(Page *page, const char *text)
{
    size_t length = head_of(text);
    char head[4 * LONGEST_CELL + 1];

    if (!text[length] || length >= sizeof head) {
        cli_put(page->out, ">");
        cli_page_text(page, text);
        return;
    }
    element(page, " title=\"", text, "\">");
    memcpy(head, text, length);
    head[length] = '\0';
    element(page, "", head, "…");
}

static void begin_cell(Page *page, const char *text)
{
    cli_put(page->out, page->column == 0 ? "<tr>" : "");
    cli_put(page->out, is_head(page)              ? "<th scope=\"row\" class=\"t\""
                       : page->text[page->column] ? strchr(text, ' ') ? "<td class=\"t\"" : "<td class=\"n\""
                                                  : "<td");
}

static void end_cell(Page *page)
{
    cli_put(page->out, is_head(page) ? "</th>" : "</td>");
    next_cell(page);
}

void cli_page_cell(Page *page, const char *text)
{
    begin_cell(page, text);
    put_cell_text(page, text);
    end_cell(page);
}

void cli_page_whole_cell(Page *page, const char *text)
{
    begin_cell(page, text);
    element(page, ">", text, "");
    end_cell(page);
}

void cli_page_bar_cell(Page *page, const char *text, double part)
{
    double width = part < 0 ? -part : part;

    cli_print(page->out, "%s<td class=\"b\"><span class=\"bar %s\" style=\"--part:%.3f\"></span>",
              page->column == 0 ? "<tr>" : "", part < 0 ? "minus" : "plus", width < 1 ? width : 1);
    cli_page_text(page, text);
    cli_put(page->out, "</td>");
    next_cell(page);
}

void cli_page_table_end(Page *page)
{
    cli_put(page->out, "</tbody>\n</table></div>\n");
}

/* ---- pictures */

static void put_base64(Out *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned long three = (unsigned long)bytes[i] << 16 | (left > 1 ? (unsigned long)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? bytes[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};

        cli_write(out, four, sizeof four);
    }
}

void cli_page_picture(Page *page, const char *title, const char *type, const char *bytes, size_t size)
{
    end_charts(page);
    element(page, "<figure class=\"picture\"><img alt=\"", title, "\" src=\"data:");
    cli_put(page->out, type);
    cli_put(page->out, ";base64,");
    put_base64(page->out, (const unsigned char *)bytes, size);
    cli_put(page->out, "\"></figure>\n");
}
