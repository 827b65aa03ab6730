/* cleave remove: a model without some of its points. */
#include "cli/report/train_summary.h"
#include "cli/ui/call.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/json.h"

typedef struct {
    const char *rows, *ids;
} RemoveFlags;

static void print_json(Out *out, const Call *call, const void *facts)
{
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "removed", *(const uint64_t *)facts);
    cli_json_put_string(&json, "model", call->settings.output);
    cli_json_end(&json, '}');
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    cli_print(out, "Removed %s.\n", COUNT(*(const uint64_t *)facts, "point", "points"));
    if (!cli_to_stdout(call))
        cli_print(out, "Model written to %s.\n", call->settings.output);
}

static int run(Call *call)
{
    const RemoveFlags *given = call->own;
    cleave_model *model;
    uint64_t removed;

    CLI_TRY(cli_check_output(call));
    if (!given->rows == !given->ids)
        return cli_misuse("remove needs either --rows LIST or --ids LIST  (see 'cleave remove "
                          "--help')");
    CLI_TRY(cli_lock_model(call, call->settings.output));
    CLI_TRY(cli_use_model(call, call->arguments[0], &model));
    CLI_TRY(cli_ok(
        call, given->ids ? cleave_model_remove_ids(model, given->ids, &removed, &call->error)
                         : cleave_model_remove_list(model, given->rows, &removed, &call->error)));
    CLI_TRY(cli_ok(call, cleave_save(model, call->settings.output, &call->error)));
    return cli_tell_done(call, print_text, print_json, &removed);
}

static const cleave_param flags[] = {
    CLI_MODEL_OUTPUT,
    CLI_OWN_TEXT(RemoveFlags, rows,
                 "Rows to remove, counted from 0: a list, e.g. 3,7-9, or a file."),
    CLI_OWN_TEXT(RemoveFlags, ids, "Ids of the points to remove, separated by commas."),
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
    .own_size = sizeof(RemoveFlags),
    .wants_output = true,
    .least = 1,
    .most = 1,
    .run = run,
};
