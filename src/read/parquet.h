/*
 * Parquet files, by Arrow GLib (libparquet-glib), the C interface of Apache Arrow. The library is
 * loaded when a Parquet file is opened (docs/decisions/0028).
 */
#ifndef READ_PARQUET_H
#define READ_PARQUET_H

#include "read/arrow.h"

bool clv_parquet_sniff(const char *head, size_t size);
/* Writes all rows of a regular file, one row group at a time. Fails with a hint if the library is
 * not installed. */
Status clv_parquet_read(ArrowWriter *writer, const char *path);

#endif
