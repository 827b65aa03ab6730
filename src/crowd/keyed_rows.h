/*
 * Rows of a table with one or two key columns: the task and the worker of an answer, or the task of
 * a known label. The key columns are read as categories, so each cell is a feature `column=cell` of
 * its row.
 */
#ifndef CROWD_KEYED_ROWS_H
#define CROWD_KEYED_ROWS_H

#include "input/input.h"

enum { MOST_KEYS = 2 };

typedef struct {
    uint32_t key, number;
} KeyValue;

typedef struct {
    Context *context;
    cleave_data *data;
    Source *source;
    uint32_t keys;
    const char *title[MOST_KEYS]; /* names of the key columns */
    KeyValue *value;              /* key and number of each feature; key MOST_KEYS: the feature
                                   * belongs to another column */
    size_t known, capacity;
    uint32_t *feature[MOST_KEYS]; /* feature of each value of a key, in the order of first
                                   * appearance */
    size_t feature_capacity[MOST_KEYS];
    uint32_t count[MOST_KEYS];
} KeyedRows;

/* Opens files as a table. `column` has the names or numbers (from 1) of the key columns. `label` is
 * the label column or "none" and applies unless the options name a label column. `reading` may be
 * NULL. The caller frees the rows, also after a failure. */
Status clv_keyed_open(Context *context, const char *const *paths, size_t count,
                      const cleave_options *reading, const char *const *column, uint32_t keys,
                      const char *label, KeyedRows *rows, cleave_error *error);
/* Sets number[i] to the number of the value of key i. Fails if a key cell is empty. */
Status clv_keyed_row(KeyedRows *rows, const Block *block, uint32_t row, uint32_t number[MOST_KEYS],
                     cleave_error *error);
/* Returns the text of a value. It is valid until the next row is read. */
const char *clv_keyed_text(const KeyedRows *rows, uint32_t key, uint32_t number);
/* Looks up the number of a value by its text. The number is NO_COLUMN if no row read so far
 * contains it. */
Status clv_keyed_find(const KeyedRows *rows, uint32_t key, const char *text, Buffer *scratch,
                      uint32_t *number, cleave_error *error);
void clv_keyed_free(KeyedRows *rows);

#endif
