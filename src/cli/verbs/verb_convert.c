/* cleave convert: data written again, as the binary dataset or as text. */
#include "cli/report/train_summary.h"

static int convert(Call *call)
{
    cleave_data *data = NULL;
    cleave_conversion done = {.rows = 0};
    int status = cli_check_output(call);

    call->keep_remarks = call->settings.json;
    if (status == DONE)
        status = cli_open(call, NULL, call->arguments, call->argument_count, &data);
    if (status == DONE &&
        cleave_convert(data, call->settings.output, call->options[TABLE_CONVERT], &done, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    if (status == DONE)
        status = cli_report_conversion(call, &done, call->settings.output);
    cleave_data_free(data);
    return status;
}

static int describe(Call *call)
{
    cleave_description *description = NULL;
    int status = DONE;

    call->keep_remarks = call->settings.json;
    if (cleave_describe(call->context, call->arguments, call->argument_count, call->options[TABLE_READ], &description,
                        &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    if (status == DONE)
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
    {.name = "output",
     .alias = "o",
     .type = CLEAVE_TEXT,
     .help = "the file to write, whole or not at all; - is standard output",
     .offset = offsetof(Settings, output)},
    {.name = "describe",
     .type = CLEAVE_FLAG,
     .help = "write nothing: say what is in the data, the columns of a table one by one",
     .offset = offsetof(Settings, describe)},
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
