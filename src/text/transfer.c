#include "text/transfer.h"

static int sixtyfour(char c)
{
    if ((unsigned)(c - 'A') < 26)
        return c - 'A';
    if ((unsigned)(c - 'a') < 26)
        return c - 'a' + 26;
    if ((unsigned)(c - '0') < 10)
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Reserves memory for `count` more bytes, so that the following calls cannot fail. */
static Status reserve(Context *context, Buffer *bytes, size_t count, cleave_error *error)
{
    return GROW(context, bytes->data, bytes->capacity, bytes->size + count, error);
}

Status clv_add_base64(Context *context, Buffer *bytes, const char *text, size_t size,
                      cleave_error *error)
{
    uint32_t bits = 0;
    unsigned held = 0;

    TRY(reserve(context, bytes, size, error));
    for (size_t i = 0; i < size; i++) {
        int value = sixtyfour(text[i]);

        if (text[i] == '=')
            /* the end of a piece; after concatenation another encoded piece may follow */
            bits = held = 0;
        if (value < 0)
            continue;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes->data[bytes->size++] = (char)(bits >> held & 0xFF);
        }
    }
    return OK;
}

static int hex(char c)
{
    if ((unsigned)(c - '0') < 10)
        return c - '0';
    return (unsigned)((c | 0x20) - 'a') < 6 ? (c | 0x20) - 'a' + 10 : -1;
}

/* The length of a soft line break with its blanks, at a '=' at text[0]; otherwise 0. */
static size_t soft_break(const char *text, size_t size)
{
    size_t i = 1;

    while (i < size && (text[i] == ' ' || text[i] == '\t'))
        i++;
    if (i < size && text[i] == '\r')
        i++;
    return i < size && text[i] == '\n' ? i + 1 : i == size ? i : 0;
}

Status clv_add_quoted(Context *context, Buffer *bytes, const char *text, size_t size, bool header,
                      cleave_error *error)
{
    TRY(reserve(context, bytes, size, error));
    for (size_t i = 0; i < size; i++) {
        char c = header && text[i] == '_' ? ' ' : text[i];

        if (c == '=' && i + 2 < size && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
            c = (char)(hex(text[i + 1]) << 4 | hex(text[i + 2]));
            i += 2;
        } else if (c == '=' && !header) {
            size_t taken = soft_break(text + i, size - i);

            if (taken) {
                i += taken - 1;
                continue;
            }
        }
        bytes->data[bytes->size++] = c;
    }
    return OK;
}
