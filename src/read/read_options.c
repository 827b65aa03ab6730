#include "read/read_options.h"

#include <stdio.h>

static const char *const headers[] = {"auto", "yes", "no", NULL};
static const char *const decimals[] = {"auto", "point", "comma", NULL};
const char *const clv_tasks[] = {"auto", "classification", "regression", "ratings", NULL};

const Param clv_read_params[] = {
    TEXT(ReadOptions, format, "auto",
         "Format of the data.\n"
         "Formats: libsvm, csv, tsv, text, folder, document, npy, idx, fvecs, bvecs, ivecs, "
         "cleave, auto.",
         DEFAULT("by suffix and content")),
    TEXT(ReadOptions, label, NULL, "Label column of a table, by name or number from 1."),
    NAME(ReadOptions, task, TASK_AUTO, clv_tasks,
         "Task for which the label column is detected.\n"
         "regression: a numeric column. classification: a column with few values. ratings: the "
         "first two columns are categories, user and item, the third is the label, and the others "
         "are ignored. Implied by the method."),
    TEXT(ReadOptions, columns, NULL,
         "Column types, e.g. age=number,zip=category,id=ignore.\n"
         "Types: number, category, text, label, weight, ignore; date, date-dmy, date-mdy, "
         "date-ymd, time, epoch, epoch-ms."),
    NAME(ReadOptions, header, HEADER_AUTO, headers,
         "Whether the first row of a table contains column names."),
    TEXT(ReadOptions, delimiter, NULL, "Delimiter of a table: one character, or tab."),
    NAME(ReadOptions, decimal, DECIMAL_AUTO, decimals,
         "Decimal separator of a table.\n"
         "comma: 12,5 and 1.234,5 are numbers. auto: comma if the delimiter is ';'."),
    TEXT(ReadOptions, missing, "?,NA,N/A,n/a,NaN,nan,null,NULL",
         "Cells that stand for a missing value, separated by commas.\n"
         "Empty cells, and NaN in arrays, are always missing."),
    FLAG(ReadOptions, by_position,
         "Match columns to those of the model by position instead of by name."),
    NAME(ReadOptions, documents, DOCUMENTS_AUTO, clv_documents_kinds,
         "Document format: auto, plain text, mail, HTML, or lines (one document each)."),
    TEXT(ReadOptions, rename, NULL, "Rename columns of a table, e.g. pay=income,years=age."),
    TEXT(ReadOptions, classes, NULL,
         "Keep only these classes, e.g. pos,neg; unlabeled rows are kept."),
    TEXT(ReadOptions, trim_labels, NULL, "Characters to remove from both ends of every label."),
    TEXT(ReadOptions, labels, NULL, "File of labels for IDX, NumPy and vector files."),
    TEXT(ReadOptions, weights, NULL, "File of sample weights, one per row (.npy or text)."),
    TEXT(ReadOptions, key, NULL, "Names of the arrays in an .npz file: ROWS or ROWS,LABELS.",
         DEFAULT("X,y")),
    TEXT(ReadOptions, stop_words, NULL,
         "Remove stop words: english, or a file with one word per line.",
         TUNE_SOME("none,english")),
    TEXT(ReadOptions, stem, NULL, "Stem words in this language, e.g. english or german."),
    TEXT(ReadOptions, ngrams, NULL, "Word n-gram range, e.g. 2 or 1-2.", DEFAULT("1"),
         TUNE_SOME("1,1-2,1-3")),
    TEXT(ReadOptions, chars, NULL,
         "Character n-grams within words, e.g. 3-5.\n"
         "They replace the words as features unless --ngrams is also given."),
    FLAG(ReadOptions, sequence, "Keep the text as a character sequence, for --distance edit."),
    FLAG(ReadOptions, keep_case, "Distinguish upper and lower case."),
    INTEGER(ReadOptions, hash_bits, 0, WITHIN(0, 28),
            "Hash words to 2^N columns instead of building a vocabulary.", DEFAULT("off")),
    FLAG(ReadOptions, hash_names,
         "With --hash-bits, name each column after the first word hashed to it."),
    FLAG(ReadOptions, zero_based, "LIBSVM: count indexes from 0."),
    FLAG(ReadOptions, sort_indexes, "LIBSVM: accept indexes that are out of order."),
    FLAG(ReadOptions, sum_repeated, "LIBSVM: accept repeated indexes and add their values."),
    INTEGER(ReadOptions, max_line_mb, LONGEST_LINE_MB, WITHIN(1, 65536),
            "Maximum length of a line, in MB."),
    FLAG(ReadOptions, allow_cut, "Read a truncated file up to its last complete line."),
    END_OF_PARAMS,
};

#define TEXTS " text folder document csv tsv "

/* The formats to which an option applies. An option that is not listed applies to all formats. */
static const struct {
    const char *name, *formats;
} belongs[] = {
    {"label", " csv tsv "},
    {"columns", " csv tsv "},
    {"header", " csv tsv "},
    {"delimiter", " csv tsv "},
    {"decimal", " csv tsv "},
    {"missing", " csv tsv npy idx "},
    {"by_position", " csv tsv "},
    {"rename", " csv tsv "},
    {"trim_labels", " libsvm csv tsv text folder document "},
    {"documents", " folder document text "},
    {"stop_words", TEXTS},
    {"stem", TEXTS},
    {"ngrams", TEXTS},
    {"chars", TEXTS},
    {"keep_case", TEXTS},
    {"sequence", " text "},
    {"hash_bits", TEXTS},
    {"hash_names", TEXTS},
    {"labels", " idx npy fvecs bvecs ivecs "},
    {"key", " npy "},
    {"zero_based", " libsvm "},
    {"sort_indexes", " libsvm "},
    {"sum_repeated", " libsvm "},
    {"allow_cut", " libsvm csv tsv text "},
    {"max_line_mb", " libsvm csv tsv text "},
};

static bool was_set(const Param *param, const ReadOptions *options)
{
    ReadOptions initial = {0};
    char before[PARAM_TEXT_SIZE], now[PARAM_TEXT_SIZE];

    clv_params_initial(clv_read_params, &initial);
    return strcmp(clv_param_text(param, &initial, before), clv_param_text(param, options, now)) !=
           0;
}

Status clv_read_options_check(const ReadOptions *options, const char *format, const char *path,
                              cleave_error *error)
{
    char word[24];

    snprintf(word, sizeof word, " %s ", format);
    for (size_t i = 0; i < sizeof belongs / sizeof *belongs; i++) {
        const Param *param = clv_param_find(clv_read_params, belongs[i].name);

        if (strstr(belongs[i].formats, word) || !was_set(param, options))
            continue;
        clv_fail(error, CLEAVE_ERROR_USAGE, "--%s has no effect here: %s is read as %s",
                 clv_param_flag(param).text, path, format);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "it applies to:%s", belongs[i].formats);
    }
    return OK;
}

const cleave_param *cleave_read_params(void)
{
    return clv_read_params;
}
