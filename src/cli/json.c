#include "cli/json.h"

#include "cli/human.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static void before_value(Json *json)
{
    if (!json->after_key && json->comma[json->depth])
        cli_put(json->out, ",");
    json->comma[json->depth] = true;
    json->after_key = false;
}

void cli_json_open(Json *json, char bracket)
{
    before_value(json);
    cli_write(json->out, &bracket, 1);
    json->comma[++json->depth] = false;
}

void cli_json_close(Json *json, char bracket)
{
    json->depth--;
    cli_write(json->out, &bracket, 1);
}

void cli_json_end_line(Json *json)
{
    cli_put(json->out, "\n");
    json->comma[0] = false;
}

/* Length of the well-formed UTF-8 character at text, or 0. */
static size_t character_length(const unsigned char *text)
{
    unsigned char c = text[0];
    size_t length = c < 0x80                ? 1
                    : c >= 0xC2 && c < 0xE0 ? 2
                    : c >= 0xE0 && c < 0xF0 ? 3
                    : c >= 0xF0 && c < 0xF5 ? 4
                                            : 0;

    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    if (length < 3)
        return length;
    /* Overlong forms, surrogates, past U+10FFFF. */
    if ((c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] >= 0xA0) || (c == 0xF0 && text[1] < 0x90) ||
        (c == 0xF4 && text[1] >= 0x90))
        return 0;
    return length;
}

static void escaped(Out *out, const char *text)
{
    while (*text) {
        unsigned char c = (unsigned char)*text;
        size_t length = character_length((const unsigned char *)text);

        if (c == '"' || c == '\\')
            cli_print(out, "\\%c", c);
        else if (c == '\n')
            cli_put(out, "\\n");
        else if (c == '\t')
            cli_put(out, "\\t");
        else if (c < 0x20 || c == 0x7F)
            cli_print(out, "\\u%04x", c);
        else if (length > 0)
            cli_write(out, text, length);
        else
            cli_put(out, "\\ufffd");
        text += length > 0 ? length : 1;
    }
}

static void quoted(Out *out, const char *text)
{
    cli_put(out, "\"");
    escaped(out, text);
    cli_put(out, "\"");
}

void cli_json_key(Json *json, const char *key)
{
    before_value(json);
    quoted(json->out, key);
    cli_put(json->out, ":");
    json->after_key = true;
}

void cli_json_string(Json *json, const char *text)
{
    if (!text) {
        cli_json_null(json);
        return;
    }
    before_value(json);
    quoted(json->out, text);
}

void cli_json_raw(Json *json, const char *text)
{
    before_value(json);
    cli_put(json->out, text);
}

void cli_json_count(Json *json, uint64_t count)
{
    char digits[HUMAN_SIZE];

    snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    cli_json_raw(json, digits);
}

void cli_json_number(Json *json, double value)
{
    char digits[HUMAN_SIZE];

    cli_json_raw(json, isfinite(value) ? cli_exact(value, digits) : "null");
}

void cli_json_bool(Json *json, bool value)
{
    cli_json_raw(json, value ? "true" : "false");
}

void cli_json_null(Json *json)
{
    cli_json_raw(json, "null");
}

void cli_json_put_string(Json *json, const char *key, const char *text)
{
    cli_json_key(json, key);
    cli_json_string(json, text);
}

void cli_json_put_count(Json *json, const char *key, uint64_t count)
{
    cli_json_key(json, key);
    cli_json_count(json, count);
}

void cli_json_put_number(Json *json, const char *key, double value)
{
    cli_json_key(json, key);
    cli_json_number(json, value);
}

void cli_json_put_bool(Json *json, const char *key, bool value)
{
    cli_json_key(json, key);
    cli_json_bool(json, value);
}

static const char *digits(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

bool cli_json_is_number(const char *text)
{
    const char *start = text + (*text == '-');
    const char *end = digits(start);

    if (end == start || (*start == '0' && end > start + 1))
        return false;
    if (*end == '.') {
        start = end + 1;
        end = digits(start);
        if (end == start)
            return false;
    }
    if (*end == 'e' || *end == 'E') {
        start = end + 1 + (end[1] == '+' || end[1] == '-');
        end = digits(start);
        if (end == start)
            return false;
    }
    return *end == '\0';
}
