/*
 * Bytes out: a source written as LIBSVM text, CSV or TSV. (Our own binary dataset is written by data/, which alone
 * knows it.)
 */
#ifndef WRITE_WRITER_H
#define WRITE_WRITER_H

#include "base/file.h"
#include "data/source.h"

typedef struct Writer Writer;
struct Writer {
    const char *name;
    const char *const *suffixes; /* NULL at the end */
    /* Before the first block: a header, if the format has one. source is at its start; features and names of sources
     * that must be read to be known are complete only when needs_names said so and the caller loaded it. */
    Status (*begin)(Output *output, const Source *source, cleave_error *error);
    /* Each block, in order. scratch is kept by the caller from block to block and freed by it. */
    Status (*block)(Output *output, const Source *source, const Block *block, Buffer *scratch, cleave_error *error);
    /* source->features and names must be complete before begin (CSV: one column each). */
    bool needs_names;
    const Writer *safe; /* the same format, safe for spreadsheets; NULL: this one */
};

extern const Writer clv_writer_libsvm, clv_writer_csv, clv_writer_tsv;
extern const Writer *const clv_writers[]; /* every one; NULL at the end */

/* By name ("libsvm", "csv", "tsv") or by the suffix of path; NULL when none fits. */
const Writer *clv_writer_by_name(const char *name);
const Writer *clv_writer_for(const char *path);

#endif
