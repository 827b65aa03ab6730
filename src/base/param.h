/*
 * Parameter tables: a struct of options and the table that describes it, written once. Flags, help,
 * range checks, the model's record of its parameters and the language bindings all come from the
 * table.
 *
 *     typedef struct { double learning_rate; bool learn_threshold; } Options;
 *
 *     static const Param params[] = {
 *         REAL(Options, learning_rate, 1, ABOVE(0), "Learning rate.", TUNE_LOG(0.01, 100)),
 *         FLAG(Options, learn_threshold, "Learn the threshold instead of fixing it at 0."),
 *         END_OF_PARAMS
 *     };
 */
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include "base/memory.h"

#include <math.h>

typedef cleave_param Param;

/* clang-format off */
/* Ranges. */
#define ANY .min = -INFINITY, .max = INFINITY
#define AT_LEAST(low) .min = (low), .max = INFINITY
#define ABOVE(low) .min = (low), .min_open = true, .max = INFINITY
#define WITHIN(low, high) .min = (low), .max = (high)

/* Fields: double, int64_t, bool, int (an index into the names), const char *. A tuning range may
 * follow the help text. */
#define REAL(structure, field, value, range, ...)                                                  \
    {.name = #field, .type = CLEAVE_REAL, .initial = (value), range, .offset = offsetof(structure, field),             \
     .help = __VA_ARGS__}
/* inf is also a value. */
#define REAL_OR_INF(structure, field, value, range, ...)                                           \
    {.name = #field, .type = CLEAVE_REAL, .initial = (value), range, .takes_inf = true,            \
     .offset = offsetof(structure, field), .help = __VA_ARGS__}
#define INTEGER(structure, field, value, range, ...)                                               \
    {.name = #field, .type = CLEAVE_INTEGER, .initial = (value), range, .offset = offsetof(structure, field),          \
     .help = __VA_ARGS__}
#define FLAG(structure, field, ...)                                                                \
    {.name = #field, .type = CLEAVE_FLAG, .offset = offsetof(structure, field), .help = __VA_ARGS__}
#define NAME(structure, field, value, names, ...)                                                  \
    {.name = #field, .type = CLEAVE_NAME, .initial = (value), .values = (names), .offset = offsetof(structure, field), \
     .help = __VA_ARGS__}
#define TEXT(structure, field, value, ...)                                                         \
    {.name = #field, .type = CLEAVE_TEXT, .text = (value), .offset = offsetof(structure, field), .help = __VA_ARGS__}
/* Text that the command reads from a file. */
#define FILE_TEXT(structure, field, value, ...)                                                    \
    {.name = #field, .type = CLEAVE_TEXT, .text = (value), .takes_file = true,                     \
     .offset = offsetof(structure, field), .help = __VA_ARGS__}

/* The tuning range: see cleave_param. Parameters without one are not tuned. */
#define TUNE_LINEAR(low, high) .tune = CLEAVE_TUNE_LINEAR, .tune_low = (low), .tune_high = (high)
#define TUNE_LOG(low, high) .tune = CLEAVE_TUNE_LOG, .tune_low = (low), .tune_high = (high)
#define TUNE_ALL .tune = CLEAVE_TUNE_CHOICES
#define TUNE_SOME(list) .tune = CLEAVE_TUNE_CHOICES, .tune_values = (list)
#define WHEN(others) .tune_when = (others)
#define FREER_UPWARDS(others) .tune_path = 1, .tune_path_when = (others)
#define FREER_DOWNWARDS(others) .tune_path = -1, .tune_path_when = (others)
/* The default in words, for an initial value that means a choice based on the data or on other
 * options. */
#define DEFAULT(words) .default_text = (words)
#define END_OF_PARAMS {.name = NULL}
/* clang-format on */

/* Fills the struct with the table's initial values. */
void clv_params_initial(const Param *params, void *options);

/* Sets one value from text, and checks its range. The text of a TEXT value is kept by reference. */
Status clv_param_set(const Param *param, void *options, const char *value, cleave_error *error);

/* Finds a parameter by name, where '-' and '_' are equal; NULL if there is none. */
const Param *clv_param_find(const Param *params, const char *name);

/* Formats the value for the model's record and for help: "0.5", "true", "averaged". Returns buffer,
 * or the TEXT value. */
#define PARAM_TEXT_SIZE 48
const char *clv_param_text(const Param *param, const void *options, char buffer[PARAM_TEXT_SIZE]);

/* The name of a flag, without the two leading dashes and with '-' for '_'. */
typedef struct {
    char text[64];
} FlagName;
FlagName clv_param_flag(const Param *param);

/* Names and values given by the caller, which are checked on use. */
struct NamedValue {
    char *name, *value;
};

struct cleave_options {
    Context *context;
    size_t count, capacity;
    struct NamedValue *list;
};

/* Copies the options to their own context; given may be NULL. */
Status clv_options_copy(Context *context, const cleave_options *given, cleave_options **copy,
                        cleave_error *error);

/* Fills two structs (the second table may be NULL) from the initial values and then the caller's
 * options (may be NULL). Fails for an unknown name, and suggests the nearest. */
Status clv_params_apply(const cleave_options *given, const Param *first, void *first_options,
                        const Param *second, void *second_options, cleave_error *error);

/* Parses "0.5", "1e-4", "1/3", "inf". Returns false if the text is not entirely a number. */
bool clv_parse_ratio(const char *text, double *value);

/* Parses a duration in seconds: "30", "30s", "5m", "1h", "1h30m", "1.5h". Returns false if it is
 * invalid or not positive. */
bool clv_parse_duration(const char *text, double *seconds);
/* Parses the value of a flag as a duration, and sets the error. `name` is that of the table. */
Status clv_duration(const char *name, const char *text, double *seconds, cleave_error *error);

#endif
