/* Tables of options as text: in help, in 'methods' and in the manual pages. */
#ifndef CLI_UI_PARAMS_H
#define CLI_UI_PARAMS_H

#include "cli/ui/call.h"
#include "cli/ui/json.h"

#define PAGE_WIDTH 80

/* The placeholder for a value: "NUMBER", "N", "FILE", "plain|averaged|voted", or "DISTANCE" for a
 * long list; empty for a flag. */
#define METAVAR_SIZE 160
const char *cli_metavar(const cleave_param *param, char buffer[METAVAR_SIZE]);

/* Default and range: "default 1; above 0"; may be empty. */
#define DOMAIN_SIZE 128
const char *cli_domain(const cleave_param *param, char buffer[DOMAIN_SIZE]);
/* The search space of tune: "0.001 to 1000, log scale, if lambda=0"; empty: not searched by
 * default. */
#define TUNING_SIZE 192
const char *cli_tuning(const cleave_param *param, char buffer[TUNING_SIZE]);
const char *cli_scale_name(cleave_tune_scale scale);
/* NULL: there is no default */
const char *cli_default(const cleave_param *param, char buffer[DOMAIN_SIZE]);

/* "-o, --output TEXT" */
#define SYNOPSIS_SIZE 256
const char *cli_synopsis(const cleave_param *param, char buffer[SYNOPSIS_SIZE]);

/* The synopsis of a parameter in a pipeline: "degree=N". */
const char *cli_pipeline_synopsis(const cleave_param *param, char buffer[SYNOPSIS_SIZE]);

/* The first line of an option's help is a sentence; further lines are details. */
#define HELP_SIZE 160
const char *cli_help_line(const cleave_param *param, char buffer[HELP_SIZE]);

/* A sentence "One of euclidean, manhattan, lr." if the synopsis does not list the values; otherwise
 * empty. */
const char *cli_values(const cleave_param *param, char buffer[HELP_SIZE]);

/* Prints " NAME brief". The briefs are aligned; width is that of the longest name, by
 * cli_longer. */
void cli_print_item(Out *out, size_t indent, size_t width, const char *name, const char *brief);
size_t cli_longer(size_t width, const char *name);

/* Prints one option: its synopsis, its help with default and range, and optionally the details. */
void cli_print_param(Out *out, const cleave_param *param, bool details);

/* Prints a titled list with details, or nothing if the table is empty. */
void cli_param_list(Out *out, const char *title, const cleave_param *params);

/* Prints the options of a method: those that limit the length of training, then its own. */
void cli_method_param_list(Out *out, const char *title, const cleave_method_info *method);

/* Prints the parameters of a transform. */
void cli_step_param_list(Out *out, const char *title, const cleave_param *params);

/* Writes a parameter as an object. flag: its name as on the command line. */
void cli_json_param(Json *json, const cleave_param *param, bool is_flag);

const char *cli_type_name(const cleave_param *param);

#endif
