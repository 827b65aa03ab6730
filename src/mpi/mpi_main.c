/* cleave-mpi: training on a cluster. Flags, help and report are those of `cleave train`. Every rank
 * parses the same arguments, and only rank 0 prints. */
#include "cli/report/train_summary.h"
#include "mpi/mpi_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static Talk talk; /* one object per process */

typedef struct {
    int64_t chunks, wait;
    bool resume;
} MpiFlags;

/* ---- files ----------------------------------------------------------------------------------- */

/* Checks the output. Rank 0 writes the model, so it checks and locks the output, and all ranks get
 * the result. */
static int check_output(Call *call)
{
    int status = talk.rank == 0 ? cli_check_output(call) : DONE;
    Status settled;

    if (talk.rank == 0 && status == DONE)
        status = cli_lock_model(call, call->settings.output);
    settled = clv_talk_settle(
        &talk, call->context,
        status == DONE ? OK : clv_fail(&call->error, CLEAVE_ERROR_IO, "%s", ""), &call->error);

    return settled == OK || status != DONE ? status : FAILED;
}

/* The path of the checkpoint; by default MODEL.checkpoint. */
static char *checkpoint_path(const Call *call)
{
    const char *given = cli_value_of(call, "checkpoint"), *output = call->settings.output;
    size_t size;
    char *path;

    if (given)
        return cli_copy(given);
    if (!output || cli_to_stdout(call))
        return NULL;
    size = strlen(output) + sizeof ".checkpoint";
    path = cli_alloc(NULL, size, 1);
    snprintf(path, size, "%s.checkpoint", output);
    return path;
}

static int keep(Call *call, const cleave_model *model, const cleave_report *report,
                const char *checkpoint)
{
    if (!call->settings.output)
        return DONE;
    if (cleave_save(model, call->settings.output, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (checkpoint && !report->cancelled)
        unlink(checkpoint); /* the model replaces the checkpoint */
    return DONE;
}

/* ---- messages of other ranks ----------------------------------------------------------------- */

/* Writes messages as one letter for the level, the text and the hint, with their NULs. */
static Status put_remarks(void *user, Buffer *bytes, cleave_error *error)
{
    const Call *call = user;

    for (size_t i = 0; i < call->remark_count; i++) {
        const Remark *remark = &call->remarks[i];
        char level = remark->level == CLEAVE_LOG_WARNING ? 'w' : 'n';

        TRY(clv_buffer_add(call->context, bytes, &level, 1, error));
        TRY(clv_buffer_add(call->context, bytes, remark->message, strlen(remark->message) + 1,
                           error));
        TRY(clv_buffer_add(call->context, bytes, remark->hint, strlen(remark->hint) + 1, error));
    }
    return OK;
}

static bool was_said(const Call *call, const char *message)
{
    for (size_t i = 0; i < call->remark_count; i++)
        if (strcmp(call->remarks[i].message, message) == 0)
            return true;
    return false;
}

/* Takes the messages of the ranks. A message sent by several ranks is printed once. */
static Status take_remarks(void *user, const void *bytes, size_t size, cleave_error *error)
{
    const char *at = bytes, *end = at + size;
    Call *call = user;

    while (at < end) {
        cleave_log_level level = *at == 'w' ? CLEAVE_LOG_WARNING : CLEAVE_LOG_NOTE;
        const char *message = at + 1, *hint = memchr(message, '\0', (size_t)(end - message));

        hint = hint ? hint + 1 : end;
        at = memchr(hint, '\0', (size_t)(end - hint));
        if (!at)
            return clv_fail(error, CLEAVE_ERROR_FORMAT,
                            "the log message from another rank is invalid");
        at++;
        if (!was_said(call, message))
            cli_remark(call, level, message, hint);
    }
    return OK;
}

static const Uniting uniting_remarks = {.put = put_remarks, .take = take_remarks};

/* ---- the verb -------------------------------------------------------------------------------- */

static int train(Call *call, const char *checkpoint)
{
    const MpiFlags *given = call->own;
    ClusterWork work = {.context = call->context,
                        .method = call->method.name,
                        .paths = call->arguments + 1,
                        .path_count = call->argument_count - 1,
                        .read_options = call->options[TABLE_READ],
                        .train_options = call->options[TABLE_TRAIN],
                        .from = call->settings.from,
                        .chunks = given->chunks,
                        .checkpoint = checkpoint,
                        .resume = given->resume,
                        .remarks = &uniting_remarks,
                        .user = call};
    Model *model = NULL, *from = NULL;
    Report *report = NULL;
    int status = DONE;

    if (clv_cluster_train(&talk, &work, &model, &from, &report, &call->error) != OK)
        return cli_fail(call);
    cli_progress_clear(&call->progress);
    cli_defer_interrupts(call);
    if (talk.rank == 0) {
        status = keep(call, model, &report->facts, checkpoint);
        if (status == DONE)
            status = cli_report_training(call, model, &report->facts);
    }
    cleave_report_free(&report->facts);
    cleave_model_free(model);
    cleave_model_free(from);
    return status;
}

static int run(Call *call)
{
    const MpiFlags *given = call->own;
    char *checkpoint = checkpoint_path(call);
    char hint[512] = "";
    int status;

    talk.most_seconds = (double)given->wait;
    if (checkpoint)
        snprintf(hint, sizeof hint, "run the same command with --resume to resume from %s",
                 checkpoint);
    talk.how_to_go_on = *hint ? hint : NULL;
    call->checkpoint = checkpoint;
    call->resumed_by = "--resume";
    call->keep_remarks = call->settings.json;
    call->tell_remarks = true;
    if (given->resume && !checkpoint)
        status = cli_misuse(
            "--resume requires -o MODEL or --checkpoint FILE to find the checkpoint");
    else
        status = check_output(call);
    if (status == DONE)
        status = train(call, checkpoint);
    talk.how_to_go_on = NULL;
    free(checkpoint);
    return status;
}

static const cleave_param own_flags[] = {
    CLI_OWN_INTEGER(MpiFlags, chunks, 0, 0, 1000000,
                    "Number of chunks of the data; the model depends on it, not on the ranks.",
                    .default_text = "by size, 16 for most files"),
    CLI_OWN_FLAG(MpiFlags, resume, "Resume from the checkpoint, if it exists."),
    CLI_OWN_INTEGER(MpiFlags, wait, 0, 0, 1000000,
                    "Number of seconds without a message after which a rank counts as failed.",
                    .default_text = "never"),
    {.name = NULL},
};

static const char *const examples[] = {
    "mpirun -n 2 cleave-mpi train svm mail.tsv --epochs 10 -o mail.model",
    "mpirun -n 2 cleave-mpi train perceptron mail.tsv --update sum --chunks 4 --json",
    NULL,
};

enum { MOST_FLAGS = 32 };
static cleave_param flags[MOST_FLAGS];

/* Collects the options of `cleave train` that apply here, and those of cleave-mpi. */
static void collect_flags(const cleave_param *of_train)
{
    size_t count = 0;

    for (const cleave_param *flag = own_flags; flag->name; flag++)
        flags[count++] = *flag;
    for (const cleave_param *flag = of_train; flag->name && count + 1 < MOST_FLAGS; flag++)
        if (strcmp(flag->name, "validation") != 0 && !cli_param_find(own_flags, flag->name))
            flags[count++] = *flag;
}

static Verb train_verb(void)
{
    Verb verb = *cli_verb_find("train");

    collect_flags(verb.flags);
    verb.program = "mpirun -n N cleave-mpi";
    verb.brief = "Train a model on the ranks of a cluster.";
    verb.about =
        "Every rank reads chunks of the files (LIBSVM text, tables, label<TAB>text, cleave "
        "datasets; a compressed file is one chunk) and trains on them. An all-reduce combines "
        "the results after each round: 'svm' and 'logistic' average the weights of local "
        "iterations or sum gradients (--solver gd); 'perceptron --update sum' sums its updates. "
        "All ranks grow the trees of 'tree', 'forest' and 'boost' together, and the trees equal "
        "those of 'cleave train'. The model does not depend on the number of ranks. Rank 0 "
        "writes a checkpoint after each round, except for trees. If a rank dies, run the same "
        "command with --resume.";
    verb.examples = examples;
    verb.flags = flags;
    verb.own_size = sizeof(MpiFlags);
    verb.run = run;
    return verb;
}

/* ---- interface ------------------------------------------------------------------------------- */

static int run_verb(int count, char **words)
{
    Verb verb = train_verb();
    Call call = {.verb = &verb};
    int status = cli_parse(&call, count, words);

    if (status == DONE && call.settings.help) {
        status = cli_help_verb(&call);
    } else if (status == DONE) {
        if (!cli_was_given(&call, "threads"))
            call.settings.threads = 1; /* one thread per rank */
        status = cli_begin(&call);
        if (status == DONE)
            status = run(&call);
    }
    cli_end(&call);
    return status;
}

static bool is_any(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int version(void)
{
    cleave_error error;
    Out out;

    cli_out_file(&out, stdout);
    cli_print(&out, "cleave-mpi %s\n", cleave_version());
    return cli_out_close(&out, &error) == CLEAVE_OK ? DONE : FAILED;
}

static int dispatch(int count, char **words)
{
    static char help[] = "--help";
    char *asks[] = {help};

    if (count < 2)
        return cli_misuse(
            "usage: mpirun -n N cleave-mpi train METHOD DATA... -o MODEL  (see 'cleave-mpi train "
            "--help')");
    if (is_any(words[1], "--version", "-V", "version"))
        return version();
    if (is_any(words[1], "--help", "-h", "help"))
        return run_verb(1, asks);
    if (strcmp(words[1], "train") == 0)
        return run_verb(count - 2, words + 2);
    return cli_misuse("unknown command '%s': expected 'train'  (see 'cleave-mpi train --help')",
                      QUOTED(words[1]));
}

int main(int count, char **words)
{
    int status;

    if (!clv_talk_begin(&talk, &count, &words))
        return FAILED;
    cli_name("cleave-mpi");
    cli_listen();
    status = dispatch(count, words);
    if (fflush(stdout) != 0 && status == DONE)
        status = FAILED;
    clv_talk_end(&talk);
    return status;
}
