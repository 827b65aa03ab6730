/* cleave convert: data written again, as the binary dataset or as text. */
#include "cli/report/train_summary.h"

static int convert(Call *call)
{
    cleave_data *data;
    cleave_conversion done = {.rows = 0};

    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_use_data(call, NULL, 0, &data));
    CLI_TRY(
        cli_ok(call, cleave_convert(data, call->settings.output, call->options[TABLE_CONVERT], &done, &call->error)));
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
    if (!call->settings.describe)
        return convert(call);
    return call->settings.output ? cli_misuse("--describe writes nothing: leave out -o") : describe(call);
}

static const cleave_param flags[] = {
    CLI_OUTPUT("the file to write, whole or not at all; - is standard output"),
    CLI_FLAG(describe, "write nothing: say what is in the data, the columns of a table one by one"),
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
    .brief = "write data as a compact binary dataset, or as text",
    .about =
        "Writes the binary dataset, which is trained on straight from the disk without loading it, or LIBSVM text "
        "or CSV where the suffix of the output says so. A CSV or TSV table written as a table keeps its header, columns and "
        "cells as they are, unless --transform is given. Needs little memory whatever the size of the data. With --describe it "
        "only says what is there: kinds of columns and why, missing and different values, ranges, labels.",
    .examples = examples,
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_CONVERT),
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
