/* Connects the command line and the library: the context and its callbacks, interrupts, opening and
 * checking files. */
#include "cli/report/train_summary.h"
#include "cli/ui/call.h"
#include "cli/ui/whole_file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts; /* number of the first signal; 0: none yet */

static volatile double first_interrupt; /* time of that signal, in seconds */

/* The first interrupt requests a clean end, and a second interrupt ends the process. Interrupts
 * that arrive together with the first are ignored: timeout(1) signals the process and then its
 * group. */
static void on_interrupt(int number)
{
    struct timespec time;
    double now;

    clock_gettime(CLOCK_MONOTONIC, &time);
    now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    if (!interrupts) {
        interrupts = number;
        first_interrupt = now;
    } else if (now > first_interrupt + 0.2) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* With these handlers, writing to a closed pipe or beyond the file size limit returns an error. */
void cli_listen(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool cli_interrupted(void)
{
    return interrupts != 0;
}

int cli_interrupted_status(void)
{
    return interrupts ? 128 + interrupts : FAILED;
}

/* ---- callbacks */

static bool cancelled(void *user)
{
    const Call *call = user;

    return cli_interrupted() && !call->deaf;
}

static void log_remark(void *user, cleave_log_level level, const char *message, const char *hint)
{
    cli_remark(user, level, message, hint);
}

static void show_progress(void *user, const cleave_progress *now)
{
    Call *call = user;

    cli_progress_show(&call->progress, now);
}

static bool wants_progress(const Call *call)
{
    const char *terminal = getenv("TERM");
    bool rows_on_screen = call->verb->tables & TABLE_BIT(TABLE_PREDICT) && !call->settings.output &&
                          isatty(STDOUT_FILENO);

    return call->verb->shows_progress && !call->settings.quiet && !rows_on_screen &&
           isatty(STDERR_FILENO) && (!terminal || strcmp(terminal, "dumb") != 0);
}

/* ---- the context */

/* Sets a parameter whose value is the text of a file. */
static cleave_code set_from_file(Call *call, int goes_to, const Given *given)
{
    cleave_code code;
    char *text;
    size_t size;

    code = cli_read_whole(call, given->value, &text, &size);
    if (code == CLEAVE_OK) {
        text = cli_alloc(text, size + 1, 1);
        text[size] = '\0';
        code = cleave_options_set(call->options[goes_to], given->name, text, &call->error);
    }
    free(text);
    return code;
}

static cleave_code pass_option(Call *call, const Given *given)
{
    const cleave_param *table;
    int goes_to;

    for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++) {
        const cleave_param *param = goes_to < 0 ? NULL : cli_param_find(table, given->name);
        cleave_code code;

        if (!param || (call->verb->replaces && strcmp(call->verb->replaces, given->name) == 0))
            continue;
        code = param->takes_file ? set_from_file(call, goes_to, given)
                                 : cleave_options_set(call->options[goes_to], given->name,
                                                      given->value, &call->error);
        if (code != CLEAVE_OK)
            return code;
    }
    return CLEAVE_OK;
}

static int out_of_memory(void)
{
    cli_misuse("not enough memory");
    return FAILED;
}

int cli_begin(Call *call)
{
    cleave_config config = {
        .size = sizeof config,
        .log = log_remark,
        .cancelled = cancelled,
        .user = call,
        .threads = (unsigned)call->settings.threads,
    };

    call->progress.on = wants_progress(call);
    if (call->progress.on)
        config.progress = show_progress;
    call->context = cleave_context_new(&config);
    if (!call->context)
        return out_of_memory();
    for (int t = 0; t < TABLE_COUNT; t++) {
        call->options[t] = cleave_options_new(call->context);
        if (!call->options[t])
            return out_of_memory();
    }
    for (size_t i = 0; i < call->given_count; i++)
        if (pass_option(call, &call->given[i]) != CLEAVE_OK)
            return cli_fail(call);
    return DONE;
}

void cli_end(Call *call)
{
    cli_progress_clear(&call->progress);
    while (call->data_count)
        cleave_data_free(call->datas[--call->data_count]);
    while (call->model_count)
        cleave_model_free(call->models[--call->model_count]);
    for (int t = 0; t < TABLE_COUNT; t++)
        cleave_options_free(call->options[t]);
    cleave_lock_free(call->lock);
    cleave_context_free(call->context);
    for (size_t i = 0; i < call->remark_count; i++) {
        free(call->remarks[i].message);
        free(call->remarks[i].hint);
    }
    free(call->remarks);
    free(call->given);
    free(call->own);
    free(call->arguments);
}

/* ---- files */

int cli_imply_task(Call *call)
{
    unsigned tasks = call->method.tasks;
    const char *task = call->method.traits & CLEAVE_TRAIT_RATINGS ? "ratings"
                       : tasks == CLEAVE_TASK_REGRESSION          ? "regression"
                                                                  : "classification";

    if (!tasks || cli_was_given(call, "task"))
        return DONE;
    return cli_ok(call, cleave_options_set(call->options[TABLE_READ], "task", task, &call->error));
}

int cli_open(Call *call, const cleave_model *model, const char *const *paths, size_t count,
             cleave_data **data)
{
    const cleave_options *options = call->options[TABLE_READ];
    cleave_code code;

    CLI_TRY(cli_imply_task(call));
    code = model ? cleave_open_for(model, paths, count, options, data, &call->error)
                 : cleave_open_files(call->context, paths, count, options, data, &call->error);

    if (code != CLEAVE_OK)
        return cli_fail(call);
    call->data = *data;
    if (call->settings.output && cleave_data_reads(*data, call->settings.output))
        return cli_misuse("%s: the output file is also an input", call->settings.output);
    if (call->settings.report && cleave_data_reads(*data, call->settings.report))
        return cli_misuse("%s: the output file is also an input", call->settings.report);
    return DONE;
}

int cli_load(Call *call, const char *path, cleave_model **model)
{
    return cleave_load(call->context, path, model, &call->error) == CLEAVE_OK ? DONE
                                                                              : cli_fail(call);
}

int cli_ok(Call *call, cleave_code code)
{
    return code == CLEAVE_OK ? DONE : cli_fail(call);
}

int cli_prepare_output(Call *call)
{
    call->keep_remarks = call->settings.json;
    return cli_check_output(call);
}

int cli_use_model(Call *call, const char *path, cleave_model **model)
{
    CLI_TRY(cli_load(call, path, model));
    call->models[call->model_count++] = *model;
    return DONE;
}

int cli_use_data(Call *call, const cleave_model *model, size_t first, cleave_data **data)
{
    int status;

    *data = NULL;
    status = cli_open(call, model, call->arguments + first, call->argument_count - first, data);
    if (*data) /* the data is freed also on failure, for example if the output is an input */
        call->datas[call->data_count++] = *data;
    return status;
}

Inputs cli_inputs(const Call *call)
{
    static const char *const standard_input[] = {"-"};

    return call->argument_count ? (Inputs){call->arguments, call->argument_count}
                                : (Inputs){standard_input, 1};
}

bool cli_to_stdout(const Call *call)
{
    return call->settings.output && strcmp(call->settings.output, "-") == 0;
}

void cli_defer_interrupts(Call *call)
{
    struct stat status;
    bool waits = cli_to_stdout(call)
                     ? fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode)
                     : call->settings.output && stat(call->settings.output, &status) == 0 &&
                           S_ISFIFO(status.st_mode);

    call->deaf = !waits || cli_interrupted();
}

static bool same_file(const char *input, const struct stat *output)
{
    struct stat status;

    return input && stat(input, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_dev == output->st_dev && status.st_ino == output->st_ino;
}

static int not_writable(const char *path, const char *why)
{
    return cli_failed("", "%s: cannot be written: %s", path, why);
}

bool cli_is_stdout(const char *path)
{
    struct stat own, named, null;

    return path && fstat(STDOUT_FILENO, &own) == 0 && stat(path, &named) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino &&
           (stat("/dev/null", &null) != 0 || own.st_dev != null.st_dev ||
            own.st_ino != null.st_ino);
}

int cli_check_target(const char *path)
{
    struct stat status;

    if (!path || strcmp(path, "-") == 0 || stat(path, &status) != 0)
        return DONE;
    return S_ISDIR(status.st_mode)    ? not_writable(path, "it is a folder")
           : S_ISBLK(status.st_mode)  ? not_writable(path, "it is a block device")
           : S_ISSOCK(status.st_mode) ? not_writable(path, "it is a socket")
                                      : DONE;
}

int cli_check_targets(Call *call)
{
    static const char *const files[] = {"journal", "checkpoint"};
    Settings *settings = &call->settings;
    /* folders of documents, which -o must not overwrite */
    const char *const folders[] = {cli_value_of(call, "into"), cli_value_of(call, "rest")};
    int status = DONE;

    if (cli_is_stdout(settings->output))
        settings->output = "-";
    status = cli_check_target(settings->output);
    if (status == DONE)
        status = cli_check_target(settings->report);
    for (size_t i = 0; i < 2 && status == DONE; i++) {
        struct stat facts;

        if (folders[i] && (stat(folders[i], &facts) != 0 || !S_ISDIR(facts.st_mode)))
            status = cli_is_stdout(folders[i])
                         ? cli_misuse("--into cannot write to standard output: specify two files")
                         : cli_check_target(folders[i]);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files && status == DONE; i++) {
        const char *path = cli_value_of(call, files[i]);

        status = cli_is_stdout(path)
                     ? cli_misuse(
                           "--%s needs the name of a file: the results go to standard output",
                           files[i])
                     : cli_check_target(path);
    }
    return status;
}

/* Checks that the folder of a new file exists and is writable. */
static int check_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    char *folder = cli_copy(length ? path : slash ? "/" : ".");
    int status = DONE;

    if (length)
        folder[length] = '\0';
    if (access(folder, W_OK | X_OK) != 0)
        status = not_writable(path, strerror(errno));
    free(folder);
    return status;
}

static bool is_input(const Call *call, const struct stat *output)
{
    for (size_t i = call->verb->replaces_first ? 1 : 0; i < call->argument_count; i++)
        if (same_file(call->arguments[i], output))
            return true;
    return same_file(call->settings.validation, output) || same_file(call->settings.from, output) ||
           (!call->verb->replaces_model && same_file(call->settings.model, output));
}

/* flag: its name in messages. */
int cli_check_written(const Call *call, const char *flag, const char *path)
{
    struct stat status;

    if (!*path)
        return cli_misuse("%s needs the name of a file", flag);
    if (stat(path, &status) != 0)
        return check_folder(path);
    if (is_input(call, &status))
        return cli_misuse("%s '%s' is also an input; use another file", flag, path);
    return S_ISREG(status.st_mode) ? check_folder(path) : DONE;
}

int cli_check_output(const Call *call)
{
    const char *path = call->settings.output;

    if (!path)
        return DONE;
    if (cli_to_stdout(call))
        return call->settings.json
                   ? cli_misuse("--json and '-o -' both write to standard output: specify a file")
                   : DONE;
    return cli_check_written(call, "-o", path);
}

bool cli_is_model(const char *path)
{
    char head[8] = "";
    FILE *file = fopen(path, "rb");

    if (!file)
        return false;
    if (fread(head, 1, sizeof head, file) != sizeof head)
        head[0] = '\0';
    fclose(file);
    return memcmp(head, "CLVMODEL", sizeof head) == 0;
}

/* Whether the command reads the file as a model first, which fails for other files. */
static bool replaces(const Call *call, const struct stat *output)
{
    return (call->verb->replaces_first && same_file(call->arguments[0], output)) ||
           (call->verb->replaces_model && same_file(call->settings.model, output));
}

int cli_lock_model(Call *call, const char *path)
{
    struct stat status;
    bool exists = path && stat(path, &status) == 0;

    if (!path || strcmp(path, "-") == 0 || (exists && !S_ISREG(status.st_mode)))
        return DONE;
    if (exists && status.st_size > 0 && !replaces(call, &status) && !cli_is_model(path))
        return cli_misuse("-o '%s': the existing file is not a model and is not overwritten\n"
                          "hint: choose another name, or remove the file first",
                          path);
    return cleave_lock_open(call->context, path, &call->lock, &call->error) == CLEAVE_OK
               ? DONE
               : cli_fail(call);
}

/* Fails if a page would get the name of a model or a dataset, because it would be read as one and
 * reported as corrupt. */
static int check_page_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
               *dot = strrchr(name, '.');
    size_t stem = dot ? (size_t)(dot - path) : 0;
    char better[QUOTED_SIZE], *word;

    if (!dot || dot == name || strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0)
        return DONE;
    if (stem + sizeof ".html" > sizeof better)
        return cli_misuse(
            "--report writes a web page: expected a name that ends in .html, found '%s'", dot);
    snprintf(better, sizeof better, "%.*s.html", (int)stem, path);
    word = cli_shell_word(better);
    cli_misuse("--report writes a web page: expected a name that ends in .html, found '%s'\nhint: "
               "try --report %s%s",
               dot, word, strcasecmp(dot, ".pdf") == 0 ? "; a browser can print it as PDF" : "");
    free(word);
    return MISUSED;
}

int cli_check_report(const Call *call)
{
    const char *path = call->settings.report;
    int status;

    if (!path)
        return DONE;
    if (strcmp(path, "-") == 0 || cli_is_stdout(path))
        return cli_misuse("--report needs the name of a file, such as report.html: the results go "
                          "to standard output");
    status = cli_check_written(call, "--report", path);
    return status == DONE ? check_page_name(path) : status;
}
