/*
 * Aligned columns of text, separated by two blanks. Rows are stored until the table is printed or
 * becomes large. The stored rows determine the widths, and further rows are printed at once.
 */
#ifndef CLI_UI_TABLE_H
#define CLI_UI_TABLE_H

#include "cli/ui/output.h"

typedef struct {
    Out *out;
    size_t columns;
    size_t *width;
    bool *left; /* whether a column is aligned to the left; otherwise to the right */
    size_t indent;
    char **cell; /* NULL: empty */
    size_t cells, capacity;
    bool settled;
} TextTable;

void cli_table_init(TextTable *table, Out *out, size_t columns);
void cli_table_cell(TextTable *table,
                    /* adds a cell, after which a full row may be printed; NULL: empty */
                    const char *text);
/* Adds a cell with a bar (text_bars.h), which may have colors. */
void cli_table_bar(TextTable *table, const char *bar);
void cli_table_end_row(TextTable *table); /* leaves the rest of the row empty */
void cli_table_print(TextTable *table);   /* prints the stored cells */
void cli_table_free(TextTable *table);
void cli_table_end(TextTable *table); /* prints and frees the table */

#endif
