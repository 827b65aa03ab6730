/* cleave map: computes the update of some rows to a model, as lines of key and value. */
#include "cli/ui/call.h"

typedef struct {
    bool textbook;
} MapFlags;

static int run(Call *call)
{
    Inputs inputs = cli_inputs(call);
    const char *output = call->settings.output ? call->settings.output : "-";
    cleave_model *model = NULL;
    cleave_round facts;

    if (!call->settings.model)
        return cli_misuse("map needs the model of the round: --model FILE");
    if (call->settings.json)
        return cli_misuse("map writes lines of key TAB value and does not support --json");
    CLI_TRY(cli_to_stdout(call) ? DONE : cli_check_output(call));
    CLI_TRY(cli_use_model(call, call->settings.model, &model));
    if (((const MapFlags *)call->own)->textbook)
        return cli_ok(call,
                      cleave_map_contributions(model, inputs.paths, inputs.count,
                                               call->options[TABLE_READ], output, &call->error));
    return cli_ok(call, cleave_map(model, inputs.paths, inputs.count, call->options[TABLE_READ],
                                   output, &facts, &call->error));
}

static const cleave_param flags[] = {
    CLI_MODEL("Model of the round, written by begin or apply."),
    CLI_OUTPUT("Write to this file.", .default_text = "standard output"),
    CLI_OWN_FLAG(MapFlags, textbook,
                 "Write each contribution of a row, e.g. eta y x, instead of sums; to read only."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave begin perceptron @spam6 --update sum -o round.model",
    "cleave map --model round.model @spam6 -o updates.txt",
    "cleave map --model round.model @spam6 --textbook",
    NULL,
};

const Verb cli_verb_map = {
    .name = "map",
    .arguments = "[DATA...]",
    .brief = "Compute the contribution of some rows to a round.",
    .about = "Reads rows from files or standard input and writes one line, key TAB value, for each "
             "number that changes. Run one task per shard of the data. A task that runs again "
             "writes the same bytes. Labels that are unknown to the model are an error. For knn "
             "models it writes the nearest rows of this shard for each query.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(MapFlags),
    .tables = TABLE_BIT(TABLE_READ),
    .shows_progress = true,
    .least = 0,
    .most = SIZE_MAX,
    .run = run,
};
