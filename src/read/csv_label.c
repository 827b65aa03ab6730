/*
 * Selects the label column of a table when the user does not name it:
 *
 *     1. a column named label, class or target (`Class`, `Class Index`); for the last or first
 *        column, also a name that ends with this word (`risk class`), or `y`
 *     2. the only categorical column
 *     3. the last column that can be a feature
 *     4. the first column
 *     5. the only column with few values
 *
 * With --task regression: the column of 1 if it contains numbers, otherwise the last numeric
 * column. With --task classification, numbers in the column of 3 must have few values, too.
 *
 * From 2 on, columns of text and dates are skipped, and categorical columns with about as many
 * values as rows. The first column, and 5, must have few values. A guess with as many classes as a
 * tenth of the rows is refused, from the first rows if they are conclusive, otherwise after the
 * last row. Numbers are refused with --task classification only: they may be regression targets.
 */
#include "read/csv.h"

#include "base/hash.h"
#include "read/seen.h"

#include <math.h>
#include <stdio.h>

enum { FEW_CLASSES = 20, CANDIDATES_LOOKED_AT = 24, CANDIDATES_SHOWN = 4 };

/* ---- how many values a column has ------------------------------------------------------------ */

typedef struct {
    uint64_t rows, values; /* number of cells that are not missing, and of distinct cells */
    bool numbers;          /* all cells are numbers */
} ColumnCount;

/* Skips the record at p, and sets *wanted to its cell of the column. Returns NULL if the record is
 * short or damaged. */
static const char *find_cell(CsvScan *scan, const char *p, uint32_t count, uint32_t column,
                             CsvCell *wanted)
{
    for (uint32_t i = 0; i < count; i++, p++) {
        CsvCell cell;

        p = clv_csv_cell(scan, p, &cell);
        if (!p || csv_at_line_end(p) != (i + 1 == count))
            return NULL;
        if (i == column)
            *wanted = cell;
        if (i + 1 == count)
            break;
    }
    return clv_csv_next_line(scan, p);
}

static Status count_into(const Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                         uint32_t column, SeenSet *set, ColumnCount *count, cleave_error *error)
{
    const CsvMissing *missing = &((const CsvState *)reader->state)->missing;
    const char *start = layout->header ? sample->second_row : sample->first_row;
    uint64_t rows = sample->rows + !layout->header;
    CsvScan scan = {.dialect = &layout->dialect,
                    .start = start,
                    .end = sample->scan.end,
                    .line_start = start,
                    .line = 1};
    const char *p = start;

    *count = (ColumnCount){.numbers = true};
    for (uint64_t row = 0; row < rows; row++) {
        CsvCell cell = {.text = ""};
        CellClass class;
        float value;

        p = clv_csv_skip_blank(&scan, p);
        if (p >= scan.end || !(p = find_cell(&scan, p, layout->count, column, &cell)))
            break;
        class = clv_csv_classify(missing, &cell, &value);
        if (class == CELL_MISSING)
            continue;
        count->rows++;
        count->numbers = count->numbers && class != CELL_TEXT;
        TRY(clv_seen_add(reader->source.context, set, clv_hash(cell.text, cell.length, 0), error));
    }
    count->values = set->count;
    return OK;
}

/* Counts the values among the first rows. */
static Status count_values(const Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                           uint32_t column, ColumnCount *count, cleave_error *error)
{
    SeenSet set = {0};
    Status status = count_into(reader, layout, sample, column, &set, count, error);

    clv_seen_free(reader->source.context, &set);
    return status;
}

bool clv_label_has_too_many(uint64_t classes, uint64_t rows)
{
    return (classes >= FEW_CLASSES && classes >= rows / 10) || (rows >= 10 && 2 * classes > rows);
}

bool clv_label_may_be_target(const Reader *reader, bool numbers)
{
    return numbers && reader->options.task != TASK_CLASSIFICATION;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const words[] = {"label", "class", "target", NULL};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_word_end(char c)
{
    return !c || strchr(" _-./:", c);
}

/* Returns whether the word occurs at text and ends there. */
static bool word_at(const char *text, const char *word)
{
    for (; *word; text++, word++)
        if (lower(*text) != *word)
            return false;
    return is_word_end(*text);
}

static const char *last_word(const char *title)
{
    const char *word = title;

    for (; *title; title++)
        if (is_word_end(*title) && title[1])
            word = title + 1;
    return word;
}

static bool is_whole(const char *title, const char *word)
{
    return word_at(title, word) && strlen(title) == strlen(word);
}

/* Accepts names such as `class index` and `label_id`: the word, followed by an encoding. */
static bool is_coded(const char *title, const char *word)
{
    static const char *const codes[] = {"index", "id", "name", "code", "number", "no", NULL};
    const char *rest = title + strlen(word);

    if (!word_at(title, word) || !*rest)
        return false;
    for (size_t i = 0; codes[i]; i++)
        if (is_whole(rest + 1, codes[i]))
            return true;
    return false;
}

/* Whether a column can be the label: the user has given it no role. A column that looks like an
 * identifier may be a label because of its name. */
static bool may_be_label(const CsvLayout *layout, uint32_t column)
{
    return csv_is_feature(layout, column) || layout->column[column].left_out;
}

/* Finds a name at the end: a final word, as in `risk class`, or `y`. Only the first and the last
 * column qualify, because `work_class` may be a feature. */
static uint32_t name_at_end(const CsvLayout *layout, uint32_t column)
{
    const char *title = layout->column[column].title;

    if (!may_be_label(layout, column))
        return CSV_NOWHERE;
    for (size_t i = 0; words[i]; i++)
        if (is_whole(last_word(title), words[i]))
            return column;
    return is_whole(title, "y") ? column : CSV_NOWHERE;
}

static uint32_t label_by_name(const CsvLayout *layout)
{
    bool (*const fits[])(const char *, const char *) = {is_whole, is_coded};
    uint32_t last;

    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        for (size_t j = 0; words[j]; j++)
            for (uint32_t column = 0; column < layout->count; column++)
                if (may_be_label(layout, column) && fits[i](layout->column[column].title, words[j]))
                    return column;
    last = name_at_end(layout, layout->count - 1);
    return last != CSV_NOWHERE ? last : name_at_end(layout, 0);
}

/* ---- places ---------------------------------------------------------------------------------- */

static uint32_t only_category(const CsvLayout *layout)
{
    uint32_t found = CSV_NOWHERE;

    for (uint32_t column = 0; column < layout->count; column++) {
        if (layout->column[column].kind != COLUMN_CATEGORY)
            continue;
        if (found != CSV_NOWHERE)
            return CSV_NOWHERE;
        found = column;
    }
    return found;
}

static uint32_t last_of_all(const CsvLayout *layout)
{
    uint32_t column = layout->count;

    while (column > 0 &&
           (!csv_is_feature(layout, column - 1) || layout->column[column - 1].kind == COLUMN_DATE))
        column--;
    return column ? column - 1 : CSV_NOWHERE;
}

static uint32_t last_number(const CsvLayout *layout)
{
    uint32_t column = layout->count;

    while (column > 0 && (!csv_is_feature(layout, column - 1) ||
                          layout->column[column - 1].kind != COLUMN_NUMBER))
        column--;
    return column ? column - 1 : CSV_NOWHERE;
}

/* Returns whether the column can be the label: numbers, unless `few` is set, or few values. */
static Status can_be(const Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                     uint32_t column, bool few, bool *can, cleave_error *error)
{
    ColumnCount count;

    *can = column != CSV_NOWHERE && layout->column[column].kind == COLUMN_NUMBER && !few;
    if (column == CSV_NOWHERE || *can || !csv_is_feature(layout, column) ||
        layout->column[column].kind == COLUMN_TEXT || layout->column[column].kind == COLUMN_DATE)
        return OK;
    TRY(count_values(reader, layout, sample, column, &count, error));
    *can = !clv_label_has_too_many(count.values, count.rows) &&
           (!few || (count.values > 1 && count.values <= 100));
    return OK;
}

static Status only_few(const Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                       uint32_t *label, cleave_error *error)
{
    *label = CSV_NOWHERE;
    for (uint32_t column = 0; column < layout->count && column < CANDIDATES_LOOKED_AT; column++) {
        bool can;

        TRY(can_be(reader, layout, sample, column, true, &can, error));
        if (can && *label != CSV_NOWHERE) {
            *label = CSV_NOWHERE;
            return OK;
        }
        if (can)
            *label = column;
    }
    return OK;
}

static Status guess_by_place(const Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                             uint32_t *label, const char **why, cleave_error *error)
{
    int task = reader->options.task;
    bool can;

    if (task == TASK_REGRESSION) {
        *why = "the last numeric column";
        *label = last_number(layout);
        return OK;
    }
    *why = "the only column of categories";
    *label = only_category(layout);
    TRY(can_be(reader, layout, sample, *label, false, &can, error));
    if (can)
        return OK;
    *why = "the last column";
    *label = last_of_all(layout);
    TRY(can_be(reader, layout, sample, *label,
               task == TASK_CLASSIFICATION && *label != CSV_NOWHERE &&
                   layout->column[*label].kind == COLUMN_NUMBER,
               &can, error));
    if (can)
        return OK;
    *why = "the first column";
    *label = 0;
    TRY(can_be(reader, layout, sample, *label, true, &can, error));
    if (can)
        return OK;
    *why = "the only column with few values";
    TRY(only_few(reader, layout, sample, label, error));
    if (*label != CSV_NOWHERE)
        return OK;
    *why = "the last column";
    *label = last_of_all(layout);
    return OK;
}

/* ---- the guess ------------------------------------------------------------------------------- */

/* Lists other candidates: "'Class Index' has 4 values, 'kind' 12". */
static Status list_candidates(const Reader *reader, const CsvLayout *layout,
                              const CsvSample *sample, LabelGuess *guess, cleave_error *error)
{
    uint32_t shown = 0;
    size_t length = 0;

    for (uint32_t i = 0; i < layout->count && i < CANDIDATES_LOOKED_AT && shown < CANDIDATES_SHOWN;
         i++) {
        ColumnCount count;
        char quoted[QUOTE_SIZE];

        if (layout->column[i].kind == COLUMN_TEXT)
            continue;
        TRY(count_values(reader, layout, sample, i, &count, error));
        if (count.values < 2 || clv_label_has_too_many(count.values, count.rows))
            continue;
        clv_quote(quoted, layout->column[i].title, strlen(layout->column[i].title));
        length += (size_t)snprintf(guess->candidates + length, sizeof guess->candidates - length,
                                   "%s'%s' %s%llu%s", shown ? ", " : "", quoted,
                                   shown ? "" : "has ", (unsigned long long)count.values,
                                   shown ? "" : " values");
        if (length >= sizeof guess->candidates)
            break;
        shown++;
    }
    return OK;
}

Status clv_csv_guess_label(Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                           uint32_t *label, cleave_error *error)
{
    enum { ROWS_ENOUGH = 500 };
    LabelGuess *guess = &reader->label_guess;
    ColumnCount count;
    uint32_t named = layout->header ? label_by_name(layout) : CSV_NOWHERE;

    *guess = (LabelGuess){.made = false};
    *label = named;
    guess->why = "by its name";
    if (named != CSV_NOWHERE && reader->options.task == TASK_REGRESSION &&
        layout->column[named].kind != COLUMN_NUMBER)
        named = CSV_NOWHERE;
    if (named == CSV_NOWHERE)
        TRY(guess_by_place(reader, layout, sample, label, &guess->why, error));
    if (*label == CSV_NOWHERE)
        return OK;
    TRY(count_values(reader, layout, sample, *label, &count, error));
    guess->made = true;
    guess->classes = count.values;
    guess->rows = count.rows;
    guess->whole = sample->all;
    guess->numbers = count.numbers;
    clv_quote(guess->title, layout->column[*label].title, strlen(layout->column[*label].title));
    if (clv_label_may_be_target(reader, count.numbers) ||
        !clv_label_has_too_many(count.values, count.rows))
        return OK;
    guess->refused = sample->all ||
                     (count.rows >= ROWS_ENOUGH && 20 * count.values >= 19 * count.rows);
    return list_candidates(reader, layout, sample, guess, error);
}

Status clv_label_refuse(const Reader *reader, uint64_t classes, uint64_t rows, cleave_error *error)
{
    const LabelGuess *guess = &reader->label_guess;

    clv_fail(error, CLEAVE_ERROR_USAGE,
             "%s: the guessed label column '%s' (%s) has %llu different values in %llu rows",
             reader->path, guess->title, guess->why, (unsigned long long)classes,
             (unsigned long long)rows);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "%sname the label column with --label%s%s",
                    guess->numbers ? "use a regression method such as boost-regression, or " : "",
                    *guess->candidates ? ": " : "", guess->candidates);
}

Status clv_label_check_sample(const Reader *reader, cleave_error *error)
{
    const LabelGuess *guess = &reader->label_guess;

    if (!guess->refused || guess->ignored || reader->options.describe)
        return OK;
    return clv_label_refuse(reader, guess->classes, guess->rows, error);
}
