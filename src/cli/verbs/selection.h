/* Functions shared by the verbs cv, tune and compare: the sequence of steps, the first line of the
 * text, and the training command. */
#ifndef CLI_VERBS_SELECTION_H
#define CLI_VERBS_SELECTION_H

#include "cli/report/metric_value.h"
#include "cli/report/report_page.h"
#include "cli/report/train_summary.h"
#include "cli/ui/table.h"

typedef struct {
    size_t first_file; /* index of the first file among the arguments */
    cleave_code (*run)(Call *call, cleave_data *data, void **result);
    bool (*cancelled)(const void *result); /* the result of an interrupted run; NULL: it has none */
    Telling *as_text, *as_json;
    void (*free)(void *result);
} Selection;

/* Opens the data, runs, writes the report, and prints the result. */
int cli_run_selection(Call *call, const Selection *selection);

/* Flags of all selection verbs: --report. */
extern const cleave_param cli_selection_flags[];

/* Prints "svm on 900 rows in 5 folds of 40 groups". */
void cli_selection_head(Out *out, const char *method, uint64_t n, uint32_t folds, bool forward,
                        uint64_t groups);
/* Prints a message of the library as a sentence: with a capital letter, the hint after a semicolon,
 * and a full stop. */
void cli_put_sentence(Out *out, const char *text, const char *hint);

/* A growing text. Initialize it with zeros. */
typedef struct {
    char *text; /* text, which the caller frees; NULL: empty */
    size_t length, capacity;
} CommandText;

void cli_add(CommandText *words, const char *text);
/* Adds " --C 0.3", quoted for a shell. */
void cli_add_flag(CommandText *words, const cleave_param *param, const char *value);
/* The library's parameter for a flag of the call; NULL: none. */
const cleave_param *cli_param_of(const Call *call, const char *name);
/* Adds "cleave train METHOD FILE..." with the flags of the call, except those of the verb alone. */
void cli_add_train_command(CommandText *words, const Call *call, size_t first_file,
                           const char *method, const cleave_param *of_verb);

#endif
