/* The metrics of test as text, tables and JSON. */
#ifndef CLI_REPORT_METRICS_TEXT_H
#define CLI_REPORT_METRICS_TEXT_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

/* Number of the most important features by permutation that are shown: --permutation. */
enum { TOP_FEATURES = 30 };
typedef struct {
    size_t count, column[TOP_FEATURES];
    double importance[TOP_FEATURES];
} Permuted;

/* The result of an evaluation. pictures is NULL without --report, permuted without
 * --permutation. */
typedef struct {
    const cleave_model *model;
    const cleave_evaluation *evaluation;
    const cleave_evaluation_details *details;
    const cleave_evaluation_plots *pictures;
    const Permuted *permuted;
} Tested;

/* The sections that cli_metrics_tables prints, as a part of cli_metrics_json. */
typedef struct {
    bool metrics, per_class, confusion, thresholds, full;
    bool permutation;
} TestFlags;

/* Prints the first lines, which are always shown. */
void cli_metrics_brief(Out *out, const cleave_evaluation *evaluation,
                       const cleave_evaluation_details *details);
void cli_metrics_tables(Out *out, const TestFlags *wanted, const cleave_evaluation *evaluation,
                        const cleave_evaluation_details *details);
void cli_metrics_json(Json *json, const TestFlags *wanted, const cleave_evaluation *evaluation,
                      const cleave_evaluation_details *details);

/* test_json.c: writes the data of the charts of an HTML report and a description of the model. */
void cli_pictures_json(Json *json, const cleave_evaluation_details *details,
                       const cleave_evaluation_plots *pictures);
void cli_tested_model_json(Json *json, const Tested *tested);

#endif
