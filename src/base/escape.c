#include "base/escape.h"

#include <stdio.h>
#include <string.h>

/* Returns the character at text and its size in bytes; 0 bytes if it is not well-formed UTF-8 (RFC
 * 3629). */
static size_t decode(const unsigned char *text, size_t length, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    size_t bytes = first < 0x80   ? 1
                   : first < 0xC2 ? 0
                   : first < 0xE0 ? 2
                   : first < 0xF0 ? 3
                   : first < 0xF5 ? 4
                                  : 0;
    uint32_t code = bytes > 1 ? first & (0x7Fu >> bytes) : first;

    if (bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3F);
    }
    *character = code;
    return code < least[bytes] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF ? 0 : bytes;
}

/* Whether a character is unsafe: C1 controls, direction marks, line and paragraph separators, and
 * characters that XML forbids. */
static bool is_unsafe(uint32_t character)
{
    return (character >= 0x80 && character < 0xA0) || character == 0x061C || character == 0x200E ||
           character == 0x200F || (character >= 0x2028 && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x206F) || character == 0xFFFE ||
           character == 0xFFFF;
}

static size_t put_hex(char *piece, char kind, uint32_t value, unsigned digits)
{
    piece[0] = '\\';
    piece[1] = kind;
    for (unsigned i = 0; i < digits; i++)
        piece[2 + i] = "0123456789abcdef"[value >> 4 * (digits - 1 - i) & 15];
    return 2 + digits;
}

static size_t put_pair(char *piece, char letter)
{
    piece[0] = '\\';
    piece[1] = letter;
    return 2;
}

size_t clv_escape_next(const char *text, size_t length, cleave_escaping how,
                       char piece[ESCAPED_SIZE], size_t *taken)
{
    unsigned char c = (unsigned char)*text;
    uint32_t character = c;
    size_t bytes = decode((const unsigned char *)text, length, &character);

    *taken = bytes ? bytes : 1;
    if (bytes > 1 && is_unsafe(character))
        return put_hex(piece, 'u', character, 4);
    if ((c == '\n' || c == '\t') && how != CLEAVE_ESCAPE_LINES)
        return put_pair(piece, c == '\n' ? 'n' : 't');
    if (c == '\\' && how == CLEAVE_ESCAPE_EXACT)
        return put_pair(piece, '\\');
    if (bytes == 0 || c == 0x7F || (c < 0x20 && c != '\n' && c != '\t'))
        return put_hex(piece, 'x', c, 2);
    memcpy(piece, text, bytes);
    return bytes;
}

size_t cleave_escape(const char *text, size_t length, cleave_escaping how, char *buffer,
                     size_t size)
{
    size_t whole = 0, kept = 0;

    while (length > 0) {
        char piece[ESCAPED_SIZE];
        size_t taken, added = clv_escape_next(text, length, how, piece, &taken);

        if (kept == whole && whole + added < size) {
            memcpy(buffer + whole, piece, added);
            kept += added;
        }
        whole += added;
        text += taken;
        length -= taken;
    }
    if (size > 0)
        buffer[kept] = '\0';
    return whole;
}

void clv_vprint_line(char *buffer, size_t size, const char *format, va_list args)
{
    char text[ERROR_TEXT_SIZE];

    vsnprintf(text, sizeof text, format, args);
    cleave_escape(text, strlen(text), CLEAVE_ESCAPE_LINE, buffer, size);
}
