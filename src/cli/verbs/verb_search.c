/* cleave search: the nearest neighbors of each query, with their distances. */
#include "cli/ui/call.h"
#include "cli/ui/json.h"
#include "cli/verbs/found_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { TO_CSV, TO_JSON, TO_IVECS, TO_FVECS, TO_NPY } Form;
static const char *const forms[] = {"csv", "json", "ivecs", "fvecs", "npy", NULL};

typedef struct {
    const char *to, *text;
    bool stats, csv_safe;
} SearchFlags;

/* A neighbor in a NumPy file. */
typedef struct {
    int64_t row;
    double distance;
} FoundCell;

typedef struct {
    Call *call;
    const SearchFlags *given;
    Form form;
    Out out;
    const cleave_searcher *searcher;
    bool ids;
    const char *const *shown;
    size_t shown_count;
    uint64_t queries, nodes, leaves, candidates;
    /* TO_NPY: k neighbors per query, written at the end. */
    FoundCell *cell;
    size_t k, cells, capacity;
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

static void csv_cell(Search *search, const char *text)
{
    cli_put(&search->out, ",");
    if (text)
        csv_text(&search->out, text, search->given->csv_safe);
}

static void csv_head(Search *search)
{
    cli_put(&search->out, "query,rank,row,distance,label");
    if (search->ids)
        cli_put(&search->out, ",id");
    for (size_t i = 0; i < search->shown_count; i++)
        csv_cell(search, search->shown[i]);
    cli_put(&search->out, "\n");
}

static void csv_row(Search *search, const cleave_found *found)
{
    Out *out = &search->out;

    for (size_t i = 0; i < found->count; i++) {
        const cleave_found_point *neighbor = &found->points[i];
        char distance[32];

        cli_print(out, "%llu,%zu,%llu,%s", (unsigned long long)found->row, i + 1,
                  (unsigned long long)neighbor->row,
                  cleave_number_text(neighbor->distance, distance));
        csv_cell(search, neighbor->label);
        if (search->ids)
            csv_cell(search, neighbor->id);
        for (size_t j = 0; j < search->shown_count; j++)
            csv_cell(search, neighbor->shown[j]);
        cli_put(out, "\n");
    }
}

typedef struct {
    bool ids;
    const char *const *shown;
    size_t shown_count;
} FoundColumns;

static void json_neighbor(Json *json, const FoundColumns *columns,
                          const cleave_found_point *neighbor)
{
    cli_json_open(json, '{');
    cli_json_put_count(json, "row", neighbor->row);
    cli_json_put_number(json, "distance", neighbor->distance);
    cli_json_put_string(json, "label", neighbor->label);
    if (columns->ids)
        cli_json_put_string(json, "id", neighbor->id);
    if (columns->shown_count) {
        cli_json_open_key(json, "metadata", '{');
        for (size_t i = 0; i < columns->shown_count; i++)
            cli_json_put_string(json, columns->shown[i], neighbor->shown[i]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
}

void cli_found_json(Out *out, const cleave_searcher *searcher, const cleave_found *found,
                    bool stats)
{
    FoundColumns columns = {.ids = cleave_searcher_has_ids(searcher)};
    Json json = {.out = out};

    columns.shown = cleave_searcher_shown(searcher, &columns.shown_count);

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "query", found->row);
    if (found->name)
        cli_json_put_string(&json, "name", found->name);
    cli_json_open_key(&json, "neighbors", '[');
    for (size_t i = 0; i < found->count; i++)
        json_neighbor(&json, &columns, &found->points[i]);
    cli_json_close(&json, ']');
    if (stats) {
        cli_json_open_key(&json, "stats", '{');
        cli_json_put_count(&json, "nodes", found->nodes);
        cli_json_put_count(&json, "leaves", found->leaves);
        cli_json_put_count(&json, "candidates", found->candidates);
        cli_json_close(&json, '}');
    }
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
        uint64_t row = found->points[i].row;
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

/* ---- NumPy ----------------------------------------------------------------------------------- */

static void keep_cells(Search *search, const cleave_found *found)
{
    if (search->k == 0)
        search->k = found->count; /* --box has one result */
    if (search->cells + search->k > search->capacity) {
        search->capacity = 2 * (search->cells + search->k);
        search->cell = cli_alloc(search->cell, search->capacity, sizeof *search->cell);
    }
    for (size_t i = 0; i < search->k; i++)
        search->cell[search->cells++] = i < found->count
                                            ? (FoundCell){.row = (int64_t)found->points[i].row,
                                                          .distance = found->points[i].distance}
                                            : (FoundCell){.row = -1, .distance = (double)INFINITY};
}

static void put_long(Out *out, uint64_t bits)
{
    put_word(out, (uint32_t)bits);
    put_word(out, (uint32_t)(bits >> 32));
}

/* The header of version 1 ends at a multiple of 64 bytes. */
static void put_npy(Search *search)
{
    enum { START = 10, STEP = 64, SIZE = 256 };
    char head[SIZE];
    int length = snprintf(head, sizeof head,
                          "{'descr': [('row', '<i8'), ('distance', '<f8')], 'fortran_order': "
                          "False, 'shape': (%llu, %zu), }",
                          (unsigned long long)search->queries, search->k);
    size_t size = (START + (size_t)length + STEP) / STEP * STEP - START;

    memset(head + length, ' ', size - (size_t)length);
    head[size - 1] = '\n';
    cli_write(&search->out, "\x93NUMPY\x01\x00", 8);
    cli_write(&search->out, (char[]){(char)size, 0}, 2);
    cli_write(&search->out, head, size);
    for (size_t i = 0; i < search->cells; i++) {
        uint64_t bits;

        memcpy(&bits, &search->cell[i].distance, sizeof bits);
        put_long(&search->out, (uint64_t)search->cell[i].row);
        put_long(&search->out, bits);
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

static cleave_code take_row(void *user, const cleave_found *found, cleave_error *error)
{
    Search *search = user;
    cleave_code code = CLEAVE_OK;

    search->queries++;
    search->nodes += found->nodes;
    search->leaves += found->leaves;
    search->candidates += found->candidates;
    if (search->form == TO_CSV)
        csv_row(search, found);
    else if (search->form == TO_JSON)
        cli_found_json(&search->out, search->searcher, found, search->given->stats);
    else if (search->form == TO_NPY)
        keep_cells(search, found);
    else
        code = vecs_row(search, found, error);
    if (code != CLEAVE_OK || !search->out.failed)
        return code;
    if (error)
        *error = search->out.error;
    return search->out.error.code;
}

/* On standard error; JSON has the numbers of each query. */
static void tell_stats(const Search *search)
{
    double queries = search->queries ? (double)search->queries : 1;
    char message[160];

    snprintf(message, sizeof message,
             "visited per query: %.1f nodes, %.1f leaves, %.1f candidates (%llu %s)",
             (double)search->nodes / queries, (double)search->leaves / queries,
             (double)search->candidates / queries, (unsigned long long)search->queries,
             search->queries == 1 ? "query" : "queries");
    cli_say(search->call, message, "");
}

/* A query given as --text. */
static int use_text(Call *call, const cleave_model *model, cleave_data **queries)
{
    const SearchFlags *given = call->own;
    cleave_rows like = {.size = sizeof like, .model = model};

    CLI_TRY(cli_ok(call, cleave_data_from_texts(call->context, &given->text, NULL, 1, &like, NULL,
                                                queries, &call->error)));
    call->datas[call->data_count++] = *queries;
    return DONE;
}

/* queries NULL: --box. */
static int search_all(Search *search, cleave_searcher *searcher, cleave_data *queries)
{
    Call *call = search->call;
    cleave_code code;

    if (cli_out_open(&search->out, call->context, call->settings.output, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (search->form == TO_CSV)
        csv_head(search);
    code = queries ? cleave_search(searcher, queries, take_row, search, &call->error)
                   : cleave_search_box(searcher, take_row, search, &call->error);
    if (code != CLEAVE_OK) {
        cli_out_abandon(&search->out);
        return cli_fail(call);
    }
    if (search->form == TO_NPY)
        put_npy(search);
    if (cli_out_close(&search->out, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    if (search->given->stats && search->form != TO_JSON)
        tell_stats(search);
    return DONE;
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
    const char *wanted = ((const SearchFlags *)call->own)->to;
    const char *to = wanted ? wanted : call->settings.json ? "json" : default_form(call);

    for (size_t i = 0; forms[i]; i++)
        if (strcmp(forms[i], to) == 0) {
            *form = (Form)i;
            if (call->settings.json && *form != TO_JSON)
                return cli_misuse("--json and --to %s cannot be combined", to);
            return DONE;
        }
    return cli_unknown("format", "", to, forms, "cleave search --help");
}

/* Queries come from files or from --text. --box has none, and k is not a limit there. */
static int check_queries(const Call *call)
{
    static const char *const without[] = {"k", "radius", NULL};
    bool box = cli_was_given(call, "box"), text = ((const SearchFlags *)call->own)->text;

    if (box && text)
        return cli_misuse("--box and --text cannot be combined");
    if (call->argument_count > 1 && (box || text))
        return cli_misuse("--%s and queries cannot be combined", box ? "box" : "text");
    if (call->argument_count == 1 && !box && !text)
        return cli_misuse("search needs queries after the model\nhint: pass a file of queries, or "
                          "use --text or --box");
    for (size_t i = 0; box && without[i]; i++)
        if (cli_was_given(call, without[i]))
            return cli_misuse("--box and --%s cannot be combined", without[i]);
    return DONE;
}

static int run(Call *call)
{
    Search search = {.call = call, .given = call->own};
    cleave_model *model;
    cleave_searcher *searcher;
    cleave_data *queries = NULL;
    int status = DONE;

    CLI_TRY(check_queries(call));
    CLI_TRY(find_form(call, &search.form));
    CLI_TRY(cli_to_stdout(call) ? DONE : cli_check_output(call));
    CLI_TRY(cli_use_model(call, call->arguments[0], &model));
    CLI_TRY(cli_ok(
        call, cleave_searcher_open(model, call->options[TABLE_SEARCH], &searcher, &call->error)));
    search.searcher = searcher;
    search.ids = cleave_searcher_has_ids(searcher);
    search.shown = cleave_searcher_shown(searcher, &search.shown_count);
    search.k = cleave_searcher_k(searcher);
    if (cli_was_given(call, "box"))
        search.k = 0;
    else if (search.form == TO_NPY && search.k == 0)
        status = cli_misuse(
            "--to npy requires --k: all queries must have the same number of neighbors");
    if (status == DONE && search.given->text)
        status = use_text(call, model, &queries);
    else if (status == DONE && !cli_was_given(call, "box"))
        status = cli_use_data(call, model, 1, &queries);
    if (status == DONE)
        status = search_all(&search, searcher, queries);
    free(search.cell);
    cleave_searcher_free(searcher);
    return status;
}

static const cleave_param flags[] = {
    CLI_OUTPUT("Write to this file.", .default_text = "standard output"),
    CLI_OWN_TEXT(SearchFlags, to, "Output format: csv, json, ivecs, fvecs or npy.",
                 .default_text = "by suffix, or csv"),
    CLI_OWN_TEXT(SearchFlags, text, "Search for this text in an index of documents."),
    CLI_OWN_FLAG(SearchFlags, stats, "Report the nodes, leaves and candidates visited per query."),
    CLI_OWN_FLAG(SearchFlags, csv_safe,
                 "Prefix CSV cells that a spreadsheet would run as a formula."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave index @dogs -o dogs.model",
    "cleave search dogs.model @dogs --k 2",
    "cleave search dogs.model @dogs --radius 1.5 --where label=Beagle --json",
    NULL,
};

const Verb cli_verb_search = {
    .name = "search",
    .arguments = "MODEL [QUERIES...]",
    .brief = "Find the nearest neighbors of each query.",
    .about = "Prints the nearest training rows of each query, nearest first, the lower row first "
             "among equal distances. Rows are counted from 0. MODEL is the output of 'index', "
             "'train knn' or 'train knn-regression'; the file is memory-mapped.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(SearchFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_SEARCH),
    .shows_progress = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
