/* Formats numbers for text output. Each function fills the buffer and returns it; the
 * macros supply a buffer that lasts until the end of the enclosing block. */
#ifndef CLI_UI_HUMAN_NUMBERS_H
#define CLI_UI_HUMAN_NUMBERS_H

#include <stdint.h>

#define HUMAN_SIZE 40

/* "1,616". */
const char *cli_grouped(uint64_t count, char buffer[HUMAN_SIZE]);
/* "1 mistake", "4 mistakes". */
const char *cli_count(uint64_t count, const char *one, const char *many, char buffer[HUMAN_SIZE]);
/* "355.2 MB". */
const char *cli_bytes(uint64_t bytes, char buffer[HUMAN_SIZE]);
/* " in 2.15 s", or "" for short times. */
const char *cli_took(double seconds, char buffer[HUMAN_SIZE]);
/* Formats six digits, for tables: "0.333333", never "-0". */
const char *cli_short(double value, char buffer[HUMAN_SIZE]);
/* An error in units of the target: six digits, or from 10,000 on a whole number, "41,482". */
const char *cli_error_size(double value, char buffer[HUMAN_SIZE]);
/* Four digits, for sentences; from 10,000 on a whole number. */
const char *cli_brief(double value, char buffer[HUMAN_SIZE]);
/* Formats the fewest digits that are read back as the same number. */
const char *cli_exact(double value, char buffer[HUMAN_SIZE]);

#define GROUPED(count) cli_grouped((count), (char[HUMAN_SIZE]){0})
#define COUNT(count, one, many) cli_count((count), (one), (many), (char[HUMAN_SIZE]){0})
#define BYTES(bytes) cli_bytes((bytes), (char[HUMAN_SIZE]){0})
#define TOOK(seconds) cli_took((seconds), (char[HUMAN_SIZE]){0})
#define SHORT(value) cli_short((value), (char[HUMAN_SIZE]){0})
#define ERROR_SIZE(value) cli_error_size((value), (char[HUMAN_SIZE]){0})
#define BRIEF(value) cli_brief((value), (char[HUMAN_SIZE]){0})
#define EXACT(value) cli_exact((value), (char[HUMAN_SIZE]){0})

#endif
