/* Cells of CSV and TSV (RFC 4180), also such as a spreadsheet does not take for a formula. */
#ifndef BASE_CELL_H
#define BASE_CELL_H

#include <cleave.h>

/* Whether a spreadsheet may run the text of a cell: it begins, after blanks, with = + - @ (or their full-width forms), or
 * with a tab or CR, and is not a number. Such a cell is made text by an apostrophe before it. */
bool clv_cell_runs(const char *text, size_t length);

#endif
