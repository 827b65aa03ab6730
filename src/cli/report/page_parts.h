/* The bytes that pages carry with them: files of this folder and Chart.js, made into arrays by cmake/page.cmake. */
#ifndef CLI_REPORT_PAGE_PARTS_H
#define CLI_REPORT_PAGE_PARTS_H

#include <stddef.h>

extern const unsigned char cli_page_css[], cli_page_js[], cli_chart_js[];
extern const size_t cli_page_css_size, cli_page_js_size, cli_chart_js_size; /* 0: there is none */

#endif
