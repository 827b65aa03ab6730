#include "cli/verbs/selection.h"

#include <stdlib.h>
#include <string.h>

const cleave_param cli_selection_flags[] = {
    CLI_REPORT_FLAG,
    {.name = NULL},
};

static int print_result(Call *call, const Selection *selection, const void *result)
{
    bool cancelled = selection->cancelled && selection->cancelled(result);
    Out out;

    cli_progress_clear(&call->progress);
    if (cancelled)
        cli_remark(call, CLEAVE_LOG_WARNING, "interrupted: these are the results so far",
                   cli_value_of(call, "journal") ? "the same command resumes"
                                                 : "with --journal FILE, the same command resumes");
    cli_out_file(&out, stdout);
    (call->settings.json ? selection->as_json : selection->as_text)(&out, call, result);
    if (!call->settings.json && call->settings.report)
        cli_print(&out, "Report written to %s.\n", call->settings.report);
    if (cli_out_close(&out, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    return cancelled ? cli_interrupted_status() : DONE;
}

int cli_run_selection(Call *call, const Selection *selection)
{
    size_t first = selection->first_file;
    cleave_data *data = NULL;
    void *result = NULL;
    int status = cli_check_report(call);

    call->keep_remarks = call->settings.json;
    if (status == DONE)
        status = cli_open(call, NULL, call->arguments + first, call->argument_count - first, &data);
    if (status == DONE && selection->run(call, data, &result) != CLEAVE_OK)
        status = cli_fail(call);
    if (status == DONE)
        status = cli_report_write(call, selection->as_json, result);
    if (status == DONE)
        status = print_result(call, selection, result);
    selection->free(result);
    cleave_data_free(data);
    return status;
}

void cli_selection_head(Out *out, const char *method, uint64_t n, uint32_t folds, bool forward,
                        uint64_t groups)
{
    cli_print(out, "%s on %s, %s", method, COUNT(n, "row", "rows"),
              COUNT(folds, forward ? "forward-chaining fold" : "fold",
                    forward ? "forward-chaining folds" : "folds"));
    if (groups)
        cli_print(out, " of %s", COUNT(groups, "group", "groups"));
}

void cli_put_sentence(Out *out, const char *text, const char *hint)
{
    char first[2] = {text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0],
                     '\0'};

    if (!*text)
        return;
    cli_put(out, first);
    cli_put_name(out, text + 1);
    cli_put(out, *hint ? "; " : "");
    cli_put_name(out, hint);
    cli_put(out, ".\n");
}

/* ---- commands */

void cli_add(CommandText *words, const char *text)
{
    size_t size = strlen(text) + 1;

    if (words->length + size > words->capacity) {
        words->capacity = 2 * words->capacity + size;
        words->text = cli_alloc(words->text, words->capacity, 1);
    }
    memcpy(words->text + words->length, text, size);
    words->length += size - 1;
}

static void add_word(CommandText *words, const char *word)
{
    char *quoted = cli_shell_word(word);

    cli_add(words, quoted);
    free(quoted);
}

void cli_add_flag(CommandText *words, const cleave_param *param, const char *value)
{
    cli_add(words, param->type == CLEAVE_FLAG && strcmp(value, "false") == 0 ? " --no-" : " --");
    cli_add(words, FLAG_NAME(param->name));
    if (param->type == CLEAVE_FLAG)
        return;
    cli_add(words, *value == '-' ? "=" : " ");
    add_word(words, value);
}

const cleave_param *cli_param_of(const Call *call, const char *name)
{
    const cleave_param *table, *param;
    int goes_to;

    for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++) {
        param = goes_to >= 0 ? cli_param_find(table, name) : NULL;
        if (param)
            return param;
    }
    return NULL;
}

void cli_add_train_command(CommandText *words, const Call *call, size_t first_file,
                           const char *method, const cleave_param *of_verb)
{
    cli_add(words, "cleave train ");
    cli_add(words, method);
    for (size_t i = first_file; i < call->argument_count; i++) {
        cli_add(words, " ");
        add_word(words, call->arguments[i]);
    }
    for (size_t i = 0; i < call->given_count; i++) {
        const cleave_param *param = cli_param_of(call, call->given[i].name);

        if (param && !cli_param_find(of_verb, call->given[i].name))
            cli_add_flag(words, param, call->given[i].value);
    }
}
