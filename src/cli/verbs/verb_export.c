/* cleave export: a model in the format of another program, or as C code. */
#include "cli/report/train_summary.h"
#include "cli/ui/call.h"
#include "cli/ui/json.h"

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_model *model = facts;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "output", call->settings.output);
    cli_json_put_string(&json, "method", cleave_model_method(model));
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

static int run(Call *call)
{
    cleave_model *model;

    call->settings.output = call->arguments[1];
    call->argument_count = 1;
    CLI_TRY(cli_check_targets(call));
    if (!cli_to_stdout(call))
        CLI_TRY(cli_check_written(call, "FILE", call->settings.output));
    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_use_model(call, call->arguments[0], &model));
    CLI_TRY(cli_ok(call, cleave_export(model, call->settings.output, call->options[TABLE_EXPORT],
                                       &call->error)));
    return cli_tell_done(call, print_text, print_json, model);
}

static const char *const examples[] = {
    "cleave train tree @dogs -o dogs.model",
    "cleave export dogs.model dogs.c --prefix dogs",
    NULL,
};

const Verb cli_verb_export = {
    .name = "export",
    .arguments = "MODEL FILE",
    .brief = "Write a model as C code or for another program.",
    .about = "The suffix of the file selects the format; --format overrides it. C code needs no "
             "library and predicts the same bits.",
    .examples = examples,
    .tables = TABLE_BIT(TABLE_EXPORT),
    .shows_notes = true,
    .least = 2,
    .most = 2,
    .run = run,
};
