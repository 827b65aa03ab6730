/* The options of reading, with their table: the flags of every verb that reads data. */
#ifndef READ_READ_OPTIONS_H
#define READ_READ_OPTIONS_H

#include "base/param.h"
#include "data/schema.h"

enum { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum { LONGEST_LINE_MB = 256 };

typedef struct {
    const char *format;      /* "auto" or a reader's name */
    const char *label;       /* tables: the label's column, by name or by number from 1; NULL: found */
    const char *columns;     /* tables: "age=number,zip=category,id=ignore" */
    const char *delimiter;   /* tables: one character or "tab"; NULL: found */
    const char *missing;     /* tables: texts that stand for a missing value, separated by commas */
    const char *rename;      /* tables: "pay=income,years=age": what the file calls it, what it is to be called */
    const char *classes;     /* "pos,neg": rows of other classes are dropped; NULL: all are kept */
    const char *trim_labels; /* bytes to take off both ends of a label */
    const char *labels;      /* arrays: the file of labels */
    const char *weights;     /* the file of sample weights */
    const char *key;         /* NumPy archives: "ROWS" or "ROWS,LABELS"; NULL: by common names */
    /* text: see text/rules.h; NULL: as usual, or as the model has it */
    const char *stop_words; /* "english", "none", or a file */
    const char *stem;       /* a language, or "none" */
    const char *ngrams, *chars;
    int64_t hash_bits;
    bool hash_names, keep_case, sequence;
    int header;
    int documents;    /* Documents */
    bool by_position; /* tables: match the model's columns by place, not by name */
    bool zero_based;
    bool sort_indexes;
    bool sum_repeated;
    bool allow_cut;
    int64_t max_line_mb;
    struct TableFacts
        *describe;      /* not in the table: what is found in the cells of a table is added to it; NULL: nothing */
    size_t chunk_bytes; /* not in the table: how much text is parsed at once; 0: the usual. Tests make it small */
    /* Not in the table: of the bytes of the files, one after the other, only the rows that begin in [range_from, range_to). The first
     * file's head is looked at in any case. A file that cannot be cut (compressed, or not lines) is where its first byte is. */
    bool ranged;
    uint64_t range_from, range_to;
} ReadOptions;

extern const Param clv_read_params[];

/* An error for an option that means nothing to the format (or to "cleave", our own dataset, or "builtin"). */
Status clv_read_options_check(const ReadOptions *options, const char *format, const char *path, cleave_error *error);

#endif
