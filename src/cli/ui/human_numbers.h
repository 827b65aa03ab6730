/* Numbers in the form used in text output. Each function fills the buffer and returns it. */
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
/* Six digits, for tables: "0.333333", never "-0". */
const char *cli_short(double value, char buffer[HUMAN_SIZE]);
/* An error in units of the target: six digits, or from 10,000 on a whole number, "41,482". */
const char *cli_error_size(double value, char buffer[HUMAN_SIZE]);
/* Four digits, for sentences; from 10,000 on a whole number. */
const char *cli_brief(double value, char buffer[HUMAN_SIZE]);
/* The fewest digits that read back as the same number. */
const char *cli_exact(double value, char buffer[HUMAN_SIZE]);

#endif
