#include "cli/ui/json.h"

#include "cli/ui/human_numbers.h"

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

/* Writes a control character, a character outside of ASCII, or a byte that is not UTF-8. For
 * parsers, \uHHHH is the character itself. On pages, which display their strings, it is text. */
static void put_unusual(const Json *json, const char *text, size_t length)
{
    char piece[16];
    size_t size = cleave_escape(text, length ? length : 1, CLEAVE_ESCAPE_LINE, piece, sizeof piece);

    if (json->out->in_page && *piece == '\\')
        cli_put(json->out, "\\");
    if (json->out->in_page || length > 1)
        cli_write(json->out, piece, size);
    else if (length == 0)
        cli_put(json->out, "\\ufffd");
    else if (*text == '\n' || *text == '\t')
        cli_put(json->out, *text == '\n' ? "\\n" : "\\t");
    else
        cli_print(json->out, "\\u%04x", (unsigned char)*text);
}

static void escaped(const Json *json, const char *text)
{
    while (*text) {
        unsigned char c = (unsigned char)*text;
        size_t length = cli_character_length(text);

        if (c == '"' || c == '\\')
            cli_print(json->out, "\\%c", c);
        else if (c == '<' && json->out->in_page)
            cli_put(json->out, "\\u003c");
        else if (c < 0x20 || c >= 0x7F)
            put_unusual(json, text, length);
        else
            cli_write(json->out, text, 1);
        text += length > 0 ? length : 1;
    }
}

static void quoted(const Json *json, const char *text)
{
    cli_put(json->out, "\"");
    escaped(json, text);
    cli_put(json->out, "\"");
}

void cli_json_key(Json *json, const char *key)
{
    before_value(json);
    quoted(json, key);
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
    quoted(json, text);
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
    cli_json_raw(json, isfinite(value) ? EXACT(value) : "null");
}

void cli_json_bool(Json *json, bool value)
{
    cli_json_raw(json, value ? "true" : "false");
}

void cli_json_null(Json *json)
{
    cli_json_raw(json, "null");
}

void cli_json_end(Json *json, char bracket)
{
    cli_json_close(json, bracket);
    cli_json_end_line(json);
}

void cli_json_open_key(Json *json, const char *key, char bracket)
{
    cli_json_key(json, key);
    cli_json_open(json, bracket);
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

void cli_json_put_seconds(Json *json, const char *key, double value)
{
    if (!json->out->in_page)
        cli_json_put_number(json, key, value);
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
