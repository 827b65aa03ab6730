/* What is said about finished work, to people and as JSON. */
#ifndef CLI_REPORT_TRAIN_SUMMARY_H
#define CLI_REPORT_TRAIN_SUMMARY_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

/* "separated after 4 mistakes in 2 rounds", or what the method itself says; of a run that did not converge, how many are
 * still wrong and which rule ended it. Empty for a stream that came to its end. */
#define ENDING_SIZE 512
const char *cli_ending(const Call *call, const cleave_report *report, char buffer[ENDING_SIZE]);

/* "converged", which is left out where the method has no optimum to converge to, and "stopped_by". */
void cli_json_ending(Json *json, bool converged, const char *stopped_by);

/* Whether the run ended by itself: it converged, its objective no longer decreased, or its work was done. */
bool cli_ended_well(const cleave_report *report);

/* What may help a run that did not; empty where nothing does. */
const char *cli_ending_hint(const Call *call, const cleave_report *report, char buffer[ENDING_SIZE]);

/* Says what work came to, as text or as one JSON object: on standard output, or on standard error where that has the work itself.
 * cli_tell_done is for what was written to a file, of which --quiet says nothing; cli_tell for what was asked to be known. */
typedef void Telling(Out *out, const Call *call, const void *facts);
int cli_tell(Call *call, Telling *as_text, Telling *as_json, const void *facts);
int cli_tell_done(Call *call, Telling *as_text, Telling *as_json, const void *facts);

/* "warnings": [{"message": …, "hint": …}] */
void cli_json_remarks(Json *json, const Call *call);
/* The member `guesses`: what was guessed from the data that cli_open opened; it must still be open. */
void cli_json_guesses(Json *json, const Call *call);
void cli_json_guess_list(Json *json, const cleave_guess *guesses, size_t count);

/* The summary or the object of train. */
int cli_report_training(Call *call, cleave_model *model, cleave_report *report);

/* The summary or the object of convert and generate. */
/* In describe.c. */
int cli_report_description(Call *call, const cleave_description *found);
int cli_report_conversion(Call *call, const cleave_conversion *done, const char *path);

double cli_figure(const cleave_report *report, const char *name); /* NaN when there is none */

/* In suspect.c: a column that tells the label all but alone. */
void cli_suspect(Out *out, const cleave_suspect_column *suspect, bool numbers);
void cli_json_suspects(Json *json, const cleave_suspect_column *suspects, size_t count);

#endif
