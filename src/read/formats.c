/* The list of formats, and the detection of a file's format: by option, suffix, model, or
 * content. */
#include "read/csv.h"

#include <stdio.h>

const Format *const clv_formats[] = {&clv_format_libsvm, &clv_format_csv,    &clv_format_tsv,
                                     &clv_format_text,   &clv_format_folder, &clv_format_document,
                                     &clv_format_npy,    &clv_format_idx,    &clv_format_fvecs,
                                     &clv_format_bvecs,  &clv_format_ivecs,  NULL};

const Format *clv_format_by_name(const char *name)
{
    for (size_t i = 0; clv_formats[i]; i++)
        if (strcmp(clv_formats[i]->name, name) == 0)
            return clv_formats[i];
    return NULL;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t size = strlen(end);

    return length >= size && memcmp(text + length - size, end, size) == 0;
}

static const Format *by_suffix(const char *path)
{
    size_t length = strlen(path);

    if (ends_with(path, length, ".gz"))
        length -= 3;
    else if (ends_with(path, length, ".zst"))
        length -= 4;
    for (size_t i = 0; clv_formats[i]; i++)
        for (size_t j = 0; clv_formats[i]->suffixes && clv_formats[i]->suffixes[j]; j++)
            if (ends_with(path, length, clv_formats[i]->suffixes[j]))
                return clv_formats[i];
    return NULL;
}

Status clv_check_format(const char *name, cleave_error *error)
{
    const char *names[16] = {"auto", "cleave"};
    const char *nearest;
    char quoted[QUOTE_SIZE];
    size_t count = 2;

    for (size_t i = 0; clv_formats[i]; i++)
        names[count++] = clv_formats[i]->name;
    names[count] = NULL;
    for (size_t i = 0; i < count; i++)
        if (!name || strcmp(names[i], name) == 0)
            return OK;
    nearest = cleave_nearest_word(name, names);
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "formats: libsvm, csv, tsv, text, folder, document, npy, idx, fvecs, bvecs, ivecs, cleave",
        "--format: unknown format '%s'%s%s%s", clv_quote(quoted, name, strlen(name)),
        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static const Format *by_content(const char *head, size_t size)
{
    static const Format *const order[] = {&clv_format_npy,
                                          &clv_format_idx,
                                          &clv_format_libsvm,
                                          &clv_format_text,
                                          &clv_format_tsv,
                                          &clv_format_csv,
                                          NULL};

    for (size_t i = 0; order[i]; i++)
        if (order[i]->sniff && order[i]->sniff(head, size))
            return order[i];
    return NULL;
}

/* ---- files of other programs ----------------------------------------------------------------- */

typedef struct {
    const char *magic;
    size_t size;
    const char *name, *reader; /* reader: function of pandas that reads the file; NULL: none */
} Foreign;

static const Foreign foreign[] = {
    {"FEA1", 4, "a Feather file of version 1", "read_feather"},
    {"\x89HDF\r\n\x1a\n", 8, "an HDF5 file", "read_hdf"},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8, "an old Excel file", "read_excel"},
    {"\x80\x02", 2, "a Python pickle", "read_pickle"},
    {"\x80\x03", 2, "a Python pickle", "read_pickle"},
    {"\x80\x04\x95", 3, "a Python pickle", "read_pickle"},
    {"\x80\x05\x95", 3, "a Python pickle", "read_pickle"},
    {"%PDF-", 5, "a PDF file", NULL},
    {"SQLite format 3", 16, "an SQLite database", NULL},
    {"MATLAB 5.0 MAT-file", 19, "a MATLAB file", NULL},
};
static const Foreign spreadsheet = {.name = "an Excel (XLSX) file", .reader = "read_excel"};

/* A ZIP archive with the parts of a spreadsheet. */
bool clv_is_spreadsheet(const char *head, size_t size)
{
    static const char *const parts[] = {"[Content_Types].xml", "xl/", "_rels/.rels", "docProps/",
                                        NULL};

    if (size < 30 || memcmp(head, "PK\3\4", 4) != 0)
        return false;
    for (size_t i = 0; parts[i]; i++)
        if (size - 30 >= strlen(parts[i]) && memcmp(head + 30, parts[i], strlen(parts[i])) == 0)
            return true;
    return false;
}

static Status refuse_as(const Reader *reader, const Foreign *kind, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: this is %s, which cleave does not read", reader->path,
             kind->name);
    if (!kind->reader)
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "save its table or text as CSV or plain text first");
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "save it as CSV: python3 -c \"import pandas; "
                    "pandas.%s('%s').to_csv('table.csv', index=False)\"",
                    kind->reader, reader->path);
}

/* Refuses files that are recognized but not supported. The header of a table may begin with PAR1,
 * but only binary files have zeros. */
static Status refuse_foreign(const Reader *reader, const char *head, size_t size,
                             cleave_error *error)
{
    bool binary = memchr(head, '\0', size < 4096 ? size : 4096) || (size && (head[0] & 0x80)) ||
                  (size && head[0] == '%');

    for (size_t i = 0; binary && i < sizeof foreign / sizeof *foreign; i++)
        if (size >= foreign[i].size && memcmp(head, foreign[i].magic, foreign[i].size) == 0)
            return refuse_as(reader, &foreign[i], error);
    if (size >= 8 && memcmp(head, "CLVMODEL", 8) == 0)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "a command that takes both expects the model before the data",
                             "%s: this is a model of cleave, not data", reader->path);
    return clv_is_spreadsheet(head, size) ? refuse_as(reader, &spreadsheet, error) : OK;
}

/* Checks that the format folder is used exactly for folders. */
static Status choose_folder(Reader *reader, cleave_error *error)
{
    const char *wanted = reader->options.format;

    reader->format = &clv_format_folder;
    if (reader->folder && (!wanted || strcmp(wanted, "auto") == 0 || strcmp(wanted, "folder") == 0))
        return OK;
    if (reader->folder)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE,
            "arrange the documents as FOLDER/class/document, or pass the names of the files",
            "%s: --format %s applies to files, but this is a folder", reader->path, wanted);
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "use --format text for one document per line (label<TAB>text), or --format document for "
        "one document per file",
        "%s: --format folder applies to folders, but this is a file", reader->path);
}

/* Returns whether a suffix suggests a format for which the options choose between lines and one
 * document. */
static bool may_be_document(const Reader *reader)
{
    const Format *found = by_suffix(reader->path);

    return !found || found == &clv_format_text;
}

bool clv_reads_document(const Reader *reader)
{
    const char *wanted = reader->options.format;
    Documents kind = (Documents)reader->options.documents;

    if (reader->folder)
        return false;
    if (wanted && strcmp(wanted, "auto") != 0)
        return strcmp(wanted, clv_format_document.name) == 0;
    if (!may_be_document(reader) || kind == DOCUMENTS_LINES)
        return false;
    return kind != DOCUMENTS_AUTO ||
           (reader->guide_schema && clv_schema_is_documents(reader->guide_schema));
}

bool clv_opens_document(const ReadOptions *options, const Schema *guide, const char *path)
{
    const Reader reader = {.options = *options, .guide_schema = guide, .path = path};

    return clv_reads_document(&reader);
}

/* Checks that --documents and --format agree. */
static Status check_documents(const Reader *reader, cleave_error *error)
{
    const char *wanted = reader->options.format;
    Documents kind = (Documents)reader->options.documents;
    bool lines = wanted && strcmp(wanted, clv_format_text.name) == 0;

    if (kind == DOCUMENTS_AUTO || !wanted ||
        !(lines || strcmp(wanted, clv_format_document.name) == 0) ||
        lines == (kind == DOCUMENTS_LINES))
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "--format text reads one document per line, --format document one document per file",
        "--format %s and --documents %s contradict each other", wanted, clv_documents_kinds[kind]);
}

static const Format *plain_table(const char *head, size_t size)
{
    for (const char *delimiter = ",;|"; *delimiter; delimiter++)
        if (clv_csv_is_plain(head, size, *delimiter))
            return &clv_format_csv;
    return clv_csv_is_plain(head, size, '\t') ? &clv_format_tsv : NULL;
}

/* Returns the format by suffix, model and content; NULL: unknown. Sets *by_content_alone if the
 * suffix does not determine the format. */
static const Format *guess_format(Reader *reader, const char *head, size_t size,
                                  bool *by_content_alone)
{
    const Format *wanted_by_guide = reader->guide_schema
                                        ? clv_format_by_name(reader->guide_schema->format)
                                        : NULL;
    const Format *format = by_suffix(reader->path);
    bool lines = reader->options.documents == DOCUMENTS_LINES;

    if (lines && (!format || format == &clv_format_tsv))
        format = &clv_format_text;
    /* A model of text reads lines of text, independent of the file name. */
    if (wanted_by_guide == &clv_format_folder)
        wanted_by_guide = &clv_format_text;
    if (wanted_by_guide == &clv_format_text && (!format || format == &clv_format_tsv))
        format = wanted_by_guide;
    if (format == &clv_format_text && reader->guide_schema && reader_reports(reader) && !lines &&
        clv_schema_is_documents(reader->guide_schema))
        clv_note(reader->source.context,
                 "%s: each line is read as a document; pass --format document to read the file as "
                 "one document",
                 reader->path);
    *by_content_alone = !format;
    /* `label TAB text` often has the suffix .tsv, so the content decides. */
    if (format == &clv_format_tsv && !reader->guide_schema && clv_format_text.sniff(head, size)) {
        *by_content_alone = true;
        return &clv_format_text;
    }
    /* A table often has the suffix .txt. */
    if (format == &clv_format_text && !lines && !reader->guide_schema &&
        !clv_format_text.sniff(head, size)) {
        const Format *table = plain_table(head, size);

        *by_content_alone = table != NULL;
        return table ? table : format;
    }
    if (!format && wanted_by_guide && wanted_by_guide->sniff && wanted_by_guide->sniff(head, size))
        format = wanted_by_guide;
    if (!format)
        format = by_content(head, size);
    return format ? format : wanted_by_guide;
}

Status clv_choose_format(Reader *reader, const char *head, size_t size, cleave_error *error)
{
    const char *wanted = reader->options.format;
    bool by_content_alone, table;
    char phrase[64];

    TRY(clv_check_format(wanted, error));
    if (reader->column_kinds.size) {
        reader->format = &clv_format_csv;
        return OK;
    }
    if (reader->folder || (wanted && strcmp(wanted, "folder") == 0))
        return choose_folder(reader, error);
    TRY(check_documents(reader, error));
    if (wanted && strcmp(wanted, "auto") != 0) {
        reader->format = clv_format_by_name(wanted);
        if (!reader->format)
            return clv_fail(error, CLEAVE_ERROR_DATA, "%s: this is not a cleave dataset",
                            reader->path);
        return reader->format->text ? refuse_foreign(reader, head, size, error) : OK;
    }
    TRY(refuse_foreign(reader, head, size, error));
    if (clv_reads_document(reader)) {
        reader->format = &clv_format_document;
        return OK;
    }
    reader->format = guess_format(reader, head, size, &by_content_alone);
    if (!reader->format) {
        char quoted[QUOTE_SIZE];

        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "pass --format libsvm, csv, tsv, text, document, npy, idx, fvecs, "
                             "bvecs, ivecs or cleave",
                             "%s: the format is not recognized; the file begins with '%s' (byte 0)",
                             reader->path, clv_quote(quoted, head, size < 24 ? size : 24));
    }
    if (reader->guide_schema)
        return OK;
    table = reader->format == &clv_format_csv || reader->format == &clv_format_tsv;
    snprintf(phrase, sizeof phrase, "read as %s (--format)",
             reader->format == &clv_format_text ? "label<TAB>text" : reader->format->name);
    return clv_guess_add(&reader->guesses, "format", reader->format->name, "--format",
                         table || by_content_alone ? phrase : NULL, error);
}

static bool in_lines(const Format *format)
{
    return format == &clv_format_text || format == &clv_format_tsv || format == &clv_format_csv;
}

Status clv_check_next_file(const Reader *reader, const char *head, size_t size, cleave_error *error)
{
    const char *given = reader->options.format;
    const Format *found = by_suffix(reader->path);

    if (reader->folder || reader->format == &clv_format_folder) {
        if (reader->folder && reader->format == &clv_format_folder)
            return OK;
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "pass only folders, or only files",
                             "%s: this is a %s, but the previous input is %s", reader->path,
                             reader->folder ? "folder" : "file",
                             reader->folder ? "a file" : "a folder");
    }
    TRY(reader->format->text ? refuse_foreign(reader, head, size, error) : OK);
    if ((given && strcmp(given, "auto") != 0) ||
        (reader->format == &clv_format_document && clv_reads_document(reader)))
        return OK;
    if (!found && !(reader->format->sniff && reader->format->sniff(head, size)))
        found = by_content(head, size);
    if (!found || found == reader->format || (in_lines(found) && in_lines(reader->format)))
        return OK;
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: this looks like %s, but the previous files are %s",
             reader->path, found->name, reader->format->name);
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "combine only files of the same format; --format %s forces it for all files",
                    reader->format->name);
}
