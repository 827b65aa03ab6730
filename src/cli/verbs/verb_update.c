/* cleave update: trains a model on new rows without forgetting the old rows. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/json.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    Call *call;
    cleave_model *from, *model;
    cleave_data *data, *validation;
    cleave_update_result result;
} Updating;

static void put_errors(Json *json, const char *set, const cleave_update_result *result,
                       double before, double after)
{
    const char *metric = result->regression ? "rmse" : "error_rate";
    char key[64];

    snprintf(key, sizeof key, "%s%s_before", set, metric);
    cli_json_put_number(json, key, before);
    snprintf(key, sizeof key, "%s%s_after", set, metric);
    cli_json_put_number(json, key, after);
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const Updating *updating = facts;
    const cleave_update_result *result = &updating->result;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", cleave_model_method(updating->model));
    cli_json_put_count(&json, "rows", result->rows);
    cli_json_put_count(&json, "unlabeled", result->unlabeled);
    cli_json_put_count(&json, "new_classes", result->new_classes);
    cli_json_put_count(&json, "new_features", result->new_features);
    put_errors(&json, "", result, result->error_before, result->error_after);
    if (result->validation_rows) {
        cli_json_put_count(&json, "validation_rows", result->validation_rows);
        put_errors(&json, "validation_", result, result->validation_before,
                   result->validation_after);
    }
    cli_json_put_string(&json, "model", call->settings.output);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* "New rows: error 25.00% before, 0.00% after." */
static void print_errors(Out *out, const cleave_update_result *result, const char *set,
                         double before, double after)
{
    if (result->regression)
        cli_print(out, "%s: RMSE %s before, %s after.\n", set, ERROR_SIZE(before),
                  ERROR_SIZE(after));
    else
        cli_print(out, "%s: error %.2f%% before, %.2f%% after.\n", set, 100 * before, 100 * after);
}

/* ", 2 new classes 'x', 'y'". They come after the classes of the old model. */
static void print_new_classes(Out *out, const Updating *updating)
{
    enum { SHOWN = 5 };
    uint64_t count = updating->result.new_classes;
    size_t all = cleave_model_label_count(updating->model);

    if (count == 0)
        return;
    cli_print(out, ", %s", COUNT(count, "new class", "new classes"));
    for (uint64_t i = 0; i < count && i < SHOWN; i++)
        cli_print(out, "%s '%s'", i ? "," : "",
                  QUOTED(cleave_model_label(updating->model, all - count + i)));
    if (count > SHOWN)
        cli_put(out, ", …");
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const Updating *updating = facts;
    const cleave_update_result *result = &updating->result;

    cli_print(out, "Updated with %s", COUNT(result->rows, "row", "rows"));
    print_new_classes(out, updating);
    if (result->new_features)
        cli_print(out, ", %s", COUNT(result->new_features, "new feature", "new features"));
    cli_put(out, ".\n");
    print_errors(out, result, "New rows", result->error_before, result->error_after);
    if (result->validation_rows) {
        print_errors(out, result, "Validation set", result->validation_before,
                     result->validation_after);
    }
    cli_put(out, "Model written to ");
    cli_put_name(out, call->settings.output);
    cli_put(out, ".\n");
}

static cleave_code open_inputs(Updating *updating)
{
    Call *call = updating->call;
    const cleave_options *read = call->options[TABLE_READ];
    const char *validation = call->settings.validation;
    cleave_code code = cleave_open_to_update(updating->from, call->arguments + 1,
                                             call->argument_count - 1, read, &updating->data,
                                             &call->error);

    if (code == CLEAVE_OK && validation)
        code = cleave_open_to_update(updating->from, &validation, 1, read, &updating->validation,
                                     &call->error);
    return code;
}

static cleave_code update(Updating *updating)
{
    Call *call = updating->call;
    cleave_code code = open_inputs(updating);

    if (code == CLEAVE_OK)
        code = cleave_update(updating->from, updating->data, updating->validation,
                             call->options[TABLE_UPDATE], &updating->model, &updating->result,
                             &call->error);
    cli_progress_clear(&call->progress);
    return code == CLEAVE_OK ? cleave_save(updating->model, call->settings.output, &call->error)
                             : code;
}

static int run(Call *call)
{
    Updating updating = {.call = call, .result.size = sizeof updating.result};
    int status;

    call->keep_remarks = call->settings.json;
    if (!call->settings.output)
        call->settings.output = call->arguments[0];
    status = cli_check_output(call);
    if (status == DONE)
        status = cli_lock_model(call, call->settings.output);
    if (status == DONE)
        status = cli_load(call, call->arguments[0], &updating.from);
    if (status == DONE)
        status = update(&updating) == CLEAVE_OK
                     ? cli_tell_done(call, print_text, print_json, &updating)
                     : cli_fail(call);
    cleave_model_free(updating.model);
    cleave_data_free(updating.validation);
    cleave_data_free(updating.data);
    cleave_model_free(updating.from);
    return status;
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write the updated model to this file.", .default_text = "replace MODEL"),
    CLI_TEXT(validation, "Validation set; its error before and after the update is reported."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave generate spam --rows 2000 --test-rows 500 -o mail.tsv",
    "cleave train svm mail.tsv -o mail.model",
    "head -n 8 mail-test.tsv > new.tsv",
    "cleave update mail.model new.tsv --validation mail-test.tsv",
    NULL,
};

const Verb cli_verb_update = {
    .name = "update",
    .arguments = "MODEL DATA...",
    .brief = "Update a model with new rows without forgetting the old ones.",
    .about = "The rows of the first training are not needed. New classes, words and LIBSVM columns "
             "are learned (boost: no new classes). Trees keep their splits and update their "
             "leaves; forest and boost add trees where they help. The pipeline is kept. Methods "
             "without the trait 'updatable' are refused.",
    .examples = examples,
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_UPDATE),
    .replaces_first = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
