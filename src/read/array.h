/*
 * What NumPy's .npy and IDX have in common: a header, then numbers of one type, row after row. Each format reads its
 * own header into an Array; cutting, parsing, settling and labels are the same for both and live here. Files of vectors (vecs.c)
 * have their elements and labels from here, too.
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
    ELEMENT_F4,
    ELEMENT_F8,
    ELEMENT_BYTES,   /* text of `size` bytes, zeros behind a shorter one */
    ELEMENT_UNICODE, /* text of `size` / 4 characters of four bytes, little-endian */
} ElementType;

typedef struct {
    ElementType type;
    bool big_endian;
    size_t size; /* bytes of an element; text may have 0 */
    uint64_t rows;
    uint64_t width;                /* elements of a row, 1 … MOST_FEATURES */
    size_t header;                 /* bytes before the first row */
    size_t prefix;                 /* bytes before the values of each row */
    bool by_column;                /* .npy in Fortran order: the values of a column follow each other */
    uint32_t descr_at, descr_size; /* .npy: where the header names the type */
} Array;

/* The labels of rows, from a file of their own. */
typedef struct RowLabels {
    Labels labels;
    uint32_t *label; /* of each row; UNLABELED for none */
    size_t capacity;
    uint64_t count;
} RowLabels;

/* Headers. size bytes are at hand, all of the file when whole is set. Messages name path. */
bool clv_npy_sniff(const char *head, size_t size);
Status clv_npy_header(const char *path, const char *head, size_t size, bool whole, Array *array, cleave_error *error);
bool clv_idx_sniff(const char *head, size_t size);
Status clv_idx_header(const char *path, const char *head, size_t size, bool whole, Array *array, cleave_error *error);

/* "path: byte n: the file ends inside what", with a hint. */
Status clv_fail_cut(const char *path, uint64_t byte, const char *what, cleave_error *error);

/* Elements. */
bool clv_element_is_text(ElementType type);
bool clv_element_is_real(ElementType type);
uint64_t clv_element_bits(const Array *array, const char *bytes); /* as they are, sign extended for signed integers */
double clv_element_real(const Array *array, const char *bytes);   /* of a number */

/* Turns count elements to float32; false when one is not finite. */
bool clv_array_floats(const Array *array, const char *bytes, size_t count, float *values);

/* Reads the labels of rows from path: .npy or IDX of one number or text a row, or text of one label a line, gzip and
 * zstd too. Nothing to free after an error. */
Status clv_row_labels_load(Context *context, const char *path, RowLabels *labels, cleave_error *error);
/* The same for sample weights, as text; an archive has them under another name. */
Status clv_row_weights_load(Context *context, const char *path, RowLabels *weights, cleave_error *error);
/* The same from open bytes. */
Status clv_row_labels_read(Context *context, Bytes *bytes, RowLabels *labels, cleave_error *error);
void clv_row_labels_free(RowLabels *labels);

/* ---- NumPy files whose rows do not lie one after the other (unwrap.c) */

/* Bytes of an archive become those of its array of rows; its labels are kept in reader->archive_labels. */
Status clv_unwrap_archive(Reader *reader, Bytes *bytes, cleave_error *error);
void clv_drop_archive_labels(Reader *reader);
/* An array in Fortran order, whose first bytes are at hand, as one in C order. */
Status clv_unwrap_fortran(Context *context, Bytes *bytes, const char *head, size_t size, const Array *array,
                          Bytes **turned, cleave_error *error);
/* Writes the header of an array in C order, and returns its size; head is that of the array in Fortran order. */
#define NPY_HEADER_SIZE 256
size_t clv_npy_plain_header(const Array *array, const char *head, char header[NPY_HEADER_SIZE]);

/* ---- the parts of a Format */

/* What parsing leaves for settling, which alone knows the numbers of the rows. */
typedef struct {
    bool bad; /* parsing ended at a value that is infinite or too large, here in the chunk */
    uint32_t bad_row, bad_column;
    bool missing;     /* some value is NaN */
    bool other_count; /* vecs.c: parsing ended at a row of another length */
    size_t left_over; /* bytes behind the last whole row: the end of a file that was cut */
} ArrayScratch;

/* Made at the start of every file; settling is in order, so counting rows there numbers them. */
typedef struct {
    Array array;
    size_t record;    /* bytes of a row */
    uint64_t settled; /* rows settled so far */
    bool has_labels;
    RowLabels labels;
    uint32_t *mark;  /* of each column: its feature `column=?`, or NO_COLUMN. NULL: nothing is missing so far */
    Builder builder; /* rows with missing values */
} ArrayState;

/* The error for the value that ended parsing. */
Status clv_array_fail_value(const Reader *reader, const ArrayState *state, const Chunk *chunk, cleave_error *error);

/* Whether the rows are numbers, and as many in a row as in the files before or as the model has features. */
Status clv_array_check(const Reader *reader, const Array *array, cleave_error *error);
/* The labels of the rows of the file being read. */
Status clv_array_labels(const Reader *reader, RowLabels *labels, const char *path, cleave_error *error);
/* … given to those of a chunk, of which `before` rows came earlier. */
Status clv_array_label_rows(const RowLabels *labels, uint64_t before, Chunk *chunk, cleave_error *error);
/* What the source is to be known by, where no model says so. */
void clv_array_describe(Reader *reader, const Array *array);

/* Makes reader->state from the header; labels_path may be NULL. */
Status clv_array_start(Reader *reader, const Array *array, const char *labels_path, size_t size, bool whole,
                       size_t *skip, cleave_error *error);
size_t clv_array_cut(const Reader *reader, const char *text, size_t size);
void clv_array_parse(const Reader *reader, Chunk *chunk);
Status clv_array_settle(Reader *reader, Chunk *chunk, cleave_error *error);
void clv_array_finish(Reader *reader);

#endif
