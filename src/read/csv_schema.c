/*
 * The layout of a file: the role of each column. The first file of a training set is laid out from
 * its sample and the options (csv_columns.c), and defines the schema. Later files, and files for a
 * model, are laid out by that schema: columns are matched by name in any order, or by position.
 */
#include "read/csv.h"

#include <stdio.h>
#include <stdlib.h>

void clv_csv_layout_free(Context *context, CsvLayout *layout)
{
    if (layout->titles.context)
        clv_names_free(&layout->titles);
    for (uint32_t i = 0; layout->column && i < layout->count; i++)
        clv_free(context, layout->column[i].prefix);
    FREE(context, layout->column, layout->feature);
    *layout = (CsvLayout){.count = 0};
}

/* ---- after a schema -------------------------------------------------------------------------- */

static int schema_label(const Schema *schema)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == COLUMN_LABEL)
            return (int)i;
    return -1;
}

static void take_part(CsvLayout *layout, uint32_t column, const Column *part)
{
    layout->column[column].kind = part->kind;
    layout->column[column].form = part->form;
    layout->column[column].parts = part->parts;
    layout->column[column].name = part->name;
}

static Status match_by_place(const Reader *reader, CsvLayout *layout, const Schema *schema,
                             uint64_t line, cleave_error *error)
{
    int label = schema_label(schema);
    bool unlabeled = label >= 0 && layout->count + 1 == schema->count;
    uint32_t column = 0;

    if (layout->count != schema->count && !unlabeled)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s:%llu: expected %u columns as in %s, found %u",
                        reader->path, (unsigned long long)line, schema->count,
                        reader->guide_schema ? "the model" : "the first file", layout->count);
    for (uint32_t i = 0; i < schema->count; i++)
        if (!unlabeled || (int)i != label)
            take_part(layout, column++, &schema->column[i]);
    return OK;
}

static bool is_needed(const Reader *reader, const Column *part)
{
    return column_is_feature(part->kind) || (!reader->guide_schema && part->kind != COLUMN_IGNORE);
}

/* Lists missing columns: "'age', 'sex' and 3 others". */
static void list_absent(const Reader *reader, const Schema *schema, const uint32_t *place,
                        char *list, size_t size)
{
    enum { SHOWN = 3 };
    size_t length = 0;
    uint32_t found = 0;

    list[0] = '\0';
    for (uint32_t i = 0; i < schema->count; i++) {
        char quoted[QUOTE_SIZE];
        const Column *part = &schema->column[i];

        if (place[i] != CSV_NOWHERE || !is_needed(reader, part) || ++found > SHOWN)
            continue;
        length += (size_t)snprintf(list + length, size - length, "%s'%s'", found > 1 ? ", " : "",
                                   clv_quote(quoted, part->name, strlen(part->name)));
    }
    if (found > SHOWN)
        snprintf(list + length, size - length, " and %u other%s", found - SHOWN,
                 found > SHOWN + 1 ? "s" : "");
}

/* Returns the only column of the file that the model lacks, or NULL. */
static const char *only_unknown(const CsvLayout *layout, const bool *taken, uint32_t *count)
{
    const char *found = NULL;

    *count = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        if (taken[i])
            continue;
        ++*count;
        found = layout->column[i].title;
    }
    return *count == 1 ? found : NULL;
}

/* Suggests a remedy: another name, or positions. fits: the numbers of columns are equal. */
static Status hint_absent(const char *name, const char *near, uint32_t unknown, bool fits,
                          cleave_error *error)
{
    const char *by_place = fits ? "; --by-position matches all columns by position" : "";

    if (near)
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "if the column is called '%s' here, pass --rename '%s=%s'%s", near, near,
                        name, by_place);
    if (unknown)
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "if the column has another name here, pass --rename 'NAME=%s'%s", name,
                        by_place);
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "add the column to the file; empty cells are missing values");
}

static Status fail_absent(const Reader *reader, const CsvLayout *layout, const Schema *schema,
                          const uint32_t *place, const bool *taken, uint32_t first, uint64_t line,
                          cleave_error *error)
{
    const char *name = schema->column[first].name,
               *near = clv_csv_nearest(reader->source.context, layout, name, taken);
    char list[4 * QUOTE_SIZE], quoted[QUOTE_SIZE], nearest[QUOTE_SIZE + 48] = "";
    uint32_t absent = 0, unknown;
    int label = schema_label(schema);
    bool fits = layout->count == schema->count ||
                (label >= 0 && place[label] == CSV_NOWHERE && layout->count + 1 == schema->count);
    const char *only = only_unknown(layout, taken, &unknown);

    for (uint32_t i = 0; i < schema->count; i++)
        absent += place[i] == CSV_NOWHERE && is_needed(reader, &schema->column[i]);
    list_absent(reader, schema, place, list, sizeof list);
    if (near)
        snprintf(nearest, sizeof nearest, "; the nearest %sis '%s'",
                 absent > 1 ? "to the first " : "", clv_quote(quoted, near, strlen(near)));
    clv_fail(error, CLEAVE_ERROR_DATA, "%s:%llu: column%s %s of the %s %s missing in this file%s",
             reader->path, (unsigned long long)line, absent > 1 ? "s" : "", list,
             reader->guide_schema ? "model" : "first file", absent > 1 ? "are" : "is", nearest);
    return hint_absent(name, near ? near : absent == 1 ? only : NULL, unknown, fits, error);
}

/* ---- names that differ in case, '-', '_', '.' or blanks only --------------------------------- */

static char plain(const char **at)
{
    while (**at && strchr("-_. ", **at))
        ++*at;
    if (!**at)
        return '\0';
    return (char)(*(*at) >= 'A' && *(*at) <= 'Z' ? *(*at)++ | 0x20 : *(*at)++);
}

static bool alike(const char *a, const char *b)
{
    char c;

    do {
        c = plain(&a);
        if (c != plain(&b))
            return false;
    } while (c);
    return true;
}

/* Returns the only untaken column with such a similar title; CSV_NOWHERE: none, or several. */
static uint32_t find_alike(const CsvLayout *layout, const char *name, const bool *taken)
{
    uint32_t found = CSV_NOWHERE;

    for (uint32_t i = 0; i < layout->count; i++) {
        if (taken[i] || !alike(layout->column[i].title, name))
            continue;
        if (found != CSV_NOWHERE)
            return CSV_NOWHERE;
        found = i;
    }
    return found;
}

static void warn_similar(const Reader *reader, const CsvLayout *layout, const Schema *schema,
                         const uint32_t *place)
{
    uint32_t count = 0, first = 0;
    char here[QUOTE_SIZE], there[QUOTE_SIZE], others[48] = "";

    for (uint32_t i = schema->count; i-- > 0;)
        if (place[i] != CSV_NOWHERE &&
            strcmp(layout->column[place[i]].title, schema->column[i].name) != 0) {
            count++;
            first = i;
        }
    if (count == 0 || !reader_reports(reader))
        return;
    if (count > 1)
        snprintf(others, sizeof others, ", and %u other%s likewise", count - 1,
                 count > 2 ? "s" : "");
    clv_warn(reader->source.context, NULL, "%s: column '%s' is used as '%s'%s", reader->path,
             clv_quote(there, layout->column[place[first]].title,
                       strlen(layout->column[place[first]].title)),
             clv_quote(here, schema->column[first].name, strlen(schema->column[first].name)),
             others);
}

static void find_places(const CsvLayout *layout, const Schema *schema, uint32_t *place, bool *taken)
{
    for (uint32_t i = 0; i < schema->count; i++) {
        place[i] = clv_csv_find_title(layout, schema->column[i].name,
                                      strlen(schema->column[i].name));
        if (place[i] != CSV_NOWHERE)
            taken[place[i]] = true;
    }
    for (uint32_t i = 0; i < schema->count; i++) {
        if (place[i] != CSV_NOWHERE || schema->column[i].kind == COLUMN_IGNORE)
            continue;
        place[i] = find_alike(layout, schema->column[i].name, taken);
        if (place[i] != CSV_NOWHERE)
            taken[place[i]] = true;
    }
}

static Status match_places(const Reader *reader, CsvLayout *layout, const Schema *schema,
                           uint64_t line, uint32_t *place, bool *taken, cleave_error *error)
{
    find_places(layout, schema, place, taken);
    for (uint32_t i = 0; i < schema->count; i++) {
        if (place[i] == CSV_NOWHERE && is_needed(reader, &schema->column[i]))
            return fail_absent(reader, layout, schema, place, taken, i, line, error);
        if (place[i] != CSV_NOWHERE && schema->column[i].kind != COLUMN_IGNORE)
            take_part(layout, place[i], &schema->column[i]);
    }
    warn_similar(reader, layout, schema, place);
    return OK;
}

static Status match_by_name(const Reader *reader, CsvLayout *layout, const Schema *schema,
                            uint64_t line, cleave_error *error)
{
    Context *context = reader->source.context;
    uint32_t *place = clv_alloc(context, (size_t)schema->count + 1, sizeof *place);
    bool *taken = clv_alloc_zero(context, (size_t)layout->count + 1, sizeof *taken);
    Status status = place && taken
                        ? match_places(reader, layout, schema, line, place, taken, error)
                        : clv_fail_memory(error, "the columns of a table", schema->count);

    FREE(context, place, taken);
    return status;
}

/* Fails if a file has columns that the first file of the training set lacks. */
static Status check_no_more(const Reader *reader, const CsvLayout *layout, const Schema *schema,
                            uint64_t line, cleave_error *error)
{
    Names known;
    uint32_t number, extra = CSV_NOWHERE;
    Status status = OK;
    char quoted[QUOTE_SIZE];

    clv_names_init(&known, reader->source.context, false);
    for (uint32_t i = 0; i < schema->count && status == OK; i++)
        status = clv_names_add(&known, schema->column[i].name, strlen(schema->column[i].name),
                               &number, error);
    for (uint32_t i = 0; i < layout->count && status == OK && extra == CSV_NOWHERE; i++)
        if (layout->column[i].kind == COLUMN_IGNORE &&
            clv_names_find(&known, layout->column[i].title, strlen(layout->column[i].title)) ==
                NO_COLUMN)
            extra = i;
    clv_names_free(&known);
    TRY(status);
    if (extra == CSV_NOWHERE)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "pass files with the same columns",
        "%s:%llu: column '%s' is missing in the first file", reader->path, (unsigned long long)line,
        clv_quote(quoted, layout->column[extra].title, strlen(layout->column[extra].title)));
}

/* Applies the options to a file for a model. The model determines the kinds of columns. The user
 * may choose the label or the weight among the others. */
static Status apply_options_beside_model(const Reader *reader, CsvLayout *layout,
                                         cleave_error *error)
{
    const char *list = reader->options.columns;
    uint32_t label = CSV_NOWHERE;
    CsvEntry entry;
    char quoted[QUOTE_SIZE];

    while (list && *list) {
        TRY(clv_csv_next_entry(reader, layout, &list, &entry, error));
        if (entry.kind == COLUMN_LABEL)
            label = entry.column;
        else if (entry.kind == COLUMN_WEIGHT && !csv_is_feature(layout, entry.column))
            layout->column[entry.column].kind = entry.kind;
    }
    if (reader->options.label && !clv_csv_has_no_label(reader, layout))
        TRY(clv_csv_find_column(reader, layout, "label", reader->options.label,
                                strlen(reader->options.label), &label, error));
    if (label == CSV_NOWHERE && !clv_csv_has_no_label(reader, layout))
        return OK;
    for (uint32_t i = 0; i < layout->count; i++)
        if (layout->column[i].kind == COLUMN_LABEL)
            layout->column[i].kind = COLUMN_IGNORE;
    if (label == CSV_NOWHERE)
        return OK;
    if (csv_is_feature(layout, label))
        return clv_fail(
            error, CLEAVE_ERROR_USAGE, "%s: '%s' is a feature of the model and cannot be the label",
            reader->path,
            clv_quote(quoted, layout->column[label].title, strlen(layout->column[label].title)));
    layout->column[label].kind = COLUMN_LABEL;
    return OK;
}

static Status match(const Reader *reader, CsvLayout *layout, const Schema *schema,
                    const CsvSample *sample, cleave_error *error)
{
    uint64_t line = sample->cell[0].place.line;

    if (reader->options.by_position || !schema->header) {
        TRY(match_by_place(reader, layout, schema, line, error));
    } else if (!layout->header) {
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "pass --by-position to match columns by position",
                             "%s:%llu: expected a header as in %s, found a row of data",
                             reader->path, (unsigned long long)line,
                             reader->guide_schema ? "the training data" : "the first file");
    } else {
        TRY(match_by_name(reader, layout, schema, line, error));
        if (!reader->guide_schema)
            TRY(check_no_more(reader, layout, schema, line, error));
    }
    return reader->guide_schema ? apply_options_beside_model(reader, layout, error) : OK;
}

/* ---- feature numbers ------------------------------------------------------------------------- */

typedef struct {
    uint32_t feature, column;
    int part; /* part of a date; -1: the column contains numbers */
} Slot;

static int compare_slots(const void *a, const void *b)
{
    uint32_t x = ((const Slot *)a)->feature, y = ((const Slot *)b)->feature;

    return x < y ? -1 : x > y;
}

/* Returns the feature of a part of a date column; NO_COLUMN if the model lacks it. name is scratch
 * space. */
static Status find_part(Reader *reader, const CsvColumn *column, int part, Buffer *name,
                        uint32_t *feature, cleave_error *error)
{
    Context *context = reader->source.context;
    Names *names = &reader->source.names;

    name->size = 0;
    TRY(clv_buffer_add(context, name, column->name, strlen(column->name), error));
    TRY(clv_buffer_add(context, name, ".", 1, error));
    TRY(clv_buffer_add(context, name, clv_date_parts[part], strlen(clv_date_parts[part]), error));
    if (!names->frozen)
        return clv_names_add(names, name->data, name->size, feature, error);
    *feature = clv_names_find(names, name->data, name->size);
    return OK;
}

/* Returns the feature of a numeric column; NO_COLUMN if the model lacks it. A model without names
 * identifies columns by their position among the numbers. */
static Status find_feature(Reader *reader, const CsvLayout *layout, uint32_t column, uint32_t place,
                           uint32_t *feature, cleave_error *error)
{
    Names *names = &reader->source.names;
    const char *name = layout->column[column].name;

    if (!names->frozen)
        return clv_names_add(names, name, strlen(name), feature, error);
    *feature = names->implicit && !layout->header
                   ? (place < reader->source.features ? place : NO_COLUMN)
                   : clv_names_find(names, name, strlen(name));
    return OK;
}

static Status find_parts(Reader *reader, CsvLayout *layout, uint32_t column, Slot *slot,
                         uint32_t *found, cleave_error *error)
{
    CsvColumn *date = &layout->column[column];
    uint32_t before = *found, feature;
    Buffer name = {0};
    Status status = OK;

    for (int part = 0; part < DATE_PARTS && status == OK; part++) {
        date->part_slot[part] = CSV_NOWHERE;
        if (!(date->parts & 1u << part))
            continue;
        status = find_part(reader, date, part, &name, &feature, error);
        if (status == OK && feature != NO_COLUMN)
            slot[(*found)++] = (Slot){.feature = feature, .column = column, .part = part};
    }
    clv_free(reader->source.context, name.data);
    if (*found == before)
        date->kind = COLUMN_IGNORE;
    return status;
}

static Status find_slots(Reader *reader, CsvLayout *layout, Slot *slot, uint32_t *found,
                         cleave_error *error)
{
    uint32_t place = 0;

    for (uint32_t i = 0; i < layout->count; i++) {
        uint32_t feature;

        if (layout->column[i].kind == COLUMN_DATE)
            TRY(find_parts(reader, layout, i, slot, found, error));
        if (layout->column[i].kind != COLUMN_NUMBER)
            continue;
        TRY(find_feature(reader, layout, i, place++, &feature, error));
        if (feature == NO_COLUMN)
            layout->column[i].kind = COLUMN_IGNORE;
        else
            slot[(*found)++] = (Slot){.feature = feature, .column = i, .part = -1};
    }
    return OK;
}

static Status fill_slots(Reader *reader, CsvLayout *layout, Slot *slot, cleave_error *error)
{
    uint32_t found = 0;

    TRY(find_slots(reader, layout, slot, &found, error));
    qsort(slot, found, sizeof *slot, compare_slots);
    TRY(ALLOC(reader->source.context, layout->feature, found, "the columns of a table", error));
    for (uint32_t i = 0; i < found; i++) {
        CsvColumn *column = &layout->column[slot[i].column];

        if (i > 0 &&
            slot[i].feature ==
                slot[i - 1].feature) { /* two columns have the same name: the model is corrupt */
            if (slot[i].part < 0)
                column->kind = COLUMN_IGNORE;
            continue;
        }
        if (slot[i].part < 0)
            column->slot = layout->numbers;
        else
            column->part_slot[slot[i].part] = layout->numbers;
        layout->feature[layout->numbers++] = slot[i].feature;
    }
    return OK;
}

static Status number_features(Reader *reader, CsvLayout *layout, cleave_error *error)
{
    Context *context = reader->source.context;
    size_t most = layout->count +
                  (DATE_PARTS - 1) * (size_t)clv_csv_count_kind(layout, COLUMN_DATE);
    Slot *slot;
    Status status;

    TRY(ALLOC(context, slot, most, "the columns of a table", error));
    status = fill_slots(reader, layout, slot, error);
    clv_free(context, slot);
    return status;
}

static bool is_dense(const CsvLayout *layout, const CsvSample *sample)
{
    for (uint32_t i = 0; i < layout->numbers; i++)
        if (layout->feature[i] != i)
            return false;
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct ColumnLook *look = &sample->look[i];

        if (layout->column[i].kind == COLUMN_CATEGORY || layout->column[i].kind == COLUMN_TEXT)
            return false;
        if ((layout->column[i].kind == COLUMN_NUMBER || layout->column[i].kind == COLUMN_DATE) &&
            (look->missing || (!layout->header && look->first == CELL_MISSING)))
            return false;
    }
    return layout->numbers > 0;
}

/* ---- all together ---------------------------------------------------------------------------- */

static bool is_table(const Schema *schema)
{
    return schema && schema->count > 0 &&
           (strcmp(schema->format, "csv") == 0 || strcmp(schema->format, "tsv") == 0);
}

/* Returns whether the first row shares a name with the schema. The first names are enough to
 * distinguish a header from data. */
static bool shares_a_name(const Schema *schema, const CsvSample *sample)
{
    enum { LOOKED_AT = 64 };

    for (uint32_t i = 0; i < schema->count && i < LOOKED_AT; i++)
        for (uint32_t j = 0; j < sample->count; j++)
            if (strlen(schema->column[i].name) == sample->cell[j].length &&
                memcmp(schema->column[i].name, sample->cell[j].text, sample->cell[j].length) == 0)
                return true;
    return false;
}

static bool has_header(const Reader *reader, const Schema *schema, const CsvSample *sample)
{
    if (reader->column_kinds.size)
        return true;
    if (reader->options.header != HEADER_AUTO)
        return reader->options.header == HEADER_YES;
    if (schema && schema->header && shares_a_name(schema, sample))
        return true;
    if (schema && !schema->header && (!reader->guide_schema || sample->rows == 0))
        return false;
    return clv_csv_guess_header(sample, schema && !schema->header);
}

static Status fill_schema(Reader *reader, const CsvLayout *layout, cleave_error *error)
{
    Schema *schema = &reader->source.schema;

    snprintf(schema->format, sizeof schema->format, "%s", reader->format->name);
    schema->header = layout->header;
    for (uint32_t i = 0; i < layout->count; i++) {
        const CsvColumn *column = &layout->column[i];

        TRY(clv_schema_add(schema, column->title, strlen(column->title), column->kind, error));
        if (column->kind != COLUMN_DATE)
            continue;
        schema->column[schema->count - 1].form = column->form;
        schema->column[schema->count - 1].parts = column->parts;
    }
    return OK;
}

static Status learn_layout(Reader *reader, CsvLayout *layout, const CsvSample *sample,
                           cleave_error *error)
{
    TRY(clv_csv_infer(reader, layout, sample, error));
    if (reader->source.schema.count == 0)
        TRY(fill_schema(reader, layout, error));
    for (uint32_t i = 0; i < layout->count; i++)
        layout->column[i].name = layout->column[i].title;
    return OK;
}

/* Sets the prefix of the words of a column, its name: `bio:likes`. */
static Status prefix_words(Context *context, CsvLayout *layout, cleave_error *error)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        CsvColumn *column = &layout->column[i];
        size_t length = column->name ? strlen(column->name) : 0;

        if (column->kind != COLUMN_TEXT)
            continue;
        TRY(clv_new(context, &column->prefix, length + 2, 1, false, "the name of a column", error));
        memcpy(column->prefix, column->name, length);
        memcpy(column->prefix + length, ":", 2);
        layout->worded = true;
    }
    return OK;
}

Status clv_csv_lay_out(Reader *reader, CsvState *state, CsvSample *sample, cleave_error *error)
{
    CsvLayout *layout = &state->layout;
    Schema *own = &reader->source.schema;
    const Schema *schema = is_table(reader->guide_schema)           ? reader->guide_schema
                           : !reader->guide_schema && is_table(own) ? own
                                                                    : NULL;

    layout->header = has_header(reader, schema, sample);
    layout->decimal_commas = sample->decimal_commas;
    TRY(clv_csv_add_titles(reader, layout, sample, error));
    if (!reader->source.names.frozen && !schema)
        reader->source.names.implicit = false;
    if (schema)
        TRY(match(reader, layout, schema, sample, error));
    else
        TRY(learn_layout(reader, layout, sample, error));
    TRY(number_features(reader, layout, error));
    if (!schema && !reader->guide_schema) {
        for (uint32_t i = 0; i < layout->count && i < own->count; i++) {
            const CsvColumn *column = &layout->column[i];

            if (column->kind == COLUMN_NUMBER)
                own->column[i].feature = layout->feature[column->slot];
            else if (column->kind == COLUMN_DATE)
                own->column[i].feature =
                    layout->feature[column->part_slot[__builtin_ctz(column->parts)]];
        }
    }
    layout->dense = is_dense(layout, sample);
    layout->weighted = clv_csv_count_kind(layout, COLUMN_WEIGHT) > 0;
    TRY(prefix_words(reader->source.context, layout, error));
    if (layout->numbers > 0 || layout->worded || clv_csv_count_kind(layout, COLUMN_CATEGORY) > 0)
        return OK;
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: no column is %s", reader->path,
             reader->guide_schema ? "a feature of the model" : "left as a feature");
    if (reader->guide_schema)
        return CLEAVE_ERROR_DATA;
    if (reader->format == &clv_format_tsv && layout->count == 2)
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "pass --format text if each line is a label, a TAB and a text");
    return clv_hint(error, CLEAVE_ERROR_DATA, "check --delimiter (columns found: %u)",
                    layout->count);
}
