/* Words that say little and are left out when asked for. */
#ifndef TEXT_STOP_WORDS_H
#define TEXT_STOP_WORDS_H

#include "base/memory.h"

/* English ones, a blank between them: articles, pronouns, prepositions, conjunctions, auxiliary verbs, with their short forms. */
extern const char clv_english_stop_words[];

/* A set of words, as they are in the text that is read. */
typedef struct {
    Context *context;
    Buffer text;   /* each with its newline, sorted, none twice: what models remember */
    size_t *start; /* of each in text */
    size_t count, capacity;
} StopWords;

void clv_stop_words_init(StopWords *words, Context *context);
void clv_stop_words_free(StopWords *words);
/* Every word of the text, found by the rules of tokens.h, with the case kept or not. */
Status clv_stop_words_make(StopWords *words, const char *text, size_t size, bool keep_case, cleave_error *error);
bool clv_is_stop_word(const StopWords *words, const char *text, size_t length);

#endif
