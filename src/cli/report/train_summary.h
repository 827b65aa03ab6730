/* Summaries and JSON that several verbs share. */
#ifndef CLI_REPORT_TRAIN_SUMMARY_H
#define CLI_REPORT_TRAIN_SUMMARY_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

/* The unit of report->epochs: epochs, iterations of a batch solver, boosting rounds or trees. */
typedef struct {
    const char *key;        /* name of the member in JSON */
    const char *one, *many; /* names in text */
    const char *flag;       /* the option that limits it */
} EpochUnit;

const EpochUnit *cli_unit(const cleave_report *report);

/* "converged after 8 iterations", or the summary of the method; for a run that did not converge,
 * the option that ended it. */
#define ENDING_SIZE 512
const char *cli_ending(const Call *call, const cleave_report *report, char buffer[ENDING_SIZE]);

/* The members "converged", absent if convergence is not defined for the method, and
 * "stopped_by". */
void cli_json_ending(Json *json, bool converged, const char *stopped_by);

/* Whether training converged, its objective no longer decreased, early stopping ended it, or it
 * completed. */
bool cli_ended_well(const cleave_report *report);

/* Whether a step of the pipeline scales the features. */
bool cli_is_scaled(const cleave_model *model);

/* A hint for a run that did not end well; may be empty. */
const char *cli_ending_hint(const Call *call, const cleave_report *report,
                            char buffer[ENDING_SIZE]);

/* Prints a result as text or as one JSON object to standard output, or to standard error if
 * standard output holds the data. cli_tell_done prints no text with --quiet. */
typedef void Telling(Out *out, const Call *call, const void *facts);
int cli_tell(Call *call, Telling *as_text, Telling *as_json, const void *facts);
int cli_tell_done(Call *call, Telling *as_text, Telling *as_json, const void *facts);

/* Writes "warnings": [{"message": …, "hint": …}], and "report" with --report. An HTML report has
 * neither. */
void cli_json_remarks(Json *json, const Call *call);
/* Writes the member `guesses`: properties guessed from the data of cli_open, which must still be
 * open. */
void cli_json_guesses(Json *json, const Call *call);
void cli_json_guess_list(Json *json, const cleave_guess *guesses, size_t count);

/* Print the summary or the JSON of train, of convert --describe, and of convert and generate. */
int cli_report_training(Call *call, cleave_model *model, cleave_report *report);
int cli_report_description(Call *call, const cleave_description *found);
int cli_report_conversion(Call *call, const cleave_conversion *done, const char *path);

/* A statistic of the report; NaN if it does not exist. */
double cli_figure(const cleave_report *report, const char *name);

/* leakage_text.c: prints columns that alone almost determine the label. */
void cli_suspect(Out *out, const cleave_suspect_column *suspect);
void cli_json_suspects(Json *json, const cleave_suspect_column *suspects, size_t count);

#endif
