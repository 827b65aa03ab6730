/* cleave begin: the model before the first round of many processes. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

static int report_on(Call *call, const cleave_model *model)
{
    char features[HUMAN_SIZE], classes[HUMAN_SIZE];
    Out out;

    if (call->settings.quiet && !call->settings.json)
        return DONE;
    cli_out_file(&out, cli_to_stdout(call) ? stderr : stdout);
    if (call->settings.json) {
        Json json = {.out = &out};

        cli_json_open(&json, '{');
        cli_json_put_string(&json, "method", cleave_model_method(model));
        cli_json_put_count(&json, "rows", cleave_model_rows(model));
        cli_json_put_count(&json, "features", cleave_model_feature_count(model));
        cli_json_put_count(&json, "classes", cleave_model_label_count(model));
        cli_json_put_string(&json, "model", call->settings.output);
        cli_json_remarks(&json, call);
        cli_json_close(&json, '}');
        cli_json_end_line(&json);
    } else {
        cli_print(&out, "begun %s: %s", cleave_model_method(model),
                  cli_count(cleave_model_feature_count(model), "feature", "features", features));
        if (cleave_model_label_count(model))
            cli_print(&out, ", %s", cli_count(cleave_model_label_count(model), "class", "classes", classes));
        cli_put(&out, "; untrained model written to ");
        cli_put_name(&out, call->settings.output);
        cli_put(&out, "\n");
    }
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static int run(Call *call)
{
    cleave_model *model = NULL;
    cleave_data *sample = NULL;
    int status = cli_check_output(call);

    call->keep_remarks = call->settings.json;
    if (status == DONE)
        status = cli_lock_model(call, call->settings.output);
    if (status == DONE)
        status = cli_open(call, NULL, call->arguments + 1, call->argument_count - 1, &sample);
    if (status == DONE && (cleave_begin(call->context, call->method.name, sample, call->options[TABLE_BEGIN], &model,
                                        &call->error) != CLEAVE_OK ||
                           cleave_save(model, call->settings.output, &call->error) != CLEAVE_OK))
        status = cli_fail(call);
    if (status == DONE)
        status = report_on(call, model);
    cleave_model_free(model);
    cleave_data_free(sample);
    return status;
}

static const cleave_param flags[] = {
    {.name = "output",
     .alias = "o",
     .type = CLEAVE_TEXT,
     .help = "Write the model to this file.",
     .offset = offsetof(Settings, output)},
    {.name = NULL},
};

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
    .common = "output rows known-classes positive class-weight skip-unlabeled skip-unlabelled "
              "threads seed json quiet",
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_BEGIN),
    .takes_method = true,
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
