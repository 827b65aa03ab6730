/*
 * Parses one example of the user into the input format of the model:
 *
 *     text         a document            a line without a label, unless it begins with a label of
 *                                        the model and a TAB; for a model of folders, the document
 *     tables       age=39,color=red      a table of one row; other columns are missing
 *                  39,red                the same, with values in the order of the columns
 *     numbered     1:0.5 7:1             a line of LIBSVM text
 *                  0.5,0,1               the values of all features in order
 *     other names  viagra=1,the          a row
 *                  2:1                   the same, with the number of a feature
 *                  0,1,1                 the values of all features in order
 *
 * The example is read twice: with the names of the model, and with new names added, to find the
 * names that the model lacks.
 */
#include "inspect/explain.h"

#include "base/text.h"
#include "data/dataset.h"
#include "input/input.h"
#include "read/reader.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    const Model *model;
    Buffer text;
    const Format *format;
    ReadOptions options;
    char delimiter; /* delimiter of tables */
    cleave_error *error;
} Example;

static Status put(Example *example, const char *bytes, size_t size)
{
    return clv_buffer_add(example->model->context, &example->text, bytes, size, example->error);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void trim(const char **text, size_t *size)
{
    while (*size && is_blank(**text)) {
        ++*text;
        --*size;
    }
    while (*size && is_blank((*text)[*size - 1]))
        --*size;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Joins lines. Line ends and TABs are replaced by blanks. */
static Status put_line(Example *example, const char *text, size_t size)
{
    size_t start = example->text.size;

    TRY(put(example, text, size));
    for (size_t i = start; i < example->text.size; i++)
        if (is_blank(example->text.data[i]))
            example->text.data[i] = ' ';
    return put(example, "\n", 1);
}

static Status prepare_words(Example *example, const char *text, size_t size)
{
    const Model *model = example->model;
    const char *tab = memchr(text, '\t', size);

    if (clv_schema_is_documents(&model->schema)) {
        example->format = &clv_format_document;
        return put(example, text, size);
    }
    example->format = &clv_format_text;
    if (tab && clv_labels_find(&model->labels, text, (size_t)(tab - text)) != UNLABELED) {
        TRY(put(example, text, (size_t)(tab - text)));
        size -= (size_t)(tab + 1 - text);
        text = tab + 1;
    }
    TRY(put(example, "\t", 1));
    return put_line(example, text, size);
}

/* ---- features that are not columns of a table ------------------------------------------------ */

/* Finds the next word, separated by blanks and commas, and returns its length; 0: there is none.
 * *text moves past the word. */
static size_t next_word(const char **text, const char *stop, const char **word)
{
    while (*text < stop && (is_blank(**text) || **text == ','))
        ++*text;
    *word = *text;
    while (*text < stop && !is_blank(**text) && **text != ',')
        ++*text;
    return (size_t)(*text - *word);
}

static bool is_number(const char *text, size_t size, double *value)
{
    const char *end;

    return clv_parse_double(text, text + size, value, &end) && end == text + size;
}

/* Whether the example is a list of numbers, one for each feature. */
static bool is_list_of_values(const Example *example, const char *text, size_t size)
{
    const char *stop = text + size, *word;
    uint32_t count = 0;
    size_t length;
    double value;

    for (; (length = next_word(&text, stop, &word)); count++)
        if (!is_number(word, length, &value))
            return false;
    return count > 0 && count == clv_model_input_count(example->model);
}

static Status refuse_features(const Example *example, const char *text, size_t size)
{
    uint32_t features = clv_model_input_count(example->model);
    char quoted[QUOTE_SIZE];

    clv_fail(example->error, CLEAVE_ERROR_USAGE, "the example: the model has no feature '%s'",
             clv_quote(quoted, text, size));
    return clv_hint(example->error, CLEAVE_ERROR_USAGE,
                    "write %sNUMBER:VALUE, or the values of all %u features in order",
                    clv_model_inputs(example->model)->implicit ? "" : "NAME=VALUE or ", features);
}

/* ---- numbered features ----------------------------------------------------------------------- */

static Status put_numbered_values(Example *example, const char *text, size_t size)
{
    const Names *names = clv_model_inputs(example->model);
    const char *stop = text + size, *word;
    char index[32], buffer[24];
    size_t length;

    TRY(put(example, "?", 1));
    for (uint32_t column = 0; (length = next_word(&text, stop, &word)); column++) {
        const char *name = clv_names_get(names, column, buffer);

        TRY(put(example, index, (size_t)snprintf(index, sizeof index, " %s:", name)));
        TRY(put(example, word, length));
    }
    return put(example, "\n", 1);
}

static Status prepare_numbered(Example *example, const char *text, size_t size)
{
    size_t word = 0;

    trim(&text, &size);
    while (word < size && !is_blank(text[word]))
        word++;
    example->format = &clv_format_libsvm;
    example->options.zero_based = clv_model_inputs(example->model)->first == 0;
    if (is_list_of_values(example, text, size))
        return put_numbered_values(example, text, size);
    if (size > 0 && !memchr(text, ':', size))
        return refuse_features(example, text, size);
    if (size == 0 || memchr(text, ':', word))
        TRY(put(example, "? ", 2));
    return put_line(example, text, size);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Finds the next piece of a list, which may be quoted, and the start of the piece after it. */
static size_t piece_length(const char *text, const char *stop, char delimiter)
{
    const char *at = text;
    bool quoted = false;

    for (; at < stop && (quoted || *at != delimiter); at++)
        if (*at == '"')
            quoted = !quoted;
    return (size_t)(at - text);
}

static uint32_t count_pieces(const char *text, size_t size, char delimiter)
{
    const char *stop = text + size;
    uint32_t count = 1;

    for (const char *at = text + piece_length(text, stop, delimiter); at < stop;
         at += 1 + piece_length(at + 1, stop, delimiter))
        count++;
    return count;
}

static bool is_label(const Schema *schema, uint32_t column)
{
    return schema->column[column].kind == COLUMN_LABEL;
}

static uint32_t count_labels(const Schema *schema)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < schema->count; i++)
        count += is_label(schema, i);
    return count;
}

static Status put_cell(Example *example, const char *text, size_t size, bool first)
{
    bool plain = !memchr(text, example->delimiter, size) && !memchr(text, '"', size) &&
                 !memchr(text, '\n', size);

    if (!first)
        TRY(put(example, &example->delimiter, 1));
    if (plain)
        return put(example, text, size);
    TRY(put(example, "\"", 1));
    for (size_t i = 0; i < size; i++)
        TRY(put(example, text[i] == '"' ? "\"\"" : text + i, text[i] == '"' ? 2 : 1));
    return put(example, "\"", 1);
}

static Status put_header(Example *example, bool labeled)
{
    const Schema *schema = &example->model->schema;
    bool first = true;

    if (!schema->header)
        return OK;
    for (uint32_t i = 0; i < schema->count; i++) {
        if (is_label(schema, i) && !labeled)
            continue;
        TRY(put_cell(example, schema->column[i].name, strlen(schema->column[i].name), first));
        first = false;
    }
    return put(example, "\n", 1);
}

/* Finds the column of a piece `name=value`; NO_COLUMN: there is none. */
static uint32_t named_column(const Schema *schema, const char *piece, size_t size,
                             const char **value, size_t *length)
{
    const char *equals = memchr(piece, '=', size);
    size_t named = equals ? (size_t)(equals - piece) : 0;
    int column;

    if (!equals)
        return NO_COLUMN;
    *value = equals + 1;
    *length = size - named - 1;
    trim(&piece, &named);
    trim(value, length);
    if (*length >= 2 && **value == '"' && (*value)[*length - 1] == '"') {
        ++*value;
        *length -= 2;
    }
    column = clv_schema_find(schema, piece, named);
    return column < 0 ? NO_COLUMN : (uint32_t)column;
}

static Status refuse_piece(const Example *example, const char *piece, size_t size, bool twice)
{
    const Schema *schema = &example->model->schema;
    const char *names[256], *nearest = NULL;
    char quoted[QUOTE_SIZE];
    uint32_t count = 0;

    for (; count < schema->count && count < 255; count++)
        names[count] = schema->column[count].name;
    names[count] = NULL;
    size = memchr(piece, '=', size) ? (size_t)((const char *)memchr(piece, '=', size) - piece)
                                    : size;
    trim(&piece, &size);
    clv_quote(quoted, piece, size);
    if (!twice)
        nearest = cleave_nearest_word(quoted, names);
    clv_fail(example->error, CLEAVE_ERROR_USAGE, "the example: %s '%s'%s%s%s",
             twice ? "duplicate value for column" : "the model has no column", quoted,
             nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return clv_hint(example->error, CLEAVE_ERROR_USAGE, "write name=value for the columns %s%s%s%s",
                    schema->count ? names[0] : "", schema->count > 1 ? ", " : "",
                    schema->count > 1 ? names[1] : "", schema->count > 2 ? " and so on" : "");
}

typedef struct {
    const char *text;
    size_t size;
} Piece;

static Status gather_named(const Example *example, const char *text, size_t size, Piece *values)
{
    const char *stop = text + size;

    for (const char *at = text; at <= stop && text < stop;) {
        size_t length = piece_length(at, stop, ',');
        Piece value = {.text = ""};
        uint32_t column = named_column(&example->model->schema, at, length, &value.text,
                                       &value.size);

        if (column == NO_COLUMN)
            return refuse_piece(example, at, length, false);
        if (values[column].text)
            return refuse_piece(example, at, length, true);
        values[column] = value;
        at += length + 1;
    }
    return OK;
}

static Status put_named(Example *example, const char *text, size_t size)
{
    const Schema *schema = &example->model->schema;
    Piece *values = clv_alloc_zero(example->model->context, (size_t)schema->count + 1,
                                   sizeof *values);
    Status status = values ? gather_named(example, text, size, values)
                           : clv_fail_memory(example->error, "an example",
                                             schema->count * sizeof *values);
    bool labeled = false, first = true;

    for (uint32_t i = 0; i < schema->count && status == OK; i++)
        labeled = labeled || (is_label(schema, i) && values[i].text);
    THEN(status, put_header(example, labeled));
    for (uint32_t i = 0; i < schema->count && status == OK; i++) {
        if (is_label(schema, i) && !labeled)
            continue;
        status = put_cell(example, values[i].text ? values[i].text : "", values[i].size, first);
        first = false;
    }
    clv_free(example->model->context, values);
    return status == OK ? put(example, "\n", 1) : status;
}

static Status refuse_line(const Example *example, uint32_t found)
{
    const Schema *schema = &example->model->schema;

    clv_fail(example->error, CLEAVE_ERROR_USAGE,
             "the example: expected %u values, one for each column except the label, found %u",
             schema->count - count_labels(schema), found);
    return clv_hint(
        example->error, CLEAVE_ERROR_USAGE,
        "pass every value, or name columns, e.g. %s=VALUE; other columns are then missing",
        schema->count ? schema->column[is_label(schema, 0) && schema->count > 1].name : "column");
}

/* Writes the values as one line in the format of the training file. */
static Status put_values(Example *example, const char *text, size_t size)
{
    static const char *const delimiters[] = {",", "tab", ";", "|"};
    const Schema *schema = &example->model->schema;

    if (memchr(text, '\n', size)) {
        example->options.delimiter = NULL;
        TRY(put(example, text, size));
        return put(example, "\n", 1);
    }
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; i++) {
        uint32_t count;

        example->options.delimiter = delimiters[i];
        example->delimiter = delimiters[i][1] ? '\t' : *delimiters[i];
        count = count_pieces(text, size, example->delimiter);
        if (count != schema->count && count + count_labels(schema) != schema->count)
            continue;
        TRY(put_header(example, count == schema->count));
        TRY(put(example, text, size));
        return put(example, "\n", 1);
    }
    return refuse_line(example, count_pieces(text, size, ','));
}

static Status prepare_table(Example *example, const char *text, size_t size)
{
    const Schema *schema = &example->model->schema;
    size_t length, first;
    const char *value;
    uint32_t count;

    trim(&text, &size);
    first = piece_length(text, text + size, ',');
    count = count_pieces(text, size, ',');
    example->format = &clv_format_csv;
    example->options.header = schema->header ? HEADER_YES : HEADER_NO;
    example->options.delimiter = ",";
    example->delimiter = ',';
    if (named_column(schema, text, first, &value, &length) != NO_COLUMN)
        return put_named(example, text, size);
    if (memchr(text, '=', first) && count + count_labels(schema) != schema->count &&
        count != schema->count)
        return refuse_piece(example, text, first, false);
    return put_values(example, text, size);
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status open_example(const Example *example, Source **source)
{
    const Model *model = example->model;
    ReadGuide guide = {.schema = &model->schema,
                       .names = clv_model_inputs(model),
                       .features = clv_model_input_count(model)};

    return clv_read_memory(model->context, "the example", example->text.data, example->text.size,
                           example->format, &example->options, &guide, source, example->error);
}

static Status refuse_rows(const Example *example, bool several)
{
    return clv_fail_hint(example->error, CLEAVE_ERROR_USAGE,
                         "use 'cleave explain MODEL DATA --row N' to explain one row of a file",
                         "the example: expected one row, found %s", several ? "several" : "none");
}

static Status explain_source(const Example *example, Source *source, cleave_explanation **result)
{
    const Block *block;

    do {
        TRY(source_next(source, &block, example->error));
        if (!block)
            return refuse_rows(example, false);
    } while (block->rows == 0);
    if (block->rows > 1)
        return refuse_rows(example, true);
    return clv_explain_one(example->model, source, block, 0, result, example->error);
}

static Status explain_as_read(const Example *example, cleave_explanation **result)
{
    Source *source, *view;
    Status status;

    TRY(open_example(example, &source));
    status = clv_view_for(example->model, source, &view, example->error);
    if (status == OK) {
        status = explain_source(example, view, result);
        clv_source_close(view);
    }
    clv_source_close(source);
    return status;
}

/* Whether a name is a missing-value indicator, which users do not write. */
static bool is_missing_mark(const Example *example, const char *name)
{
    size_t length = strlen(name);

    return clv_schema_is_table(&example->model->schema) && length > 2 &&
           strcmp(name + length - 2, "=?") == 0;
}

static Status add_unknown(const Example *example, const Source *source, const Block *block,
                          uint32_t known, cleave_explanation *explanation)
{
    for (RowWalk walk = clv_walk(block, 0); clv_walk_next(&walk);) {
        char buffer[24];
        const char *name = clv_names_get(&source->names, walk.column, buffer);

        if (walk.column >= known && !is_missing_mark(example, name))
            TRY(clv_explanation_add_unknown(explanation, name, example->error));
    }
    return OK;
}

/* Finds unknown names. New names are appended to those of the model, which must be set before the
 * reader starts. */
static Status find_unknown(const Example *example, cleave_explanation *explanation)
{
    Source *source;
    const Block *block;
    Status status;
    uint32_t known = clv_model_input_count(example->model);

    TRY(open_example(example, &source));
    source->names.frozen = false;
    do {
        status = source_next(source, &block, example->error);
        if (status == OK && block && block->rows)
            status = add_unknown(example, source, block, known, explanation);
    } while (status == OK && block);
    clv_source_close(source);
    return status;
}

static Status explain_read(const Example *example, cleave_explanation **result)
{
    Status status;

    TRY(explain_as_read(example, result));
    if (clv_schema_is_sequence(&example->model->schema))
        return OK; /* n-grams of characters have no unknown characters */
    status = find_unknown(example, *result);
    if (status != OK) {
        cleave_explanation_free(*result);
        *result = NULL;
    }
    return status;
}

/* ---- other names ----------------------------------------------------------------------------- */

typedef struct {
    Dataset *dataset;
    Names unknown;
    float *value; /* value of each column; 0 if absent */
    bool known;   /* at least one word of the example is a feature of the model */
} NamedRow;

/* Finds the column of NUMBER:VALUE, with numbers as in LIBSVM text; NO_COLUMN: another form. */
static uint32_t numbered_column(const Example *example, const char *word, size_t size,
                                double *value)
{
    const char *colon = memchr(word, ':', size);
    double number;

    if (!colon || !is_number(word, (size_t)(colon - word), &number) ||
        !is_number(colon + 1, size - (size_t)(colon + 1 - word), value))
        return NO_COLUMN;
    return number >= 1 && number <= clv_model_input_count(example->model) && number == floor(number)
               ? (uint32_t)number - 1
               : NO_COLUMN;
}

/* Takes `name` or `name=value`. A name may contain a '='. */
static Status take_name(const Example *example, NamedRow *row, const char *word, size_t size)
{
    const Names *names = clv_model_inputs(example->model);
    uint32_t column = clv_names_find(names, word, size), other;
    double value = 1;

    if (column == NO_COLUMN) {
        size_t name = size;

        while (name > 0 && word[name - 1] != '=')
            name--;
        if (name > 0 && is_number(word + name, size - name, &value)) {
            column = clv_names_find(names, word, name - 1);
            size = name - 1;
        }
    }
    if (column == NO_COLUMN)
        column = numbered_column(example, word, size, &value);
    if (column == NO_COLUMN || column >= clv_model_input_count(example->model))
        return clv_names_add(&row->unknown, word, size, &other, example->error);
    if (!isfinite(value) || !isfinite((float)value))
        return clv_fail(example->error, CLEAVE_ERROR_DATA, "the example: a value is too large");
    row->value[column] = (float)value;
    row->known = true;
    return OK;
}

static Status take_values(const Example *example, NamedRow *row, const char *text, size_t size)
{
    const char *stop = text + size, *word;
    size_t length;
    double value;

    for (uint32_t column = 0; (length = next_word(&text, stop, &word)); column++) {
        if (!is_number(word, length, &value) || !isfinite((float)value))
            return clv_fail(example->error, CLEAVE_ERROR_DATA, "the example: a value is too large");
        row->value[column] = (float)value;
    }
    return OK;
}

static Status take_names(const Example *example, NamedRow *row, const char *text, size_t size)
{
    const char *at = text, *stop = text + size, *word;
    size_t length, count = 0;

    for (; (length = next_word(&at, stop, &word)); count++)
        TRY(take_name(example, row, word, length));
    return count == 0 || row->known ? OK : refuse_features(example, text, size);
}

static Status build_named(const Example *example, const char *text, size_t size, NamedRow *row,
                          Builder *builder)
{
    uint32_t features = clv_model_input_count(example->model);
    Block block;

    TRY((is_list_of_values(example, text, size) ? take_values : take_names)(example, row, text,
                                                                            size));
    clv_builder_clear(builder);
    clv_builder_begin_row(builder);
    for (uint32_t i = 0; i < features; i++)
        if (row->value[i] != 0)
            TRY(clv_builder_add(builder, i, row->value[i], example->error));
    TRY(clv_builder_end_row(builder, UNLABELED, example->error));
    TRY(clv_builder_finish(builder, &block, example->error));
    TRY(clv_names_copy(&row->dataset->names, clv_model_inputs(example->model), example->error));
    return clv_dataset_add(row->dataset, &block, example->error);
}

static Status explain_named_row(const Example *example, NamedRow *row, cleave_explanation **result)
{
    Source *source, *view;
    Status status;

    TRY(clv_dataset_source(row->dataset, false, &source, example->error));
    status = clv_view_for(example->model, source, &view, example->error);
    if (status == OK) {
        status = explain_source(example, view, result);
        clv_source_close(view);
    }
    clv_source_close(source);
    for (uint32_t i = 0; i < row->unknown.count && status == OK; i++) {
        char buffer[24];

        status = clv_explanation_add_unknown(*result, clv_names_get(&row->unknown, i, buffer),
                                             example->error);
    }
    if (status != OK) {
        cleave_explanation_free(*result);
        *result = NULL;
    }
    return status;
}

static Status explain_named(const Example *example, const char *text, size_t size,
                            cleave_explanation **result)
{
    Context *context = example->model->context;
    uint32_t features = clv_model_input_count(example->model);
    NamedRow row = {.dataset = NULL};
    Builder builder;
    Status status = clv_dataset_new(context, &row.dataset, example->error);

    clv_builder_init(&builder, context);
    clv_names_init(&row.unknown, context, false);
    row.value = clv_alloc_zero(context, (size_t)features + 1, sizeof *row.value);
    if (status == OK && !row.value)
        status = clv_fail_memory(example->error, "an example", features * sizeof *row.value);
    THEN(status, build_named(example, text, size, &row, &builder));
    THEN(status, explain_named_row(example, &row, result));
    clv_builder_free(&builder);
    clv_names_free(&row.unknown);
    clv_free(context, row.value);
    clv_dataset_free(row.dataset);
    return status;
}

/* ---- interface ------------------------------------------------------------------------------- */

cleave_code cleave_explain_text(const cleave_model *model, const char *text, size_t size,
                                cleave_explanation **result, cleave_error *error)
{
    REQUIRE(model && (text || size == 0) && result);
    Example example = {.model = model, .error = error};
    bool words = clv_schema_is_text(&model->schema), table = clv_schema_is_table(&model->schema);
    Status status;

    *result = NULL;
    if (size == 0)
        text = ""; /* text may be NULL */
    if (!words && !table && !clv_model_inputs(model)->implicit &&
        !clv_schema_is_numbered(&model->schema))
        return explain_named(&example, text, size, result);
    clv_params_initial(clv_read_params, &example.options);
    status = words   ? prepare_words(&example, text, size)
             : table ? prepare_table(&example, text, size)
                     : prepare_numbered(&example, text, size);
    THEN(status, explain_read(&example, result));
    clv_free(model->context, example.text.data);
    return status;
}
