/*
 * Rules that turn text into features: case, stop words, stemming, n-grams of words and characters,
 * hashing. The text form of the rules ("stem=english:ngrams=1-2") is stored in datasets and models.
 */
#ifndef TEXT_RULES_H
#define TEXT_RULES_H

#include "base/memory.h"

enum { MOST_WORD_GRAM = 8, MOST_CHARACTER_GRAM = 16, MOST_HASH_BITS = 28 };

typedef struct {
    bool keep_case;
    bool hash_names;
    /* text is a character sequence, one column per character; excludes all other rules */
    bool sequence;
    uint32_t hash_bits;               /* number of bits of the hash; 0: no hashing */
    uint32_t least_words, most_words; /* word n-grams; most 0: none */
    uint32_t least_characters, most_characters;
    char stem[24]; /* language of the stemmer, or "" */
} TextRules;

/* The default rules: single words. */
TextRules clv_text_rules(void);
/* Parses the values of --ngrams and --chars: "2" or "1-3". option: name in messages. */
Status clv_text_range(const char *option, const char *text, uint32_t most, uint32_t *low,
                      uint32_t *high, cleave_error *error);

/* Appends the text form, without a final NUL; empty for the default rules. */
Status clv_text_rules_write(const TextRules *rules, Context *context, Buffer *text,
                            cleave_error *error);
/* Parses the text form. Returns false if it is invalid. */
bool clv_text_rules_read(const char *text, TextRules *rules);

#endif
