/*
 * Which of 64 bytes are what, a bit each: the vector part of finding words. The plain form and that for AVX2 give the same bits;
 * which one runs is chosen when the program does.
 */
#ifndef TEXT_MARKS_H
#define TEXT_MARKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t word; /* ASCII letters and digits */
    uint64_t high; /* bytes from 0x80 up */
    uint64_t digit;
    uint64_t joiner; /* apostrophes and points */
    uint64_t comma;
} Marks;

/* Of so many times 64 bytes. */
typedef void (*FindMarks)(const char *text, size_t blocks, Marks *marks);

FindMarks clv_marks_finder(void);
void clv_marks_plain(const char *text, size_t blocks, Marks *marks);
void clv_marks_avx2(const char *text, size_t blocks, Marks *marks);

#endif
