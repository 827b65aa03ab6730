/*
 * The option --classes: rows of other classes are dropped, rows without a label are kept. Formats that see the label before the
 * rest of a row drop it while they parse (clv_keeps_class in read/reader.h), so that no feature comes from a dropped row. Arrays
 * and datasets, whose features are fixed, go through the source below.
 */
#ifndef READ_CLASSES_H
#define READ_CLASSES_H

#include "data/source.h"

/* Whether a comma-separated list holds the class. */
bool clv_class_is_listed(const char *classes, const char *text, size_t length, bool from_libsvm);

/* Takes over inner, also on failure. name is for messages; guided: a model reads. *filtered may be where inner came from. */
Status clv_keep_classes(Source *inner, const char *name, const char *classes, bool guided, Source **filtered,
                        cleave_error *error);

/* At the end of the data: notes how many rows were dropped, warns of classes without a row (unless guided), and fails where no
 * row was kept. */
Status clv_report_classes(const Source *source, const char *name, const char *classes, uint64_t dropped, bool guided,
                          cleave_error *error);

/* The note alone, for data that may have no end. */
void clv_note_dropped(const Source *source, const char *name, const char *classes, uint64_t dropped);

#endif
