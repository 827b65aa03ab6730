/*
 * JSON: the tokens of a text that is accepted are balanced, and a string of it, written and read
 * again, is the same string.
 */
#include "fuzz/fuzz.h"
#include "read/json_reader.h"

#include <stdlib.h>

static cleave_context *context;

static void check_string(const JsonToken *token)
{
    JsonReader json = {0};
    Buffer text = {0};
    JsonToken again;

    PROMISE(clv_json_quote(context, &text, token->text, token->length, NULL) == OK);
    clv_json_begin(&json, context, NULL, text.data, text.size);
    PROMISE(clv_json_next(&json, &again, NULL) == OK && again.type == JSON_STRING);
    PROMISE(again.length == token->length && memcmp(again.text, token->text, again.length) == 0);
    clv_json_free(&json);
    clv_free(context, text.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    JsonReader json = {0};
    cleave_error error;
    JsonToken token;
    int depth = 0;

    if (!context)
        context = cleave_context_new(NULL);
    if (size)
        memcpy(copy, data, size);
    clv_json_begin(&json, context, NULL, copy, size);
    for (;;) {
        Status status = clv_json_next(&json, &token, &error);

        if (status != OK) {
            fuzz_check_error(status, &error);
            break;
        }
        depth += token.type == JSON_OBJECT || token.type == JSON_ARRAY;
        depth -= token.type == JSON_OBJECT_END || token.type == JSON_ARRAY_END;
        PROMISE(depth >= 0 && depth <= JSON_DEPTH);
        if (token.type == JSON_STRING)
            check_string(&token);
        if (token.type == JSON_END) {
            PROMISE(depth == 0);
            break;
        }
    }
    clv_json_free(&json);
    free(copy);
    return 0;
}
