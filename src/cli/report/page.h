/*
 * One HTML page that needs nothing else: style, script and charts are in it, nothing is fetched, and the same facts are the same bytes. It is written as it
 * comes, top to bottom, through an Out. Every text is escaped on its way: callers hand over what they have.
 *
 *     cli_page_begin(&page, &out, "title", "where it comes from");
 *     cli_page_verdict(&page, PAGE_GOOD, "…");
 *     cli_page_section(&page, "Measures");
 *     cli_page_table(&page, "caption", heads, 2); cli_page_cell(&page, "a"); cli_page_cell(&page, "b"); cli_page_table_end(&page);
 *     cli_page_end(&page);
 *
 * Charts are in page_charts.h.
 */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "cli/ui/call.h"
#include "cli/ui/output.h"

enum { PAGE_COLUMNS = 12 };

typedef struct {
    Out *out;
    bool in_section, in_charts;
    size_t charts;
    /* The table under way. */
    size_t columns, column;
    bool text[PAGE_COLUMNS];
} Page;

typedef enum { PAGE_GOOD, PAGE_UNSURE, PAGE_BAD, PAGE_PLAIN } PageTone;

void cli_page_begin(Page *page, Out *out, const char *title, const char *origin);
void cli_page_end(Page *page);

void cli_page_section(Page *page, const char *title); /* ends the one before */
void cli_page_text(Page *page, const char *text);     /* escaped, within whatever is open */
void cli_page_paragraph(Page *page, const char *text);
void cli_page_note(Page *page, const char *text);
/* The first says it all; later ones are smaller. */
void cli_page_verdict(Page *page, PageTone tone, const char *text);
void cli_page_verdict_more(Page *page, const char *text);

/* Names and values. */
void cli_page_facts(Page *page);
void cli_page_fact(Page *page, const char *name, const char *value);
/* One that takes the whole width; command: in the font of a terminal. */
void cli_page_long_fact(Page *page, const char *name, const char *value, bool command);
void cli_page_facts_end(Page *page);

/* A table that scrolls in its box. Heads that begin with '<' are of texts, and stand at the left. */
void cli_page_table(Page *page, const char *caption, const char *const *heads, size_t columns);
void cli_page_cell(Page *page, const char *text);
/* The same for a text that is never cut, however long it is. */
void cli_page_whole_cell(Page *page, const char *text);
/* A number with a bar behind it: the part of the longest, from -1 to 1. */
void cli_page_bar_cell(Page *page, const char *text, double part);
void cli_page_table_end(Page *page);

/* A picture of so many bytes, within the page. */
void cli_page_picture(Page *page, const char *title, const char *type, const char *bytes, size_t size);

/* "Chart.js 3.9.1", or "no Chart.js". */
const char *cli_page_library(void);

#endif
