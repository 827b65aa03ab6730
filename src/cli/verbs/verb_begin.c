/* cleave begin: creates the model before the first round of several processes. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

static void print_json(Out *out, const Call *call, const void *facts)
{
    const cleave_model *model = facts;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", cleave_model_method(model));
    cli_json_put_count(&json, "rows", cleave_model_rows(model));
    cli_json_put_count(&json, "features", cleave_model_feature_count(model));
    cli_json_put_count(&json, "classes", cleave_model_label_count(model));
    cli_json_put_string(&json, "model", call->settings.output);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const cleave_model *model = facts;

    cli_print(out, "Created %s: %s", cleave_model_method(model),
              COUNT(cleave_model_feature_count(model), "feature", "features"));
    if (cleave_model_label_count(model))
        cli_print(out, ", %s", COUNT(cleave_model_label_count(model), "class", "classes"));
    cli_print(out, "; untrained model written to %s.\n", call->settings.output);
}

static int run(Call *call)
{
    cleave_model **model = &call->models[0];
    cleave_data *sample;

    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_lock_model(call, call->settings.output));
    CLI_TRY(cli_use_data(call, NULL, 1, &sample));
    CLI_TRY(cli_ok(call, cleave_begin(call->context, call->method.name, sample,
                                      call->options[TABLE_BEGIN], model, &call->error)));
    call->model_count = 1;
    CLI_TRY(cli_ok(call, cleave_save(*model, call->settings.output, &call->error)));
    return cli_tell_done(call, print_text, print_json, *model);
}

static const cleave_param flags[] = {
    CLI_MODEL_OUTPUT,
    {.name = NULL},
};

static bool suits(const cleave_method_info *method)
{
    return method->merges;
}

static const char *const examples[] = {
    "cleave begin perceptron @spam6 --update sum -o round.model",
    NULL,
};

const Verb cli_verb_begin = {
    .name = "begin",
    .arguments = "METHOD SAMPLE...",
    .brief = "Create the model for the first map-reduce round.",
    .about = "Writes an untrained model with the classes and features of the sample. 'map' and "
             "'apply' start from it. The sample may be a part of the data: --known-classes names "
             "classes that it lacks, and --rows states the number of rows of the whole data. New "
             "numbered features may appear later.",
    .examples = examples,
    .common = "output rows known-classes positive class-weight skip-unlabeled "
              "threads seed json quiet",
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_BEGIN),
    .takes_method = true,
    .suits = suits,
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
