#include "text/charset.h"

#include "text/unicode.h"

uint32_t clv_windows_1252(unsigned char byte)
{
    const char bytes[1] = {(char)byte}, *at = bytes;

    return clv_character(&at, bytes + 1); /* a single byte of at least 0x80 is not valid UTF-8 */
}

uint32_t clv_sound_character(uint32_t character)
{
    bool surrogate = character >= 0xD800 && character < 0xE000;

    return character == 0 || character > 0x10FFFF || surrogate ? 0xFFFD : character;
}

bool clv_is_latin(const char *name, size_t length)
{
    static const char *const names[] = {
        "iso-8859-1",   "iso8859-1", "iso_8859-1",  "latin1", "latin-1", "windows-1252",
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

Status clv_add_latin(Context *context, Buffer *text, const char *bytes, size_t size,
                     cleave_error *error)
{
    const char *stop = size ? bytes + size : bytes;

    while (bytes < stop) {
        const char *plain = bytes;
        char character[4];

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
