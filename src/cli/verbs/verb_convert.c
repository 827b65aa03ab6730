/* cleave convert: writes data as a binary dataset or as text. */
#include "cli/report/train_summary.h"

typedef struct {
    bool describe;
} ConvertFlags;

static int convert(Call *call)
{
    cleave_data *data;
    cleave_conversion done = {.rows = 0};

    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_use_data(call, NULL, 0, &data));
    CLI_TRY(cli_ok(call, cleave_convert(data, call->settings.output, call->options[TABLE_CONVERT],
                                        &done, &call->error)));
    return cli_report_conversion(call, &done, call->settings.output);
}

static int describe(Call *call)
{
    cleave_description *description;
    int status;

    call->keep_remarks = call->settings.json;
    CLI_TRY(cli_ok(call, cleave_describe(call->context, call->arguments, call->argument_count,
                                         call->options[TABLE_READ], &description, &call->error)));
    status = cli_report_description(call, description);
    cleave_description_free(description);
    return status;
}

static int run(Call *call)
{
    if (!((const ConvertFlags *)call->own)->describe)
        return convert(call);
    return call->settings.output ? cli_misuse("--describe writes nothing: omit -o")
                                 : describe(call);
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write to this file; - is standard output."),
    CLI_OWN_FLAG(ConvertFlags, describe, "Describe the data and write nothing."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave convert @spam6 -o spam.cleave",
    "cleave convert spam.cleave -o spam.csv",
    "cleave convert spam.csv --describe",
    NULL,
};

const Verb cli_verb_convert = {
    .name = "convert",
    .arguments = "DATA...",
    .brief = "Convert data to a binary dataset, LIBSVM text or CSV.",
    .about = "The suffix of the output selects the format. A .cleave dataset is compact and "
             "memory-mapped: training reads it from disk. Tables written as tables keep their "
             "columns and cells unless --transform is given. Memory use does not depend on the "
             "size of the data. --describe only reports columns, types, missing values and labels.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(ConvertFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_CONVERT),
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
