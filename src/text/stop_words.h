/* Stop words, which are removed from text on request. */
#ifndef TEXT_STOP_WORDS_H
#define TEXT_STOP_WORDS_H

#include "base/memory.h"

/* English stop words, separated by blanks: articles, pronouns, prepositions, conjunctions,
 * auxiliary verbs, with their short forms. */
extern const char clv_english_stop_words[];

/* A set of words, spelled as in the text. */
typedef struct {
    Context *context;
    Buffer text;   /* sorted, distinct, each with a newline: the form stored in models */
    size_t *start; /* positions in text */
    size_t count, capacity;
} StopWords;

void clv_stop_words_init(StopWords *words, Context *context);
void clv_stop_words_free(StopWords *words);
/* Adds every word of the text by the rules of tokens.h; the case is kept if requested. */
Status clv_stop_words_make(StopWords *words, const char *text, size_t size, bool keep_case,
                           cleave_error *error);
bool clv_is_stop_word(const StopWords *words, const char *text, size_t length);

#endif
