/*
 * Reads rectangular numeric arrays. NumPy's .npy and IDX files both consist of a header followed by
 * numbers of one type, row after row. Each format reads its own header into an Array. This module
 * shares the cutting, parsing, settling and labels. Files of vectors (vecs.c) use the same elements
 * and labels.
 */
#ifndef READ_ARRAY_H
#define READ_ARRAY_H

#include "read/bytes.h"
#include "read/reader.h"

typedef enum {
    ELEMENT_I1,
    ELEMENT_U1,
    ELEMENT_I2,
    ELEMENT_U2,
    ELEMENT_I4,
    ELEMENT_U4,
    ELEMENT_I8,
    ELEMENT_U8,
    ELEMENT_BOOL,
    ELEMENT_F2,
    ELEMENT_BF2, /* bfloat16 */
    ELEMENT_F4,
    ELEMENT_F8,
    ELEMENT_BYTES,   /* text of `size` bytes, padded with zeros */
    ELEMENT_UNICODE, /* text of `size` / 4 characters of four bytes, little-endian */
} ElementType;

typedef struct {
    ElementType type;
    bool big_endian;
    size_t size; /* bytes per element; may be 0 for text */
    uint64_t rows;
    uint64_t width;                /* elements per row, 1 … MOST_FEATURES */
    size_t header;                 /* bytes before the first row */
    size_t prefix;                 /* bytes before the values of each row */
    bool by_column;                /* .npy in Fortran order: columns are contiguous */
    uint32_t descr_at, descr_size; /* .npy: offset of the type in the header */
} Array;

/* Labels of rows, from a separate file. */
typedef struct RowLabels {
    Labels labels;
    uint32_t *label; /* per row; UNLABELED without a label */
    size_t capacity;
    uint64_t count;
} RowLabels;

/* Read the header. `size` bytes are available, which are the complete file if `whole`. Messages
 * name `path`. */
bool clv_npy_sniff(const char *head, size_t size);
Status clv_npy_header(const char *path, const char *head, size_t size, bool whole, Array *array,
                      cleave_error *error);
bool clv_idx_sniff(const char *head, size_t size);
Status clv_idx_header(const char *path, const char *head, size_t size, bool whole, Array *array,
                      cleave_error *error);

/* Fails with "path: byte n: the file ends inside what", and a hint. */
Status clv_fail_cut(const char *path, uint64_t byte, const char *what, cleave_error *error);

/* Whether elements are text. */
bool clv_element_is_text(ElementType type);
bool clv_element_is_real(ElementType type);
uint64_t clv_element_bits(const Array *array,
                          const char *bytes); /* integers as raw bits, sign-extended if signed */
double clv_element_real(const Array *array, const char *bytes); /* value of a number */

/* Converts `count` elements to float32. Returns false if a value is not finite. */
bool clv_array_floats(const Array *array, const char *bytes, size_t count, float *values);

/* Reads labels from path: .npy or IDX with one number or text per row, or text with one label per
 * line. gzip and zstd are decompressed. After an error the caller frees nothing. */
Status clv_row_labels_load(Context *context, const char *path, RowLabels *labels,
                           cleave_error *error);
/* Reads sample weights as text, in the same way. The weights in an archive have another name than
 * the labels. */
Status clv_row_weights_load(Context *context, const char *path, RowLabels *weights,
                            cleave_error *error);
/* Reads labels from open bytes. */
Status clv_row_labels_read(Context *context, Bytes *bytes, RowLabels *labels, cleave_error *error);
void clv_row_labels_free(RowLabels *labels);

/* ---- NumPy files whose rows are not contiguous (unwrap.c) ------------------------------------ */

/* Replaces the bytes of an archive with the bytes of its array of rows. Stores its labels in
 * reader->archive_labels. */
Status clv_unwrap_archive(Reader *reader, Bytes *bytes, cleave_error *error);
void clv_drop_archive_labels(Reader *reader);
/* Converts an array in Fortran order to C order; its first bytes are in `head`. */
Status clv_unwrap_fortran(Context *context, Bytes *bytes, const char *head, size_t size,
                          const Array *array, Bytes **turned, cleave_error *error);
/* Writes the header of an array in C order and returns its size. `head` describes the array in
 * Fortran order. */
#define NPY_HEADER_SIZE 256
size_t clv_npy_plain_header(const Array *array, const char *head, char header[NPY_HEADER_SIZE]);

/* ---- parts of a Format ----------------------------------------------------------------------- */

/* Results of parsing that need row numbers, which are known only when chunks are settled. */
typedef struct {
    bool bad; /* position in the chunk of the first infinite or too large value; NO_VALUE: none */
    uint32_t bad_row, bad_column;
    bool missing;     /* a value is NaN */
    bool other_count; /* vecs.c: parsing stopped at a row of a different length */
    size_t left_over; /* bytes after the last complete row of an incomplete file */
} ArrayScratch;

/* State of a file, created at its start. Chunks are settled in order, so the row count numbers the
 * rows. */
typedef struct {
    Array array;
    size_t record;    /* bytes per row */
    uint64_t settled; /* rows settled so far */
    bool has_labels;
    RowLabels labels;
    uint32_t
        *mark; /* per column: its feature `column=?`, or NO_COLUMN; NULL without missing values */
    Builder builder; /* rows with missing values */
} ArrayState;

/* Fails with an error about the value at which parsing stopped. */
Status clv_array_fail_value(const Reader *reader, const ArrayState *state, const Chunk *chunk,
                            cleave_error *error);

/* Checks that the rows are numbers and that their length equals the number of features. */
Status clv_array_check(const Reader *reader, const Array *array, cleave_error *error);
/* Reads the labels of the rows of the current file. */
Status clv_array_labels(const Reader *reader, RowLabels *labels, const char *path,
                        cleave_error *error);
/* Assigns labels to the rows of a chunk; `before` rows precede the chunk. */
Status clv_array_label_rows(const RowLabels *labels, uint64_t before, Chunk *chunk,
                            cleave_error *error);
/* Sets the schema of the source when no model is given. */
void clv_array_describe(Reader *reader, const Array *array);

/* Creates reader->state from the header; labels_path may be NULL. */
Status clv_array_start(Reader *reader, const Array *array, const char *labels_path, size_t size,
                       bool whole, size_t *skip, cleave_error *error);
size_t clv_array_cut(const Reader *reader, const char *text, size_t size);
void clv_array_parse(const Reader *reader, Chunk *chunk);
Status clv_array_settle(Reader *reader, Chunk *chunk, cleave_error *error);
void clv_array_finish(Reader *reader);

#endif
