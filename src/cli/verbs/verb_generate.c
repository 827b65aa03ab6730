/* cleave generate: writes synthetic data for experiments and benchmarks. */
#include "cli/report/train_summary.h"

#include <string.h>

static int check_kind(const char *kind)
{
    const char *known[64], *brief;
    size_t count = 0;

    while (count < 63 && (known[count] = cleave_generator(count, &brief))) {
        if (strcmp(known[count], kind) == 0)
            return DONE;
        count++;
    }
    known[count] = NULL;
    return cli_unknown("kind of data", "", kind, known, "cleave help generate");
}

static int run(Call *call)
{
    cleave_conversion done = {.rows = 0};

    CLI_TRY(check_kind(call->arguments[0]));
    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_ok(call, cleave_generate(call->context, call->arguments[0], call->settings.output,
                                         call->options[TABLE_GENERATE], &done, &call->error)));
    return cli_report_conversion(call, &done, call->settings.output);
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write to this file; - is standard output."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave generate spam --rows 1000 --test-rows 200 -o mail.tsv",
    "cleave generate blobs --rows 500 --features 3 -o blobs.csv",
    NULL,
};

const Verb cli_verb_generate = {
    .name = "generate",
    .arguments = "KIND",
    .brief = "Generate synthetic data.",
    .about = "The suffix of the output selects the format. The same seed generates the same data "
             "for any number of threads.",
    .examples = examples,
    .flags = flags,
    .tables = TABLE_BIT(TABLE_GENERATE),
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = 1,
    .run = run,
};
