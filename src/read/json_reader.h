/*
 * Strict JSON (RFC 8259) as a sequence of tokens, without a tree. The text is complete in memory
 * and is UTF-8. Refused: anything that the grammar does not allow, numbers beyond a double, lone
 * surrogates, bytes that are not UTF-8, more than JSON_DEPTH levels, and text after the value.
 */
#ifndef READ_JSON_READER_H
#define READ_JSON_READER_H

#include "base/memory.h"

enum { JSON_DEPTH = 64 };

typedef enum {
    JSON_END, /* returned after the value, by each further call */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,
    JSON_STRING,
    JSON_NUMBER,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
} JsonType;

/* One token. `text` is that of a string or key, with escapes replaced, or of a number as written.
 * It is valid until the next token and not NUL-terminated. */
typedef struct {
    JsonType type;
    const char *text;
    size_t length;
    double number;
} JsonToken;

typedef struct {
    Context *context;
    const char *start, *at, *stop;
    const char *name; /* name of the input, for messages; NULL: none */
    Buffer text;
    unsigned depth;
    bool in_object[JSON_DEPTH];
    int expect;
} JsonReader;

/* Begins a text, which must outlive the reading. A zeroed reader is empty. Its memory is reused. */
void clv_json_begin(JsonReader *json, Context *context, const char *name, const char *text,
                    size_t size);
void clv_json_free(JsonReader *json);
Status clv_json_next(JsonReader *json, JsonToken *token, cleave_error *error);
/* Skips the value that begins with this token. */
Status clv_json_skip(JsonReader *json, const JsonToken *token, cleave_error *error);
/* Fails unless the next token has this type. */
Status clv_json_expect(JsonReader *json, JsonType type, JsonToken *token, cleave_error *error);
/* Fails with an error at the position of the last token. */
Status clv_json_fail(const JsonReader *json, const char *expected, cleave_error *error);
const char *clv_json_type(JsonType type); /* names for messages: "an object", ... */

/* Appends a JSON string with its quotes. Control characters, direction marks and line separators
 * are escaped, and bytes that are not UTF-8 become U+FFFD. */
Status clv_json_quote(Context *context, Buffer *to, const char *text, size_t length,
                      cleave_error *error);

#endif
