/* cleave split: writes a training set and a test set. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

typedef struct {
    const char *into, *rest;
} SplitFlags;

static void print_text(Out *out, const Call *call, const void *made)
{
    const SplitFlags *given = call->own;
    const cleave_split_result *facts = made;
    double all = (double)(facts->train.rows + facts->test.rows);

    cli_print(out, "Training set: %s, written to ", COUNT(facts->train.rows, "row", "rows"));
    cli_put_name(out, given->into);
    cli_print(out, ".\nTest set: %s (%.1f%%), written to ", COUNT(facts->test.rows, "row", "rows"),
              100 * (double)facts->test.rows / all);
    cli_put_name(out, given->rest);
    cli_put(out, facts->stratified ? ".\nSplit: random, stratified by class"
                 : facts->by_time  ? ".\nSplit: the test set is the latest rows"
                                   : ".\nSplit: the test set is the last rows");
    if (facts->groups)
        cli_print(out, "; %s, each in one set only", COUNT(facts->groups, "group", "groups"));
    cli_put(out, ".\n");
}

static void json_part(Json *json, const char *key, const char *path, const cleave_conversion *part)
{
    cli_json_open_key(json, key, '{');
    cli_json_put_string(json, "output", path);
    cli_json_put_count(json, "rows", part->rows);
    cli_json_put_count(json, "entries", part->entries);
    cli_json_put_count(json, "bytes", part->bytes_out);
    cli_json_close(json, '}');
}

static void print_json(Out *out, const Call *call, const void *made)
{
    const SplitFlags *given = call->own;
    const cleave_split_result *facts = made;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    json_part(&json, "train", given->into, &facts->train);
    json_part(&json, "test", given->rest, &facts->test);
    cli_json_put_bool(&json, "stratified", facts->stratified);
    if (facts->by_time)
        cli_json_put_bool(&json, "by_time", true);
    if (facts->groups)
        cli_json_put_count(&json, "groups", facts->groups);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}

static int run(Call *call)
{
    const SplitFlags *given = call->own;
    cleave_data *data;
    cleave_split_result facts;

    if (!given->into || !given->rest)
        return cli_misuse(
            "split needs --into TRAIN TEST, the two files to write  (see 'cleave split --help')");
    call->keep_remarks = call->settings.json;
    CLI_TRY(cli_use_data(call, NULL, 0, &data));
    CLI_TRY(cli_ok(call, cleave_split(data, given->into, given->rest, call->options[TABLE_SPLIT],
                                      &facts, &call->error)));
    return cli_tell_done(call, print_text, print_json, &facts);
}

static const cleave_param flags[] = {
    CLI_OWN_TEXT(SplitFlags, into, "Files or folders to write: --into train.csv test.csv."),
    CLI_OWN_TEXT(SplitFlags, rest,
                 "File or folder of the test set, if --into names only the training set."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave split @dogs --into train.csv test.csv --test-fraction 0.3",
    "cleave split @dogs --into train.cleave test.cleave --in-order",
    NULL,
};

const Verb cli_verb_split = {
    .name = "split",
    .arguments = "DATA...",
    .brief = "Split data into a training set and a test set.",
    .about = "Writes two files in any format of 'convert', or two folders for a folder of "
             "documents. The split is random and stratified (see --seed), by group, or by time. "
             "Tables written as tables keep their columns and cells. The targets must not exist, "
             "or be empty.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(SplitFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_SPLIT),
    .pair = {"into", "rest"},
    .shows_progress = true,
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
