/* cleave reduce: exact sums of equal keys. */
#include "cli/ui/call.h"

typedef struct {
    bool partial;
} ReduceFlags;

static int run(Call *call)
{
    const ReduceFlags *given = call->own;
    Inputs inputs = cli_inputs(call);

    if (call->settings.json)
        return cli_misuse("reduce writes lines of key TAB value and does not support --json");
    CLI_TRY(cli_to_stdout(call) ? DONE : cli_check_output(call));
    return cli_ok(call,
                  cleave_reduce(call->context, inputs.paths, inputs.count, given->partial,
                                call->settings.output ? call->settings.output : "-", &call->error));
}

static const cleave_param flags[] = {
    CLI_OWN_FLAG(ReduceFlags, partial,
                 "Write exact partial sums that can be reduced again (for combiners)."),
    CLI_OUTPUT("Write to this file.", .default_text = "standard output"),
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
    .brief = "Sum the values of equal keys.",
    .about = "Reads lines of key TAB value from files or standard input, equal keys in succession, "
             "and writes each key once with the sum of its values. Sums are exact and rounded "
             "once, so the order of the values does not matter. Several reducers may share the "
             "keys. For knn models it keeps the nearest rows of all shards.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(ReduceFlags),
    .least = 0,
    .most = SIZE_MAX,
    .run = run,
};
