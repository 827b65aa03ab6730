/*
 * JSON writer without a tree: it writes commas and quotes and keeps nothing. In an HTML report
 * (Out.in_page), '<' is escaped so that no text ends the script element, control characters become
 * text, and times are omitted, so that equal runs give equal pages.
 */
#ifndef CLI_UI_JSON_H
#define CLI_UI_JSON_H

#include "cli/ui/output.h"

typedef struct {
    Out *out;
    unsigned depth;
    bool comma[16]; /* whether an element has been written, for each depth */
    bool after_key;
} Json;

void cli_json_open(Json *json, char bracket); /* bracket: '{' or '[' */
void cli_json_close(Json *json, char bracket);
void cli_json_end_line(Json *json);
void cli_json_end(Json *json, char bracket); /* closes the value and ends the line */
void cli_json_key(Json *json, const char *key);

void cli_json_string(Json *json, const char *text); /* NULL is written as null */
void cli_json_count(Json *json, uint64_t count);
void cli_json_number(
    Json *json, double value); /* shortest text that reads as the same value; null if not finite */
void cli_json_bool(Json *json, bool value);
void cli_json_null(Json *json);
void cli_json_raw(Json *json, const char *text);

/* Members of an object; the first two open an object or a list. */
void cli_json_open_key(Json *json, const char *key, char bracket);
void cli_json_put_string(Json *json, const char *key, const char *text);
void cli_json_put_count(Json *json, const char *key, uint64_t count);
void cli_json_put_number(Json *json, const char *key, double value);
void cli_json_put_bool(Json *json, const char *key, bool value);
/* omitted in an HTML report */
void cli_json_put_seconds(Json *json, const char *key, double value);

/* Whether the text is a number in the syntax of JSON. */
bool cli_json_is_number(const char *text);

#endif
