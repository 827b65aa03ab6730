/*
 * Inference from the first rows of a table: the delimiter, whether the first record is a header,
 * and whether a column contains numbers or categories.
 */
#include "read/csv.h"

#include "base/hash.h"

#include <math.h>

/* ---- missing values -------------------------------------------------------------------------- */

static Status add_missing(Context *context, CsvMissing *missing, const char *text, size_t length,
                          cleave_error *error)
{
    if (length == 0)
        return OK; /* the empty text is always missing */
    TRY(GROW(context, missing->text, missing->capacity, missing->count + 1, error));
    TRY(GROW(context, missing->length, missing->length_capacity, missing->count + 1, error));
    missing->text[missing->count] = text;
    missing->length[missing->count++] = length;
    missing->first[(unsigned char)text[0]] = true;
    return OK;
}

Status clv_csv_missing_init(Context *context, CsvMissing *missing, const char *list,
                            cleave_error *error)
{
    *missing = (CsvMissing){.count = 0};
    while (list) {
        const char *comma = strchr(list, ',');

        TRY(add_missing(context, missing, list, comma ? (size_t)(comma - list) : strlen(list),
                        error));
        list = comma ? comma + 1 : NULL;
    }
    return OK;
}

void clv_csv_missing_free(Context *context, CsvMissing *missing)
{
    FREE(context, missing->text, missing->length);
}

bool clv_csv_is_missing(const CsvMissing *missing, const CsvCell *cell)
{
    if (cell->length == 0)
        return true;
    if (!missing->first[(unsigned char)cell->text[0]])
        return false;
    for (size_t i = 0; i < missing->count; i++)
        if (missing->length[i] == cell->length &&
            memcmp(missing->text[i], cell->text, cell->length) == 0)
            return true;
    return false;
}

/* ---- one cell -------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    size_t i = 0;

    while (i < length && word[i] && lower(text[i]) == word[i])
        i++;
    return i == length && word[i] == '\0';
}

static bool names_no_finite(const char *text, size_t length)
{
    if (length && (*text == '-' || *text == '+')) {
        text++;
        length--;
    }
    return is_word(text, length, "nan") || is_word(text, length, "inf") ||
           is_word(text, length, "infinity");
}

size_t clv_csv_decimal_point(const CsvMissing *missing, const CsvCell *cell,
                             char text[COMMA_NUMBER_SIZE + NUMBER_SLACK])
{
    const char *p = cell->text, *end = p + cell->length, *comma;
    size_t size = 0, digits = 0;
    bool grouped = false;

    if (!missing->decimal_comma || cell->length >= COMMA_NUMBER_SIZE)
        return 0;
    comma = memchr(p, ',', cell->length);
    if (!comma || comma + 1 == end || !is_digit(comma[1]))
        return 0;
    if (*p == '-' || *p == '+')
        text[size++] = *p++;
    for (; p < comma; p++) { /* digits, possibly with points between groups of three */
        if (*p == '.') {
            if (grouped ? digits != 3 : digits - 1 >= 3)
                return 0;
            grouped = true;
            digits = 0;
        } else if (is_digit(*p)) {
            text[size++] = *p;
            digits++;
        } else {
            return 0;
        }
    }
    if (digits == 0 || (grouped && digits != 3) ||
        memchr(comma + 1, '.', (size_t)(end - comma - 1)))
        return 0;
    text[size++] = '.';
    memcpy(text + size, comma + 1, (size_t)(end - comma - 1));
    size += (size_t)(end - comma - 1);
    memset(text + size, '\n', NUMBER_SLACK);
    return size;
}

/* Returns the class of a cell that is not a number with a decimal point. */
static CellClass classify_comma(const CsvMissing *missing, const CsvCell *cell, float *value)
{
    char text[COMMA_NUMBER_SIZE + NUMBER_SLACK];
    size_t length = clv_csv_decimal_point(missing, cell, text);

    if (length == 0 || clv_parse_float(text, text + length, value) != text + length)
        return CELL_TEXT;
    return isinf(*value) ? CELL_TOO_LARGE : CELL_NUMBER;
}

CellClass clv_csv_classify(const CsvMissing *missing, const CsvCell *cell, float *value)
{
    const char *limit = cell->text + cell->length, *stop;

    if (clv_csv_is_missing(missing, cell))
        return CELL_MISSING;
    stop = cell->copied ? NULL : clv_parse_float(cell->text, limit, value);
    if (stop != limit)
        return names_no_finite(cell->text, cell->length) ? CELL_NOT_FINITE
                                                         : classify_comma(missing, cell, value);
    return isinf(*value) ? CELL_TOO_LARGE : CELL_NUMBER;
}

/* Returns the length of a currency sign at p: $, or the UTF-8 of the pound, yen and euro signs. */
static size_t currency_sign(const char *p, const char *end)
{
    static const char *const signs[] = {"$", "\xC2\xA3", "\xC2\xA5", "\xE2\x82\xAC"};

    for (size_t i = 0; i < 4; i++) {
        size_t length = strlen(signs[i]);

        if ((size_t)(end - p) >= length && memcmp(p, signs[i], length) == 0)
            return length;
    }
    return 0;
}

bool clv_csv_is_formatted(const CsvCell *cell)
{
    const char *p = cell->text, *end = p + cell->length;
    size_t digits = 0, group = 0, commas = 0, points = 0, marks = 0;

    while (p < end) {
        size_t sign = currency_sign(p, end);

        marks += sign > 0 || *p == '%';
        if (sign == 0 && *p == ',' &&
            (digits == 0 || points || (commas++ ? group != 3 : group > 3)))
            return false;
        if (sign == 0 && *p == '.' && points++)
            return false;
        if (sign == 0 && !is_digit(*p) && !strchr(",.%+- ", *p))
            return false;
        digits += sign == 0 && is_digit(*p);
        if (points == 0)
            group = *p == ',' ? 0 : group + (sign == 0 && is_digit(*p));
        p += sign ? sign : 1;
    }
    return digits > 0 && marks <= 1 && marks + commas > 0 && (commas == 0 || group == 3);
}

/* ---- the delimiter --------------------------------------------------------------------------- */

enum { RECORDS_LOOKED_AT = 64 };

typedef struct {
    uint32_t count; /* cells of the first record */
    bool same;      /* whether all other examined records have the same number of cells */
    uint64_t records;
} Shape;

static Shape find_shape(char delimiter, const char *text, size_t size, bool whole)
{
    CsvDialect dialect;
    size_t records = whole ? 0 : clv_csv_cut(delimiter, text, size);
    CsvScan scan = {.dialect = &dialect, .start = text, .line_start = text, .line = 1};
    Shape shape = {.same = true};
    const char *p;

    scan.end = text + (records ? records : size);
    clv_csv_dialect(&dialect, delimiter);
    p = clv_csv_skip_blank(&scan, text);
    while (p && p < scan.end && shape.records < RECORDS_LOOKED_AT) {
        uint32_t count = clv_csv_count(&scan, p, &p);

        if (shape.records++ == 0)
            shape.count = count;
        shape.same = shape.same && p && count == shape.count;
        p = p ? clv_csv_skip_blank(&scan, p) : NULL;
    }
    return shape;
}

static const char candidates[] = ",;\t|";

char clv_csv_find_delimiter(const char *text, size_t size, bool whole)
{
    Shape best = {.count = 1};
    char delimiter = ',';

    for (const char *c = candidates; *c; c++) {
        Shape shape = find_shape(*c, text, size, whole);

        if (shape.count > 1 &&
            (shape.same > best.same || (shape.same == best.same && shape.count > best.count))) {
            best = shape;
            delimiter = *c;
        }
    }
    return delimiter;
}

/* Counts delimiters on a line. Quotes are ignored, because an estimate suffices. */
static uint32_t count_on_line(const char *line, const char *stop, char delimiter)
{
    uint32_t count = 1;
    bool quoted = false;

    for (const char *p = line; p < stop; p++) {
        quoted = quoted != (*p == '"');
        count += *p == delimiter && !quoted;
    }
    return count;
}

static bool all_lines_alike(const char *head, size_t size, char delimiter, uint32_t least)
{
    const char *end = head + size, *line = head, *stop;
    uint32_t first = 0;

    for (int i = 0; i < RECORDS_LOOKED_AT && (stop = memchr(line, '\n', (size_t)(end - line)));
         i++, line = stop + 1) {
        uint32_t count = count_on_line(line, stop, delimiter);

        if (stop == line || (stop == line + 1 && *line == '\r'))
            continue;
        if (first == 0)
            first = count;
        if (count != first)
            return false;
    }
    if (first == 0)
        first = count_on_line(head, end, delimiter); /* the text is a single line without an end */
    return first >= least;
}

bool clv_csv_sniff(const char *head, size_t size, const char *delimiters, uint32_t least)
{
    if (memchr(head, '\0', size))
        return false;
    for (; *delimiters; delimiters++)
        if (all_lines_alike(head, size, *delimiters, least))
            return true;
    return false;
}

enum { MOST_CELLS_LOOKED_AT = 256 };

/* Marks the cells of a line that are not numbers. */
static void mark_words(const char *line, const char *stop, char delimiter, bool *words)
{
    for (uint32_t i = 0; i < MOST_CELLS_LOOKED_AT; i++) {
        const char *end = memchr(line, delimiter, (size_t)(stop - line)), *start = line, *after;
        float value;

        end = end ? end : stop;
        line = end;
        while (start < end && (*start == ' ' || *start == '"'))
            start++;
        while (end > start && (end[-1] == ' ' || end[-1] == '"' || end[-1] == '\r'))
            end--;
        after = end > start ? clv_parse_float(start, end, &value) : end;
        words[i] = words[i] || after != end;
        if (line == stop)
            return;
        line++;
    }
}

/* Returns whether a column contains only numbers, except in the first line, which may be a
 * header. */
static bool has_numbers(const char *head, size_t size, char delimiter)
{
    enum { LINES_WANTED = 5 };
    const char *end = head + size, *line = head, *stop;
    bool words[MOST_CELLS_LOOKED_AT] = {false};
    uint32_t columns = 0;
    int lines = 0;

    for (; lines < RECORDS_LOOKED_AT && (stop = memchr(line, '\n', (size_t)(end - line)));
         lines++, line = stop + 1) {
        columns = count_on_line(line, stop, delimiter);
        if (lines > 0)
            mark_words(line, stop, delimiter, words);
    }
    for (uint32_t i = 0; i < columns && i < MOST_CELLS_LOOKED_AT; i++)
        if (!words[i])
            return lines >= LINES_WANTED;
    return false;
}

bool clv_csv_is_plain(const char *head, size_t size, char delimiter)
{
    return !memchr(head, '\0', size) && all_lines_alike(head, size, delimiter, 2) &&
           has_numbers(head, size, delimiter);
}

/* ---- the first rows -------------------------------------------------------------------------- */

static Status fail_scan(const CsvScan *scan, const char *path, cleave_error *error)
{
    CsvErrorText error_text;
    Status code = scan->problem == PROBLEM_MEMORY ? CLEAVE_ERROR_MEMORY : CLEAVE_ERROR_DATA;

    clv_csv_format_error(scan, &error_text);
    clv_fail(error, code, "%s:%llu:%llu: %s", path, (unsigned long long)scan->problem_place.line,
             (unsigned long long)csv_column(&scan->problem_place), error_text.message);
    return clv_hint(error, code, "%s", error_text.hint);
}

static Status read_first_record(Context *context, const CsvMissing *missing, bool whole,
                                const char *path, CsvSample *sample, cleave_error *error)
{
    const char *p = sample->first_row;
    float value;

    for (;; p++) {
        struct ColumnLook *look;
        CsvCell *cell;

        TRY(GROW(context, sample->cell, sample->cell_capacity, (size_t)sample->count + 1, error));
        TRY(GROW(context, sample->look, sample->look_capacity, (size_t)sample->count + 1, error));
        cell = &sample->cell[sample->count];
        p = clv_csv_cell(&sample->scan, p, cell);
        if (!p && (whole || sample->scan.problem != PROBLEM_OPEN))
            return fail_scan(&sample->scan, path, error);
        if (!p || (p >= sample->scan.end && !whole))
            return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                                 "set the format with --format if the file is not a text table",
                                 "%s:1: the first line is longer than %zu bytes", path,
                                 (size_t)(sample->scan.end - sample->scan.start));
        look = &sample->look[sample->count++];
        *look = (struct ColumnLook){.first = clv_csv_classify(missing, cell, &value)};
        look->first_forms = look->first == CELL_TEXT ? clv_csv_look_for_date(look, cell) : 0;
        if (csv_at_line_end(p))
            break;
    }
    sample->second_row = clv_csv_next_line(&sample->scan, p);
    return OK;
}

enum { TEXTS_LOOKED_AT = 200, TEXTS_WANTED = 50, ROWS_COUNTED = 50 };

/* Counts distinct texts of a column, and their words. */
static void look_at_text(struct ColumnLook *look, const CsvCell *cell)
{
    uint64_t hash = clv_hash(cell->text, cell->length, 0) & 4095, bit = (uint64_t)1 << (hash & 63);
    bool inside = false;

    if (look->looked == TEXTS_LOOKED_AT)
        return;
    look->looked++;
    look->fresh += !(look->met[hash >> 6] & bit);
    look->met[hash >> 6] |= bit;
    for (size_t i = 0; i < cell->length; i++) {
        bool blank = cell->text[i] == ' ' || cell->text[i] == '\t' || cell->text[i] == '\n';

        look->words += !blank && !inside;
        inside = !blank;
    }
}

static void look_for_number(struct ColumnLook *look, const CsvCell *cell)
{
    char text[COMMA_NUMBER_SIZE + NUMBER_SLACK];
    bool formatted = clv_csv_is_formatted(cell);
    bool comma = !formatted &&
                 clv_csv_decimal_point(&(CsvMissing){.decimal_comma = true}, cell, text) > 0;

    if ((formatted || comma) && look->formatted + look->commas == 0)
        look->example = *cell;
    look->formatted += formatted;
    look->commas += comma;
}

static void look_at(CsvSample *sample, uint32_t column, const CsvCell *cell, CellClass class)
{
    struct ColumnLook *look = &sample->look[column];
    const CsvCell *first = &sample->cell[column];

    look->missing = look->missing || class == CELL_MISSING;
    look->text += class == CELL_TEXT;
    if (class == CELL_TEXT) {
        if (look->text == 1)
            look->word = *cell;
        look_at_text(look, cell);
        look_for_number(look, cell);
    }
    look->number += class != CELL_TEXT && class != CELL_MISSING;
    for (int form = 0; form < DATE_INFERRED && look->last_forms; form++)
        look->date[form].count += look->last_forms >> form & 1;
    if (!look->repeats && look->first == CELL_TEXT && cell->length == first->length)
        look->repeats = memcmp(cell->text, first->text, cell->length) == 0;
}

/* Returns whether a cell equals the cell above it, as it often does. */
static bool is_last_again(const struct ColumnLook *look, const CsvCell *cell)
{
    const CsvCell *last = &look->last;

    return last->text && cell->length == last->length && cell->length && !cell->copied &&
           !last->copied && cell->text[0] == last->text[0] &&
           memcmp(cell->text, last->text, cell->length) == 0;
}

/* Examines one record. Returns NULL after an error or a wrong number of cells, which parsing
 * reports. An incomplete last record contributes its complete cells. */
static const char *look_at_record(CsvSample *sample, const CsvMissing *missing, bool whole,
                                  const char *p)
{
    for (uint32_t column = 0; column < sample->count; column++) {
        struct ColumnLook *look;
        CsvCell cell;
        float value;

        p = clv_csv_cell(&sample->scan, p, &cell);
        if (!p || (p >= sample->scan.end && !whole))
            return NULL;
        look = &sample->look[column];
        if (!is_last_again(look, &cell)) {
            look->last = cell;
            look->last_class = clv_csv_classify(missing, &cell, &value);
            look->last_forms = look->last_class == CELL_TEXT ? clv_csv_look_for_date(look, &cell)
                                                             : 0;
            if (look->last_class == CELL_NUMBER) {
                look->steps += value == look->last_value + 1;
                look->last_value = value;
            }
        }
        look_at(sample, column, &cell, look->last_class);
        if (missing->decimal_comma && look->last_class == CELL_NUMBER)
            sample->decimal_commas |= memchr(cell.text, ',', cell.length) != NULL;
        if (csv_at_line_end(p))
            return column + 1 == sample->count ? clv_csv_next_line(&sample->scan, p) : NULL;
        p++;
    }
    return NULL;
}

Status clv_csv_sample(Context *context, const CsvDialect *dialect, const CsvMissing *missing,
                      const char *text, size_t size, bool whole, const char *path,
                      CsvSample *sample, cleave_error *error)
{
    const char *p;

    *sample = (CsvSample){.scan = {.dialect = dialect,
                                   .context = context,
                                   .start = text,
                                   .end = text + size,
                                   .line_start = text,
                                   .line = 1}};
    sample->first_row = clv_csv_skip_blank(&sample->scan, text);
    if (sample->first_row >= sample->scan.end)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected a table, found only blank lines",
                        path);
    TRY(read_first_record(context, missing, whole, path, sample, error));
    for (p = clv_csv_skip_blank(&sample->scan, sample->second_row); p && p < sample->scan.end;
         sample->rows++) {
        p = look_at_record(sample, missing, whole, p);
        if (!p)
            break;
        p = clv_csv_skip_blank(&sample->scan, p);
    }
    sample->all = whole && p;
    return sample->scan.problem == PROBLEM_MEMORY ? fail_scan(&sample->scan, path, error) : OK;
}

void clv_csv_sample_free(Context *context, CsvSample *sample)
{
    FREE(context, sample->cell, sample->look, sample->scan.spare);
}

/* ---- header and kinds ------------------------------------------------------------------------ */

static bool all_distinct(const CsvSample *sample)
{
    for (uint32_t i = 0; i < sample->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (sample->cell[i].length == sample->cell[j].length &&
                memcmp(sample->cell[i].text, sample->cell[j].text, sample->cell[i].length) == 0)
                return false;
    return true;
}

static bool is_label_name(const CsvCell *cell)
{
    return is_word(cell->text, cell->length, "label") ||
           is_word(cell->text, cell->length, "class") ||
           is_word(cell->text, cell->length, "target");
}

/* Returns whether most cells below the first are words. A few words among hundreds of numbers are
 * reported as errors. */
static bool holds_words(const struct ColumnLook *look)
{
    return look->text > look->number / 100;
}

/* Returns whether most cells below the first are dates. */
static bool holds_dates(const struct ColumnLook *look)
{
    uint32_t most = 0;

    for (int form = 0; form < DATE_INFERRED; form++)
        most = look->date[form].count > most ? look->date[form].count : most;
    return most > 0 && look->text + look->number - most <= most / 100;
}

/* Returns whether the first record is a header: it has words above numbers or dates. Without
 * numeric columns, its cells must be distinct and must not occur below. unlikely: a table without
 * numeric columns has no header. */
bool clv_csv_guess_header(const CsvSample *sample, bool unlikely)
{
    uint64_t above_numbers = 0, numbers = 0, texts = 0, repeats = 0, numbers_below = 0;

    for (uint32_t i = 0; i < sample->count; i++) {
        const struct ColumnLook *look = &sample->look[i];

        if (look->first == CELL_TEXT && !look->repeats && is_label_name(&sample->cell[i]))
            return true;
        above_numbers += look->first == CELL_TEXT && look->number && !holds_words(look);
        above_numbers += look->first == CELL_TEXT && !look->first_forms && holds_dates(look);
        numbers += (look->first != CELL_TEXT && look->first != CELL_MISSING) || look->first_forms;
        texts += look->first == CELL_TEXT;
        repeats += look->repeats;
        numbers_below += look->number > 0;
    }
    if (above_numbers || numbers || unlikely)
        return above_numbers > numbers;
    return texts > 0 && repeats == 0 && (sample->rows == 0 || numbers_below == 0) &&
           texts + 1 >= sample->count && (sample->count > 1000 || all_distinct(sample));
}

/* A column contains numbers if nearly all cells are numbers. Otherwise mostly distinct texts are
 * sentences (2.5 words and more) or identifiers, which are uninformative; other texts are
 * categories. Hash collisions make some texts look equal: about 5 of 200. */
ColumnKind clv_csv_guess_kind(const CsvSample *sample, bool header, uint32_t column)
{
    const struct ColumnLook *look = &sample->look[column];
    DateForm form;
    bool ambiguous;

    if (clv_csv_guess_date(sample, header, column, &form, &ambiguous))
        return COLUMN_DATE;
    if (!holds_words(look) && (header || look->first != CELL_TEXT))
        return COLUMN_NUMBER;
    if (look->looked < TEXTS_WANTED || look->number)
        return COLUMN_CATEGORY;
    if (2 * look->words >= 5 * look->looked)
        return 2 * look->fresh >= look->looked ? COLUMN_TEXT : COLUMN_CATEGORY;
    return 100 * look->fresh >= 93 * look->looked ? COLUMN_IGNORE : COLUMN_CATEGORY;
}

bool clv_csv_counts_rows(const CsvSample *sample, uint32_t column)
{
    const struct ColumnLook *look = &sample->look[column];

    return look->number >= ROWS_COUNTED && look->steps + 1 >= look->number && look->text == 0 &&
           !look->missing;
}
