/*
 * Classifies 64 bytes at a time into bit masks, the SIMD part of tokenization. The plain and the
 * AVX2 variants return the same bits; the variant is chosen at run time.
 */
#ifndef TEXT_MARKS_H
#define TEXT_MARKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t word; /* ASCII letters and digits */
    uint64_t high; /* bytes of at least 0x80 */
    uint64_t digit;
    uint64_t joiner; /* apostrophes and points */
    uint64_t comma;
} Marks;

/* Classifies `blocks` times 64 bytes. */
typedef void (*FindMarks)(const char *text, size_t blocks, Marks *marks);

FindMarks clv_marks_finder(void);
void clv_marks_plain(const char *text, size_t blocks, Marks *marks);
void clv_marks_avx2(const char *text, size_t blocks, Marks *marks);

#endif
