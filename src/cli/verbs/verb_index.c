/* cleave index: keeps points to be searched for, with labels or without. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Call *call;
    cleave_data *data;
    cleave_model *from, *model;
    cleave_report *report;
} Indexing;

static void print_json(Out *out, const Call *call, const void *facts)
{
    const Indexing *indexing = facts;
    const cleave_report *report = indexing->report;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "points", (uint64_t)cli_figure(report, "points"));
    cli_json_put_count(&json, "features", report->features);
    cli_json_put_count(&json, "classes", report->classes);
    cli_json_put_string(&json, "verdict", report->summary);
    cli_json_put_number(&json, "read_seconds", report->read_seconds);
    cli_json_put_number(&json, "index_seconds", report->train_seconds);
    cli_json_put_string(&json, "model", call->settings.output);
    cli_json_remarks(&json, call);
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const Indexing *indexing = facts;
    const cleave_report *report = indexing->report;
    char a[HUMAN_SIZE], b[HUMAN_SIZE], c[HUMAN_SIZE], took[HUMAN_SIZE], *word;

    cli_print(out, "read %s, %s", cli_count(report->rows, "row", "rows", a),
              cli_count(report->features, "feature", "features", b));
    if (report->classes)
        cli_print(out, ", %s", cli_count(report->classes, "label", "labels", c));
    cli_print(out, "%s\n", cli_took(report->read_seconds, took));
    cli_print(out, "%s%s\n", report->summary, cli_took(report->train_seconds, took));
    if (cli_to_stdout(call))
        return;
    cli_print(out, "model written to %s\n", call->settings.output);
    word = cli_shell_word(call->settings.output);
    cli_print(out, "try next: cleave search %s QUERIES\n", word);
    free(word);
}

/* Every row is kept, whether it has a label or not. */
static cleave_code set_options(Call *call)
{
    static const char *const handed_on[] = {"transform", "seed", NULL};
    cleave_options *options = call->options[TABLE_TRAIN];
    cleave_code code = cleave_options_set(options, "unlabelled", "true", &call->error);

    if (code == CLEAVE_OK && call->settings.from) /* rows are added to those of the model */
        code = cleave_options_set(options, "refit", "true", &call->error);
    for (size_t i = 0; handed_on[i] && code == CLEAVE_OK; i++) {
        const char *value = cli_value_of(call, handed_on[i]);

        if (value)
            code = cleave_options_set(options, handed_on[i], value, &call->error);
    }
    return code;
}

static int build(Indexing *indexing)
{
    Call *call = indexing->call;
    const cleave_options *options = call->options[TABLE_TRAIN];
    cleave_code code = set_options(call);

    if (code == CLEAVE_OK && indexing->from)
        code = cleave_train_from(indexing->from, indexing->data, NULL, options, &indexing->model, &indexing->report,
                                 &call->error);
    else if (code == CLEAVE_OK)
        code = cleave_train(call->context, call->method.name, indexing->data, NULL, options, &indexing->model,
                            &indexing->report, &call->error);
    cli_progress_clear(&call->progress);
    if (code == CLEAVE_OK && indexing->report->cancelled) {
        cli_misuse("interrupted; nothing is written");
        return cli_interrupted_status();
    }
    if (code == CLEAVE_OK)
        code = cleave_save(indexing->model, call->settings.output, &call->error);
    return code == CLEAVE_OK ? cli_tell_done(call, print_text, print_json, indexing) : cli_fail(call);
}

static int run(Call *call)
{
    Indexing indexing = {.call = call};
    int status = cli_check_output(call);

    call->keep_remarks = call->settings.json;
    if (status == DONE)
        status = cli_lock_model(call, call->settings.output);
    if (status == DONE && call->settings.from)
        status = cli_load(call, call->settings.from, &indexing.from);
    if (status == DONE && indexing.from && strcmp(cleave_model_method(indexing.from), call->method.name) != 0)
        status = cli_misuse("--from %s: expected a model that keeps points, found one of '%s'", call->settings.from,
                            cleave_model_method(indexing.from));
    if (status == DONE)
        status = cli_open(call, indexing.from, call->arguments, call->argument_count, &indexing.data);
    if (status == DONE)
        status = build(&indexing);
    cleave_report_free(indexing.report);
    cleave_model_free(indexing.model);
    cleave_data_free(indexing.data);
    cleave_model_free(indexing.from);
    return status;
}

static const cleave_param flags[] = {
    {.name = "output",
     .alias = "o",
     .type = CLEAVE_TEXT,
     .help = "Write the index to this file.",
     .offset = offsetof(Settings, output)},
    {.name = "from",
     .type = CLEAVE_TEXT,
     .help = "Add the points to those of this index.",
     .offset = offsetof(Settings, from)},
    {.name = "transform",
     .type = CLEAVE_TEXT,
     .help = "Feature pipeline applied before distances are computed.",
     .offset = offsetof(Settings, transform)},
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave index @dogs -o dogs.model",
    "cleave search dogs.model @dogs --k 2",
    NULL,
};

const Verb cli_verb_index = {
    .name = "index",
    .arguments = "DATA...",
    .brief = "Build an index for nearest-neighbor search.",
    .about = "Stores every row as a point, with or without a label. 'search' finds the nearest "
             "points. If every row has a label, the file is also a knn model and can predict.",
    .examples = examples,
    .common = "output from transform distance index recall feature-weights max-points most-points "
              "label columns threads json quiet",
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ),
    .method = "knn",
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
