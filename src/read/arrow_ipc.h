/*
 * Arrow IPC: the file format (also Feather 2) and the stream format, from first to last byte.
 */
#ifndef READ_ARROW_IPC_H
#define READ_ARROW_IPC_H

#include "read/arrow.h"
#include "read/bytes.h"

bool clv_arrow_ipc_sniff(const char *head, size_t size);
/* Writes all batches. head: the bytes already read, which precede the rest of `bytes`. */
Status clv_arrow_ipc_read(ArrowWriter *writer, Bytes *bytes, const char *head, size_t size);

#endif
