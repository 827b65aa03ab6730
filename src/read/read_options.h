/* Options for reading data and their table: flags of every verb that reads data. */
#ifndef READ_READ_OPTIONS_H
#define READ_READ_OPTIONS_H

#include "base/param.h"
#include "data/schema.h"

enum { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum { DECIMAL_AUTO, DECIMAL_POINT, DECIMAL_COMMA };
enum { TASK_AUTO, TASK_CLASSIFICATION, TASK_REGRESSION, TASK_RATINGS };
enum { LONGEST_LINE_MB = 256 };

typedef struct {
    const char *format;    /* "auto" or the name of a format */
    const char *label;     /* tables: label column, by name or by number from 1; NULL: inferred */
    const char *columns;   /* tables: "age=number,zip=category,id=ignore" */
    const char *delimiter; /* tables: one character or "tab"; NULL: inferred */
    const char *missing;   /* tables: texts for a missing value, separated by commas */
    const char *rename;    /* tables: "pay=income,years=age": name in the file, name in the data */
    const char *classes;   /* "pos,neg": rows of other classes are dropped; NULL: keep all rows */
    const char *trim_labels; /* bytes to strip from both ends of a label */
    const char *labels;      /* arrays: file of labels */
    const char *weights;     /* file of sample weights */
    const char *key;         /* NumPy archives: "ROWS" or "ROWS,LABELS"; NULL: common names */
    /* text: see text/rules.h; NULL: the default, or the model's rules */
    const char *stop_words; /* "english", "none", or a file */
    const char *stem;       /* a language, or "none" */
    const char *ngrams, *chars;
    int64_t hash_bits;
    bool hash_names, keep_case, sequence;
    int header;
    int decimal;      /* tables: the decimal separator */
    int task;         /* tables: the guess of the label column must suit this task */
    int documents;    /* Documents */
    bool by_position; /* tables: match the model's columns by position, not by name */
    bool zero_based;
    bool sort_indexes;
    bool sum_repeated;
    bool allow_cut;
    int64_t max_line_mb;
    struct TableFacts
        *describe; /* not in the table: receives a summary of the cells; NULL: no summary is made */
    /* not in the table: bytes of text per chunk; 0: the default. Tests use small values. */
    size_t chunk_bytes;
    /* Not in the table: reads only the rows that start in [range_from, range_to) of the
     * concatenated files. The head of the first file is read in any case. A file that cannot be cut
     * (compressed, or not lines) belongs to the range of its first byte. */
    bool ranged;
    uint64_t range_from, range_to;
} ReadOptions;

extern const Param clv_read_params[];
extern const char *const clv_tasks[]; /* names of TASK_AUTO, ... */

/* Fails if an option has no effect on the format (or on "cleave", our own dataset, or
 * "builtin"). */
Status clv_read_options_check(const ReadOptions *options, const char *format, const char *path,
                              cleave_error *error);

#endif
