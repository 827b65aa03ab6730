/* Words of a text: see the header for what a word is. */
#include "read/tokens.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EACH(byte) (0x0101010101010101u * (byte))
#define HIGH EACH(0x80u)

static uint64_t load(const char *p)
{
    uint64_t bytes;

    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

/* The high bit of each byte of x that lies in low … high, for ASCII bounds; what x has from 0x80 up gives nonsense. */
static inline uint64_t within(uint64_t x, uint64_t low, uint64_t high)
{
    uint64_t seven = x & ~HIGH;

    return ((seven + EACH(0x80u - low)) ^ (seven + EACH(0x7Fu - high))) & HIGH;
}

static inline uint64_t lower(uint64_t x)
{
    return x | ((within(x, 'A', 'Z') & ~x) >> 2);
}

/* The high bit of each byte of lower-cased x that belongs to a word. */
static inline uint64_t word_bytes(uint64_t x)
{
    return within(x, 'a', 'z') | within(x, '0', '9') | (x & HIGH);
}

static inline unsigned first_byte(uint64_t marks)
{
    return (unsigned)__builtin_ctzll(marks) >> 3;
}

static bool in_word(char c)
{
    return (word_bytes(lower((unsigned char)c)) & 0x80) != 0;
}

static const char *skip_others(const char *p, const char *stop)
{
    while (p < stop) {
        uint64_t marks = word_bytes(lower(load(p)));

        if (marks) {
            p += first_byte(marks);
            break;
        }
        p += 8;
    }
    return p < stop ? p : stop;
}

/* Copies a run of word bytes and returns its end. *length goes on counting past TOKEN_MOST, but keeps no more. */
static inline const char *take_run(const char *p, char *token, size_t *length)
{
    for (;;) {
        uint64_t bytes = lower(load(p));
        uint64_t others = ~word_bytes(bytes) & HIGH;
        size_t at = *length < TOKEN_MOST ? *length : TOKEN_MOST;

        memcpy(token + at, &bytes, sizeof bytes);
        if (others) {
            *length += first_byte(others);
            return p + first_byte(others);
        }
        *length += 8;
        p += 8;
    }
}

/* TOKEN_MOST, or less where the last character begins but does not end before it. */
static size_t cut_length(const char *token)
{
    for (size_t back = 1; back <= 3; back++) {
        unsigned char c = (unsigned char)token[TOKEN_MOST - back];

        if (c >= 0xC0) {
            size_t needs = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;

            return needs > back ? TOKEN_MOST - back : TOKEN_MOST;
        }
        if (c < 0x80)
            break;
    }
    return TOKEN_MOST;
}

size_t clv_token_next(const char **at, const char *stop, char token[TOKEN_ROOM])
{
    const char *p = skip_others(*at, stop);
    size_t length = 0;

    if (p < stop) {
        p = take_run(p, token, &length);
        while (*p == '\'' && p + 1 < stop && in_word(p[1])) {
            token[length < TOKEN_MOST ? length : TOKEN_MOST] = '\'';
            length++;
            p = take_run(p + 1, token, &length);
        }
        if (length > TOKEN_MOST)
            length = cut_length(token);
        memset(token + length, 0, 8);
    }
    *at = p;
    return length;
}
