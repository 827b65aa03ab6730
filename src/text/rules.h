/*
 * How text becomes features, beyond what a word is: case, stop words, stems, n-grams of words and of characters, hashing. Rules have a
 * text form ("stem=english:ngrams=1-2"), which is what datasets and models remember of them.
 */
#ifndef TEXT_RULES_H
#define TEXT_RULES_H

#include "base/memory.h"

enum { MOST_WORD_GRAM = 8, MOST_CHARACTER_GRAM = 16, MOST_HASH_BITS = 28 };

typedef struct {
    bool keep_case;
    bool hash_names;
    bool sequence;                    /* the text as it is, a column for each of its characters; no other rule */
    uint32_t hash_bits;               /* 0: no hashing */
    uint32_t least_words, most_words; /* n-grams of words; most 0: none */
    uint32_t least_characters, most_characters;
    char stem[24]; /* a language, or "" */
} TextRules;

/* What there is when nobody says anything: single words. */
TextRules clv_text_rules(void);
/* From the values of --ngrams and --chars: "2" or "1-3". option is for messages. */
Status clv_text_range(const char *option, const char *text, uint32_t most, uint32_t *low, uint32_t *high,
                      cleave_error *error);

/* The text form, without a final NUL; nothing at all for the usual rules. */
Status clv_text_rules_write(const TextRules *rules, Context *context, Buffer *text, cleave_error *error);
/* And back. False: it makes no sense. */
bool clv_text_rules_read(const char *text, TextRules *rules);

#endif
