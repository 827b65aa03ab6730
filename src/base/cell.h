/* Cells of CSV and TSV (RFC 4180), optionally safe for spreadsheets. */
#ifndef BASE_CELL_H
#define BASE_CELL_H

#include <cleave/expert.h>

/* Returns whether a spreadsheet may execute the text of a cell: after blanks it begins with = + - @
 * (or their full-width forms), or it begins with a tab or CR, and it is not a number. A leading
 * apostrophe makes such a cell text. */
bool clv_cell_runs(const char *text, size_t length);

#endif
