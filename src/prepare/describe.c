/* Summary of a data file: columns of a table, labels of all data. */
#include "read/describe.h"
#include "eval/leakage.h"
#include "input/input.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_VALUES = 3, WHY_SIZE = 96, WARNING_SIZE = 160 };

typedef struct {
    cleave_column facts;
    cleave_value values[SHOWN_VALUES];
    char why[WHY_SIZE], warning[WARNING_SIZE], earliest[DATE_SIZE], latest[DATE_SIZE];
} OneColumn;

typedef struct {
    cleave_description facts;
    Context *context;
    TableFacts table;
    cleave_data *data; /* labels point into it */
    OneColumn *column;
    cleave_column *columns;
    cleave_value *labels;
    LeakFinder *finder;
    Suspect suspect[MOST_SUSPECTS];
    cleave_suspect_column suspects[MOST_SUSPECTS];
} Description;

void cleave_description_free(cleave_description *facts)
{
    Description *self = (Description *)facts;

    if (!self)
        return;
    clv_table_facts_free(&self->table);
    cleave_data_free(self->data);
    FREE(self->context, self->column, self->columns, self->labels);
    clv_leak_free(self->finder);
    clv_free(self->context, self);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Chooses the most frequent values. Ties are in the order of appearance. */
static void choose_values(OneColumn *to, const ColumnFacts *from)
{
    size_t shown = 0;

    for (size_t i = 0; i < from->value_count; i++) {
        size_t at = shown;

        while (at > 0 && !(to->values[at - 1].count >= from->value[i].count))
            at--;
        if (at == SHOWN_VALUES)
            continue;
        if (shown < SHOWN_VALUES)
            shown++;
        memmove(to->values + at + 1, to->values + at, (shown - 1 - at) * sizeof *to->values);
        to->values[at] = (cleave_value){.text = from->value[i].text, .count = from->value[i].count};
    }
    to->facts.values = to->values;
    to->facts.value_count = shown;
}

static void describe_reason(OneColumn *to, const ColumnFacts *from)
{
    uint64_t there = from->cells - from->missing;
    double words = there ? (double)from->words / (double)there : 0;

    if (there == 0)
        snprintf(to->why, WHY_SIZE, "every cell is empty");
    else if (from->kind == COLUMN_DATE)
        snprintf(to->why, WHY_SIZE, "all cells are %s",
                 from->form == DATE_TIME ? "times" : "dates");
    else if (from->numbers == there)
        snprintf(to->why, WHY_SIZE, "all cells are %snumbers", from->whole ? "whole " : "");
    else if (from->numbers)
        snprintf(to->why, WHY_SIZE, "%.3g%% of the cells are numbers",
                 there ? 100.0 * (double)from->numbers / (double)there : 0);
    else
        snprintf(to->why, WHY_SIZE, "text, %.3g word%s per cell", words, words == 1 ? "" : "s");
    to->facts.why = to->why;
}

static bool is_identifier(const ColumnFacts *from)
{
    uint64_t there = from->cells - from->missing,
             told = from->cells_when_full ? from->cells_when_full : there;
    bool fractions = from->numbers == there && !from->whole;

    return told >= 20 && from->value_count >= 0.99 * (double)told && !fractions &&
           from->kind != COLUMN_TEXT && from->kind != COLUMN_DATE;
}

/* Returns whether each value of the column occurs with only one label. The values must be few and
 * frequent, so that chance does not explain it. */
static bool determines(const ColumnFacts *from, const Source *source)
{
    return !from->mixed && !from->cells_when_full && source->labels.count > 1 &&
           source->labels.count < 1000 && from->value_count > 1 &&
           4 * from->value_count <= from->cells;
}

static void warn(OneColumn *to, const ColumnFacts *from, const Source *source)
{
    if (!column_is_feature(from->kind))
        return;
    if (from->missing == from->cells)
        snprintf(to->warning, WARNING_SIZE, "empty: no information");
    else if (from->value_count == 1 && from->missing == 0)
        snprintf(to->warning, WARNING_SIZE, "constant: no information");
    else if (determines(from, source))
        snprintf(to->warning, WARNING_SIZE,
                 "each value occurs with one label only (possible target leakage); pass --columns "
                 "'%.40s=ignore' to ignore it",
                 from->name);
    else if (is_identifier(from))
        snprintf(to->warning, WARNING_SIZE,
                 "every value is different (possible identifier); pass --columns '%.40s=ignore' to "
                 "ignore it",
                 from->name);
    to->facts.warning = *to->warning ? to->warning : NULL;
}

static Status fill_columns(Description *self, const Source *source, cleave_error *error)
{
    uint32_t count = self->table.count;

    self->column = clv_alloc_zero(self->context, count, sizeof *self->column);
    self->columns = clv_alloc_zero(self->context, count, sizeof *self->columns);
    if (count && (!self->column || !self->columns))
        return clv_fail_memory(error, "columns", count * sizeof *self->column);
    for (uint32_t i = 0; i < count; i++) {
        ColumnFacts *from = &self->table.column[i];
        OneColumn *to = &self->column[i];
        bool numbers = from->numbers > 0 && from->numbers == from->cells - from->missing;

        to->facts = (cleave_column){.name = from->name,
                                    .kind = clv_column_kinds[from->kind],
                                    .cells = from->cells,
                                    .missing = from->missing,
                                    .distinct = from->value_count,
                                    .more = from->cells_when_full > 0,
                                    .min = numbers ? from->min : (double)NAN,
                                    .max = numbers ? from->max : (double)NAN,
                                    .median = numbers ? clv_column_median(from) : (double)NAN};
        if (from->dated) {
            to->facts.earliest = clv_date_format(&from->earliest, from->form, to->earliest);
            to->facts.latest = clv_date_format(&from->latest, from->form, to->latest);
        }
        choose_values(to, from);
        describe_reason(to, from);
        warn(to, from, source);
        self->columns[i] = to->facts;
    }
    self->facts.columns = self->columns;
    self->facts.column_count = count;
    return OK;
}

/* ---- the whole file -------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
    const cleave_value *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->text, y->text);
}

static Status fill_labels(Description *self, const Source *source, cleave_error *error)
{
    const Labels *labels = &source->labels;

    TRY(ALLOC(self->context, self->labels, (size_t)labels->count + 1, "labels", error));
    for (uint32_t i = 0; i < labels->count; i++)
        self->labels[i] = (cleave_value){.text = labels->list[i].text,
                                         .count = labels->list[i].count};
    qsort(self->labels, labels->count, sizeof *self->labels, by_count);
    self->facts.labels = self->labels;
    self->facts.label_count = labels->count;
    self->facts.unlabeled = labels->unlabeled;
    return OK;
}

static Status traversal(Description *self, Source *source, cleave_error *error)
{
    const Block *block;

    for (;;) {
        TRY(source_next(source, &block, error));
        if (!block)
            break;
        self->facts.rows += block->rows;
        self->facts.entries += clv_block_entries(block);
        self->facts.regression |= block->target_form == TARGETS_NUMBERS;
        TRY(clv_leak_add(self->finder, block, error));
        clv_progress(source->context, &(cleave_progress){.phase = "describe",
                                                         .rows = self->facts.rows,
                                                         .rows_total = source->rows_total,
                                                         .bytes = source->bytes,
                                                         .bytes_total = source->bytes_total});
        if (clv_cancelled(source->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    self->facts.features = source->features;
    self->facts.format = source->schema.format;
    return OK;
}

static Status find_suspects(Description *self, const Source *source, cleave_error *error)
{
    size_t count;

    self->facts.regression |= clv_labels_look_like_numbers(&source->labels, self->facts.rows);
    TRY(clv_leak_find(self->finder, &source->labels, &source->names, &source->schema,
                      self->facts.regression, self->suspect, &count, error));
    for (size_t i = 0; i < count; i++)
        self->suspects[i] = (cleave_suspect_column){.name = self->suspect[i].name,
                                                    .error = self->suspect[i].error,
                                                    .baseline = self->suspect[i].majority,
                                                    .message = self->suspect[i].message,
                                                    .hint = LEAK_HINT};
    self->facts.suspects = self->suspects;
    self->facts.suspect_count = count;
    return OK;
}

cleave_code cleave_describe(cleave_context *context, const char *const *paths, size_t count,
                            const cleave_options *options, cleave_description **result,
                            cleave_error *error)
{
    REQUIRE(context && (paths || count == 0) && result);
    Description *self;
    Source *source;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, self, 1, "a description", error));
    self->context = self->table.context = context;
    status = clv_open_described(context, paths, count, options, &self->table, &self->data, error);
    THEN(status, clv_data_source(self->data, &source, error));
    THEN(status, clv_leak_begin(context, &self->finder, error));
    THEN(status, traversal(self, source, error));
    THEN(status, find_suspects(self, source, error));
    THEN(status, fill_columns(self, source, error));
    THEN(status, fill_labels(self, source, error));
    if (status != OK) {
        cleave_description_free(&self->facts);
        return status;
    }
    self->facts.guesses = cleave_data_guesses(self->data, &self->facts.guess_count);
    *result = &self->facts;
    return OK;
}
