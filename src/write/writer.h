/*
 * Writes a source as LIBSVM text, CSV or TSV. (data/ writes the binary dataset.)
 */
#ifndef WRITE_WRITER_H
#define WRITE_WRITER_H

#include "base/file.h"
#include "data/source.h"

typedef struct Writer Writer;
struct Writer {
    const char *name;
    const char *const *suffixes; /* NULL at the end */
    /* Called before the first block: writes a header, if the format has one. source is at its
     * start. Features and names of sources that must be read first are complete only if needs_names
     * is set and the caller loaded the source. */
    Status (*begin)(Output *output, const Source *source, cleave_error *error);
    /* Writes each block in order. The caller keeps scratch from block to block and frees it. */
    Status (*block)(Output *output, const Source *source, const Block *block, Buffer *scratch,
                    cleave_error *error);
    /* source->features and names must be complete before begin (CSV: one column each). */
    bool needs_names;
    /* the variant of the writer that is safe for spreadsheets; NULL: this one */
    const Writer *safe;
};

extern const Writer clv_writer_libsvm, clv_writer_csv, clv_writer_tsv;
extern const Writer *const clv_writers[]; /* all writers; NULL at the end */

/* Finds a writer by name ("libsvm", "csv", "tsv") or by the suffix of path; NULL: there is none. */
const Writer *clv_writer_by_name(const char *name);
const Writer *clv_writer_for(const char *path);

#endif
