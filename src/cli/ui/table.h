/*
 * Aligned columns of text, separated by two blanks. The rows stored until the table is printed, or
 * has become large, determine the widths; later rows are printed at once.
 */
#ifndef CLI_UI_TABLE_H
#define CLI_UI_TABLE_H

#include "cli/ui/output.h"

typedef struct {
    Out *out;
    size_t columns;
    size_t *width;
    bool *left; /* aligned to the left; otherwise to the right */
    size_t indent;
    char **cell; /* NULL: empty */
    size_t cells, capacity;
    bool settled;
} TextTable;

void cli_table_init(TextTable *table, Out *out, size_t columns);
void cli_table_cell(TextTable *table,
                    const char *text); /* next cell; a full row may be printed. NULL: empty */
/* The same for a bar (text_bars.h), which may have colors. */
void cli_table_bar(TextTable *table, const char *bar);
void cli_table_end_row(TextTable *table); /* the rest of the row is empty */
void cli_table_print(TextTable *table);   /* the stored cells */
void cli_table_free(TextTable *table);
void cli_table_end(TextTable *table); /* prints and frees it */

#endif
