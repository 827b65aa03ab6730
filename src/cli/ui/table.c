#include "cli/ui/table.h"

#include "cli/ui/call.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of cells stored before the widths are fixed. */
#define KEPT (1u << 16)

void cli_table_init(TextTable *table, Out *out, size_t columns)
{
    *table = (TextTable){.out = out, .columns = columns};
    table->width = cli_alloc(NULL, columns, sizeof *table->width);
    table->left = cli_alloc(NULL, columns, sizeof *table->left);
    for (size_t c = 0; c < columns; c++) {
        table->width[c] = 0;
        table->left[c] = false;
    }
}

static void pad(Out *out, size_t blanks)
{
    while (blanks-- > 0)
        cli_put(out, " ");
}

/* Prints a row. Blanks are written only before text, so that no line ends with a blank. */
static void print_row(const TextTable *table, char *const *row)
{
    size_t owed = table->indent;

    for (size_t c = 0; c < table->columns; c++) {
        size_t own = row[c] ? cli_width(row[c]) : 0;
        size_t fill = table->width[c] > own ? table->width[c] - own : 0;

        if (own > 0) {
            pad(table->out, owed + (table->left[c] ? 0 : fill));
            /* the text was escaped when it was added */
            cli_write(table->out, row[c], strlen(row[c]));
            owed = table->left[c] ? fill : 0;
        } else {
            owed += table->width[c];
        }
        owed += 2;
    }
    cli_put(table->out, "\n");
}

static void print_kept(TextTable *table)
{
    for (size_t i = 0; i + table->columns <= table->cells; i += table->columns)
        print_row(table, table->cell + i);
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i]);
    table->cells = 0;
}

static char *escaped_copy(const char *text)
{
    size_t length = strlen(text),
           size = cleave_escape(text, length, CLEAVE_ESCAPE_LINE, NULL, 0) + 1;
    char *copy = cli_alloc(NULL, size, 1);

    cleave_escape(text, length, CLEAVE_ESCAPE_LINE, copy, size);
    return copy;
}

/* Stores a text as it will be printed; NULL if it is empty. */
static void keep(TextTable *table, char *kept)
{
    size_t column = table->cells % table->columns;
    size_t own = kept ? cli_width(kept) : 0;

    if (table->cells == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 256;
        table->cell = cli_alloc(table->cell, table->capacity, sizeof *table->cell);
    }
    table->cell[table->cells++] = kept;
    if (own > table->width[column])
        table->width[column] = own;
    if (column + 1 == table->columns && (table->settled || table->cells >= KEPT)) {
        table->settled = true;
        print_kept(table);
    }
}

void cli_table_cell(TextTable *table, const char *text)
{
    keep(table, text && *text ? escaped_copy(text) : NULL);
}

void cli_table_bar(TextTable *table, const char *bar)
{
    keep(table, bar && *bar ? cli_copy(bar) : NULL);
}

void cli_table_end_row(TextTable *table)
{
    while (table->cells % table->columns != 0)
        cli_table_cell(table, NULL);
}

void cli_table_print(TextTable *table)
{
    print_kept(table);
}

void cli_table_free(TextTable *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i]);
    free(table->cell);
    free(table->width);
    free(table->left);
    *table = (TextTable){.out = NULL};
}

void cli_table_end(TextTable *table)
{
    cli_table_print(table);
    cli_table_free(table);
}
