/* cleave search: the nearest neighbors of each query, with their distances. */
#include "cli/ui/call.h"
#include "cli/ui/json.h"

#include <stdlib.h>
#include <string.h>

typedef enum { TO_CSV, TO_JSON, TO_IVECS, TO_FVECS } Form;
static const char *const forms[] = {"csv", "json", "ivecs", "fvecs", NULL};

typedef struct {
    Call *call;
    Form form;
    Out out;
} Search;

/* Files have exact cells. Standard output may be a terminal: cells are escaped there, like the
 * labels of predict. */
static void csv_text(Out *out, const char *text, bool safe)
{
    size_t size = cleave_csv_cell(text, ',', safe, NULL, 0) + 1;
    char *cell = cli_alloc(NULL, size, 1);

    cleave_csv_cell(text, ',', safe, cell, size);
    if (out->file)
        cli_put_value(out, cell);
    else
        cli_write(out, cell, size - 1);
    free(cell);
}

static void csv_row(Out *out, const cleave_found *found, bool safe)
{
    for (size_t i = 0; i < found->count; i++) {
        const cleave_found_point *neighbor = &found->points[i];
        char distance[32];

        cli_print(out, "%llu,%zu,%llu,%s,", (unsigned long long)found->row, i + 1,
                  (unsigned long long)neighbor->row,
                  cleave_number_text(neighbor->distance, distance));
        if (neighbor->label)
            csv_text(out, neighbor->label, safe);
        cli_put(out, "\n");
    }
}

static void json_row(Out *out, const cleave_found *found)
{
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "query", found->row);
    if (found->name)
        cli_json_put_string(&json, "name", found->name);
    cli_json_open_key(&json, "neighbors", '[');
    for (size_t i = 0; i < found->count; i++) {
        cli_json_open(&json, '{');
        cli_json_put_count(&json, "row", found->points[i].row);
        cli_json_put_number(&json, "distance", found->points[i].distance);
        cli_json_put_string(&json, "label", found->points[i].label);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_end(&json, '}');
}

/* Four bytes, little-endian. */
static void put_word(Out *out, uint32_t word)
{
    char bytes[4] = {(char)(word & 255), (char)(word >> 8 & 255), (char)(word >> 16 & 255),
                     (char)(word >> 24)};

    cli_write(out, bytes, 4);
}

static cleave_code vecs_row(Search *search, const cleave_found *found, cleave_error *error)
{
    put_word(&search->out, (uint32_t)found->count);
    for (size_t i = 0; i < found->count; i++) {
        float distance = (float)found->points[i].distance;
        uint64_t row = found->points[i].row - 1;
        uint32_t bits = (uint32_t)row;

        if (search->form == TO_FVECS) {
            memcpy(&bits, &distance, sizeof bits);
        } else if (row > INT32_MAX) {
            if (error) {
                error->code = CLEAVE_ERROR_DATA;
                snprintf(error->message, sizeof error->message,
                         "row %llu does not fit into ivecs, which holds numbers below 2^31",
                         (unsigned long long)row);
                snprintf(error->hint, sizeof error->hint, "use --to csv or --to json");
            }
            return CLEAVE_ERROR_DATA;
        }
        put_word(&search->out, bits);
    }
    return CLEAVE_OK;
}

static cleave_code take_row(void *user, const cleave_found *found, cleave_error *error)
{
    Search *search = user;
    cleave_code code = CLEAVE_OK;

    if (search->form == TO_CSV)
        csv_row(&search->out, found, search->call->settings.csv_safe);
    else if (search->form == TO_JSON)
        json_row(&search->out, found);
    else
        code = vecs_row(search, found, error);
    if (code != CLEAVE_OK || !search->out.failed)
        return code;
    if (error)
        *error = search->out.error;
    return search->out.error.code;
}

static int search_all(Search *search, cleave_searcher *searcher, cleave_data *queries)
{
    Call *call = search->call;

    if (cli_out_open(&search->out, call->context, call->settings.output, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (search->form == TO_CSV)
        cli_put(&search->out, "query,rank,row,distance,label\n");
    if (cleave_search(searcher, queries, take_row, search, &call->error) != CLEAVE_OK) {
        cli_out_abandon(&search->out);
        return cli_fail(call);
    }
    return cli_out_close(&search->out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

/* The default format, by the suffix of the output. */
static const char *default_form(const Call *call)
{
    const char *output = call->settings.output, *suffix = output ? strrchr(output, '.') : NULL;

    for (size_t i = 0; suffix && forms[i]; i++)
        if (strcmp(forms[i], suffix + 1) == 0)
            return forms[i];
    return "csv";
}

static int find_form(const Call *call, Form *form)
{
    const char *to = call->settings.to     ? call->settings.to
                     : call->settings.json ? "json"
                                           : default_form(call);

    for (size_t i = 0; forms[i]; i++)
        if (strcmp(forms[i], to) == 0) {
            *form = (Form)i;
            if (call->settings.json && *form != TO_JSON)
                return cli_misuse("--json and --to %s cannot be combined", to);
            return DONE;
        }
    return cli_unknown("format", "", to, forms, "cleave search --help");
}

static int run(Call *call)
{
    Search search = {.call = call};
    cleave_model *model;
    cleave_searcher *searcher;
    cleave_data *queries;
    int status;

    CLI_TRY(find_form(call, &search.form));
    CLI_TRY(cli_to_stdout(call) ? DONE : cli_check_output(call));
    CLI_TRY(cli_use_model(call, call->arguments[0], &model));
    CLI_TRY(cli_ok(
        call, cleave_searcher_open(model, call->options[TABLE_SEARCH], &searcher, &call->error)));
    status = cli_use_data(call, model, 1, &queries);
    if (status == DONE)
        status = search_all(&search, searcher, queries);
    cleave_searcher_free(searcher);
    return status;
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write to this file.", .default_text = "standard output"),
    CLI_TEXT(to, "Output format: csv, json, ivecs or fvecs.", .default_text = "by suffix, or csv"),
    CLI_FLAG(csv_safe, "Prefix CSV cells that a spreadsheet would run as a formula."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave index @dogs -o dogs.model",
    "cleave search dogs.model @dogs --k 2",
    "cleave search dogs.model @dogs --radius 1.5 --only-labels Beagle --json",
    NULL,
};

const Verb cli_verb_search = {
    .name = "search",
    .arguments = "MODEL QUERIES...",
    .brief = "Find the nearest neighbors of each query.",
    .about = "Prints the nearest training rows of each query, nearest first, the lower row first "
             "among equal distances. Rows are counted from 1. MODEL is the output of 'index', "
             "'train knn' or 'train knn-regression'; the file is memory-mapped.",
    .examples = examples,
    .flags = flags,
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_SEARCH),
    .shows_progress = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
