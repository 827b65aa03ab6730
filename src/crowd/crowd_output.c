/* Writes the labels of the tasks as weighted training data. The columns are task, label and weight.
 * With a table of the tasks, its columns replace the task. */
#include "base/number.h"
#include "crowd/crowd.h"
#include "read/records.h"
#include "write/writer.h"

enum { FLUSH_BYTES = 1 << 20 };

/* with `every_label`, labels with a smaller probability have no row. */
#define LEAST_WEIGHT 0.001

typedef struct {
    const cleave_crowd *crowd;
    Output *output;
    char delimiter;
    Buffer text, cell;
    cleave_crowd_output *done;
    /* records of the joined table that precede their block; record i ends at end[i] */
    Buffer records;
    size_t *end, end_capacity, held, next;
} Writing;

static Status add(Writing *writing, const char *bytes, size_t size, cleave_error *error)
{
    return clv_buffer_add(writing->crowd->context, &writing->text, bytes, size, error);
}

static Status add_cell(Writing *writing, const char *text, cleave_error *error)
{
    Context *context = writing->crowd->context;
    size_t need = 2 * strlen(text) + sizeof "\"\"'";

    TRY(GROW(context, writing->cell.data, writing->cell.capacity, need, error));
    need = cleave_csv_cell(text, writing->delimiter, writing->crowd->options.csv_safe,
                           writing->cell.data, need);
    return add(writing, writing->cell.data, need, error);
}

static Status flush(Writing *writing, size_t least, cleave_error *error)
{
    Status status;

    if (writing->text.size < least)
        return OK;
    status = clv_output_write(writing->output, writing->text.data, writing->text.size, error);
    writing->text.size = 0;
    THEN(status, clv_poll(writing->crowd->context, error));
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status add_label(Writing *writing, uint32_t label, double weight, cleave_error *error)
{
    char number[NUMBER_SIZE];

    TRY(add(writing, &writing->delimiter, 1, error));
    TRY(add_cell(writing, writing->crowd->labels[label], error));
    TRY(add(writing, &writing->delimiter, 1, error));
    TRY(add(writing, number, clv_format_rounded(number, weight, 6), error));
    TRY(add(writing, "\n", 1, error));
    writing->done->rows++;
    return flush(writing, FLUSH_BYTES, error);
}

/* Writes the task, or its record of the joined table, with its best label or once for each
 * label. */
static Status add_task(Writing *writing, uint32_t task, const char *record, size_t size,
                       cleave_error *error)
{
    const LabelModel *model = &writing->crowd->model;
    const double *posterior = model->posterior + task * model->labels;
    uint32_t best = clv_label_model_best(model, task);

    for (uint32_t label = 0; label < model->labels; label++) {
        if (writing->crowd->options.every_label ? posterior[label] < LEAST_WEIGHT : label != best)
            continue;
        if (record)
            TRY(add(writing, record, size, error));
        else
            TRY(add_cell(writing, clv_keyed_text(&writing->crowd->answers.rows, KEY_TASK, task),
                         error));
        TRY(add_label(writing, label, posterior[label], error));
    }
    return OK;
}

/* Returns whether a task has answers. Tasks whose rows have no label are omitted. */
static bool has_answers(const Answers *answers, uint32_t task)
{
    return answers->start[task + 1] > answers->start[task];
}

static Status write_tasks(Writing *writing, cleave_error *error)
{
    const Answers *answers = &writing->crowd->answers;

    TRY(add_cell(writing, answers->rows.title[KEY_TASK], error));
    for (const char *const *name = (const char *const[]){"label", "weight", NULL}; *name; name++) {
        TRY(add(writing, &writing->delimiter, 1, error));
        TRY(add_cell(writing, *name, error));
    }
    TRY(add(writing, "\n", 1, error));
    for (uint32_t task = 0; task < answers->tasks; task++)
        if (has_answers(answers, task))
            TRY(add_task(writing, task, NULL, 0, error));
    return OK;
}

/* ---- the table of the tasks ------------------------------------------------------------------ */

static size_t without_line_end(const char *bytes, size_t size)
{
    while (size > 0 && (bytes[size - 1] == '\n' || bytes[size - 1] == '\r'))
        size--;
    return size;
}

static Status take_record(void *user, uint64_t row, const char *bytes, size_t size,
                          cleave_error *error)
{
    Writing *writing = user;
    Context *context = writing->crowd->context;
    char end[] = {writing->delimiter,
                  'l',
                  'a',
                  'b',
                  'e',
                  'l',
                  writing->delimiter,
                  'w',
                  'e',
                  'i',
                  'g',
                  'h',
                  't',
                  '\n'};

    size = without_line_end(bytes, size);
    if (row == RECORD_HEADER) {
        TRY(add(writing, bytes, size, error));
        return add(writing, end, sizeof end, error);
    }
    TRY(GROW(context, writing->end, writing->end_capacity, writing->held + 1, error));
    TRY(clv_buffer_add(context, &writing->records, bytes, size, error));
    writing->end[writing->held++] = writing->records.size;
    return OK;
}

static Status join_block(Writing *writing, KeyedRows *rows, const Block *block, uint32_t **tasks,
                         size_t *capacity, bool *written, cleave_error *error)
{
    for (uint32_t row = 0; row < block->rows; row++, writing->next++) {
        uint32_t key[MOST_KEYS], before = rows->count[0], task;
        size_t start = writing->next ? writing->end[writing->next - 1] : 0;

        TRY(clv_keyed_row(rows, block, row, key, error));
        if (rows->count[0] > before)
            TRY(clv_crowd_match(writing->crowd, rows, before, tasks, capacity, error));
        task = (*tasks)[key[0]];
        if (task == NO_COLUMN || !has_answers(&writing->crowd->answers, task)) {
            writing->done->without_answers++;
            continue;
        }
        written[task] = true;
        TRY(add_task(writing, task, writing->records.data + start,
                     writing->end[writing->next] - start, error));
    }
    if (writing->next == writing->held)
        writing->records.size = writing->held = writing->next = 0;
    return OK;
}

static Status join_rows(Writing *writing, KeyedRows *rows, bool *written, cleave_error *error)
{
    const Answers *answers = &writing->crowd->answers;
    uint32_t *tasks = NULL;
    size_t capacity = 0;
    Status status = OK;

    for (const Block *block; status == OK;) {
        status = source_next(rows->source, &block, error);
        if (status != OK || !block)
            break;
        status = join_block(writing, rows, block, &tasks, &capacity, written, error);
    }
    clv_free(writing->crowd->context, tasks);
    for (uint32_t task = 0; task < answers->tasks; task++)
        writing->done->without_row += has_answers(answers, task) && !written[task];
    return status;
}

/* Checks that the added columns are new, and that the table has a header, which contains their
 * names. */
static Status check_columns(const KeyedRows *rows, const char *path, cleave_error *error)
{
    const Schema *schema = &rows->source->schema;

    if (!schema->header)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "add a first row with the names of the columns",
                             "%s: expected a table with a header", path);
    for (const char *const *name = (const char *const[]){"label", "weight", NULL}; *name; name++)
        if (clv_schema_find(schema, *name, strlen(*name)) >= 0)
            return clv_fail_hint(error, CLEAVE_ERROR_DATA, "rename the column in the file",
                                 "%s: the table has a column '%s' already", path, *name);
    return OK;
}

static Status join(Writing *writing, const char *path, const char *output, cleave_error *error)
{
    const cleave_crowd *crowd = writing->crowd;
    const char *format = writing->delimiter == '\t' ? "tsv" : "csv";
    RecordSink sink = {.take = take_record, .user = writing, .safe = crowd->options.csv_safe};
    KeyedRows rows = {.keys = 0};
    bool *written = NULL;
    Status status = clv_crowd_open(crowd, path, "none", &rows, error);

    THEN(status, clv_data_protects(rows.data, output, error));
    THEN(status, check_columns(&rows, path, error));
    THEN(status, clv_records_attach(rows.source, format, &sink, error));
    THEN(status, ALLOC_ZERO(crowd->context, written, crowd->answers.tasks, "tasks", error));
    THEN(status, join_rows(writing, &rows, written, error));
    clv_free(crowd->context, written);
    clv_keyed_free(&rows);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static Status choose_delimiter(const char *path, char *delimiter, cleave_error *error)
{
    const Writer *writer = clv_writer_for(path);
    size_t length = strlen(path), size = strlen(".cleave");

    *delimiter = writer == &clv_writer_tsv ? '\t' : ',';
    if (writer != &clv_writer_libsvm &&
        (length < size || strcmp(path + length - size, ".cleave") != 0))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use a .csv or .tsv file",
                         "%s: labels are written as CSV or TSV", path);
}

cleave_code cleave_crowd_write(const cleave_crowd *crowd, const char *path,
                               cleave_crowd_output *done, cleave_error *error)
{
    REQUIRE(crowd && path);
    cleave_crowd_output own = {.rows = 0};
    Writing writing = {.crowd = crowd, .done = &own};
    const char *table = crowd->options.join;
    Status status;

    TRY(choose_delimiter(path, &writing.delimiter, error));
    TRY(clv_data_protects(crowd->answers.rows.data, path, error));
    TRY(clv_output_open(crowd->context, path, false, &writing.output, error));
    status = table ? join(&writing, table, path, error) : write_tasks(&writing, error);
    THEN(status, flush(&writing, 0, error));
    FREE(crowd->context, writing.text.data, writing.cell.data, writing.records.data, writing.end);
    if (status == OK) {
        status = clv_output_commit(writing.output, error);
    } else {
        clv_output_abandon(writing.output);
    }
    if (status == OK && done)
        *done = own;
    return status;
}
