#include "read/json_reader.h"

#include "base/escape.h"
#include "base/number.h"
#include "text/unicode.h"

#include <math.h>
#include <stdio.h>

/* The kinds of tokens that may come next. */
enum { VALUE, FIRST_ITEM, FIRST_KEY, AFTER_KEY, AFTER_VALUE, FINISHED };

void clv_json_begin(JsonReader *json, Context *context, const char *name, const char *text,
                    size_t size)
{
    json->context = context;
    json->name = name;
    json->start = json->at = text;
    json->stop = text + size;
    json->depth = 0;
    json->expect = VALUE;
}

void clv_json_free(JsonReader *json)
{
    clv_free(json->context, json->text.data);
    json->text = (Buffer){0};
}

const char *clv_json_type(JsonType type)
{
    static const char *const names[] = {
        [JSON_END] = "the end",     [JSON_OBJECT] = "an object", [JSON_OBJECT_END] = "'}'",
        [JSON_ARRAY] = "an array",  [JSON_ARRAY_END] = "']'",    [JSON_KEY] = "a key",
        [JSON_STRING] = "a string", [JSON_NUMBER] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",     [JSON_NULL] = "null",
    };

    return names[type];
}

Status clv_json_fail(const JsonReader *json, const char *expected, cleave_error *error)
{
    size_t left = (size_t)(json->stop - json->at);
    char quoted[QUOTE_SIZE];

    return clv_fail(error, CLEAVE_ERROR_DATA, "%s%sbyte %zu of the JSON: expected %s, found '%s'",
                    json->name ? json->name : "", json->name ? ": " : "",
                    (size_t)(json->at - json->start) + 1, expected,
                    left ? clv_quote(quoted, json->at, left < 24 ? left : 24) : "");
}

static void skip_blanks(JsonReader *json)
{
    while (json->at < json->stop &&
           (*json->at == ' ' || *json->at == '\t' || *json->at == '\n' || *json->at == '\r'))
        json->at++;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* The length of the well-formed UTF-8 character at the start of the text, or 0 (Unicode, table
 * 3-7). */
static size_t utf8_length(const unsigned char *text, size_t size)
{
    unsigned char first = text[0], low = 0x80, high = 0xBF;
    size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;

    if (length < 2)
        return length;
    if (first > 0xF4 || length > size)
        return 0;
    if (first == 0xE0)
        low = 0xA0;
    else if (first == 0xED)
        high = 0x9F;
    else if (first == 0xF0)
        low = 0x90;
    else if (first == 0xF4)
        high = 0x8F;
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* Reads the four digits after \u. json->at is the position of the backslash. */
static bool read_unit(const JsonReader *json, const char *at, uint32_t *unit)
{
    *unit = 0;
    if (json->stop - at < 6 || at[0] != '\\' || at[1] != 'u')
        return false;
    for (int i = 2; i < 6; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'                     ? c - '0'
                    : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                             : -1;

        if (digit < 0)
            return false;
        *unit = *unit * 16 + (uint32_t)digit;
    }
    return true;
}

static Status read_escape(JsonReader *json, cleave_error *error)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known = json->at + 1 < json->stop && json->at[1]
                            ? memchr(from, json->at[1], sizeof from - 1)
                            : NULL;
    uint32_t unit, second;
    char out[4];

    if (known) {
        json->at += 2;
        return clv_buffer_add(json->context, &json->text, &to[known - from], 1, error);
    }
    if (!read_unit(json, json->at, &unit) || (unit >= 0xDC00 && unit < 0xE000))
        return clv_json_fail(json, "a JSON escape sequence", error);
    if (unit >= 0xD800 && unit < 0xDC00) {
        if (!read_unit(json, json->at + 6, &second) || second < 0xDC00 || second > 0xDFFF)
            return clv_json_fail(json, "a surrogate pair", error);
        unit = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
        json->at += 6;
    }
    json->at += 6;
    return clv_buffer_add(json->context, &json->text, out, clv_put_character(unit, out), error);
}

static Status read_string(JsonReader *json, JsonToken *token, cleave_error *error)
{
    json->at++;
    json->text.size = 0;
    for (;;) {
        const char *from = json->at;

        while (json->at < json->stop && *json->at != '"' && *json->at != '\\') {
            size_t length = utf8_length((const unsigned char *)json->at,
                                        (size_t)(json->stop - json->at));

            if (length == 0 || (unsigned char)*json->at < 0x20)
                return clv_json_fail(json, length ? "an escaped control character" : "UTF-8 text",
                                     error);
            json->at += length;
        }
        if (json->at > from)
            TRY(clv_buffer_add(json->context, &json->text, from, (size_t)(json->at - from), error));
        if (json->at == json->stop)
            return clv_json_fail(json, "the end of the string", error);
        if (*json->at == '"')
            break;
        TRY(read_escape(json, error));
    }
    json->at++;
    token->text = json->text.data ? json->text.data : "";
    token->length = json->text.size;
    return OK;
}

/* ---- numbers and words ----------------------------------------------------------------------- */

static const char *skip_digits(const char *at, const char *stop)
{
    while (at < stop && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static Status read_number(JsonReader *json, JsonToken *token, cleave_error *error)
{
    const char *at = json->at + (*json->at == '-'), *stop = json->stop, *end = at, *parsed;

    if (end < stop && *end == '0')
        end++;
    else
        end = skip_digits(at, stop);
    if (end == at)
        return clv_json_fail(json, "a value", error);
    if (end < stop && *end == '.') {
        at = end + 1;
        end = skip_digits(at, stop);
        if (end == at)
            return clv_json_fail(json, "a JSON number", error);
    }
    if (end < stop && (*end | 0x20) == 'e') {
        at = end + 1;
        if (at < stop && (*at == '+' || *at == '-'))
            at++;
        end = skip_digits(at, stop);
        if (end == at)
            return clv_json_fail(json, "a JSON number", error);
    }
    if (!clv_parse_double(json->at, end, &token->number, &parsed) || parsed != end ||
        !isfinite(token->number))
        return clv_json_fail(json, "a number within the range of a double", error);
    token->type = JSON_NUMBER;
    token->text = json->at;
    token->length = (size_t)(end - json->at);
    json->at = end;
    return OK;
}

static Status read_word(JsonReader *json, JsonToken *token, cleave_error *error)
{
    static const struct {
        const char *text;
        JsonType type;
    } words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].text);

        if ((size_t)(json->stop - json->at) >= length &&
            memcmp(json->at, words[i].text, length) == 0) {
            json->at += length;
            token->type = words[i].type;
            return OK;
        }
    }
    return clv_json_fail(json, "a value", error);
}

/* ---- structure ------------------------------------------------------------------------------- */

static Status read_value(JsonReader *json, JsonToken *token, cleave_error *error)
{
    char c = json->at < json->stop ? *json->at : '\0';

    if (c == '{' || c == '[') {
        if (json->depth == JSON_DEPTH)
            return clv_json_fail(json, "at most 64 levels of nesting", error);
        json->in_object[json->depth++] = c == '{';
        json->expect = c == '{' ? FIRST_KEY : FIRST_ITEM;
        token->type = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        json->at++;
        return OK;
    }
    json->expect = json->depth ? AFTER_VALUE : FINISHED;
    if (c == '"') {
        token->type = JSON_STRING;
        return read_string(json, token, error);
    }
    return c == '-' || (c >= '0' && c <= '9') ? read_number(json, token, error)
                                              : read_word(json, token, error);
}

static Status close_level(JsonReader *json, JsonToken *token)
{
    token->type = json->in_object[--json->depth] ? JSON_OBJECT_END : JSON_ARRAY_END;
    json->expect = json->depth ? AFTER_VALUE : FINISHED;
    json->at++;
    return OK;
}

static Status read_key(JsonReader *json, JsonToken *token, cleave_error *error)
{
    if (json->at == json->stop || *json->at != '"')
        return clv_json_fail(json, "a key", error);
    TRY(read_string(json, token, error));
    skip_blanks(json);
    if (json->at == json->stop || *json->at != ':')
        return clv_json_fail(json, "':'", error);
    json->at++;
    token->type = JSON_KEY;
    json->expect = AFTER_KEY;
    return OK;
}

Status clv_json_next(JsonReader *json, JsonToken *token, cleave_error *error)
{
    bool object = json->depth && json->in_object[json->depth - 1];
    char c;

    *token = (JsonToken){.type = JSON_END};
    skip_blanks(json);
    c = json->at < json->stop ? *json->at : '\0';
    switch (json->expect) {
    case FINISHED:
        return json->at == json->stop ? OK : clv_json_fail(json, "the end", error);
    case FIRST_KEY:
        return c == '}' ? close_level(json, token) : read_key(json, token, error);
    case FIRST_ITEM:
        return c == ']' ? close_level(json, token) : read_value(json, token, error);
    case AFTER_VALUE:
        if (c == (object ? '}' : ']'))
            return close_level(json, token);
        if (c != ',')
            return clv_json_fail(json, object ? "',' or '}'" : "',' or ']'", error);
        json->at++;
        skip_blanks(json);
        return object ? read_key(json, token, error) : read_value(json, token, error);
    default: /* after VALUE or AFTER_KEY */
        return read_value(json, token, error);
    }
}

Status clv_json_skip(JsonReader *json, const JsonToken *token, cleave_error *error)
{
    unsigned depth = json->depth;
    JsonToken next;

    if (token->type != JSON_OBJECT && token->type != JSON_ARRAY)
        return OK;
    do
        TRY(clv_json_next(json, &next, error));
    while (json->depth >= depth);
    return OK;
}

Status clv_json_expect(JsonReader *json, JsonType type, JsonToken *token, cleave_error *error)
{
    skip_blanks(json);
    const char *before = json->at;

    TRY(clv_json_next(json, token, error));
    if (token->type == type)
        return OK;
    json->at = before;
    return clv_json_fail(json, clv_json_type(type), error);
}

/* ---- writing --------------------------------------------------------------------------------- */

Status clv_json_quote(Context *context, Buffer *to, const char *text, size_t length,
                      cleave_error *error)
{
    size_t from = 0, at = 0;

    TRY(clv_buffer_add(context, to, "\"", 1, error));
    while (at < length) {
        unsigned char c = (unsigned char)text[at];
        char piece[ESCAPED_SIZE + 1];
        size_t taken, size;

        if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
            at++;
            continue;
        }
        size = clv_escape_next(text + at, length - at, CLEAVE_ESCAPE_EXACT, piece, &taken);
        if (c == '"')
            size = (size_t)snprintf(piece, sizeof piece, "\\\"");
        else if (*piece == '\\' && piece[1] == 'x') /* JSON has no escapes for bytes */
            size = (size_t)snprintf(piece, sizeof piece, "\\u%04x", c < 0x80 ? c : 0xFFFDu);
        TRY(clv_buffer_add(context, to, text + from, at - from, error));
        TRY(clv_buffer_add(context, to, piece, size, error));
        from = at += taken;
    }
    TRY(clv_buffer_add(context, to, text + from, at - from, error));
    return clv_buffer_add(context, to, "\"", 1, error);
}
