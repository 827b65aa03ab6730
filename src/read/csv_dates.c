/*
 * Columns of dates. A date becomes several numbers, each a feature `column.part` (see DatePart).
 * The sample determines the form, such as the order of day and month, and whether cells have a time
 * of day; the schema stores both.
 */
#include "read/csv.h"

#include <stdio.h>

enum {
    CALENDAR_PARTS = 1 << DATE_DAYS | 1 << DATE_YEAR | 1 << DATE_MONTH | 1 << DATE_DAY |
                     1 << DATE_WEEKDAY,
    CLOCK_PARTS = 1 << DATE_HOUR
};

unsigned clv_csv_look_for_date(struct ColumnLook *look, const CsvCell *cell)
{
    unsigned forms = 0;

    for (int form = 0; form < DATE_INFERRED; form++) {
        struct DateLook *date = &look->date[form];
        float values[DATE_PARTS];
        Moment moment;

        if (!clv_date_parse(cell->text, cell->length, (DateForm)form, &moment))
            continue;
        forms |= 1u << form;
        clv_date_values(&moment, values);
        if (!date->any)
            memcpy(date->values, values, sizeof values);
        date->any = true;
        date->timed = date->timed || moment.timed;
        for (int part = 0; part < DATE_PARTS; part++)
            date->varying |= (uint32_t)(values[part] != date->values[part]) << part;
    }
    return forms;
}

static uint32_t count_dates(const struct ColumnLook *look, bool header, DateForm form)
{
    return look->date[form].count + (!header && look->first_forms >> form & 1);
}

static uint32_t count_cells(const struct ColumnLook *look, bool header)
{
    return look->text + look->number + (!header && look->first != CELL_MISSING);
}

/* Returns the form that fits the most cells, and their number. */
static uint32_t find_form(const struct ColumnLook *look, bool header, DateForm *form)
{
    uint32_t most = 0;

    *form = DATE_PLAIN;
    for (int i = 0; i < DATE_INFERRED; i++) {
        uint32_t count = count_dates(look, header, (DateForm)i);

        if (count > most)
            *form = (DateForm)i;
        most = count > most ? count : most;
    }
    return most;
}

bool clv_csv_guess_date(const CsvSample *sample, bool header, uint32_t column, DateForm *form,
                        bool *ambiguous)
{
    const struct ColumnLook *look = &sample->look[column];
    uint32_t cells = count_cells(look, header), most = find_form(look, header, form);

    *ambiguous = *form == DATE_DAY_FIRST && count_dates(look, header, DATE_MONTH_FIRST) == most;
    if (*ambiguous)
        *form = DATE_MONTH_FIRST;
    return most > 0 && cells - most <= most / 100;
}

void clv_csv_count_dates(CsvColumn *column, const CsvSample *sample, bool header, uint32_t index)
{
    const struct ColumnLook *look = &sample->look[index];
    DateForm form;

    column->cells = count_cells(look, header);
    column->dates = find_form(look, header, &form);
    if (column->kind == COLUMN_DATE || 2 * (uint64_t)column->dates <= column->cells)
        column->dates = 0;
}

static bool is_compact(const struct ColumnLook *look)
{
    Moment moment;

    return look->text == 0 && look->number > 0 &&
           clv_date_parse(look->last.text, look->last.length, DATE_COMPACT, &moment);
}

/* Chooses the parts. Constant parts are uninformative, but only a sample of all rows shows that
 * they are constant. */
static uint32_t choose_parts(const Reader *reader, const CsvSample *sample, const CsvColumn *column,
                             const struct ColumnLook *look)
{
    const struct DateLook *date = column->form < DATE_INFERRED ? &look->date[column->form] : NULL;
    uint32_t parts = column->form == DATE_TIME ? CLOCK_PARTS : CALENDAR_PARTS;

    if (!date)
        return column->form == DATE_COMPACT ? parts : parts | CLOCK_PARTS;
    if (date->timed)
        parts |= CLOCK_PARTS;
    if (!reader->only_file || !sample->all)
        return parts;
    return (parts & date->varying) | (column->form == DATE_TIME ? CLOCK_PARTS : 1 << DATE_DAYS);
}

void clv_csv_set_date(const Reader *reader, CsvLayout *layout, const CsvSample *sample,
                      uint32_t index, DateForm form)
{
    CsvColumn *column = &layout->column[index];
    const struct ColumnLook *look = &sample->look[index];

    column->form = form;
    column->guessed = form == DATE_PLAIN;
    column->ambiguous = false;
    if (column->guessed) {
        clv_csv_guess_date(sample, layout->header, index, &column->form, &column->ambiguous);
        if (is_compact(look))
            column->form = DATE_COMPACT;
    }
    column->parts = choose_parts(reader, sample, column, look);
}

Status clv_csv_check_dates(const Reader *reader, const CsvLayout *layout, uint64_t line,
                           cleave_error *error)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        const char *title = layout->column[i].title;
        const char *dot = strrchr(title, '.');
        uint32_t date = dot && csv_is_feature(layout, i)
                            ? clv_csv_find_title(layout, title, (size_t)(dot - title))
                            : CSV_NOWHERE;
        char quoted[QUOTE_SIZE];

        if (date == CSV_NOWHERE || layout->column[date].kind != COLUMN_DATE)
            continue;
        for (int part = 0; part < DATE_PARTS; part++) {
            if (strcmp(dot + 1, clv_date_parts[part]) != 0)
                continue;
            clv_fail(error, CLEAVE_ERROR_DATA,
                     "%s:%llu: column '%s' has the same name as a feature derived from the dates "
                     "in column %u",
                     reader->path, (unsigned long long)line,
                     clv_quote(quoted, title, strlen(title)), date + 1);
            return clv_hint(error, CLEAVE_ERROR_DATA,
                            "rename one of the columns, or ignore it with --columns %u=ignore",
                            i + 1);
        }
    }
    return OK;
}

static void warn_of_other_cells(const Reader *reader, const CsvColumn *column)
{
    char quoted[QUOTE_SIZE], hint[QUOTE_SIZE + 128];

    clv_quote(quoted, column->title, strlen(column->title));
    snprintf(hint, sizeof hint,
             "pass --columns '%s=date' to read dates and report the first invalid cell; --missing "
             "lists cells that mean a missing value",
             quoted);
    clv_warn(reader->source.context, hint,
             "%s: column '%s' is not read as dates: only %u of its first %u cells are dates",
             reader->path, quoted, column->dates, column->cells);
}

void clv_csv_note_dates(const Reader *reader, const CsvLayout *layout)
{
    for (uint32_t i = 0; i < layout->count && reader_reports(reader); i++) {
        const CsvColumn *column = &layout->column[i];
        char quoted[QUOTE_SIZE], hint[2 * QUOTE_SIZE + 96];
        bool day = column->form == DATE_DAY_FIRST;

        if (column->dates && column->kind != COLUMN_LABEL)
            warn_of_other_cells(reader, column);
        if (column->kind != COLUMN_DATE || !column->guessed ||
            (!day && column->form != DATE_MONTH_FIRST))
            continue;
        clv_quote(quoted, column->title, strlen(column->title));
        if (!column->ambiguous) {
            clv_note(reader->source.context, "%s: dates in column '%s' are read as %s",
                     reader->path, quoted, day ? "day/month/year" : "month/day/year");
            continue;
        }
        snprintf(hint, sizeof hint,
                 "pass --columns '%s=date-dmy' for day/month/year, or --columns '%s=date-mdy' for "
                 "month/day/year",
                 quoted, quoted);
        clv_warn(reader->source.context, hint,
                 "%s: dates in column '%s' are read as month/day/year, but the first rows fit both "
                 "orders",
                 reader->path, quoted);
    }
}

void clv_csv_fail_date(Chunk *chunk, const CsvColumn *column, const CsvCell *cell, bool guided)
{
    DateForm other = column->form == DATE_DAY_FIRST ? DATE_MONTH_FIRST : DATE_DAY_FIRST;
    char title[QUOTE_SIZE], text[QUOTE_SIZE];
    Moment moment;

    clv_quote(title, column->title, strlen(column->title));
    clv_quote(text, cell->text, cell->length);
    clv_chunk_fail(chunk, cell->place.line, csv_column(&cell->place), CLEAVE_ERROR_DATA,
                   "column '%s': expected a %s, found '%s'", title,
                   column->form == DATE_TIME ? "time" : "date", text);
    if (guided)
        clv_chunk_hint(chunk,
                       "the model reads this column as %s: correct the cell, or pass --missing "
                       "'%s' if it means a missing value",
                       column->form == DATE_TIME ? "times" : "dates", text);
    else if (column->form <= DATE_MONTH_FIRST &&
             clv_date_parse(cell->text, cell->length, other, &moment))
        clv_chunk_hint(chunk, "pass --columns '%s=%s' to read it as %s", title,
                       clv_date_forms[other],
                       other == DATE_DAY_FIRST ? "day/month/year" : "month/day/year");
    else
        clv_chunk_hint(chunk,
                       "if the cell means a missing value, pass --missing '%s'; pass --columns "
                       "'%s=category' to "
                       "read the column as categories",
                       text, title);
}
