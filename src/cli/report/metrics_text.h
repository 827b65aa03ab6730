/* What test has measured, beyond its first lines: as lines, tables and JSON. */
#ifndef CLI_REPORT_METRICS_TEXT_H
#define CLI_REPORT_METRICS_TEXT_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

typedef struct {
    const char *key, *name; /* for programs, for people */
    cleave_interval measure;
} NamedMeasure;

enum { MEASURES_OF_CLASSES = 12, MEASURE_COUNT = 15 }; /* the others are of numbers */
void cli_list_measures(const cleave_evaluation *judgement, NamedMeasure named[MEASURE_COUNT]);

/* Classes as people look them up, by the alphabet and numbers by size, with the past-the-last one at the end. */
typedef struct {
    const char *label;
    size_t number;
} ClassPlace;
ClassPlace *cli_order_classes(const cleave_evaluation_details *details); /* to be freed */

/* A line or two, always. */
void cli_measures_brief(Out *out, const cleave_evaluation *judgement, const cleave_evaluation_details *details);
/* By the flags of the call. */
void cli_measures_tables(Out *out, const Call *call, const cleave_evaluation *judgement,
                         const cleave_evaluation_details *details);
void cli_measures_json(Json *json, const Call *call, const cleave_evaluation *judgement,
                       const cleave_evaluation_details *details);

#endif
