/* cleave apply: adds the sums of a round to the model. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <string.h>

static double mean_loss(const cleave_round *facts)
{
    return facts->rows ? facts->loss / (double)facts->rows : 0;
}

/* The model after the round, and its output file. */
typedef struct {
    const cleave_model *model;
    cleave_round round;
    const char *path;
} Applied;

static void print_json(Out *out, const Call *call, const void *made)
{
    const Applied *applied = made;
    const cleave_round *facts = &applied->round;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", cleave_model_method(applied->model));
    cli_json_put_count(&json, "round", facts->round);
    cli_json_put_bool(&json, "finished", facts->finished);
    cli_json_put_bool(&json, "converged", facts->converged);
    cli_json_put_count(&json, "tasks", facts->tasks);
    cli_json_put_count(&json, "rows", facts->rows);
    if (facts->counts_mistakes)
        cli_json_put_count(&json, "mistakes", facts->mistakes);
    else
        cli_json_put_string(&json, "mistakes", NULL);
    cli_json_put_number(&json, "loss", facts->loss);
    cli_json_put_number(&json, "mean_loss", mean_loss(facts));
    cli_json_put_count(&json, "features", facts->features);
    cli_json_put_string(&json, "summary", *facts->summary ? facts->summary : NULL);
    cli_json_put_string(&json, "model", applied->path);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

static void print_text(Out *out, const Call *call, const void *made)
{
    const Applied *applied = made;
    const cleave_round *facts = &applied->round;

    (void)call;
    cli_print(out, "Round %u: %s over %s", facts->round,
              COUNT(facts->tasks, "map task", "map tasks"), COUNT(facts->rows, "row", "rows"));
    if (facts->counts_mistakes)
        cli_print(out, ", %s", COUNT(facts->mistakes, "mistake", "mistakes"));
    cli_print(out, ", mean loss %s; %s.\n", SHORT(mean_loss(facts)),
              facts->converged  ? "converged"
              : facts->finished ? "finished"
                                : "not finished");
    if (*facts->summary)
        cli_print(out, "Result: %s.\n", facts->summary);
    cli_print(out, "Model written to %s.\n", applied->path);
}

static int apply(Call *call, const cleave_model *model)
{
    Inputs inputs = cli_inputs(call);
    Applied applied = {.path = call->settings.output ? call->settings.output
                                                     : call->settings.model};
    cleave_model *next = NULL, *again;
    int status;

    CLI_TRY(cli_lock_model(call, applied.path));
    if (call->lock) { /* the model is loaded again under the lock */
        CLI_TRY(cli_use_model(call, call->settings.model, &again));
        model = again;
    }
    status = cli_ok(
        call, cleave_apply(model, inputs.paths, inputs.count, &next, &applied.round, &call->error));
    if (status == DONE)
        status = cli_ok(call, cleave_save(next, applied.path, &call->error));
    applied.model = next;
    if (status == DONE)
        status = cli_tell_done(call, print_text, print_json, &applied);
    cleave_model_free(next);
    return status;
}

static cleave_code take_prediction(void *user, const cleave_prediction *row, cleave_error *error)
{
    Out *out = user;

    cli_put_value(out, row->label);
    cli_put(out, "\n");
    if (!out->failed)
        return CLEAVE_OK;
    if (error)
        *error = out->error;
    return out->error.code;
}

/* Writes predictions from the rows found by the round. A nearest-neighbor model is not changed. */
static int predict(Call *call, const cleave_model *model)
{
    Inputs inputs = cli_inputs(call);
    Out out;

    if (call->settings.json)
        return cli_misuse("apply writes one prediction per line for a nearest-neighbor model and "
                          "does not support --json");
    if (cli_out_open(&out, call->context, call->settings.output, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (cleave_predict_found(model, inputs.paths, inputs.count, take_prediction, &out,
                             &call->error) != CLEAVE_OK) {
        cli_out_abandon(&out);
        return cli_fail(call);
    }
    return cli_ok(call, cli_out_close(&out, &call->error));
}

static int run(Call *call)
{
    cleave_model *model = NULL;

    if (!call->settings.model)
        return cli_misuse("apply needs the model of the round: --model FILE");
    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_use_model(call, call->settings.model, &model));
    return cleave_model_finds_rows(model) ? predict(call, model) : apply(call, model);
}

static const cleave_param flags[] = {
    CLI_MODEL("Model that the map tasks of the round used."),
    CLI_OUTPUT("Write the new model to this file.", .default_text = "replace the old one"),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave begin perceptron @spam6 --update sum -o m.model",
    "cleave map --model m.model @spam6 | LC_ALL=C sort | cleave reduce >sums.txt",
    "cleave apply --model m.model sums.txt -o next.model",
    NULL,
};

const Verb cli_verb_apply = {
    .name = "apply",
    .arguments = "[SUMS...]",
    .brief = "Add the sums of a round to the model.",
    .about = "Reads the output of 'reduce' from files or standard input, adds it to the model that "
             "the map tasks used, and writes the new model. The report and \"finished\" in --json "
             "state whether another round is needed. Sums of another model, or sums that were "
             "applied already, are refused. For knn models it reads the nearest rows of all shards "
             "and prints one prediction per query.",
    .examples = examples,
    .flags = flags,
    .replaces_model = true,
    .least = 0,
    .most = SIZE_MAX,
    .run = run,
};
