/*
 * One call of the command: what a verb is, and what was asked of it. main.c finds the verb,
 * options.c reads the flags, session.c makes the library's context, and the verb's own file does
 * the work.
 */
#ifndef CLI_UI_CALL_H
#define CLI_UI_CALL_H

#include "cli/ui/progress.h"

#include <cleave/expert.h>

/* The statuses the command ends with. */
enum { DONE = 0, FAILED = 1, MISUSED = 2 };

/* The library's tables of options, each for one of its calls. */
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
    TABLE_COUNT
};
#define TABLE_BIT(table) (1u << (table))

/* The library's tables, by TABLE_…: all that is written about options comes from here. */
typedef struct {
    const char *title;
    const cleave_param *(*params)(void);
} LibraryTable;
extern const LibraryTable cli_library_tables[TABLE_COUNT];

/* Values of the command's own flags; NULL, false and -1 where they were not given. */
typedef struct {
    bool help, help_all, json, quiet, scores, names, man, partial, describe, csv_safe;
    int64_t threads, top, row;
    const char *completion; /* help's: the shell */
    const char *output, *to, *rows, *transform, *validation, *from, *model, *follow, *predictions,
        *class_name, *example, *example_file, *into, *rest;
    /* cleave-mpi's. */
    int64_t chunks, patience_seconds;
    bool resume;
    const char *size; /* plot's */
    /* test's. */
    bool measures, confusion, per_class, thresholds, full, permutation;
    const char *report; /* cv's, too */
    /* explain's, of trees. */
    bool rules;
    int64_t tree, levels;
} Settings;

typedef struct Call Call;

typedef struct {
    const char *program; /* how it is called; NULL: cleave */
    const char *name;
    const char *arguments;       /* as the usage line shows them */
    const char *brief;           /* a sentence of one line, for lists */
    const char *about;           /* a paragraph, for its help */
    const char *const *examples; /* command lines that run as printed; NULL at the end */
    /* Names of the options that its page of help shows, separated by spaces; the others are
     * shown by --help-all. NULL: its own flags and those of its tables, except for reading data. */
    const char *common;
    const cleave_param *flags; /* its own, with offsets into Settings; may be NULL */
    unsigned tables;           /* bits: which of the library's tables its flags come from */
    const char *method; /* it trains this one, whose table joins TABLE_TRAIN; NULL: none, or … */
    /* the first argument is a method, whose table joins TABLE_TRAIN, TABLE_BEGIN or TABLE_STREAM */
    bool takes_method;
    const char *const *
        /* … or rather the second, where the first is one of these; NULL at the end */
        method_follows;
    const char *pair
        /* the first of these flags is followed by two words, the second of which goes to the
         * other; NULL: none */
        [2];
    bool wants_output;   /* -o must be given */
    bool replaces_model; /* -o may be the file of --model */
    bool replaces_first; /* -o may be the file of the first argument */
    bool shows_progress;
    bool shows_notes;   /* of the library, such as which column was taken for the label */
    size_t least, most; /* how many arguments */
    int (*run)(Call *call);
} Verb;

extern const Verb *const cli_verbs[]; /* NULL at the end */
/* Groups of verbs in the order of the first screen; names are separated by spaces. title NULL at
 * the end. */
typedef struct {
    const char *title, *verbs;
} VerbGroup;
extern const VerbGroup cli_verb_groups[];
const Verb *cli_verb_find(const char *name);

/* One flag as it was given; value "true" or "false" where it takes none. */
typedef struct {
    const char *name, *value;
} Given;

/* A warning or note of the library, kept for --json. */
typedef struct {
    cleave_log_level level;
    char *message, *hint;
} Remark;

enum { MOST_OWNED = 4 };

struct Call {
    const Verb *verb;
    Settings settings;
    const char **arguments;
    size_t argument_count;
    Given *given;
    size_t given_count;
    cleave_method_info method; /* name NULL until it is known */

    cleave_context *context;
    cleave_options *options[TABLE_COUNT];
    cleave_error error;
    cleave_lock *lock; /* on the model that is written; NULL: none */
    /* Opened by cli_use_model and cli_use_data, freed by cli_end. */
    cleave_model *models[MOST_OWNED];
    cleave_data *datas[MOST_OWNED];
    size_t model_count, data_count;
    Progress progress;
    Remark *remarks;
    size_t remark_count;
    /* What a run that is interrupted leaves behind, or NULL; and the flag that goes on from it,
     * where the same command alone does not. */
    const char *checkpoint, *resumed_by;
    bool scaled;       /* the model's features have been brought to one scale */
    bool keep_remarks; /* they are part of the JSON object, and not printed */
    /* they are kept, too, where they are printed: for other ranks to compare theirs with */
    bool tell_remarks;
    const cleave_data *data; /* opened last by cli_open: whose guesses the JSON object has */
    bool deaf;               /* an interrupt has been dealt with: finish what is being done */
};

/* ---- options.c */

/* The flags that every verb has. */
extern const cleave_param cli_common_flags[];

/* Tables of a verb in the order of its help: from 0, NULL past the end. goes_to is a TABLE_… or
 * -1 for Settings. Without a known method, every method's table is in the list. */
const cleave_param *cli_flag_table(const Call *call, size_t number, int *goes_to);

/* The option of that name in any of the tables; NULL: there is none. */
const cleave_param *cli_flag_find(const Call *call, const char *name);

/* Reads the words after the verb. DONE, or MISUSED when the message has been printed. */
int cli_parse(Call *call, int count, char **words);

/* Whether a flag that takes no value was given, and not taken back; name with '_'. */
bool cli_is_on(const Call *call, const char *name);
bool cli_was_given(const Call *call, const char *name);
/* What a flag was given, the last of them where there are several; NULL: nothing. */
const char *cli_value_of(const Call *call, const char *name);

const cleave_param *cli_param_find(const cleave_param *params, const char *name);

/* The name as a flag shows it: '-' for '_'. */
#define FLAG_SIZE 64
const char *cli_flag(const char *name, char buffer[FLAG_SIZE]);

/* ---- session.c */

void cli_listen(void); /* signals */
void cli_prepare_heap(void);
bool cli_interrupted(void);
/* Of a command that an interrupt ended: 128 and the number of the signal, as shells have it. */
int cli_interrupted_status(void);

/* The context and the library's options, from what was parsed. */
int cli_begin(Call *call);
void cli_end(Call *call);

/*
 * What the runs of verbs are made of. A verb checks its output, opens models and data, does its
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
/* DONE; or prints call->error and returns the status that goes with it. */
int cli_ok(Call *call, cleave_code code);
/* cli_check_output. Warnings go into the JSON object. */
int cli_prepare_output(Call *call);
/* As cli_load and cli_open, of the arguments from `first` on; cli_end frees them. */
int cli_use_model(Call *call, const char *path, cleave_model **model);
int cli_use_data(Call *call, const cleave_model *model, size_t first, cleave_data **data);

/* Flags of a verb, with the member of Settings that holds the value. */
#define CLI_OWN(NAME, MEMBER, TYPE, HELP)                                                          \
    {                                                                                              \
        .name = (NAME), .type = (TYPE), .help = (HELP), .offset = offsetof(Settings, MEMBER)       \
    }
#define CLI_TEXT(NAME, HELP) CLI_OWN(#NAME, NAME, CLEAVE_TEXT, HELP)
#define CLI_FLAG(NAME, HELP) CLI_OWN(#NAME, NAME, CLEAVE_FLAG, HELP)
#define CLI_OUTPUT(HELP)                                                                           \
    {                                                                                              \
        .name = "output", .alias = "o", .type = CLEAVE_TEXT, .help = (HELP),                       \
        .offset = offsetof(Settings, output)                                                       \
    }
#define CLI_MODEL(HELP)                                                                            \
    {                                                                                              \
        .name = "model", .alias = "m", .type = CLEAVE_TEXT, .help = (HELP),                        \
        .offset = offsetof(Settings, model)                                                        \
    }
#define CLI_MODEL_OUTPUT CLI_OUTPUT("the file the model is written to, whole or not at all")

/* Opens data for reading; model may be NULL. DONE, or a status when the message has been
 * printed. */
int cli_open(Call *call, const cleave_model *model, const char *const *paths, size_t count,
             cleave_data **data);
int cli_load(Call *call, const char *path, cleave_model **model);

/* The paths that were named, or standard input where none was. */
typedef struct {
    const char *const *paths;
    size_t count;
} Inputs;
Inputs cli_inputs(const Call *call);

/* Whether path, which may be NULL, is something that can be written: not a folder, a block
 * device or a socket. */
int cli_check_target(const char *path);
/* Before any work: the same for each file that the command line names as an output. Other names of
 * standard output, such as /dev/stdout, become "-". */
int cli_check_targets(Call *call);
/* Before long work: -o is not one of the inputs, and can be written. */
int cli_check_output(const Call *call);
int cli_check_report(const Call *call); /* the same of --report, which is a file */
bool cli_to_stdout(const Call *call);   /* -o - */
/* After training: interrupts no longer prevent the model from being saved. If the output is a pipe,
 * which may block, the first interrupt still ends the command. */
void cli_defer_interrupts(Call *call);
bool cli_is_model(const char *path); /* by its first bytes */
/* Before long work: locks the model that the command writes until the command ends. A model that
 * is read and replaced is locked before it is read. Refuses to overwrite a file that is not a
 * model. Does nothing for NULL, standard output, devices and pipes. */
int cli_lock_model(Call *call, const char *path);

/* ---- say.c: everything for stderr */

void cli_name(const char *program); /* what the command is called, where not "cleave" */
const char *cli_program(void);
/* Prints "cleave: MESSAGE"; the format may continue with "\\nhint: HINT". Returns MISUSED. */
int cli_misuse(const char *format, ...) CLEAVE_PRINTF(1, 2);
/* Prints "cleave: unknown KIND 'WORD'" and, as a hint, the nearest word and where all are
 * listed. Returns MISUSED. */
int cli_unknown(const char *kind, const char *dashes, const char *word, const char *const *known,
                const char *where);
/* Prints the message and the hint, which may be "". Returns FAILED. */
int cli_failed(const char *hint, const char *format, ...) CLEAVE_PRINTF(2, 3);
int cli_fail(Call *call); /* prints call->error, returns the status that goes with it */
void cli_say(const Call *call, const char *message, const char *hint); /* unless --quiet */
void cli_remark(Call *call, cleave_log_level level, const char *message, const char *hint);
/* Text output cannot show whether the model abstained or predicted the class "none". */
void cli_warn_of_none(Call *call, const char *hint);

#define QUOTED_SIZE 100
const char *cli_quote(const char *text, char buffer[QUOTED_SIZE]);

/* Quotes text as one shell word: plain, in quotes, or $'…' if it has characters that are
 * escaped. The caller frees it. */
char *cli_shell_word(const char *word);

/* The command cannot do without memory: ends it, with a message, where there is none. */
void *cli_alloc(void *old, size_t count, size_t size);
char *cli_copy(const char *text);

/* ---- help.c, man.c, completion.c */

void cli_first_screen(bool to_stderr);
int cli_help_verb(const Call *call);
/* The manual page of a verb, "methods" or "transforms", or of the whole command (NULL), as roff. */
int cli_man(const char *topic);
/* The completion script of a shell. */
int cli_completion(const char *shell);
/* Candidates for the last of the words after the command's name, for the completion scripts. */
int cli_complete(int count, char **words);

#endif
