/*
 * The option --classes drops rows of classes that it does not list, and keeps rows without a label.
 * Formats that read the label first drop the row while parsing (clv_keeps_class in read/reader.h),
 * so a dropped row adds no feature. Arrays and datasets have fixed features and use the source
 * below.
 */
#ifndef READ_CLASSES_H
#define READ_CLASSES_H

#include "data/source.h"

/* Returns whether a comma-separated list contains the class. */
bool clv_class_is_listed(const char *classes, const char *text, size_t length, bool from_libsvm);

/* Takes ownership of inner, also on failure. name is for messages; guided: a model reads the data.
 * *filtered may be the location of inner. */
Status clv_keep_classes(Source *inner, const char *name, const char *classes, bool guided,
                        Source **filtered, cleave_error *error);

/* At the end of the data: notes the number of dropped rows, warns of classes without a row (unless
 * guided), and fails if no row is left. */
Status clv_report_classes(const Source *source, const char *name, const char *classes,
                          uint64_t dropped, bool guided, cleave_error *error);

/* Writes only the note, for unbounded data. */
void clv_note_dropped(const Source *source, const char *name, const char *classes,
                      uint64_t dropped);

#endif
