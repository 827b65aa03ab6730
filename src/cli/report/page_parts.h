/* The parts of an HTML report: files of this folder and Chart.js, turned into arrays by
 * cmake/page.cmake. */
#ifndef CLI_REPORT_PAGE_PARTS_H
#define CLI_REPORT_PAGE_PARTS_H

#include <stddef.h>

extern const unsigned char cli_page_html[], cli_page_css[], cli_charts_js[], cli_report_js[],
    cli_chart_js[];
extern const size_t cli_page_html_size, cli_page_css_size, cli_charts_js_size, cli_report_js_size,
    cli_chart_js_size; /* size 0: built without Chart.js */

#endif
