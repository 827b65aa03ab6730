/* Values of --metric as text and as JSON, for cv, tune and compare. */
#ifndef CLI_REPORT_METRIC_VALUE_H
#define CLI_REPORT_METRIC_VALUE_H

#include "cli/ui/human_numbers.h"
#include "cli/ui/json.h"

#include <cleave/expert.h>

#define METRIC_NAME_SIZE 300

#define TOO_FEW_ROWS "too few rows"
/* The reason why a metric has no interval, for text and JSON; NULL if it has one. */
const char *cli_no_interval(double value, double low, double high);

/* "1.25" for a percentage, "0.9312" for another fraction, six digits otherwise; "-" if
 * undefined. */
const char *cli_metric_text(const cleave_metric *metric, double value, char buffer[HUMAN_SIZE]);
/* "0.9312 (95 %: 0.9204 to 0.9409)", with the unit; "0.9312 (too few rows for an interval)". */
const char *cli_metric_interval(const cleave_metric *metric, const cleave_interval *value,
                                char buffer[4 * HUMAN_SIZE]);
/* "0.9204 to 0.9409", without the unit; "-" if there is no interval. */
const char *cli_metric_bounds(const cleave_metric *metric, const cleave_interval *value,
                              char buffer[4 * HUMAN_SIZE]);
/* Heading of a column: "error %", "AUC". */
const char *cli_metric_heading(const cleave_metric *metric, char buffer[HUMAN_SIZE]);
/* Name within a sentence: "F1 of 'spam'"; positive NULL: "AUC". */
const char *cli_metric_name(const cleave_metric *metric, const char *positive,
                            char buffer[METRIC_NAME_SIZE]);
/* Whether it is the default metric. */
bool cli_metric_is_default(const cleave_metric *metric);

/* Opens the object "metric" with its name and direction; value NULL: no value. The caller adds
 * members and closes it. */
void cli_json_metric_open(Json *json, const cleave_metric *metric, const char *positive,
                          const cleave_interval *value);
/* Adds members "low" and "high" of a value; if they are null, also "reason". */
void cli_json_bounds(Json *json, double value, double low, double high);
/* Adds an object with a value, no interval, and the reason. */
void cli_json_only_value(Json *json, const char *key, double value, const char *reason);
void cli_json_interval(Json *json, const char *key, const cleave_interval *value);

#endif
