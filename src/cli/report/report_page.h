/* The HTML pages of verbs: what each shows, in the order a reader asks. See page.h for how they are made. */
#ifndef CLI_REPORT_REPORT_PAGE_H
#define CLI_REPORT_REPORT_PAGE_H

#include "cli/report/page.h"
#include "cli/ui/human_numbers.h"

/* The flag, for a verb's table. */
#define CLI_REPORT_FLAG                                                                                                \
    {                                                                                                                  \
        .name = "report", .type = CLEAVE_TEXT,                                                                         \
        .help = "also write all of it, with charts, as one HTML page that needs no network, to this file",             \
        .offset = offsetof(Settings, report)                                                                           \
    }

/* What test has found; pictures as of the same judgement. */
typedef struct {
    const Call *call;
    const cleave_model *model;
    const cleave_evaluation *judgement;
    const cleave_evaluation_details *details;
    const cleave_evaluation_plots *pictures;
} Tested;

/* Each writes the file of --report, whole or not at all. DONE, or a status when the message has been printed. */
int cli_report_test(Call *call, const Tested *tested);
int cli_report_cv(Call *call, const cleave_cv_result *result);
int cli_report_tune(Call *call, const cleave_tune_result *result);
int cli_report_compare(Call *call, const cleave_comparison *result);
int cli_report_plots(Call *call, cleave_plot *const *plots, size_t count);

/* ---- parts */

/* report_verdict.c: the answer first, in words. */
void cli_report_verdict(Page *page, const Tested *tested);
/* report_confusion.c: who is taken for whom. */
void cli_report_confusion(Page *page, const Tested *tested);
/* report_charts.c: curves, thresholds, scores, probabilities; of numbers, answers and residuals. */
void cli_report_charts(Page *page, const Tested *tested);
/* report_model.c: what the model has learned, as `explain` says it. */
void cli_report_model(Page *page, const cleave_model *model);

/* The file under way. */
typedef struct {
    Out out;
    Page page;
} PageFile;
int cli_page_file_open(Call *call, PageFile *file, const char *title, const char *origin);
int cli_page_file_close(Call *call, PageFile *file);

/* "a.csv, b.csv and 3 more": arguments from the first on. */
#define PATHS_SIZE 400
const char *cli_paths_text(const Call *call, size_t first, char buffer[PATHS_SIZE]);
/* Four digits and no exponent as long as it can be read: "68260", "0.6471". */
const char *cli_plain(double value, char buffer[HUMAN_SIZE]);
/* "0.8684 to 0.9216"; "-" where there is none. */
#define INTERVAL_SIZE 120
const char *cli_interval_text(const cleave_interval *measure, bool share, char buffer[INTERVAL_SIZE]);

#endif
