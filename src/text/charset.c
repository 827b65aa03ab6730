#include "text/charset.h"

uint32_t clv_windows_1252(unsigned char byte)
{
    static const uint16_t upper[32] = {
        0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
    };

    return byte >= 0x80 && byte < 0xA0 ? upper[byte - 0x80] : byte;
}

size_t clv_put_character(uint32_t character, char bytes[CHARACTER_ROOM])
{
    unsigned char *at = (unsigned char *)bytes;

    if (character == 0 || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
        character = 0xFFFD;
    if (character < 0x80) {
        at[0] = (unsigned char)character;
        return 1;
    }
    if (character < 0x800) {
        at[0] = (unsigned char)(0xC0 | character >> 6);
        at[1] = (unsigned char)(0x80 | (character & 0x3F));
        return 2;
    }
    if (character < 0x10000) {
        at[0] = (unsigned char)(0xE0 | character >> 12);
        at[1] = (unsigned char)(0x80 | (character >> 6 & 0x3F));
        at[2] = (unsigned char)(0x80 | (character & 0x3F));
        return 3;
    }
    at[0] = (unsigned char)(0xF0 | character >> 18);
    at[1] = (unsigned char)(0x80 | (character >> 12 & 0x3F));
    at[2] = (unsigned char)(0x80 | (character >> 6 & 0x3F));
    at[3] = (unsigned char)(0x80 | (character & 0x3F));
    return 4;
}

bool clv_is_latin(const char *name, size_t length)
{
    static const char *const names[] = {"iso-8859-1",   "iso8859-1", "iso_8859-1",  "latin1", "latin-1", "windows-1252",
                                        "windows_1252", "cp1252",    "iso-8859-15", "x-ansi", NULL};

    for (size_t i = 0; names[i]; i++) {
        size_t at = 0;

        while (at < length && names[i][at] &&
               (name[at] | (name[at] >= 'A' && name[at] <= 'Z' ? 0x20 : 0)) == names[i][at])
            at++;
        if (at == length && names[i][at] == '\0')
            return true;
    }
    return false;
}

Status clv_add_latin(Context *context, Buffer *text, const char *bytes, size_t size, cleave_error *error)
{
    const char *stop = size ? bytes + size : bytes;

    while (bytes < stop) {
        const char *plain = bytes;
        char character[CHARACTER_ROOM];

        while (bytes < stop && (unsigned char)*bytes < 0x80)
            bytes++;
        TRY(clv_buffer_add(context, text, plain, (size_t)(bytes - plain), error));
        if (bytes < stop) {
            size_t length = clv_put_character(clv_windows_1252((unsigned char)*bytes++), character);

            TRY(clv_buffer_add(context, text, character, length, error));
        }
    }
    return OK;
}
