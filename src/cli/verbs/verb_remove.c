/* cleave remove: a model without some of its points. */
#include "cli/report/train_summary.h"
#include "cli/ui/call.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/json.h"

static int report_on(Call *call, uint64_t removed)
{
    char count[HUMAN_SIZE];
    Json json;
    Out out;

    if (call->settings.quiet && !call->settings.json)
        return DONE;
    cli_out_file(&out, cli_to_stdout(call) ? stderr : stdout);
    json = (Json){.out = &out};
    if (call->settings.json) {
        cli_json_open(&json, '{');
        cli_json_put_count(&json, "removed", removed);
        cli_json_put_string(&json, "model", call->settings.output);
        cli_json_close(&json, '}');
        cli_json_end_line(&json);
    } else {
        cli_print(&out, "removed %s\n", cli_count(removed, "point", "points", count));
        if (!cli_to_stdout(call))
            cli_print(&out, "model written to %s\n", call->settings.output);
    }
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static int run(Call *call)
{
    cleave_model *model = NULL;
    uint64_t removed;
    int status = cli_check_output(call);

    if (status == DONE && !call->settings.rows)
        status = cli_misuse("remove needs --rows LIST, the rows that go  ('cleave remove --help' says more)");
    if (status == DONE)
        status = cli_lock_model(call, call->settings.output);
    if (status == DONE)
        status = cli_load(call, call->arguments[0], &model);
    if (status == DONE && (cleave_model_remove_list(model, call->settings.rows, &removed, &call->error) != CLEAVE_OK ||
                           cleave_save(model, call->settings.output, &call->error) != CLEAVE_OK))
        status = cli_fail(call);
    cleave_model_free(model);
    return status == DONE ? report_on(call, removed) : status;
}

static const cleave_param flags[] = {
    {.name = "output",
     .alias = "o",
     .type = CLEAVE_TEXT,
     .help = "Write the index to this file.",
     .offset = offsetof(Settings, output)},
    {.name = "rows",
     .type = CLEAVE_TEXT,
     .help = "Rows to remove, counted from 1: a list such as 3,7-9, or a file.",
     .offset = offsetof(Settings, rows)},
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave index @dogs -o dogs.model",
    "cleave remove dogs.model --rows 3,7-9 -o fewer.model",
    NULL,
};

const Verb cli_verb_remove = {
    .name = "remove",
    .arguments = "MODEL",
    .brief = "Remove points from an index.",
    .about = "Writes the index without the given rows. The other points keep their row numbers. "
             "'index DATA --from MODEL' adds points.",
    .examples = examples,
    .flags = flags,
    .wants_output = true,
    .least = 1,
    .most = 1,
    .run = run,
};
