#include "read/options.h"

static const char *const headers[] = {"auto", "yes", "no", NULL};

const Param clv_read_params[] = {
    TEXT(ReadOptions, format, "auto",
         "libsvm, csv, tsv, text, npy, idx, cleave; auto tells by suffix, else by content"),
    TEXT(ReadOptions, label, NULL, "tables: the label's column, by name or by number from 1"),
    TEXT(ReadOptions, columns, NULL,
         "tables: kinds of columns, as in age=number,zip=category,id=ignore (number, category, label, weight, ignore)"),
    NAME(ReadOptions, header, HEADER_AUTO, headers, "tables: whether the first row holds names"),
    TEXT(ReadOptions, delimiter, NULL, "tables: what stands between cells: one character, or tab"),
    TEXT(ReadOptions, missing, "?,NA,N/A,NaN,nan,null,NULL",
         "tables: cells that stand for a missing value; an empty one always does"),
    FLAG(ReadOptions, by_position, "tables: match a model's columns by place instead of by name"),
    TEXT(ReadOptions, labels, NULL, "idx and npy: the file that holds the labels"),
    FLAG(ReadOptions, zero_based, "libsvm: indexes count from 0"),
    FLAG(ReadOptions, sort_indexes, "libsvm: allow indexes out of order"),
    FLAG(ReadOptions, sum_repeated, "libsvm: allow an index twice in a row; the values are added"),
    FLAG(ReadOptions, allow_cut, "read up to the last whole line of a file that was cut short"),
    END_OF_PARAMS,
};

const cleave_param *cleave_read_params(void)
{
    return clv_read_params;
}
