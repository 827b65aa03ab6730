/* cleave convert-model: converts model files of other programs to cleave models, and back. */
#include "cli/report/train_summary.h"
#include "cli/ui/call.h"
#include "cli/ui/json.h"

#include <string.h>

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_model *model = facts;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "output", call->settings.output);
    cli_json_put_string(&json, "method", cleave_model_method(model));
    cli_json_put_count(&json, "features", cleave_model_feature_count(model));
    cli_json_put_count(&json, "classes", cleave_model_label_count(model));
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_model *model = facts;

    if (cli_to_stdout(call))
        return;
    cli_print(out, "Wrote the model of '%s' to ", cleave_model_method(model));
    cli_put_name(out, call->settings.output);
    cli_put(out, ".\n");
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);

    return length > size && strcmp(text + length - size, end) == 0;
}

/* Returns whether the output is a cleave model, because no other format is given. */
static bool writes_model(const Call *call)
{
    cleave_model_format_info info;

    if (cli_was_given(call, "format"))
        return false;
    for (size_t i = 0; cleave_model_format(i, &info); i++)
        if (info.suffix && ends_with(call->settings.output, info.suffix))
            return false;
    return true;
}

static int convert(Call *call, const char *input)
{
    const char *output = call->settings.output;
    bool own = cli_is_model(input);
    cleave_model *model;

    if (own) {
        CLI_TRY(cli_use_model(call, input, &model));
    } else {
        CLI_TRY(cli_ok(call, cleave_import(call->context, input, &model, &call->error)));
        call->models[call->model_count++] = model;
    }
    CLI_TRY(cli_ok(call,
                   !own && writes_model(call)
                       ? cleave_save(model, output, &call->error)
                       : cleave_export(model, output, call->options[TABLE_EXPORT], &call->error)));
    return cli_tell_done(call, print_text, print_json, model);
}

static int run(Call *call)
{
    call->settings.output = call->arguments[1];
    call->argument_count = 1;
    CLI_TRY(cli_check_targets(call));
    if (!cli_to_stdout(call))
        CLI_TRY(cli_check_written(call, "OUTPUT", call->settings.output));
    CLI_TRY(cli_prepare_output(call));
    if (!cli_is_model(call->arguments[0]) && writes_model(call))
        CLI_TRY(cli_lock_model(call, call->settings.output));
    return convert(call, call->arguments[0]);
}

static const char *const examples[] = {
    "cleave train svm @points5 --transform none -o points.model",
    "cleave convert-model points.model points.liblinear --format liblinear",
    "cleave convert-model points.liblinear again.model",
    NULL,
};

const Verb cli_verb_convert_model = {
    .name = "convert-model",
    .arguments = "INPUT OUTPUT",
    .brief = "Convert models from and to LIBSVM and LIBLINEAR.",
    .about = "The first bytes of the input select its format. A model of another program becomes a "
             "model of cleave, unless --format or the suffix of the output names another format.",
    .examples = examples,
    .tables = TABLE_BIT(TABLE_EXPORT),
    .shows_notes = true,
    .least = 2,
    .most = 2,
    .run = run,
};
