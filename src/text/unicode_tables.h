/* The tables of unicode.c: character classes and lower case. */
#ifndef TEXT_UNICODE_TABLES_H
#define TEXT_UNICODE_TABLES_H

#include "text/unicode.h"

#define UNICODE_DIRECT                                                                             \
    0x530 /* Latin, Greek and Cyrillic characters have one entry each in clv_unicode_fold */

typedef struct {
    uint32_t first, last;
    CharacterKind kind;
} UnicodeRange;

/* Every step-th character from first to last is folded by adding delta. */
typedef struct {
    uint32_t first, last, step;
    int32_t delta;
} UnicodeFold;

extern const uint16_t clv_unicode_fold[UNICODE_DIRECT];
extern const UnicodeRange
    clv_unicode_ranges[]; /* from 0x80 on, increasing; other characters are CHARACTER_OTHER */
extern const unsigned clv_unicode_range_count;
extern const UnicodeFold clv_unicode_folds[]; /* in increasing order */
extern const unsigned clv_unicode_fold_count;

#endif
