/* cleave reduce: exact sums of equal keys. */
#include "cli/ui/call.h"

static int run(Call *call)
{
    Inputs inputs = cli_inputs(call);

    if (call->settings.json)
        return cli_misuse("reduce writes lines of key and value, and no JSON");
    CLI_TRY(cli_to_stdout(call) ? DONE : cli_check_output(call));
    return cli_ok(call, cleave_reduce(call->context, inputs.paths, inputs.count, call->settings.partial,
                                      call->settings.output ? call->settings.output : "-", &call->error));
}

static const cleave_param flags[] = {
    CLI_FLAG(partial, "round nothing: as many lines a key as its sum needs, to be reduced again; for combiners"),
    CLI_OUTPUT("the file to write, whole or not at all; otherwise standard output"),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave begin perceptron @spam6 --update sum -o round.model",
    "cleave map --model round.model @spam6 | LC_ALL=C sort | cleave reduce",
    NULL,
};

const Verb cli_verb_reduce = {
    .name = "reduce",
    .arguments = "[FILE...]",
    .brief = "sum the values of equal keys, exactly",
    .about =
        "Reads lines of key TAB value, from standard input where no file is named, and writes each key once with the "
        "sum of its values. Equal keys must stand together, in whatever order the keys are. The sum is exact and "
        "rounded once at the end, so no order of the values changes a bit of it. Several reducers may share the keys. Of the "
        "rows that parts of a model of neighbours found for a question, the nearest are kept.",
    .examples = examples,
    .flags = flags,
    .least = 0,
    .most = SIZE_MAX,
    .run = run,
};
