/*
 * Columns of a table: their names, the options for them (--columns, --label), and the guesses about
 * them.
 */
#include "data/rating_roles.h"
#include "read/arrow.h"
#include "read/csv.h"

#include <stdio.h>

/* ---- what columns are called ----------------------------------------------------------------- */

static bool nameless(const CsvLayout *layout, const CsvSample *sample, uint32_t column)
{
    return !layout->header || sample->cell[column].length == 0;
}

/* Returns the next NAME_IN_FILE=NAME of --rename, false after the last. */
typedef struct {
    const char *there, *here;
    size_t there_length, here_length;
} Renaming;

static bool next_renaming(const char **list, Renaming *renaming)
{
    const char *entry = *list, *stop, *equals;

    if (!entry || !*entry)
        return false;
    stop = entry + strcspn(entry, ",");
    equals = memchr(entry, '=', (size_t)(stop - entry));
    *renaming = (Renaming){.there = entry,
                           .there_length = (size_t)((equals ? equals : stop) - entry)};
    renaming->here = equals ? equals + 1 : stop;
    renaming->here_length = (size_t)(stop - renaming->here);
    *list = *stop ? stop + 1 : NULL;
    return true;
}

static Status add_title(const Reader *reader, CsvLayout *layout, const CsvSample *sample,
                        uint32_t column, cleave_error *error)
{
    char digits[NUMBER_SIZE];
    const CsvCell *cell = &sample->cell[column];
    const char *list = reader->options.rename;
    Renaming renaming;

    while (!nameless(layout, sample, column) && next_renaming(&list, &renaming))
        if (renaming.there_length == cell->length &&
            memcmp(renaming.there, cell->text, cell->length) == 0)
            return clv_names_add(&layout->titles, renaming.here, renaming.here_length,
                                 &layout->column[column].slot, error);
    if (!nameless(layout, sample, column))
        return clv_names_add(&layout->titles, cell->text, cell->length,
                             &layout->column[column].slot, error);
    return clv_names_add(&layout->titles, digits, clv_format_unsigned(digits, (uint64_t)column + 1),
                         &layout->column[column].slot, error);
}

/* Returns the first column of that name. A name's number is at most the number of its first
 * column. */
uint32_t clv_csv_find_title(const CsvLayout *layout, const char *name, size_t length)
{
    uint32_t title = clv_names_find(&layout->titles, name, length);

    for (uint32_t i = title; i < layout->count; i++)
        if (layout->column[i].title == layout->titles.text.data + layout->titles.offset[title])
            return i;
    return CSV_NOWHERE;
}

static uint32_t parse_place(const char *text, size_t length)
{
    uint64_t place = 0;

    for (size_t i = 0; i < length; i++) {
        if ((unsigned)(text[i] - '0') > 9 || i > 9)
            return 0;
        place = place * 10 + (uint64_t)(text[i] - '0');
    }
    return place <= UINT32_MAX ? (uint32_t)place : 0;
}

const char *clv_csv_nearest(Context *context, const CsvLayout *layout, const char *name,
                            const bool *taken)
{
    const char **titles = clv_alloc(context, (size_t)layout->count + 1, sizeof *titles), *nearest;
    size_t count = 0;

    if (!titles)
        return NULL;
    for (uint32_t i = 0; i < layout->count; i++)
        if (!taken || !taken[i])
            titles[count++] = layout->column[i].title;
    titles[count] = NULL;
    nearest = cleave_nearest_word(name, titles);
    clv_free(context, titles);
    return nearest;
}

/* Formats "; the nearest is 'age'", or an empty text. */
const char *clv_csv_suggest(Context *context, const CsvLayout *layout, const char *name,
                            char buffer[CSV_SUGGESTION_SIZE])
{
    const char *nearest = clv_csv_nearest(context, layout, name, NULL);
    char quoted[QUOTE_SIZE];

    buffer[0] = '\0';
    if (nearest)
        snprintf(buffer, CSV_SUGGESTION_SIZE, "; the nearest is '%s'",
                 clv_quote(quoted, nearest, strlen(nearest)));
    return buffer;
}

static void list_titles(const CsvLayout *layout, cleave_error *error)
{
    char list[320], quoted[QUOTE_SIZE], last[QUOTE_SIZE];
    const char *final = layout->column[layout->count - 1].title;
    size_t length = 0;
    uint32_t shown = 0;

    list[0] = '\0';
    /* the last column is often the label, so it is always shown */
    clv_quote(last, final, strlen(final));
    for (; shown + 1 < layout->count; shown++) {
        const char *title = clv_quote(quoted, layout->column[shown].title,
                                      strlen(layout->column[shown].title));

        if (length + strlen(title) + strlen(last) + 16 >= sizeof list)
            break;
        length += (size_t)snprintf(list + length, sizeof list - length, "%s, ", title);
    }
    clv_hint(error, CLEAVE_ERROR_USAGE, "the columns are %s%s%s", list,
             shown + 1 < layout->count ? "..., " : "", last);
}

/* Checks that every --rename names an existing column. */
static Status check_renamed(const Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                            cleave_error *error)
{
    const char *list = reader->options.rename;
    Renaming renaming;
    char quoted[QUOTE_SIZE];

    while (next_renaming(&list, &renaming)) {
        bool there = false;

        for (uint32_t i = 0; i < sample->count && layout->header && !there; i++)
            there = sample->cell[i].length == renaming.there_length &&
                    memcmp(sample->cell[i].text, renaming.there, renaming.there_length) == 0;
        if (there && renaming.here_length)
            continue;
        if (there)
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                                 "for example: --rename pay=income,years=age",
                                 "--rename: expected NAME_IN_FILE=NAME, found '%s'",
                                 clv_quote(quoted, renaming.there, renaming.there_length));
        clv_fail(error, CLEAVE_ERROR_USAGE, "--rename: column '%s' does not exist in %s",
                 clv_quote(quoted, renaming.there, renaming.there_length), reader->path);
        list_titles(layout, error);
        return CLEAVE_ERROR_USAGE;
    }
    return OK;
}

/* Sets the titles of the columns: from the header, otherwise numbers from 1. */
Status clv_csv_add_titles(const Reader *reader, CsvLayout *layout, const CsvSample *sample,
                          cleave_error *error)
{
    Context *context = reader->source.context;

    clv_names_init(&layout->titles, context, false);
    layout->count = sample->count;
    TRY(ALLOC_ZERO(context, layout->column, layout->count, "the columns of a table", error));
    for (uint32_t i = 0; i < layout->count; i++)
        TRY(add_title(reader, layout, sample, i, error));
    for (uint32_t i = 0; i < layout->count; i++) {
        CsvColumn *column = &layout->column[i];

        column->title = layout->titles.text.data + layout->titles.offset[column->slot];
        column->after = i + 1 < layout->count ? layout->dialect.delimiter : '\n';
        column->kind = COLUMN_IGNORE;
    }
    return check_renamed(reader, layout, sample, error);
}

/* Finds a column by name or by number from 1; option is for the message. */
Status clv_csv_find_column(const Reader *reader, const CsvLayout *layout, const char *option,
                           const char *text, size_t length, uint32_t *column, cleave_error *error)
{
    Context *context = reader->source.context;
    uint32_t place;
    char quoted[QUOTE_SIZE], suggestion[CSV_SUGGESTION_SIZE];
    char *name;

    *column = clv_csv_find_title(layout, text, length);
    if (*column != CSV_NOWHERE)
        return OK;
    place = parse_place(text, length);
    if (place >= 1 && place <= layout->count) {
        *column = place - 1;
        return OK;
    }
    name = clv_copy_string(context, text, length);
    if (!name)
        return clv_fail_memory(error, "the name of a column", length);
    clv_fail(error, CLEAVE_ERROR_USAGE, "--%s: column '%s' does not exist in %s%s", option,
             clv_quote(quoted, text, length), reader->path,
             clv_csv_suggest(context, layout, name, suggestion));
    clv_free(context, name);
    list_titles(layout, error);
    return CLEAVE_ERROR_USAGE;
}

/* ---- the user's word ------------------------------------------------------------------------- */

static bool is_text(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Parses a kind of column, or a form of dates. */
static Status parse_kind(const char *text, size_t length, CsvEntry *entry, cleave_error *error)
{
    char quoted[QUOTE_SIZE];
    const char *nearest;

    for (int kind = 0; kind < COLUMN_KINDS; kind++)
        if (is_text(text, length, clv_column_kinds[kind])) {
            *entry = (CsvEntry){.kind = (ColumnKind)kind, .form = DATE_PLAIN};
            return OK;
        }
    for (int form = 0; form < DATE_FORMS; form++)
        if (is_text(text, length, clv_date_forms[form])) {
            *entry = (CsvEntry){.kind = COLUMN_DATE, .form = (DateForm)form};
            return OK;
        }
    clv_quote(quoted, text, length);
    nearest = cleave_nearest_word(quoted, clv_column_kinds);
    nearest = nearest ? nearest : cleave_nearest_word(quoted, clv_date_forms);
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "the types are number, category, text, label, weight and ignore; for "
                         "dates: date, date-dmy, date-mdy, date-ymd, time, epoch and epoch-ms",
                         "--columns: unknown column type '%s'%s%s%s", quoted,
                         nearest ? "; the nearest is '" : "", nearest ? nearest : "",
                         nearest ? "'" : "");
}

/* Removes the next NAME=KIND from the list. */
Status clv_csv_next_entry(const Reader *reader, const CsvLayout *layout, const char **list,
                          CsvEntry *entry, cleave_error *error)
{
    const char *text = *list, *comma = strchr(text, ','),
               *stop = comma ? comma : text + strlen(text), *equals = stop;
    char quoted[QUOTE_SIZE];

    *list = comma ? comma + 1 : NULL;
    while (equals > text && *equals != '=')
        equals--;
    if (equals == text)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "for example: --columns age=number,zip=category,id=ignore",
                             "--columns: expected NAME=TYPE, found '%s'",
                             clv_quote(quoted, text, (size_t)(stop - text)));
    TRY(parse_kind(equals + 1, (size_t)(stop - equals - 1), entry, error));
    return clv_csv_find_column(reader, layout, "columns", text, (size_t)(equals - text),
                               &entry->column, error);
}

static Status set_label(const Reader *reader, CsvLayout *layout, uint32_t column, uint32_t *label,
                        cleave_error *error)
{
    char one[QUOTE_SIZE], other[QUOTE_SIZE];

    if (*label != CSV_NOWHERE && *label != column)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE, "%s: both '%s' and '%s' are declared as the label column",
            reader->path,
            clv_quote(one, layout->column[*label].title, strlen(layout->column[*label].title)),
            clv_quote(other, layout->column[column].title, strlen(layout->column[column].title)));
    layout->column[column].kind = COLUMN_LABEL;
    *label = column;
    return OK;
}

static Status apply_columns_option(const Reader *reader, CsvLayout *layout, const CsvSample *sample,
                                   uint32_t *label, cleave_error *error)
{
    const char *list = reader->options.columns;

    while (list && *list) {
        CsvEntry entry;
        CsvColumn *column;

        TRY(clv_csv_next_entry(reader, layout, &list, &entry, error));
        column = &layout->column[entry.column];
        column->left_out = column->counts = false;
        column->declared = true;
        column->dates = 0;
        if (entry.kind == COLUMN_LABEL)
            TRY(set_label(reader, layout, entry.column, label, error));
        else
            column->kind = entry.kind;
        if (entry.kind == COLUMN_DATE)
            clv_csv_set_date(reader, layout, sample, entry.column, entry.form);
    }
    return OK;
}

bool clv_csv_has_no_label(const Reader *reader, const CsvLayout *layout)
{
    const char *label = reader->options.label;

    return label && strcmp(label, "none") == 0 &&
           clv_csv_find_title(layout, label, 4) == CSV_NOWHERE;
}

static Status apply_label_option(const Reader *reader, CsvLayout *layout, uint32_t *label,
                                 cleave_error *error)
{
    const char *text = reader->options.label;
    uint32_t column;

    if (!text || clv_csv_has_no_label(reader, layout))
        return OK;
    TRY(clv_csv_find_column(reader, layout, "label", text, strlen(text), &column, error));
    return set_label(reader, layout, column, label, error);
}

/* ---- the first file -------------------------------------------------------------------------- */

uint32_t clv_csv_count_kind(const CsvLayout *layout, ColumnKind kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < layout->count; i++)
        count += layout->column[i].kind == kind;
    return count;
}

static Status record_shape(Reader *reader, const CsvLayout *layout, cleave_error *error)
{
    Guesses *guesses = &reader->guesses;
    char standard = reader->format == &clv_format_tsv ? '\t' : ',',
         delimiter[2] = {layout->dialect.delimiter};
    char phrase[48];

    if (reader->column_kinds.size)
        return OK;
    if (reader->options.header == HEADER_AUTO)
        TRY(clv_guess_add(guesses, "header", layout->header ? "yes" : "no", "--header",
                          layout->header ? ", with header (--header)" : ", no header (--header)",
                          error));
    if (layout->decimal_commas && reader->options.decimal == DECIMAL_AUTO)
        TRY(clv_guess_add(guesses, "decimal", "comma", "--decimal", ", decimal comma (--decimal)",
                          error));
    if (reader->options.delimiter)
        return OK;
    snprintf(phrase, sizeof phrase, ", delimiter '%s' (--delimiter)",
             delimiter[0] == '\t' ? "tab" : delimiter);
    return clv_guess_add(guesses, "delimiter", delimiter[0] == '\t' ? "tab" : delimiter,
                         "--delimiter", delimiter[0] == standard ? NULL : phrase, error);
}

/* Formats ", 4 classes", ", 4 classes in the first 2000 rows", ", numbers"; an empty text if too
 * few rows are known. */
static void format_classes(const LabelGuess *guess, bool targets, char text[96])
{
    enum { MOST_NAMED = 20, ROWS_ENOUGH = 100 };

    text[0] = '\0';
    if (guess->classes == 0 || (!guess->whole && guess->rows < ROWS_ENOUGH))
        return;
    if (guess->numbers && (targets || guess->classes > MOST_NAMED))
        snprintf(text, 96, ", numbers");
    else if (guess->whole)
        snprintf(text, 96, ", %llu class%s", (unsigned long long)guess->classes,
                 guess->classes == 1 ? "" : "es");
    else
        snprintf(text, 96, ", %llu class%s in the first %llu rows",
                 (unsigned long long)guess->classes, guess->classes == 1 ? "" : "es",
                 (unsigned long long)guess->rows);
}

static Status record_label(Reader *reader, cleave_error *error)
{
    const LabelGuess *guess = &reader->label_guess;
    char classes[96], phrase[QUOTE_SIZE + 192];

    if (!guess->made)
        return OK;
    format_classes(guess, reader->options.task == TASK_REGRESSION, classes);
    snprintf(phrase, sizeof phrase, "label column '%s' (--label), %s%s", guess->title, guess->why,
             classes);
    return clv_guess_add(&reader->guesses, "label column", guess->title, "--label", phrase, error);
}

/* Records the kinds of columns as a guess: "3 number, 1 category". */
static Status record_kinds(Reader *reader, const CsvLayout *layout, cleave_error *error)
{
    static const ColumnKind kinds[] = {COLUMN_NUMBER, COLUMN_DATE, COLUMN_CATEGORY, COLUMN_TEXT};
    char text[128] = "", phrase[192];
    size_t length = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint32_t count = clv_csv_count_kind(layout, kinds[i]);

        if (count)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%u %s",
                                       length ? ", " : "", count, clv_column_kinds[kinds[i]]);
    }
    snprintf(phrase, sizeof phrase, "columns: %s (--columns)", text);
    return length ? clv_guess_add(&reader->guesses, "columns", text, "--columns", phrase, error)
                  : OK;
}

static Status fail_twice(const Reader *reader, const CsvLayout *layout, uint32_t column,
                         uint64_t line, cleave_error *error)
{
    const char *title = layout->column[column].title;
    uint32_t first = clv_csv_find_title(layout, title, strlen(title));
    char quoted[QUOTE_SIZE];

    clv_fail(error, CLEAVE_ERROR_DATA, "%s:%llu: columns %u and %u have the same name '%s'",
             reader->path, (unsigned long long)line, first + 1, column + 1,
             clv_quote(quoted, title, strlen(title)));
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "rename one of the columns, or ignore it with --columns %u=ignore", column + 1);
}

/* Fails if two columns have the same name, which would be ambiguous in the next file. */
static Status check_names(const Reader *reader, const CsvLayout *layout, uint64_t line,
                          cleave_error *error)
{
    Context *context = reader->source.context;
    bool *seen;

    if (layout->titles.count == layout->count)
        return OK;
    TRY(ALLOC_ZERO(context, seen, layout->titles.count, "the columns of a table", error));
    for (uint32_t i = 0; i < layout->count; i++) {
        uint32_t title = clv_names_find(&layout->titles, layout->column[i].title,
                                        strlen(layout->column[i].title));

        if (layout->column[i].kind == COLUMN_IGNORE)
            continue;
        if (seen[title]) {
            clv_free(context, seen);
            return fail_twice(reader, layout, i, line, error);
        }
        seen[title] = true;
    }
    clv_free(context, seen);
    return OK;
}

/* Warns of a column whose texts are numbers in an unsupported form. Returns false if the column is
 * not of this kind. */
static bool warn_formatted(const Reader *reader, const CsvColumn *column,
                           const struct ColumnLook *look)
{
    char name[QUOTE_SIZE], example[QUOTE_SIZE], hint[QUOTE_SIZE + 160];
    bool commas = look->commas > look->formatted;

    if (look->number > look->text || look->commas + look->formatted < 0.9 * look->text ||
        look->commas + look->formatted == 0)
        return false;
    clv_quote(name, column->title, strlen(column->title));
    clv_quote(example, look->example.text, look->example.length);
    if (commas)
        snprintf(hint, sizeof hint, "pass --decimal comma to read the cells as numbers");
    else
        snprintf(hint, sizeof hint,
                 "remove currency signs, percent signs and thousands separators from the cells, or "
                 "pass --columns '%s=%s' to silence this",
                 name, column->kind == COLUMN_CATEGORY ? "category" : "ignore");
    clv_warn(reader->source.context, hint,
             "%s: column '%s' is %s: its cells are not read as numbers, such as '%s'", reader->path,
             name, column->kind == COLUMN_CATEGORY ? "a category" : "ignored", example);
    return true;
}

/* Warns of a column of numbers with words in more than 1% of the cells: each number would be a
 * category. */
static void warn_mixed(const Reader *reader, const CsvColumn *column, const struct ColumnLook *look)
{
    char name[QUOTE_SIZE], word[QUOTE_SIZE], hint[2 * QUOTE_SIZE + 160];

    if (look->text == 0 || look->number <= look->text)
        return;
    clv_quote(name, column->title, strlen(column->title));
    clv_quote(word, look->word.text, look->word.length);
    snprintf(hint, sizeof hint,
             "pass --missing '%s' if it means a missing value, or --columns '%s=category' to "
             "silence this",
             word, name);
    clv_warn(reader->source.context, hint,
             "%s: column '%s' is a category: most cells are numbers, but not '%s'", reader->path,
             name, word);
}

/* Warns of uninformative columns: columns ignored by default, and row numbers, which do not
 * generalize but can leak the label if rows are sorted. */
static void warn_useless(const Reader *reader, const CsvLayout *layout, const CsvSample *sample)
{
    for (uint32_t i = 0; i < layout->count && reader_reports(reader); i++) {
        char quoted[QUOTE_SIZE], hint[2 * QUOTE_SIZE + 100];
        const CsvColumn *column = &layout->column[i];
        bool out = column->left_out && column->kind == COLUMN_IGNORE;

        if ((out || (column->kind == COLUMN_CATEGORY && !column->declared)) &&
            warn_formatted(reader, column, &sample->look[i]))
            continue;
        if (column->kind == COLUMN_CATEGORY && !column->declared)
            warn_mixed(reader, column, &sample->look[i]);
        if (!out && !(column->counts && column->kind == COLUMN_NUMBER))
            continue;
        clv_quote(quoted, column->title, strlen(column->title));
        snprintf(hint, sizeof hint,
                 out ? "pass --columns '%s=category' to keep it, or --columns '%s=ignore' to "
                       "silence this warning"
                     : "pass --columns '%s=ignore' to ignore it, or --columns '%s=number' to "
                       "silence this warning",
                 quoted, quoted);
        clv_warn(
            reader->source.context, hint,
            out ? "%s: column '%s' is ignored: nearly every value is different, as in an identifier"
                : "%s: column '%s' contains row numbers, which do not generalize to new rows",
            reader->path, quoted);
    }
}

/* Fails if `a=b` with the value c and `a` with the value b=c would be the same feature. */
static Status check_marks(const Reader *reader, const CsvLayout *layout, uint64_t line,
                          cleave_error *error)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        const char *title = layout->column[i].title;
        char one[QUOTE_SIZE], other[QUOTE_SIZE];

        if (!csv_is_feature(layout, i))
            continue;
        for (const char *mark = strpbrk(title, "=:"); mark; mark = strpbrk(mark + 1, "=:")) {
            uint32_t shorter = clv_csv_find_title(layout, title, (size_t)(mark - title));

            if (shorter == CSV_NOWHERE ||
                layout->column[shorter].kind != (*mark == '=' ? COLUMN_CATEGORY : COLUMN_TEXT))
                continue;
            clv_fail(error, CLEAVE_ERROR_DATA,
                     "%s:%llu: columns '%s' and '%s': their features would have the same names",
                     reader->path, (unsigned long long)line,
                     clv_quote(one, layout->column[shorter].title,
                               strlen(layout->column[shorter].title)),
                     clv_quote(other, title, strlen(title)));
            return clv_hint(error, CLEAVE_ERROR_DATA,
                            "rename one of the columns, or ignore it with --columns %u=ignore",
                            i + 1);
        }
    }
    return OK;
}

/* ---- ratings --------------------------------------------------------------------------------- */

static void declare(CsvColumn *column, ColumnKind kind)
{
    column->left_out = column->counts = false;
    column->declared = true;
    column->kind = kind;
}

/* The first column without a role given by the user whose name has this role; any name:
 * RATING_NONE. */
static uint32_t free_column(const CsvLayout *layout, uint32_t label, RatingRole role)
{
    for (uint32_t i = 0; i < layout->count; i++)
        if (!layout->column[i].declared && i != label &&
            (role == RATING_NONE || clv_rating_role(layout->column[i].title) == role))
            return i;
    return CSV_NOWHERE;
}

static uint32_t count_sides(const CsvLayout *layout)
{
    uint32_t sides = 0;

    for (uint32_t i = 0; i < layout->count; i++)
        sides += layout->column[i].declared && layout->column[i].kind == COLUMN_CATEGORY;
    return sides;
}

/* --task ratings: columns without a role given by the user are the user, the item and the rating by
 * their names, or in this order. The others are ignored. */
static void assign_ratings(CsvLayout *layout, bool labeled, uint32_t *label)
{
    static const RatingRole roles[] = {RATING_USER, RATING_ITEM};
    uint32_t rating = labeled ? CSV_NOWHERE : free_column(layout, *label, RATING_VALUE), at;

    if (rating != CSV_NOWHERE)
        *label = rating;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (count_sides(layout) < 2 && (at = free_column(layout, *label, roles[i])) != CSV_NOWHERE)
            declare(&layout->column[at], COLUMN_CATEGORY);
    while (count_sides(layout) < 2 &&
           (at = free_column(layout, *label, RATING_NONE)) != CSV_NOWHERE)
        declare(&layout->column[at], COLUMN_CATEGORY);
    if (!labeled && *label == CSV_NOWHERE)
        *label = free_column(layout, *label, RATING_NONE);
    if (!labeled && *label != CSV_NOWHERE)
        declare(&layout->column[*label], COLUMN_LABEL);
    while ((at = free_column(layout, *label, RATING_NONE)) != CSV_NOWHERE)
        declare(&layout->column[at], COLUMN_IGNORE);
}

/* "user 'userId', item 'movieId' (--columns), rating 'stars' (--label)". sides: the columns of the
 * user and the item were guessed; label: CSV_NOWHERE if the user gave it. */
static Status record_ratings(Reader *reader, const CsvLayout *layout, bool sides, uint32_t label,
                             cleave_error *error)
{
    static const char *const names[] = {"user", "item"};
    char title[QUOTE_SIZE], phrase[QUOTE_SIZE + 32];
    uint32_t side[2] = {CSV_NOWHERE, CSV_NOWHERE}, count = 0;

    for (uint32_t i = 0; i < layout->count && count < 2; i++)
        if (layout->column[i].kind == COLUMN_CATEGORY)
            side[count++] = i;
    if (count == 2 &&
        clv_rating_sides_swapped(layout->column[side[0]].title, layout->column[side[1]].title)) {
        uint32_t held = side[0];

        side[0] = side[1];
        side[1] = held;
    }
    for (uint32_t i = 0; i < count && sides; i++) {
        const char *name = layout->column[side[i]].title;

        snprintf(phrase, sizeof phrase, "%s%s '%s'%s", i ? ", " : "", names[i],
                 clv_quote(title, name, strlen(name)), i ? " (--columns)" : "");
        TRY(clv_guess_add(&reader->guesses, names[i], name, "--columns", phrase, error));
    }
    if (label == CSV_NOWHERE)
        return OK;
    snprintf(phrase, sizeof phrase, "rating '%s' (--label)",
             clv_quote(title, layout->column[label].title, strlen(layout->column[label].title)));
    return clv_guess_add(&reader->guesses, "rating", layout->column[label].title, "--label", phrase,
                         error);
}

Status clv_csv_infer(Reader *reader, CsvLayout *layout, const CsvSample *sample,
                     cleave_error *error)
{
    uint32_t label = CSV_NOWHERE, given_sides;
    bool labeled;

    for (uint32_t i = 0; i < layout->count; i++) {
        char known = i < reader->column_kinds.size ? reader->column_kinds.data[i] : ARROW_ANY;

        layout->column[i].kind = known == ARROW_NUMBER ? COLUMN_NUMBER
                                 : known == ARROW_CATEGORY
                                     ? COLUMN_CATEGORY
                                     : clv_csv_guess_kind(sample, layout->header, i);
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        layout->column[i].left_out = layout->column[i].kind == COLUMN_IGNORE;
        layout->column[i].counts = layout->column[i].kind == COLUMN_NUMBER &&
                                   clv_csv_counts_rows(sample, i);
        clv_csv_count_dates(&layout->column[i], sample, layout->header, i);
    }
    for (uint32_t i = 0; i < layout->count; i++)
        if (layout->column[i].kind == COLUMN_DATE)
            clv_csv_set_date(reader, layout, sample, i, DATE_PLAIN);
    TRY(apply_columns_option(reader, layout, sample, &label, error));
    TRY(apply_label_option(reader, layout, &label, error));
    given_sides = count_sides(layout);
    labeled = label != CSV_NOWHERE || clv_csv_has_no_label(reader, layout);
    if (reader->options.task == TASK_RATINGS)
        assign_ratings(layout, labeled, &label);
    else if (label == CSV_NOWHERE && !clv_csv_has_no_label(reader, layout)) {
        TRY(clv_csv_guess_label(reader, layout, sample, &label, error));
        if (label != CSV_NOWHERE)
            layout->column[label].kind = COLUMN_LABEL;
    }
    TRY(check_names(reader, layout, sample->cell[0].place.line, error));
    TRY(check_marks(reader, layout, sample->cell[0].place.line, error));
    TRY(clv_csv_check_dates(reader, layout, sample->cell[0].place.line, error));
    if (reader->source.schema.count == 0) { /* only for the first file */
        TRY(record_shape(reader, layout, error));
        TRY(record_label(reader, error));
        TRY(reader->options.task == TASK_RATINGS
                ? record_ratings(reader, layout, given_sides < 2, labeled ? CSV_NOWHERE : label,
                                 error)
                : record_kinds(reader, layout, error));
        clv_reader_note_guesses(reader);
        warn_useless(reader, layout, sample);
        clv_csv_note_dates(reader, layout);
    }
    return OK;
}
