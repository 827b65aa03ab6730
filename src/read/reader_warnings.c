/* Warnings and errors about the data as a whole: rows without features, misspelled labels, a
 * guessed label column. */
#include "base/text.h"
#include "read/classes.h"
#include "read/reader_parts.h"

#include <math.h>
#include <stdio.h>

static const char *file_name(const Reader *reader, uint32_t file)
{
    const struct ReaderParts *parts = reader->parts;

    if (parts->memory_name)
        return parts->memory_name;
    return strcmp(parts->paths[file], "-") == 0 ? "standard input" : parts->paths[file];
}

/* Whether two names have the same digits. Names such as 'class1' and 'class2' differ by a digit on
 * purpose. */
static bool same_digits(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strcspn(a, "0123456789");
        b += strcspn(b, "0123456789");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* Returns whether a name may be a misspelling of another: one edit in four characters or more, two
 * in eight or more, or a different case. */
static bool looks_misspelled(const char *name, const char *other)
{
    size_t length = strlen(name) < strlen(other) ? strlen(name) : strlen(other);
    unsigned limit = length >= 8 ? 2 : length >= 4 ? 1 : 0;

    return same_digits(name, other) && clv_edit_distance(name, other, limit) <= limit;
}

/* Returns the class with several examples that a label seen once may misspell; NULL: none. */
static const Label *find_meant(const Labels *labels, const Label *single)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->list[i].count > 1 && isnan(labels->list[i].number) &&
            looks_misspelled(single->text, labels->list[i].text))
            return &labels->list[i];
    return NULL;
}

/* Warns of a class with one example whose name is similar to another class. Numbers are not
 * checked, and a dissimilar name is taken for a rare class. */
static void warn_misspelled_label(Reader *reader)
{
    enum { MOST_COMPARED = 1000 };
    const Labels *labels = &reader->source.labels;

    if (reader->guide_schema || labels->count > MOST_COMPARED)
        return;
    for (uint32_t i = 0; i < labels->count; i++) {
        const Label *single = &labels->list[i];
        const Label *meant = single->count == 1 && isnan(single->number)
                                 ? find_meant(labels, single)
                                 : NULL;
        char quoted[QUOTE_SIZE], other[QUOTE_SIZE], line[24] = "";

        if (!meant)
            continue;
        if (single->first_line)
            snprintf(line, sizeof line, ":%llu", (unsigned long long)single->first_line);
        clv_warn(reader->source.context, "correct the label if it is a misspelling",
                 "%s%s: label '%s' occurs once and is nearly the same as '%s'",
                 file_name(reader, single->first_file), line,
                 clv_quote(quoted, single->text, strlen(single->text)),
                 clv_quote(other, meant->text, strlen(meant->text)));
        return;
    }
}

/* Counts the labels of a guessed column that are text. */
static uint64_t count_names(const Labels *labels)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        count += isnan(labels->list[i].number);
    return count;
}

Status clv_reader_check_label_guess(const Reader *reader, bool ended, cleave_error *error)
{
    enum { PLAIN_ROWS = 10000 };
    const LabelGuess *guess = &reader->label_guess;
    const Labels *labels = &reader->source.labels;
    uint64_t rows = reader->source.rows, classes;

    if (!guess->made || guess->ignored || reader->options.describe ||
        clv_label_may_be_target(reader, labels->all_numbers))
        return OK;
    if (!ended && (rows < PLAIN_ROWS || 2 * (uint64_t)labels->count < rows))
        return OK;
    classes = labels->all_numbers ? labels->count : count_names(labels);
    return clv_label_has_too_many(classes, rows) ? clv_label_refuse(reader, classes, rows, error)
                                                 : OK;
}

static void warn_at_end(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;
    char line[24] = "";

    if (parts->first_empty_line)
        snprintf(line, sizeof line, ":%llu", (unsigned long long)parts->first_empty_line);
    if (parts->empty_rows)
        clv_warn(reader->source.context,
                 "a model makes the same prediction for all rows without features",
                 "%s%s: the row has no features%s",
                 parts->first_empty_file ? parts->first_empty_file : reader->path, line,
                 parts->empty_rows > 1 ? ", the first of several" : "");
    warn_misspelled_label(reader);
}

Status clv_reader_check_all(Reader *reader, cleave_error *error)
{
    warn_at_end(reader);
    if (!reader->options.classes || !clv_reader_drops_classes(reader))
        return OK;
    return clv_report_classes(&reader->source, file_name(reader, 0), reader->options.classes,
                              reader->dropped, reader->guide_schema != NULL, error);
}

void clv_reader_warn_unfinished(Reader *reader, uint64_t line)
{
    char place[24] = "";

    if (line)
        snprintf(place, sizeof place, ":%llu", (unsigned long long)line);
    clv_warn(reader->source.context,
             "the last line is read as complete; pass --allow-cut to ignore it",
             "%s%s: the file does not end with a newline", reader->path, place);
}
