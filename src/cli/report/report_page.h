/*
 * HTML reports. A report is one self-contained file: the template page.html with the style, the
 * scripts, and the JSON that --json prints. report.js builds the page of each verb from that JSON;
 * nothing in C writes HTML.
 */
#ifndef CLI_REPORT_REPORT_PAGE_H
#define CLI_REPORT_REPORT_PAGE_H

#include "cli/report/train_summary.h"

/* The flag, for the table of a verb. */
#define CLI_REPORT_FLAG                                                                            \
    {                                                                                              \
        .name = "report", .type = CLEAVE_TEXT,                                                     \
        .help = "Write an HTML report with charts to this file.",                                  \
        .offset = offsetof(Settings, report)                                                       \
    }

/* Writes the file of --report atomically; does nothing without the flag. as_json is the verb's
 * function for --json. Returns DONE, or a status after the message has been printed. */
int cli_report_write(Call *call, Telling *as_json, const void *facts);

/* "Chart.js 3.9.1", or "no Chart.js". */
const char *cli_page_library(void);

#endif
