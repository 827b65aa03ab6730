/* Decompresses an LZ4 frame, the compression of Feather files. */
#ifndef READ_LZ4_FRAME_H
#define READ_LZ4_FRAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the frame is valid and has exactly out_size bytes. Checksums are not compared. */
bool clv_lz4_frame(const char *in, size_t in_size, char *out, size_t out_size);

#endif
