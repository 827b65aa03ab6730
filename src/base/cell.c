#include "base/cell.h"

#include "base/number.h"

#include <string.h>

static bool is_number(const char *text, const char *end)
{
    const char *stop;
    double value;

    while (end > text && end[-1] == ' ')
        end--;
    return clv_parse_double(text, end, &value, &stop) && stop == end;
}

bool clv_cell_runs(const char *text, size_t length)
{
    static const char *const wide[] = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    const char *end = text + length;

    if (length && (*text == '\t' || *text == '\r'))
        return true;
    while (text < end && *text == ' ')
        text++;
    if (text == end)
        return false;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (end - text >= 3 && memcmp(text, wide[i], 3) == 0)
            return true;
    return memchr("=+-@", *text, 4) && !is_number(text, end);
}

/* Leading and trailing blanks are quoted too, because readers drop them. */
static bool needs_quotes(const char *text, size_t length, char delimiter)
{
    if (length == 0)
        return false;
    if (text[0] == ' ' || text[0] == '\t' || text[length - 1] == ' ' || text[length - 1] == '\t')
        return true;
    for (size_t i = 0; i < length; i++)
        if (text[i] == delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return false;
}

typedef struct {
    char *buffer;
    size_t size, used;
} CellText;

static void put(CellText *cell, char c)
{
    if (cell->used + 1 < cell->size)
        cell->buffer[cell->used] = c;
    cell->used++;
}

size_t cleave_csv_cell(const char *text, char delimiter, bool safe, char *buffer, size_t size)
{
    CellText cell = {.buffer = buffer, .size = size};
    size_t length = strlen(text);
    bool quotes = needs_quotes(text, length, delimiter);

    if (quotes)
        put(&cell, '"');
    if (safe && clv_cell_runs(text, length))
        put(&cell, '\'');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            put(&cell, '"');
        put(&cell, text[i]);
    }
    if (quotes)
        put(&cell, '"');
    if (size > 0)
        buffer[cell.used < size ? cell.used : size - 1] = '\0';
    return cell.used;
}
