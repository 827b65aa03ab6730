#include "read/read_options.h"

#include <stdio.h>

static const char *const headers[] = {"auto", "yes", "no", NULL};

const Param clv_read_params[] = {
    TEXT(
        ReadOptions, format, "auto",
        "libsvm, csv, tsv, text, folder, document, npy, idx, fvecs, bvecs, ivecs, cleave; auto: by suffix, then by content"),
    TEXT(ReadOptions, label, NULL, "tables: the label's column, by name or by number from 1"),
    TEXT(
        ReadOptions, columns, NULL,
        "tables: kinds of columns, as in age=number,bio=text,id=ignore (number, category, text, label, weight, ignore; "
        "date, date-dmy, date-mdy, date-ymd, time, epoch, epoch-ms)"),
    NAME(ReadOptions, header, HEADER_AUTO, headers, "tables: whether the first row holds names"),
    TEXT(ReadOptions, delimiter, NULL, "tables: what stands between cells: one character, or tab"),
    TEXT(ReadOptions, missing, "?,NA,N/A,NaN,nan,null,NULL",
         "tables: cells that stand for a missing value; an empty cell and NaN in arrays always do"),
    FLAG(ReadOptions, by_position, "tables: match a model's columns by place instead of by name"),
    NAME(ReadOptions, documents, DOCUMENTS_AUTO, clv_documents_kinds,
         "documents: how each file is read; auto decides by its first lines; lines: each line is a document"),
    TEXT(ReadOptions, rename, NULL,
         "tables: columns that the file calls by another name, as in pay=income,years=age (THERE=HERE)"),
    TEXT(ReadOptions, classes, NULL,
         "keep only the rows of these classes, as in pos,neg; rows without a label are kept"),
    TEXT(ReadOptions, trim_labels, NULL, "characters to take off both ends of every label, as in --trim-labels ."),
    TEXT(ReadOptions, labels, NULL, "idx, npy and vecs: the file that holds the labels"),
    TEXT(ReadOptions, weights, NULL, "file of sample weights, one per row: .npy, or text with one number per line"),
    TEXT(ReadOptions, key, NULL, "npz: array of rows, or ROWS,LABELS (default: X,y or other common names)"),
    TEXT(ReadOptions, stop_words, NULL,
         "text: leave out common words: english, or a file that has them; the model keeps the list",
         TUNE_SOME("none,english")),
    TEXT(ReadOptions, stem, NULL, "text: words by their stems, in a language, as in english or german"),
    TEXT(ReadOptions, ngrams, NULL, "text: word n-gram range, as in 2 or 1-2 (default 1)", TUNE_SOME("1,1-2,1-3")),
    TEXT(
        ReadOptions, chars, NULL,
        "text: so many characters in a row, within words and their borders, as in 3-5; instead of words, or beside --ngrams"),
    FLAG(ReadOptions, sequence, "text: not words but the text as it is, character by character, for --distance edit"),
    FLAG(ReadOptions, keep_case, "text: capitals stay"),
    INTEGER(ReadOptions, hash_bits, 0, WITHIN(0, 28),
            "text: 2^N columns that words are hashed to, instead of one for each word; 0: none"),
    FLAG(ReadOptions, hash_names, "text: with --hash-bits, name each column by the first word in it"),
    FLAG(ReadOptions, zero_based, "libsvm: indexes count from 0"),
    FLAG(ReadOptions, sort_indexes, "libsvm: allow indexes out of order"),
    FLAG(ReadOptions, sum_repeated, "libsvm: allow an index twice in a row; the values are added"),
    INTEGER(ReadOptions, max_line_mb, LONGEST_LINE_MB, WITHIN(1, 65536), "maximum length of a line of text, in MB"),
    FLAG(ReadOptions, allow_cut, "read up to the last whole line of a file that was cut short"),
    END_OF_PARAMS,
};

#define TEXTS " text folder document csv tsv "

/* The formats of an option; an option that is not listed applies to all. */
static const struct {
    const char *name, *formats;
} belongs[] = {
    {"label", " csv tsv "},
    {"columns", " csv tsv "},
    {"header", " csv tsv "},
    {"delimiter", " csv tsv "},
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
    return strcmp(clv_param_text(param, &initial, before), clv_param_text(param, options, now)) != 0;
}

Status clv_read_options_check(const ReadOptions *options, const char *format, const char *path, cleave_error *error)
{
    char word[24];

    snprintf(word, sizeof word, " %s ", format);
    for (size_t i = 0; i < sizeof belongs / sizeof *belongs; i++) {
        const Param *param = clv_param_find(clv_read_params, belongs[i].name);

        if (strstr(belongs[i].formats, word) || !was_set(param, options))
            continue;
        clv_fail(error, CLEAVE_ERROR_USAGE, "--%s has no effect here: %s is read as %s", clv_param_flag(param).text,
                 path, format);
        return clv_hint(error, CLEAVE_ERROR_USAGE, "it applies to:%s", belongs[i].formats);
    }
    return OK;
}

const cleave_param *cleave_read_params(void)
{
    return clv_read_params;
}
