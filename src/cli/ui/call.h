/*
 * One call of the command: the description of a verb, and its parsed arguments. main.c finds the
 * verb, flags.c reads the flags, session.c creates the library's context, and the file of the verb
 * does the work.
 */
#ifndef CLI_UI_CALL_H
#define CLI_UI_CALL_H

#include "cli/ui/progress.h"

#include <cleave/expert.h>

/* Return values of verbs, which are the exit statuses of the command. */
enum { DONE = 0, FAILED = 1, MISUSED = 2 };

/* The option tables of the library, one for each kind of call. */
enum {
    TABLE_READ,
    TABLE_TRAIN,
    TABLE_PREDICT,
    TABLE_TEST,
    TABLE_SEARCH,
    TABLE_CONVERT,
    TABLE_GENERATE,
    TABLE_PLAN,
    TABLE_BEGIN,
    TABLE_STREAM,
    TABLE_SPLIT,
    TABLE_CV,
    TABLE_TUNE,
    TABLE_COMPARE,
    TABLE_PLOT,
    TABLE_UPDATE,
    TABLE_EXPORT,
    TABLE_CROWD,
    TABLE_ACTIVE,
    TABLE_COUNT
};
#define TABLE_BIT(table) (1u << (table))

/* The option tables of the library, indexed by TABLE_…. Names, help and ranges of options have no
 * other source. */
typedef struct {
    const char *title;
    const cleave_param *(*params)(void);
} LibraryTable;
extern const LibraryTable cli_library_tables[TABLE_COUNT];

/* Values of the flags that several verbs share; NULL, false and 0 if not given. The values of a
 * verb's own flags are in a separate struct: see Verb.own_size and Call.own. */
typedef struct {
    bool help, help_all, json, quiet, scores;
    int64_t threads;
    const char *output, *report, *model, *from, *validation;
} Settings;

typedef struct Call Call;

typedef struct {
    const char *program; /* name of the program; NULL: cleave */
    const char *name;
    const char *arguments;       /* arguments in the usage line */
    const char *brief;           /* one sentence, for lists */
    const char *about;           /* a paragraph, for the help page */
    const char *const *examples; /* examples that run as printed; ends with NULL */
    /* Names of the options on its help page, separated by spaces; --help-all shows the others.
     * NULL: its own flags and those of its tables, except for reading data. */
    const char *common;
    const cleave_param *flags; /* of the command, see CLI_TEXT and CLI_OWN_TEXT; may be NULL */
    size_t own_size;           /* of the struct of its own flags */
    const char *replaces;      /* one of its own flags that hides an option of a table; or NULL */
    unsigned tables;           /* bit mask of the option tables of the library that it accepts */
    const char
        *method; /* the only method it trains, whose table joins TABLE_TRAIN; NULL: none, or … */
    /* the first argument is a method, whose table joins TABLE_TRAIN, TABLE_BEGIN or TABLE_STREAM */
    bool takes_method;
    /* whether it accepts a method; NULL: all are accepted */
    bool (*suits)(const cleave_method_info *method);
    const char *const *
        /* the second argument is a method if the first is one of these; ends with NULL */
        method_follows;
    const char *pair
        /* the first of these flags takes two words, and the second word is the value of the second
         * flag; NULL: none */
        [2];
    bool wants_output;   /* -o is required */
    bool replaces_model; /* -o may name the same file as --model */
    bool replaces_first; /* -o may name the same file as the first argument */
    bool shows_progress;
    bool shows_notes;   /* prints notes of the library, such as the detected label column */
    size_t least, most; /* minimum and maximum number of arguments */
    int (*run)(Call *call);
} Verb;

extern const Verb *const cli_verbs[]; /* all verbs; NULL at the end */
/* Groups of verbs in the order of 'cleave --help'; names are separated by spaces. Ends with title
 * NULL. */
typedef struct {
    const char *title, *verbs;
} VerbGroup;
extern const VerbGroup cli_verb_groups[];
const Verb *cli_verb_find(const char *name);
bool cli_verb_suits(const Verb *verb, const cleave_method_info *method);

/* A flag of the call. value is "true" or "false" if the flag takes none. */
typedef struct {
    const char *name, *value;
} Given;

/* A warning or note of the library, stored for --json. */
typedef struct {
    cleave_log_level level;
    char *message, *hint;
} Remark;

enum { MOST_OWNED = 4 };

struct Call {
    const Verb *verb;
    Settings settings;
    void *own; /* values of the verb's own flags; NULL before cli_parse, and if the verb has none */
    const char **arguments;
    size_t argument_count;
    Given *given;
    size_t given_count;
    cleave_method_info method; /* the method; name is NULL until it is known */

    cleave_context *context;
    cleave_options *options[TABLE_COUNT];
    cleave_error error;
    cleave_lock *lock; /* lock of the model that is written; NULL: none */
    /* Opened by cli_use_model and cli_use_data, freed by cli_end. */
    cleave_model *models[MOST_OWNED];
    cleave_data *datas[MOST_OWNED];
    size_t model_count, data_count;
    Progress progress;
    Remark *remarks;
    size_t remark_count;
    /* The file that an interrupted run leaves, or NULL; the flag that resumes from it, unless the
     * same command resumes. */
    const char *checkpoint, *resumed_by;
    bool scaled;       /* the training features of the model were standardized */
    bool keep_remarks; /* warnings are part of the JSON object, and not printed */
    /* printed warnings are also stored, because other ranks compare them with their own warnings */
    bool tell_remarks;
    const cleave_data
        *data; /* data last opened by cli_open, whose guesses are in the JSON object */
    /* an interrupt was handled, and further interrupts are ignored: the current operation
     * completes */
    bool deaf;
};

/* ---- flags.c */

/* The flags that every verb has. */
extern const cleave_param cli_common_flags[];

/* The tables of a verb in the order of its help: number from 0 on, NULL at the end. goes_to
 * receives a TABLE_…, or -1 for Settings. If the method is unknown, the list contains the tables of
 * all methods. */
const cleave_param *cli_flag_table(const Call *call, size_t number, int *goes_to);

/* Finds an option in all tables; NULL: it does not exist. */
const cleave_param *cli_flag_find(const Call *call, const char *name);

/* Parses the words after the verb. Returns DONE, or MISUSED after a message has been printed. */
int cli_parse(Call *call, int count, char **words);

/* Whether a flag without a value was given and not negated. name has '_' instead of '-'. */
bool cli_is_on(const Call *call, const char *name);
bool cli_was_given(const Call *call, const char *name);
/* The value of a flag, the last one if it was given several times; NULL: not given. */
const char *cli_value_of(const Call *call, const char *name);

const cleave_param *cli_param_find(const cleave_param *params, const char *name);

/* Whether the list, whose words are separated by blanks, contains the word. */
bool cli_in_list(const char *list, const char *word);

/* Writes the name of a flag, with '-' instead of '_'. */
#define FLAG_SIZE 64
const char *cli_flag(const char *name, char buffer[FLAG_SIZE]);
#define FLAG_NAME(name) cli_flag((name), (char[FLAG_SIZE]){0})

/* ---- session.c */

void cli_listen(void); /* installs the signal handlers */
void cli_prepare_heap(void);
bool cli_interrupted(void);
/* Exit status of an interrupted command: 128 and the number of the signal, as in shells. */
int cli_interrupted_status(void);

/* Creates the context and the library's options from the parsed arguments. */
int cli_begin(Call *call);
void cli_end(Call *call);

/*
 * The common steps of verbs. A verb checks its output, opens models and data, does its
 * work and reports:
 *
 *     CLI_TRY(cli_prepare_output(call));
 *     CLI_TRY(cli_use_model(call, call->arguments[0], &model));
 *     CLI_TRY(cli_use_data(call, model, 1, &data));
 *     CLI_TRY(cli_ok(call, cleave_...(model, data, ..., &call->error)));
 *     return cli_tell_done(call, print_text, print_json, &facts);
 */
#define CLI_TRY(expression)                                                                        \
    do {                                                                                           \
        int try_status_ = (expression);                                                            \
        if (try_status_ != DONE)                                                                   \
            return try_status_;                                                                    \
    } while (0)
/* Returns DONE, or prints call->error and returns its exit status. */
int cli_ok(Call *call, cleave_code code);
/* Calls cli_check_output, and stores warnings for the JSON object. */
int cli_prepare_output(Call *call);
/* Loads the model, or opens the data of the arguments from `first` on. cli_end frees them. */
int cli_use_model(Call *call, const char *path, cleave_model **model);
int cli_use_data(Call *call, const cleave_model *model, size_t first, cleave_data **data);

/* Defines a flag whose value is in Settings. */
#define CLI_TEXT(NAME, ...) CLI_ALIAS(NAME, NULL, __VA_ARGS__)
#define CLI_FLAG(NAME, HELP)                                                                       \
    {                                                                                              \
        .name = #NAME, .type = CLEAVE_FLAG, .help = (HELP), .offset = offsetof(Settings, NAME)     \
    }
#define CLI_ALIAS(NAME, ALIAS, ...)                                                                \
    {                                                                                              \
        .name = #NAME, .alias = (ALIAS), .type = CLEAVE_TEXT, .offset = offsetof(Settings, NAME),  \
        .help = __VA_ARGS__                                                                        \
    }
#define CLI_OUTPUT(...) CLI_ALIAS(output, "o", __VA_ARGS__)
#define CLI_MODEL(HELP) CLI_ALIAS(model, "m", HELP)

/* Defines a flag whose value is in the verb's own struct OWN. Integers that are not given have
 * their initial value. */
#define CLI_OWN_OFFSET (SIZE_MAX / 2 + 1) /* added to offsets into Call.own */
#define CLI_OWN(OWN, NAME, TYPE, ...)                                                              \
    {                                                                                              \
        .name = #NAME, .type = (TYPE), .offset = CLI_OWN_OFFSET + offsetof(OWN, NAME),             \
        .help = __VA_ARGS__                                                                        \
    }
#define CLI_OWN_TEXT(OWN, NAME, ...) CLI_OWN(OWN, NAME, CLEAVE_TEXT, __VA_ARGS__)
#define CLI_OWN_FLAG(OWN, NAME, HELP) CLI_OWN(OWN, NAME, CLEAVE_FLAG, HELP)
#define CLI_OWN_INTEGER(OWN, NAME, INITIAL, MIN, MAX, ...)                                         \
    CLI_OWN(OWN, NAME, CLEAVE_INTEGER, __VA_ARGS__, .initial = (INITIAL), .min = (MIN),            \
            .max = (MAX))
#define CLI_MODEL_OUTPUT CLI_OUTPUT("Write the model to this file.")

/* Sets --task regression for a regression method, unless --task was given: the guess of the label
 * column depends on the task. */
int cli_imply_task(Call *call);
/* Opens data for reading; model may be NULL. Returns DONE, or a status after the message has been
 * printed. */
int cli_open(Call *call, const cleave_model *model, const char *const *paths, size_t count,
             cleave_data **data);
int cli_load(Call *call, const char *path, cleave_model **model);

/* The paths of the command line, or standard input if there are none. */
typedef struct {
    const char *const *paths;
    size_t count;
} Inputs;
Inputs cli_inputs(const Call *call);

/* Whether path, which may be NULL, is another name of standard output. /dev/null may hold both
 * results and a report. */
bool cli_is_stdout(const char *path);
/* Checks that path, which may be NULL, can be written: it is not a folder, a block device or a
 * socket. */
int cli_check_target(const char *path);
/* Checks every output file of the command line before work begins. Other names of standard output,
 * such as /dev/stdout, become "-". */
int cli_check_targets(Call *call);
/* Checks before long work that -o is not an input and can be written. */
int cli_check_output(const Call *call);
/* Checks another output file. `flag` is its name in messages. */
int cli_check_written(const Call *call, const char *flag, const char *path);
/* checks the file of --report, which must be a regular file */
int cli_check_report(const Call *call);
bool cli_to_stdout(const Call *call); /* whether -o is "-" */
/* Called after training. From now on, interrupts no longer prevent the model from being saved. If
 * the output is a pipe, which may block, the first interrupt still ends the command. */
void cli_defer_interrupts(Call *call);
bool cli_is_model(const char *path); /* whether the file is a model, by its first bytes */
/* Called before long work. Locks the model that the command writes until the command ends. A model
 * that is read and replaced is locked before it is read. Refuses to overwrite a file that is not a
 * model. Does nothing for NULL, standard output, devices and pipes. */
int cli_lock_model(Call *call, const char *path);

/* ---- messages.c: everything for stderr */

void cli_name(const char *program); /* sets the name of the command in messages, if not "cleave" */
const char *cli_program(void);
/* Prints "cleave: MESSAGE"; the format may continue with "\\nhint: HINT". Returns MISUSED. */
int cli_misuse(const char *format, ...) CLEAVE_PRINTF(1, 2);
/* Prints "cleave: unknown KIND 'WORD'" and, as a hint, the nearest word and the command that lists
 * all. Returns MISUSED. */
int cli_unknown(const char *kind, const char *dashes, const char *word, const char *const *known,
                const char *where);
/* Prints the message and the hint, which may be "". Returns FAILED. */
int cli_failed(const char *hint, const char *format, ...) CLEAVE_PRINTF(2, 3);
int cli_fail(Call *call); /* prints call->error and returns its exit status */
/* prints a warning, unless --quiet was given */
void cli_say(const Call *call, const char *message, const char *hint);
void cli_remark(Call *call, cleave_log_level level, const char *message, const char *hint);
/* Warns that text output does not distinguish an abstention from a predicted class "none". */
void cli_warn_of_none(Call *call, const char *hint);

#define QUOTED_SIZE 100
const char *cli_quote(const char *text, char buffer[QUOTED_SIZE]);
#define QUOTED(text) cli_quote((text), (char[QUOTED_SIZE]){0})

/* Quotes text as one shell word: unchanged, in quotes, or as $'…' if characters must be escaped.
 * The caller frees it. */
char *cli_shell_word(const char *word);

/* Allocates memory. Exits with a message if none is available. */
void *cli_alloc(void *old, size_t count, size_t size);
char *cli_copy(const char *text);

/* ---- verb_help.c, man.c, completion.c */

void cli_first_screen(bool to_stderr);
int cli_help_verb(const Call *call);
/* Prints the manual page of a verb, of "methods" or "transforms", or of the whole command (NULL),
 * as roff. */
int cli_man(const char *topic);
/* Prints the completion script of a shell. */
int cli_completion(const char *shell);
/* Prints candidates for the last of the words after the command's name, for the completion
 * scripts. */
int cli_complete(int count, char **words);

#endif
