#include "text/unicode.h"

#include "text/unicode_tables.h"

#include <stdbool.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

/* characters of windows-1252 from 0x80 to 0x9F; its five undefined bytes are unchanged. */
static const uint16_t windows[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
};

static bool follows(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* Returns the length of the well-formed sequence, 0 without one, and its character. */
static size_t decode(const unsigned char *p, size_t capacity, uint32_t *character)
{
    if (p[0] >= 0xC2 && p[0] <= 0xDF && capacity >= 2 && follows(p[1])) {
        *character = (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
        return 2;
    }
    if (p[0] >= 0xE0 && p[0] <= 0xEF && capacity >= 3 && follows(p[1]) && follows(p[2])) {
        *character = (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        return *character >= 0x800 && (*character < 0xD800 || *character > 0xDFFF) ? 3 : 0;
    }
    if (p[0] >= 0xF0 && p[0] <= 0xF4 && capacity >= 4 && follows(p[1]) && follows(p[2]) &&
        follows(p[3])) {
        *character = (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 |
                     (p[3] & 0x3Fu);
        return *character >= 0x10000 && *character <= 0x10FFFF ? 4 : 0;
    }
    return 0;
}

uint32_t clv_character(const char **at, const char *stop)
{
    const unsigned char *p = (const unsigned char *)*at;
    uint32_t character = p[0];
    size_t length = 1;

    if (p[0] >= 0x80) {
        length = decode(p, (size_t)(stop - *at), &character);
        if (length == 0) {
            length = 1;
            character = p[0] < 0xA0 ? windows[p[0] - 0x80] : p[0];
        }
    }
    *at += length;
    return character;
}

size_t clv_put_character(uint32_t character, char bytes[4])
{
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        bytes[0] = (char)(0xC0 | character >> 6);
        bytes[1] = (char)(0x80 | (character & 0x3F));
        return 2;
    }
    if (character < 0x10000) {
        bytes[0] = (char)(0xE0 | character >> 12);
        bytes[1] = (char)(0x80 | (character >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (character & 0x3F));
        return 3;
    }
    bytes[0] = (char)(0xF0 | character >> 18);
    bytes[1] = (char)(0x80 | (character >> 12 & 0x3F));
    bytes[2] = (char)(0x80 | (character >> 6 & 0x3F));
    bytes[3] = (char)(0x80 | (character & 0x3F));
    return 4;
}

/* ---- characters ------------------------------------------------------------------------------ */

CharacterKind clv_character_kind(uint32_t character)
{
    unsigned low = 0, high = clv_unicode_range_count;

    if (character < 0x80)
        return (character | 0x20) - 'a' < 26 || character - '0' < 10 ? CHARACTER_LETTER
                                                                     : CHARACTER_OTHER;
    if (character >= 0x4E00 && character <= 0x9FFF)
        return CHARACTER_ALONE;
    if (character >= 0x400 && character < 0x482)
        return CHARACTER_LETTER;
    while (low < high) { /* finds the first range that ends at or after the character */
        unsigned middle = (low + high) / 2;

        if (clv_unicode_ranges[middle].last < character)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == clv_unicode_range_count || clv_unicode_ranges[low].first > character)
        return CHARACTER_OTHER;
    return clv_unicode_ranges[low].kind;
}

uint32_t clv_fold_character(uint32_t character)
{
    unsigned low = 0, high = clv_unicode_fold_count;
    const UnicodeFold *fold;

    if (character < UNICODE_DIRECT)
        return clv_unicode_fold[character];
    if (character >= 0x2E80 && character < 0xA640)
        return character; /* East Asian scripts have no case */
    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (clv_unicode_folds[middle].last < character)
            low = middle + 1;
        else
            high = middle;
    }
    fold = &clv_unicode_folds[low];
    if (low == clv_unicode_fold_count || fold->first > character ||
        (character - fold->first) % fold->step != 0)
        return character;
    return (uint32_t)((int32_t)character + fold->delta);
}
