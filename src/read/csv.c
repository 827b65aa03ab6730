/* The formats CSV and TSV: tables with one row of data per line. */
#include "read/csv_rows.h"

static void free_scratch(Context *context, void *memory)
{
    CsvScratch *scratch = memory;

    clv_words_free(context, &scratch->words);
    FREE(context, scratch->current, scratch->cell, scratch->rows, scratch->entries,
         scratch->row_values, scratch->values);
    clv_hash_table_free(context, &scratch->table);
    FREE(context, scratch->spare, scratch->feature, scratch->feature_value, scratch->name.data,
         scratch->unseen);
}

static size_t cut(const Reader *reader, const char *text, size_t size)
{
    return clv_csv_cut(((const CsvState *)reader->state)->layout.dialect.delimiter, text, size);
}

static size_t record_end(const Reader *reader, unsigned *state, const char *text, size_t size)
{
    return clv_csv_record_end(((const CsvState *)reader->state)->layout.dialect.delimiter, state,
                              text, size);
}

static bool sniff_csv(const char *head, size_t size)
{
    return clv_csv_sniff(head, size, ",;|", 2);
}

static bool sniff_tsv(const char *head, size_t size)
{
    return clv_csv_sniff(head, size, "\t",
                         3); /* two cells separated by a tab are a label and a text */
}

static const char *const csv_suffixes[] = {".csv", NULL};
static const char *const tsv_suffixes[] = {".tsv", ".tab", NULL};

#define TABLE(letter, of)                                                                          \
    const Format clv_format_##letter##sv = {                                                       \
        .name = #letter "sv",                                                                      \
        .brief = "a table, cells separated by " of ", with or without a header",                   \
        .suffixes = letter##sv_suffixes,                                                           \
        .sniff = sniff_##letter##sv,                                                               \
        .start = clv_csv_start,                                                                    \
        .cut = cut,                                                                                \
        .record_end = record_end,                                                                  \
        .parse = clv_csv_parse,                                                                    \
        .settle = clv_csv_settle,                                                                  \
        .free_scratch = free_scratch,                                                              \
        .report = clv_csv_warn_unseen,                                                             \
        .finish = clv_csv_finish,                                                                  \
        .scratch_size = sizeof(CsvScratch),                                                        \
        .text = true,                                                                              \
    }

TABLE(c, "commas (or ; | tab)");
TABLE(t, "tabs");
