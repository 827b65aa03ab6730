/* cleave index: stores rows as points for nearest-neighbor search. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *ids, *metadata, *boxes, *transform;
} IndexFlags;

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
    cli_json_put_string(&json, "summary", report->summary);
    cli_json_put_number(&json, "read_seconds", report->read_seconds);
    cli_json_put_number(&json, "index_seconds", report->train_seconds);
    cli_json_put_string(&json, "model", call->settings.output);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

static void print_text(Out *out, const Call *call, const void *facts)
{
    const Indexing *indexing = facts;
    const cleave_report *report = indexing->report;
    char *word;

    cli_print(out, "Read %s, %s", COUNT(report->rows, "row", "rows"),
              COUNT(report->features, "feature", "features"));
    if (report->classes)
        cli_print(out, ", %s", COUNT(report->classes, "label", "labels"));
    cli_print(out, "%s.\n", TOOK(report->read_seconds));
    cli_print(out, "Indexed: %s%s.\n", report->summary, TOOK(report->train_seconds));
    if (cli_to_stdout(call))
        return;
    cli_print(out, "Model written to %s.\n", call->settings.output);
    word = cli_shell_word(call->settings.output);
    cli_print(out, "Next: cleave search %s QUERIES.\n", word);
    free(word);
}

/* Sets options such that every row is stored, with or without a label. */
static cleave_code set_options(Call *call)
{
    const IndexFlags *given = call->own;
    static const char *const passed_options[] = {"transform", "seed", NULL};
    cleave_options *options = call->options[TABLE_TRAIN];
    cleave_code code = cleave_options_set(options, "keep_unlabeled", "true", &call->error);

    if (code == CLEAVE_OK && call->settings.from) /* rows are added to those of the model */
        code = cleave_options_set(options, "refit", "true", &call->error);
    if (code == CLEAVE_OK && given->boxes && !cli_was_given(call, "index"))
        code = cleave_options_set(options, "index", "rtree", &call->error);
    if (code == CLEAVE_OK && given->boxes && !cli_was_given(call, "transform") &&
        !call->settings.from)
        code = cleave_options_set(options, "transform", "none", &call->error);
    for (size_t i = 0; passed_options[i] && code == CLEAVE_OK; i++) {
        const char *value = cli_value_of(call, passed_options[i]);

        if (value)
            code = cleave_options_set(options, passed_options[i], value, &call->error);
    }
    return code;
}

static int build(Indexing *indexing)
{
    Call *call = indexing->call;
    const cleave_options *options = call->options[TABLE_TRAIN];
    const IndexFlags *given = call->own;
    cleave_code code = set_options(call);

    if (code == CLEAVE_OK && indexing->from)
        code = cleave_train_from(indexing->from, indexing->data, NULL, options, &indexing->model,
                                 &indexing->report, &call->error);
    else if (code == CLEAVE_OK)
        code = cleave_train(call->context, call->method.name, indexing->data, NULL, options,
                            &indexing->model, &indexing->report, &call->error);
    cli_progress_clear(&call->progress);
    if (code == CLEAVE_OK && indexing->report->cancelled) {
        cli_misuse("interrupted: no index is written");
        return cli_interrupted_status();
    }
    if (code == CLEAVE_OK)
        code = cleave_model_add_metadata(indexing->model, given->ids, given->metadata,
                                         &call->error);
    if (code == CLEAVE_OK && given->boxes)
        code = cleave_model_set_boxes(indexing->model, given->boxes, &call->error);
    if (code == CLEAVE_OK)
        code = cleave_save(indexing->model, call->settings.output, &call->error);
    return code == CLEAVE_OK ? cli_tell_done(call, print_text, print_json, indexing)
                             : cli_fail(call);
}

static int run(Call *call)
{
    Indexing indexing = {.call = call};
    int status;

    CLI_TRY(cli_prepare_output(call));
    CLI_TRY(cli_lock_model(call, call->settings.output));
    if (call->settings.from)
        CLI_TRY(cli_use_model(call, call->settings.from, &indexing.from));
    if (indexing.from && strcmp(cleave_model_method(indexing.from), call->method.name) != 0)
        return cli_misuse("--from %s: expected an index, found a model of '%s'",
                          call->settings.from, cleave_model_method(indexing.from));
    CLI_TRY(cli_use_data(call, indexing.from, 0, &indexing.data));
    status = build(&indexing);
    cleave_report_free(indexing.report);
    cleave_model_free(indexing.model);
    return status;
}

static const cleave_param flags[] = {
    CLI_MODEL_OUTPUT,
    CLI_TEXT(from, "Add the points to this index."),
    CLI_OWN_TEXT(IndexFlags, ids,
                 "Ids of the points: a file with one per line, or a column of --metadata."),
    CLI_OWN_TEXT(IndexFlags, metadata, "CSV file of metadata: a header, then one line per row."),
    CLI_OWN_TEXT(IndexFlags, boxes,
                 "Read rows as boxes with these bounds, e.g. x=xmin..xmax,y=ymin..ymax."),
    CLI_OWN_TEXT(IndexFlags, transform, "Feature pipeline applied before distances are computed."),
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
    .common =
        "output from ids metadata boxes transform distance index recall feature-weights max-points "
        "label columns threads json quiet",
    .flags = flags,
    .own_size = sizeof(IndexFlags),
    .tables = TABLE_BIT(TABLE_READ),
    .method = "knn",
    .wants_output = true,
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
